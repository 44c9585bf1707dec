// Memory.cpp -- handlers of loads and stores. Compiled once per host instruction set.
//
// Three ways: all lanes at consecutive addresses (one copy), all at one address (a broadcast), and
// lane by lane. The first two are looked for when all 32 lanes execute and the space is one array.
#include <cstring>

#include "Access.h"
#include "Families.h"
#include "RaceSpan.h"

CW_SIM_BEGIN
namespace {

template <unsigned Bytes>
struct Element;
template <>
struct Element<1> {
  using Type = std::uint8_t;
};
template <>
struct Element<2> {
  using Type = std::uint16_t;
};
template <>
struct Element<4> {
  using Type = std::uint32_t;
};
template <>
struct Element<8> {
  using Type = std::uint64_t;
};

template <bool Wide>
using AddressOf = std::conditional_t<Wide, std::uint64_t, std::uint32_t>;

/// One array of host memory that holds the bytes of all executing lanes, and where each lane's are.
struct Span {
  std::byte* bytes = nullptr;      ///< null: the lanes are in several arrays, or something is wrong
  std::uint8_t* shadow = nullptr;  ///< of the same bytes
  bool global = false;
  bool shared = false;
  std::uint64_t offsets[32];  ///< idle lanes: the same as an executing one
};

/// Finds the array and checks bounds and alignment, for all lanes at once.
template <Space S, bool Wide>
void spanOf(Warp& w, const Record& r, unsigned bytes, bool checked, Span& span) {
  const auto* row = rowAt<AddressOf<Wide>>(w, r.a);
  const auto first = unsigned(__builtin_ctz(w.mask));
  const auto imm = std::uint64_t(r.imm);
  Space space = S;
  std::uint64_t window = 0;
  if constexpr (S == Space::Generic) {
    const std::uint64_t one = row[first] + imm;
    if (one - kLocalWindow < kWindowBytes) {
      space = Space::Local;
      window = kLocalWindow;
    } else if (one - kSharedWindow < kWindowBytes) {
      space = Space::Shared;
      window = kSharedWindow;
    } else {
      space = Space::Global;
    }
  }
  if (space == Space::Global) window = GlobalMemory::kBase;
  const std::uint64_t shift = imm - window;
  if (w.mask == kAllLanes) {
    for (unsigned i = 0; i < 32; ++i) span.offsets[i] = row[i] + shift;
  } else {
    const std::uint64_t spare = row[first] + shift;
    for (unsigned i = 0; i < 32; ++i) {
      span.offsets[i] = (w.mask >> i & 1) != 0 ? row[i] + shift : spare;
    }
  }
  if (space == Space::Local) {
    // Lane by lane in an array of its own.
    const std::uint64_t spare = span.offsets[first];
    std::uint64_t wrong = spare & (bytes - 1);
    for (unsigned i = 0; i < 32; ++i) {
      const bool active = (w.mask >> i & 1) != 0;
      const std::uint64_t top = w.localTop[active ? i : first];
      wrong |= span.offsets[i] & (bytes - 1);
      wrong |= span.offsets[i] >= top || bytes > top - span.offsets[i] ? 1 : 0;
      span.offsets[i] += std::uint64_t{active ? i : first} * w.localBytes;
    }
    if (wrong != 0) return;
    span.bytes = reinterpret_cast<std::byte*>(w.local.data());
    span.shadow = checked ? w.localUndefined.data() : nullptr;
    return;
  }
  std::uint64_t low = 0;
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t most = 0;
  for (const std::uint64_t one : span.offsets) {
    low |= one;
    least = one < least ? one : least;
    most = one > most ? one : most;
  }
  const bool shared = space == Space::Shared;
  if (checked && shared && w.cta->inFlight != 0) return;  // each lane's bytes are looked at
  const std::uint64_t end = shared ? w.launch->sharedBytes : w.launch->extent;
  if ((low & (bytes - 1)) != 0 || end < bytes || most > end - bytes) return;
  if (shared && least < kSharedStart) return;
  span.global = !shared;
  span.shared = shared;
  span.bytes = shared ? reinterpret_cast<std::byte*>(w.cta->shared.data()) : w.launch->data;
  if (checked) span.shadow = shared ? w.cta->sharedUndefined.data() : w.launch->shadow;
}

enum class Pattern : std::uint8_t { Scattered, Consecutive, Uniform };

inline Pattern patternOf(const std::uint64_t* offsets, unsigned stride) {
  std::uint64_t apart = 0;
  std::uint64_t differs = 0;
  const std::uint64_t first = offsets[0];
  for (unsigned i = 0; i < 32; ++i) {
    differs |= offsets[i] - first;
    apart |= (offsets[i] - first) ^ (std::uint64_t{i} * stride);
  }
  return apart == 0 ? Pattern::Consecutive : differs == 0 ? Pattern::Uniform : Pattern::Scattered;
}

/// The elements of all lanes.
template <class T>
void gather(const std::byte* from, const std::uint64_t* offsets, T* values) {
  switch (patternOf(offsets, sizeof(T))) {
    case Pattern::Consecutive: std::memcpy(values, from + offsets[0], 32 * sizeof(T)); break;
    case Pattern::Uniform: {
      T one;
      std::memcpy(&one, from + offsets[0], sizeof(T));
      for (unsigned i = 0; i < 32; ++i) values[i] = one;  // NOLINT(modernize-loop-convert)
      break;
    }
    case Pattern::Scattered:
      for (unsigned i = 0; i < 32; ++i) std::memcpy(&values[i], from + offsets[i], sizeof(T));
      break;
  }
}

/// The lanes of a span, for the race checker; false after a report.
template <bool Store>
bool raceOf(Warp& w, const Record& r, const Span& span, unsigned bytes) {
  if (!span.global && !span.shared) return true;
  const Pattern pattern = patternOf(span.offsets, bytes);
  const RaceChecker& race = *w.launch->race;
  return raceLanes<Store>(w, r, span.global ? race.global() : w.cta->race.plane,
                          span.global ? race.launchFloor() : w.cta->race.sharedFloor, span.bytes,
                          span.offsets, bytes, pattern == Pattern::Consecutive,
                          pattern == Pattern::Uniform);
}

/// Apart from the handlers: it is for launches on several threads.
[[gnu::noinline]] void keepLanes(UndoLog& undo, const std::uint64_t* offsets, unsigned bytes) {
  std::uint64_t least = offsets[0];
  std::uint64_t most = least;
  for (unsigned i = 0; i < 32; ++i) {
    least = offsets[i] < least ? offsets[i] : least;
    most = offsets[i] > most ? offsets[i] : most;
  }
  const std::uint64_t all = most + bytes - least;
  if (all <= kPageBytes) {
    undo.keep(least, all);
  } else {
    for (unsigned i = 0; i < 32; ++i) undo.keep(offsets[i], bytes);
  }
}

/// What the lanes are about to overwrite is saved, if the launch may have to be taken back.
inline void keepOf(Warp& w, const Span& span, unsigned bytes) {
  UndoLog* const undo = w.launch->undo;
  if (undo != nullptr && span.global) keepLanes(*undo, span.offsets, bytes);
}

/// The byte `value` in every byte of a T.
template <class T>
constexpr T spread(std::uint8_t value) {
  return T(T(~T{0}) / T{0xff} * value);
}

void countLoad(Warp& w, Space space, unsigned bytes) {
  if (space == Space::Shared) {
    ++w.counters.sharedLoads;
  } else if (space != Space::Local) {
    ++w.counters.globalLoads;
    w.counters.globalBytesLoaded +=
        std::uint64_t{bytes} * std::uint64_t(__builtin_popcount(w.mask));
  }
}
void countStore(Warp& w, Space space, unsigned bytes) {
  if (space == Space::Shared) {
    ++w.counters.sharedStores;
  } else if (space != Space::Local) {
    ++w.counters.globalStores;
    w.counters.globalBytesStored +=
        std::uint64_t{bytes} * std::uint64_t(__builtin_popcount(w.mask));
  }
}

/// The address of a lane; local addresses of variables are relative to the frame (flag in `extra`).
template <bool Wide>
std::uint64_t addressOf(Warp& w, const Record& r, unsigned lane) {
  return rowAt<AddressOf<Wide>>(w, r.a)[lane] + static_cast<std::uint64_t>(r.imm);
}

template <class T>
std::uint64_t extended(T bits, std::uint32_t flags) {
  if constexpr (sizeof(T) < 8) {
    if ((flags & kSignExtend) != 0) {
      return std::uint64_t(std::int64_t(std::make_signed_t<T>(bits)));
    }
  }
  return bits;
}

/// Writes what was loaded to the register, extended to its width.
template <class T>
void toRegister(Warp& w, const Record& r, const T* values) {
  if ((r.flags & kWideRegister) != 0) {
    std::uint64_t wide[32];
    for (unsigned i = 0; i < 32; ++i) wide[i] = extended(values[i], r.flags);
    commit(w, r.d, wide);
  } else {
    std::uint32_t narrow[32];
    for (unsigned i = 0; i < 32; ++i) narrow[i] = std::uint32_t(extended(values[i], r.flags));
    commit(w, r.d, narrow);
  }
}

/// Sets the definedness of a loaded register: `masks` has one entry for each byte loaded.
void registerUndefined(Warp& w, std::uint32_t row, unsigned bytes, std::uint32_t flags,
                       const std::uint32_t* masks) {
  const unsigned width = (flags & kHugeRegister) != 0 ? 16 : (flags & kWideRegister) != 0 ? 8 : 4;
  std::uint32_t* to = undefinedAt(w, row);
  for (unsigned i = 0; i < width; ++i) {
    std::uint32_t undefined = 0;
    if (masks != nullptr) {
      undefined = i < bytes ? masks[i] : (flags & kSignExtend) != 0 ? masks[bytes - 1] : 0;
    }
    to[i] = (to[i] & ~w.mask) | (undefined & w.mask);
  }
}

/// Whether all bytes that the lanes read were written (and live).
template <class T>
bool allWritten(const Span& span) {
  T shadow[32];
  gather(reinterpret_cast<const std::byte*>(span.shadow), span.offsets, shadow);
  const T good = spread<T>(span.global ? kLive | kWritten : 0);
  T wrong = 0;
  for (const T one : shadow) wrong |= T(one ^ good);
  return wrong == 0;
}
template <class T>
bool allLive(const Span& span) {
  if (!span.global) return true;
  T shadow[32];
  gather(reinterpret_cast<const std::byte*>(span.shadow), span.offsets, shadow);
  T live = spread<T>(kLive);
  for (const T one : shadow) live &= one;
  return live == spread<T>(kLive);
}

template <unsigned Bytes, Space S, bool Wide, Checking M>
const Record* loadOne(Warp& w, const Record& r) {
  constexpr bool Checked = M != Checking::Plain;
  using T = Element<Bytes>::Type;
  countLoad(w, S, Bytes);
  std::uint32_t skip = 0;  // lanes that cannot load get zeros
  if constexpr (Checked) {
    skip = undefinedLanes(w, r.a, sizeof(AddressOf<Wide>));
    if (skip != 0 && !noteUndefinedLanes(w, r, skip, "the address of this load")) return nullptr;
  }
  if ((r.flags & kVolatile) != 0) w.budget -= kWaitingCost;
  T values[32];
  Span span;
  spanOf<S, Wide>(w, r, Bytes, Checked, span);
  if (span.bytes != nullptr && skip == 0 && (!Checked || allWritten<T>(span))) {
    if (M == Checking::Races && !raceOf<false>(w, r, span, Bytes)) return nullptr;
    gather(span.bytes, span.offsets, values);
    toRegister(w, r, values);
    if constexpr (Checked) registerUndefined(w, r.d, Bytes, r.flags, nullptr);
    return &r + 1;
  }
  std::uint32_t masks[Bytes] = {};
  for (unsigned i = 0; i < 32; ++i) {
    values[i] = 0;
    if (((w.mask & ~skip) >> i & 1) == 0) continue;
    const Spot spot = locate(w, r, S, addressOf<Wide>(w, r, i), Bytes, i, Checked, false);
    if (spot.bytes == nullptr) {
      if (!goOn(w, r)) return nullptr;
      continue;
    }
    if (M == Checking::Races && !raceSpot(w, r, i, spot, Bytes, false, r.flags)) return nullptr;
    std::memcpy(&values[i], spot.bytes, Bytes);
    if constexpr (Checked) noteUndefined(spot, Bytes, i, masks);
  }
  toRegister(w, r, values);
  if constexpr (Checked) registerUndefined(w, r.d, Bytes, r.flags, masks);
  return &r + 1;
}

/// Stores in the order of lanes: of several at one address the last one stays.
template <class T>
void scatter(Warp& w, const Span& span, const T* values, std::byte* to) {
  if (w.mask == kAllLanes && patternOf(span.offsets, sizeof(T)) == Pattern::Consecutive) {
    std::memcpy(to + span.offsets[0], values, 32 * sizeof(T));
    return;
  }
  for (std::uint32_t lanes = w.mask; lanes != 0; lanes &= lanes - 1) {
    const auto i = unsigned(__builtin_ctz(lanes));
    std::memcpy(to + span.offsets[i], &values[i], sizeof(T));
  }
}

constexpr const char* kStoredValue = "the value stored to global memory";

template <unsigned Bytes, Space S, bool Wide, Checking M>
const Record* storeOne(Warp& w, const Record& r) {
  constexpr bool Checked = M != Checking::Plain;
  using T = Element<Bytes>::Type;
  countStore(w, S, Bytes);
  std::uint32_t undefined = 0;
  std::uint32_t skip = 0;
  if constexpr (Checked) {
    skip = undefinedLanes(w, r.a, sizeof(AddressOf<Wide>));
    if (skip != 0 && !noteUndefinedLanes(w, r, skip, "the address of this store")) return nullptr;
    if (S == Space::Global && !requireDefined(w, r, r.d, Bytes, kStoredValue)) return nullptr;
    undefined = undefinedLanes(w, r.d, Bytes);
  }
  T values[32];
  if ((r.flags & kWideRegister) != 0) {
    const auto* from = rowAt<std::uint64_t>(w, r.d);
    for (unsigned i = 0; i < 32; ++i) values[i] = T(from[i]);
  } else {
    const auto* from = rowAt<std::uint32_t>(w, r.d);
    for (unsigned i = 0; i < 32; ++i) values[i] = T(from[i]);
  }
  Span span;
  spanOf<S, Wide>(w, r, Bytes, Checked, span);
  if (span.bytes != nullptr && skip == 0 && (!Checked || (undefined == 0 && allLive<T>(span)))) {
    if (M == Checking::Races && !raceOf<true>(w, r, span, Bytes)) return nullptr;
    keepOf(w, span, Bytes);
    scatter(w, span, values, span.bytes);
    if constexpr (Checked) {
      T written[32];
      for (T& one : written) one = spread<T>(span.global ? kLive | kWritten : 0);
      scatter(w, span, written, reinterpret_cast<std::byte*>(span.shadow));
    }
    return &r + 1;
  }
  for (unsigned i = 0; i < 32; ++i) {
    if (((w.mask & ~skip) >> i & 1) == 0) continue;
    const Spot spot = locate(w, r, S, addressOf<Wide>(w, r, i), Bytes, i, Checked, true);
    if (spot.bytes == nullptr) {
      if (!goOn(w, r)) return nullptr;
      continue;
    }
    if (M == Checking::Races && !raceSpot(w, r, i, spot, Bytes, true, r.flags)) return nullptr;
    if constexpr (Checked) {
      if (spot.global && (undefined >> i & 1) != 0 &&
          !noteUndefinedLanes(w, r, 1U << i, kStoredValue)) {
        return nullptr;
      }
      markWritten(spot, Bytes, i, undefinedAt(w, r.d));
    }
    std::memcpy(spot.bytes, &values[i], Bytes);
  }
  return &r + 1;
}

/// Vectors, and elements of 16 bytes: lane by lane. Rows of the elements follow in the records
/// after this one (their `d` and `flags`), which hold nothing else.
template <Space S, bool Wide, Checking M, bool Store>
const Record* many(Warp& w, const Record& r) {
  constexpr bool Checked = M != Checking::Plain;
  const unsigned count = r.flags >> kCountShift & 15;
  const unsigned bytes = r.flags >> kSizeShift & 255;
  if (Store) {
    countStore(w, S, count * bytes);
  } else {
    countLoad(w, S, count * bytes);
  }
  std::uint32_t skip = 0;
  if constexpr (Checked) {
    skip = undefinedLanes(w, r.a, sizeof(AddressOf<Wide>));
    constexpr const char* kWhat = Store ? "the address of this store" : "the address of this load";
    if (skip != 0 && !noteUndefinedLanes(w, r, skip, kWhat)) return nullptr;
  }
  Spot spots[32];
  Span span;
  spanOf<S, Wide>(w, r, count * bytes, Checked, span);
  bool fast = span.bytes != nullptr && skip == 0;
  if constexpr (Checked) {
    // The shadow is read with the elements; what is not allocated must be found before.
    for (unsigned i = 0; i < 32 && fast && span.global; ++i) {
      const std::uint8_t* shadow = span.shadow + span.offsets[i];
      std::uint8_t live = kLive;
      for (unsigned k = 0; k < count * bytes; ++k) live &= shadow[k];
      fast = live != 0;
    }
  }
  if (M == Checking::Races && fast && !raceOf<Store>(w, r, span, count * bytes)) return nullptr;
  if (Store && fast) keepOf(w, span, count * bytes);
  for (unsigned i = 0; i < 32; ++i) {
    if (fast) {
      spots[i] = {span.bytes + span.offsets[i], Checked ? span.shadow + span.offsets[i] : nullptr,
                  span.global, nullptr, span.offsets[i]};
      continue;
    }
    if (((w.mask & ~skip) >> i & 1) == 0) continue;
    spots[i] = locate(w, r, S, addressOf<Wide>(w, r, i), count * bytes, i, Checked, Store);
    if (spots[i].bytes == nullptr) {
      if (!goOn(w, r)) return nullptr;
      continue;
    }
    if (M == Checking::Races && !raceSpot(w, r, i, spots[i], count * bytes, Store, r.flags)) {
      return nullptr;
    }
  }
  for (unsigned e = 0; e < count; ++e) {
    const Record& element = (&r)[1 + e];
    if (element.d == 0) continue;  // _
    const unsigned width = (element.flags & kHugeRegister) != 0   ? 16
                           : (element.flags & kWideRegister) != 0 ? 8
                                                                  : 4;
    std::uint8_t* row = w.file + element.d;
    if constexpr (Checked && Store) {
      const std::uint32_t bad = undefinedLanes(w, element.d, bytes);
      for (unsigned i = 0; i < 32 && bad != 0; ++i) {
        if ((bad >> i & 1) != 0 && spots[i].global &&
            !noteUndefinedLanes(w, r, 1U << i, kStoredValue)) {
          return nullptr;
        }
      }
    }
    std::uint32_t masks[16] = {};
    const auto lanes = [&](auto constant) {
      constexpr unsigned kBytes = decltype(constant)::value;
      for (unsigned i = 0; i < 32; ++i) {
        if ((w.mask >> i & 1) == 0) continue;
        if (spots[i].bytes == nullptr) {
          if (!Store) std::memset(row + std::size_t{i} * width, 0, width);
          continue;
        }
        std::byte* at = spots[i].bytes + std::size_t{e} * kBytes;
        if constexpr (Store) {
          std::memcpy(at, row + std::size_t{i} * width, kBytes);
        } else if constexpr (kBytes < 8) {
          typename Element<kBytes>::Type bits;
          std::memcpy(&bits, at, kBytes);
          const std::uint64_t value = extended(bits, element.flags);
          std::memcpy(row + std::size_t{i} * width, &value, width < 8 ? 4 : 8);
        } else {
          std::memcpy(row + std::size_t{i} * width, at, kBytes);
        }
        if constexpr (Checked) {
          Spot spot = spots[i];
          spot.shadow += std::size_t{e} * kBytes;
          if constexpr (Store) {
            markWritten(spot, kBytes, i, undefinedAt(w, element.d));
          } else {
            noteUndefined(spot, kBytes, i, masks);
          }
        }
      }
    };
    switch (bytes) {
      case 1: lanes(std::integral_constant<unsigned, 1>()); break;
      case 2: lanes(std::integral_constant<unsigned, 2>()); break;
      case 4: lanes(std::integral_constant<unsigned, 4>()); break;
      case 8: lanes(std::integral_constant<unsigned, 8>()); break;
      default: lanes(std::integral_constant<unsigned, 16>()); break;
    }
    if constexpr (Checked && !Store) registerUndefined(w, element.d, bytes, element.flags, masks);
  }
  return &r + 1 + count;
}

template <Space S, bool Wide, Checking M, bool Store>
Handler bySize(unsigned bytes, unsigned count) {
  if (count != 1 || bytes == 16) return many<S, Wide, M, Store>;
  if constexpr (Store) {
    switch (bytes) {
      case 1: return storeOne<1, S, Wide, M>;
      case 2: return storeOne<2, S, Wide, M>;
      case 4: return storeOne<4, S, Wide, M>;
      default: return storeOne<8, S, Wide, M>;
    }
  } else {
    switch (bytes) {
      case 1: return loadOne<1, S, Wide, M>;
      case 2: return loadOne<2, S, Wide, M>;
      case 4: return loadOne<4, S, Wide, M>;
      default: return loadOne<8, S, Wide, M>;
    }
  }
}

template <bool Wide, Checking M, bool Store>
Handler bySpace(Space space, unsigned bytes, unsigned count) {
  switch (space) {
    case Space::Shared: return bySize<Space::Shared, Wide, M, Store>(bytes, count);
    case Space::Local: return bySize<Space::Local, Wide, M, Store>(bytes, count);
    case Space::Generic: return bySize<Space::Generic, Wide, M, Store>(bytes, count);
    default: return bySize<Space::Global, Wide, M, Store>(bytes, count);
  }
}

template <bool Store>
Handler choose(Space space, bool wide, unsigned bytes, unsigned count, Checking checking) {
  switch (checking) {
    case Checking::Races:
      return wide ? bySpace<true, Checking::Races, Store>(space, bytes, count)
                  : bySpace<false, Checking::Races, Store>(space, bytes, count);
    case Checking::Checked:
      return wide ? bySpace<true, Checking::Checked, Store>(space, bytes, count)
                  : bySpace<false, Checking::Checked, Store>(space, bytes, count);
    default:
      return wide ? bySpace<true, Checking::Plain, Store>(space, bytes, count)
                  : bySpace<false, Checking::Plain, Store>(space, bytes, count);
  }
}

}  // namespace

Handler selectLoad(Space space, bool wide, unsigned bytes, unsigned count, Checking checking) {
  return choose<false>(space, wide, bytes, count, checking);
}
Handler selectStore(Space space, bool wide, unsigned bytes, unsigned count, Checking checking) {
  return choose<true>(space, wide, bytes, count, checking);
}

CW_SIM_END
