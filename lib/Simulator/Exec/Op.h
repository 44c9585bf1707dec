// Op.h -- the operations of PTX, their modifiers, and how the decoder asks for handlers.
#pragma once

#include <array>
#include <cstdint>

#include "Lift.h"
#include "Types.h"

namespace cutwork::sim {

/// Modifiers that are flags.
inline constexpr std::uint64_t kFtz = 1ULL << 0;
inline constexpr std::uint64_t kSat = 1ULL << 1;
inline constexpr std::uint64_t kRelu = 1ULL << 2;
inline constexpr std::uint64_t kSatfinite = 1ULL << 3;
inline constexpr std::uint64_t kNan = 1ULL << 4;
inline constexpr std::uint64_t kXorsign = 1ULL << 5;
inline constexpr std::uint64_t kAbs = 1ULL << 6;
inline constexpr std::uint64_t kRounding = 1ULL << 7;  ///< some .rn, .rz, .rm, .rp, .rna
inline constexpr std::uint64_t kIntegral = 1ULL << 8;  ///< some .rni, .rzi, .rmi, .rpi
inline constexpr std::uint64_t kApprox = 1ULL << 9;
inline constexpr std::uint64_t kFull = 1ULL << 10;
inline constexpr std::uint64_t kLo = 1ULL << 11;
inline constexpr std::uint64_t kHi = 1ULL << 12;
inline constexpr std::uint64_t kWide = 1ULL << 13;
inline constexpr std::uint64_t kCc = 1ULL << 14;
inline constexpr std::uint64_t kWrap = 1ULL << 15;
inline constexpr std::uint64_t kClamp = 1ULL << 16;
inline constexpr std::uint64_t kShiftamt = 1ULL << 17;
inline constexpr std::uint64_t kOob = 1ULL << 18;
inline constexpr std::uint64_t kLeft = 1ULL << 19;
inline constexpr std::uint64_t kRight = 1ULL << 20;
inline constexpr std::uint64_t kSync = 1ULL << 21;
inline constexpr std::uint64_t kAligned = 1ULL << 22;

/// Operations on values: one row of the decoder's table each.
enum class Op : std::uint8_t {
  Add,
  Sub,
  Mul,
  Mad,
  Fma,
  Mul24,
  Mad24,
  Sad,
  Div,
  Rem,
  Neg,
  Abs,
  Min,
  Max,
  AddC,
  SubC,
  MadC,
  Popc,
  Clz,
  Bfind,
  Brev,
  Bfe,
  Bfi,
  Szext,
  Bmsk,
  Fns,
  Dp4a,
  Dp2a,
  And,
  Or,
  Xor,
  Not,
  Cnot,
  Lop3,
  Shl,
  Shr,
  Shf,
  Prmt,
  Selp,
  Slct,
  Mov,
  Copysign,
  Testp,
  Rcp,
  Sqrt,
  Rsqrt,
  Sin,
  Cos,
  Lg2,
  Ex2,
  Tanh,
  Setp,
  Cvt,
  CvtPair,
  CvtPack,
};

/// A question for a handler: which operation, on what.
struct Pick {
  Op op = Op::Mov;
  Ty type = Ty::None;    ///< the first type written
  Ty second = Ty::None;  ///< the second
  std::uint64_t flags = 0;
  Round round = Round::Rn;
  unsigned which = 0;  ///< a comparison, a test of testp, a mode
};

/// What the handlers of memory check.
enum class Checking : std::uint8_t {
  Plain,    ///< that nothing outside the simulated memory is touched
  Checked,  ///< allocations and definedness
  Races,    ///< and races
};

/// The handlers of one host instruction set.
struct HandlerSet {
  const char* name;
  Lifted (*integer)(const Pick&);
  Lifted (*logic)(const Pick&);
  Lifted (*floating)(const Pick&);
  Lifted (*compare)(const Pick&);
  Lifted (*convert)(const Pick&);
  /// Loads and stores; `wide`: the address register has 64 bits.
  Handler (*load)(Space space, bool wide, unsigned bytes, unsigned count, Checking checking);
  Handler (*store)(Space space, bool wide, unsigned bytes, unsigned count, Checking checking);
};

/// The best set that this machine runs.
const HandlerSet& handlerSet();

}  // namespace cutwork::sim
