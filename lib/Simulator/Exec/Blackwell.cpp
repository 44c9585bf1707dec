// Blackwell.cpp -- handlers of packed f32x2 arithmetic and of the narrow formats.
#include "Blackwell.h"

#include <bit>

#include "Arithmetic/Float.h"
#include "Arithmetic/Narrow.h"

namespace cutwork::sim {
namespace {

float lowOf(std::uint64_t x) { return std::bit_cast<float>(std::uint32_t(x)); }
float highOf(std::uint64_t x) { return std::bit_cast<float>(std::uint32_t(x >> 32)); }
std::uint64_t pairOf(float low, float high) {
  return std::uint64_t{std::bit_cast<std::uint32_t>(high)} << 32 |
         std::bit_cast<std::uint32_t>(low);
}

template <auto F>
std::uint64_t both2(std::uint64_t a, std::uint64_t b) {
  return pairOf(F(lowOf(a), lowOf(b)), F(highOf(a), highOf(b)));
}
template <auto F>
std::uint64_t both3(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return pairOf(F(lowOf(a), lowOf(b), lowOf(c)), F(highOf(a), highOf(b), highOf(c)));
}
template <auto F>
std::uint64_t slow2(std::uint64_t a, std::uint64_t b, Param p) {
  return pairOf(F(lowOf(a), lowOf(b), p), F(highOf(a), highOf(b), p));
}
template <auto F>
std::uint64_t slow3(std::uint64_t a, std::uint64_t b, std::uint64_t c, Param p) {
  return pairOf(F(lowOf(a), lowOf(b), lowOf(c), p), F(highOf(a), highOf(b), highOf(c), p));
}

}  // namespace

Lifted pairOfSingles(const Pick& pick) {
  const bool nearest = pick.round == Round::Rn && (pick.flags & kFtz) == 0;
  switch (pick.op) {
    case Op::Add: return nearest ? lift<both2<addF32<false>>>() : lift<slow2<slowAddF32>>();
    case Op::Sub: return nearest ? lift<both2<subF32<false>>>() : lift<slow2<slowSubF32>>();
    case Op::Mul: return nearest ? lift<both2<mulF32<false>>>() : lift<slow2<slowMulF32>>();
    case Op::Fma: return nearest ? lift<both3<fmaF32<false>>>() : lift<slow3<slowFmaF32>>();
    default: return {};
  }
}

Lifted randomFromSingles() {
  return lift<static_cast<std::uint32_t (*)(std::uint32_t, std::uint32_t, std::uint32_t, Param)>(
      narrowRandomly)>();
}
Lifted narrowFromSingles() { return lift<narrowPair>(); }
Lifted narrowFromHalves() { return lift<narrowHalves>(); }
Lifted narrowToHalves() { return lift<widenPair>(); }

}  // namespace cutwork::sim
