// DecodeControl.cpp -- branches, calls, returns and ends.
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
  words.take("uni");
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

/// The value of a .param variable, in a new row; 0 after an error.
std::uint32_t Decoder::loadedParameter(const Operand& operand, unsigned bytes,
                                       std::string_view what) {
  if (operand.kind != Operand::Kind::Name ||
      names_->find(operand.name).kind != Meaning::Kind::Parameter) {
    wrong(fmt::format("{} are .param variables", what));
    return 0;
  }
  const std::uint32_t address = symbolRow(operand, 8);
  const std::uint32_t row = newRow(bytes <= 4 ? 4 : 8);
  Record& load = emit(handlers_.load(Space::Local, true, bytes, 1, checking_));
  load.a = address;
  load.d = row;
  load.flags = (bytes == 8 ? kWideRegister : 0) | 1U << kCountShift | bytes << kSizeShift;
  return row;
}

bool Decoder::printCall(const std::vector<Operand>& arguments,
                        const std::vector<Operand>& results) {
  if (arguments.size() != 2) return wrong("vprintf has two arguments");
  std::uint32_t rows[2] = {};
  for (unsigned k = 0; k < 2; ++k) {
    rows[k] = loadedParameter(arguments[k], 8, "vprintf's arguments");
    if (failed_) return false;
  }
  const std::uint32_t result = newRow(4);
  Record& print = emit(vprintfRecord, checkedMap);
  print.a = rows[0];
  print.b = rows[1];
  print.d = result;
  print.flags = 0x332;
  if (results.empty()) return true;
  const Meaning meaning = names_->find(results[0].name);
  if (meaning.kind != Meaning::Kind::Parameter)
    return wrong("vprintf's result is a .param variable");
  const std::uint32_t address = symbolRow(results[0], 8);
  Record& store = emit(handlers_.store(Space::Local, true, 4, 1, checking_));
  store.a = address;
  store.d = result;
  store.flags = 1U << kCountShift | 4U << kSizeShift;
  return true;
}

/// __assertfail(message, file, line, function, bytes of a letter): what assert() of C calls.
bool Decoder::assertCall(const std::vector<Operand>& arguments) {
  if (arguments.size() != 5) return wrong("__assertfail has five arguments");
  std::uint32_t rows[4] = {};
  for (unsigned k = 0; k < 4; ++k) {
    rows[k] = loadedParameter(arguments[k], k == 2 ? 4 : 8, "__assertfail's arguments");
    if (failed_) return false;
  }
  Record& record = emit(assertRecord);
  record.a = rows[0];
  record.b = rows[1];
  record.c = rows[2];
  record.d = rows[3];
  return true;
}

/// call (results), name or pointer, (arguments), prototype; each list may be missing.
bool Decoder::call() {
  const Statement& s = *statement_;
  Words words(s);
  words.take("uni");
  if (!words.empty()) return unknown({});
  std::size_t i = 0;
  const std::vector<Operand> none;
  const auto list = [&]() -> const std::vector<Operand>& {
    if (i < s.operands.size() && s.operands[i].kind == Operand::Kind::List)
      return s.operands[i++].parts;
    return none;
  };
  const std::vector<Operand>& results = list();
  if (i >= s.operands.size() || s.operands[i].kind != Operand::Kind::Name)
    return wrong("call what?");
  const Operand& target = s.operands[i++];
  const std::vector<Operand>& arguments = list();

  if (target.name == "vprintf" || target.name == "printf") return printCall(arguments, results);
  if (target.name == "__assertfail") {
    const auto found = linked_.functions.find(target.name);
    const bool hasBody =
        found != linked_.functions.end() && module_.functions[found->second].hasBody;
    if (!hasBody) return assertCall(arguments);
  }

  CallSite site;
  const bool isRegister = registerOf(target) != nullptr;
  if (isRegister) {
    site.pointer = source(target, Ty::U64);
    if (failed_) return false;
  } else {
    const auto found = linked_.functions.find(target.name);
    if (found == linked_.functions.end())
      return wrong(fmt::format("{} is not declared", target.name));
    if (!module_.functions[found->second].hasBody) {
      return wrong(fmt::format("{} has no body in this module", target.name));
    }
    if (module_.functions[found->second].isEntry) return unknown("a call of a kernel");
    site.target = static_cast<std::int32_t>(found->second);
  }
  const auto side = [&](const std::vector<Operand>& operands, std::vector<std::uint32_t>& offsets,
                        std::vector<std::uint32_t>& bytes, std::vector<std::uint32_t>& rows,
                        const std::vector<Declaration>* formals, bool isResult) {
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const Operand& operand = operands[k];
      const Meaning meaning =
          operand.kind == Operand::Kind::Name ? names_->find(operand.name) : Meaning{};
      const bool isParameter =
          meaning.kind == Meaning::Kind::Parameter || meaning.kind == Meaning::Kind::Local;
      const Declaration* formal =
          formals == nullptr || k >= formals->size() ? nullptr : &(*formals)[k];
      if (formal != nullptr && formal->space == Space::Reg && isParameter) {
        if (isResult) {
          unknown("a .param variable for a result in a register");
          return;
        }
        offsets.push_back(0);
        bytes.push_back(std::max(bytesOf(formal->type), 4U));
        rows.push_back(loadedParameter(operand, bytesOf(formal->type), "arguments"));
        continue;
      }
      if (formal != nullptr && formal->space != Space::Reg && formal->bytes() == 0) {
        unknown("a parameter without a size");
        return;
      }
      if (isParameter) {
        offsets.push_back(static_cast<std::uint32_t>(meaning.offset));
        bytes.push_back(static_cast<std::uint32_t>(meaning.declaration->bytes()));
        rows.push_back(0);
        continue;
      }
      if (formal == nullptr || formal->space != Space::Reg) {
        unknown("an argument that is neither a .param variable nor for a .reg parameter");
        return;
      }
      const Ty type = formal->type;
      offsets.push_back(0);
      bytes.push_back(std::max(bytesOf(type), 4U));
      rows.push_back(isResult ? destination(operand, type) : source(operand, type));
    }
  };
  const Function* callee =
      site.target < 0 ? nullptr : &module_.functions[static_cast<std::size_t>(site.target)];
  side(arguments, site.argumentOffsets, site.argumentBytes, site.argumentRows,
       callee != nullptr ? &callee->parameters : nullptr, false);
  side(results, site.resultOffsets, site.resultBytes, site.resultRows,
       callee != nullptr ? &callee->results : nullptr, true);
  if (failed_) return false;
  program_->usesStack = true;
  program_->calls.push_back(std::move(site));
  const auto index = static_cast<std::int64_t>(program_->calls.size() - 1);
  return aroundGuard([&] {
    emitPlain(callRecord).imm = index;
    emitPlain(joinRecord);
    return true;
  });
}

}  // namespace cutwork::sim
