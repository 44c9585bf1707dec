// DecodeCall.cpp -- calls of functions, and of those that the driver has: vprintf, malloc, asserts.
#include <fmt/format.h>

#include <algorithm>

#include "Decoder.h"

namespace cutwork::sim {
namespace {

constexpr std::uint32_t kMostLocal = 512 * 1024;

bool isScalar(const Declaration& formal) {
  return !formal.isArray && formal.vector == 1 && bitsOf(formal.type) >= 16 &&
         bitsOf(formal.type) <= 64;
}

using Operands = std::vector<Operand>;

}  // namespace

/// The decoder of one call.
class CallDecoder {
 public:
  explicit CallDecoder(Decoder& decoder) : d_(decoder) {}
  bool call();

 private:
  struct CallTarget {
    std::string_view name;
    const Prototype* prototype = nullptr;
  };
  struct LateResult {  ///< between a register and the frame, behind the call
    std::uint32_t offset, row;
    unsigned bytes;
    bool stores;
  };
  std::optional<bool> driverCall(std::string_view name, const Operands& arguments,
                                 const Operands& results);
  bool printCall(const Operands& arguments, const Operands& results);
  bool assertCall(const Operands& arguments);
  bool heapCall(bool takes, const Operands& arguments, const Operands& results);
  bool callTarget(const Operand& target, const Operand* prototype, CallSite& site, CallTarget& to,
                  Prototype& made);
  const Prototype* prototypeOf(const Operand& operand, Prototype& made);
  bool passAll(const CallTarget& to, const Operands& arguments, const Operands& results,
               CallSite& site, std::vector<LateResult>& later);
  bool passArgument(const Operand& operand, const Declaration& formal, CallSite& site);
  bool passResult(const Operand& operand, const Declaration& formal, CallSite& site,
                  std::vector<LateResult>& later);
  bool fitsFormal(const Operand& operand, const Declaration& formal, bool isResult);
  bool isParamVariable(const Operand& operand);
  std::uint32_t argumentRow(const Operand& operand, Ty type);
  bool takeResult(const Operands& results, std::uint32_t row, Ty type);
  std::uint32_t frameAddress(std::uint32_t offset);
  std::uint32_t frameSlot(unsigned bytes);
  void loadFrame(std::uint32_t address, std::uint32_t row, unsigned bytes);
  void storeFrame(std::uint32_t address, std::uint32_t row, unsigned bytes);

  Decoder& d_;
};

bool Decoder::call() { return CallDecoder(*this).call(); }

bool CallDecoder::isParamVariable(const Operand& operand) {
  if (operand.kind != Operand::Kind::Name) return false;
  const Meaning::Kind kind = d_.names_->find(operand.name).kind;
  return kind == Meaning::Kind::Parameter || kind == Meaning::Kind::Local;
}

/// A row with the address of a place in the frame.
std::uint32_t CallDecoder::frameAddress(std::uint32_t offset) {
  const std::uint32_t row = d_.newRow(8);
  d_.userRows_.pop_back();  // it is defined, and made anew where it is needed again
  Record& r = d_.emitPlain(localAddress64);
  r.d = row;
  r.imm = offset;
  return row;
}

/// A place in the frame for a value that a call takes from memory, or gives there.
std::uint32_t CallDecoder::frameSlot(unsigned bytes) {
  d_.frameBytes_ = (d_.frameBytes_ + bytes - 1) / bytes * bytes;
  if (d_.frameBytes_ > kMostLocal) d_.wrong("a thread has at most 512 KiB of local memory");
  const std::uint32_t offset = d_.frameBytes_;
  d_.frameBytes_ += bytes;
  return offset;
}

void CallDecoder::loadFrame(std::uint32_t address, std::uint32_t row, unsigned bytes) {
  Record& load = d_.emit(d_.handlers_.load(Space::Local, true, bytes, 1, d_.checking_));
  load.a = address;
  load.d = row;
  load.flags = (bytes == 8 ? kWideRegister : 0) | 1U << kCountShift | bytes << kSizeShift;
}

void CallDecoder::storeFrame(std::uint32_t address, std::uint32_t row, unsigned bytes) {
  Record& store = d_.emit(d_.handlers_.store(Space::Local, true, bytes, 1, d_.checking_));
  store.a = address;
  store.d = row;
  store.flags = (bytes == 8 ? kWideRegister : 0) | 1U << kCountShift | bytes << kSizeShift;
}

/// The row of an argument: of a .param variable its value, in a new row; 0 after an error.
std::uint32_t CallDecoder::argumentRow(const Operand& operand, Ty type) {
  if (!isParamVariable(operand)) return d_.source(operand, type);
  const unsigned bytes = bytesOf(type);
  const std::uint64_t has = d_.names_->find(operand.name).declaration->bytes();
  if (has < bytes) {
    d_.wrong(fmt::format("{} has {} bytes, and an argument of {} is expected", operand.name, has,
                         bytes));
    return 0;
  }
  const std::uint32_t address = d_.symbolRow(operand, 8);
  const std::uint32_t row = d_.newRow(bytes <= 4 ? 4 : 8);
  loadFrame(address, row, bytes);
  return row;
}

/// Takes a result that the driver's function left in `row` to where the call wants it.
bool CallDecoder::takeResult(const Operands& results, std::uint32_t row, Ty type) {
  if (results.empty() || results[0].kind == Operand::Kind::Sink) return true;
  if (isParamVariable(results[0])) {
    if (d_.names_->find(results[0].name).declaration->bytes() < bytesOf(type)) {
      return d_.wrong(fmt::format("{} is too small for the result", results[0].name));
    }
    storeFrame(d_.symbolRow(results[0], 8), row, bytesOf(type));
    return true;
  }
  const std::uint32_t d = d_.destination(results[0], type);
  Pick pick;
  pick.op = Op::Mov;
  pick.type = type;
  const std::uint32_t sources[] = {row};
  return !d_.failed_ && d_.emitMap(d_.handlers_.logic(pick), d, sources, 0, checkedMove);
}

bool CallDecoder::printCall(const Operands& arguments, const Operands& results) {
  if (arguments.size() != 2) return d_.wrong("vprintf has two arguments");
  const std::uint32_t format = argumentRow(arguments[0], Ty::B64);
  const std::uint32_t values = d_.failed_ ? 0 : argumentRow(arguments[1], Ty::B64);
  if (d_.failed_) return false;
  const std::uint32_t result = d_.newRow(4);
  Record& print = d_.emit(vprintfRecord, checkedMap);
  print.a = format;
  print.b = values;
  print.d = result;
  print.flags = 0x332;
  return takeResult(results, result, Ty::B32);
}

/// __assertfail(message, file, line, function, bytes of a letter): what assert() of C calls.
bool CallDecoder::assertCall(const Operands& arguments) {
  if (arguments.size() != 5) return d_.wrong("__assertfail has five arguments");
  std::uint32_t rows[4] = {};
  for (unsigned k = 0; k < 4; ++k) {
    rows[k] = argumentRow(arguments[k], k == 2 ? Ty::B32 : Ty::B64);
    if (d_.failed_) return false;
  }
  Record& record = d_.emit(assertRecord);
  record.a = rows[0];
  record.b = rows[1];
  record.c = rows[2];
  record.d = rows[3];
  return true;
}

/// malloc(bytes), free(pointer).
bool CallDecoder::heapCall(bool takes, const Operands& arguments, const Operands& results) {
  const std::string_view name = takes ? "malloc" : "free";
  if (arguments.size() != 1) return d_.wrong(fmt::format("{} has one argument", name));
  if (!takes && !results.empty()) return d_.wrong("free has no result");
  d_.program_->usesHeap = true;
  const std::uint32_t argument = argumentRow(arguments[0], Ty::B64);
  if (d_.failed_) return false;
  if (!takes) {
    d_.emit(freeRecord).a = argument;
    return true;
  }
  const std::uint32_t result = d_.newRow(8);
  Record& record = d_.emit(mallocRecord, checkedMap);
  record.a = argument;
  record.d = result;
  record.flags = 0x33;
  return takeResult(results, result, Ty::B64);
}

/// A call of what no module defines, but the driver; none if it is no such call.
std::optional<bool> CallDecoder::driverCall(std::string_view name, const Operands& arguments,
                                            const Operands& results) {
  const auto found = d_.linked_.functions.find(name);
  if (found != d_.linked_.functions.end() && d_.module_.functions[found->second].hasBody) return {};
  if (name == "vprintf" || name == "printf") return printCall(arguments, results);
  if (name == "__assertfail") return assertCall(arguments);
  if (name == "malloc" || name == "free") return heapCall(name == "malloc", arguments, results);
  return {};
}

/// What the call says of the function behind a pointer: a prototype, or a list of functions.
const Prototype* CallDecoder::prototypeOf(const Operand& operand, Prototype& made) {
  const std::uint32_t at = d_.labelAt(operand.name, d_.scopeOf_[d_.statementIndex_]);
  if (at == Decoder::kUnplaced) return nullptr;
  const Statement& statement = d_.function_->body[at];
  if (statement.kind == Statement::Kind::Prototype) {
    return &d_.function_->prototypes[statement.declaration];
  }
  if (statement.kind != Statement::Kind::Callees || statement.operands.empty()) return nullptr;
  const auto found = d_.linked_.functions.find(statement.operands[0].name);
  if (found == d_.linked_.functions.end()) return nullptr;
  const Function& callee = d_.module_.functions[found->second];
  made = {callee.results, callee.parameters};
  return &made;
}

/// One argument or result of the call: whether it fits what the function declares.
bool CallDecoder::fitsFormal(const Operand& operand, const Declaration& formal, bool isResult) {
  const std::string_view what = isResult ? "result" : "argument";
  if (formal.unsized) return d_.unknown("a parameter without a size");
  if (isResult && operand.kind == Operand::Kind::Sink) return true;
  if (!isParamVariable(operand)) {
    const bool isValue = operand.kind == Operand::Kind::Value || d_.registerOf(operand) != nullptr;
    if (isValue && (formal.space == Space::Reg || isScalar(formal))) return true;
    return d_.wrong(fmt::format("the {} {} is a .param variable{}", what, formal.name,
                                isScalar(formal) ? ", a register or a constant" : ""));
  }
  const std::uint64_t has = d_.names_->find(operand.name).declaration->bytes();
  return has == formal.bytes() ||
         d_.wrong(fmt::format("{} has {} bytes, and the function's {} has {}", operand.name, has,
                              what, formal.bytes()));
}

/// Adds an argument to the site: where it is in the frame, or the row of a .reg parameter.
bool CallDecoder::passArgument(const Operand& operand, const Declaration& formal, CallSite& site) {
  if (!fitsFormal(operand, formal, false)) return false;
  std::uint32_t offset = 0;
  std::uint32_t row = 0;
  auto bytes = static_cast<std::uint32_t>(formal.bytes());
  if (formal.space == Space::Reg) {
    row = argumentRow(operand, formal.type);
    bytes = std::max(bytesOf(formal.type), 4U);
  } else if (isParamVariable(operand)) {
    offset = static_cast<std::uint32_t>(d_.names_->find(operand.name).offset);
  } else {
    const std::uint32_t value = d_.source(operand, formal.type);
    if (d_.failed_) return false;
    offset = frameSlot(bytes);
    storeFrame(frameAddress(offset), value, bytes);
  }
  site.argumentOffsets.push_back(offset);
  site.argumentBytes.push_back(bytes);
  site.argumentRows.push_back(row);
  return !d_.failed_;
}

/// The same of a result; what is to be done behind the call is added to `later`.
bool CallDecoder::passResult(const Operand& operand, const Declaration& formal, CallSite& site,
                             std::vector<LateResult>& later) {
  if (!fitsFormal(operand, formal, true)) return false;
  std::uint32_t offset = 0;
  std::uint32_t row = 0;
  auto bytes = static_cast<std::uint32_t>(formal.bytes());
  const bool inRegister = formal.space == Space::Reg;
  if (inRegister) bytes = std::max(bytesOf(formal.type), 4U);
  if (operand.kind == Operand::Kind::Sink) {
    if (!inRegister) bytes = 0;
  } else if (isParamVariable(operand)) {
    offset = static_cast<std::uint32_t>(d_.names_->find(operand.name).offset);
    if (inRegister) {
      row = d_.newRow(bytes <= 4 ? 4 : 8);
      later.push_back({offset, row, bytesOf(formal.type), true});
    }
  } else {
    row = d_.destination(operand, formal.type);
    if (!inRegister) {
      offset = frameSlot(bytes);
      later.push_back({offset, row, bytes, false});
      row = 0;
    }
  }
  site.resultOffsets.push_back(offset);
  site.resultBytes.push_back(bytes);
  site.resultRows.push_back(row);
  return !d_.failed_;
}

bool CallDecoder::passAll(const CallTarget& to, const Operands& arguments, const Operands& results,
                          CallSite& site, std::vector<LateResult>& later) {
  const Prototype& prototype = *to.prototype;
  const auto counted = [&](std::size_t have, std::size_t want, std::string_view what) {
    return have == want || d_.wrong(fmt::format("{} has {} {}{}, and the call has {}", to.name,
                                                want, what, want == 1 ? "" : "s", have));
  };
  if (!counted(arguments.size(), prototype.parameters.size(), "parameter")) return false;
  if (!counted(results.size(), prototype.results.size(), "result")) return false;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (!passArgument(arguments[k], prototype.parameters[k], site)) return false;
  }
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (!passResult(results[k], prototype.results[k], site, later)) return false;
  }
  return true;
}

/// The function that is called, by its name or through a pointer.
bool CallDecoder::callTarget(const Operand& target, const Operand* prototype, CallSite& site,
                             CallTarget& to, Prototype& made) {
  to.name = target.name;
  if (d_.registerOf(target) != nullptr) {
    site.pointer = d_.source(target, Ty::U64);
    if (d_.failed_) return false;
    if (prototype != nullptr) to.prototype = prototypeOf(*prototype, made);
    return to.prototype != nullptr ||
           d_.wrong(fmt::format("a call through {} needs the label of a .callprototype or of "
                                ".calltargets behind its arguments",
                                target.name));
  }
  const auto found = d_.linked_.functions.find(target.name);
  if (found == d_.linked_.functions.end()) {
    return d_.wrong(fmt::format("{} is not declared", target.name));
  }
  const Function& callee = d_.module_.functions[found->second];
  if (!callee.hasBody) return d_.wrong(fmt::format("{} has no body in this module", target.name));
  if (callee.isEntry) return d_.unknown("a call of a kernel");
  site.target = static_cast<std::int32_t>(found->second);
  made = {callee.results, callee.parameters};
  to.prototype = &made;
  return true;
}

/// call (results), name or pointer, (arguments), prototype; each list may be missing.
bool CallDecoder::call() {
  const Statement& s = *d_.statement_;
  Words words(s);
  words.take("uni");
  if (!words.empty()) return d_.unknown({});
  std::size_t i = 0;
  const Operands none;
  const auto list = [&]() -> const Operands& {
    if (i < s.operands.size() && s.operands[i].kind == Operand::Kind::List)
      return s.operands[i++].parts;
    return none;
  };
  const Operands& results = list();
  if (i >= s.operands.size() || s.operands[i].kind != Operand::Kind::Name)
    return d_.wrong("call what?");
  const Operand& target = s.operands[i++];
  const Operands& arguments = list();
  if (const auto driver = driverCall(target.name, arguments, results)) return *driver;
  const Operand* prototype = i < s.operands.size() ? &s.operands[i] : nullptr;

  CallSite site;
  CallTarget to;
  Prototype made;
  if (!callTarget(target, prototype, site, to, made)) return false;
  return d_.aroundGuard([&] {
    std::vector<LateResult> later;
    if (!passAll(to, arguments, results, site, later)) return false;
    d_.program_->usesStack = true;
    d_.program_->calls.push_back(std::move(site));
    d_.emitPlain(callRecord).imm = static_cast<std::int64_t>(d_.program_->calls.size() - 1);
    d_.emitPlain(joinRecord);
    for (const LateResult& one : later) {
      const std::uint32_t address = frameAddress(one.offset);
      if (one.stores) {
        storeFrame(address, one.row, one.bytes);
      } else {
        loadFrame(address, one.row, one.bytes);
      }
    }
    return true;
  });
}

}  // namespace cutwork::sim
