// Video.h -- the video instructions (ISA sections 9.7.17 and 9.7.18): arithmetic on parts of words.
#pragma once

#include <bit>
#include <cstdint>

namespace cutwork::sim {

enum class VideoOp : std::uint8_t { Add, Sub, AbsDiff, Min, Max, Avrg, Shl, Shr, Mad, Set };
/// What is done with the result and c.
enum class VideoSecond : std::uint8_t { None, Add, Min, Max };
enum class VideoCompare : std::uint8_t { Eq, Ne, Lt, Le, Gt, Ge };

/// One instruction, as a number that a record holds. A part is 0 for the word, 1 to 4 for bytes 0
/// to 3, 5 and 6 for the half-words; a selector has 3 bits for each lane, an index into b:a.
struct VideoSpec {
  std::uint64_t op : 4 = 0;
  std::uint64_t lanes : 3 = 1;  ///< 1, or 2 half-words, or 4 bytes
  std::uint64_t signedD : 1 = 0;
  std::uint64_t signedA : 1 = 0;
  std::uint64_t signedB : 1 = 0;
  std::uint64_t sat : 1 = 0;
  std::uint64_t second : 2 = 0;
  std::uint64_t compare : 3 = 0;
  std::uint64_t clamp : 1 = 0;      ///< shifts: by at most 32, or by the low 5 bits
  std::uint64_t plusOne : 1 = 0;    ///< vmad.po
  std::uint64_t negative : 1 = 0;   ///< vmad: -(a * b)
  std::uint64_t negativeC : 1 = 0;  ///< vmad: - c
  std::uint64_t scale : 4 = 0;      ///< vmad: 0, 7, 15
  std::uint64_t merge : 3 = 0;      ///< the part of c that the result replaces
  std::uint64_t mask : 4 = 0;       ///< lanes of d that are results
  std::uint64_t partA : 3 = 0;
  std::uint64_t partB : 3 = 0;
  std::uint64_t selectA : 12 = 0;
  std::uint64_t selectB : 12 = 0;
  std::uint64_t unused : 3 = 0;

  [[nodiscard]] std::int64_t packed() const { return std::bit_cast<std::int64_t>(*this); }
};
static_assert(sizeof(VideoSpec) == 8);

std::uint32_t video(const VideoSpec& spec, std::uint32_t a, std::uint32_t b, std::uint32_t c);

}  // namespace cutwork::sim
