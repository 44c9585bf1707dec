// Decoder.h -- statements to records: the decoder's state; its parts are in Decode*.cpp.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>

#include "Exec/Misc.h"
#include "Linked.h"
#include "Names.h"
#include "Needs.h"
#include "Words.h"

namespace cutwork::sim {

/// Decoding stops with the first problem.
class Decoder {
 public:
  Decoder(const LinkedModule& linked, const Checks& checks, DecodeProblem& problem);
  std::unique_ptr<Program> kernel(std::uint32_t index);

 private:
  // Decode.cpp: functions and statements.
  void findReachable(std::uint32_t index);
  void findOrdered();
  void layoutShared();
  void setSpecialRows();
  bool decodeFunction(std::uint32_t index);
  bool declareFormals(std::uint32_t index);
  bool declareVariable(const Declaration& declaration);
  bool buildFlow(const Function& function);
  bool emitStatements(const Function& function);
  bool instruction(const Statement& statement);
  bool patchBranches();
  std::uint32_t labelAt(std::string_view name, std::uint32_t scope) const;
  void finishProgram();

  // Problems.
  bool wrong(std::string message);           ///< the PTX is wrong; returns false
  bool unknown(const std::string& message);  ///< an instruction not known here; returns false

  // DecodeOperands.cpp: rows of operands.
  std::uint32_t newRow(unsigned bytes);
  std::uint32_t newPredicate();
  std::uint32_t constantRow(std::uint64_t bits, unsigned bytes);
  std::uint32_t registerRow(RegisterName& name);
  /// Of `type`; looser: a wider register will do. 0 on a problem.
  std::uint32_t source(const Operand& operand, Ty type, bool looser = false);
  std::uint32_t destination(const Operand& operand, Ty type, bool looser = false);
  std::uint32_t predicateSource(const Operand& operand);
  RegisterName* registerOf(const Operand& operand);
  std::uint32_t specialRow(const Operand& operand, unsigned bytes);
  bool mayReadSpecial(const Operand& operand, Ty type);
  std::uint32_t symbolRow(const Operand& operand, unsigned bytes);
  bool clockRegister(const Operand& operand, std::int64_t& which) const;
  /// The bytes of the register that holds an operand: 4, 8 or 16; 4 for constants that fit.
  unsigned registerBytes(const Operand& operand, Ty type);
  struct Address {
    Space space = Space::Generic;
    std::uint32_t row = 0;
    bool wide = true;
    std::int64_t offset = 0;
    bool isParameter = false;  ///< of the kernel, at `offset`
  };
  bool address(const Operand& operand, Space space, Address& result);
  std::optional<Space> spaceOf(std::string_view name);
  /// The last record accesses memory.
  AccessNote& noteAccess(const Address& at, unsigned bytes);
  std::uint64_t constantBits(const Constant& constant, Ty type) const;

  // Emission.
  Record& emit(Handler body, Handler check = nullptr);
  Record& emitPlain(Handler body);  ///< without the guard
  bool emitMap(const Lifted& lifted, std::uint32_t d, std::span<const std::uint32_t> sources,
               std::int64_t imm = 0, Handler check = nullptr);
  /// Runs `body` under the statement's guard as a branch around it: for what may stop a group.
  template <class Body>
  bool aroundGuard(Body body);
  bool emitElement(std::uint32_t d, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                   std::uint32_t flags);
  // DecodeArithmetic.cpp
  bool arithmetic();
  bool moves();
  bool vectorMove(unsigned count, Ty type);
  bool packedMove(const std::vector<Operand>& parts, bool pack, Ty type);
  std::vector<Operand> partsOf(const Operand& operand);
  bool elementsOf(const Operand& operand, unsigned count, std::vector<Operand>& elements);
  bool comparison();
  bool conversion();  ///< DecodeConvert.cpp
  bool packingConversion(Words& words);
  // DecodeBlackwell.cpp: what sm_100 adds
  bool needs(int capability, unsigned version);  ///< whether the module may; a problem if not
  bool narrowConversion(Words& words, std::string_view format);
  bool mixedPrecision(Pick pick);
  bool extremeOfThree(Pick pick);
  bool randomConversion(Words& words);
  bool bulkStore();
  bool clusterControl();
  bool combine(std::uint32_t p, std::uint32_t to, std::string_view how, const Operand* with,
               bool negate);
  // DecodeMemory.cpp
  bool memory();
  bool loadStore(bool store);
  bool atomics(bool returns);
  bool addressing();
  // DecodeControl.cpp
  bool control();
  bool branches();
  bool call();  ///< DecodeCall.cpp
  friend class CallDecoder;
  // DecodeWarp.cpp
  bool warpWide();
  bool barriers();
  bool miscellaneous();
  std::uint32_t widened(std::uint32_t row);
  bool lowerHalf(std::uint32_t d, std::uint32_t wide);
  bool withoutEffect();  ///< DecodeHints.cpp; false without a problem if it is none of these
  bool policy();
  bool constantOperand(std::size_t at, std::uint64_t least, std::uint64_t most);
  // DecodeAsync.cpp
  bool asyncCopies();
  bool asyncCopyOf(Words& words);
  bool asyncArrival(Words& words);
  bool mbarriers();
  bool mbarrierOf(MbarrierOp op, Words& words);
  // DecodeVideo.cpp, DecodeMatrix.cpp: false without a problem if it is none of theirs
  bool video();
  bool matrices();

  const LinkedModule& linked_;
  const Module& module_;
  const Available available_;
  const bool checked_;
  const bool sync_;
  const Checking checking_;
  DecodeProblem& problem_;
  bool failed_ = false;
  std::unique_ptr<Program> program_;
  const HandlerSet& handlers_;

  std::set<std::uint32_t> reachable_;
  std::map<std::uint32_t, std::set<std::uint32_t>> callees_;
  std::set<std::uint32_t> addressTaken_;
  std::set<std::uint32_t> indirectCallers_;
  std::unordered_map<const Declaration*, std::uint32_t> shared_;
  std::map<std::pair<std::uint64_t, unsigned>, std::uint32_t> constants_;
  std::uint32_t fileBytes_ = 256;  ///< offset 0 means no row
  std::uint32_t predicatesLeft_ = 0;
  std::uint32_t nextPredicate_ = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> userRows_;  ///< offset, bytes (0: predicate)

  // Of the function being decoded.
  std::uint32_t functionIndex_ = 0;
  const Function* function_ = nullptr;
  std::uint32_t statementIndex_ = 0;
  const Statement* statement_ = nullptr;
  std::unique_ptr<Names> names_;
  std::uint32_t frameBytes_ = 0;
  std::uint32_t guard_ = 0;
  bool firstOfStatement_ = true;
  static constexpr std::uint32_t kUnplaced = 0xffffffffU;
  std::map<std::pair<std::uint32_t, std::string_view>, std::uint32_t> labels_;  ///< to statements
  std::vector<std::uint32_t> recordOf_;                                         ///< of statements
  std::vector<std::uint32_t> blockOf_;                                          ///< of statements
  std::vector<std::uint32_t> meetOf_;                                           ///< of blocks
  std::vector<std::uint32_t> firstOf_;  ///< first statement of blocks
  std::vector<bool> isMeeting_;         ///< blocks where a join is
  std::vector<std::uint32_t> scopeOf_;  ///< of statements
  struct Fixup {
    std::uint32_t record;
    std::uint32_t statement;  ///< target, or kUnplaced
    std::uint32_t meetStatement;
    std::int32_t table = -1;
    std::vector<std::uint32_t> targets;
  };
  std::vector<Fixup> fixups_;
};

template <class Body>
bool Decoder::aroundGuard(Body body) {
  if (guard_ == 0) return body();
  const std::uint32_t branchAt = static_cast<std::uint32_t>(program_->records.size());
  Record& skip = emitPlain(conditionalBranch(checked_));
  skip.guard = guard_ ^ 1U;
  const std::uint32_t guard = guard_;
  guard_ = 0;
  if (!body()) return false;
  guard_ = guard;
  const std::uint32_t joinAt = static_cast<std::uint32_t>(program_->records.size());
  emitPlain(joinRecord);
  program_->records[branchAt].imm = static_cast<std::int64_t>(joinAt) - branchAt;
  program_->records[branchAt].extra = joinAt - branchAt;
  return true;
}

}  // namespace cutwork::sim
