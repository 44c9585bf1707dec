// Flow.h -- the control flow of a function's statements: where the parts of a divergent branch
// meet.
#pragma once

#include <cstdint>
#include <vector>

namespace cutwork::sim {

/// One straight run of statements.
struct Block {
  std::vector<std::uint32_t> next;  ///< blocks that may follow
  bool ends = false;                ///< ret, exit, trap: nothing follows
};

inline constexpr std::uint32_t kNowhere = 0xffffffffU;

/// For each block the nearest block that all lanes come to which do not end before; kNowhere if
/// there is none. The first block is entered. Of the blocks that end, those that are never come to
/// (LLVM writes labels behind the last return) and all but one are left out of account: a lane that
/// ends is waited for no longer. That one is the one that most blocks lead to (not that of an
/// assertion), the last of several.
std::vector<std::uint32_t> meetingPoints(const std::vector<Block>& blocks);

}  // namespace cutwork::sim
