// Video.cpp -- scalar and SIMD video instructions on one lane.
#include "Arithmetic/Video.h"

#include <algorithm>
#include <limits>

namespace cutwork::sim {
namespace {

__extension__ using Wide = __int128;

std::int64_t extended(std::uint64_t bits, unsigned width, bool isSigned) {
  const unsigned unused = 64 - width;
  return isSigned ? static_cast<std::int64_t>(bits << unused) >> unused
                  : static_cast<std::int64_t>(bits << unused >> unused);
}

unsigned partWidth(unsigned part) { return part == 0 ? 32 : part <= 4 ? 8 : 16; }
unsigned partStart(unsigned part) {
  return part == 0 ? 0 : part <= 4 ? 8 * (part - 1) : 16 * (part - 5);
}

std::int64_t partOf(std::uint32_t word, unsigned part, bool isSigned) {
  return extended(word >> partStart(part), partWidth(part), isSigned);
}

Wide clamped(Wide value, unsigned width, bool isSigned) {
  const Wide one = 1;
  const Wide least = isSigned ? -(one << (width - 1)) : Wide{0};
  const Wide most = (one << (isSigned ? width - 1 : width)) - 1;
  return std::clamp(value, least, most);
}

bool compares(VideoCompare how, std::int64_t a, std::int64_t b) {
  switch (how) {
    case VideoCompare::Eq: return a == b;
    case VideoCompare::Ne: return a != b;
    case VideoCompare::Lt: return a < b;
    case VideoCompare::Le: return a <= b;
    case VideoCompare::Gt: return a > b;
    case VideoCompare::Ge: return a >= b;
  }
  return false;
}

Wide basic(const VideoSpec& spec, std::int64_t a, std::int64_t b) {
  switch (static_cast<VideoOp>(spec.op)) {
    case VideoOp::Add: return Wide{a} + b;
    case VideoOp::Sub: return Wide{a} - b;
    case VideoOp::AbsDiff: return a > b ? Wide{a} - b : Wide{b} - a;
    case VideoOp::Min: return std::min(a, b);
    case VideoOp::Max: return std::max(a, b);
    case VideoOp::Avrg: return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case VideoOp::Shl: return Wide{a} << b;
    case VideoOp::Shr: return Wide{a} >> b;
    case VideoOp::Set: return compares(static_cast<VideoCompare>(spec.compare), a, b) ? 1 : 0;
    case VideoOp::Mad: break;
  }
  return 0;
}

/// a * b + c with the negations, the added one and the scaling of vmad.
std::uint32_t multiplyAdd(const VideoSpec& spec, std::int64_t a, std::int64_t b, std::uint32_t c) {
  const bool isSigned =
      spec.signedA != 0 || spec.signedB != 0 || spec.negative != 0 || spec.negativeC != 0;
  Wide sum = Wide{a} * b;
  if (spec.negative != 0) sum = -sum;
  const Wide added = extended(c, 32, isSigned);
  sum += spec.negativeC != 0 ? -added : added;
  if (spec.plusOne != 0) sum += 1;
  sum >>= static_cast<unsigned>(spec.scale);
  if (spec.sat != 0) sum = clamped(sum, 32, isSigned);
  return static_cast<std::uint32_t>(sum);
}

std::uint32_t scalar(const VideoSpec& spec, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const auto op = static_cast<VideoOp>(spec.op);
  const bool isSigned = spec.signedD != 0;
  const std::int64_t left = partOf(a, spec.partA, spec.signedA != 0);
  std::int64_t right = partOf(b, spec.partB, spec.signedB != 0);
  if (op == VideoOp::Mad) return multiplyAdd(spec, left, right, c);
  if (op == VideoOp::Shl || op == VideoOp::Shr) {
    right = spec.clamp != 0 ? std::min<std::int64_t>(right, 32) : right & 31;
  }
  Wide value = basic(spec, left, right);
  if (spec.sat != 0) value = clamped(value, partWidth(spec.merge), isSigned);
  const auto result = static_cast<std::uint32_t>(value);
  const auto less = [&](std::uint32_t x, std::uint32_t y) {
    return isSigned ? static_cast<std::int32_t>(x) < static_cast<std::int32_t>(y) : x < y;
  };
  switch (static_cast<VideoSecond>(spec.second)) {
    case VideoSecond::Add: return result + c;
    case VideoSecond::Min: return less(result, c) ? result : c;
    case VideoSecond::Max: return less(c, result) ? result : c;
    case VideoSecond::None: break;
  }
  if (spec.merge == 0) return result;
  const unsigned width = partWidth(spec.merge);
  const unsigned start = partStart(spec.merge);
  const std::uint32_t mask = ((std::uint32_t{1} << width) - 1) << start;
  return (result << start & mask) | (c & ~mask);
}

std::uint32_t simd(const VideoSpec& spec, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const auto lanes = static_cast<unsigned>(spec.lanes);
  const unsigned width = 32 / lanes;
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  const std::uint32_t ones = (std::uint32_t{1} << width) - 1;
  const bool sums = static_cast<VideoSecond>(spec.second) == VideoSecond::Add;
  std::uint32_t result = sums ? c : 0;
  for (unsigned i = 0; i < lanes; ++i) {
    const auto from = [&](std::uint64_t selector, bool isSigned) {
      return extended(both >> (width * (selector >> (3 * i) & 7)), width, isSigned);
    };
    Wide value =
        basic(spec, from(spec.selectA, spec.signedA != 0), from(spec.selectB, spec.signedB != 0));
    if (spec.sat != 0) value = clamped(value, width, spec.signedD != 0);
    const bool chosen = (spec.mask >> i & 1) != 0;
    if (sums) {
      result += chosen ? static_cast<std::uint32_t>(value) : 0;
    } else {
      result |= (chosen ? static_cast<std::uint32_t>(value) & ones : c >> (width * i) & ones)
                << (width * i);
    }
  }
  return result;
}

}  // namespace

std::uint32_t video(const VideoSpec& spec, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return spec.lanes == 1 ? scalar(spec, a, b, c) : simd(spec, a, b, c);
}

}  // namespace cutwork::sim
