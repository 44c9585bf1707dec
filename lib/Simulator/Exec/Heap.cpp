// Heap.cpp -- malloc and free of a kernel, lane by lane.
#include <fmt/format.h>

#include "Access.h"
#include "Decode/Program.h"
#include "Lift.h"
#include "Misc.h"
#include "RaceExec.h"

namespace cutwork::sim {

const Record* mallocRecord(Warp& w, const Record& r) {
  if (w.undefined != nullptr && !requireDefined(w, r, r.a, 8, "the size of this malloc")) {
    return nullptr;
  }
  const std::string name = fmt::format("malloc at {}", w.launch->program->ptxPlace(r).text());
  std::uint64_t results[32] = {};
  for (std::uint32_t lanes = w.mask; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    const std::uint64_t bytes = rowAt<std::uint64_t>(w, r.a)[lane];
    results[lane] = w.launch->memory->heapAllocate(bytes, name);
    // Who had the place before is ordered with its new owner: the heap is the driver's.
    if (results[lane] != 0) raceForget(*w.launch, results[lane] - GlobalMemory::kBase, bytes);
  }
  commit(w, r.d, results);
  return &r + 1;
}

const Record* freeRecord(Warp& w, const Record& r) {
  if (w.undefined != nullptr && !requireDefined(w, r, r.a, 8, "the pointer of this free")) {
    return nullptr;
  }
  for (std::uint32_t lanes = w.mask; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    const std::uint64_t address = rowAt<std::uint64_t>(w, r.a)[lane];
    if (address == 0) continue;
    const auto how = w.launch->memory->heapFree(address);
    if (how == GlobalMemory::HeapFree::Done || !w.launch->program->checks.memory) continue;
    if (!raisedBefore(w, r, ExitCode::Lifetime)) {
      raiseAt(w, r, ExitCode::Lifetime, lane, address,
              fmt::format("free of {:#x}, {}: {}", address,
                          how == GlobalMemory::HeapFree::Twice
                              ? "which was freed before"
                              : "which is not the start of memory that malloc gave",
                          w.launch->memory->describe(address)));
    }
    if (!goOn(w, r)) return nullptr;
  }
  return &r + 1;
}

}  // namespace cutwork::sim
