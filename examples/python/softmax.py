# softmax.py -- softmax of rows, a block a row, the row kept in registers. Run: cutwork run softmax.py
import cutlass
import cutlass.cute as cute
import torch
from block import block_max, block_sum

THREADS = 128


@cute.kernel
def softmax(gX: cute.Tensor, gY: cute.Tensor, per_thread: cutlass.Constexpr):
    thread, row = cute.arch.thread_idx()[0], cute.arch.block_idx()[0]
    columns = gX.shape[1]
    smem = cutlass.utils.SmemAllocator()
    partial = smem.allocate_tensor(cutlass.Float32, cute.make_layout(THREADS // 32))
    mine = cute.make_rmem_tensor((per_thread,), cutlass.Float32)
    mine.fill(-float("inf"))
    for i in cutlass.range_constexpr(per_thread):
        if i * THREADS + thread < columns:
            mine[i] = gX[row, i * THREADS + thread].to(cutlass.Float32)
    x = mine.load()
    largest = block_max(x.reduce(cute.ReductionOp.MAX, -float("inf"), 0), partial)
    e = cute.math.exp(x - largest)
    total = block_sum(e.reduce(cute.ReductionOp.ADD, 0.0, 0), partial)
    mine.store(e / total)
    for i in cutlass.range_constexpr(per_thread):
        if i * THREADS + thread < columns:
            gY[row, i * THREADS + thread] = mine[i].to(gY.element_type)


@cute.jit
def launch(x: cute.Tensor, y: cute.Tensor, per_thread: cutlass.Constexpr):
    softmax(x, y, per_thread).launch(grid=x.shape[0], block=THREADS)


def kernel_fn(x):
    y = torch.empty_like(x)
    launch(x, y, -(-x.shape[1] // THREADS))
    return y


def reference_fn(x):
    return torch.softmax(x, -1)


def get_inputs(rows=8, columns=500):
    return (torch.randn(rows, columns, device="cuda"),)


odd_shapes = [(1, 1), (3, 129), (2, 1000)]


if __name__ == "__main__":
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        x = get_inputs()[0].to(dtype)
        torch.testing.assert_close(kernel_fn(x), reference_fn(x))
    print("softmax: close to torch")
