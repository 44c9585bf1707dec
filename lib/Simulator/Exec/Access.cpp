// Access.cpp -- where one lane's access goes, and what is wrong with it.
#include "Access.h"

#include <fmt/format.h>

#include "Decode/Program.h"

namespace cutwork::sim {
namespace {

std::string_view spaceText(Space space) {
  switch (space) {
    case Space::Shared: return "shared memory";
    case Space::Local: return "local memory";
    case Space::Const: return "constant memory";
    case Space::Param: return "the parameters";
    default: return "global memory";
  }
}

std::string sized(unsigned size, bool isStore) {
  return fmt::format("{} of {} byte{}", isStore ? "a store" : "a load", size, size == 1 ? "" : "s");
}

/// Where an address is behind the start of an array without a size: who gives it one.
std::string dynamicText(const Launch& launch, std::uint64_t address) {
  const Program& program = *launch.program;
  if (program.dynamicArray.empty() || address < program.staticShared) return {};
  const std::uint32_t bytes = launch.config.dynamicShared;
  return fmt::format("; {} begins at {:#x} and has the launch's dynamic shared memory, {}",
                     program.dynamicArray, program.staticShared,
                     bytes == 0 ? "which is 0 bytes (dynamic_smem in the launch of `cutwork sim`)"
                                : fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s"));
}

Spot sharedSpot(Warp& w, const Record& r, std::uint64_t address, unsigned size, unsigned lane,
                bool checked, bool isStore) {
  Cta* cta = w.cta;
  std::uint64_t offset = address;
  if (const std::uint64_t rank = address >> kClusterShift; rank != 0 && address < kWindowBytes) {
    if (rank <= cta->cluster->ctas.size()) {
      cta = &cta->cluster->ctas[rank - 1];
      offset = address & ((1U << kClusterShift) - 1);
    }
  }
  const Checks& checks = w.launch->program->checks;
  if (checks.memory && cta->liveWarps == 0) {
    if (raisedBefore(w, r, ExitCode::Lifetime)) return {};
    raiseAt(w, r, ExitCode::Lifetime, lane, address,
            fmt::format("{} at {:#x} in the shared memory of block ({},{},{}), which has ended; a "
                        "barrier.cluster at its end would keep it",
                        sized(size, isStore), address, cta->id[0], cta->id[1], cta->id[2]));
    return {};
  }
  const std::uint64_t end = w.launch->sharedBytes;
  const bool inside =
      offset < end && size <= end - offset && (!checks.memory || offset >= kSharedStart);
  if (!inside) {
    if (raisedBefore(w, r, ExitCode::Bounds)) return {};
    raiseAt(w, r, ExitCode::Bounds, lane, address,
            fmt::format("{} at {:#x} in shared memory, of which the block has {:#x} to {:#x}{}",
                        sized(size, isStore), address, kSharedStart, end,
                        dynamicText(*w.launch, address)));
    return {};
  }
  Spot spot{reinterpret_cast<std::byte*>(cta->shared.data()) + offset, nullptr, false, cta, offset};
  if (!checked) return spot;
  spot.shadow = cta->sharedUndefined.data() + offset;
  for (unsigned i = 0; checks.race && i < size && cta->inFlight != 0; ++i) {
    if ((spot.shadow[i] & kInFlight) == 0) continue;
    if (!raisedBefore(w, r, ExitCode::Race)) {
      raiseInFlight(w, r, lane, *cta, address, offset, size, isStore);
    }
    if (!goOn(w, r)) return {};
    break;
  }
  return spot;
}

Spot localSpot(Warp& w, const Record& r, std::uint64_t address, unsigned size, unsigned lane,
               bool checked, bool isStore) {
  const std::uint64_t end = w.localTop[lane];
  if (address >= end || size > end - address) {
    if (raisedBefore(w, r, ExitCode::Bounds)) return {};
    raiseAt(w, r, ExitCode::Bounds, lane, address,
            fmt::format("{} at {:#x} in local memory, of which the thread has {:#x} bytes",
                        sized(size, isStore), address, end));
    return {};
  }
  const std::size_t at = std::size_t{lane} * w.localBytes + address;
  return {reinterpret_cast<std::byte*>(w.local.data()) + at,
          checked ? w.localUndefined.data() + at : nullptr};
}

Spot globalSpot(Warp& w, const Record& r, Space space, std::uint64_t address, unsigned size,
                unsigned lane, bool checked, bool isStore) {
  Launch& launch = *w.launch;
  const std::uint64_t offset = address - GlobalMemory::kBase;
  const bool exists = offset < launch.extent && size <= launch.extent - offset;
  std::uint8_t all = exists ? 0xff : 0;
  std::uint8_t any = 0;
  if (exists && checked) {
    for (unsigned i = 0; i < size; ++i) {
      all &= launch.shadow[offset + i];
      any |= launch.shadow[offset + i];
    }
  }
  if (!exists || (launch.program->checks.memory && (all & kLive) == 0)) {
    const bool freed = (any & kFreed) != 0;
    const ExitCode code = freed ? ExitCode::Lifetime : ExitCode::Bounds;
    if (raisedBefore(w, r, code)) return {};
    raiseAt(w, r, code, lane, address,
            fmt::format("{} at {:#x} in {}: {}", sized(size, isStore), address, spaceText(space),
                        launch.memory->describe(address + (all == 0 && any != 0 ? size - 1 : 0))));
    return {};
  }
  if (isStore && launch.undo != nullptr) launch.undo->keep(offset, size);
  return {launch.data + offset, checked ? launch.shadow + offset : nullptr, true, nullptr, offset};
}

}  // namespace

Spot locate(Warp& w, const Record& r, Space space, std::uint64_t address, unsigned size,
            unsigned lane, bool checked, bool isStore) {
  if (size != 0 && (address & (size - 1)) != 0 && (size & (size - 1)) == 0) {
    raiseAt(w, r, ExitCode::Alignment, lane, address,
            fmt::format("{} at {:#x} in {}, which is not a multiple of {}", sized(size, isStore),
                        address, spaceText(space), size));
    return {};
  }
  if (space == Space::Generic) {
    const Space found = spaceOfGeneric(address);
    // What is in neither window keeps its name in messages.
    if (found != Space::Global) space = found;
    address -= found == Space::Shared ? kSharedWindow : found == Space::Local ? kLocalWindow : 0;
  }
  if (space == Space::Shared) return sharedSpot(w, r, address, size, lane, checked, isStore);
  if (space == Space::Local) return localSpot(w, r, address, size, lane, checked, isStore);
  return globalSpot(w, r, space, address, size, lane, checked, isStore);
}

void noteUndefined(const Spot& spot, unsigned size, unsigned lane, std::uint32_t* masks) {
  for (unsigned i = 0; i < size; ++i) {
    const bool undefined =
        spot.global ? (spot.shadow[i] & kWritten) == 0 : (spot.shadow[i] & ~kInFlight) != 0;
    masks[i] |= (undefined ? 1U : 0U) << lane;
  }
}

void markWritten(const Spot& spot, unsigned size, unsigned lane, const std::uint32_t* masks) {
  for (unsigned i = 0; i < size; ++i) {
    const bool undefined = masks != nullptr && (masks[i] >> lane & 1) != 0;
    if (spot.global) {
      spot.shadow[i] = kLive | kWritten;
    } else {
      spot.shadow[i] = undefined ? 1 : 0;
    }
  }
}

const Record* refuseUndefined(Warp& w, const Record& r, std::uint32_t lanes, const char* what) {
  if (lanes == 0 || raisedBefore(w, r, ExitCode::Uninitialised)) return nullptr;
  const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
  raise(w, r, ExitCode::Uninitialised, lane,
        fmt::format("{} was never written in this thread", what));
  if (w.strayRead.record != nullptr) {
    w.launch->fault.details = fmt::format(
        "  perhaps by the shuffle at {}, where lane {} read lane {}, which did not "
        "execute it\n",
        w.launch->program->ptxPlace(*w.strayRead.record).text(), w.strayRead.lane,
        w.strayRead.from);
  }
  return nullptr;
}

bool noteUndefinedLanes(Warp& w, const Record& r, std::uint32_t lanes, const char* what) {
  refuseUndefined(w, r, lanes, what);
  w.launch->fault.count = static_cast<std::uint64_t>(__builtin_popcount(lanes));
  return goOn(w, r);
}

bool requireDefined(Warp& w, const Record& r, std::uint32_t row, unsigned bytes, const char* what) {
  const std::uint32_t bad = undefinedLanes(w, row, bytes);
  if (bad == 0) return true;
  // What was reported once is taken as written.
  for (unsigned i = 0; i < bytes; ++i) undefinedAt(w, row)[i] &= ~bad;
  return noteUndefinedLanes(w, r, bad, what);
}

}  // namespace cutwork::sim
