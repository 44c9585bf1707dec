# new.py -- `cutwork new elementwise|reduction DIR`: a project to start from, whose checks pass.

import os
import sys

from . import contract
from .contract import DONE, USAGE, Problem

HEAD = '''# kernel.py -- {what}. Run: cutwork verify kernel.py
import cutlass
import cutlass.cute as cute
import torch

THREADS = {threads}


'''
ELEMENTWISE = '''@cute.kernel
def scaled_add(gX: cute.Tensor, gY: cute.Tensor, gZ: cute.Tensor, scale: cutlass.Float32):
    i = cute.arch.block_idx()[0] * THREADS + cute.arch.thread_idx()[0]
    if i < cute.size(gZ):
        gZ[i] = (gX[i].to(cutlass.Float32) * scale + gY[i].to(cutlass.Float32)).to(gZ.element_type)


@cute.jit
def launch(x: cute.Tensor, y: cute.Tensor, z: cute.Tensor, scale: cutlass.Float32):
    scaled_add(x, y, z, scale).launch(grid=cute.ceil_div(cute.size(z), THREADS), block=THREADS)


def kernel_fn(x, y):
    z = torch.empty_like(x)
    launch(x.view(-1), y.view(-1), z.view(-1), 2.0)
    return z


def reference_fn(x, y):
    return 2.0 * x + y


def get_inputs(rows=64, columns=256):
    return torch.randn(rows, columns, device="cuda"), torch.randn(rows, columns, device="cuda")


odd_shapes = [(1, 1), (7, 33), (3, 1000)]
flops = lambda x, y: 2 * x.numel()  # noqa: E731
'''
REDUCTION = '''@cute.kernel
def row_mean(gX: cute.Tensor, gY: cute.Tensor):
    lane, row = cute.arch.lane_idx(), cute.arch.block_idx()[0] * (THREADS // 32) + cute.arch.warp_idx()
    rows, columns = gX.shape
    if row < rows:
        total = cutlass.Float32(0)
        for column in cutlass.range(lane, columns, 32):
            total += gX[row, column].to(cutlass.Float32)
        total = cute.arch.warp_reduction_sum(total)
        if lane == 0:
            gY[row] = (total / columns).to(gY.element_type)


@cute.jit
def launch(x: cute.Tensor, y: cute.Tensor):
    row_mean(x, y).launch(grid=cute.ceil_div(x.shape[0], THREADS // 32), block=THREADS)


def kernel_fn(x):
    y = torch.empty(x.shape[0], dtype=x.dtype, device=x.device)
    launch(x, y)
    return y


def reference_fn(x):
    return x.mean(1)


def get_inputs(rows=64, columns=256):
    return (torch.randn(rows, columns, device="cuda"),)


odd_shapes = [(1, 1), (7, 33), (3, 1000)]
flops = lambda x: x.numel()  # noqa: E731
'''
TEST = '''# test_kernel.py -- the kernel against its reference, by pytest; on the simulated device where no GPU is. Run: cutwork run test_kernel.py
import os
import sys

import pytest
from cutwork.tools import contract, verify

HERE = os.path.dirname(os.path.abspath(__file__))
contract.prepare()
file = contract.KernelFile(os.path.join(HERE, "kernel.py"))


@pytest.mark.parametrize("shape", [(), *file.odd_shapes()], ids=str)
def test_is_right(shape):
    report = verify.verify_once(file, file.inputs(shape, seed=0), rtol=1e-4, atol=1e-5)
    assert report["passed"], verify.report_text("kernel", report)


if __name__ == "__main__":
    sys.exit(pytest.main([__file__, *sys.argv[1:]]))
'''
BENCH = '''# bench_kernel.py -- how long the kernel takes beside its reference. Run: python bench_kernel.py [OPTIONS]
import os
import sys

from cutwork.tools import bench, contract

if __name__ == "__main__":
    file = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.py")
    sys.exit(contract.run_main("bench", bench.main, [file, *sys.argv[1:]]))
'''
KINDS = {"elementwise": (ELEMENTWISE, "z = 2 x + y, an element a thread", 256),
         "reduction": (REDUCTION, "the mean of each row, a warp a row", 128)}


def parser():
    made = contract.Parser(prog="cutwork new", description="Write a project to start from: kernel.py, test_kernel.py, "
                           "bench_kernel.py")
    made.add_argument("kind", choices=list(KINDS))
    made.add_argument("folder", metavar="DIR", help="a folder that is empty or not there yet")
    return made


def main(arguments):
    options = parser().parse_args(arguments)
    folder = options.folder
    if os.path.exists(folder) and (not os.path.isdir(folder) or os.listdir(folder)):
        raise Problem(USAGE, f"{folder} is there and is no empty folder; nothing was written")
    body, what, threads = KINDS[options.kind]
    files = {"kernel.py": HEAD.format(what=what, threads=threads) + body, "test_kernel.py": TEST, "bench_kernel.py": BENCH}
    try:
        os.makedirs(folder, exist_ok=True)
        for name, text in files.items():
            with open(os.path.join(folder, name), "x", encoding="utf-8") as file:
                file.write(text)
    except OSError as problem:
        raise Problem(USAGE, f"{folder}: {problem.strerror}") from None
    print(f"{folder}: {', '.join(files)}\n  cutwork verify {os.path.join(folder, 'kernel.py')}\n"
          f"  cutwork bench {os.path.join(folder, 'kernel.py')}\n  cutwork run {os.path.join(folder, 'test_kernel.py')}")
    return DONE


if __name__ == "__main__":
    sys.exit(contract.run_main("new", main, sys.argv[1:]))
