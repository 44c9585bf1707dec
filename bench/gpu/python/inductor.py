# inductor.py -- on a GPU: PyTorch's CuteDSL path with Cutwork: a template for add, tuned, through torch.compile; T1-T13; a table.
"""Run with the built package: PYTHONPATH=build/python python bench/gpu/python/inductor.py [--json FILE]. Exit code 1: something
failed. The winner of T7 is called through CuteDSLKernelWrapper, which is counted here."""

import argparse
import json
import pathlib
import sys
import time

import cutwork.inductor

cutwork.inductor.install()
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "test/python"))

import inductor_checks  # noqa: E402
import torch  # noqa: E402
from inductor_lowering import ADD, lowering  # noqa: E402
from torch._inductor import config  # noqa: E402
from torch._inductor.codegen.cutedsl.cutedsl_kernel import CuteDSLKernelWrapper  # noqa: E402
from torch._inductor.lowering import lowerings  # noqa: E402
from torch._inductor.utils import run_and_get_code  # noqa: E402

calls = []


def add(template, variants):
    """As inductor_checks asks: torch.compile of an add whose lowering is the template."""
    shape = (128, 128) if len(variants) > 1 else (128, 4)
    left, right = (torch.randn(shape, device="cuda") for _ in range(2))
    original, lowerings[ADD] = lowerings[ADD], lowering(template, variants)
    torch._dynamo.reset()
    counted = CuteDSLKernelWrapper.run

    def run(self, *arguments, **keywords):
        calls.append(self.kernel_path)
        return counted(self, *arguments, **keywords)

    CuteDSLKernelWrapper.run = run  # only to count: the check is that torch calls it
    try:
        with config.patch(fx_graph_cache=False, autotune_local_cache=False, force_disable_caches=True):
            before = len(calls)
            result, (text,) = run_and_get_code(torch.compile(lambda a, b: a + b), left, right)
            assert len(calls) == before + 1, "the kernel was not called through CuteDSLKernelWrapper"
    finally:
        CuteDSLKernelWrapper.run, lowerings[ADD] = counted, original
    return text, result, (left, right)


def main():
    parser = argparse.ArgumentParser(description="T1-T13 of PyTorch's CuteDSL path on this GPU")
    parser.add_argument("--json", help="a file for the results")
    options = parser.parse_args()
    start = time.perf_counter()
    results = inductor_checks.run(add)
    for name, problem in results.items():
        print(f"{name:32} {'fail' if problem else 'pass'}")
        if problem:
            print(problem)
    failed = sum(map(bool, results.values()))
    print(f"{len(results) - failed} passed, {failed} failed, torch {torch.__version__}, {torch.cuda.get_device_name()}, "
          f"{time.perf_counter() - start:.0f} s")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
