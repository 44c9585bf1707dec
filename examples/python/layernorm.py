# layernorm.py -- (x - mean) / sqrt(variance + eps) * weight + bias of rows, each read once, any type. Run: cutwork run layernorm.py
import cutlass
import cutlass.cute as cute
import torch
from block import Rows, each_row, parameters, row_sum


@cute.kernel
def layernorm(gX: cute.Tensor, gW: cute.Tensor, gB: cute.Tensor, gY: cute.Tensor, eps: cutlass.Float32, rows: cutlass.Constexpr):
    weight, bias = parameters(gW, rows), parameters(gB, rows)

    def work(mine, turn):
        mean = row_sum(mine, rows, lambda x: x, turn) / rows.columns
        variance = row_sum(mine, rows, lambda x: (x - mean) * (x - mean), turn) / rows.columns
        factor = cute.math.rsqrt(variance + eps)
        return lambda x, i, at: (x - mean) * factor * weight(i, at) + bias(i, at)

    each_row(gX, gY, rows, work)


@cute.jit
def launch(x: cute.Tensor, w: cute.Tensor, b: cute.Tensor, y: cute.Tensor, eps: cutlass.Float32, rows: cutlass.Constexpr):
    rows.launch(layernorm(x, w, b, y, eps, rows), x.shape[0])


def kernel_fn(x, w, b, eps=1e-5):
    y = torch.empty_like(x)
    launch(x, w, b, y, eps, Rows.of(x, w, b, y))
    return y


def reference_fn(x, w, b, eps=1e-5):
    return torch.nn.functional.layer_norm(x, w.shape, w, b, eps)


def get_inputs(rows=8, columns=500):
    return (torch.randn(rows, columns, device="cuda"), *(torch.randn(columns, device="cuda") for _ in range(2)))


odd_shapes = [(1, 2), (3, 129), (2, 1000), (5, 4096), (2, 40000)]


if __name__ == "__main__":
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        inputs = [t.to(dtype) for t in get_inputs()]
        torch.testing.assert_close(kernel_fn(*inputs), reference_fn(*inputs), rtol=2e-2, atol=2e-2)
    print("layernorm: close to torch")
