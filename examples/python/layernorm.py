# layernorm.py -- (x - mean) / sqrt(variance + eps) * weight + bias of rows, a block a row, any type. Run: cutwork run layernorm.py
import cutlass
import cutlass.cute as cute
import torch
from block import block_sum, load_row

THREADS = 128


@cute.kernel
def layernorm(gX: cute.Tensor, gW: cute.Tensor, gB: cute.Tensor, gY: cute.Tensor, eps: cutlass.Float32, per_thread: cutlass.Constexpr):
    thread, row = cute.arch.thread_idx()[0], cute.arch.block_idx()[0]
    columns = gX.shape[1]
    smem = cutlass.utils.SmemAllocator()
    partial = smem.allocate_tensor(cutlass.Float32, cute.make_layout(THREADS // 32))
    mine = load_row(gX, row, THREADS, per_thread)
    mean = block_sum(mine.load().reduce(cute.ReductionOp.ADD, 0.0, 0), partial) / columns
    squares = cutlass.Float32(0)
    for i in cutlass.range_constexpr(per_thread):
        if i * THREADS + thread < columns:
            squares += (mine[i] - mean) * (mine[i] - mean)
    factor = cute.math.rsqrt(block_sum(squares, partial) / columns + eps)
    for i in cutlass.range_constexpr(per_thread):
        column = i * THREADS + thread
        if column < columns:
            gY[row, column] = ((mine[i] - mean) * factor * gW[column].to(cutlass.Float32)
                               + gB[column].to(cutlass.Float32)).to(gY.element_type)


@cute.jit
def launch(x: cute.Tensor, w: cute.Tensor, b: cute.Tensor, y: cute.Tensor, eps: cutlass.Float32, per_thread: cutlass.Constexpr):
    layernorm(x, w, b, y, eps, per_thread).launch(grid=x.shape[0], block=THREADS)


def kernel_fn(x, w, b, eps=1e-5):
    y = torch.empty_like(x)
    launch(x, w, b, y, eps, -(-x.shape[1] // THREADS))
    return y


def reference_fn(x, w, b, eps=1e-5):
    return torch.nn.functional.layer_norm(x, w.shape, w, b, eps)


def get_inputs(rows=8, columns=500):
    return (torch.randn(rows, columns, device="cuda"), *(torch.randn(columns, device="cuda") for _ in range(2)))


odd_shapes = [(1, 2), (3, 129), (2, 1000)]


if __name__ == "__main__":
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        inputs = [t.to(dtype) for t in get_inputs()]
        torch.testing.assert_close(kernel_fn(*inputs), reference_fn(*inputs), rtol=2e-2, atol=2e-2)
    print("layernorm: close to torch")
