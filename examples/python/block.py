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
