// Wrap.cpp -- what stands before an operation's handler: its guard, and the check of definedness.
#include <algorithm>
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
    if (!requireDefined(w, r, r.guard & ~1U, 1, "the predicate of this instruction"))
      return nullptr;
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

/// The executing lanes' definedness of a row.
void putMasks(Warp& w, std::uint32_t offset, const std::uint32_t* masks, std::uint32_t count) {
  std::uint32_t* out = undefinedAt(w, offset);
  for (std::uint32_t i = 0; i < count; ++i) out[i] = (out[i] & ~w.mask) | (masks[i] & w.mask);
}

/// Elements of `bytes` bytes, each from the same element of every source.
const Record* checkedElements(Warp& w, const Record& r, std::uint32_t bytes) {
  const std::uint32_t count = shadowMasks(r.flags & 15);
  std::uint32_t masks[16] = {};
  const auto first = [&](std::size_t i) { return i - i % bytes; };  // of the element's masks
  const auto add = [&](std::uint32_t offset, std::uint32_t code) {
    if (code == 0) return;
    const std::uint32_t* from = undefinedAt(w, offset);
    for (std::uint32_t i = 0; i < count; ++i) masks[first(i)] |= from[i];
  };
  add(r.a, r.flags >> 4 & 15);
  add(r.b, r.flags >> 8 & 15);
  add(r.c, r.flags >> 12 & 15);
  for (std::uint32_t i = 0; i < count; ++i) masks[i] = masks[first(i)];
  const Record* next = r.inner(w, r);
  putMasks(w, r.d, masks, count);
  return next;
}

}  // namespace

const Record* checkedHalves(Warp& w, const Record& r) { return checkedElements(w, r, 2); }
const Record* checkedWords(Warp& w, const Record& r) { return checkedElements(w, r, 4); }

const Record* checkedPair(Warp& w, const Record& r) {
  const std::uint32_t upper = gather(w, r.a, r.flags >> 4 & 15);
  const std::uint32_t lower = gather(w, r.b, r.flags >> 8 & 15);
  const std::uint32_t count = shadowMasks(r.flags & 15);
  std::uint32_t masks[16] = {};
  for (std::uint32_t i = 0; i < count; ++i) masks[i] = i < count / 2 ? lower : upper;
  const Record* next = r.inner(w, r);
  putMasks(w, r.d, masks, count);
  return next;
}

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
  putMasks(w, r.d, masks, to);
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
  putMasks(w, r.d, masks, count);
  return next;
}

const Record* checkedAnd(Warp& w, const Record& r) {
  const std::uint32_t count = shadowMasks(r.flags & 15);
  const std::uint8_t* constant = w.file + r.b;
  std::uint32_t masks[16] = {};
  const std::uint32_t* a = undefinedAt(w, r.a);
  const std::uint8_t decides = r.imm != 0 ? 0xff : 0;  // x | 0xff is 0xff whatever x is
  for (std::uint32_t i = 0; i < count; ++i) masks[i] = constant[i] == decides ? 0 : a[i];
  const Record* next = r.inner(w, r);
  putMasks(w, r.d, masks, count);
  return next;
}

const Record* checkedBytes(Warp& w, const Record& r) {
  const std::uint32_t count = shadowMasks(r.flags & 15);
  std::uint32_t masks[16] = {};
  const auto add = [&](std::uint32_t offset, std::uint32_t code) {
    if (code == 0) return;
    const std::uint32_t* from = undefinedAt(w, offset);
    for (std::uint32_t i = 0; i < count; ++i) masks[i] |= from[i];
  };
  add(r.a, r.flags >> 4 & 15);
  add(r.b, r.flags >> 8 & 15);
  add(r.c, r.flags >> 12 & 15);
  const Record* next = r.inner(w, r);
  putMasks(w, r.d, masks, count);
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
  putMasks(w, r.d, masks, 4);
  return next;
}

const Record* checkedField(Warp& w, const Record& r) {
  const auto field = BitField::unpack(r.imm);
  const auto width = static_cast<std::int32_t>(field.width);
  const std::int32_t sourceBytes = field.two ? 2 * width : width;
  const std::uint32_t* low = undefinedAt(w, r.a);
  const std::uint32_t* high = field.two ? undefinedAt(w, r.b) : nullptr;
  const auto source = [&](std::int32_t byte) -> std::uint32_t {
    if (byte >= sourceBytes && field.sign) byte = sourceBytes - 1;
    if (byte < 0 || byte >= sourceBytes) return 0;
    return byte < width ? low[byte] : high[byte - width];
  };
  const auto to = static_cast<std::int32_t>(field.to);
  const std::int32_t end = std::min(to + static_cast<std::int32_t>(field.length), 8 * width);
  std::uint32_t masks[16] = {};
  for (std::int32_t i = 0; i < width; ++i) {
    const std::int32_t start = std::max(8 * i, to);
    const std::int32_t stop = std::min(8 * i + 8, end);
    std::uint32_t mask = 0;
    if (start < stop) {
      mask = source((start - to + field.from) >> 3) | source((stop - 1 - to + field.from) >> 3);
    }
    const bool whole = stop - start == 8;
    if (!whole && field.inserts) mask |= undefinedAt(w, r.b)[i];
    if (!whole && !field.inserts && field.sign && end > to && stop < 8 * i + 8) {
      mask |= source((end - 1 - to + field.from) >> 3);
    }
    masks[i] = mask;
  }
  const Record* next = r.inner(w, r);
  putMasks(w, r.d, masks, shadowMasks(r.flags & 15));
  return next;
}

}  // namespace cutwork::sim
