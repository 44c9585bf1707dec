// Memory.cpp -- handlers of loads and stores. Compiled once per host instruction set.
//
// Three ways: all lanes at consecutive addresses (one copy), all at one address (a broadcast), and
// lane by lane. The first two are looked for when all 32 lanes execute and the space is one array.
#include <cstring>

#include "Access.h"
#include "Families.h"

CW_SIM_BEGIN
namespace {

template <unsigned Bytes> struct Element;
template <> struct Element<1> { using Type = std::uint8_t; };
template <> struct Element<2> { using Type = std::uint16_t; };
template <> struct Element<4> { using Type = std::uint32_t; };
template <> struct Element<8> { using Type = std::uint64_t; };

template <bool Wide> using AddressOf = std::conditional_t<Wide, std::uint64_t, std::uint32_t>;

enum class Pattern : std::uint8_t { Scattered, Consecutive, Uniform };

/// What the addresses of a full warp look like.
template <class A> Pattern patternOf(const A* address, unsigned stride) {
  A apart = 0;
  A differs = 0;
  const A first = address[0];
  for (unsigned i = 0; i < 32; ++i) {
    differs |= address[i] - first;
    apart |= (address[i] - first) ^ A(i * stride);
  }
  return apart == 0 ? Pattern::Consecutive : differs == 0 ? Pattern::Uniform : Pattern::Scattered;
}

/// The bytes [address, address + bytes) of a space that is one array, or null.
template <Space S> std::byte* arrayAt(Warp& w, std::uint64_t address, std::uint64_t bytes) {
  if constexpr (S == Space::Shared) {
    const std::uint64_t end = w.launch->sharedBytes;
    if (address < kSharedStart || address >= end || bytes > end - address) return nullptr;
    return reinterpret_cast<std::byte*>(w.cta->shared.data()) + address;
  } else {
    const std::uint64_t offset = address - GlobalMemory::kBase;
    if (offset >= w.launch->extent || bytes > w.launch->extent - offset) return nullptr;
    return w.launch->data + offset;
  }
}

/// The shadow of the same bytes.
template <Space S> std::uint8_t* shadowAt(Warp& w, std::uint64_t address) {
  if constexpr (S == Space::Shared) return w.cta->sharedUndefined.data() + address;
  return w.launch->shadow + (address - GlobalMemory::kBase);
}

/// Whether all shadow bytes say: live and written (global), or written.
template <Space S> bool allWritten(const std::uint8_t* shadow, unsigned bytes) {
  std::uint8_t wrong = 0;
  constexpr std::uint8_t kGood = S == Space::Shared ? 0 : kLive | kWritten;
  for (unsigned i = 0; i < bytes; ++i) wrong |= shadow[i] ^ kGood;
  return wrong == 0;
}
template <Space S> bool allLive(const std::uint8_t* shadow, unsigned bytes) {
  if (S == Space::Shared) return true;
  std::uint8_t live = kLive;
  for (unsigned i = 0; i < bytes; ++i) live &= shadow[i];
  return live != 0;
}

void countLoad(Warp& w, Space space, unsigned bytes) {
  if (space == Space::Shared) {
    ++w.counters.sharedLoads;
  } else if (space != Space::Local) {
    ++w.counters.globalLoads;
    w.counters.globalBytesLoaded += std::uint64_t{bytes} * std::uint64_t(__builtin_popcount(w.mask));
  }
}
void countStore(Warp& w, Space space, unsigned bytes) {
  if (space == Space::Shared) {
    ++w.counters.sharedStores;
  } else if (space != Space::Local) {
    ++w.counters.globalStores;
    w.counters.globalBytesStored += std::uint64_t{bytes} * std::uint64_t(__builtin_popcount(w.mask));
  }
}

/// The address of a lane; local addresses of variables are relative to the frame (flag in `extra`).
template <bool Wide> std::uint64_t addressOf(Warp& w, const Record& r, unsigned lane) {
  return rowAt<AddressOf<Wide>>(w, r.a)[lane] + static_cast<std::uint64_t>(r.imm);
}

template <class T> std::uint64_t extended(T bits, std::uint32_t flags) {
  if constexpr (sizeof(T) < 8) {
    if ((flags & kSignExtend) != 0) {
      return std::uint64_t(std::int64_t(std::make_signed_t<T>(bits)));
    }
  }
  return bits;
}

/// Writes what was loaded to the register, extended to its width.
template <class T> void toRegister(Warp& w, const Record& r, const T* values) {
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

template <unsigned Bytes, Space S, bool Wide, bool Checked>
const Record* loadOne(Warp& w, const Record& r) {
  using T = typename Element<Bytes>::Type;
  countLoad(w, S, Bytes);
  if constexpr (Checked) {
    if (const std::uint32_t bad = undefinedLanes(w, r.a, sizeof(AddressOf<Wide>)); bad != 0) {
      return refuseUndefined(w, r, bad, "the address of this load");
    }
  }
  T values[32];
  if constexpr (S == Space::Global || S == Space::Shared) {
    if (w.mask == kAllLanes) {
      const auto* addresses = rowAt<AddressOf<Wide>>(w, r.a);
      const Pattern pattern = patternOf(addresses, Bytes);
      const std::uint64_t start = addresses[0] + static_cast<std::uint64_t>(r.imm);
      const unsigned span = pattern == Pattern::Consecutive ? 32 * Bytes : Bytes;
      if (pattern != Pattern::Scattered && start % Bytes == 0) {
        const std::byte* from = arrayAt<S>(w, start, span);
        if (from != nullptr && (!Checked || allWritten<S>(shadowAt<S>(w, start), span))) {
          if (pattern == Pattern::Consecutive) {
            std::memcpy(values, from, 32 * Bytes);
          } else {
            T one;
            std::memcpy(&one, from, Bytes);
            for (T& value : values) value = one;
          }
          toRegister(w, r, values);
          if constexpr (Checked) registerUndefined(w, r.d, Bytes, r.flags, nullptr);
          return &r + 1;
        }
      }
    }
  }
  std::uint32_t masks[Bytes] = {};
  for (unsigned i = 0; i < 32; ++i) {
    values[i] = 0;
    if ((w.mask >> i & 1) == 0) continue;
    if constexpr (!Checked && (S == Space::Global || S == Space::Shared)) {
      const std::uint64_t address = addressOf<Wide>(w, r, i);
      const std::byte* from = address % Bytes == 0 ? arrayAt<S>(w, address, Bytes) : nullptr;
      if (from != nullptr) {
        std::memcpy(&values[i], from, Bytes);
        continue;
      }
    }
    const Spot spot = locate(w, r, S, addressOf<Wide>(w, r, i), Bytes, i, Checked, false);
    if (spot.bytes == nullptr) return nullptr;
    std::memcpy(&values[i], spot.bytes, Bytes);
    if constexpr (Checked) noteUndefined(spot, Bytes, i, masks);
  }
  toRegister(w, r, values);
  if constexpr (Checked) registerUndefined(w, r.d, Bytes, r.flags, masks);
  return &r + 1;
}

template <unsigned Bytes, Space S, bool Wide, bool Checked>
const Record* storeOne(Warp& w, const Record& r) {
  using T = typename Element<Bytes>::Type;
  countStore(w, S, Bytes);
  const bool wideRegister = (r.flags & kWideRegister) != 0;
  if constexpr (Checked) {
    if (const std::uint32_t bad = undefinedLanes(w, r.a, sizeof(AddressOf<Wide>)); bad != 0) {
      return refuseUndefined(w, r, bad, "the address of this store");
    }
    if (const std::uint32_t bad = undefinedLanes(w, r.d, Bytes); bad != 0 && S == Space::Global) {
      return refuseUndefined(w, r, bad, "the value stored to global memory");
    }
  }
  T values[32];
  if (wideRegister) {
    const auto* from = rowAt<std::uint64_t>(w, r.d);
    for (unsigned i = 0; i < 32; ++i) values[i] = T(from[i]);
  } else {
    const auto* from = rowAt<std::uint32_t>(w, r.d);
    for (unsigned i = 0; i < 32; ++i) values[i] = T(from[i]);
  }
  if constexpr (S == Space::Global || S == Space::Shared) {
    const auto* addresses = rowAt<AddressOf<Wide>>(w, r.a);
    if (w.mask == kAllLanes && patternOf(addresses, Bytes) == Pattern::Consecutive) {
      const std::uint64_t start = addresses[0] + static_cast<std::uint64_t>(r.imm);
      std::byte* to = start % Bytes == 0 ? arrayAt<S>(w, start, 32 * Bytes) : nullptr;
      const bool defined = !Checked || S == Space::Global || undefinedLanes(w, r.d, Bytes) == 0;
      if (to != nullptr && defined && (!Checked || allLive<S>(shadowAt<S>(w, start), 32 * Bytes))) {
        std::memcpy(to, values, 32 * Bytes);
        if constexpr (Checked) {
          std::memset(shadowAt<S>(w, start), S == Space::Shared ? 0 : kLive | kWritten, 32 * Bytes);
        }
        return &r + 1;
      }
    }
  }
  for (unsigned i = 0; i < 32; ++i) {
    if ((w.mask >> i & 1) == 0) continue;
    if constexpr (!Checked && (S == Space::Global || S == Space::Shared)) {
      const std::uint64_t address = addressOf<Wide>(w, r, i);
      std::byte* to = address % Bytes == 0 ? arrayAt<S>(w, address, Bytes) : nullptr;
      if (to != nullptr) {
        std::memcpy(to, &values[i], Bytes);
        continue;
      }
    }
    const Spot spot = locate(w, r, S, addressOf<Wide>(w, r, i), Bytes, i, Checked, true);
    if (spot.bytes == nullptr) return nullptr;
    if constexpr (Checked) {
      const std::uint32_t* masks = undefinedAt(w, r.d);
      if (spot.global) {
        if (const std::uint32_t bad = undefinedLanes(w, r.d, Bytes) & (1U << i); bad != 0) {
          return refuseUndefined(w, r, bad, "the value stored to global memory");
        }
      }
      markWritten(spot, Bytes, i, masks);
    }
    std::memcpy(spot.bytes, &values[i], Bytes);
  }
  return &r + 1;
}

/// Vectors, and elements of 16 bytes: lane by lane. Rows of the elements follow in the records after
/// this one (their `d` and `flags`), which hold nothing else.
template <Space S, bool Wide, bool Checked, bool Store>
const Record* many(Warp& w, const Record& r) {
  const unsigned count = r.flags >> kCountShift & 15;
  const unsigned bytes = r.flags >> kSizeShift & 255;
  if (Store) {
    countStore(w, S, count * bytes);
  } else {
    countLoad(w, S, count * bytes);
  }
  if constexpr (Checked) {
    if (const std::uint32_t bad = undefinedLanes(w, r.a, sizeof(AddressOf<Wide>)); bad != 0) {
      return refuseUndefined(w, r, bad, Store ? "the address of this store" : "the address of this load");
    }
  }
  Spot spots[32];
  for (unsigned i = 0; i < 32; ++i) {
    if ((w.mask >> i & 1) == 0) continue;
    if constexpr (!Checked && (S == Space::Global || S == Space::Shared)) {
      const std::uint64_t address = addressOf<Wide>(w, r, i);
      const unsigned all = count * bytes;
      spots[i].bytes = (address & (all - 1)) == 0 ? arrayAt<S>(w, address, all) : nullptr;
      if (spots[i].bytes != nullptr) continue;
    }
    spots[i] = locate(w, r, S, addressOf<Wide>(w, r, i), count * bytes, i, Checked, Store);
    if (spots[i].bytes == nullptr) return nullptr;
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
        if ((bad >> i & 1) != 0 && spots[i].global) {
          return refuseUndefined(w, r, 1U << i, "the value stored to global memory");
        }
      }
    }
    std::uint32_t masks[16] = {};
    const auto lanes = [&](auto constant) {
      constexpr unsigned kBytes = decltype(constant)::value;
      for (unsigned i = 0; i < 32; ++i) {
        if ((w.mask >> i & 1) == 0) continue;
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

template <Space S, bool Wide, bool Checked, bool Store> Handler bySize(unsigned bytes, unsigned count) {
  if (count != 1 || bytes == 16) return many<S, Wide, Checked, Store>;
  if constexpr (Store) {
    switch (bytes) {
      case 1: return storeOne<1, S, Wide, Checked>;
      case 2: return storeOne<2, S, Wide, Checked>;
      case 4: return storeOne<4, S, Wide, Checked>;
      default: return storeOne<8, S, Wide, Checked>;
    }
  } else {
    switch (bytes) {
      case 1: return loadOne<1, S, Wide, Checked>;
      case 2: return loadOne<2, S, Wide, Checked>;
      case 4: return loadOne<4, S, Wide, Checked>;
      default: return loadOne<8, S, Wide, Checked>;
    }
  }
}

template <bool Wide, bool Checked, bool Store>
Handler bySpace(Space space, unsigned bytes, unsigned count) {
  switch (space) {
    case Space::Shared: return bySize<Space::Shared, Wide, Checked, Store>(bytes, count);
    case Space::Local: return bySize<Space::Local, Wide, Checked, Store>(bytes, count);
    case Space::Generic: return bySize<Space::Generic, Wide, Checked, Store>(bytes, count);
    default: return bySize<Space::Global, Wide, Checked, Store>(bytes, count);
  }
}

template <bool Store>
Handler choose(Space space, bool wide, unsigned bytes, unsigned count, bool checked) {
  if (checked) {
    return wide ? bySpace<true, true, Store>(space, bytes, count)
                : bySpace<false, true, Store>(space, bytes, count);
  }
  return wide ? bySpace<true, false, Store>(space, bytes, count)
              : bySpace<false, false, Store>(space, bytes, count);
}

}  // namespace

Handler selectLoad(Space space, bool wide, unsigned bytes, unsigned count, bool checked) {
  return choose<false>(space, wide, bytes, count, checked);
}
Handler selectStore(Space space, bool wide, unsigned bytes, unsigned count, bool checked) {
  return choose<true>(space, wide, bytes, count, checked);
}

CW_SIM_END
