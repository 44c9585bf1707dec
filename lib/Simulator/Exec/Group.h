// Group.h -- lanes at one place of the program, where they meet again, and what calls keep.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "Record.h"

namespace cutwork::sim {

inline constexpr std::uint32_t kNoJoin = 0xffffffffU;

enum class GroupState : std::uint8_t {
  Ready,
  Sync,         ///< at a *.sync instruction, for lanes of its mask
  WarpBarrier,  ///< at bar.warp.sync
  Barrier,      ///< at barrier `barrier` of the CTA
  Cluster,      ///< at barrier.cluster.wait
  Mbarrier,     ///< at mbarrier.try_wait
};

struct Group {
  const Record* pc = nullptr;
  std::uint32_t mask = 0;
  std::uint32_t join = kNoJoin;
  std::uint32_t depth = 0;  ///< of calls
  GroupState state = GroupState::Ready;
  bool timedOut = false;  ///< mbarrier.try_wait has waited long enough
  std::uint32_t barrier = 0;
  std::uint32_t waited = 0;  ///< turns at mbarrier.try_wait
};

/// Where the parts of a split group meet.
struct Join {
  const Record* at = nullptr;
  std::uint32_t depth = 0;
  std::uint32_t expected = 0;  ///< live lanes that are to come, or have come
  std::uint32_t arrived = 0;
  std::uint32_t parent = kNoJoin;
  bool used = false;
};

/// What a call keeps for its return, lane by lane.
struct Frame {
  std::array<const Record*, 32> back{};
  std::array<std::uint32_t, 32> base{};  ///< the caller's frame in local memory
  std::array<std::uint32_t, 32> top{};
  std::array<std::shared_ptr<std::vector<std::uint8_t>>, 32> rows;  ///< of a recursive function
  std::array<std::uint32_t, 32> call{};                             ///< index of the CallSite
};

}  // namespace cutwork::sim
