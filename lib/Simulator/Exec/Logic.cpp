// Logic.cpp -- handlers of logic, shifts, permutes, selections and moves. Compiled per instruction
// set.
#include "Arithmetic/Logic.h"

#include "Families.h"

CW_SIM_BEGIN
namespace {

template <class T>
Lifted bits(const Pick& p) {
  const bool bySigned = p.second == Ty::S32;
  switch (p.op) {
    case Op::And: return lift<andBits<T>>();
    case Op::Or: return lift<orBits<T>>();
    case Op::Xor: return lift<xorBits<T>>();
    case Op::Not: return lift<notBits<T>>();
    case Op::Cnot: return lift<cnotBits<T>>();
    case Op::Shl: return lift<shiftLeft<T>>();
    case Op::Shr:
      return isSigned(p.type) ? lift<shiftRight<std::make_signed_t<T>>>() : lift<shiftRight<T>>();
    case Op::Selp: return lift<selp<T>>();
    case Op::Slct:
      if (bySigned) return lift<slctInt<T>>();
      return (p.flags & kFtz) != 0 ? lift<slctFlushed<T>>() : lift<slctFloat<T>>();
    case Op::Mov: return lift<moved<T>>();
    default: break;
  }
  return {};
}

}  // namespace

Lifted selectLogic(const Pick& p) {
  switch (p.op) {
    case Op::Lop3: return lift<lop3>();
    case Op::Prmt: return lift<prmt>();
    case Op::Shf:
      if ((p.flags & kLeft) != 0) {
        return (p.flags & kWrap) != 0 ? lift<funnelLeft<true>>() : lift<funnelLeft<false>>();
      }
      return (p.flags & kWrap) != 0 ? lift<funnelRight<true>>() : lift<funnelRight<false>>();
    default: break;
  }
  if (p.type == Ty::Pred) {
    switch (p.op) {
      case Op::And: return lift<andPred>();
      case Op::Or: return lift<orPred>();
      case Op::Xor: return lift<xorPred>();
      case Op::Not: return lift<notPred>();
      case Op::Mov: return lift<movedPred>();
      default: return {};
    }
  }
  switch (bitsOf(p.type)) {
    case 8:  // selp and slct have none; a mov of what was an 8-bit register
    case 16: return bits<std::uint16_t>(p);
    case 32: return bits<std::uint32_t>(p);
    case 64: return bits<std::uint64_t>(p);
    default: return {};
  }
}

CW_SIM_END
