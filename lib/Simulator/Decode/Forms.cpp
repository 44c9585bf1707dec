// Forms.cpp -- the ISA's table of elementwise instructions: types and modifiers.
//
// The handlers are chosen by what they need to know; a word that they do not look at would be taken
// and ignored, so that what is not in this table must not get to them.
#include "Forms.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace cutwork::sim {
namespace {

/// Types as a set.
constexpr std::uint64_t setOf(std::initializer_list<Ty> types) {
  std::uint64_t set = 0;
  for (const Ty type : types) set |= std::uint64_t{1} << static_cast<unsigned>(type);
  return set;
}
constexpr std::uint64_t kNone = setOf({});
constexpr std::uint64_t kWords = setOf({Ty::U32, Ty::S32});
constexpr std::uint64_t kShorts = setOf({Ty::U16, Ty::S16});
constexpr std::uint64_t kWide32 = kWords | setOf({Ty::U64, Ty::S64});
constexpr std::uint64_t kNumbers = kShorts | kWide32;
constexpr std::uint64_t kSigned = setOf({Ty::S16, Ty::S32, Ty::S64});
constexpr std::uint64_t kPairs = setOf({Ty::U16x2, Ty::S16x2});
constexpr std::uint64_t kWideBits = setOf({Ty::B32, Ty::B64});
constexpr std::uint64_t kBits = kWideBits | setOf({Ty::B16});
constexpr std::uint64_t kF32 = setOf({Ty::F32});
constexpr std::uint64_t kF64 = setOf({Ty::F64});
constexpr std::uint64_t kF32x2 = setOf({Ty::F32x2});
constexpr std::uint64_t kHalves = setOf({Ty::F16, Ty::F16x2});
constexpr std::uint64_t kBrains = setOf({Ty::BF16, Ty::BF16x2});

/// One line of the ISA's syntax: exactly one of each choice (0: no choice), and some of the rest.
struct Form {
  Op op;
  std::uint64_t types;
  std::uint64_t choice = 0;
  std::uint64_t optional = 0;
  std::uint64_t always = 0;
  std::uint64_t second = kNone;  ///< second types; none: it has no second type
  bool nearest = false;          ///< the rounding is .rn if there is one
};
constexpr std::uint64_t kFtzSat = kFtz | kSat;
constexpr std::array kForms = {
    Form{Op::Add, kNumbers | kPairs},
    Form{Op::Add, setOf({Ty::S32}), 0, kSat},
    Form{Op::Add, kWide32, 0, kCc},
    Form{Op::Sub, kNumbers},
    Form{Op::Sub, setOf({Ty::S32}), 0, kSat},
    Form{Op::Sub, kWide32, 0, kCc},
    Form{Op::AddC, kWide32, 0, kCc},
    Form{Op::SubC, kWide32, 0, kCc},
    Form{Op::Mul, kNumbers, kLo | kHi},
    Form{Op::Mul, kShorts | kWords, kWide},
    Form{Op::Mad, kNumbers, kLo | kHi},
    Form{Op::Mad, kShorts | kWords, kWide},
    Form{Op::Mad, setOf({Ty::S32}), 0, 0, kHi | kSat},
    Form{Op::Mad, kWide32, kLo | kHi, 0, kCc},
    Form{Op::MadC, kWide32, kLo | kHi, kCc},
    Form{Op::Mul24, kWords, kLo | kHi},
    Form{Op::Mad24, kWords, kLo | kHi},
    Form{Op::Mad24, setOf({Ty::S32}), 0, 0, kHi | kSat},
    Form{Op::Sad, kNumbers},
    Form{Op::Div, kNumbers},
    Form{Op::Rem, kNumbers},
    Form{Op::Neg, kSigned},
    Form{Op::Abs, kSigned},
    Form{Op::Min, kNumbers | kPairs},
    Form{Op::Max, kNumbers | kPairs},
    Form{Op::Min, setOf({Ty::S32, Ty::S16x2}), 0, kRelu},
    Form{Op::Max, setOf({Ty::S32, Ty::S16x2}), 0, kRelu},
    Form{Op::Popc, kWideBits},
    Form{Op::Clz, kWideBits},
    Form{Op::Bfind, kWide32, 0, kShiftamt},
    Form{Op::Brev, kWideBits},
    Form{Op::Bfe, kWide32},
    Form{Op::Bfi, kWideBits},
    Form{Op::Szext, kWords, kWrap | kClamp},
    Form{Op::Bmsk, setOf({Ty::B32}), kWrap | kClamp},
    Form{Op::Fns, setOf({Ty::B32})},
    Form{Op::Dp4a, kWords, 0, 0, 0, kWords},
    Form{Op::Dp2a, kWords, kLo | kHi, 0, 0, kWords},
    Form{Op::And, kBits | setOf({Ty::Pred})},
    Form{Op::Or, kBits | setOf({Ty::Pred})},
    Form{Op::Xor, kBits | setOf({Ty::Pred})},
    Form{Op::Not, kBits | setOf({Ty::Pred})},
    Form{Op::Cnot, kBits},
    Form{Op::Shl, kBits},
    Form{Op::Shr, kBits | kNumbers},
    Form{Op::Shf, setOf({Ty::B32}), kLeft, 0, kWrap},
    Form{Op::Shf, setOf({Ty::B32}), kLeft, 0, kClamp},
    Form{Op::Shf, setOf({Ty::B32}), kRight, 0, kWrap},
    Form{Op::Shf, setOf({Ty::B32}), kRight, 0, kClamp},
    Form{Op::Selp, kBits | kNumbers | kF32 | kF64},
    Form{Op::Slct, kBits | kNumbers | kF32 | kF64, 0, 0, 0, setOf({Ty::S32})},
    Form{Op::Slct, kBits | kNumbers | kF32 | kF64, 0, kFtz, 0, kF32},

    Form{Op::Add, kF32, 0, kRounding | kFtzSat},
    Form{Op::Add, kF64, 0, kRounding},
    Form{Op::Add, kF32x2, 0, kRounding | kFtz},
    Form{Op::Add, kHalves, 0, kRounding | kFtzSat, 0, kNone, true},
    Form{Op::Add, kBrains, 0, kRounding, 0, kNone, true},
    Form{Op::Sub, kF32, 0, kRounding | kFtzSat},
    Form{Op::Sub, kF64, 0, kRounding},
    Form{Op::Sub, kF32x2, 0, kRounding | kFtz},
    Form{Op::Sub, kHalves, 0, kRounding | kFtzSat, 0, kNone, true},
    Form{Op::Sub, kBrains, 0, kRounding, 0, kNone, true},
    Form{Op::Mul, kF32, 0, kRounding | kFtzSat},
    Form{Op::Mul, kF64, 0, kRounding},
    Form{Op::Mul, kF32x2, 0, kRounding | kFtz},
    Form{Op::Mul, kHalves, 0, kRounding | kFtzSat, 0, kNone, true},
    Form{Op::Mul, kBrains, 0, kRounding, 0, kNone, true},
    Form{Op::Mad, kF32, kRounding, kFtzSat},
    Form{Op::Mad, kF64, kRounding},
    Form{Op::Fma, kF32, kRounding, kFtzSat},
    Form{Op::Fma, kF64, kRounding},
    Form{Op::Fma, kF32x2, kRounding, kFtz},
    Form{Op::Fma, kHalves, kRounding, kFtzSat, 0, kNone, true},
    Form{Op::Fma, kHalves, kRounding, kFtz, kRelu, kNone, true},
    Form{Op::Fma, kBrains, kRounding, kRelu, 0, kNone, true},
    Form{Op::Fma, kHalves | kBrains, kRounding, kRelu, kOob, kNone, true},
    Form{Op::Div, kF32, kRounding | kApprox | kFull, kFtz},
    Form{Op::Div, kF64, kRounding},
    Form{Op::Neg, kF32 | kHalves, 0, kFtz},
    Form{Op::Neg, kF64 | kBrains},
    Form{Op::Abs, kF32 | kHalves, 0, kFtz},
    Form{Op::Abs, kF64 | kBrains},
    Form{Op::Min, kF32 | kHalves, 0, kFtz | kNan},
    Form{Op::Min, kF32 | kHalves, 0, kFtz | kNan, kXorsign | kAbs},
    Form{Op::Min, kBrains, 0, kNan},
    Form{Op::Min, kBrains, 0, kNan, kXorsign | kAbs},
    Form{Op::Min, kF64},
    Form{Op::Max, kF32 | kHalves, 0, kFtz | kNan},
    Form{Op::Max, kF32 | kHalves, 0, kFtz | kNan, kXorsign | kAbs},
    Form{Op::Max, kBrains, 0, kNan},
    Form{Op::Max, kBrains, 0, kNan, kXorsign | kAbs},
    Form{Op::Max, kF64},
    Form{Op::Copysign, kF32 | kF64},
    Form{Op::Rcp, kF32, kRounding | kApprox, kFtz},
    Form{Op::Rcp, kF64, kRounding},
    Form{Op::Rcp, kF64, 0, 0, kApprox | kFtz},
    Form{Op::Sqrt, kF32, kRounding | kApprox, kFtz},
    Form{Op::Sqrt, kF64, kRounding},
    Form{Op::Rsqrt, kF32 | kF64, kApprox, kFtz},
    Form{Op::Sin, kF32, kApprox, kFtz},
    Form{Op::Cos, kF32, kApprox, kFtz},
    Form{Op::Lg2, kF32, kApprox, kFtz},
    Form{Op::Ex2, kF32, kApprox, kFtz},
    Form{Op::Ex2, kHalves, kApprox},
    Form{Op::Ex2, kBrains, 0, 0, kApprox | kFtz},
    Form{Op::Tanh, kF32 | kHalves | kBrains, kApprox},
};

bool has(std::uint64_t set, Ty type) { return (set >> static_cast<unsigned>(type) & 1) != 0; }

bool fits(const Form& form, const Pick& pick) {
  if (form.op != pick.op || !has(form.types, pick.type)) return false;
  if (pick.second == Ty::None ? form.second != kNone : !has(form.second, pick.second)) return false;
  if ((pick.flags & form.always) != form.always) return false;
  const std::uint64_t chosen = pick.flags & form.choice;
  if (form.choice != 0 && (chosen == 0 || (chosen & (chosen - 1)) != 0)) return false;
  if ((pick.flags & ~(form.choice | form.optional | form.always)) != 0) return false;
  const bool rounds = (pick.flags & kRounding) != 0;
  return !rounds || pick.round == Round::Rn || (!form.nearest && pick.round != Round::Rna);
}

}  // namespace

bool isForm(const Pick& pick) {
  return std::any_of(kForms.begin(), kForms.end(),
                     [&](const Form& form) { return fits(form, pick); });
}

bool isComparison(std::string_view word, Ty type, bool ftz) {
  const bool floats = has(kF32 | kF64 | kHalves | kBrains, type);
  if (ftz && !has(kF32 | kHalves, type)) return false;
  if (!floats && !has(kBits | kNumbers, type)) return false;
  if (word == "eq" || word == "ne") return true;
  if (word == "lo" || word == "ls" || word == "hi" || word == "hs") {
    return has(kNumbers, type) && !isSigned(type);
  }
  if (word == "lt" || word == "le" || word == "gt" || word == "ge") return !has(kBits, type);
  return floats;  // equ and so on, num, nan
}

bool isSetResult(Ty result, Ty type) {
  if (has(kWords, result)) return true;
  if (type == Ty::F16x2 || type == Ty::BF16x2) return result == type;
  if (type == Ty::BF16) return result == type || has(kShorts, result);
  if (type == Ty::F16) return has(kShorts, result) || result == Ty::F16 || result == Ty::BF16;
  return result == Ty::F32 || result == Ty::F16 || result == Ty::BF16;
}

}  // namespace cutwork::sim
