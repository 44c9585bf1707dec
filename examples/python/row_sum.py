# row_sum.py -- the sum of each row: a warp a row, a shuffle at the end. Run: cutwork run row_sum.py
import cutlass
import cutlass.cute as cute
import numpy as np
import torch
from cutlass.cute.runtime import from_dlpack

WARPS = 4


@cute.kernel
def row_sum(x: cute.Tensor, out: cute.Tensor):
    lane, row = cute.arch.lane_idx(), cute.arch.block_idx()[0] * WARPS + cute.arch.warp_idx()
    rows, columns = x.shape
    if row < rows:
        total = cutlass.Float32(0)
        for column in cutlass.range(lane, columns, 32):
            total += x[row, column].to(cutlass.Float32)
        total = cute.arch.warp_reduction_sum(total)
        if lane == 0:
            out[row] = total


@cute.jit
def launch(x: cute.Tensor, out: cute.Tensor):
    row_sum(x, out).launch(grid=cute.ceil_div(x.shape[0], WARPS), block=32 * WARPS)


def kernel_fn(x):
    out = torch.empty(x.shape[0], device=x.device)
    launch(from_dlpack(x).mark_layout_dynamic(), from_dlpack(out).mark_layout_dynamic())
    return out


def reference_fn(x):
    return x.sum(1)


def get_inputs(rows=8, columns=100):
    return (torch.randn(rows, columns, device="cuda"),)


odd_shapes = [(1, 1), (5, 32), (3, 1001)]
flops = lambda x: x.numel()  # noqa: E731


if __name__ == "__main__":
    for rows, columns in ((8, 100), (5, 32), (1, 1)):
        x = torch.randn(rows, columns, device="cuda")
        np.testing.assert_allclose(kernel_fn(x).cpu().numpy(), x.cpu().numpy().sum(1), rtol=1e-5, atol=1e-5)
    print("row_sum: close to numpy")
