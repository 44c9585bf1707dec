# sgemm.py -- on a GPU: float32 products without tensor cores, ours and the public program's, beside torch; TFLOP/s.
"""sgemm.py [--size N] [--examples FOLDER] [--cutwork PROGRAM]

A table in Markdown, all in one run, TF32 off. --size: M = N = K, 4096 by default. --examples: a checkout of NVIDIA/cutlass,
whose sgemm.py is timed as well. --cutwork: the command line, whose C++ cases are. PYTHONPATH has the package
(bench/gpu/python). On the simulated device it shows that it runs, with --size 128, and no times of a GPU."""

import argparse
import importlib.util
import pathlib
import re
import subprocess

import cutwork.compat  # noqa: F401
from cutwork import _simulation

_simulation.activate_if_needed()

import torch  # noqa: E402

import cutlass.cute as cute  # noqa: E402
from cutlass.cute.runtime import from_dlpack  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PUBLIC = "examples/python/CuTeDSL/cute/ampere/kernel/dense_gemm/sgemm.py"


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def microseconds(call, repeats=20):
    """The median of `repeats` calls between events."""
    for _ in range(3):
        call()
    times = []
    for _ in range(repeats):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) * 1e3)
    return sorted(times)[len(times) // 2]


def ours(a, b, want):
    """examples/python/sgemm.py: a (M,K), b (N,K), both with k contiguous."""
    c = torch.empty_like(want)
    tensors = [from_dlpack(t, assumed_align=16) for t in (a, b, c)]
    compiled = cute.compile(load(ROOT / "examples/python/sgemm.py").launch, *tensors)
    compiled(*tensors)
    torch.testing.assert_close(c, want, rtol=1e-4, atol=1e-2)
    return microseconds(lambda: compiled(*tensors))


def public(folder, n, orders):
    """The public program's own run: it checks its result and times it."""
    module = load(pathlib.Path(folder) / PUBLIC)
    return module.run((n, n, n), *orders, warmup_iterations=3, iterations=20)


def case(program, name, n):
    """A C++ case by `cutwork bench`."""
    done = subprocess.run([program, "bench", name, "--shape", f"{n}x{n}x{n}"], capture_output=True, text=True, check=True)
    print(done.stdout.strip())
    found = re.search(r"([\d.]+) GFLOP/s", done.stdout)
    return 2.0 * n**3 / float(found[1]) / 1e3 if found else float("nan")


def main():
    parser = argparse.ArgumentParser(description="sgemm in TFLOP/s")
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--examples")
    parser.add_argument("--cutwork")
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.manual_seed(0)
    n = options.size
    a, b = torch.randn(n, n, device="cuda"), torch.randn(n, n, device="cuda")
    want = a @ b.t()
    rows = [("torch, a @ b.T, TF32 off", microseconds(lambda: torch.mm(a, b.t(), out=want)))]
    rows.append(("examples/python/sgemm.py, k contiguous", ours(a, b, want)))
    if options.examples:
        for orders in (("m", "n", "n"), ("k", "k", "n")):
            rows.append((f"the public sgemm.py, {'-'.join(orders)} major", public(options.examples, n, orders)))
    if options.cutwork:
        rows += [(f"C++ case {name}", case(options.cutwork, name, n)) for name in ("sgemm", "sgemm_async")]
    print(f"\n{torch.cuda.get_device_name()}, M = N = K = {n}\n\n| program | us | TFLOP/s | of torch |\n| --- | --- | --- | --- |")
    for name, time in rows:
        print(f"| {name} | {time:.1f} | {2.0 * n**3 / time / 1e6:.2f} | {rows[0][1] / time:.2f} |")


if __name__ == "__main__":
    main()
