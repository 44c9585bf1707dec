# block.py -- reductions over the threads of a block, which the examples of rows share.
import operator

import cutlass
import cutlass.cute as cute

WARP = 32


@cute.jit
def block_reduce(value, op, neutral, partial: cute.Tensor):
    """The combination of every thread's value, in every thread. `partial`: an element of shared memory for each warp."""
    thread = cute.arch.thread_idx()[0]
    value = cute.arch.warp_reduction(value, op)
    if thread % WARP == 0:
        partial[thread // WARP] = value
    cute.arch.sync_threads()
    lane = thread % WARP
    value = cutlass.Float32(neutral)
    if lane < cute.size(partial):
        value = partial[lane]
    value = cute.arch.warp_reduction(value, op)
    cute.arch.sync_threads()
    return value


def block_sum(value, partial):
    return block_reduce(value, operator.add, 0.0, partial)


def block_max(value, partial):
    return block_reduce(value, cute.arch.fmax, -float("inf"), partial)


@cute.jit
def load_row(tensor: cute.Tensor, row, threads: cutlass.Constexpr, per_thread: cutlass.Constexpr):
    """This thread's elements of a row as Float32: every threads-th one; 0 behind the end."""
    thread = cute.arch.thread_idx()[0]
    mine = cute.make_rmem_tensor((per_thread,), cutlass.Float32)
    mine.fill(0.0)
    for i in cutlass.range_constexpr(per_thread):
        if i * threads + thread < tensor.shape[1]:
            mine[i] = tensor[row, i * threads + thread].to(cutlass.Float32)
    return mine
