// Atomic.cpp -- atom and red: lane by lane, in the order of lanes.
//
// The record holds address, operation (flags 0..7), type (8..15) and the number of elements
// (16..19); the records after it hold the elements' rows: d (0 for red), b, and c for cas.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "Access.h"
#include "Arithmetic/Float.h"
#include "Arithmetic/Half.h"
#include "Misc.h"
#include "RaceExec.h"

namespace cutwork::sim {
namespace {

enum class Do : std::uint8_t { And, Or, Xor, Exch, Cas, Add, Inc, Dec, Min, Max };

float asF32(std::uint64_t x) { return std::bit_cast<float>(static_cast<std::uint32_t>(x)); }

std::uint64_t addition(Ty type, std::uint64_t a, std::uint64_t b, bool global) {
  const auto x = static_cast<std::uint32_t>(a);
  const auto y = static_cast<std::uint32_t>(b);
  HalfSpec half;
  half.bf16 = type == Ty::BF16 || type == Ty::BF16x2;
  const Param spec{half.packed()};
  switch (type) {
    case Ty::F32:
      // The units at global memory flush subnormals; those at shared memory do not.
      return std::bit_cast<std::uint32_t>(global ? addF32<true>(asF32(a), asF32(b))
                                                 : addF32<false>(asF32(a), asF32(b)));
    case Ty::F64:
      return std::bit_cast<std::uint64_t>(std::bit_cast<double>(a) + std::bit_cast<double>(b));
    case Ty::F16:
    case Ty::BF16:
      return addHalf(static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b), spec);
    case Ty::F16x2:
    case Ty::BF16x2: return both<addHalf>(x, y, spec);
    default: return a + b;
  }
}

std::uint64_t extremum(Ty type, std::uint64_t a, std::uint64_t b, bool max) {
  HalfSpec half;
  half.bf16 = type == Ty::BF16 || type == Ty::BF16x2;
  const Param spec{half.packed()};
  const auto x = static_cast<std::uint32_t>(a);
  const auto y = static_cast<std::uint32_t>(b);
  bool less = false;
  switch (type) {
    case Ty::F16:
    case Ty::BF16: {
      const auto p = static_cast<std::uint16_t>(a);
      const auto q = static_cast<std::uint16_t>(b);
      return max ? maxHalf(p, q, spec) : minHalf(p, q, spec);
    }
    case Ty::F16x2:
    case Ty::BF16x2: return max ? both<maxHalf>(x, y, spec) : both<minHalf>(x, y, spec);
    case Ty::S32: less = static_cast<std::int32_t>(x) < static_cast<std::int32_t>(y); break;
    case Ty::S64: less = static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b); break;
    default: less = a < b; break;
  }
  return less == max ? b : a;
}

std::uint64_t apply(Do what, Ty type, std::uint64_t old, std::uint64_t b, std::uint64_t c,
                    bool global) {
  switch (what) {
    case Do::And: return old & b;
    case Do::Or: return old | b;
    case Do::Xor: return old ^ b;
    case Do::Exch: return b;
    case Do::Cas: return old == b ? c : old;
    case Do::Add: return addition(type, old, b, global);
    case Do::Inc: return old >= b ? 0 : old + 1;
    case Do::Dec: return old == 0 || old > b ? b : old - 1;
    case Do::Min: return extremum(type, old, b, false);
    case Do::Max: return extremum(type, old, b, true);
  }
  return old;
}

std::uint64_t operand(Warp& w, std::uint32_t row, unsigned lane, unsigned bytes) {
  if (row == 0) return 0;
  std::uint64_t value =
      bytes == 8 ? rowAt<std::uint64_t>(w, row)[lane] : rowAt<std::uint32_t>(w, row)[lane];
  if (bytes == 2) value &= 0xffff;
  return value;
}

/// b128: exch and cas of 16 bytes.
void huge(Warp& w, const Record& e, Do what, unsigned lane, std::byte* at) {
  std::byte old[16];
  std::memcpy(old, at, 16);
  const std::uint8_t* b = w.file + e.b + std::size_t{lane} * 16;
  if (what == Do::Exch) {
    std::memcpy(at, b, 16);
  } else if (std::memcmp(old, b, 16) == 0) {
    std::memcpy(at, w.file + e.c + std::size_t{lane} * 16, 16);
  }
  if (e.d != 0) std::memcpy(w.file + e.d + std::size_t{lane} * 16, old, 16);
}

/// Notes operands that were never written; false if the run ends. `skip`: lanes without an address.
bool checkOperands(Warp& w, const Record& r, unsigned count, unsigned bytes, bool wide,
                   std::uint32_t& skip) {
  skip = undefinedLanes(w, r.a, wide ? 8 : 4);
  if (skip != 0 && !noteUndefinedLanes(w, r, skip, "the address of this atomic operation")) {
    return false;
  }
  for (unsigned e = 0; e < count; ++e) {
    const Record& element = (&r)[1 + e];
    constexpr const char* kWhat = "an operand of this atomic operation";
    if (!requireDefined(w, r, element.b, bytes, kWhat)) return false;
    if (element.c != 0 && !requireDefined(w, r, element.c, bytes, kWhat)) return false;
  }
  return true;
}

/// What a lane that has no memory gets.
void putZeros(Warp& w, const Record& r, unsigned count, unsigned bytes, unsigned lane) {
  const std::size_t width = std::max(bytes, 4U);
  for (unsigned e = 0; e < count; ++e) {
    const Record& element = (&r)[1 + e];
    if (element.d != 0) std::memset(w.file + element.d + lane * width, 0, width);
  }
}

template <Space S, bool Wide, bool Checked>
const Record* atomic(Warp& w, const Record& r) {
  const Do what = static_cast<Do>(r.flags & 0xff);
  const Ty type = static_cast<Ty>(r.flags >> 8 & 0xff);
  const unsigned count = r.flags >> 16 & 15;
  const unsigned bytes = bytesOf(type);
  ++w.counters.atomics;
  w.budget -= kWaitingCost;
  std::uint32_t skip = 0;
  if (Checked && !checkOperands(w, r, count, bytes, Wide, skip)) return nullptr;
  for (unsigned i = 0; i < 32; ++i) {
    if ((w.mask >> i & 1) == 0) continue;
    if ((skip >> i & 1) != 0) {
      putZeros(w, r, count, bytes, i);
      continue;
    }
    const std::uint64_t base =
        Wide ? rowAt<std::uint64_t>(w, r.a)[i] : std::uint64_t{rowAt<std::uint32_t>(w, r.a)[i]};
    const Spot spot =
        locate(w, r, S, base + static_cast<std::uint64_t>(r.imm), bytes * count, i, Checked, true);
    if (spot.bytes == nullptr) {
      if (!goOn(w, r)) return nullptr;
      putZeros(w, r, count, bytes, i);
      continue;
    }
    if constexpr (Checked) {
      std::uint32_t masks[128] = {};
      noteUndefined(spot, bytes * count, i, masks);
      std::uint32_t undefined = 0;
      for (unsigned k = 0; k < bytes * count && what != Do::Exch; ++k) undefined |= masks[k];
      if (undefined != 0 &&
          !noteUndefinedLanes(w, r, undefined, "the memory that this atomic operation reads")) {
        return nullptr;
      }
      const std::uint32_t order = r.flags | (what == Do::Cas ? kComparesFlag : 0);
      if (!raceAtomic(w, r, i, spot, bytes * count, order)) return nullptr;
      markWritten(spot, bytes * count, i, nullptr);
    }
    for (unsigned e = 0; e < count; ++e) {
      const Record& element = (&r)[1 + e];
      std::byte* at = spot.bytes + std::size_t{e} * bytes;
      if (bytes == 16) {
        huge(w, element, what, i, at);
        continue;
      }
      std::uint64_t old = 0;
      std::memcpy(&old, at, bytes);
      const std::uint64_t result = apply(what, type, old, operand(w, element.b, i, bytes),
                                         operand(w, element.c, i, bytes), spot.global);
      std::memcpy(at, &result, bytes);
      if (element.d == 0) continue;
      if (bytes == 8) {
        rowAt<std::uint64_t>(w, element.d)[i] = old;
      } else {
        rowAt<std::uint32_t>(w, element.d)[i] = static_cast<std::uint32_t>(old);
      }
    }
  }
  if constexpr (Checked) {
    for (unsigned e = 0; e < count; ++e) {
      const Record& element = (&r)[1 + e];
      if (element.d == 0) continue;
      for (unsigned k = 0; k < std::max(bytes, 4U); ++k) undefinedAt(w, element.d)[k] &= ~w.mask;
    }
  }
  return &r + 1 + count;
}

template <Space S>
Handler bySpace(bool wide, bool checked) {
  if (checked) return wide ? atomic<S, true, true> : atomic<S, false, true>;
  return wide ? atomic<S, true, false> : atomic<S, false, false>;
}

}  // namespace

Handler atomicHandler(Space space, bool wide, bool checked) {
  switch (space) {
    case Space::Shared: return bySpace<Space::Shared>(wide, checked);
    case Space::Global: return bySpace<Space::Global>(wide, checked);
    default: return bySpace<Space::Generic>(wide, checked);
  }
}

int atomicCode(std::string_view op, Ty type) {
  struct Row {
    std::string_view name;
    Do what;
    std::string_view types;
  };
  static constexpr Row kRows[] = {
      {"and", Do::And, "b32 b64"},
      {"or", Do::Or, "b32 b64"},
      {"xor", Do::Xor, "b32 b64"},
      {"exch", Do::Exch, "b32 b64 b128"},
      {"cas", Do::Cas, "b16 b32 b64 b128"},
      {"add", Do::Add, "u32 s32 u64 f16 f16x2 bf16 bf16x2 f32 f64"},
      {"inc", Do::Inc, "u32"},
      {"dec", Do::Dec, "u32"},
      {"min", Do::Min, "u32 s32 u64 s64 f16 f16x2 bf16 bf16x2"},
      {"max", Do::Max, "u32 s32 u64 s64 f16 f16x2 bf16 bf16x2"},
  };
  for (const Row& row : kRows) {
    if (row.name != op) continue;
    std::string_view rest = row.types;
    while (!rest.empty()) {
      const std::string_view one = rest.substr(0, rest.find(' '));
      if (one == spelling(type)) return static_cast<int>(row.what);
      rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    }
  }
  return -1;
}

}  // namespace cutwork::sim
