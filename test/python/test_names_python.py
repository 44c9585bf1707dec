# test_names_python.py -- names of the field's that programs reach for: modules, loops by calls, structures, flags, pointers.
from test_calls import good

REFUSED = """
def refused(call, *texts, kind=ValueError):
    try:
        call()
    except kind as error:
        assert all(text in str(error) for text in texts), (str(error), texts)
        return
    raise AssertionError("accepted")
"""


def test_what_is_not_there_can_be_imported_and_says_so_when_it_is_used(tmp_path):
    good(REFUSED + """
import types
import cutlass.utils as utils, cutlass.utils.hopper_helpers as sm90_utils, cutlass.utils.blackwell_helpers as sm100_utils
import cutlass.utils.blockscaled_layout, cutlass.utils.gemm.sm100, cutlass.utils.mixed_input_helpers, cutlass.utils.distributed
from cutlass.utils.gemm.sm100 import epilogue_tma_store, transform_partitioned_tensor_layout
from cutlass.utils.mixed_input_helpers import TransformMode, scale_partition
from cutlass.cute.nvgpu import cpasync, tcgen05, warp, warpgroup
from cutlass.cute.nvgpu.warp.mma import MXF8F6F4_SUPPORTED_PAIRS
from cutlass.pipeline import PipelineTmaUmma
from cutlass._mlir.dialects import cute as cute_ir, cute_nvgpu, nvvm
from cutlass.cute.arch import alloc_tmem

def annotated(op: warp.MmaF16BF16Op | None, pipeline: "PipelineTmaUmma" = None, other: None | tcgen05.Ld32x32bOp = None): pass

gone = lambda call, name: refused(call, name, "is not supported yet (docs/support.md)", kind=AttributeError)
gone(lambda: sm90_utils.make_smem_layout_a(1, 2), "cutlass.utils.hopper_helpers.make_smem_layout_a")
gone(lambda: utils.sm100.get_tmem_load_op(), "cutlass.utils.blackwell_helpers.get_tmem_load_op")
gone(lambda: PipelineTmaUmma.create(num_stages=2), "cutlass.pipeline.PipelineTmaUmma")
gone(lambda: MXF8F6F4_SUPPORTED_PAIRS[0], "MXF8F6F4_SUPPORTED_PAIRS")
gone(lambda: types.new_class("Mine", (tcgen05.Ld32x32bOp,)), "tcgen05.Ld32x32bOp")
gone(lambda: nvvm.TMALoadMode.TILE, "TMALoadMode")
gone(lambda: scale_partition(), "scale_partition")
gone(lambda: alloc_tmem(32), "tensor memory")
gone(lambda: cutlass.utils.TmemAllocator(1), "cutlass.utils.TmemAllocator")
gone(lambda: cutlass.utils.distributed.multimem_st(), "multimem")
gone(lambda: setattr(cpasync.TmaInfo, "x", 1), "TmaInfo")
assert not isinstance(3, warp.MmaF16BF16Op) and not hasattr(cute_nvgpu.TmaDescriptorTiledType, "get")
assert "not supported yet" in repr(cpasync.tma_partition) and TransformMode.ConvertScale.name == "ConvertScale"
for module, name in ((sm90_utils, "nothing"), (warp, "nothing"), (utils, "nothing"), (cute.arch, "nothing")):
    refused(lambda: getattr(module, name), "has no attribute 'nothing'", kind=AttributeError)

# The factors of the first operand's rows 0 and 32, and of its columns 16 and 64, as the tensor cores read them.
sf = cutlass.utils.blockscaled_layout.tile_atom_to_shape_SF((256, 128, 2), 16)
assert [sf((m, k, l)) for m, k, l in ((1, 0, 0), (32, 0, 0), (0, 15, 0), (0, 16, 0), (0, 64, 0), (128, 0, 0), (0, 0, 1))] == [
    16, 4, 0, 1, 512, 1024, 2048]
""", tmp_path)


def test_loops_and_structures_by_calls(tmp_path):
    good(REFUSED + """
from cutlass import for_generate, native_struct, yield_out
from cutlass._mlir import ir
from cutlass._mlir.dialects import llvm
from cutlass.cutlass_dsl import T, while_generate

@native_struct(packed=True)
class P:
    a: cutlass.Int8
    b: cutlass.Int32
@native_struct
class Q:
    a: cutlass.Int8
    p: P
    x: cutlass.Float32
assert (P(1, 2).to_bytes(), P.size_in_bytes(), P.offset_of("b")) == (bytes([1, 2, 0, 0, 0]), 5, 1)
assert (Q.size_in_bytes(), Q.offset_of("p"), Q.offset_of("x"), Q()) == (12, 1, 8, Q(0, P(0, 0), 0))
assert Q.from_bytes(Q(3, P(4, -5), 1.5).to_bytes()) == Q(3, P(4, -5), 1.5)
refused(lambda: P.from_bytes(b"1"), "5 bytes were expected, not 1")
refused(lambda: native_struct(type("R", (), {"__annotations__": {"n": int}})), "the field 'n' is <class 'int'>")
refused(lambda: native_struct(type("R", (), {"__annotations__": {"n": cutlass.Int8}}), zero_init=False)(), "n", kind=TypeError)

struct = ir.Type.parse("!llvm.struct<packed (i32, !llvm.ptr, vector<4xf32>, !llvm.struct<(i1)>)>")
assert struct.packed and struct.fields[:2] == (cutlass.Int32, llvm.PointerType.get()) and struct.fields[2] == T.vector(4, T.f32())
for text in ("i33", "vector<4>", "!llvm.struct<(i32", "i32 i32", ""):
    refused(lambda: ir.Type.parse(text), "Type.parse")
with ir.InsertionPoint(None), ir.Location.unknown(): pass

@cute.kernel
def k(x: cute.Tensor, p: P):
    if cute.arch.thread_idx()[0] == 0:
        loop = for_generate(0, p.b, 1, [cutlass.Int32(0), 5])
        for i, (a, b) in loop:
            yield_out([a + i, b])
        again = while_generate([loop.results[0]], lambda v: v < 1000)
        with again as (v,):
            yield_out([v * 2])
        x[0], x[1] = cutlass.Float32(again.results[0]), cutlass.Float32(loop.results[1])
        for i in for_generate(2):
            x[2 + i] = 7.0
        p.b = p.b + 1
        x[4] = cutlass.Float32(p.b)
        two = llvm.inline_asm(ir.Type.parse("!llvm.struct<(i32,i32)>"), [p.b], "{add.s32 $0, $2, 1;\\nadd.s32 $1, $2, 2;}", "=r,=r,r")
        x[5] = cutlass.Float32(llvm.extractvalue(T.i32(), two, [1]))
        llvm.addrspacecast(llvm.PointerType.get(cute.AddressSpace.generic), x.iterator + 6).store(cutlass.Float32(9.0))
        shared = cutlass.utils.SmemAllocator().allocate_array(cutlass.Float32, 4)
        generic = llvm.addrspacecast(llvm.PointerType.get(), shared + 1)
        generic.store(llvm.bitcast(T.f32(), llvm.bitcast(T.i32(), cutlass.Float32(2.5))))
        x[7] = llvm.addrspacecast(llvm.PointerType.get(cute.AddressSpace.smem), generic).load() + shared[1]
        for call, text in ((lambda: llvm.bitcast(T.f32(), cutlass.Int64(1)), "Int64 has 64 bits and Float32 has 32"),
                           (lambda: llvm.addrspacecast(T.f32(), shared), "a pointer and PointerType.get(AddressSpace...) were expected"),
                           (lambda: yield_out([1]) and next(iter(for_generate(1, iter_args=[1]))) and yield_out([]), "1 values were expected")):
            refused(call, text)
@cute.jit
def host(x: cute.Tensor, p: P): k(x, p).launch(grid=1, block=32)
x = torch.zeros(8, device="cuda")
for n, doubled in ((5, 1280), (6, 1920)):
    host(x, P(1, n))
    assert x.tolist() == [doubled, 5, 7, 7, n + 1, n + 3, 9, 5], x.tolist()

@cute.jit
def forgets(n: cutlass.Int32):
    with while_generate([n], lambda v: v > 0): pass
refused(lambda: forgets(3), "while_generate: yield_out(...) with 1 values was expected in the body")
""", tmp_path)


def test_packed_structures_arrive(tmp_path):
    good("""
import ctypes
from cutlass._mlir.dialects import llvm
class Packed(ctypes.Structure):
    _pack_, _fields_ = 1, [("a", ctypes.c_int8), ("n", ctypes.c_int32), ("x", ctypes.c_float)]
class Argument:
    def __init__(self, a, n, x): self.held = Packed(a, n, x)
    def __get_mlir_types__(self): return [llvm.StructType.get_literal([cutlass.Int8, cutlass.Int32, cutlass.Float32], packed=True)]
    def __c_pointers__(self): return [ctypes.addressof(self.held)]
    def __new_from_mlir_values__(self, values): return values[0]
@cute.jit
def f(s): cute.printf("{} {} {}", *(llvm.extractvalue(None, s, [i]) for i in range(3)))
assert ctypes.sizeof(Packed) == 9
assert said(lambda: f(Argument(-3, 1 << 20, 2.5)))[0] == "-3 1048576 2.500000"
""", tmp_path)


def test_blocks_and_warps_that_wait_for_each_other(tmp_path):
    good(REFUSED + """
from cutlass import pipeline
from cutlass.utils import distributed
from cutlass.cute.nvgpu import cpasync

@cute.kernel
def ring(x: cute.Tensor, y: cute.Tensor):
    warp, lane = cute.arch.make_warp_uniform(cute.arch.warp_idx()), cute.arch.lane_idx()
    buffer = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout((32, 3)), 16)
    group = pipeline.CooperativeGroup(pipeline.Agent.Thread, 32)
    producer, consumer = pipeline.PipelineCpAsync.create(num_stages=3, producer_group=group, consumer_group=group).make_participants()
    atom = cute.make_copy_atom(cpasync.CopyG2SOp(), cutlass.Float32, num_bits_per_copy=32)
    if warp == 0:
        for row in range(x.shape[0]):
            stage = producer.acquire_and_advance()
            to = cute.make_tensor(buffer.iterator + (stage.index * 32 + lane), cute.make_layout((1, 1)))
            cute.copy(atom, cute.local_tile(x, (1, 1), (row, lane)), to)
            stage.commit()
        producer.tail()
    if warp == 1:
        for row in range(x.shape[0]):
            stage = consumer.wait_and_advance()
            y[row, lane] = 2 * buffer[31 - lane, stage.index]
            stage.release()
@cute.jit
def mirrored(x: cute.Tensor, y: cute.Tensor): ring(x, y).launch(grid=1, block=64)
x = torch.randn(10, 32, device="cuda")
y = torch.empty_like(x)
mirrored(x, y)
assert torch.equal(y, 2 * x.flip(1))

@cute.kernel
def neighbours(y: cute.Tensor):
    t, rank = cute.arch.thread_idx()[0], cute.arch.block_idx_in_cluster()
    mine = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Int32, cute.make_layout(32), 16)
    mine[t] = rank * 100 + t
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()
    other = cute.make_tensor(cute.arch.map_dsmem_ptr(mine.iterator, rank ^ 1), cute.make_layout(32))
    y[rank * 32 + t] = other[t]
    refused(lambda: cute.arch.map_dsmem_ptr(y.iterator, 0), "map_dsmem_ptr: a pointer to shared memory")
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()
@cute.jit
def swap(y: cute.Tensor): neighbours(y).launch(grid=2, block=32, cluster=(2, 1, 1))
y = torch.zeros(64, device="cuda", dtype=torch.int32)
swap(y)
assert y.tolist() == [100 + t for t in range(32)] + list(range(32))

@cute.kernel
def flags(flag: cute.Tensor, data: cute.Tensor, way: cutlass.Constexpr):
    if cute.arch.thread_idx()[0] == 0:
        if cute.arch.block_idx()[0] == 1:
            data[0] = 42
            distributed.red_add1(flag.iterator, order="release", scope="gpu")
        else:
            if way == 0:
                distributed.spin_lock_atom_cas_acquire_wait(flag.iterator, expected_val=1, reset_val=0, scope="gpu")
                data[1] = data[0] + 1
            if way == 1: distributed.spin_lock_atom_cas_relaxed_wait(flag.iterator, expected_val=1, reset_val=7)
            if way == 2: distributed.spin_lock_ld_lt_relaxed_wait(flag.iterator, expected_val=1)
    refused(lambda: distributed.red_add1(flag.iterator, scope="all"), "scope is one of cta, cluster, gpu, sys")
    refused(lambda: distributed.red_add1(cute.recast_ptr(flag.iterator, dtype=cutlass.Int8)), "a pointer to an Int32")
@cute.jit
def waits(flag: cute.Tensor, data: cute.Tensor, way: cutlass.Constexpr): flags(flag, data, way).launch(grid=2, block=32)
for way, after, second in ((0, 0, 43), (1, 7, 0), (2, 1, 0)):
    flag, data = torch.zeros(1, device="cuda", dtype=torch.int32), torch.zeros(2, device="cuda", dtype=torch.int32)
    waits(flag, data, way)
    assert (flag.item(), data.tolist()) == (after, [42, second]), way
""", tmp_path)


def test_copies_by_offsets_and_prefetches(tmp_path):
    good(REFUSED + """
@cute.kernel
def moved(x: cute.Tensor, y: cute.Tensor):
    t = cute.arch.thread_idx()[0]
    atom = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float32, num_bits_per_copy=32)
    tiled = cute.make_cotiled_copy(atom, cute.make_layout((4, 2), stride=(2, 1)), x.layout)
    mine = tiled.get_slice(t)
    cute.prefetch(atom, x)
    held = cute.make_fragment_like(mine.partition_S(x))
    cute.copy(tiled, mine.partition_S(x), held)
    for i in cutlass.range_constexpr(cute.size(held)):
        held[i] = held[i] + 100 * t
    cute.copy(tiled, held, mine.partition_D(y))
    refused(lambda: cute.make_cotiled_copy(atom, cute.make_layout((4, 4), stride=(4, 1)), x.layout), "offsets that are of no coordinate")
    refused(lambda: cute.make_cotiled_copy(atom, cute.make_layout((2, 1), stride=(2, 1)), x.layout), "a tile with gaps")
    refused(lambda: cute.prefetch(atom, held), "a tensor in global memory")
    refused(lambda: cute.arch.prefetch(x.iterator, level="L3"), "'L1' or 'L2'")
@cute.jit
def host(x: cute.Tensor, y: cute.Tensor): moved(x, y).launch(grid=1, block=4)
x = torch.arange(8., device="cuda").reshape(2, 4)
y = torch.zeros_like(x)
prepared = from_dlpack(x), from_dlpack(y)
host(*prepared)
assert y.tolist() == [[0, 1, 102, 103], [204, 205, 306, 307]]
ptx = cute.compile(host, *prepared).__ptx__
assert ptx.count("prefetch.global.L2") == 1   # the eight numbers are one sector
""", tmp_path)


def test_memory_by_its_address_and_exported_modules(tmp_path):
    good(REFUSED + """
import os
import cutlass.torch as cutlass_torch
x = torch.arange(8, device="cuda", dtype=torch.bfloat16)
y = cutlass_torch.as_tensor(x.data_ptr(), (2, 4), torch.bfloat16)
assert y.device == x.device and torch.equal(y, x.reshape(2, 4))
@cute.kernel
def k(x: cute.Tensor): x[1, 1] = 9.0
@cute.jit
def host(x: cute.Tensor): k(x).launch(grid=1, block=1)
host(y)
assert x[5] == 9
refused(lambda: cutlass_torch.as_tensor(3, (2,), torch.float32), "a multiple of 4", "0x3")
libraries = cute.runtime.find_runtime_libraries(enable_tvm_ffi=False)
assert len(libraries) == 1 and os.path.exists(libraries[0]) and "libcutwork_rt" in libraries[0]
refused(lambda: cute.runtime.load_module("no.o"), "no.o", kind=FileNotFoundError)
refused(lambda: cute.runtime.load_module(__file__), "no export to files yet")
""", tmp_path)


def test_what_is_not_exported_says_so(tmp_path):
    good(REFUSED + """
import cutlass.cute.export
from cutlass.cute.export import a_name
@cute.jit
def host(): pass
compiled = cute.compile(host)
refused(lambda: compiled.export_to_c("folder", "name"), "CompiledFunction.export_to_c is not supported yet (docs/support.md)", kind=AttributeError)
refused(lambda: a_name(1), "cutlass.cute.export.a_name is not supported yet", kind=AttributeError)
refused(lambda: cutlass.cute.export.other.one, "cutlass.cute.export.other is not supported yet", kind=AttributeError)
assert not hasattr(cutlass.cute.export, "__all__")
""", tmp_path)


def test_copies_print_what_they_are(tmp_path):
    good("""
@cute.kernel
def shown():
    atom = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float32, num_bits_per_copy=128)
    tiled = cute.make_tiled_copy_tv(atom, cute.make_layout((4, 8), stride=(8, 1)), cute.make_layout((1, 4)))
    one = "Copy Atom\\n  Value type:      Float32\\n  Bits:            128"
    assert str(atom) == repr(atom) == one, str(atom)
    assert str(tiled) == "Tiled Copy\\n  Tiler MN:        (4,32)\\n  TV Layout tiled: ((8,4),4):((16,1),4)\\n" + one, str(tiled)
    assert str(cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Int8)).endswith("Int8\\n  Bits:            as many as the tensors allow")
@cute.jit
def host(): shown().launch(grid=1, block=1)
host()
""", tmp_path)
