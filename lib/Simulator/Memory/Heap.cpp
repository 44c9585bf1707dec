// Heap.cpp -- next fit, with neighbouring holes made one.
#include "Heap.h"

#include <algorithm>
#include <iterator>

namespace cutwork::sim {
namespace {

std::uint64_t roomOf(std::uint64_t bytes) {
  return (std::max<std::uint64_t>(bytes, 1) + Heap::kAlign - 1) / Heap::kAlign * Heap::kAlign;
}

}  // namespace

std::uint64_t Heap::take(std::uint64_t bytes) {
  if (bytes > kLimit || roomOf(bytes) > kLimit - used_) return kRange;
  const std::uint64_t wanted = roomOf(bytes) + kGap;
  const auto fits = [&](const auto& hole) { return hole.second >= wanted; };
  auto found = std::find_if(holes_.lower_bound(next_), holes_.end(), fits);
  if (found == holes_.end()) found = std::find_if(holes_.begin(), holes_.end(), fits);
  if (found == holes_.end()) return kRange;
  const auto [offset, room] = *found;
  holes_.erase(found);
  if (room > wanted) holes_[offset + wanted] = room - wanted;
  next_ = offset + wanted;
  used_ += roomOf(bytes);
  return offset;
}

void Heap::give(std::uint64_t offset, std::uint64_t bytes) {
  used_ -= roomOf(bytes);
  auto [hole, fresh] = holes_.emplace(offset, roomOf(bytes) + kGap);
  const auto after = std::next(hole);
  if (after != holes_.end() && hole->first + hole->second == after->first) {
    hole->second += after->second;
    holes_.erase(after);
  }
  if (hole == holes_.begin()) return;
  const auto before = std::prev(hole);
  if (before->first + before->second != hole->first) return;
  before->second += hole->second;
  holes_.erase(hole);
}

}  // namespace cutwork::sim
