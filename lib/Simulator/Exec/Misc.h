// Misc.h -- handlers that are not elementwise: control, warp-wide, barriers, atomics and the rest.
//
// These are compiled once. `checked` handlers report values that nobody wrote where they decide.
#pragma once

#include <string_view>

#include "Machine.h"
#include "Op.h"

namespace cutwork::sim {

// Wrappers (Exec/Wrap.cpp). Each calls the record's next handler: a guard `op`, a check `inner`.
Handler guardHandler(bool checked);
/// Follows definedness through an elementwise operation: the result is defined if all sources are.
const Record* checkedMap(Warp& w, const Record& r);
/// The same byte by byte, for moves: d's byte i comes from a's byte i.
const Record* checkedMove(Warp& w, const Record& r);
/// selp: by the predicate in c.
const Record* checkedSelect(Warp& w, const Record& r);
/// and, or (imm 1) with a constant in b: a byte that the constant decides is defined.
const Record* checkedAnd(Warp& w, const Record& r);
/// Follows definedness of carries too.
const Record* checkedCarry(Warp& w, const Record& r);
/// Bitwise operations: byte i comes from byte i of every source.
const Record* checkedBytes(Warp& w, const Record& r);
/// Packed types: an element of 2 or 4 bytes comes from the same element of every source.
const Record* checkedHalves(Warp& w, const Record& r);
const Record* checkedWords(Warp& w, const Record& r);
/// Two values into one register: the upper half from a, the lower from b.
const Record* checkedPair(Warp& w, const Record& r);
/// prmt with a constant selector: byte by byte.
const Record* checkedPermute(Warp& w, const Record& r);
/// Shifts, bit fields and funnel shifts by constants: imm is a BitField.
const Record* checkedField(Warp& w, const Record& r);

/// Where the bits of a result come from: `length` bits from bit `to` on are a's (or b:a's, if
/// `two`) from bit `from` on; the others are b's if it `inserts`, or else zeros or copies of the
/// sign.
struct BitField {
  std::uint32_t width = 4;  ///< bytes of a
  std::int32_t from = 0;    ///< negative: bits below a, which are zeros
  std::uint32_t to = 0;
  std::uint32_t length = 64;
  bool inserts = false;
  bool sign = false;
  bool two = false;

  [[nodiscard]] constexpr std::int64_t pack() const {
    return std::int64_t{width} | (inserts ? 0x10 : 0) | (sign ? 0x20 : 0) | (two ? 0x40 : 0) |
           std::int64_t{to} << 8 | std::int64_t{length} << 20 | std::int64_t{from} << 32;
  }
  static constexpr BitField unpack(std::int64_t bits) {
    BitField field;
    field.width = static_cast<std::uint32_t>(bits & 15);
    field.from = static_cast<std::int32_t>(bits >> 32);
    field.to = static_cast<std::uint32_t>(bits >> 8 & 0xfff);
    field.length = static_cast<std::uint32_t>(bits >> 20 & 0xfff);
    field.inserts = (bits & 0x10) != 0;
    field.sign = (bits & 0x20) != 0;
    field.two = (bits & 0x40) != 0;
    return field;
  }
};

// Control (Exec/Control.cpp).
const Record* joinRecord(Warp& w, const Record& r);
const Record* branch(Warp& w, const Record& r);
Handler conditionalBranch(bool checked);
Handler tableBranch(bool checked);
const Record* exitRecord(Warp& w, const Record& r);
const Record* trapRecord(Warp& w, const Record& r);
const Record* breakRecord(Warp& w, const Record& r);
const Record* nothing(Warp& w, const Record& r);
/// Execution came to the end of a function without ret.
const Record* fellOff(Warp& w, const Record& r);

// Calls (Exec/Call.cpp).
const Record* callRecord(Warp& w, const Record& r);
const Record* returnRecord(Warp& w, const Record& r);
const Record* allocaRecord(Warp& w, const Record& r);
const Record* stackSave(Warp& w, const Record& r);
const Record* stackRestore(Warp& w, const Record& r);
/// d = the lane's frame + imm: the address of a local variable.
const Record* localAddress64(Warp& w, const Record& r);
const Record* localAddress32(Warp& w, const Record& r);
const Record* vprintfRecord(Warp& w, const Record& r);
const Record* assertRecord(Warp& w, const Record& r);
// The heap (Exec/Heap.cpp). a: the bytes, or the pointer; d: the pointer.
const Record* mallocRecord(Warp& w, const Record& r);
const Record* freeRecord(Warp& w, const Record& r);
/// Makes a lane's local memory reach `bytes`; false if that is more than a GPU has.
bool growLocal(Warp& w, std::uint32_t bytes);

// Warp-wide (Exec/WarpWide.cpp). A sync record waits until the lanes of its mask are there (the
// mask's row is in `extra`; 0: all live lanes), then runs `op`.
Handler syncHandler(bool checked);
Handler shuffleHandler(std::string_view mode);
Handler voteHandler(std::string_view mode);
Handler matchHandler(bool all, bool wide);
Handler reduxHandler(std::string_view op, Ty type);
const Record* electLane(Warp& w, const Record& r);
const Record* activeMask(Warp& w, const Record& r);
const Record* fenceRecord(Warp& w, const Record& r);  ///< fence, membar
const Record* warpBarrier(Warp& w, const Record& r);

// Matrices of shared memory (Exec/Matrix.cpp), behind a sync record: flags are the number of
// registers, which is that of eight rows, a MatrixShape, of packed numbers their bits, and these.
enum class MatrixShape : std::uint8_t { M8n8, M8n8Transposed, M8n16, M16n8, M16n16 };
inline constexpr unsigned kMatrixShapeShift = 4;
inline constexpr unsigned kMatrixBitsShift = 12;
inline constexpr std::uint32_t kMatrixWide = 1U << 9;  ///< the address register has 64 bits
inline constexpr std::uint32_t kMatrixGeneric = 1U << 10;
const Record* matrixLoad(Warp& w, const Record& r);
const Record* matrixStore(Warp& w, const Record& r);
const Record* matrixMove(Warp& w, const Record& r);

/// The video instructions (Exec/Video.cpp).
Lifted videoOperation();

// Barriers (Exec/BarrierExec.cpp).
Handler barrierHandler(std::string_view kind, bool checked);  ///< sync, arrive, popc, and, or
inline constexpr std::uint32_t kBarrierAligned = 8;           ///< flags: the warp comes together
inline constexpr std::uint32_t kClusterRelaxed = 1;           ///< flags: arrive.relaxed
const Record* clusterArrive(Warp& w, const Record& r);
const Record* clusterWait(Warp& w, const Record& r);

// Asynchronous copies (Exec/AsyncCopy.cpp). flags of a copy: these, and its bytes at kSizeShift; c
// is the row of src-size, or of the predicate ignore-src. The record after it has the source: a,
// imm.
inline constexpr std::uint32_t kCopyWideTo = 1;  ///< address registers of 64 bits
inline constexpr std::uint32_t kCopyWideFrom = 2;
inline constexpr std::uint32_t kCopyIgnores = 4;  ///< c is a predicate
const Record* asyncCopy(Warp& w, const Record& r);
const Record* asyncCommit(Warp& w, const Record& r);
/// Waits until at most imm groups are in flight; -1: for all that the thread has issued.
const Record* asyncWait(Warp& w, const Record& r);
/// cp.async.mbarrier.arrive; flags: kMbarrierWide, kMbarrierGeneric, kMbarrierNoIncrement.
const Record* asyncArrive(Warp& w, const Record& r);
/// Completes copies that arrive at an mbarrier, until its phase ends; whether there were any.
bool deliverArrivals(Cta& cta, std::uint32_t offset);

// Barriers in shared memory (Exec/Mbarrier.cpp). d: the state, the count or the predicate (0:
// none); a: the address; b: the count or bytes (0: 1); c: the state or parity; flags: a MbarrierOp
// and these.
enum class MbarrierOp : std::uint8_t {
  Init,
  Inval,
  ExpectTx,
  CompleteTx,
  Arrive,
  Drop,
  Test,
  Try,
  Count
};
inline constexpr std::uint32_t kMbarrierWide = 1U << 8;
inline constexpr std::uint32_t kMbarrierGeneric = 1U << 9;
inline constexpr std::uint32_t kMbarrierExpects = 1U << 10;     ///< .expect_tx
inline constexpr std::uint32_t kMbarrierNoComplete = 1U << 11;  ///< .noComplete
inline constexpr std::uint32_t kMbarrierParity = 1U << 12;
inline constexpr std::uint32_t kMbarrierRelaxed = 1U << 13;
inline constexpr std::uint32_t kMbarrierNoIncrement = 1U << 14;
const Record* mbarrierRecord(Warp& w, const Record& r);
/// cp.async.mbarrier.arrive is issued: finds the mbarrier, and adds to its pending count unless
/// .noinc; false after a fault.
bool trackForCopy(Warp& w, const Record& r, unsigned lane, std::uint32_t& offset);
/// The copies of `lane` are done and arrive at the mbarrier; false after a fault.
bool arriveForCopy(Warp& w, const Record& r, unsigned lane, std::uint32_t offset);
/// Groups that wait at mbarrier.try_wait look again.
void wakeMbarrierWaits(Cluster& cluster);
/// What a group that waits at mbarrier.try_wait waits for.
std::string describeMbarrier(Warp& w, const Group& group);

// Memory's rarer instructions (Exec/Atomic.cpp, Exec/Special.cpp).
Handler atomicHandler(Space space, bool wide, bool checked);
/// Pick of an atomic: which operation, on what type; -1 if there is none.
int atomicCode(std::string_view op, Ty type);
Handler parameterLoad(bool checked);
const Record* clockRecord(Warp& w, const Record& r);
const Record* packRecord(Warp& w, const Record& r);
const Record* unpackRecord(Warp& w, const Record& r);
const Record* moveHuge(Warp& w, const Record& r);
const Record* addressSpace(Warp& w, const Record& r);  ///< isspacep
const Record* addOffset64(Warp& w, const Record& r);
const Record* clusterAddress(Warp& w, const Record& r);  ///< mapa
const Record* clusterRank(Warp& w, const Record& r);     ///< getctarank

}  // namespace cutwork::sim
