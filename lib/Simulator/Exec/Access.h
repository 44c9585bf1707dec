// Access.h -- from a lane's address to the host's memory: bounds, alignment, and the shadow.
//
// A Spot is where one lane's access goes: the bytes, and their shadow if the run is checked. An
// access that would leave the simulated memory is a fault in every mode; in checked mode so is one
// outside its allocation.
#pragma once

#include "Machine.h"
#include "Types.h"

namespace cutwork::sim {

struct Spot {
  std::byte* bytes = nullptr;
  std::uint8_t* shadow = nullptr;  ///< of global memory (ShadowBits) or of others (1: not written)
  bool global = false;
  Cta* cta = nullptr;        ///< whose shared memory it is; null for other memory
  std::uint64_t offset = 0;  ///< in that, or in global memory
};

/// One lane's access of `size` bytes. On a fault the launch's fault is set and bytes is null;
/// whoever can do without the access may goOn. Before a store to global memory this (or keepOf() in
/// Memory.cpp) saves what was there, if the launch may have to be taken back.
Spot locate(Warp& w, const Record& r, Space space, std::uint64_t address, unsigned size,
            unsigned lane, bool checked, bool isStore);

/// An access of a thread (its number in the block), for a report that names two.
OtherAccess otherAccess(const Launch& launch, const Cta& cta, std::uint32_t thread,
                        const Record& r);
/// Reports an access of bytes that a copy in flight writes.
void raiseInFlight(Warp& w, const Record& r, unsigned lane, const Cta& cta, std::uint64_t address,
                   std::uint64_t offset, unsigned size, bool isStore);

/// Adds to `masks` (one for each byte) the lane's bit where a byte was never written.
void noteUndefined(const Spot& spot, unsigned size, unsigned lane, std::uint32_t* masks);
/// The bytes have been written; those whose mask has the lane's bit with what is undefined.
void markWritten(const Spot& spot, unsigned size, unsigned lane, const std::uint32_t* masks);

/// Reports lanes of `mask` whose value is undefined where it matters, and cannot go on. Null.
const Record* refuseUndefined(Warp& w, const Record& r, std::uint32_t lanes, const char* what);

/// Notes lanes whose value is undefined where it matters; false if the run ends.
bool noteUndefinedLanes(Warp& w, const Record& r, std::uint32_t lanes, const char* what);
/// Notes the executing lanes whose value in a row (1: a predicate) was never written, and takes it
/// as written from then on; false if the run ends.
bool requireDefined(Warp& w, const Record& r, std::uint32_t row, unsigned bytes, const char* what);

/// The lanes for which any byte of a row of `bytes` is undefined (1: a predicate).
inline std::uint32_t undefinedLanes(Warp& w, std::uint32_t offset, unsigned bytes) {
  const std::uint32_t* masks = undefinedAt(w, offset);
  std::uint32_t lanes = 0;
  for (unsigned i = 0; i < bytes; ++i) lanes |= masks[i];
  return lanes & w.mask;
}

}  // namespace cutwork::sim
