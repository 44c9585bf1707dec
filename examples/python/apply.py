# apply.py -- any function of the elements of any number of tensors: a leaky relu, and a fused a * b + c.
# Run: cutwork run apply.py
from functools import partial

import cutlass
import cutlass.cute as cute
import torch

THREADS, WIDTH = 128, 4


def leaky_relu(x, slope):
    return cute.where(x > 0, x, x * slope)


@cute.kernel
def apply(function: cutlass.Constexpr, inputs: list, result: cute.Tensor):
    i = cute.arch.block_idx()[0] * THREADS + cute.arch.thread_idx()[0]
    if i < cute.size(result, mode=[1]):
        result[None, i] = function(*[tensor[None, i].load() for tensor in inputs])


@cute.jit
def launch(function: cutlass.Constexpr, inputs: list, result: cute.Tensor):
    tiles = [cute.zipped_divide(tensor, (WIDTH,)) for tensor in inputs]
    out = cute.zipped_divide(result, (WIDTH,))
    apply(function, tiles, out).launch(grid=cute.ceil_div(cute.size(out, mode=[1]), THREADS), block=THREADS)


def kernel_fn(a, b, c):
    """The fused product and sum, and the leaky relu of it."""
    out, leaky = torch.empty_like(a), torch.empty_like(a)
    launch(lambda x, y, z: x * y + z, [a, b, c], out)
    launch(partial(leaky_relu, slope=0.01), [out], leaky)
    return {"sum": out, "leaky": leaky}


def reference_fn(a, b, c):
    return {"sum": a * b + c, "leaky": torch.nn.functional.leaky_relu(a * b + c, 0.01)}


def get_inputs(count=4096):
    return tuple(torch.randn(count, device="cuda") for _ in range(3))


odd_shapes = [(4,), (516,)]  # the kernel takes four elements at once


if __name__ == "__main__":
    a, b, c = (torch.randn(4096, device="cuda") for _ in range(3))
    out = torch.empty_like(a)
    launch(partial(leaky_relu, slope=0.01), [a], out)
    torch.testing.assert_close(out, torch.nn.functional.leaky_relu(a, 0.01))
    launch(lambda x, y, z: x * y + z, [a, b, c], out)
    torch.testing.assert_close(out, a * b + c)
    print("apply: close to torch")
