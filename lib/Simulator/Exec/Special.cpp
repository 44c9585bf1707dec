// Special.cpp -- parameters, clocks, packing of registers, address spaces, cluster addresses.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "Access.h"
#include "Blackwell.h"
#include "Misc.h"
#include "RaceExec.h"

namespace cutwork::sim {
namespace {

/// A kernel's parameter is the same for all lanes. flags: MemoryFlags.
template <bool Checked>
const Record* loadParameter(Warp& w, const Record& r) {
  const unsigned bytes = r.flags >> kSizeShift & 255;
  std::uint64_t value = 0;
  std::memcpy(&value, w.launch->parameters + r.imm, std::min(bytes, 8U));
  if ((r.flags & kSignExtend) != 0 && bytes < 8) {
    const unsigned spare = 64 - 8 * bytes;
    value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value << spare) >> spare);
  }
  if ((r.flags & kHugeRegister) != 0) {
    for (unsigned i = 0; i < 32; ++i) {
      if ((w.mask >> i & 1) != 0) {
        std::memcpy(w.file + r.d + std::size_t{i} * 16, w.launch->parameters + r.imm, 16);
      }
    }
  } else if ((r.flags & kWideRegister) != 0) {
    std::uint64_t values[32];
    std::fill_n(values, 32, value);
    commit(w, r.d, values);
  } else {
    std::uint32_t values[32];
    std::fill_n(values, 32, static_cast<std::uint32_t>(value));
    commit(w, r.d, values);
  }
  if constexpr (Checked) {
    const unsigned width = (r.flags & kHugeRegister) != 0   ? 16
                           : (r.flags & kWideRegister) != 0 ? 8
                                                            : 4;
    for (unsigned k = 0; k < width; ++k) undefinedAt(w, r.d)[k] &= ~w.mask;
  }
  return &r + 1;
}

void setDefined(Warp& w, std::uint32_t row, unsigned masks) {
  if (w.undefined == nullptr) return;
  for (unsigned k = 0; k < masks; ++k) undefinedAt(w, row)[k] &= ~w.mask;
}

/// The bytes of a lane in a row of `width` bytes (2: the low half of 4).
unsigned rowWidth(unsigned bytes) { return bytes <= 4 ? 4 : bytes; }

}  // namespace

Handler parameterLoad(bool checked) { return checked ? loadParameter<true> : loadParameter<false>; }

/// imm: 0 %clock, 1 %clock64, 2 %globaltimer, 3 %clock_hi, 4 and 5 the halves of %globaltimer. Time
/// is the number of instructions run in earlier turns, and one for each look: it goes forward, and
/// is the same in every run.
const Record* clockRecord(Warp& w, const Record& r) {
  const std::uint64_t now = ++w.launch->clock + w.counters.warpInstructions;
  const std::uint64_t timer = 1'000'000'000 + now;
  std::uint64_t value = now;
  if (r.imm == 2 || r.imm == 4) value = timer;
  if (r.imm == 3) value = now >> 32;
  if (r.imm == 5) value = timer >> 32;
  if ((r.flags & kWideRegister) != 0) {
    std::uint64_t values[32];
    std::fill_n(values, 32, value);
    commit(w, r.d, values);
  } else {
    std::uint32_t values[32];
    std::fill_n(values, 32, static_cast<std::uint32_t>(value));
    commit(w, r.d, values);
  }
  setDefined(w, r.d, (r.flags & kWideRegister) != 0 ? 8 : 4);
  return &r + 1;
}

/// d = {elements}: flags has the bytes of d in bits 0..7 and of an element in 8..15, extra their
/// number; the records after this one have the elements' rows in `a`.
const Record* packRecord(Warp& w, const Record& r) {
  const unsigned total = r.flags & 255;
  const unsigned bytes = r.flags >> 8 & 255;
  std::uint8_t packed[32][16] = {};
  std::uint32_t masks[16] = {};
  for (unsigned e = 0; e < r.extra; ++e) {
    const Record& element = (&r)[1 + e];
    const std::uint8_t* row = w.file + element.a;
    for (unsigned i = 0; i < 32; ++i) {
      std::memcpy(&packed[i][std::size_t{e} * bytes], row + std::size_t{i} * rowWidth(bytes),
                  bytes);
    }
    for (unsigned k = 0; k < bytes && w.undefined != nullptr; ++k) {
      masks[e * bytes + k] = undefinedAt(w, element.a)[k];
    }
  }
  const unsigned width = rowWidth(total);
  for (unsigned i = 0; i < 32; ++i) {
    if ((w.mask >> i & 1) != 0) {
      std::memcpy(w.file + r.d + std::size_t{i} * width, packed[i], width);
    }
  }
  for (unsigned k = 0; k < width && w.undefined != nullptr; ++k) {
    std::uint32_t& to = undefinedAt(w, r.d)[k];
    to = (to & ~w.mask) | (masks[k] & w.mask);
  }
  return &r + 1 + r.extra;
}

/// {elements} = a: the same, with the elements' rows in `d` (0: _).
const Record* unpackRecord(Warp& w, const Record& r) {
  const unsigned total = r.flags & 255;
  const unsigned bytes = r.flags >> 8 & 255;
  const unsigned width = rowWidth(total);
  std::uint8_t packed[32][16] = {};
  std::uint32_t masks[16] = {};
  for (unsigned i = 0; i < 32; ++i) {
    std::memcpy(packed[i], w.file + r.a + std::size_t{i} * width, width);
  }
  if (w.undefined != nullptr)
    std::memcpy(masks, undefinedAt(w, r.a), width * sizeof(std::uint32_t));
  for (unsigned e = 0; e < r.extra; ++e) {
    const Record& element = (&r)[1 + e];
    if (element.d == 0) continue;
    std::uint8_t* row = w.file + element.d;
    for (unsigned i = 0; i < 32; ++i) {
      if ((w.mask >> i & 1) == 0) continue;
      std::uint64_t value = 0;
      std::memcpy(&value, &packed[i][std::size_t{e} * bytes], bytes);
      std::memcpy(row + std::size_t{i} * rowWidth(bytes), &value, rowWidth(bytes));
    }
    for (unsigned k = 0; k < rowWidth(bytes) && w.undefined != nullptr; ++k) {
      std::uint32_t& to = undefinedAt(w, element.d)[k];
      to = (to & ~w.mask) | (k < bytes ? masks[e * bytes + k] & w.mask : 0);
    }
  }
  return &r + 1 + r.extra;
}

const Record* moveHuge(Warp& w, const Record& r) {
  for (unsigned i = 0; i < 32; ++i) {
    if ((w.mask >> i & 1) != 0) {
      std::memmove(w.file + r.d + std::size_t{i} * 16, w.file + r.a + std::size_t{i} * 16, 16);
    }
  }
  for (unsigned k = 0; k < 16 && w.undefined != nullptr; ++k) {
    std::uint32_t& to = undefinedAt(w, r.d)[k];
    to = (to & ~w.mask) | (undefinedAt(w, r.a)[k] & w.mask);
  }
  return &r + 1;
}

/// isspacep: imm is the Space; extra 1: shared::cluster.
const Record* addressSpace(Warp& w, const Record& r) {
  const auto* addresses = rowAt<std::uint64_t>(w, r.a);
  std::uint32_t bits = 0;
  for (unsigned i = 0; i < 32; ++i) {
    const std::uint64_t address = addresses[i];
    const bool shared = address - kSharedWindow < kWindowBytes;
    const bool local = address - kLocalWindow < kWindowBytes;
    const Allocation* found = shared || local ? nullptr : w.launch->memory->nearest(address);
    const bool inside =
        found != nullptr && address - found->address < std::max<std::uint64_t>(found->bytes, 1);
    const bool parameter = inside && found->address == w.launch->parameterAddress;
    bool yes = false;
    switch (static_cast<Space>(r.imm)) {
      case Space::Shared:
        yes = shared;
        if (shared && r.extra == 0) {
          const std::uint64_t rank = (address - kSharedWindow) >> kClusterShift;
          yes = rank == 0 || rank == w.cta->rank + 1;
        }
        break;
      case Space::Local: yes = local; break;
      case Space::Const: yes = inside && found->constant; break;
      case Space::Param: yes = parameter; break;
      default: yes = !shared && !local && !(inside && found->constant); break;
    }
    bits |= (yes ? 1U : 0U) << i;
  }
  commitPred(w, r.d, bits);
  if (w.undefined != nullptr) {
    const std::uint32_t bad = undefinedLanes(w, r.a, 8);
    std::uint32_t& to = *undefinedAt(w, r.d);
    to = (to & ~w.mask) | bad;
  }
  return &r + 1;
}

/// mapa: the address `a` in the CTA of rank b; flags: kWideRegister for 64-bit, generic (imm 1)
/// ones.
const Record* clusterAddress(Warp& w, const Record& r) {
  const auto* ranks = rowAt<std::uint32_t>(w, r.b);
  const auto ctas = static_cast<std::uint32_t>(w.cta->cluster->ctas.size());
  for (unsigned i = 0; i < 32; ++i) {
    if ((w.mask >> i & 1) != 0 && ranks[i] >= ctas) {
      return raise(w, r, ExitCode::Bounds, i,
                   "rank " + std::to_string(ranks[i]) + " in a cluster of " + std::to_string(ctas));
    }
  }
  constexpr std::uint64_t kOffset = (std::uint64_t{1} << kClusterShift) - 1;
  if ((r.flags & kWideRegister) != 0) {
    const auto* from = rowAt<std::uint64_t>(w, r.a);
    const std::uint64_t window = r.imm != 0 ? kSharedWindow : 0;
    std::uint64_t values[32];
    for (unsigned i = 0; i < 32; ++i) {
      values[i] = window + ((from[i] & kOffset) | std::uint64_t{ranks[i] + 1} << kClusterShift);
    }
    commit(w, r.d, values);
  } else {
    const auto* from = rowAt<std::uint32_t>(w, r.a);
    std::uint32_t values[32];
    for (unsigned i = 0; i < 32; ++i) {
      values[i] = (from[i] & static_cast<std::uint32_t>(kOffset)) | (ranks[i] + 1) << kClusterShift;
    }
    commit(w, r.d, values);
  }
  setDefined(w, r.d, (r.flags & kWideRegister) != 0 ? 8 : 4);
  return &r + 1;
}

const Record* clusterRank(Warp& w, const Record& r) {
  std::uint32_t values[32];
  for (unsigned i = 0; i < 32; ++i) {
    const std::uint64_t address = (r.flags & kWideRegister) != 0
                                      ? rowAt<std::uint64_t>(w, r.a)[i]
                                      : std::uint64_t{rowAt<std::uint32_t>(w, r.a)[i]};
    const auto rank = static_cast<std::uint32_t>(address >> kClusterShift & 0xff);
    values[i] = rank == 0 ? w.cta->rank : rank - 1;
  }
  commit(w, r.d, values);
  setDefined(w, r.d, 4);
  return &r + 1;
}

const Record* bulkZeros(Warp& w, const Record& r) {
  const bool wide = (r.flags & kWideRegister) != 0;
  const bool checked = w.undefined != nullptr;
  if (checked && (!requireDefined(w, r, r.a, wide ? 8 : 4, "the address of this store") ||
                  !requireDefined(w, r, r.b, 8, "the size of this store"))) {
    return nullptr;
  }
  const Space space = (r.flags & kBulkGeneric) != 0 ? Space::Generic : Space::Shared;
  ++w.counters.sharedStores;
  for (std::uint32_t lanes = w.mask; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    const std::uint64_t bytes = rowAt<std::uint64_t>(w, r.b)[lane];
    const std::uint64_t base = (wide ? rowAt<std::uint64_t>(w, r.a)[lane]
                                     : std::uint64_t{rowAt<std::uint32_t>(w, r.a)[lane]}) +
                               static_cast<std::uint64_t>(r.imm);
    if (bytes % 8 != 0) {
      return raise(w, r, ExitCode::Alignment, lane,
                   fmt::format("an st.bulk of {} bytes, which is not a multiple of 8", bytes));
    }
    for (std::uint64_t done = 0; done < bytes; done += 8) {
      const Spot spot = locate(w, r, space, base + done, 8, lane, checked, true);
      if (spot.bytes == nullptr) {
        if (!goOn(w, r)) return nullptr;
        break;
      }
      if (spot.cta != w.cta) {
        return raiseAt(w, r, ExitCode::Bounds, lane, base + done,
                       "an st.bulk stores to the shared memory of its own block");
      }
      if (!raceSpot(w, r, lane, spot, 8, true)) return nullptr;
      std::memset(spot.bytes, 0, 8);
      if (checked) markWritten(spot, 8, lane, nullptr);
    }
  }
  return &r + 1;
}

}  // namespace cutwork::sim
