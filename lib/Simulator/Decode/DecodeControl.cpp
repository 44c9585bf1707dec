// DecodeControl.cpp -- branches, returns and ends.
#include <fmt/format.h>

#include <algorithm>

#include "Decoder.h"
#include "Flow.h"

namespace cutwork::sim {

bool Decoder::control() {
  const std::string_view name = statement_->name;
  if (name == "bra" || name == "brx") return branches();
  if (name == "call") return call();
  Words words(*statement_);
  if (name == "ret") words.take("uni");
  if (!words.empty() || !statement_->operands.empty()) return unknown({});
  return aroundGuard([&] {
    if (name == "ret") {
      emitPlain(returnRecord).imm = functionIndex_;
    } else {
      emitPlain(name == "exit" ? exitRecord : name == "trap" ? trapRecord : breakRecord);
    }
    return true;
  });
}

bool Decoder::branches() {
  const Statement& s = *statement_;
  Words words(s);
  words.take("uni");
  const bool table = s.name == "brx";
  if ((table && !words.take("idx")) || !words.empty()) return unknown({});
  if (s.operands.size() != (table ? 2U : 1U)) return wrong(fmt::format("{} has a target", s.name));
  words.take("uni");
  const std::uint32_t block = blockOf_[statementIndex_];
  const std::uint32_t meet = meetOf_[block] == kNowhere ? kUnplaced : firstOf_[meetOf_[block]];
  const std::uint32_t scope = scopeOf_[statementIndex_];
  Fixup fixup{};
  fixup.meetStatement = meet;
  if (!table) {
    if (s.operands[0].kind != Operand::Kind::Name)
      return wrong("the target of a branch is a label");
    fixup.statement = labelAt(s.operands[0].name, scope);
    if (fixup.statement == kUnplaced)
      return wrong(fmt::format("there is no label {}", s.operands[0].name));
    fixup.record = static_cast<std::uint32_t>(program_->records.size());
    Record& record = emitPlain(guard_ == 0 ? branch : conditionalBranch(checked_));
    record.guard = guard_;
    if (guard_ == 0) fixup.meetStatement = kUnplaced;
    fixups_.push_back(std::move(fixup));
    return true;
  }
  const std::uint32_t list = labelAt(s.operands[1].name, scope);
  if (list == kUnplaced || function_->body[list].kind != Statement::Kind::Targets) {
    return wrong(fmt::format("{} is no list of branch targets", s.operands[1].name));
  }
  if (s.operands[0].kind == Operand::Kind::Value) return wrong("the index of brx is a register");
  const std::uint32_t index = source(s.operands[0], Ty::U32);
  if (failed_) return false;
  fixup.statement = kUnplaced;
  for (const Operand& target : function_->body[list].operands) {
    const std::int64_t count = target.index < 0 ? 1 : target.index;
    for (std::int64_t k = 0; k < count; ++k) {
      const std::string name =
          target.index < 0 ? std::string(target.name) : fmt::format("{}{}", target.name, k);
      const std::uint32_t at = labelAt(name, scopeOf_[list]);
      if (at == kUnplaced) return wrong(fmt::format("there is no label {}", name));
      fixup.targets.push_back(at);
    }
  }
  fixup.table = static_cast<std::int32_t>(program_->branchTables.size());
  program_->branchTables.emplace_back();
  return aroundGuard([&] {
    fixup.record = static_cast<std::uint32_t>(program_->records.size());
    Record& record = emitPlain(tableBranch(checked_));
    record.a = index;
    record.imm = fixup.table;
    fixups_.push_back(std::move(fixup));
    return true;
  });
}

}  // namespace cutwork::sim
