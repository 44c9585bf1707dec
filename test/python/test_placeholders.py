# test_placeholders.py -- cute.compile with tensors on the host that kernels take: the compiled function takes those of the GPU.
import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEAD = """
import cutwork.compat, torch, cutlass, cutlass.cute as cute
from cutlass.cute.runtime import from_dlpack

@cute.kernel
def double(x: cute.Tensor, y: cute.Tensor):
    i = cute.arch.thread_idx()[0]
    if i < cute.size(x):
        y[i, 0] = x[i, 0] * 2

@cute.jit
def f(x: cute.Tensor, y: cute.Tensor):
    print("traced", x.layout)
    double(x, y).launch(grid=1, block=32)

@cute.jit
def reads(x: cute.Tensor):
    cute.printf("{}", x[0, 0])

@cute.jit
def mixed(factors: cute.Tensor, pair, n: cutlass.Int32):
    cute.printf("{} {}", factors[0], n)
    double(pair[0], pair[1]).launch(grid=1, block=32)

@cute.jit
def both(x: cute.Tensor):
    cute.printf("{}", x[0, 0])
    double(x, x).launch(grid=1, block=32)

def refused(call):
    try:
        call()
    except ValueError as error:
        print(error.message)

empty = lambda: from_dlpack(torch.empty(1, 1), assumed_align=4).mark_layout_dynamic()
host = lambda *shape: torch.full(shape, 4.0)
a, b = torch.ones(7, 1, device="cuda"), torch.zeros(7, 1, device="cuda")
"""
TO_A_KERNEL = "an array on the host is passed to a kernel, which cannot reach it; copy it to an array on the device\n"
ON_HOST = "argument {}: the array is on the host; the function was compiled for one on a device\n"


@pytest.mark.parametrize(("program", "printed"), [
    # Any tensor of the GPU fits, prepared or not, and what the trace prints is printed once.
    ("c = cute.compile(f, empty(), empty()); c(from_dlpack(a), from_dlpack(b).mark_layout_dynamic()); print(b.sum().item())\n"
     "c(torch.full((3, 1), 5.0, device='cuda'), b); print(b.sum().item())", "traced (?,?):(?{i64},1)\n14.0\n38.0\n"),
    ("c = cute.compile(f, empty(), empty())\nrefused(lambda: c(host(7, 1), b)); refused(lambda: c(a, from_dlpack(host(7, 1))))",
     "traced (?,?):(?{i64},1)\n" + ON_HOST.format("x") + ON_HOST.format("y")),
    ("refused(lambda: f(from_dlpack(host(7, 1)), from_dlpack(host(7, 1))))", "traced (7,1):(1,1)\n" + TO_A_KERNEL),
    ("cute.compile(reads, empty())(host(2, 2))", "4.000000\n"),
    ("c = cute.compile(mixed, from_dlpack(torch.ones(3)), [empty(), empty()], 3); c(host(3), [a, b], 5); print(b.sum().item())\n"
     "refused(lambda: c(host(3).cuda(), [a, b], 5)); refused(lambda: c(host(3), [a, host(1, 1)], 5))",
     "4.000000 5\n14.0\nargument factors: the array is on a device; the function was compiled for one on the host\n" + ON_HOST.format("pair[1]")),
    ("refused(lambda: cute.compile(both, empty()))", TO_A_KERNEL),
    ("import threading\nt = threading.Thread(target=lambda: cute.compile(f, empty(), empty())(a, b)); t.start(); t.join(); print(b.sum().item())",
     "traced (?,?):(?{i64},1)\n" * 2 + "14.0\n"),
])
def test_placeholder(program, printed, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(HEAD + textwrap.dedent(program))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300, check=False,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "build/python"), "CUTWORK_DEVICE": "sim:sm_90a"})
    assert (done.returncode, done.stdout) == (0, printed), done.stderr
