// Compare.cpp -- handlers of setp: a comparison to a predicate. Compiled once per instruction set.
#include "Arithmetic/Compare.h"

#include "Families.h"

CW_SIM_BEGIN
namespace {

template <class T>
Lifted integers(Cmp c) {
  switch (c) {
    case Cmp::Eq: return lift<compare<T, Cmp::Eq>>();
    case Cmp::Ne: return lift<compare<T, Cmp::Ne>>();
    case Cmp::Lt: return lift<compare<T, Cmp::Lt>>();
    case Cmp::Le: return lift<compare<T, Cmp::Le>>();
    case Cmp::Gt: return lift<compare<T, Cmp::Gt>>();
    case Cmp::Ge: return lift<compare<T, Cmp::Ge>>();
    default: return {};
  }
}

template <class T>
Lifted floats(Cmp c) {
  switch (c) {
    case Cmp::Equ: return lift<compare<T, Cmp::Equ>>();
    case Cmp::Neu: return lift<compare<T, Cmp::Neu>>();
    case Cmp::Ltu: return lift<compare<T, Cmp::Ltu>>();
    case Cmp::Leu: return lift<compare<T, Cmp::Leu>>();
    case Cmp::Gtu: return lift<compare<T, Cmp::Gtu>>();
    case Cmp::Geu: return lift<compare<T, Cmp::Geu>>();
    case Cmp::Num: return lift<compare<T, Cmp::Num>>();
    case Cmp::Nan: return lift<compare<T, Cmp::Nan>>();
    default: return integers<T>(c);
  }
}

Lifted flushed(Cmp c) {
  switch (c) {
    case Cmp::Eq: return lift<compareFtz<Cmp::Eq>>();
    case Cmp::Ne: return lift<compareFtz<Cmp::Ne>>();
    case Cmp::Lt: return lift<compareFtz<Cmp::Lt>>();
    case Cmp::Le: return lift<compareFtz<Cmp::Le>>();
    case Cmp::Gt: return lift<compareFtz<Cmp::Gt>>();
    case Cmp::Ge: return lift<compareFtz<Cmp::Ge>>();
    case Cmp::Equ: return lift<compareFtz<Cmp::Equ>>();
    case Cmp::Neu: return lift<compareFtz<Cmp::Neu>>();
    case Cmp::Ltu: return lift<compareFtz<Cmp::Ltu>>();
    case Cmp::Leu: return lift<compareFtz<Cmp::Leu>>();
    case Cmp::Gtu: return lift<compareFtz<Cmp::Gtu>>();
    case Cmp::Geu: return lift<compareFtz<Cmp::Geu>>();
    case Cmp::Num: return lift<compareFtz<Cmp::Num>>();
    case Cmp::Nan: return lift<compareFtz<Cmp::Nan>>();
  }
  return {};
}

}  // namespace

/// Pick::which is the Cmp; for packed halves Pick::flags has kHi for the upper one.
Lifted selectCompare(const Pick& p) {
  const Cmp c = static_cast<Cmp>(p.which);
  switch (p.type) {
    case Ty::B16:
    case Ty::U16: return integers<std::uint16_t>(c);
    case Ty::S16: return integers<std::int16_t>(c);
    case Ty::B32:
    case Ty::U32: return integers<std::uint32_t>(c);
    case Ty::S32: return integers<std::int32_t>(c);
    case Ty::B64:
    case Ty::U64: return integers<std::uint64_t>(c);
    case Ty::S64: return integers<std::int64_t>(c);
    case Ty::F32: return (p.flags & kFtz) != 0 ? flushed(c) : floats<float>(c);
    case Ty::F64: return floats<double>(c);
    case Ty::F16:
    case Ty::BF16: return lift<compareHalf>();
    case Ty::F16x2:
    case Ty::BF16x2: return (p.flags & kHi) != 0 ? lift<compareHalfHigh>() : lift<compareHalfLow>();
    default: return {};
  }
}

CW_SIM_END
