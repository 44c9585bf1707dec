# testing.py -- on a GPU: cute.testing.benchmark in all its ways beside each other, the stream check, convert; a table.
"""Run with the built package: PYTHONPATH=build/python python bench/gpu/python/testing.py. Exit code 1: something is wrong."""

import sys

import cutwork.compat  # noqa: F401
import torch

import cuda.bindings.driver as driver
import cutlass
import cutlass.cute as cute
import cutlass.testing as testing
from cutlass.cute.runtime import from_dlpack

ROWS, COLUMNS = 4096, 4096


@cute.kernel
def device(x: cute.Tensor, y: cute.Tensor):
    i = cute.arch.block_idx()[0] * 256 + cute.arch.thread_idx()[0]
    if i < cute.size(x):
        y[i] = x[i] * 2.0


@cute.jit
def double(x: cute.Tensor, y: cute.Tensor, stream: driver.CUstream):
    device(x, y).launch(grid=cute.ceil_div(cute.size(x), 256), block=256, stream=stream)


def refused(call):
    try:
        call()
    except ValueError as problem:
        return str(problem).splitlines()[0]
    return ""


def main():
    side, other = torch.cuda.Stream(), torch.cuda.Stream()
    stream, elsewhere = driver.CUstream(side.cuda_stream), driver.CUstream(other.cuda_stream)
    x, y = torch.randn(ROWS * COLUMNS, device="cuda"), torch.empty(ROWS * COLUMNS, device="cuda")
    compiled = cute.compile(double, x, y, stream)
    made = lambda s=stream: testing.JitArguments(torch.randn_like(x), torch.empty_like(x), s)  # noqa: E731
    count = testing.get_workspace_count(2 * x.numel() * 4, 10, 100)
    failed = 0
    for name, options in {"default stream": {"workspace_generator": lambda: made(driver.CUstream(0))}, "stream": {"stream": stream},
                          "graphs": {"stream": stream, "use_cuda_graphs": True}, "kernels": {"stream": stream, "use_cupti": True},
                          "graphs, kernels": {"stream": stream, "use_cuda_graphs": True, "use_cupti": True}}.items():
        options = {"workspace_generator": made, "workspace_count": count, **options}
        taken = testing.benchmark(compiled, **options)
        print(f"{name:20} {taken:9.2f} us {2 * x.numel() * 4 / taken * 1e-3:9.1f} GB/s")
        failed += not taken > 0
    for name, call in {"another stream": lambda: testing.benchmark(compiled, stream=stream, kernel_arguments=made(elsewhere)),
                       "the default stream": lambda: testing.benchmark(compiled, stream=stream,
                                                                       kernel_arguments=made(driver.CUstream(0))),
                       "graphs without a stream": lambda: testing.benchmark(compiled, kernel_arguments=made(), use_cuda_graphs=True),
                       }.items():
        text = refused(call)
        failed += not text
        print(f"refused, {name}: {text or 'NO'}")
    for of in (torch.float16, torch.bfloat16, torch.float64):
        out = torch.empty(64, 64, device="cuda", dtype=of)
        source = torch.randn(64, 64, device="cuda")
        testing.convert(source, out)
        right = torch.equal(out, source.to(of))
        failed += not right
        print(f"convert to {of}: {'right' if right else 'WRONG'}")
    narrow = from_dlpack(torch.empty(64, 64, device="cuda", dtype=torch.uint8))
    narrow.element_type = cutlass.Float8E4M3FN
    testing.convert(source, narrow)
    testing.convert(narrow, back := torch.empty_like(source))
    right = torch.equal(back, source.to(torch.float8_e4m3fn).float())
    print(f"convert to e4m3 and back: {'right' if right else 'WRONG'}")
    print("passed" if not failed and right else "FAILED")
    return int(bool(failed or not right))


if __name__ == "__main__":
    sys.exit(main())
