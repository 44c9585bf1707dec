# softmax.py -- softmax of rows, each read once and kept in registers. Run: cutwork run softmax.py
import cutlass
import cutlass.cute as cute
import torch
from block import Rows, load_row, position, row_max, row_sum, vectors, write_row

LOG2_E = 1.4426950408889634


@cute.kernel
def softmax(gX: cute.Tensor, gY: cute.Tensor, rows: cutlass.Constexpr):
    row, thread = position(rows)
    count = gX.shape[0]
    if row < count:
        mine = load_row(vectors(gX, rows, count), row, thread, rows)
        largest = row_max(mine, thread, rows) * LOG2_E

        def exponential(x):
            return cute.math.exp2(x * LOG2_E - largest, fastmath=True)

        factor = 1.0 / row_sum(mine, thread, rows, exponential)
        write_row(vectors(gY, rows, count), row, thread, mine, rows, lambda x, at: exponential(x) * factor)


@cute.jit
def launch(x: cute.Tensor, y: cute.Tensor, rows: cutlass.Constexpr):
    softmax(x, y, rows).launch(grid=rows.grid(x.shape[0]), block=rows.block)


def kernel_fn(x):
    y = torch.empty_like(x)
    launch(x, y, Rows.of(x, y))
    return y


def reference_fn(x):
    return torch.softmax(x, -1)


def get_inputs(rows=8, columns=500):
    return (torch.randn(rows, columns, device="cuda"),)


odd_shapes = [(1, 1), (3, 129), (2, 1000), (5, 4096)]


if __name__ == "__main__":
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        x = get_inputs()[0].to(dtype)
        torch.testing.assert_close(kernel_fn(x), reference_fn(x))
    print("softmax: close to torch")
