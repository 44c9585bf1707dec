// cutwork/Layout/Swizzle.h -- XOR of one group of address bits into another.
//
// Definition. S<b,m,s> is the function on integers
//
//     S(x) = x ^ shiftRight(x & Y, s)      Y = (2^b - 1) << (m + max(0, s))
//
// that XORs the b bits from m+s up into the b bits from m up (s > 0), or the b bits from m up into
// those from m-s up (s < 0, a shift to the left). |s| >= b keeps the groups apart, so that S is its
// own inverse. b = 0 is the identity, written S<0,4,3>.
//
//     S<3,4,3>: 128-byte rows of 16-byte chunks; chunk c of row r goes to chunk c ^ (r mod 8).
//
// A layout's swizzle counts elements, a pointer's counts bytes: for 16-bit elements the layout's
// S<3,3,3> is the pointer's S<3,4,3>.
#pragma once

#include <string>

#include "cutwork/Layout/Int.h"
#include "cutwork/Support/Error.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

class Swizzle {
 public:
  /// The identity.
  Swizzle() = default;
  /// S<bits,base,shift>. Refuses negative bits or base, |shift| < bits, and bits beyond the 62nd.
  static Expected<Swizzle> make(std::int64_t bits, std::int64_t base, std::int64_t shift);

  [[nodiscard]] int bits() const { return bits_; }
  [[nodiscard]] int base() const { return base_; }
  [[nodiscard]] int shift() const { return shift_; }
  [[nodiscard]] bool isIdentity() const { return bits_ == 0; }
  /// The bits that are read (Y) and those that are written (Z).
  [[nodiscard]] std::int64_t readBits() const { return mask(base_ + (shift_ > 0 ? shift_ : 0)); }
  [[nodiscard]] std::int64_t writtenBits() const { return mask(base_ - (shift_ < 0 ? shift_ : 0)); }

  /// S(x). For a static negative x on its two's complement.
  [[nodiscard]] Int operator()(Int x) const;
  /// `S<3,4,3>`.
  [[nodiscard]] std::string text() const;
  friend bool operator==(const Swizzle&, const Swizzle&) = default;

 private:
  [[nodiscard]] std::int64_t mask(int from) const {
    return ((std::int64_t{1} << bits_) - 1) << from;
  }
  int bits_ = 0;
  int base_ = 4;
  int shift_ = 3;
};

/// Swizzle::make by its CuTe name.
inline Expected<Swizzle> make_swizzle(std::int64_t bits, std::int64_t base, std::int64_t shift) {
  return Swizzle::make(bits, base, shift);
}

}  // namespace cutwork::cute

#pragma GCC visibility pop
