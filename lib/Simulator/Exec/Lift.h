// Lift.h -- turns a function on values into a handler on rows of 32 lanes.
//
// lift<addInt<std::int32_t>>() is a handler for `d = addInt(a, b)`: it reads the rows of its
// operands, calls the function for each lane in a loop that the compiler vectorises, and writes the
// executing lanes. The widths of the function's parameters come with it, for the decoder to check.
#pragma once

#include <array>
#include <cstring>
#include <tuple>
#include <utility>

#include "Arithmetic/Isa.h"
#include "Machine.h"

namespace cutwork::sim {

/// A handler and the bytes per lane of its operands: result, then sources; 1 is a predicate.
struct Lifted {
  Handler run = nullptr;
  std::array<std::uint8_t, 5> widths{};
  std::uint8_t sources = 0;
  bool hasParam = false;
  explicit operator bool() const { return run != nullptr; }
};

}  // namespace cutwork::sim

CW_SIM_BEGIN

/// The type of a lane in the row that holds a T: 32 bits at least.
template <class T>
using Slot = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T>
inline T fromSlot(Slot<T> bits) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    return std::bit_cast<T>(bits);
  } else {
    return T(bits);
  }
}
template <class T>
inline Slot<T> toSlot(T value) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    return std::bit_cast<Slot<T>>(value);
  } else {
    return Slot<T>(std::make_unsigned_t<T>(value));
  }
}

/// Writes the executing lanes of a row.
template <class S>
inline void commit(Warp& w, std::uint32_t offset, const S* values) {
  S* to = rowAt<S>(w, offset);
  const std::uint32_t mask = w.mask;
  if (mask == kAllLanes) {
    std::memcpy(to, values, 32 * sizeof(S));
    return;
  }
  for (unsigned i = 0; i < 32; ++i) {
    const S kept = to[i];
    const S value = values[i];
    to[i] = (mask >> i & 1) != 0 ? value : kept;
  }
}
inline void commitPred(Warp& w, std::uint32_t offset, std::uint32_t bits) {
  std::uint32_t& to = predAt(w, offset);
  to = (to & ~w.mask) | (bits & w.mask);
}

/// One operand of a lifted function: a row, a mask for bool, or the record's number for Param.
template <class A>
struct Source {
  const Slot<A>* row;
  Source(Warp& w, const Record&, std::uint32_t offset) : row(rowAt<Slot<A>>(w, offset)) {}
  A operator()(unsigned i) const { return fromSlot<A>(row[i]); }
};
template <>
struct Source<bool> {
  std::uint32_t mask;
  Source(Warp& w, const Record&, std::uint32_t offset) : mask(predAt(w, offset)) {}
  bool operator()(unsigned i) const { return (mask >> i & 1) != 0; }
};
template <>
struct Source<Param> {
  Param param;
  Source(Warp&, const Record& r, std::uint32_t) : param{r.imm} {}
  Param operator()(unsigned) const { return param; }
};

template <class T>
constexpr std::uint8_t widthOf() {
  return std::is_same_v<T, bool> ? 1 : std::is_same_v<T, Param> ? 0 : sizeof(Slot<T>);
}

template <auto F, class Signature = decltype(F)>
struct Lifter;
template <auto F, class R, class... A>
struct Lifter<F, R (*)(A...)> {
  static const Record* run(Warp& w, const Record& r) {
    const std::array<std::uint32_t, 5> offsets = {r.a, r.b, r.c, r.extra, 0};
    call(w, r, offsets, std::index_sequence_for<A...>());
    return &r + 1;
  }
  template <std::size_t... K>
  static void call(Warp& w, const Record& r, const std::array<std::uint32_t, 5>& offsets,
                   std::index_sequence<K...>) {
    const std::tuple<Source<A>...> sources{Source<A>(w, r, offsets[K])...};
    if constexpr (std::is_same_v<R, bool>) {
      std::uint32_t bits = 0;
      for (unsigned i = 0; i < 32; ++i) {
        bits |= (F(std::get<K>(sources)(i)...) ? 1U : 0U) << i;
      }
      commitPred(w, r.d, bits);
    } else {
      Slot<R> values[32];
      for (unsigned i = 0; i < 32; ++i) values[i] = toSlot<R>(F(std::get<K>(sources)(i)...));
      commit(w, r.d, values);
    }
  }
  static constexpr Lifted lifted() {
    Lifted result;
    result.run = run;
    result.widths = {widthOf<R>(), widthOf<A>()...};
    result.hasParam = (std::is_same_v<A, Param> || ...);
    result.sources = sizeof...(A) - (result.hasParam ? 1 : 0);
    return result;
  }
};

template <auto F>
constexpr Lifted lift() {
  return Lifter<F>::lifted();
}

CW_SIM_END
