# calls.py -- host time of calls from Python, 3 and 9 tensors, beside torch.add, Triton and a bare cuLaunchKernel, in one run.
"""On a machine with a GPU: PYTHONPATH=... python calls.py [--cc COMPILER]. A table in Markdown. With `--host` it runs
anywhere: empty host functions without a kernel over CPU tensors, so that what is timed is reading, checking and encoding."""

import ctypes
import os
import statistics
import subprocess
import sys
import tempfile
import time

import cutwork.compat  # noqa: F401
import torch

import cutlass
import cutlass.cute as cute
from cutlass.cute.runtime import from_dlpack

HOST = "--host" in sys.argv
DEVICE = "cpu" if HOST else "cuda"


@cute.kernel
def relu(x: cute.Tensor, y: cute.Tensor):
    i = cute.arch.block_idx()[0] * 128 + cute.arch.thread_idx()[0]
    if i < cute.size(x):
        y[i] = x[i] if x[i] > 0 else cutlass.Float32(0)


@cute.jit
def three(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    if cutlass.const_expr(not HOST):
        relu(a, c).launch(grid=cute.ceil_div(cute.size(a), 128), block=128)


@cute.jit
def nine(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, d: cute.Tensor, e: cute.Tensor, f: cute.Tensor, g: cute.Tensor,
         h: cute.Tensor, i: cute.Tensor):
    if cutlass.const_expr(not HOST):
        relu(a, i).launch(grid=cute.ceil_div(cute.size(a), 128), block=128)


def wait():
    if not HOST:
        torch.cuda.synchronize()


def measure(ways, rounds=60, batch=100):
    """Microseconds of a call, the median of rounds in which each way has its turn."""
    times = {name: [] for name in ways}
    for call in ways.values():
        for _ in range(50):
            call()
    for _ in range(rounds):
        for name, call in ways.items():
            wait()
            start = time.perf_counter()
            for _ in range(batch):
                call()
            times[name].append((time.perf_counter() - start) / batch * 1e6)
    return {name: statistics.median(row) for name, row in times.items()}


def bare_launch():
    """name: microseconds of cuLaunchKernel alone, in C, with 3 and 9 pointers."""
    compiler = sys.argv[sys.argv.index("--cc") + 1] if "--cc" in sys.argv else "cc"
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bare.c")
    library = os.path.join(tempfile.mkdtemp(), "bare.so")
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", source, "-o", library, "-ldl"], check=True)
    bare = ctypes.CDLL(library)
    bare.bare.restype = ctypes.c_double
    bare.bare.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
    driver = ctypes.CDLL("libcuda.so.1")
    torch.cuda.current_stream().synchronize()  # its context is current
    found = {}
    for count in (3, 9):
        parameters = ", ".join(f".param .u64 p{i}" for i in range(count))
        ptx = f".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k({parameters}) {{ ret; }}\n"
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        if driver.cuModuleLoadData(ctypes.byref(module), ptx.encode()) or driver.cuModuleGetFunction(
                ctypes.byref(function), module, b"k"):
            raise SystemExit("the driver refuses the empty kernel")
        rows = []
        for _ in range(60):
            wait()
            rows.append(bare.bare(function, count, None, 100) / 1000)
        found[f"bare cuLaunchKernel in C, {count} pointers"] = statistics.median(rows)
    return found


def triton_ways(x):
    import triton
    import triton.language as tl

    @triton.jit
    def kernel(a, b, c, n, block: tl.constexpr):
        i = tl.program_id(0) * block + tl.arange(0, block)
        tl.store(c + i, tl.maximum(tl.load(a + i, mask=i < n), 0.0), mask=i < n)

    return {"Triton, 3 torch tensors": lambda: kernel[(8,)](x[0], x[1], x[2], 1000, block=128)}


def main():
    x = [torch.randn(1000, device=DEVICE) for _ in range(9)]
    a, b, c, d, e, f, g, h, i = x
    of_three, of_nine = cute.compile(three, *x[:3]), cute.compile(nine, *x)
    ffi_three = cute.compile(three, *x[:3], options="--enable-tvm-ffi")
    if not HOST:
        for call in (of_three, ffi_three, three):
            c.zero_()
            call(a, b, c)
            assert torch.equal(c, a.relu())
    p = [from_dlpack(t).mark_layout_dynamic() for t in x]
    pa, pb, pc = p[:3]
    ways = {
        "an empty Python call": lambda: None,
        "torch.add(a, b, out=c)": lambda: torch.add(a, b, out=c),
        "compiled, 3 torch tensors": lambda: of_three(a, b, c),
        "compiled, 9 torch tensors": lambda: of_nine(a, b, c, d, e, f, g, h, i),
        "compiled, 3 prepared tensors": lambda: of_three(pa, pb, pc),
        "compiled, 9 prepared tensors": lambda: of_nine(*p),
        "compiled with --enable-tvm-ffi, 3 torch tensors": lambda: ffi_three(a, b, c),
        "@cute.jit called again, 3 torch tensors": lambda: three(a, b, c),
        "@cute.jit called again, 9 torch tensors": lambda: nine(a, b, c, d, e, f, g, h, i),
        "compiled, from_dlpack at each call, 3": lambda: of_three(*[from_dlpack(t).mark_layout_dynamic() for t in (a, b, c)]),
    }
    if not HOST:
        ways.update(triton_ways(x))
    found = measure(ways)
    if not HOST:
        found.update(bare_launch())
    print("| call | us |\n| --- | --- |")
    for name, value in found.items():
        print(f"| {name} | {value:.2f} |")


main()
