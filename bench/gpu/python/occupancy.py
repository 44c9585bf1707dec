# occupancy.py -- occupancy by the architecture's rules beside what the driver says, on a GPU.
"""PYTHONPATH=build/python .venv/bin/python bench/gpu/python/occupancy.py: a line for each difference; exit code 1 if there is one.
Also prints the clusters of each size that the device holds, and provokes a failing check of cute.testing.assert_."""

import sys

import cutwork.compat  # noqa: F401
import torch

import cutlass
import cutlass.cute as cute
from cutlass.cute.runtime import from_dlpack


@cute.kernel
def sums(x: cute.Tensor, y: cute.Tensor, count: cutlass.Constexpr):
    i = cute.arch.thread_idx()[0]
    r = cute.make_rmem_tensor((count,), cutlass.Float32)
    for k in cutlass.range_constexpr(count):
        r[k] = x[i, k]
    cute.arch.sync_threads()
    total = cutlass.Float32(0)
    for k in cutlass.range_constexpr(count):
        total = total * r[k] + r[count - 1 - k]
    y[i] = total


@cute.jit
def host(x: cute.Tensor, y: cute.Tensor, count: cutlass.Constexpr, threads: cutlass.Int32):
    sums(x, y, count).launch(grid=1, block=(threads, 1, 1))


@cute.kernel
def checked(x: cute.Tensor):
    cute.testing.assert_(x[cute.arch.thread_idx()[0]] > 0.0, "above zero")


@cute.jit
def check(x: cute.Tensor):
    checked(x).launch(grid=1, block=32)


def main():
    x, y = torch.zeros(1024, 256, device="cuda"), torch.zeros(1024, device="cuda")
    wrong = count = 0
    for size in (1, 8, 24, 40, 64, 96, 128, 200):
        made = cute.compile(host, from_dlpack(x), from_dlpack(y), size, 32)
        registers = made.kernel_info["sums_0"]["registers"]
        for threads in (1, 32, 33, 96, 128, 160, 256, 384, 512, 768, 1000, 1024):
            for smem in (0, 1, 127, 1000, 8192, 48 * 1024, 64 * 1024, 100 * 1024, 227 * 1024):
                by_rules = made._core.occupancy(None, "sums_0", threads, smem)["blocks"]
                try:
                    by_driver = made.occupancy(threads, dynamic_smem=smem)["blocks"]
                except Exception as problem:
                    by_driver = f"refused ({problem})"
                count += 1
                if by_rules != by_driver and not (by_rules == 0 and str(by_driver).startswith("refused")):
                    wrong += 1
                    print(f"{registers} registers, {threads} threads, {smem} bytes: rules {by_rules}, driver {by_driver}")
    print(f"{count} questions, {wrong} differences")
    hardware = cutlass.utils.HardwareInfo()
    print({n: hardware.get_max_active_clusters(n) for n in (1, 2, 4, 8, 16)})
    sys.stdout.flush()
    try:  # the last thing: a trap ends the context
        cute.compile(check, from_dlpack(y), options="--enable-assertions")(from_dlpack(y))
        torch.cuda.synchronize()
        wrong += 1
        print("the failing check is not reported")
    except Exception as problem:
        print(f"the failing check: {type(problem).__name__}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
