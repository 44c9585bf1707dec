// Machine.h -- the state of a launch: clusters, CTAs, warps, and the groups of lanes that run
// together.
//
// Each lane has its own position in the program; lanes at one position form a group, and a group is
// what runs. A divergent branch splits a group and makes a Join at the branch's post-dominator,
// where its parts wait for each other. Joins are a convenience and never hold a lane for ever: when
// the others have run long enough without coming (a lane may wait for a lock that a parked one
// holds), the Scheduler lets the parked lanes go on.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "Async.h"
#include "Checker/FaultLog.h"
#include "Checker/Race.h"
#include "Group.h"
#include "Memory/Global.h"
#include "Memory/Undo.h"
#include "Record.h"
#include "Scheduler/Order.h"
#include "cutwork/Simulator/Simulator.h"

namespace cutwork::sim {

struct Program;
class Observer;
struct Launch;
struct Cta;
struct Warp;

inline constexpr std::uint32_t kAllLanes = 0xffffffffU;
/// What a volatile load or an atomic takes from a group's turn, beside the branch around it: a loop
/// that waits for others gives way to them soon.
inline constexpr std::int32_t kWaitingCost = 32;

struct Warp {
  std::uint8_t* file = nullptr;  ///< the rows: 32 lanes each
  std::uint8_t* undefined =
      nullptr;              ///< for each byte of a row, a mask of lanes; null if unchecked
  std::uint32_t mask = 0;   ///< lanes executing now
  std::uint32_t carry = 0;  ///< the condition-code register
  std::uint32_t carryUndefined = 0;
  std::int32_t budget = 0;     ///< branches until the group gives way
  std::uint32_t live = 0;      ///< lanes that have not exited
  std::uint32_t present = 0;   ///< lanes that ever were
  std::uint32_t current = 0;   ///< index of the running group
  bool liveChanged = false;    ///< lanes exited since waiting groups were looked at
  bool impatient = false;      ///< parked lanes had to be released before
  std::uint32_t patience = 0;  ///< turns that groups had while lanes were parked
  std::uint32_t index = 0;     ///< in the CTA
  Launch* launch = nullptr;
  Cta* cta = nullptr;
  std::vector<Group> groups;
  std::vector<Join> joins;
  std::vector<Frame> frames;                  ///< by depth
  std::array<std::uint32_t, 32> localBase{};  ///< of the current frame
  std::array<std::uint32_t, 32> localTop{};
  std::uint32_t localBytes = 0;     ///< capacity of one lane's local memory
  std::vector<std::uint8_t> local;  ///< 32 * localBytes
  std::vector<std::uint8_t> localUndefined;
  /// One more than the cluster's phase in which a lane arrived, until it has waited; or 0.
  std::array<std::uint32_t, 32> clusterPhase{};
  std::deque<AsyncOperation> async;            ///< in the order of the program
  std::array<std::uint32_t, 32> asyncGroup{};  ///< the commit group that is being filled
  std::vector<std::uint8_t> fileStorage;
  std::vector<std::uint8_t> undefinedStorage;
  RaceWarp race;
  Counters counters;
  /// The last shuffle by which a lane read another that did not take part.
  struct StrayRead {
    const Record* record = nullptr;
    std::uint32_t lane = 0;
    std::uint32_t from = 0;
  } strayRead;
};

/// A named barrier of a CTA.
struct Barrier {
  std::uint32_t expected = 0;  ///< threads; 0: all of the CTA
  bool inUse = false;
  bool counted = false;
  std::uint32_t popc = 0;
  bool all = true;
  bool any = false;
  std::uint32_t extraThreads = 0;      ///< of lanes that arrived twice
  std::vector<std::uint32_t> arrived;  ///< by warp
  std::vector<const Record*> at;       ///< by warp: where its first lanes arrived
  ClockRef clock;                      ///< of who has arrived and does not wait
  bool splits = false;                 ///< there are such
};

struct Cluster;

struct Cta {
  Launch* launch = nullptr;
  Cluster* cluster = nullptr;
  std::uint32_t rank = 0;  ///< in the cluster
  std::array<std::uint32_t, 3> id{};
  std::vector<std::uint8_t> shared;           ///< from address 0
  std::vector<std::uint8_t> sharedUndefined;  ///< 1: never written
  std::vector<Warp> warps;
  std::array<Barrier, 16> barriers;
  std::map<std::uint32_t, Mbarrier> mbarriers;  ///< by their offset in `shared`
  std::uint32_t inFlight = 0;                   ///< asynchronous operations of its warps
  std::uint32_t liveWarps = 0;
  RaceCta race;
};

struct Cluster {
  std::vector<Cta> ctas;
  std::array<std::uint32_t, 3> id{};
  std::uint32_t phase = 0;
  std::uint32_t arrived = 0;  ///< threads, in this phase
  std::uint32_t liveThreads = 0;
  std::uint32_t liveCtas = 0;
  ClockRef arrivals;  ///< of this phase
  ClockRef ended;     ///< of the phase before
};

struct Launch {
  const Program* program = nullptr;
  GlobalMemory* memory = nullptr;
  std::byte* data = nullptr;  ///< of global memory
  std::uint8_t* shadow = nullptr;
  std::uint64_t extent = 0;  ///< offsets into it that exist
  LaunchConfig config;
  const std::byte* parameters = nullptr;
  std::uint64_t parameterBytes = 0;
  std::uint64_t parameterAddress = 0;
  std::uint32_t sharedBytes = 0;  ///< with what lies before the first variable
  std::size_t residentCtas = 1;   ///< that the device holds at once
  std::uint64_t instructions = 0;
  std::uint64_t clock = 0;
  std::string output;  ///< of vprintf
  Fault fault;         ///< the one that ends the run; or is about to be noted
  FaultLog log;
  std::uint64_t firstFault = 0;  ///< instructions until the first that was noted
  BlockOrder order;
  ClusterSource cancelNext;
  RaceChecker* race = nullptr;   ///< null: not checked for races
  UndoLog* undo = nullptr;       ///< null: what is written need not be put back
  Observer* observer = nullptr;  ///< null: nobody looks
};

// --- what handlers use -------------------------------------------------------------------------

template <class T>
inline T* rowAt(Warp& w, std::uint32_t offset) {
  return reinterpret_cast<T*>(w.file + offset);
}
inline std::uint32_t& predAt(Warp& w, std::uint32_t offset) {
  return *reinterpret_cast<std::uint32_t*>(w.file + offset);
}
/// The masks of undefined lanes of a row, one for each byte.
inline std::uint32_t* undefinedAt(Warp& w, std::uint32_t offset) {
  return reinterpret_cast<std::uint32_t*>(w.undefined + offset / 8);
}

/// The thread with that number in its block.
std::array<std::uint32_t, 3> threadAt(const Launch& launch, std::uint32_t number);

/// Records the launch's fault (the first one stays) and returns null. That ends the run, unless
/// whoever knows how to go on says goOn.
const Record* raise(Warp& w, const Record& r, ExitCode code, unsigned lane, std::string message);
const Record* raiseAt(Warp& w, const Record& r, ExitCode code, unsigned lane, std::uint64_t address,
                      std::string message);
/// Whether the place has a report; then the launch's fault is one without words.
bool raisedBefore(Warp& w, const Record& r, ExitCode code, const Record* other = nullptr);
/// Notes the launch's fault, which was raised at `r`, and lets the run go on; false if it has to
/// end: after alignment, barriers and the like, or because the first fault was asked for.
bool goOn(Warp& w, const Record& r, const Record* other = nullptr);

// --- groups of lanes (Scheduler/Groups.cpp) ----------------------------------------------------

/// Continues the current group at `target`, or stops it for others to run if its turn is over.
const Record* jump(Warp& w, const Record* target);
/// Lanes `taken` of the current group go to `target`, the others to `next`; they meet at `meet`
/// (null: nowhere before the end).
const Record* split(Warp& w, std::uint32_t taken, const Record* target, const Record* next,
                    const Record* meet);
/// The current group is at the record of a Join.
const Record* arriveAtJoin(Warp& w, const Record& r);
/// Lanes of the current group exit.
const Record* exitLanes(Warp& w, std::uint32_t lanes, const Record* next);
/// Stops the current group in `state`, to continue at `pc`.
const Record* block(Warp& w, GroupState state, const Record* pc);
std::uint32_t newJoin(Warp& w, const Record* at, std::uint32_t expected);
/// Barriers and groups whose conditions may hold since lanes exited.
void recheckBarriers(Cta& cta);
/// The cluster's barrier completes if all live threads have arrived.
void completeCluster(Cluster& cluster);

}  // namespace cutwork::sim
