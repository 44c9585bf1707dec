# gelu.py -- the GELU with tanh, with the names that `cutwork verify` takes. Run: cutwork run gelu.py
import math

import cutlass
import cutlass.cute as cute
import torch

THREADS, WIDTH = 128, 4


@cute.kernel
def gelu(gX: cute.Tensor, gY: cute.Tensor):
    i = cute.arch.block_idx()[0] * THREADS + cute.arch.thread_idx()[0]
    if i < cute.size(gX, mode=[1]):
        x = gX[None, i].load().to(cutlass.Float32)
        inner = (x * x * x * 0.044715 + x) * math.sqrt(2 / math.pi)
        gY[None, i] = (x * 0.5 * (cute.math.tanh(inner) + 1.0)).to(gY.element_type)


@cute.jit
def launch(x: cute.Tensor, y: cute.Tensor):
    gX, gY = cute.zipped_divide(x, (WIDTH,)), cute.zipped_divide(y, (WIDTH,))
    gelu(gX, gY).launch(grid=cute.ceil_div(cute.size(gX, mode=[1]), THREADS), block=THREADS)


def kernel_fn(x):
    y = torch.empty_like(x)
    launch(x.view(-1), y.view(-1))
    return y


def reference_fn(x):
    return torch.nn.functional.gelu(x, approximate="tanh")


def get_inputs(rows=64, columns=256):
    return (torch.randn(rows, columns, device="cuda"),)


odd_shapes = [(1, 4), (3, 20), (127, 36)]  # the kernel takes four elements at once


if __name__ == "__main__":
    for dtype in (torch.float32, torch.bfloat16):
        x = get_inputs()[0].to(dtype)
        torch.testing.assert_close(kernel_fn(x), reference_fn(x))
    print("gelu: close to torch")
