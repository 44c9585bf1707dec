// Integer.cpp -- handlers of integer arithmetic. Compiled once per host instruction set.
#include "Arithmetic/BitFields.h"

#include "Families.h"

CW_SIM_BEGIN
namespace {

/// add.cc, addc, mad.cc and the like: the carry is a bit per lane of the warp.
enum class Carry : std::uint8_t { Add, Sub, MadLo, MadHi };

template <class T, Carry K, bool In, bool Out>
const Record* carryOp(Warp& w, const Record& r) {
  const T* a = rowAt<T>(w, r.a);
  const T* b = rowAt<T>(w, r.b);
  const T* c = rowAt<T>(w, r.c);
  using Wide = Twice<T>::Type;
  constexpr unsigned kBits = 8 * sizeof(T);
  T values[32];
  std::uint32_t carries = 0;
  for (unsigned i = 0; i < 32; ++i) {
    const T in = In ? T(w.carry >> i & 1) : T{0};
    Wide sum = 0;
    if constexpr (K == Carry::Add) {
      sum = Wide(a[i]) + b[i] + in;
    } else if constexpr (K == Carry::Sub) {
      // The hardware's carry of a subtraction is the opposite of a borrow.
      sum = Wide(a[i]) + T(~b[i]) + (In ? in : T{1});
    } else {
      const Wide product = Wide(a[i]) * b[i];
      sum = Wide(K == Carry::MadLo ? T(product) : T(product >> kBits)) + c[i] + in;
    }
    values[i] = T(sum);
    carries |= std::uint32_t(sum >> kBits & 1) << i;
  }
  if (Out) w.carry = (w.carry & ~w.mask) | (carries & w.mask);
  commit(w, r.d, values);
  return &r + 1;
}

template <class T, Carry K>
Lifted carry(bool in, bool out) {
  Lifted result;
  result.run = in ? (out ? carryOp<T, K, true, true> : carryOp<T, K, true, false>)
                  : carryOp<T, K, false, true>;
  result.sources = K == Carry::Add || K == Carry::Sub ? 2 : 3;
  result.widths = {sizeof(T), sizeof(T), sizeof(T), sizeof(T)};
  return result;
}

Lifted carries(const Pick& p) {
  const bool in = p.op == Op::AddC || p.op == Op::SubC || p.op == Op::MadC;
  const bool out = (p.flags & kCc) != 0;
  const bool wide = p.type == Ty::U64 || p.type == Ty::S64;
  if (!wide && p.type != Ty::U32 && p.type != Ty::S32) return {};
  switch (p.op) {
    case Op::Add:
    case Op::AddC:
      return wide ? carry<std::uint64_t, Carry::Add>(in, out)
                  : carry<std::uint32_t, Carry::Add>(in, out);
    case Op::Sub:
    case Op::SubC:
      return wide ? carry<std::uint64_t, Carry::Sub>(in, out)
                  : carry<std::uint32_t, Carry::Sub>(in, out);
    default: break;
  }
  // The high half of a product depends on the sign.
  if ((p.flags & kLo) != 0) {
    return wide ? carry<std::uint64_t, Carry::MadLo>(in, out)
                : carry<std::uint32_t, Carry::MadLo>(in, out);
  }
  if (!isSigned(p.type)) {
    return wide ? carry<std::uint64_t, Carry::MadHi>(in, out)
                : carry<std::uint32_t, Carry::MadHi>(in, out);
  }
  return {};
}

/// mad.hi of signed numbers with carries: the product's upper half, then an unsigned sum.
template <class T, bool In, bool Out>
const Record* madHiSigned(Warp& w, const Record& r) {
  using S = std::make_signed_t<T>;
  const T* a = rowAt<T>(w, r.a);
  const T* b = rowAt<T>(w, r.b);
  const T* c = rowAt<T>(w, r.c);
  T values[32];
  std::uint32_t carries = 0;
  for (unsigned i = 0; i < 32; ++i) {
    using Wide = Twice<T>::Type;
    const T in = In ? T(w.carry >> i & 1) : T{0};
    const Wide sum = Wide(T(mulHi<S>(S(a[i]), S(b[i])))) + c[i] + in;
    values[i] = T(sum);
    carries |= std::uint32_t(sum >> (8 * sizeof(T)) & 1) << i;
  }
  if (Out) w.carry = (w.carry & ~w.mask) | (carries & w.mask);
  commit(w, r.d, values);
  return &r + 1;
}
template <class T>
Lifted signedHigh(bool in, bool out) {
  Lifted result;
  result.run = in ? (out ? madHiSigned<T, true, true> : madHiSigned<T, true, false>)
                  : madHiSigned<T, false, true>;
  result.sources = 3;
  result.widths = {sizeof(T), sizeof(T), sizeof(T), sizeof(T)};
  return result;
}

template <class T>
Lifted common(const Pick& p) {
  const bool sat = (p.flags & kSat) != 0;
  if (sat && !std::is_same_v<T, std::int32_t>) return {};
  switch (p.op) {
    case Op::Add:
      if constexpr (std::is_same_v<T, std::int32_t>) {
        if (sat) return lift<addSat>();
      }
      return lift<addInt<T>>();
    case Op::Sub:
      if constexpr (std::is_same_v<T, std::int32_t>) {
        if (sat) return lift<subSat>();
      }
      return lift<subInt<T>>();
    case Op::Mul:
      if ((p.flags & kLo) != 0) return lift<mulLo<T>>();
      if ((p.flags & kHi) != 0) return lift<mulHi<T>>();
      if constexpr (sizeof(T) < 8) {
        if ((p.flags & kWide) != 0) return lift<mulWide<T>>();
      }
      return {};
    case Op::Mad:
      if ((p.flags & kLo) != 0) return lift<madLo<T>>();
      if constexpr (std::is_same_v<T, std::int32_t>) {
        if (sat) return lift<madHiSat>();
      }
      if ((p.flags & kHi) != 0) return lift<madHi<T>>();
      if constexpr (sizeof(T) < 8) {
        if ((p.flags & kWide) != 0) return lift<madWide<T>>();
      }
      return {};
    case Op::Sad: return lift<sad<T>>();
    case Op::Div: return lift<divInt<T>>();
    case Op::Rem: return lift<remInt<T>>();
    case Op::Min:
      if constexpr (std::is_same_v<T, std::int32_t>) {
        if ((p.flags & kRelu) != 0) return lift<minRelu<T>>();
      }
      return (p.flags & kRelu) != 0 ? Lifted{} : lift<minInt<T>>();
    case Op::Max:
      if constexpr (std::is_same_v<T, std::int32_t>) {
        if ((p.flags & kRelu) != 0) return lift<maxRelu<T>>();
      }
      return (p.flags & kRelu) != 0 ? Lifted{} : lift<maxInt<T>>();
    case Op::Neg: return std::is_signed_v<T> ? lift<negInt<T>>() : Lifted{};
    case Op::Abs: return std::is_signed_v<T> ? lift<absInt<T>>() : Lifted{};
    default: break;
  }
  return {};
}

/// What exists for 32 and 64 bits only.
template <class T>
Lifted wider(const Pick& p) {
  if (const Lifted found = common<T>(p)) return found;
  using U = std::make_unsigned_t<T>;
  switch (p.op) {
    case Op::Popc: return lift<popcInt<U>>();
    case Op::Clz: return lift<clzInt<U>>();
    case Op::Brev: return lift<brevInt<U>>();
    case Op::Bfind:
      return (p.flags & kShiftamt) != 0 ? lift<bfind<T, true>>() : lift<bfind<T, false>>();
    case Op::Bfe: return lift<bfe<T>>();
    case Op::Bfi: return lift<bfi<U>>();
    default: break;
  }
  return {};
}

template <class T>
Lifted only32(const Pick& p) {
  if (const Lifted found = wider<T>(p)) return found;
  const bool high = (p.flags & kHi) != 0;
  switch (p.op) {
    case Op::Mul24: return high ? lift<mul24Hi<T>>() : lift<mul24Lo<T>>();
    case Op::Mad24:
      if constexpr (std::is_signed_v<T>) {
        if ((p.flags & kSat) != 0) return high ? lift<mad24HiSat>() : Lifted{};
      }
      return high ? lift<mad24Hi<T>>() : lift<mad24Lo<T>>();
    case Op::Szext:
      return (p.flags & kWrap) != 0 ? lift<szext<T, true>>() : lift<szext<T, false>>();
    case Op::Fns: return lift<findNth>();
    case Op::Bmsk: return (p.flags & kWrap) != 0 ? lift<bmsk<true>>() : lift<bmsk<false>>();
    default: break;
  }
  return {};
}

template <class T>
Lifted packed(const Pick& p) {
  switch (p.op) {
    case Op::Add: return lift<halves<T, addInt<T>>>();
    case Op::Min:
      return (p.flags & kRelu) != 0 ? lift<halves<T, minRelu<T>>>() : lift<halves<T, minInt<T>>>();
    case Op::Max:
      return (p.flags & kRelu) != 0 ? lift<halves<T, maxRelu<T>>>() : lift<halves<T, maxInt<T>>>();
    default: break;
  }
  return {};
}

template <bool A, bool B>
Lifted dots(const Pick& p) {
  if (p.op == Op::Dp4a) return lift<dp4a<A, B>>();
  return (p.flags & kHi) != 0 ? lift<dp2a<A, B, true>>() : lift<dp2a<A, B, false>>();
}

}  // namespace

Lifted selectInteger(const Pick& p) {
  if (p.op == Op::Dp4a || p.op == Op::Dp2a) {
    const bool a = p.type == Ty::S32;
    const bool b = p.second == Ty::S32;
    return a ? (b ? dots<true, true>(p) : dots<true, false>(p))
             : (b ? dots<false, true>(p) : dots<false, false>(p));
  }
  if ((p.flags & kCc) != 0 || p.op == Op::AddC || p.op == Op::SubC || p.op == Op::MadC) {
    if (const Lifted found = carries(p)) return found;
    const bool in = p.op == Op::MadC;
    const bool out = (p.flags & kCc) != 0;
    if ((p.flags & kHi) == 0) return {};
    if (p.type == Ty::S32) return signedHigh<std::uint32_t>(in, out);
    return p.type == Ty::S64 ? signedHigh<std::uint64_t>(in, out) : Lifted{};
  }
  switch (p.type) {
    case Ty::U16: return common<std::uint16_t>(p);
    case Ty::S16: return common<std::int16_t>(p);
    case Ty::B32:
    case Ty::U32: return only32<std::uint32_t>(p);
    case Ty::S32: return only32<std::int32_t>(p);
    case Ty::B64:
    case Ty::U64: return wider<std::uint64_t>(p);
    case Ty::S64: return wider<std::int64_t>(p);
    case Ty::U16x2: return packed<std::uint16_t>(p);
    case Ty::S16x2: return packed<std::int16_t>(p);
    default: return {};
  }
}

CW_SIM_END
