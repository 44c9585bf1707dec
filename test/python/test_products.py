# test_products.py -- cp.async, tiled products and C structures from Python: what they compute, print and refuse.
import ctypes
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "build/python"), "CUTWORK_DEVICE": "sim:sm_90a"}
BEGIN = """import cutlass
import cutlass.cute as cute
import cutlass.torch
import torch
from cutlass.cute.runtime import from_dlpack
"""


def run(tmp_path, text):
    """Lines that a program prints."""
    script = tmp_path / "program.py"
    script.write_text(BEGIN + text)
    done = subprocess.run([sys.executable, "-m", "cutwork", script], env=ENVIRONMENT, capture_output=True, text=True,
                          timeout=300, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


COPY = """
@cute.kernel
def through(x: cute.Tensor, y: cute.Tensor, op: cutlass.Constexpr, bits: cutlass.Constexpr, skip: cutlass.Constexpr):
    s = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(8), 16)
    s.fill(-1.0)
    atom = cute.make_copy_atom(op, cutlass.Float32, num_bits_per_copy=bits)
    values = bits // 32
    source, target = cute.logical_divide(x, (values,)), cute.logical_divide(s, (values,))
    pred = cute.make_rmem_tensor((8 // values,), cutlass.Boolean)
    for i in cutlass.range_constexpr(8 // values):
        pred[i] = i != skip
    cute.copy(atom, source, target, pred=pred)
    cute.arch.cp_async_commit_group()
    cute.arch.cp_async_wait_group(0)
    cute.autovec_copy(s, y)

@cute.jit
def go(x: cute.Tensor, y: cute.Tensor, op: cutlass.Constexpr, bits: cutlass.Constexpr, skip: cutlass.Constexpr):
    through(x, y, op, bits, skip).launch(grid=1, block=1)

def copied(op, bits, skip):
    x, y = torch.arange(8.0, device="cuda"), torch.empty(8, device="cuda")
    go(from_dlpack(x, assumed_align=16), from_dlpack(y, assumed_align=16), op, bits, skip)
    return [int(v) for v in y.cpu().tolist()]
"""


def test_copies_fill_with_zeros_or_keep(tmp_path):
    lines = run(tmp_path, COPY + """
op, GLOBAL = cute.nvgpu.cpasync.CopyG2SOp, cute.nvgpu.LoadCacheMode.GLOBAL
print(copied(op(), 32, 3))
print(copied(op(zero_fill=False), 64, 1))
print(copied(op(cache_mode=GLOBAL), 128, 1))
print(op(GLOBAL), op(zero_fill=False))
""")
    assert lines == ["[0, 1, 2, 0, 4, 5, 6, 7]", "[0, 1, -1, -1, 4, 5, 6, 7]", "[0, 1, 2, 3, 0, 0, 0, 0]",
                     "CopyG2SOp(LoadCacheMode.GLOBAL) CopyG2SOp(LoadCacheMode.ALWAYS, zero_fill=False)"]


REFUSED = {
    "copied(cute.nvgpu.cpasync.CopyG2SOp(), 256, 9)": "no cp.async copy of 256 bits at once on sm_90a; there are 32, 64, 128",
    "copied(cute.nvgpu.cpasync.CopyG2SOp(cute.nvgpu.LoadCacheMode.GLOBAL), 32, 9)": "past L1 of 32 bits",
    "cute.nvgpu.cpasync.CopyG2SOp(cute.nvgpu.LoadCacheMode.STREAMING)": "LoadCacheMode.ALWAYS or LoadCacheMode.GLOBAL was expected",
    "cute.make_tiled_mma(cute.nvgpu.CopyUniversalOp())": "is no matrix operation such as MmaUniversalOp(Float32)",
    "cute.make_tiled_mma(cute.nvgpu.MmaUniversalOp(cutlass.Int8))": "there is no multiply-add of Int8",
    "cute.make_tiled_mma(FMA, (4, 2, 1), (6, None, None))": "the permutation 6:1 of M has 6 elements, no multiple of the 4",
    "cute.make_tiled_mma(FMA, (4, 2, 1)).partition_shape_A((6, 2))": "6 elements in M are no multiple of the tiled MMA's 4",
    "cute.make_tiled_mma(FMA).set('ACCUMULATE', False)": "MmaUniversalOp(Float32) has no field ACCUMULATE",
    "cute.gemm(cute.make_mma_atom(FMA), 1, 2, 3, 4)": "a tensor was expected as d, not int",
}


@pytest.mark.parametrize("call", REFUSED)
def test_refusals(call, tmp_path):
    lines = run(tmp_path, COPY + f"""
FMA = cute.nvgpu.MmaUniversalOp(cutlass.Float32)
@cute.jit
def host():
    {call}
try:
    {call if call.startswith("copied") else "host()"}
except Exception as error:
    print(type(error).__name__, str(error).replace(chr(10), " "))
""")
    assert len(lines) == 1 and REFUSED[call] in lines[0], lines


def test_refusals_name_the_line_of_the_program(tmp_path):
    lines = run(tmp_path, """
@cute.kernel
def wrong(x: cute.Tensor):
    mma = cute.make_tiled_mma(cute.nvgpu.MmaUniversalOp(cutlass.Float32), (2, 2, 1))
    c = mma.make_fragment_C((1, 2, 2))
    cute.gemm(mma, c, cute.make_rmem_tensor((1, 2), cutlass.Float32), cute.make_rmem_tensor((1, 3), cutlass.Float32), c)

@cute.jit
def host(x: cute.Tensor):
    wrong(x).launch(grid=1, block=4)

try:
    host(torch.zeros(4, device="cuda"))
except Exception as error:
    print(str(error))
""")
    text = " ".join(lines)
    assert "gemm: B of shape (1,3) and C of shape (1,2,2) differ in N: 3 and 2" in text
    line = 1 + (BEGIN.count("\n") + 6)
    assert re.search(rf"program\.py:{line - 1}\b", text), text


def test_a_tiled_product_says_what_it_is(tmp_path):
    lines = run(tmp_path, """
mma = cute.make_tiled_mma(cute.nvgpu.MmaUniversalOp(cutlass.Float32), cute.make_layout((16, 8, 1), stride=(8, 1, 0)),
                          permutation_mnk=(cute.make_layout((16, 4), stride=(4, 1)), 16, None))
print(mma.thr_layout_vmnk, mma.thr_id, mma.shape_mnk, mma.size, cute.size(mma), mma.op)
print(mma.permutation_mnk, [mma.get_tile_size(i) for i in range(3)])
print(mma.partition_shape_A((128, 8)), mma.partition_shape_B((32, 8)), mma.partition_shape_C((128, 32)))
print(mma.tv_layout_A, mma.tv_layout_B_tiled, mma.tv_layout_C_tiled)
atom = cute.make_mma_atom(cute.nvgpu.MmaUniversalOp(cutlass.Float16))
print(atom.op == cute.nvgpu.MmaUniversalOp(cutlass.Float16), atom.c_dtype.__name__, str(atom).splitlines()[2])
print(cute.make_layout((256, 64)).max_alignment, cute.make_layout((8, 4), stride=(1, 12)).max_alignment)
""")
    assert lines[0] == "(1,16,8,1):(0,8,1,0) 1:0 (1, 1, 1) 128 128 MmaUniversalOp(Float32)"
    assert lines[1] == "((16,4):(4,1), 16:1, None) [64, 16, 1]"
    assert lines[2] == "(1, (4, 2), 8) (1, 4, 8) (1, (4, 2), 4)"
    assert lines[3].startswith("(1,1):(0,0) ((8,16),")
    assert lines[4] == "True Float16   Shape MNK:       (1,1,1)"
    assert lines[5] == "16384 4"


@pytest.mark.parametrize("dtype", ["Float16", "BFloat16", "Float32", "Float64", "Int32"])
def test_products_of_every_type(dtype, tmp_path):
    assert run(tmp_path, f"""
T = cutlass.{dtype}

@cute.kernel
def product(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, mma: cute.TiledMma):
    mine = mma.get_slice(cute.arch.thread_idx()[0])
    part = mine.partition_C(c)
    sums = mma.make_fragment_C(part)
    sums.fill(0)
    cute.gemm(mma, sums, mine.partition_A(a), mine.partition_B(b), sums)
    cute.autovec_copy(sums, part)

@cute.jit
def host(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    mma = cute.make_tiled_mma(cute.nvgpu.MmaUniversalOp(T), (4, 2, 1), permutation_mnk=(8, None, None))
    product(a, b, c, mma).launch(grid=1, block=cute.size(mma))

torch.manual_seed(1)
a, b = torch.randint(-4, 5, (16, 6)), torch.randint(-4, 5, (8, 6))
kind = cutlass.torch.dtype(T)
c = torch.zeros(16, 8, dtype=kind, device="cuda")
host(from_dlpack(a.to(kind).cuda()), from_dlpack(b.to(kind).cuda()), from_dlpack(c))
print(torch.equal(c.cpu(), (a @ b.t()).to(kind)))
""") == ["True"]


def test_range_takes_options_in_rewritten_code(tmp_path):
    assert run(tmp_path, """
@cute.jit
def host():
    total = cutlass.Int32(0)
    for i in range(4, unroll_full=True):
        total += i
    for i in range(1, 5, 2, unroll=1):
        total += i
    cute.printf("{}", total)

host()
""") == ["10"]


STRUCT = """
import ctypes
from cutlass._mlir import ir
from cutlass._mlir.dialects import llvm

class C(ctypes.Structure):
    _fields_ = [("small", ctypes.c_int8), ("pointer", ctypes.c_void_p), ("pair", ctypes.c_int32 * 2), ("x", ctypes.c_float)]

class Value(ir.Value):
    def __init__(self, v):
        super().__init__(v)

class Argument:
    def __init__(self, c):
        self.c = c

    def __get_mlir_types__(self):
        i8, i32 = ir.IntegerType.get_signless(8), ir.IntegerType.get_signless(32)
        return [llvm.StructType.get_literal([i8, llvm.PointerType.get(), llvm.StructType.get_literal([i32, i32]),
                                             ir.F32Type.get()])]

    def __new_from_mlir_values__(self, values):
        return Value(values[0])

    def __c_pointers__(self):
        return [ctypes.addressof(self.c)]

@cute.jit
def show(s):
    i32 = ir.IntegerType.get_signless(32)
    pair = llvm.extractvalue(llvm.StructType.get_literal([i32, i32]), s, [2])
    p = cute.make_ptr(cutlass.Float32, llvm.extractvalue(llvm.PointerType.get(), s, [1]))
    cute.printf("{} {} {} {} {}", llvm.extractvalue(ir.IntegerType.get_signless(8), s, [0]), llvm.extractvalue(i32, pair, [0]),
                llvm.extractvalue(i32, s, [2, 1]), llvm.extractvalue(ir.F32Type.get(), s, [3]), p[1])

data = (ctypes.c_float * 2)(1.5, 2.5)
first = Argument(C(-3, ctypes.addressof(data), (7, 8), 0.5))
compiled = cute.compile(show, first)
compiled(first)
compiled(Argument(C(4, ctypes.addressof(data), (9, -10), 0.25)))
"""


def test_structures_are_laid_out_as_c_does(tmp_path):
    assert ctypes.sizeof(ctypes.c_void_p) == 8
    assert run(tmp_path, STRUCT) == ["-3 7 8 0.500000 2.500000", "4 9 -10 0.250000 2.500000"]


def test_a_field_that_is_not_there(tmp_path):
    text = STRUCT[:STRUCT.index("data =")].replace("s, [2, 1]", "s, [2, 2]") + """
try:
    cute.compile(show, Argument(C()))
except Exception as error:
    print(error)
"""
    assert "extractvalue: position [2, 2] leads out of" in " ".join(run(tmp_path, text))


def test_programs_that_a_program_starts_find_its_python(tmp_path):
    environment = {name: value for name, value in ENVIRONMENT.items() if name != "VIRTUAL_ENV"}
    script = tmp_path / "child.py"
    script.write_text("import subprocess\nprint(subprocess.run(['python3', '-c', 'import sys; print(sys.prefix)'], "
                      "capture_output=True, text=True).stdout.strip())\n")
    done = subprocess.run([sys.executable, "-m", "cutwork", script], env=environment, capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.stdout.strip() == sys.prefix, done.stdout + done.stderr
