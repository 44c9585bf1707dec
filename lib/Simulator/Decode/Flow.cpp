// Flow.cpp -- immediate post-dominators (Cooper, Harvey and Kennedy's algorithm on the reversed
// graph).
#include "Flow.h"

#include <algorithm>

namespace cutwork::sim {

std::vector<std::uint32_t> meetingPoints(const std::vector<Block>& blocks) {
  const auto count = static_cast<std::uint32_t>(blocks.size());
  std::vector<std::uint32_t> meet(count, kNowhere);
  std::uint32_t root = kNowhere;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (blocks[i].ends) root = i;
  }
  if (root == kNowhere) return meet;
  std::vector<std::vector<std::uint32_t>> before(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    for (const std::uint32_t to : blocks[i].next) before[to].push_back(i);
  }
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
