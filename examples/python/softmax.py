# softmax.py -- softmax of rows, each read once and kept in registers. Run: cutwork run softmax.py
import cutlass
import cutlass.cute as cute
import torch
from block import LOG2_E, Rows, each_row, exp2, row_softmax


@cute.kernel
def softmax(gX: cute.Tensor, gY: cute.Tensor, rows: cutlass.Constexpr):
    def work(mine, turn):
        largest, factor = row_softmax(mine, rows, turn)
        return lambda x, i, at: exp2(x * LOG2_E - largest) * factor

    each_row(gX, gY, rows, work)


@cute.jit
def launch(x: cute.Tensor, y: cute.Tensor, rows: cutlass.Constexpr):
    rows.launch(softmax(x, y, rows), x.shape[0])


def kernel_fn(x):
    y = torch.empty_like(x)
    launch(x, y, Rows.of(x, y))
    return y


def reference_fn(x):
    return torch.softmax(x, -1)


def get_inputs(rows=8, columns=500):
    return (torch.randn(rows, columns, device="cuda"),)


odd_shapes = [(1, 1), (3, 129), (2, 1000), (5, 4096), (2, 40000)]


if __name__ == "__main__":
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        x = get_inputs()[0].to(dtype)
        torch.testing.assert_close(kernel_fn(x), reference_fn(x))
    print("softmax: close to torch")
