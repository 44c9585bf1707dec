# calls.py -- on a GPU: host time of calls from Python, with 3 and 9 tensors, beside torch.add and a relu kernel checked.

import time

import cutwork.compat  # noqa: F401
import torch

import cutlass
import cutlass.cute as cute
from cutlass.cute.runtime import from_dlpack


@cute.kernel
def copies(x: cute.Tensor, y: cute.Tensor):
    i = cute.arch.block_idx()[0] * 128 + cute.arch.thread_idx()[0]
    if i < cute.size(x):
        y[i] = x[i] if x[i] > 0 else cutlass.Float32(0)


@cute.jit
def three(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    copies(a, c).launch(grid=cute.ceil_div(cute.size(a), 128), block=128)


@cute.jit
def nine(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, d: cute.Tensor, e: cute.Tensor, f: cute.Tensor, g: cute.Tensor,
         h: cute.Tensor, i: cute.Tensor):
    copies(a, i).launch(grid=cute.ceil_div(cute.size(a), 128), block=128)


def microseconds(call, n=2000):
    best = float("inf")
    for _ in range(5):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(n):
            call()
        best = min(best, (time.perf_counter() - start) / n * 1e6)
        torch.cuda.synchronize()
    return best


def main():
    x = [torch.randn(1000, device="cuda") for _ in range(9)]
    of_three, of_nine = cute.compile(three, *x[:3]), cute.compile(nine, *x)
    of_three(*x[:3])
    assert torch.equal(x[2], x[0].relu())
    prepared = [from_dlpack(t).mark_layout_dynamic() for t in x]
    rows = [("torch.add", lambda: torch.add(x[0], x[1], out=x[2])), ("3 torch tensors", lambda: of_three(*x[:3])),
            ("3 prepared tensors", lambda: of_three(*prepared[:3])), ("9 torch tensors", lambda: of_nine(*x)),
            ("9 prepared tensors", lambda: of_nine(*prepared)), ("3, calling the jit function", lambda: three(*x[:3]))]
    for name, call in rows:
        print(f"{name:30} {microseconds(call, 200 if 'jit' in name else 2000):9.2f} us")


main()
