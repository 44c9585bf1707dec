// ClusterControl.cpp -- clusterlaunchcontrol: asking for work of a cluster that has not started.
//
// One is given that the scheduler has not started yet, if there is one (docs/simulator.md). The
// response's 16 bytes are a word, 1 if a cluster was cancelled, and the number of its first block;
// the arrangement is the simulator's own.
#include <array>
#include <cstring>

#include "Access.h"
#include "Blackwell.h"
#include "Misc.h"
#include "RaceExec.h"

namespace cutwork::sim {
namespace {

constexpr unsigned kResponse = 16;  ///< bytes
using Response = std::array<std::uint32_t, kResponse / 4>;

/// Asks for a cluster that has not started.
Response request(Launch& launch) {
  std::array<std::uint32_t, 3> id{};
  if (!launch.cancelNext || !launch.cancelNext(id)) return {};
  const std::array<std::uint32_t, 3>& size = launch.config.cluster;
  return {1, id[0] * size[0], id[1] * size[1], id[2] * size[2]};
}

std::uint64_t responseAddress(Warp& w, const Record& r, unsigned lane) {
  const Record& to = (&r)[1];
  const std::uint64_t base = (r.extra & kCancelWide) != 0
                                 ? rowAt<std::uint64_t>(w, to.a)[lane]
                                 : std::uint64_t{rowAt<std::uint32_t>(w, to.a)[lane]};
  return base + static_cast<std::uint64_t>(to.imm);
}

/// The response and its bytes at the mbarrier, in one block; false after a fault.
bool respond(Warp& w, const Record& r, unsigned lane, Cta& cta, const Response& response) {
  std::uint64_t address = responseAddress(w, r, lane);
  const bool generic = (r.flags & kMbarrierGeneric) != 0;
  if (generic && spaceOfGeneric(address) == Space::Shared) address -= kSharedWindow;
  if (&cta != w.cta) address |= std::uint64_t{cta.rank + 1} << kClusterShift;
  const bool checked = w.undefined != nullptr;
  const bool isShared = !generic || address < kWindowBytes;
  const Spot spot = locate(w, r, isShared ? Space::Shared : Space::Generic, address, kResponse,
                           lane, checked, true);
  if (spot.bytes == nullptr) return false;
  if (spot.cta != &cta) {
    raiseAt(w, r, ExitCode::Bounds, lane, address,
            "the response of a try_cancel is in the shared memory of its own block");
    return false;
  }
  std::memcpy(spot.bytes, response.data(), kResponse);
  if (checked) markWritten(spot, kResponse, lane, nullptr);
  return raceCopied(w, r, lane, cta, spot.offset, kResponse, true) &&
         completeBytes(w, r, lane, cta, kResponse);
}

}  // namespace

const Record* tryCancel(Warp& w, const Record& r) {
  const Record& to = (&r)[1];
  if (w.undefined != nullptr) {
    const unsigned wide = (r.extra & kCancelWide) != 0 ? 8 : 4;
    const unsigned wideMbarrier = (r.flags & kMbarrierWide) != 0 ? 8 : 4;
    if (!requireDefined(w, r, to.a, wide, "the address of this response") ||
        !requireDefined(w, r, r.a, wideMbarrier, "the address of this mbarrier")) {
      return nullptr;
    }
  }
  for (std::uint32_t lanes = w.mask; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    const Response response = request(*w.launch);
    for (Cta& cta : w.cta->cluster->ctas) {
      const bool isFor = (r.extra & kCancelAll) != 0 || &cta == w.cta;
      if (isFor && !respond(w, r, lane, cta, response)) return nullptr;
    }
  }
  return &r + 2;
}

const Record* isCanceled(Warp& w, const Record& r) {
  if (w.undefined != nullptr &&
      !requireDefined(w, r, r.a, kResponse, "the response of this query")) {
    return nullptr;
  }
  std::uint32_t yes = 0;
  for (unsigned i = 0; i < 32; ++i) {
    yes |= (rowAt<std::uint32_t>(w, r.a)[std::size_t{i} * 4] & 1) << i;
  }
  std::uint32_t& d = predAt(w, r.d);
  d = (d & ~w.mask) | (yes & w.mask);
  if (w.undefined != nullptr) undefinedAt(w, r.d)[0] &= ~w.mask;
  return &r + 1;
}

}  // namespace cutwork::sim
