// Swizzle.cpp -- the XOR of address bits, and functions made of it.
#include "cutwork/Layout/Swizzle.h"

#include "Refusal.h"

namespace cutwork::cute {

Expected<Swizzle> Swizzle::make(std::int64_t bits, std::int64_t base, std::int64_t shift) {
  std::string text = fmt::format("S<{},{},{}>", bits, base, shift);
  if (bits < 0 || base < 0)
    return refuse("make_swizzle: bits and base are not negative [{}]", text);
  if (bits == 0) return Swizzle();
  constexpr std::int64_t kHighest = 62;
  if (shift < -kHighest || shift > kHighest || bits > kHighest || base > kHighest ||
      bits + base + (shift < 0 ? -shift : shift) > kHighest) {
    return refuse("make_swizzle: the bits lie beyond bit {} [{}]", kHighest, text);
  }
  if ((shift < 0 ? -shift : shift) < bits) {
    return refuse(
        "make_swizzle: the bits that are read and written overlap: |shift| is at least bits [{}]",
        text);
  }
  Swizzle s;
  s.bits_ = static_cast<int>(bits);
  s.base_ = static_cast<int>(base);
  s.shift_ = static_cast<int>(shift);
  return s;
}

Int Swizzle::operator()(Int x) const {
  if (isIdentity()) return x;
  return bitXor(x, cute::shift(bitAnd(x, readBits()), -shift_));
}

std::string Swizzle::text() const { return fmt::format("S<{},{},{}>", bits_, base_, shift_); }

}  // namespace cutwork::cute
