// Video.cpp -- the handler of the video instructions.
#include "Arithmetic/Video.h"

#include <bit>

#include "Misc.h"

namespace cutwork::sim {
namespace {

std::uint32_t videoLane(std::uint32_t a, std::uint32_t b, std::uint32_t c, Param spec) {
  return video(std::bit_cast<VideoSpec>(spec.value), a, b, c);
}

}  // namespace

Lifted videoOperation() { return lift<videoLane>(); }

}  // namespace cutwork::sim
