// Clock.cpp -- clocks of happens-before: look-up and joins.
#include "Clock.h"

#include <algorithm>

namespace cutwork::sim {
namespace {

template <class Entries, class Key>
auto place(Entries& entries, std::uint32_t number, Key key) {
  return std::lower_bound(entries.begin(), entries.end(), number,
                          [key](const auto& entry, std::uint32_t n) { return entry.*key < n; });
}

}  // namespace

std::uint32_t Clock::blockBelow(std::uint32_t block) const {
  const auto at = place(blocks_, block, &BlockEntry::block);
  return at != blocks_.end() && at->block == block ? at->below : 0;
}

const Clock::WarpEntry* Clock::find(std::uint32_t warp) const {
  const auto at = place(warps_, warp, &WarpEntry::warp);
  return at != warps_.end() && at->warp == warp ? &*at : nullptr;
}

std::uint32_t Clock::of(std::uint32_t block, std::uint32_t warp, unsigned lane) const {
  const WarpEntry* entry = find(warp);
  return std::max(blockBelow(block), entry == nullptr ? 0 : entry->below[lane]);
}

std::uint32_t Clock::most(std::uint32_t block, std::uint32_t warp) const {
  std::uint32_t result = blockBelow(block);
  if (const WarpEntry* entry = find(warp)) {
    result = std::max(result, *std::max_element(entry->below.begin(), entry->below.end()));
  }
  return result;
}

void Clock::addBlock(std::uint32_t block, std::uint32_t below) {
  auto at = place(blocks_, block, &BlockEntry::block);
  if (at == blocks_.end() || at->block != block) at = blocks_.insert(at, {block, 0});
  at->below = std::max(at->below, below);
}

Clock::WarpEntry& Clock::warpEntry(std::uint32_t warp) {
  auto at = place(warps_, warp, &WarpEntry::warp);
  if (at == warps_.end() || at->warp != warp) at = warps_.insert(at, WarpEntry{warp, {}});
  return *at;
}

void Clock::addLanes(std::uint32_t warp, std::uint32_t lanes, std::uint32_t below) {
  WarpEntry& entry = warpEntry(warp);
  for (unsigned i = 0; i < 32; ++i) {
    if ((lanes >> i & 1) != 0) entry.below[i] = std::max(entry.below[i], below);
  }
}

void Clock::add(const Clock& other) {
  for (const BlockEntry& block : other.blocks_) addBlock(block.block, block.below);
  for (const WarpEntry& warp : other.warps_) {
    WarpEntry& entry = warpEntry(warp.warp);
    for (unsigned i = 0; i < 32; ++i) entry.below[i] = std::max(entry.below[i], warp.below[i]);
  }
}

bool Clock::covers(const Clock& other) const {
  for (const BlockEntry& block : other.blocks_) {
    if (blockBelow(block.block) < block.below) return false;
  }
  return std::all_of(other.warps_.begin(), other.warps_.end(), [&](const WarpEntry& warp) {
    const WarpEntry* own = find(warp.warp);
    if (own == nullptr) return false;
    for (unsigned i = 0; i < 32; ++i) {
      if (own->below[i] < warp.below[i]) return false;
    }
    return true;
  });
}

ClockRef joined(const ClockRef& a, const ClockRef& b) {
  if (b == nullptr || a == b) return a;
  if (a == nullptr || b->covers(*a)) return b;
  if (a->covers(*b)) return a;
  auto both = std::make_shared<Clock>(*a);
  both->add(*b);
  return both;
}

}  // namespace cutwork::sim
