# tvm_ffi_check.py -- compiled functions as tvm_ffi.Function: run where apache-tvm-ffi is installed, with a GPU or without.
"""python tvm_ffi_check.py: checks, then host times of both ways to call. Exit code 1 if something is wrong."""

import time

import cutwork.compat  # noqa: F401
import torch
import tvm_ffi

import cutlass
import cutlass.cute as cute
from cutlass.cute.runtime import make_fake_stream

GPU = torch.cuda.is_available()


@cute.kernel
def scale(x: cute.Tensor, n: cutlass.Float32, y: cute.Tensor):
    i = cute.arch.thread_idx()[0]
    y[i] = x[i] * n


@cute.jit
def on_gpu(x: cute.Tensor, n: cutlass.Float32, y: cute.Tensor, stream):
    scale(x, n, y).launch(grid=1, block=32, stream=stream)


@cute.jit
def on_host(x: cute.Tensor, n: cutlass.Float32, y: cute.Tensor, stream):
    for i in range(32):
        y[i] = x[i] * n


@cute.jit
def empty(x: cute.Tensor, n: cutlass.Float32, y: cute.Tensor, stream):
    pass


def refused(call, *parts):
    try:
        call()
    except Exception as error:
        assert all(part in str(error) for part in parts), error
        return
    raise AssertionError(f"no error with {parts}")


def microseconds(call, n=20000):
    best = float("inf")
    for _ in range(10):
        start = time.perf_counter()
        for _ in range(n // 10):
            call()
        best = min(best, (time.perf_counter() - start) / (n // 10) * 1e6)
    return best


def main():
    device = "cuda" if GPU else "cpu"
    x, y = torch.arange(32.0, device=device), torch.zeros(32, device=device)
    stream = make_fake_stream(use_tvm_ffi_env_stream=True)
    f = cute.compile(on_gpu if GPU else on_host, x, 2.0, y, stream, options="--enable-tvm-ffi")
    assert isinstance(f, tvm_ffi.Function) and f.__mlir__ and f.ptx is not None
    f(x, 3.0, y)
    assert torch.equal(y, x * 3)
    # As other users of tvm_ffi call it: through the library's convention.
    plain = tvm_ffi.Function.__call__
    plain(f, x, 4.0, y)
    assert torch.equal(y, x * 4)
    plain(f, tvm_ffi.from_dlpack(x), 5, y)
    assert torch.equal(y, x * 5)
    for call in (f, lambda *arguments: plain(f, *arguments)):
        refused(lambda: call(x.double(), 3.0, y), "argument x", "float64")
        refused(lambda: call(x, 3.0, y[None]), "argument y", "rank")
        refused(lambda: call(x, 3.0), "argument")
    refused(lambda: plain(f, x, x, y), "argument n")
    g = cute.compile(empty, x, 2.0, y, stream, options="--enable-tvm-ffi")
    print(f"from Python {microseconds(lambda: g(x, 2.0, y)):.2f} us, through tvm_ffi {microseconds(lambda: plain(g, x, 2.0, y)):.2f} us, "
          f"without tvm_ffi {microseconds(lambda: g.compiled(x, 2.0, y)):.2f} us")


main()
