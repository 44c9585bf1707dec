# rmsnorm.py -- x / sqrt(mean(x^2) + eps) * weight of rows, a block a row, any type. Run: cutwork run rmsnorm.py
import cutlass
import cutlass.cute as cute
import torch
from block import block_sum, load_row

THREADS = 128


@cute.kernel
def rmsnorm(gX: cute.Tensor, gW: cute.Tensor, gY: cute.Tensor, eps: cutlass.Float32, per_thread: cutlass.Constexpr):
    thread, row = cute.arch.thread_idx()[0], cute.arch.block_idx()[0]
    columns = gX.shape[1]
    smem = cutlass.utils.SmemAllocator()
    partial = smem.allocate_tensor(cutlass.Float32, cute.make_layout(THREADS // 32))
    mine = load_row(gX, row, THREADS, per_thread)
    x = mine.load()
    factor = cute.math.rsqrt(block_sum((x * x).reduce(cute.ReductionOp.ADD, 0.0, 0), partial) / columns + eps)
    for i in cutlass.range_constexpr(per_thread):
        column = i * THREADS + thread
        if column < columns:
            gY[row, column] = (mine[i] * factor * gW[column].to(cutlass.Float32)).to(gY.element_type)


@cute.jit
def launch(x: cute.Tensor, w: cute.Tensor, y: cute.Tensor, eps: cutlass.Float32, per_thread: cutlass.Constexpr):
    rmsnorm(x, w, y, eps, per_thread).launch(grid=x.shape[0], block=THREADS)


def kernel_fn(x, w, eps=1e-5):
    y = torch.empty_like(x)
    launch(x, w, y, eps, -(-x.shape[1] // THREADS))
    return y


def reference_fn(x, w, eps=1e-5):
    return torch.nn.functional.rms_norm(x, w.shape, w, eps)


def get_inputs(rows=8, columns=500):
    return torch.randn(rows, columns, device="cuda"), torch.randn(columns, device="cuda")


odd_shapes = [(1, 1), (3, 129), (2, 1000)]


if __name__ == "__main__":
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        inputs = [t.to(dtype) for t in get_inputs()]
        torch.testing.assert_close(kernel_fn(*inputs), reference_fn(*inputs), rtol=2e-2, atol=2e-2)
    print("rmsnorm: close to torch")
