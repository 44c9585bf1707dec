// RaceWord.h -- what the race checker remembers of an access, in 64 bits.
#pragma once

#include <bit>
#include <cstdint>

namespace cutwork::sim {

/// A word: segment (30 bits), who (7), a second lane of several (5), strength (2), whether it
/// compares (1), instruction (19; reports of larger programs leave the other access out).
inline constexpr unsigned kSegmentShift = 34;
inline constexpr unsigned kWhoShift = 27;
inline constexpr unsigned kSecondShift = 22;
inline constexpr unsigned kStrengthShift = 20;
inline constexpr std::uint64_t kCompares = std::uint64_t{1} << 19;
inline constexpr std::uint64_t kInstructionMask = kCompares - 1;
/// In the first word of reads: no read, but a write below the last one, which is stronger.
inline constexpr std::uint64_t kCovered = kCompares;
/// Who: a lane; or at least two, of which this is one (32 + lane); or the warp as one (ldmatrix).
inline constexpr std::uint32_t kSeveral = 32;
inline constexpr std::uint32_t kCollective = 64;

constexpr std::uint32_t segmentOf(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> kSegmentShift);
}
constexpr std::uint32_t strengthOf(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> kStrengthShift) & 3;
}
constexpr std::uint32_t whoOf(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> kWhoShift) & 127;
}
/// A lane that a word names, another one than `besides` if there is one.
constexpr std::uint32_t laneOf(std::uint64_t word, std::uint32_t besides) {
  const std::uint32_t who = whoOf(word);
  const bool other = (who & kSeveral) != 0 && (who & 31) == besides;
  return other ? static_cast<std::uint32_t>(word >> kSecondShift) & 31 : who & 31;
}
/// Who and second lane of a word, for these lanes that access together.
constexpr std::uint64_t whoWord(std::uint32_t lanes) {
  const auto first = static_cast<std::uint64_t>(std::countr_zero(lanes));
  const std::uint32_t rest = lanes & (lanes - 1);
  if (rest == 0) return first << kWhoShift;
  return (first | kSeveral) << kWhoShift | static_cast<std::uint64_t>(std::countr_zero(rest))
                                               << kSecondShift;
}
/// The word of a reader beside a word of its warp and segment: that of both, if they differ. Once
/// two are known no more are noted.
constexpr std::uint64_t withReader(std::uint64_t old, std::uint64_t own) {
  const bool weak = (old >> kStrengthShift & 3) == 0;
  const bool same = whoOf(old) == whoOf(own);
  if (weak && (same || (whoOf(old) & kSeveral) != 0)) return old;
  if (same) return own;
  constexpr std::uint64_t kCleared =
      ~(std::uint64_t{kCollective} << kWhoShift | std::uint64_t{31} << kSecondShift);
  const std::uint64_t second = laneOf(old, whoOf(own) & 31);
  return (own & kCleared) | std::uint64_t{kSeveral} << kWhoShift | second << kSecondShift;
}

}  // namespace cutwork::sim
