// cutwork/DSL/Arch.h -- threads, warps, barriers, atomics: what the machine has by name.
//
// Source: PTX ISA, sections "Special Registers", "Parallel Synchronization and Communication
// Instructions", "Warp Level Instructions".
#pragma once

#include <string_view>
#include <vector>

#include "cutwork/DSL/Numeric.h"
#include "cutwork/DSL/Pointer.h"

#pragma GCC visibility push(default)

namespace cutwork::cute::arch {

/// Three Int32 values. auto [x, y, z] = thread_idx();
struct Index3 {
  Int32 x;
  Int32 y;
  Int32 z;
};
Index3 thread_idx(Where where = Where::current());
Index3 block_idx(Where where = Where::current());
Index3 block_dim(Where where = Where::current());
Index3 grid_dim(Where where = Where::current());
Index3 cluster_idx(Where where = Where::current());
Index3 cluster_dim(Where where = Where::current());
Index3 block_in_cluster_idx(Where where = Where::current());
Index3 block_in_cluster_dim(Where where = Where::current());
/// The linear rank of the block in its cluster.
Int32 block_idx_in_cluster(Where where = Where::current());
Int32 lane_idx(Where where = Where::current());
/// The warp's number in its block, from the thread's index. No lane waits for another: it may stand
/// in a branch. make_warp_uniform(warp_idx()) tells the compiler that it is the same in all lanes.
Int32 warp_idx(Where where = Where::current());
/// A value that is the same in all lanes, said to the compiler.
Int32 make_warp_uniform(const Arg& value);

/// bar.sync 0: all threads of the block, shared memory visible.
void sync_threads(Where where = Where::current());
/// bar.sync of one of 16 barriers by so many threads (a multiple of 32).
void barrier(const Arg& barrier_id, const Arg& number_of_threads);
void barrier_arrive(const Arg& barrier_id, const Arg& number_of_threads);
void sync_warp(const Arg& mask = 0xffffffffLL);
void cluster_arrive(Where where = Where::current());
void cluster_arrive_relaxed(Where where = Where::current());
void cluster_wait(Where where = Where::current());

/// Where the block of this rank in the cluster has what `p`, a pointer to shared memory, points to
/// here: a pointer in dsmem (PTX: mapa). The other block must have started and must not have ended:
/// cluster_arrive and cluster_wait see to both.
Pointer map_dsmem_ptr(const Pointer& p, const Arg& rank);

/// The thread's cp.async copies since the last call become a group.
void cp_async_commit_group(Where where = Where::current());
/// Waits until at most the `pending` last groups of this thread are under way; what the others
/// copied is in shared memory, for this thread: a barrier makes it so for all.
void cp_async_wait_group(int pending, Where where = Where::current());

enum class Scope { cta, cluster, gpu, sys };
enum class Order { relaxed, acquire, release, acq_rel };
/// fence.acq_rel of the scope.
void fence(Scope scope, Where where = Where::current());
inline void fence_acq_rel_cta(Where where = Where::current()) { fence(Scope::cta, where); }
inline void fence_acq_rel_cluster(Where where = Where::current()) { fence(Scope::cluster, where); }
inline void fence_acq_rel_gpu(Where where = Where::current()) { fence(Scope::gpu, where); }
inline void fence_acq_rel_sys(Where where = Where::current()) { fence(Scope::sys, where); }

/// shfl.sync of a value of up to 64 bits among the lanes of `mask`. `width` lanes, a power of two
/// up to 32, exchange among themselves.
Numeric shuffle_sync(const Arg& value, const Arg& lane, const Arg& mask = 0xffffffffLL,
                     int width = 32);
Numeric shuffle_sync_up(const Arg& value, const Arg& offset, const Arg& mask = 0xffffffffLL,
                        int width = 32);
Numeric shuffle_sync_down(const Arg& value, const Arg& offset, const Arg& mask = 0xffffffffLL,
                          int width = 32);
Numeric shuffle_sync_bfly(const Arg& value, const Arg& offset, const Arg& mask = 0xffffffffLL,
                          int width = 32);
Boolean vote_all_sync(const Arg& predicate, const Arg& mask = 0xffffffffLL);
Boolean vote_any_sync(const Arg& predicate, const Arg& mask = 0xffffffffLL);
Boolean vote_uni_sync(const Arg& predicate, const Arg& mask = 0xffffffffLL);
Uint32 vote_ballot_sync(const Arg& predicate, const Arg& mask = 0xffffffffLL);
/// In every lane the sum or maximum over its group of `threads_in_group` lanes.
Numeric warp_reduction_sum(const Arg& value, int threads_in_group = 32);
Numeric warp_reduction_max(const Arg& value, int threads_in_group = 32);
/// redux.sync of 32-bit integers: add, min, max, and, or, xor.
Numeric warp_redux_sync(const Arg& value, std::string_view kind, const Arg& mask = 0xffffffffLL);
/// True in one lane of the warp; all lanes take part.
Boolean elect_one(Where where = Where::current());

/// The old value. Types: 32- and 64-bit integers; floats for add, and f32 for max and min.
Numeric atomic_add(const Pointer& p, const Arg& value, Order order = Order::relaxed,
                   Scope scope = Scope::gpu);
Numeric atomic_max(const Pointer& p, const Arg& value, Order order = Order::relaxed,
                   Scope scope = Scope::gpu);
Numeric atomic_min(const Pointer& p, const Arg& value, Order order = Order::relaxed,
                   Scope scope = Scope::gpu);
Numeric atomic_and(const Pointer& p, const Arg& value, Order order = Order::relaxed,
                   Scope scope = Scope::gpu);
Numeric atomic_or(const Pointer& p, const Arg& value, Order order = Order::relaxed,
                  Scope scope = Scope::gpu);
Numeric atomic_xor(const Pointer& p, const Arg& value, Order order = Order::relaxed,
                   Scope scope = Scope::gpu);
Numeric atomic_exch(const Pointer& p, const Arg& value, Order order = Order::relaxed,
                    Scope scope = Scope::gpu);
Numeric atomic_cas(const Pointer& p, const Arg& compare, const Arg& value,
                   Order order = Order::relaxed, Scope scope = Scope::gpu);

/// Bits that are set.
Int32 popc(const Arg& value);
/// The kernel stops with an error.
void trap(Where where = Where::current());

/// PTX text with `$0`, `$1` ... for the results, then the operands: results of these types.
/// Registers are chosen by type; asm is volatile. Error (User): a type that has no register.
///     inline_ptx("prmt.b32 $0, $1, $2, $3;", {DType::Uint32}, {a, b, selector})
std::vector<Numeric> inline_ptx(std::string_view text, const std::vector<DType>& results,
                                const std::vector<Arg>& operands, Where where = Where::current());

}  // namespace cutwork::cute::arch

#pragma GCC visibility pop
