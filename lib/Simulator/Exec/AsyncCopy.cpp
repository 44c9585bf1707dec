// AsyncCopy.cpp -- cp.async: copies from global to shared memory that complete as late as they may.
//
// Issuing a copy looks at its addresses and marks the destination as in flight; the bytes are read
// and written when the copy completes.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "Access.h"
#include "Decode/Program.h"
#include "Misc.h"
#include "RaceExec.h"

namespace cutwork::sim {
namespace {

std::uint64_t addressIn(Warp& w, std::uint32_t row, bool wide, std::int64_t offset, unsigned lane) {
  const std::uint64_t base =
      wide ? rowAt<std::uint64_t>(w, row)[lane] : std::uint64_t{rowAt<std::uint32_t>(w, row)[lane]};
  return base + static_cast<std::uint64_t>(offset);
}

/// Operands that were never written; true after a fault.
bool refusesOperands(Warp& w, const Record& r) {
  if (w.undefined == nullptr) return false;
  std::uint32_t bad = undefinedLanes(w, r.a, (r.flags & kCopyWideTo) != 0 ? 8 : 4);
  bad |= undefinedLanes(w, (&r)[1].a, (r.flags & kCopyWideFrom) != 0 ? 8 : 4);
  if (bad != 0) {
    refuseUndefined(w, r, bad, "an address of this copy");
    return true;
  }
  if (r.c == 0) return false;
  bad = undefinedLanes(w, r.c, (r.flags & kCopyIgnores) != 0 ? 1 : 4);
  if (bad != 0) refuseUndefined(w, r, bad, "the source size of this copy");
  return bad != 0;
}

/// How many bytes the lane's copy reads.
std::uint32_t bytesRead(Warp& w, const Record& r, unsigned bytes, unsigned lane) {
  if (r.c == 0) return bytes;
  if ((r.flags & kCopyIgnores) != 0) return (predAt(w, r.c) >> lane & 1) != 0 ? 0 : bytes;
  return rowAt<std::uint32_t>(w, r.c)[lane];
}

bool findDestination(Warp& w, const Record& r, unsigned lane, AsyncOperation& op) {
  const bool checked = w.undefined != nullptr;
  const std::uint64_t address = addressIn(w, r.a, (r.flags & kCopyWideTo) != 0, r.imm, lane);
  const Spot to = locate(w, r, Space::Shared, address, op.bytes, lane, checked, true);
  if (to.bytes == nullptr) return false;
  if (to.cta != w.cta) {
    raiseAt(w, r, ExitCode::Bounds, lane, address,
            "the destination of a cp.async is in the shared memory of another block");
    return false;
  }
  if (!raceLook(w, r, lane, to, op.bytes, true)) return false;
  op.to[lane] = static_cast<std::uint32_t>(to.offset);
  for (unsigned k = 0; k < op.bytes && checked; ++k) to.shadow[k] |= kInFlight;
  return true;
}

bool findSource(Warp& w, const Record& r, unsigned lane, AsyncOperation& op) {
  const bool checked = w.undefined != nullptr;
  const std::uint32_t count = bytesRead(w, r, op.bytes, lane);
  if (count > op.bytes) {
    raise(w, r, ExitCode::Bounds, lane,
          fmt::format("a src-size of {} in a copy of {} bytes", count, op.bytes));
    return false;
  }
  op.sourceBytes[lane] = static_cast<std::uint8_t>(count);
  if (count == 0) return true;  // the address may be anything
  const Record& source = (&r)[1];
  const std::uint64_t address =
      addressIn(w, source.a, (r.flags & kCopyWideFrom) != 0, source.imm, lane);
  if (address % op.bytes != 0) {
    raiseAt(w, r, ExitCode::Alignment, lane, address,
            fmt::format("a copy of {} bytes from {:#x} in global memory, which is not a multiple "
                        "of {}",
                        op.bytes, address, op.bytes));
    return false;
  }
  const Spot from = locate(w, r, Space::Global, address, count, lane, checked, false);
  op.from[lane] = from.bytes;
  op.fromShadow[lane] = from.shadow;
  return from.bytes != nullptr && raceSpot(w, r, lane, from, count, false);
}

/// The bytes of a lane's copy arrive.
void finishCopy(Warp& w, const AsyncOperation& op, unsigned lane) {
  auto* to = reinterpret_cast<std::byte*>(w.cta->shared.data()) + op.to[lane];
  const unsigned count = op.sourceBytes[lane];
  std::memset(to, 0, op.bytes);
  if (count != 0) std::memcpy(to, op.from[lane], count);
  if (w.undefined == nullptr) return;
  std::uint8_t* shadow = w.cta->sharedUndefined.data() + op.to[lane];
  for (unsigned k = 0; k < op.bytes; ++k) {
    const bool written = k >= count || (op.fromShadow[lane][k] & kWritten) != 0;
    shadow[k] = written ? 0 : 1;
  }
}

/// Completes the lane's part of an operation, because its thread waits for it or because somebody
/// does at an mbarrier; false after a fault.
bool finish(Warp& w, AsyncOperation& op, unsigned lane, bool waited) {
  op.lanes &= ~(1U << lane);
  if (op.lanes == 0) --w.cta->inFlight;
  if (op.arrives) return arriveForCopy(w, *op.record, lane, op.to[lane]);
  finishCopy(w, op, lane);
  return raceCopied(w, *op.record, lane, *w.cta, op.to[lane], op.bytes, !waited);
}

/// Completes the lane's copies that `wanted` is true of, in order; false after a fault.
template <class Wanted>
bool finishWhile(Warp& w, unsigned lane, bool waited, const Wanted& wanted) {
  for (AsyncOperation& op : w.async) {
    if ((op.lanes >> lane & 1) == 0) continue;
    if (!wanted(op)) break;
    if (!finish(w, op, lane, waited)) return false;
  }
  return true;
}

void dropFinished(Warp& w) {
  while (!w.async.empty() && w.async.front().lanes == 0) w.async.pop_front();
}

}  // namespace

const Record* asyncCopy(Warp& w, const Record& r) {
  if (refusesOperands(w, r)) return nullptr;
  AsyncOperation& op = w.async.emplace_back();
  op.record = &r;
  op.bytes = r.flags >> kSizeShift & 255;
  op.group = w.asyncGroup;
  ++w.cta->inFlight;
  ++w.counters.globalLoads;
  ++w.counters.sharedStores;
  for (std::uint32_t lanes = w.mask; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    if (!findSource(w, r, lane, op) || !findDestination(w, r, lane, op)) return nullptr;
    op.lanes |= 1U << lane;
    w.counters.globalBytesLoaded += op.sourceBytes[lane];
  }
  return &r + 2;
}

const Record* asyncCommit(Warp& w, const Record& r) {
  for (std::uint32_t lanes = w.mask; lanes != 0; lanes &= lanes - 1) {
    ++w.asyncGroup[static_cast<unsigned>(__builtin_ctz(lanes))];
  }
  return &r + 1;
}

const Record* asyncWait(Warp& w, const Record& r) {
  for (std::uint32_t lanes = w.mask; lanes != 0 && !w.async.empty(); lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    const std::int64_t first = std::int64_t{w.asyncGroup[lane]} - r.imm;  // of those not waited for
    const bool done = finishWhile(w, lane, true, [&](const AsyncOperation& op) {
      return r.imm < 0 || std::int64_t{op.group[lane]} < first;
    });
    if (!done) return nullptr;
  }
  dropFinished(w);
  return &r + 1;
}

const Record* asyncArrive(Warp& w, const Record& r) {
  // The mbarrier's pending count goes up now, unless .noinc, and down when the copies are done.
  AsyncOperation op;
  op.record = &r;
  op.lanes = w.mask;
  op.arrives = true;
  op.group = w.asyncGroup;
  if (w.undefined != nullptr) {
    const std::uint32_t bad = undefinedLanes(w, r.a, (r.flags & kMbarrierWide) != 0 ? 8 : 4);
    if (bad != 0) return refuseUndefined(w, r, bad, "the address of this mbarrier");
  }
  for (std::uint32_t lanes = w.mask; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    if (!trackForCopy(w, r, lane, op.to[lane])) return nullptr;
  }
  ++w.counters.barriers;
  ++w.cta->inFlight;
  w.async.push_back(op);
  wakeMbarrierWaits(*w.cta->cluster);
  return &r + 1;
}

bool deliverArrivals(Cta& cta, std::uint32_t offset) {
  if (cta.inFlight == 0) return false;
  bool any = false;
  const std::uint64_t phase = cta.mbarriers[offset].phases;
  for (Warp& w : cta.warps) {
    for (std::size_t i = 0; i < w.async.size(); ++i) {
      AsyncOperation& op = w.async[i];
      for (unsigned lane = 0; lane < 32 && op.arrives; ++lane) {
        if ((op.lanes >> lane & 1) == 0 || op.to[lane] != offset) continue;
        bool last = false;  // everything of the lane up to this operation
        const bool done = finishWhile(w, lane, false, [&](const AsyncOperation& one) {
          const bool go = !last;
          last = last || &one == &op;
          return go;
        });
        any = true;
        if (!done || cta.mbarriers[offset].phases != phase) return any;
      }
    }
    dropFinished(w);
  }
  return any;
}

void raiseInFlight(Warp& w, const Record& r, unsigned lane, const Cta& cta, std::uint64_t address,
                   std::uint64_t offset, unsigned size, bool isStore) {
  if (w.launch->fault.any()) return;
  raiseAt(w, r, ExitCode::Race, lane, address,
          fmt::format("a {} of {} byte{} at {:#x} in shared memory, which a cp.async in flight "
                      "writes; its thread has to wait first (cp.async.wait_group, "
                      "cp.async.wait_all or an mbarrier), and other threads behind a barrier",
                      isStore ? "store" : "load", size, size == 1 ? "" : "s", address));
  for (const Warp& other : cta.warps) {
    for (const AsyncOperation& op : other.async) {
      for (unsigned i = 0; i < 32 && !op.arrives; ++i) {
        const bool meets = (op.lanes >> i & 1) != 0 && op.to[i] < offset + size &&
                           offset < std::uint64_t{op.to[i]} + op.bytes;
        if (!meets) continue;
        w.launch->fault.other = otherAccess(*w.launch, cta, other.index * 32 + i, *op.record);
        return;
      }
    }
  }
}

}  // namespace cutwork::sim
