// Blackwell.h -- handlers of what sm_100 adds: packed f32x2, cvt of narrow formats, st.bulk,
// clusterlaunchcontrol.
#pragma once

#include "Machine.h"
#include "Op.h"

namespace cutwork::sim {

/// add, sub, mul and fma of .f32x2; nothing for other operations.
Lifted pairOfSingles(const Pick& pick);
/// cvt.rs of two f32, whose number is a RandomSpec.
Lifted randomFromSingles();
/// cvt whose number is a NarrowSpec: two f32 to a pair, bf16x2 to a pair, a pair to two halves.
Lifted narrowFromSingles();
Lifted narrowFromHalves();
Lifted narrowToHalves();

// clusterlaunchcontrol (Exec/ClusterControl.cpp): a and flags as of an mbarrier's complete_tx; the
// record after it has the response's address: a, imm; extra: these.
inline constexpr std::uint32_t kCancelWide = 1;  ///< the response's address has 64 bits
inline constexpr std::uint32_t kCancelAll = 2;   ///< to every block of the cluster
const Record* tryCancel(Warp& w, const Record& r);
const Record* isCanceled(Warp& w, const Record& r);
/// Bytes of a transaction of `lane` have come to the mbarrier that r.a is of, in the shared memory
/// of a block of the cluster; false after a fault.
bool completeBytes(Warp& w, const Record& r, unsigned lane, Cta& cta, std::int64_t bytes);

// st.bulk (Exec/Special.cpp). a: the address; b: the bytes.
inline constexpr std::uint32_t kBulkGeneric = 1U << 10;
const Record* bulkZeros(Warp& w, const Record& r);

}  // namespace cutwork::sim
