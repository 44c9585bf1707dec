// Flow.cpp -- immediate post-dominators (Cooper, Harvey and Kennedy's algorithm on the reversed
// graph).
#include "Flow.h"

#include <algorithm>

namespace cutwork::sim {
namespace {

using Edges = std::vector<std::vector<std::uint32_t>>;

/// So many ends are weighed, the last ones, so that the time stays linear.
constexpr std::size_t kEnds = 16;

/// What edges lead to from a block, itself included.
template <class Next>
std::vector<bool> reached(std::uint32_t from, std::size_t count, const Next& next) {
  std::vector<bool> seen(count, false);
  std::vector<std::uint32_t> open{from};
  seen[from] = true;
  while (!open.empty()) {
    const std::uint32_t block = open.back();
    open.pop_back();
    for (const std::uint32_t to : next(block)) {
      if (seen[to]) continue;
      seen[to] = true;
      open.push_back(to);
    }
  }
  return seen;
}

/// The end that counts, of the blocks that are come to; kNowhere if there is none.
std::uint32_t mainEnd(const std::vector<Block>& blocks, const Edges& before,
                      const std::vector<bool>& entered) {
  std::vector<std::uint32_t> ends;
  for (std::size_t i = blocks.size(); i-- > 0 && ends.size() < kEnds;) {
    if (blocks[i].ends && entered[i]) ends.push_back(static_cast<std::uint32_t>(i));
  }
  if (ends.size() == 1) return ends[0];
  std::uint32_t best = kNowhere;
  std::ptrdiff_t most = 0;
  for (const std::uint32_t end : ends) {
    const std::vector<bool> from =
        reached(end, blocks.size(), [&](std::uint32_t b) -> const auto& { return before[b]; });
    const std::ptrdiff_t lead = std::count(from.begin(), from.end(), true);
    if (lead > most) best = end, most = lead;
  }
  return best;
}

}  // namespace

std::vector<std::uint32_t> meetingPoints(const std::vector<Block>& blocks) {
  const auto count = static_cast<std::uint32_t>(blocks.size());
  std::vector<std::uint32_t> meet(count, kNowhere);
  if (count == 0) return meet;
  const std::vector<bool> entered =
      reached(0, count, [&](std::uint32_t b) -> const auto& { return blocks[b].next; });
  Edges before(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!entered[i]) continue;
    for (const std::uint32_t to : blocks[i].next) before[to].push_back(i);
  }
  const std::uint32_t root = mainEnd(blocks, before, entered);
  if (root == kNowhere) return meet;
  // Post-order of the reversed graph from the root, without recursion.
  std::vector<std::uint32_t> number(count, kNowhere);
  std::vector<std::uint32_t> order;
  std::vector<std::pair<std::uint32_t, std::size_t>> stack{{root, 0}};
  std::vector<bool> seen(count, false);
  seen[root] = true;
  while (!stack.empty()) {
    auto& [block, child] = stack.back();
    if (child < before[block].size()) {
      const std::uint32_t next = before[block][child++];
      if (!seen[next]) {
        seen[next] = true;
        stack.emplace_back(next, 0);
      }
      continue;
    }
    number[block] = static_cast<std::uint32_t>(order.size());
    order.push_back(block);
    stack.pop_back();
  }
  std::reverse(order.begin(), order.end());
  meet[root] = root;
  const auto intersect = [&](std::uint32_t a, std::uint32_t b) {
    while (a != b) {
      while (number[a] < number[b]) a = meet[a];
      while (number[b] < number[a]) b = meet[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::uint32_t block : order) {
      if (block == root) continue;
      std::uint32_t found = kNowhere;
      for (const std::uint32_t to : blocks[block].next) {
        if (number[to] == kNowhere || meet[to] == kNowhere) continue;
        found = found == kNowhere ? to : intersect(found, to);
      }
      if (found != meet[block]) meet[block] = found, changed = true;
    }
  }
  meet[root] = kNowhere;
  return meet;
}

}  // namespace cutwork::sim
