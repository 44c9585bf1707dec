# rmsnorm.py -- x / sqrt(mean(x^2) + eps) * weight of rows, each read once, any type. Run: cutwork run rmsnorm.py
import cutlass
import cutlass.cute as cute
import torch
from block import Rows, each_row, parameters, row_sum


@cute.kernel
def rmsnorm(gX: cute.Tensor, gW: cute.Tensor, gY: cute.Tensor, eps: cutlass.Float32, rows: cutlass.Constexpr):
    weight = parameters(gW, rows)

    def work(mine, turn):
        factor = cute.math.rsqrt(row_sum(mine, rows, lambda x: x * x, turn) / rows.columns + eps)
        return lambda x, i, at: x * factor * weight(i, at)

    each_row(gX, gY, rows, work)


@cute.jit
def launch(x: cute.Tensor, w: cute.Tensor, y: cute.Tensor, eps: cutlass.Float32, rows: cutlass.Constexpr):
    rows.launch(rmsnorm(x, w, y, eps, rows), x.shape[0])


def kernel_fn(x, w, eps=1e-5):
    y = torch.empty_like(x)
    launch(x, w, y, eps, Rows.of(x, w, y))
    return y


def reference_fn(x, w, eps=1e-5):
    return torch.nn.functional.rms_norm(x, w.shape, w, eps)


def get_inputs(rows=8, columns=500):
    return torch.randn(rows, columns, device="cuda"), torch.randn(columns, device="cuda")


odd_shapes = [(1, 1), (3, 129), (2, 1000), (5, 4096), (2, 40000)]


if __name__ == "__main__":
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        inputs = [t.to(dtype) for t in get_inputs()]
        torch.testing.assert_close(kernel_fn(*inputs), reference_fn(*inputs), rtol=2e-2, atol=2e-2)
    print("rmsnorm: close to torch")
