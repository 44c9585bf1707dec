// Decode.cpp -- a kernel and what it calls, statement by statement, to records.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "Decoder.h"
#include "Flow.h"
#include "Reader/Parser.h"

namespace cutwork::sim {
namespace {

std::uint64_t roundUp(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

bool isOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool Words::take(std::string_view word) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) return false;
  words.erase(found);
  return true;
}

std::optional<Ty> Words::type() {
  for (auto at = words.begin(); at != words.end(); ++at) {
    if (const auto type = typeNamed(*at)) {
      words.erase(at);
      return type;
    }
  }
  return std::nullopt;
}

std::string_view Words::oneOf(std::span<const std::string_view> candidates) {
  for (auto at = words.begin(); at != words.end(); ++at) {
    if (std::find(candidates.begin(), candidates.end(), *at) != candidates.end()) {
      const std::string_view found = *at;
      words.erase(at);
      return found;
    }
  }
  return {};
}

Decoder::Decoder(const LinkedModule& linked, const Checks& checks, DecodeProblem& problem)
    : linked_(linked),
      module_(linked.module),
      available_(linked.module),
      checked_(checks.any()),
      sync_(checks.sync),
      checking_(checks.race    ? Checking::Races
                : checks.any() ? Checking::Checked
                               : Checking::Plain),
      problem_(problem),
      program_(std::make_unique<Program>()),
      handlers_(handlerSet()) {
  program_->checked = checked_;
  program_->checks = checks;
  program_->module = &module_;
  program_->functions.resize(module_.functions.size());
  program_->records.emplace_back();  // displacement 0 and record 0 mean none
  program_->records.back().run = nothing;
  program_->sources.push_back({});
}

bool Decoder::wrong(std::string message) {
  if (failed_) return false;
  failed_ = true;
  problem_.message = std::move(message);
  if (function_ == nullptr) return false;
  const std::uint32_t line = statement_ != nullptr ? statement_->line : function_->line;
  problem_.ptx = SourcePlace{module_.name, line, 0, {}};
  if (statement_ == nullptr) return false;
  problem_.instruction = printStatement(*function_, *statement_);
  const Loc& loc = module_.locs[statement_->loc];
  if (loc.line != 0 && loc.file < module_.files.size()) {
    problem_.user = {std::string(module_.files[loc.file]), loc.line, loc.column, {}};
  }
  return false;
}

bool Decoder::unknown(const std::string& message) {
  if (!failed_) problem_.unknownInstruction = true;
  std::string text =
      fmt::format("instruction not known here: {}",
                  statement_ != nullptr ? printStatement(*function_, *statement_) : "");
  if (!message.empty()) text += " (" + message + ")";
  return wrong(std::move(text));
}

void Decoder::findReachable(std::uint32_t index) {
  std::vector<std::uint32_t> work{index};
  const auto add = [&](std::uint32_t f) {
    if (reachable_.insert(f).second) work.push_back(f);
  };
  reachable_.insert(index);
  for (const Declaration& variable : module_.variables) {
    for (const Initial& initial : variable.initial) {
      const auto found = linked_.functions.find(initial.symbol);
      if (initial.symbol.empty() || found == linked_.functions.end()) continue;
      if (!module_.functions[found->second].hasBody || module_.functions[found->second].isEntry)
        continue;
      addressTaken_.insert(found->second);
      add(found->second);
    }
  }
  while (!work.empty()) {
    const std::uint32_t f = work.back();
    work.pop_back();
    for (const Statement& statement : module_.functions[f].body) {
      const bool isCall = statement.name == "call";
      visitNames(statement.operands, [&](std::string_view name) {
        const auto found = linked_.functions.find(name);
        if (found == linked_.functions.end()) return;
        if (!module_.functions[found->second].hasBody || module_.functions[found->second].isEntry)
          return;
        if (!isCall) addressTaken_.insert(found->second);
        callees_[f].insert(found->second);
        add(found->second);
      });
      if (isCall) {
        const auto isDirect = [&](const Operand& operand) {
          return operand.kind == Operand::Kind::Name && linked_.functions.contains(operand.name);
        };
        const bool direct =
            std::any_of(statement.operands.begin(), statement.operands.end(), isDirect);
        if (!direct) indirectCallers_.insert(f);
      }
    }
  }
  for (const std::uint32_t f : indirectCallers_)
    callees_[f].insert(addressTaken_.begin(), addressTaken_.end());
  for (const std::uint32_t f : reachable_) {  // recursive: reaches itself
    std::set<std::uint32_t> seen;
    std::vector<std::uint32_t> from(callees_[f].begin(), callees_[f].end());
    while (!from.empty()) {
      const std::uint32_t g = from.back();
      from.pop_back();
      if (!seen.insert(g).second) continue;
      from.insert(from.end(), callees_[g].begin(), callees_[g].end());
    }
    program_->functions[f].recursive = seen.contains(f);
  }
}

/// Static shared variables of the module and of the functions, then those of dynamic size.
void Decoder::layoutShared() {
  std::vector<const Declaration*> fixed;
  std::vector<const Declaration*> dynamic;
  const auto add = [&](const Declaration& declaration) {
    (declaration.unsized ? dynamic : fixed).push_back(&declaration);
  };
  std::set<std::string_view> used;
  for (const std::uint32_t f : reachable_) {
    for (const Statement& statement : module_.functions[f].body) {
      visitNames(statement.operands, [&](std::string_view name) { used.insert(name); });
    }
  }
  for (const Declaration& variable : module_.variables) {
    const bool isMain = linked_.variables.at(variable.name) == &variable;
    if (variable.space == Space::Shared && isMain && used.contains(variable.name)) add(variable);
  }
  for (const std::uint32_t f : reachable_) {
    for (const Declaration& d : module_.functions[f].declarations) {
      if (d.space == Space::Shared) add(d);
    }
  }
  std::uint64_t end = kSharedStart;
  for (const Declaration* d : fixed) {
    end = roundUp(end, d->alignment());
    shared_[d] = static_cast<std::uint32_t>(end);
    program_->variables.push_back({d->name, Space::Shared, shared_[d], 0});
    end += d->bytes();
    if (end > (1U << kClusterShift)) {
      wrong("the static shared memory is larger than any GPU's");
      return;
    }
  }
  std::uint64_t align = 16;
  for (const Declaration* d : dynamic) align = std::max(align, d->alignment());
  end = roundUp(end, dynamic.empty() ? 1 : align);
  for (const Declaration* d : dynamic) {
    shared_[d] = static_cast<std::uint32_t>(end);
    program_->variables.push_back({d->name, Space::Shared, end, 0});
  }
  if (!dynamic.empty()) program_->dynamicArray = dynamic.front()->name;
  program_->staticShared = static_cast<std::uint32_t>(end);
}

void Decoder::setSpecialRows() {
  SpecialRows& s = program_->special;
  const auto row = [&] { return newRow(4); };
  for (auto* three : {s.tid, s.ntid, s.ctaid, s.nctaid, s.clusterid, s.nclusterid, s.clusterCtaid,
                      s.clusterNctaid}) {
    for (unsigned i = 0; i < 3; ++i) three[i] = row();
  }
  for (auto* one : {&s.clusterCtarank, &s.clusterNctarank, &s.isExplicitCluster, &s.laneid,
                    &s.warpid, &s.nwarpid, &s.smid, &s.nsmid, &s.gridid, &s.dynamicSmem,
                    &s.totalSmem, &s.aggregateSmem, &s.zero}) {
    *one = row();
  }
  for (std::uint32_t& one : s.lanemask) one = row();
  s.parameterBase = newRow(8);
  userRows_.clear();  // all of these are defined from the start
}

bool Decoder::declareFormals(std::uint32_t index) {
  const Function& function = module_.functions[index];
  CodeFunction& code = program_->functions[index];
  if (function.isEntry) {
    std::uint64_t offset = 0;
    for (const Declaration& parameter : function.parameters) {
      offset = roundUp(offset, parameter.alignment());
      Meaning meaning;
      meaning.kind = Meaning::Kind::KernelParameter;
      meaning.offset = offset;
      meaning.declaration = &parameter;
      names_->declare(parameter.name, meaning);
      offset += parameter.bytes();
    }
    return true;
  }
  const auto formals = [&](const std::vector<Declaration>& list,
                           std::vector<std::uint32_t>& offsets, std::vector<std::uint32_t>& bytes,
                           std::vector<std::uint32_t>& rows) {
    for (const Declaration& formal : list) {
      if (formal.space == Space::Reg) {
        names_->declareRegisters(formal);
        rows.push_back(registerRow(*names_->find(formal.name).registers));
        offsets.push_back(0);
        bytes.push_back(std::max(bytesOf(formal.type), 4U));
        continue;
      }
      frameBytes_ = static_cast<std::uint32_t>(roundUp(frameBytes_, formal.alignment()));
      Meaning meaning;
      meaning.kind = Meaning::Kind::Parameter;
      meaning.offset = frameBytes_;
      meaning.declaration = &formal;
      names_->declare(formal.name, meaning);
      offsets.push_back(frameBytes_);
      bytes.push_back(static_cast<std::uint32_t>(formal.bytes()));
      rows.push_back(0);
      frameBytes_ += static_cast<std::uint32_t>(formal.bytes());
    }
  };
  formals(function.parameters, code.formalOffsets, code.formalBytes, code.formalRows);
  formals(function.results, code.resultOffsets, code.resultBytes, code.resultRows);
  return true;
}

bool Decoder::declareVariable(const Declaration& d) {
  if (names_->declares(d)) return wrong(fmt::format("{} is declared twice", d.name));
  Meaning meaning;
  meaning.declaration = &d;
  switch (d.space) {
    case Space::Reg: names_->declareRegisters(d); return true;
    case Space::Shared:
      meaning.kind = Meaning::Kind::Shared;
      meaning.offset = shared_[&d];
      names_->declare(d.name, meaning);
      return true;
    case Space::Local:
    case Space::Param: {
      const std::uint64_t start = roundUp(frameBytes_, std::max<std::uint64_t>(d.alignment(), 1));
      if (start + d.bytes() > std::uint64_t{512} * 1024) {
        return wrong("a thread has at most 512 KiB of local memory");
      }
      meaning.kind = d.space == Space::Local ? Meaning::Kind::Local : Meaning::Kind::Parameter;
      meaning.offset = start;
      frameBytes_ = static_cast<std::uint32_t>(start + d.bytes());
      names_->declare(d.name, meaning);
      if (d.space == Space::Local) {
        program_->variables.push_back({d.name, Space::Local, start, functionIndex_});
      }
      return true;
    }
    default:
      meaning.kind = Meaning::Kind::Global;
      meaning.offset = linked_.inBodies.at(&d);
      names_->declare(d.name, meaning);
      program_->variables.push_back({d.name, Space::Global, meaning.offset, 0});
      return true;
  }
}

std::uint32_t Decoder::labelAt(std::string_view name, std::uint32_t scope) const {
  while (true) {
    const auto found = labels_.find({scope, name});
    if (found != labels_.end()) return found->second;
    if (scope == 0) return kUnplaced;
    scope = names_->parent(scope);
  }
}

/// Labels, scopes, blocks and meeting points of the body.
bool Decoder::buildFlow(const Function& function) {
  const std::vector<Statement>& body = function.body;
  const auto count = static_cast<std::uint32_t>(body.size());
  labels_.clear();
  scopeOf_.assign(count, 0);
  names_->rewind();
  for (std::uint32_t i = 0; i < count; ++i) {
    const Statement& s = body[i];
    if (s.kind == Statement::Kind::Open) names_->open();
    scopeOf_[i] = names_->scope();
    if (s.kind == Statement::Kind::Close) names_->close();
    const bool named = s.kind == Statement::Kind::Label || s.kind == Statement::Kind::Targets ||
                       s.kind == Statement::Kind::Callees || s.kind == Statement::Kind::Prototype;
    if (named && !labels_.try_emplace({scopeOf_[i], s.name}, i).second) {
      statement_ = &s;
      return wrong(fmt::format("the label {} is defined twice", s.name));
    }
  }
  names_->rewind();
  // Leaders: labels and what follows a branch or an end.
  std::vector<bool> leads(count + 1, false);
  leads[0] = true;
  const auto isBranch = [](const Statement& s) {
    return s.kind == Statement::Kind::Instruction && isOneOf(s.name, {"bra", "brx"});
  };
  const auto isEnd = [](const Statement& s) {
    return s.kind == Statement::Kind::Instruction && s.guard.empty() &&
           isOneOf(s.name, {"ret", "exit", "trap"});
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    if (body[i].kind == Statement::Kind::Label) leads[i] = true;
    if (isBranch(body[i]) || isEnd(body[i])) leads[i + 1] = true;
  }
  blockOf_.assign(count + 1, 0);
  firstOf_.clear();
  for (std::uint32_t i = 0; i <= count; ++i) {
    if (leads[i] || i == count) firstOf_.push_back(i);
    blockOf_[i] = static_cast<std::uint32_t>(firstOf_.size() - 1);
  }
  std::vector<Block> blocks(firstOf_.size());
  blocks.back().ends = true;  // the end of the body returns
  for (std::uint32_t b = 0; b + 1 < blocks.size(); ++b) {
    const std::uint32_t last = firstOf_[b + 1] - 1;
    const Statement& s = body[last];
    if (isEnd(s)) {
      blocks[b].ends = true;
      continue;
    }
    bool falls = true;
    if (isBranch(s)) {
      falls = !s.guard.empty();
      const auto follow = [&](std::string_view name, std::uint32_t scope) {
        const std::uint32_t at = labelAt(name, scope);
        if (at != kUnplaced) blocks[b].next.push_back(blockOf_[at]);
      };
      if (s.name == "bra" && !s.operands.empty()) {
        follow(s.operands[0].name, scopeOf_[last]);
      } else if (s.operands.size() > 1) {
        const std::uint32_t list = labelAt(s.operands[1].name, scopeOf_[last]);
        if (list != kUnplaced && body[list].kind == Statement::Kind::Targets) {
          for (const Operand& target : body[list].operands) {
            if (target.index < 0) follow(target.name, scopeOf_[list]);
            for (std::int64_t k = 0; k < target.index; ++k) {
              follow(fmt::format("{}{}", target.name, k), scopeOf_[list]);
            }
          }
        }
      }
    }
    if (falls) blocks[b].next.push_back(b + 1);
  }
  meetOf_ = meetingPoints(blocks);
  isMeeting_.assign(blocks.size(), false);
  for (std::uint32_t b = 0; b < blocks.size(); ++b) {
    if (blocks[b].next.size() > 1 && meetOf_[b] != kNowhere) isMeeting_[meetOf_[b]] = true;
  }
  return true;
}

bool Decoder::emitStatements(const Function& function) {
  recordOf_.assign(function.body.size() + 1, kUnplaced);
  for (std::uint32_t i = 0; i < function.body.size(); ++i) {
    const Statement& s = function.body[i];
    statement_ = &s;
    statementIndex_ = i;
    program_->sources.push_back({functionIndex_, i});
    firstOfStatement_ = true;
    recordOf_[i] = static_cast<std::uint32_t>(program_->records.size());
    if (firstOf_[blockOf_[i]] == i && isMeeting_[blockOf_[i]]) {
      guard_ = 0;
      emitPlain(joinRecord);
      firstOfStatement_ = true;
    }
    switch (s.kind) {
      case Statement::Kind::Open: names_->open(); break;
      case Statement::Kind::Close: names_->close(); break;
      case Statement::Kind::Declare:
        if (!declareVariable(function.declarations[s.declaration])) return false;
        break;
      case Statement::Kind::Instruction:
        if (!instruction(s)) return false;
        break;
      default: break;
    }
  }
  // The end of the body is a return.
  recordOf_.back() = static_cast<std::uint32_t>(program_->records.size());
  guard_ = 0;
  if (isMeeting_.back()) emitPlain(joinRecord);
  emitPlain(returnRecord).imm = functionIndex_;
  return true;
}

bool Decoder::instruction(const Statement& s) {
  guard_ = 0;
  if (const std::string missing = available_.missing(s); !missing.empty()) return unknown(missing);
  if (!s.guard.empty()) {
    Operand predicate;
    predicate.kind = Operand::Kind::Name;
    predicate.name = s.guard;
    guard_ = predicateSource(predicate);
    if (guard_ == 0) return false;
    if (s.guardNegated) guard_ |= 1;
  }
  using Part = bool (Decoder::*)();
  static constexpr std::pair<std::string_view, Part> kParts[] = {
      {"mov", &Decoder::moves},
      {"setp", &Decoder::comparison},
      {"set", &Decoder::comparison},
      {"cvt", &Decoder::conversion},
      {"ld", &Decoder::memory},
      {"ldu", &Decoder::memory},
      {"st", &Decoder::memory},
      {"atom", &Decoder::memory},
      {"red", &Decoder::memory},
      {"cvta", &Decoder::addressing},
      {"isspacep", &Decoder::addressing},
      {"mapa", &Decoder::addressing},
      {"getctarank", &Decoder::addressing},
      {"bra", &Decoder::control},
      {"brx", &Decoder::control},
      {"call", &Decoder::control},
      {"ret", &Decoder::control},
      {"exit", &Decoder::control},
      {"trap", &Decoder::control},
      {"brkpt", &Decoder::control},
      {"shfl", &Decoder::warpWide},
      {"vote", &Decoder::warpWide},
      {"match", &Decoder::warpWide},
      {"redux", &Decoder::warpWide},
      {"elect", &Decoder::warpWide},
      {"activemask", &Decoder::warpWide},
      {"cp", &Decoder::asyncCopies},
      {"mbarrier", &Decoder::mbarriers},
      {"clusterlaunchcontrol", &Decoder::clusterControl},
      {"bar", &Decoder::barriers},
      {"barrier", &Decoder::barriers},
  };
  for (const auto& [name, part] : kParts) {
    if (name == s.name) return (this->*part)();
  }
  const std::size_t before = program_->records.size();
  if (arithmetic()) return true;
  if (failed_ || program_->records.size() != before) return false;
  if (video() || failed_) return !failed_;
  if (matrices() || failed_) return !failed_;
  if (miscellaneous()) return true;
  if (failed_) return false;
  return unknown({});
}

bool Decoder::patchBranches() {
  for (const Fixup& fixup : fixups_) {
    Record& record = program_->records[fixup.record];
    const auto displacement = [&](std::uint32_t statement) {
      return static_cast<std::int64_t>(recordOf_[statement]) -
             static_cast<std::int64_t>(fixup.record);
    };
    if (fixup.table >= 0) {
      for (const std::uint32_t target : fixup.targets) {
        program_->branchTables[static_cast<std::size_t>(fixup.table)].push_back(
            static_cast<std::int32_t>(displacement(target)));
      }
    } else if (fixup.statement != kUnplaced) {
      record.imm = displacement(fixup.statement);
    }
    if (fixup.meetStatement != kUnplaced) {
      record.extra = static_cast<std::uint32_t>(displacement(fixup.meetStatement));
    }
  }
  fixups_.clear();
  return true;
}

bool Decoder::decodeFunction(std::uint32_t index) {
  functionIndex_ = index;
  function_ = &module_.functions[index];
  statement_ = nullptr;
  names_ = std::make_unique<Names>();
  frameBytes_ = 0;
  CodeFunction& code = program_->functions[index];
  code.name = function_->name;
  code.decoded = true;
  predicatesLeft_ = 0;
  code.rowsBegin = fileBytes_;
  if (!declareFormals(index) || !buildFlow(*function_)) return false;
  code.entry = static_cast<std::uint32_t>(program_->records.size());
  if (!emitStatements(*function_) || !patchBranches()) return false;
  code.rowsEnd = fileBytes_;
  code.frameBytes = (frameBytes_ + 15) / 16 * 16;
  return !failed_;
}

void Decoder::finishProgram() {
  for (const auto& [name, address] : linked_.addresses) {
    program_->variables.push_back({name, Space::Global, address, 0});
  }
  program_->image.assign(fileBytes_, 0);
  program_->undefined.assign(fileBytes_ / 8, 0);
  for (const auto& [key, row] : constants_) {
    for (unsigned i = 0; i < 32; ++i) {
      std::memcpy(&program_->image[row + i * key.second], &key.first, std::min(key.second, 8U));
    }
  }
  for (const auto& [row, bytes] : userRows_) {
    if (program_->checks.init)
      std::memset(&program_->undefined[row / 8], 0xff, std::size_t{bytes == 0 ? 1 : bytes} * 4);
    program_->wideTables.push_back(row);
    program_->wideTables.push_back(bytes);
  }
}

std::unique_ptr<Program> Decoder::kernel(std::uint32_t index) {
  function_ = &module_.functions[index];
  program_->kernel = function_->name;
  findReachable(index);
  findOrdered();
  layoutShared();
  if (failed_) return nullptr;
  setSpecialRows();
  for (const std::uint32_t f : reachable_) {
    if (!decodeFunction(f)) return nullptr;
  }
  finishProgram();
  program_->entry = program_->functions[index].entry;
  program_->frameBytes = program_->functions[index].frameBytes;
  return std::move(program_);
}

std::unique_ptr<Program> decodeKernel(const LinkedModule& linked, std::uint32_t function,
                                      const Checks& checks, DecodeProblem& problem) {
  return Decoder(linked, checks, problem).kernel(function);
}

const Statement& Program::statement(const Record& r) const {
  static const Statement kNone;
  const SourceRef& at = sources[r.source & ~kPartOfAnother];
  const std::vector<Statement>& body = module->functions[at.function].body;
  return at.statement < body.size() ? body[at.statement] : kNone;
}

SourcePlace Program::ptxPlace(const Record& r) const {
  const SourceRef& at = sources[r.source & ~kPartOfAnother];
  const Function& function = module->functions[at.function];
  if (at.statement >= function.body.size()) return {};
  return {module->name, function.body[at.statement].line, 0, {}};
}

SourcePlace Program::userPlace(const Record& r) const {
  const SourceRef& at = sources[r.source & ~kPartOfAnother];
  const Function& function = module->functions[at.function];
  if (at.statement >= function.body.size()) return {};
  const Loc& loc = module->locs[function.body[at.statement].loc];
  if (loc.line == 0 || loc.file >= module->files.size()) return {};
  return {std::string(module->files[loc.file]), loc.line, loc.column, {}};
}

std::string Program::text(const Record& r) const {
  const SourceRef& at = sources[r.source & ~kPartOfAnother];
  const Function& function = module->functions[at.function];
  if (at.statement >= function.body.size()) return {};
  return printStatement(function, function.body[at.statement]);
}

}  // namespace cutwork::sim
