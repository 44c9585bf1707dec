# layernorm.py -- (x - mean) / sqrt(variance + eps) * weight + bias of rows, each read once, any type. Run: cutwork run layernorm.py
import cutlass
import cutlass.cute as cute
import torch
from block import Rows, load_row, position, row_sum, vector_of, vectors, write_row


@cute.kernel
def layernorm(gX: cute.Tensor, gW: cute.Tensor, gB: cute.Tensor, gY: cute.Tensor, eps: cutlass.Float32, rows: cutlass.Constexpr):
    row, thread = position(rows)
    count = gX.shape[0]
    if row < count:
        mine = load_row(vectors(gX, rows, count), row, thread, rows)
        mean = row_sum(mine, thread, rows, lambda x: x) / rows.columns
        variance = row_sum(mine, thread, rows, lambda x: (x - mean) * (x - mean)) / rows.columns
        factor = cute.math.rsqrt(variance + eps)
        weight, bias = vectors(gW, rows), vectors(gB, rows)
        write_row(vectors(gY, rows, count), row, thread, mine, rows,
                  lambda x, at: (x - mean) * factor * vector_of(weight, at) + vector_of(bias, at))


@cute.jit
def launch(x: cute.Tensor, w: cute.Tensor, b: cute.Tensor, y: cute.Tensor, eps: cutlass.Float32, rows: cutlass.Constexpr):
    layernorm(x, w, b, y, eps, rows).launch(grid=rows.grid(x.shape[0]), block=rows.block)


def kernel_fn(x, w, b, eps=1e-5):
    y = torch.empty_like(x)
    launch(x, w, b, y, eps, Rows.of(x, w, b, y))
    return y


def reference_fn(x, w, b, eps=1e-5):
    return torch.nn.functional.layer_norm(x, w.shape, w, b, eps)


def get_inputs(rows=8, columns=500):
    return (torch.randn(rows, columns, device="cuda"), *(torch.randn(columns, device="cuda") for _ in range(2)))


odd_shapes = [(1, 2), (3, 129), (2, 1000), (5, 4096)]


if __name__ == "__main__":
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        inputs = [t.to(dtype) for t in get_inputs()]
        torch.testing.assert_close(kernel_fn(*inputs), reference_fn(*inputs), rtol=2e-2, atol=2e-2)
    print("layernorm: close to torch")
