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
/// and with a constant in b: a byte that is masked out is defined.
const Record* checkedAnd(Warp& w, const Record& r);
/// Follows definedness of carries too.
const Record* checkedCarry(Warp& w, const Record& r);
/// prmt with a constant selector: byte by byte.
const Record* checkedPermute(Warp& w, const Record& r);
/// A shift by a constant multiple of 8 in b; imm is its bytes, positive to the left.
const Record* checkedShift(Warp& w, const Record& r);

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
const Record* warpBarrier(Warp& w, const Record& r);

// Barriers (Exec/BarrierExec.cpp).
Handler barrierHandler(std::string_view kind, bool checked);  ///< sync, arrive, popc, and, or
const Record* clusterArrive(Warp& w, const Record& r);
const Record* clusterWait(Warp& w, const Record& r);

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
