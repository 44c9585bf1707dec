// Race.cpp -- the words of memory: who touched them, and whether an access comes after that.
#include "Race.h"

#include <sys/mman.h>

#include <algorithm>

namespace cutwork::sim {
namespace {

constexpr std::uint32_t kLastSegment = (1U << 30) - 2;

std::uint64_t* reserve(std::uint64_t* old, std::uint64_t from, std::uint64_t to) {
  void* range = old == nullptr ? mmap(nullptr, to * 8, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                               : mremap(old, from * 8, to * 8, MREMAP_MAYMOVE);
  return range == MAP_FAILED ? nullptr : static_cast<std::uint64_t*>(range);
}

std::uint64_t wordOf(const Toucher& t) {
  return std::uint64_t{t.warp->segment} << kSegmentShift | t.who |
         std::uint64_t{static_cast<unsigned>(t.strength)} << kStrengthShift |
         (t.compares ? kCompares : 0) | t.instruction;
}

/// Whether an access is a race with the word where it is none with `t`.
bool isWeaker(std::uint64_t word, const Toucher& t) {
  return strengthOf(word) < static_cast<std::uint32_t>(t.strength);
}

}  // namespace

RaceChecker::~RaceChecker() {
  for (std::uint64_t* words : {global_.write, global_.read, global_.other}) {
    if (words != nullptr) munmap(words, granules_ * 8);
  }
}

/// The planes of global memory reach so far; false if the host has no memory.
bool RaceChecker::growGlobal(std::uint64_t granules) {
  granules = (granules + 0xfffff) & ~std::uint64_t{0xfffff};
  if (nextSegment_ > kLastSegment / 2) {  // start again, with nothing known
    for (std::uint64_t* words : {global_.write, global_.read, global_.other}) {
      if (words != nullptr) madvise(words, granules_ * 8, MADV_DONTNEED);
    }
    nextSegment_ = 1;
  }
  if (granules <= granules_) return true;
  for (std::uint64_t** words : {&global_.write, &global_.read, &global_.other}) {
    std::uint64_t* grown = reserve(*words, granules_, granules);
    if (grown == nullptr) return false;
    *words = grown;
  }
  granules_ = granules;
  return true;
}

bool RaceChecker::startLaunch(std::uint64_t extent, std::uint32_t ctasOfCluster,
                              bool isOneOfSeveral) {
  const std::uint64_t pages = (extent >> kPageShift) + 1;
  if (!growGlobal(pages * (kPageBytes / 4) + 64)) return false;
  pages_.assign(isOneOfSeveral ? pages : 0, {});
  global_.pages = isOneOfSeveral ? pages_.data() : nullptr;
  launchFloor_ = nextSegment_;
  global_.floor = launchFloor_;
  ctasOfCluster_ = ctasOfCluster;
  warpOf_.clear();
  ctaOfWarp_.clear();
  ctas_ = 0;
  splits_.clear();
  locations_.clear();
  return true;
}

void RaceChecker::startCta(RaceCta& cta, std::uint32_t sharedBytes) {
  cta.number = ctas_++;
  cta.floor = nextSegment_;
  cta.sharedFloor = nextSegment_;
  const std::size_t granules = sharedBytes / 4 + 4;
  // Words of blocks that have ended are below the floor.
  if (cta.words.size() != 3 * granules) cta.words.assign(3 * granules, 0);
  cta.plane = {cta.words.data(), cta.words.data() + granules, cta.words.data() + 2 * granules,
               cta.floor};
}

void RaceChecker::startWarp(RaceWarp& warp, RaceCta& cta) {
  warp.number = static_cast<std::uint32_t>(ctaOfWarp_.size());
  ctaOfWarp_.push_back(cta.number);
  warp.cta = &cta;
  warp.selfFloor = 0;
  warp.known.fill(nullptr);
  warp.fences.reset();
  tick(warp);
}

std::uint32_t RaceChecker::newSegment(std::uint32_t warp) {
  if (nextSegment_ >= kLastSegment) return kLastSegment;
  warpOf_.push_back(warp);
  return nextSegment_++;
}

void RaceChecker::tick(RaceWarp& warp) { warp.segment = newSegment(warp.number); }

std::uint32_t RaceChecker::warpOf(std::uint64_t word) const {
  const std::uint32_t at = segmentOf(word) - launchFloor_;
  return at < warpOf_.size() ? warpOf_[at] : 0;
}

/// Whether accesses of these scopes see each other as strong.
bool RaceChecker::inScope(Strength a, std::uint32_t ctaA, Strength b, std::uint32_t ctaB) const {
  const Strength least = std::min(a, b);
  if (least == Strength::Weak) return false;
  if (least == Strength::Cta) return ctaA == ctaB;
  return least == Strength::Gpu || ctaA / ctasOfCluster_ == ctaB / ctasOfCluster_;
}

bool RaceChecker::isOrdered(std::uint64_t word, const Toucher& t) const {
  const std::uint32_t segment = segmentOf(word);
  if (segment < launchFloor_) return true;
  const RaceWarp& own = *t.warp;
  const std::uint32_t warp = warpOf(word);
  const std::uint32_t cta = ctaOf(warp);
  const std::uint32_t who = whoOf(word);
  const std::uint32_t ownWho = whoOf(t.who);
  if (warp == own.number) {
    if ((who == ownWho && who < 32) || who == kCollective || ownWho == kCollective) return true;
    if (segment < own.selfFloor) return true;
  }
  if (cta == own.cta->number && segment < own.cta->floor) return true;
  const Clock* last = nullptr;
  // A lane knows what it knows; of several together one is enough.
  for (unsigned i = ownWho < 32 ? ownWho : 0; i < 32; ++i) {
    const Clock* clock = own.known[i].get();
    if (clock != nullptr && clock != last) {
      const std::uint32_t below = who < 32 ? clock->of(cta, warp, who) : clock->most(cta, warp);
      if (segment < below) return true;
    }
    if (ownWho < 32) break;
    last = clock;
  }
  return false;
}

bool RaceChecker::isFine(std::uint64_t word, std::uint32_t floor, const Toucher& t) const {
  if (segmentOf(word) < floor || isOrdered(word, t)) return true;
  const auto strength = static_cast<Strength>(strengthOf(word));
  return inScope(strength, ctaOf(warpOf(word)), t.strength, t.warp->cta->number);
}

void RaceChecker::noteRead(const Cell& cell, std::uint32_t floor, const Toucher& t) {
  const std::uint64_t mine = wordOf(t);
  const bool same = segmentOf(cell.read) == t.warp->segment;
  const bool old = segmentOf(cell.read) < floor;
  const bool stays = !old && ((cell.read & kCovered) != 0 || isWeaker(cell.read, t));
  const bool own = same && whoOf(cell.read) == whoOf(mine);
  if (stays && own && strengthOf(cell.read) <= strengthOf(mine)) return;
  // An earlier read that comes before this one need not be kept, unless it races with more.
  const bool first = old || (!stays && (same || isOrdered(cell.read, t)));
  std::uint64_t& to = first ? cell.read : cell.other;
  to = segmentOf(to) == t.warp->segment ? withReader(to, mine) : mine;
}

void RaceChecker::noteWrite(const Cell& cell, std::uint32_t floor, const Toucher& t) {
  const std::uint64_t written = cell.write;
  const std::uint64_t read = cell.read;
  const std::uint64_t other = cell.other;
  cell.write = wordOf(t);
  cell.read = 0;
  cell.other = 0;
  // Who does not come after what is below a weak write does not come after that write either.
  if (t.strength == Strength::Weak || t.forced) return;
  const auto stays = [&](std::uint64_t word) {
    return segmentOf(word) >= floor && isWeaker(word, t);
  };
  const bool covered = (read & kCovered) != 0;
  if (covered && stays(read)) {
    cell.read = read;  // as weak as what was above it, or weaker
  } else if ((written & kCompares) == 0 && stays(written)) {
    cell.read = written | kCovered;
  }
  if (t.compares) return;  // what was read is taken for its first guess
  for (const std::uint64_t word : {covered ? 0 : read, other}) {
    if (stays(word)) (cell.read == 0 ? cell.read : cell.other) = word;
  }
}

bool RaceChecker::touchCell(const Cell& cell, std::uint32_t floor, bool write, const Toucher& t,
                            bool note, Conflict& conflict) {
  const bool guess = !write && (cell.write & kCompares) != 0;
  if (!guess && !t.forced && !isFine(cell.write, floor, t)) {
    conflict = {cell.write, true, 0, false};
    return false;
  }
  const bool covered = (cell.read & kCovered) != 0;
  if (covered && !t.forced && !isFine(cell.read, floor, t)) {
    conflict = {cell.read, true, 0, true};
    return false;
  }
  if (!write) {
    if (note) noteRead(cell, floor, t);
    return true;
  }
  for (const std::uint64_t word : {covered ? 0 : cell.read, cell.other}) {
    if (t.compares || t.forced || isFine(word, floor, t)) continue;
    const bool changed = segmentOf(cell.write) >= floor && strengthOf(cell.write) != 0;
    conflict = {word, false, 0, changed};
    return false;
  }
  if (note) noteWrite(cell, floor, t);
  return true;
}

/// The bytes of four that are split; splits them if they are not.
RaceChecker::Split& RaceChecker::split(const RacePlane& plane, std::uint64_t granule) {
  std::uint64_t& write = plane.write[granule];
  if ((write & kSplit) == kSplit) {
    const std::uint64_t index = write & ~kSplit;
    if (index < splits_.size() && splits_[index].owner == &write) return splits_[index];
    write = 0;  // of an earlier launch
  }
  Split& made = splits_.emplace_back();
  made.owner = &write;
  for (auto& byte : made.bytes) byte = {write, plane.read[granule], plane.other[granule]};
  write = kSplit | (splits_.size() - 1);
  plane.read[granule] = 0;
  plane.other[granule] = 0;
  return made;
}

bool RaceChecker::haveSameReads(const Split& split) {
  return std::all_of(split.bytes.begin() + 1, split.bytes.end(), [&](const auto& byte) {
    return byte[1] == split.bytes[0][1] && byte[2] == split.bytes[0][2];
  });
}

bool RaceChecker::access(const RacePlane& plane, std::uint64_t offset, unsigned bytes, bool write,
                         const Toucher& t, bool note, Conflict& conflict) {
  if (nextSegment_ >= kLastSegment) return true;
  const RaceCta& cta = *t.warp->cta;
  const std::uint32_t floor =
      plane.write == cta.plane.write ? std::max(plane.floor, cta.sharedFloor) : plane.floor;
  if (plane.pages != nullptr) {
    plane.mark(offset, write);
    plane.mark(offset + bytes - 1, write);
  }
  for (std::uint64_t at = offset; at < offset + bytes;) {
    const std::uint64_t granule = at / 4;
    const std::uint64_t end = std::min(offset + bytes, 4 * granule + 4);
    const bool whole = end - at == 4;
    if (whole && (plane.write[granule] & kSplit) != kSplit) {
      const Cell cell{plane.write[granule], plane.read[granule], plane.other[granule]};
      if (!touchCell(cell, floor, write, t, note, conflict)) {
        conflict.offset = at;
        return false;
      }
      at = end;
      continue;
    }
    Split& parts = split(plane, granule);
    for (; at < end; ++at) {
      auto& byte = parts.bytes[at % 4];
      if (!touchCell({byte[0], byte[1], byte[2]}, floor, write, t, note, conflict)) {
        conflict.offset = at;
        return false;
      }
    }
    if (whole && write && note && haveSameReads(parts)) {  // one again
      plane.write[granule] = parts.bytes[0][0];
      plane.read[granule] = parts.bytes[0][1];
      plane.other[granule] = parts.bytes[0][2];
    }
  }
  return true;
}

/// What this launch did to the bytes of a granule of global memory.
RaceChecker::Touched RaceChecker::touched(std::uint64_t granule) const {
  const auto isNew = [&](std::uint64_t word) { return segmentOf(word) >= launchFloor_; };
  const std::uint64_t write = global_.write[granule];
  if ((write & kSplit) != kSplit) {
    return {isNew(write) ? 15U : 0U, isNew(global_.read[granule]) ? 15U : 0U};
  }
  Touched result;
  const std::uint64_t index = write & ~kSplit;
  if (index >= splits_.size() || splits_[index].owner != &global_.write[granule]) return result;
  for (unsigned i = 0; i < 4; ++i) {
    const auto& byte = splits_[index].bytes[i];
    if (isNew(byte[0])) result.wrote |= 1U << i;
    if (isNew(byte[1]) || isNew(byte[2])) result.read |= 1U << i;
  }
  return result;
}

std::vector<std::uint64_t> RaceChecker::sharedPages(std::span<RaceChecker* const> checkers) {
  std::vector<std::uint64_t> shared;
  for (std::uint64_t page = 0; page < checkers[0]->pages_.size(); ++page) {
    unsigned users = 0;
    bool written = false;
    for (const RaceChecker* one : checkers) {
      const PageMark mark = one->pages_[page];
      const bool wrote = mark.wrote == one->launchFloor_;
      users += wrote || mark.read == one->launchFloor_ ? 1 : 0;
      written = written || wrote;
    }
    if (users > 1 && written) shared.push_back(page);
  }
  return shared;
}

bool RaceChecker::meet(std::span<RaceChecker* const> checkers,
                       std::span<const std::uint64_t> pages) {
  const auto meetAt = [&](std::uint64_t granule) {
    Touched before;
    for (const RaceChecker* one : checkers) {
      const Touched here = one->touched(granule);
      if ((here.wrote & (before.wrote | before.read)) != 0) return true;
      if ((here.read & before.wrote) != 0) return true;
      before.wrote |= here.wrote;
      before.read |= here.read;
    }
    return false;
  };
  for (const std::uint64_t page : pages) {
    const std::uint64_t end = (page + 1) * (kPageBytes / 4);
    for (std::uint64_t g = page * (kPageBytes / 4); g < end; ++g) {
      if (meetAt(g)) return true;
    }
  }
  return false;
}

std::uint64_t RaceChecker::lastWrite(const RacePlane& plane, std::uint64_t offset) {
  const std::uint64_t word = plane.write[offset / 4];
  return (word & kSplit) == kSplit ? split(plane, offset / 4).bytes[offset % 4][0] : word;
}

bool RaceChecker::touch(const RacePlane& plane, std::uint64_t offset, unsigned bytes, bool write,
                        const Toucher& who, Conflict& conflict) {
  if (!who.copies) return access(plane, offset, bytes, write, who, true, conflict);
  // Copies are a warp of their own.
  const std::uint32_t own = who.warp->segment;
  who.warp->segment = newSegment(who.warp->number | kCopies);
  const bool fine = access(plane, offset, bytes, write, who, true, conflict);
  who.warp->segment = own;
  return fine;
}

bool RaceChecker::look(const RacePlane& plane, std::uint64_t offset, unsigned bytes, bool write,
                       const Toucher& who, Conflict& conflict) {
  return access(plane, offset, bytes, write, who, false, conflict);
}

}  // namespace cutwork::sim
