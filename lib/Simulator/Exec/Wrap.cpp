// Wrap.cpp -- what stands before an operation's handler: its guard, and the check of definedness.
#include <cstring>

#include "Access.h"
#include "Misc.h"

namespace cutwork::sim {
namespace {

template <bool Checked>
const Record* guarded(Warp& w, const Record& r) {
  std::uint32_t lanes = predAt(w, r.guard & ~1U);
  if ((r.guard & 1) != 0) lanes = ~lanes;
  if constexpr (Checked) {
    if (const std::uint32_t bad = undefinedLanes(w, r.guard & ~1U, 1); bad != 0) {
      return refuseUndefined(w, r, bad, "the predicate of this instruction");
    }
  }
  const std::uint32_t all = w.mask;
  lanes &= all;
  if (lanes == 0) {
    // Element records of a vector access are passed over with it.
    return &r + 1 + ((r.source & kPartOfAnother) != 0 ? 0 : r.flags >> 28);
  }
  w.mask = lanes;
  const Record* next = r.op(w, r);
  w.mask = all;
  return next;
}

std::uint32_t gather(Warp& w, std::uint32_t offset, std::uint32_t code) {
  if (code == 0) return 0;
  const std::uint32_t* masks = undefinedAt(w, offset);
  std::uint32_t lanes = 0;
  for (unsigned i = 0; i < shadowMasks(code); ++i) lanes |= masks[i];
  return lanes;
}

std::uint32_t gatherSources(Warp& w, const Record& r) {
  return gather(w, r.a, r.flags >> 4 & 15) | gather(w, r.b, r.flags >> 8 & 15) |
         gather(w, r.c, r.flags >> 12 & 15) | gather(w, r.extra, r.flags >> 16 & 15);
}

void setAll(Warp& w, std::uint32_t offset, std::uint32_t code, std::uint32_t lanes) {
  std::uint32_t* masks = undefinedAt(w, offset);
  for (unsigned i = 0; i < shadowMasks(code); ++i) {
    masks[i] = (masks[i] & ~w.mask) | (lanes & w.mask);
  }
}

}  // namespace

Handler guardHandler(bool checked) { return checked ? guarded<true> : guarded<false>; }

const Record* checkedMap(Warp& w, const Record& r) {
  const std::uint32_t lanes = gatherSources(w, r);
  const Record* next = r.inner(w, r);
  setAll(w, r.d, r.flags & 15, lanes);
  return next;
}

const Record* checkedCarry(Warp& w, const Record& r) {
  const std::uint32_t lanes =
      gatherSources(w, r) | ((r.flags >> 20 & 1) != 0 ? w.carryUndefined : 0);
  const Record* next = r.inner(w, r);
  setAll(w, r.d, r.flags & 15, lanes);
  if ((r.flags >> 21 & 1) != 0) {
    w.carryUndefined = (w.carryUndefined & ~w.mask) | (lanes & w.mask);
  }
  return next;
}

const Record* checkedMove(Warp& w, const Record& r) {
  const std::uint32_t from = shadowMasks(r.flags >> 4 & 15);
  const std::uint32_t to = shadowMasks(r.flags & 15);
  std::uint32_t masks[16] = {};
  std::memcpy(masks, undefinedAt(w, r.a), from * sizeof(std::uint32_t));
  // What an extension adds is zeros (bit 8 of extra), or as defined as the top byte of the type.
  const std::uint32_t typed = r.extra & 0xff;
  const bool zeros = (r.extra & 0x100) != 0;
  for (std::uint32_t i = typed; i < 16 && typed != 0; ++i) masks[i] = zeros ? 0 : masks[typed - 1];
  const Record* next = r.inner(w, r);
  std::uint32_t* out = undefinedAt(w, r.d);
  for (std::uint32_t i = 0; i < to; ++i) out[i] = (out[i] & ~w.mask) | (masks[i] & w.mask);
  return next;
}

const Record* checkedSelect(Warp& w, const Record& r) {
  const std::uint32_t count = shadowMasks(r.flags & 15);
  const std::uint32_t chosen = predAt(w, r.c);
  const std::uint32_t unknown = undefinedAt(w, r.c)[0];
  std::uint32_t masks[16] = {};
  const std::uint32_t* a = undefinedAt(w, r.a);
  const std::uint32_t* b = undefinedAt(w, r.b);
  for (std::uint32_t i = 0; i < count; ++i) {
    masks[i] = (a[i] & chosen) | (b[i] & ~chosen) | unknown;
  }
  const Record* next = r.inner(w, r);
  std::uint32_t* out = undefinedAt(w, r.d);
  for (std::uint32_t i = 0; i < count; ++i) out[i] = (out[i] & ~w.mask) | (masks[i] & w.mask);
  return next;
}

const Record* checkedAnd(Warp& w, const Record& r) {
  const std::uint32_t count = shadowMasks(r.flags & 15);
  const std::uint8_t* constant = w.file + r.b;
  std::uint32_t masks[16] = {};
  const std::uint32_t* a = undefinedAt(w, r.a);
  for (std::uint32_t i = 0; i < count; ++i) masks[i] = constant[i] == 0 ? 0 : a[i];
  const Record* next = r.inner(w, r);
  std::uint32_t* out = undefinedAt(w, r.d);
  for (std::uint32_t i = 0; i < count; ++i) out[i] = (out[i] & ~w.mask) | (masks[i] & w.mask);
  return next;
}

const Record* checkedPermute(Warp& w, const Record& r) {
  const std::uint32_t selector = *rowAt<std::uint32_t>(w, r.c);
  std::uint32_t masks[4] = {};
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint32_t from = selector >> (4 * i) & 7;
    masks[i] = undefinedAt(w, from < 4 ? r.a : r.b)[from & 3];
  }
  const Record* next = r.inner(w, r);
  std::uint32_t* out = undefinedAt(w, r.d);
  for (unsigned i = 0; i < 4; ++i) out[i] = (out[i] & ~w.mask) | (masks[i] & w.mask);
  return next;
}

const Record* checkedShift(Warp& w, const Record& r) {
  const auto count = static_cast<int>(shadowMasks(r.flags & 15));
  std::uint32_t masks[16] = {};
  const std::uint32_t* a = undefinedAt(w, r.a);
  for (int i = 0; i < count; ++i) {
    const int from = i - static_cast<int>(r.imm);
    masks[i] = from < 0 || from >= count ? (from < 0 ? 0 : a[count - 1] & r.extra) : a[from];
  }
  const Record* next = r.inner(w, r);
  std::uint32_t* out = undefinedAt(w, r.d);
  for (int i = 0; i < count; ++i) out[i] = (out[i] & ~w.mask) | (masks[i] & w.mask);
  return next;
}

}  // namespace cutwork::sim
