# compatibility.py -- tries every name of api_inventory.txt and writes docs/compatibility.md: `cutwork` runs it.
"""A name works if it is there and the call below runs on the simulated device (in a kernel unless it says otherwise);
partly if it is there and no call here shows that it works; not yet if it is not there, or its call does not run."""
import ctypes
import enum
import importlib
import pathlib
import sys
import types

import cutlass
import cutlass._mlir.dialects
import cutlass._mlir.ir
import cutlass.base_dsl.runtime.cuda
import cutlass.cute as cute
import cutlass.cute.experimental.iket
import cutlass.cute.export
import cutlass.cutlass_dsl
import cutlass.testing
import cutlass.torch
import torch
from compatibility_objects import OBJECTS
from cutlass.cute.runtime import from_dlpack
from cutwork._absent import Absent

INVENTORY = pathlib.Path(__file__).with_name("api_inventory.txt")
LAYOUT = "cute.make_layout((8, 4), stride=(4, 1))"
SHARED = "cutlass.utils.SmemAllocator()"

# Evaluated by Python, outside any trace. L is a layout.
EAGER = {"cutlass.cute": {
    "make_layout": LAYOUT, "size": "cute.size(L)", "cosize": "cute.cosize(L)", "rank": "cute.rank(L)", "depth": "cute.depth(L)",
    "zipped_divide": "cute.zipped_divide(L, (2, 2))", "tiled_divide": "cute.tiled_divide(L, (2, 2))",
    "flat_divide": "cute.flat_divide(L, (2, 2))", "logical_divide": "cute.logical_divide(L, (2, 2))",
    "logical_product": "cute.logical_product(L, L)", "zipped_product": "cute.zipped_product(L, L)",
    "tiled_product": "cute.tiled_product(L, L)", "flat_product": "cute.flat_product(L, L)",
    "blocked_product": "cute.blocked_product(L, L)", "raked_product": "cute.raked_product(L, L)",
    "composition": "cute.composition(L, cute.make_layout(4))", "coalesce": "cute.coalesce(L)", "select": "cute.select(L, [1])",
    "group_modes": "cute.group_modes(L, 0, 2)", "append": "cute.append(L, L)", "prepend": "cute.prepend(L, L)",
    "ceil_div": "cute.ceil_div(7, 2)", "round_up": "cute.round_up(7, 4)", "shape": "cute.shape(L)", "get": "cute.get(L, [0])",
    "size_in_bytes": "cute.size_in_bytes(cutlass.Float32, L)", "make_ordered_layout": "cute.make_ordered_layout((4, 8), (1, 0))",
    "make_layout_tv": "cute.make_layout_tv(cute.make_layout(32), cute.make_layout(4))",
    "make_identity_layout": "cute.make_identity_layout((4, 8))", "make_swizzle": "cute.make_swizzle(3, 4, 3)",
    "make_composed_layout": "cute.make_composed_layout(cute.make_swizzle(2, 0, 3), 0, L)",
    "tile_to_shape": "cute.tile_to_shape(L, (16, 8), (0, 1))", "product_each": "cute.product_each((2, (3, 4)))",
    "recast_layout": "cute.recast_layout(16, 32, cute.make_layout(8))", "slice_": "cute.slice_(L, (None, 0))",
    "dice": "cute.dice((2, 3), (1, None))", "shape_div": "cute.shape_div(8, 2)", "crd2idx": "cute.crd2idx((1, 1), L)",
    "filter_zeros": "cute.filter_zeros(L)", "repeat_like": "cute.repeat_like(1, (2, 3))", "flatten": "cute.flatten(L)",
    "elem_less": "cute.elem_less((1, 2), (2, 3))", "sym_int": "cute.sym_int()", "sym_int32": "cute.sym_int32()",
    "sym_int64": "cute.sym_int64()"},
    "cutlass": {"dtype": "cutlass.dtype('float32')", "min": "cutlass.min(1, 2)", "max": "cutlass.max(1, 2)",
                "const_expr": "cutlass.const_expr(True)", "__version__": "cutlass.__version__"},
    "cutlass.cute.runtime": {"from_dlpack": "from_dlpack(torch.zeros(2))",
                             "make_fake_compact_tensor": "cute.runtime.make_fake_compact_tensor(cutlass.Float32, (2, 2))",
                             "make_fake_tensor": "cute.runtime.make_fake_tensor(cutlass.Float32, (2, 2), (2, 1))",
                             "make_fake_stream": "cute.runtime.make_fake_stream()",
                             "make_ptr": "cute.runtime.make_ptr(cutlass.Float32, 16, cute.AddressSpace.gmem)"},
    "cutlass.torch": {"dtype": "cutlass.torch.dtype(cutlass.Float16)"}}

# In a kernel: x a device tensor, g four elements of it, r one in registers, s in shared memory, v a vector, t the thread, f a Float32, i an Int32,
# a a copy atom, W one of 32 bits, c a tiled copy, FMA the multiply-add, E() a register, S(4) in shared memory.
KERNEL = {"cutlass.cute": {
    "make_rmem_tensor": "r", "make_tensor": "cute.make_tensor(x.iterator, cute.make_layout(4))",
    "make_copy_atom": "a", "copy": "cute.copy(a, r, cute.make_fragment_like(r))", "make_tiled_copy_tv": "c",
    "local_tile": "cute.local_tile(x, (2, 2), (0, 0))", "domain_offset": "cute.domain_offset((1, 1), x)",
    "autovec_copy": "cute.autovec_copy(r, cute.make_fragment_like(r))", "make_identity_tensor": "cute.make_identity_tensor((4, 4))",
    "make_fragment_like": "cute.make_fragment_like(r)", "make_rmem_tensor_like": "cute.make_rmem_tensor_like(r)",
    "printf": "cute.printf('{}', i)", "where": "cute.where(v > 0, v, v)", "full_like": "cute.full_like(v, 1)",
    "zeros_like": "cute.zeros_like(v)", "all_": "cute.all_(v > 0)", "any_": "cute.any_(v > 0)", "assume": "cute.assume(i, divby=4)",
    "MmaAtom": "cute.make_mma_atom(FMA)", "TiledMma": "cute.make_tiled_mma(FMA)", "ThrMma": "cute.make_tiled_mma(FMA).get_slice(0)",
    "make_mma_atom": "cute.make_mma_atom(FMA)", "make_tiled_mma": "cute.make_tiled_mma(FMA, (2, 2, 1))",
    "gemm": "cute.gemm(cute.make_tiled_mma(FMA), E(), E(), E(), E())",
    "mma_atom_call": "cute.mma_atom_call(cute.make_mma_atom(FMA), E(), E(), E(), E())",
    "make_tiled_copy_A": "cute.make_tiled_copy_A(W, cute.make_tiled_mma(FMA))",
    "make_tiled_copy_B": "cute.make_tiled_copy_B(W, cute.make_tiled_mma(FMA))",
    "make_tiled_copy_C": "cute.make_tiled_copy_C(W, cute.make_tiled_mma(FMA))",
    "recast_tensor": "cute.recast_tensor(r, cutlass.Int32)", "recast_ptr": "cute.recast_ptr(x.iterator, dtype=cutlass.Int32)",
    "make_tiled_copy_S": "cute.make_tiled_copy_S(a, c)", "make_tiled_copy_D": "cute.make_tiled_copy_D(a, c)",
    "make_tiled_copy": "cute.make_tiled_copy(a, c.layout_tv_tiled, c.tiler_mn)",
    "basic_copy": "cute.basic_copy(r, cute.make_fragment_like(r))",
    "basic_copy_if": "cute.basic_copy_if(cute.make_rmem_tensor((4,), cutlass.Boolean), r, cute.make_fragment_like(r))",
    "copy_atom_call": "cute.copy_atom_call(a, r, cute.make_fragment_like(r))", "print_tensor": "cute.print_tensor(r)",
    "exp": "cute.exp(f)", "erf": "cute.erf(f)", "rsqrt": "cute.rsqrt(f)", "tanh": "cute.tanh(f)"},
    "cutlass.cute.arch": {name: f"cute.arch.{name}()" for name in (
        "thread_idx block_idx warp_idx lane_idx block_dim grid_dim block_idx_in_cluster cluster_idx cluster_dim sync_threads sync_warp "
        "fence_acq_rel_cta block_in_cluster_dim block_in_cluster_idx dynamic_smem_size barrier griddepcontrol_wait "
        "griddepcontrol_launch_dependents").split()} | {
        "make_warp_uniform": "cute.arch.make_warp_uniform(i)", "fmax": "cute.arch.fmax(f, f)",
        "rcp_approx": "cute.arch.rcp_approx(f)", "popc": "cute.arch.popc(i)", "nanosleep": "cute.arch.nanosleep(10)",
        "shuffle_sync_bfly": "cute.arch.shuffle_sync_bfly(f, 1)", "shuffle_sync_up": "cute.arch.shuffle_sync_up(f, 1)",
        "vote_all_sync": "cute.arch.vote_all_sync(i > 0)", "vote_any_sync": "cute.arch.vote_any_sync(i > 0)",
        "vote_uni_sync": "cute.arch.vote_uni_sync(i > 0)", "vote_ballot_sync": "cute.arch.vote_ballot_sync(i > 0)",
        "warp_reduction_sum": "cute.arch.warp_reduction_sum(f)", "warp_reduction_max": "cute.arch.warp_reduction_max(f)",
        "atomic_add": "cute.arch.atomic_add(x.iterator, f)", "warp_redux_sync": "cute.arch.warp_redux_sync(i, 'add')",
        "load": "cute.arch.load(x.iterator, cutlass.Float32)", "store": "cute.arch.store(x.iterator + cute.arch.thread_idx()[0], f)",
        "cp_async_commit_group": "cute.arch.cp_async_commit_group()", "cp_async_wait_group": "cute.arch.cp_async_wait_group(0)",
        "prmt": "cute.arch.prmt(i, i, i)", "elect_one": "cute.arch.elect_one()"},
    "cutlass.cute.math": {name: f"cute.math.{name}(f)" for name in "exp exp2 log log2 sqrt rsqrt sin cos tanh erf".split()},
    "cutlass.cute.nvgpu": {"MmaUniversalOp": "cute.make_mma_atom(FMA)", "CopyUniversalOp": "a"},
    "cutlass.cute.nvgpu.cpasync": {"CopyG2SOp": "cute.copy(cute.make_copy_atom(cute.nvgpu.cpasync.CopyG2SOp(), cutlass.Float32, 32), g, S(4, 32)[None, t])"},
    "cutlass.utils": {"SmemAllocator": "s"}}
TESTING = {name: text.replace("testing", "cutlass.cute.testing", 1) for name, text in {
    "JitArguments": "testing.JitArguments(1, x=2)", "benchmark": "testing.benchmark(lambda: None)",
    "get_workspace_count": "testing.get_workspace_count(1 << 20, 1, 2)",
    "convert": "testing.convert(torch.ones(4, device='cuda'), torch.ones(4, device='cuda', dtype=torch.float16))",
    "tune": "testing.tune(lambda n: lambda: None, {'n': [1]})", "CantImplementError": "testing.CantImplementError('text')",
    "add_tensor_init_args": "testing.add_tensor_init_args(__import__('argparse').ArgumentParser())"}.items()}
EAGER |= {"cutlass.cute.testing": TESTING,
          "cutlass.testing": {name: text.replace("cute.testing", "testing", 1) for name, text in TESTING.items()}}
TYPES = ("Float32 Float16 BFloat16 Float64 Int8 Int16 Int32 Int64 Uint8 Uint16 Uint32 Uint64 Boolean Float8E4M3FN "
         "Float8E5M2").split()
EAGER["cutlass"] |= {f"Float32.{name}": f"cutlass.Float32.{name}" for name in ("inf", "zero", "mlir_type")}
EAGER["cutlass"] |= {f"{name}.mlir_type": f"cutlass.{name}.mlir_type" for name in ("Int32", "Uint32")}
KERNEL["cutlass"] = {name: f"cutlass.{name}(f)" for name in TYPES} | {"range_constexpr": "list(cutlass.range_constexpr(2))"}


# More, each evaluated by Python: A a tensor argument on the host, D a torch tensor on the device; host(A, 2), launch(D) and
# shaped((2, 3)) are host functions with annotations.
OPTIONS = "KeepPTX KeepCUBIN GenerateLineInfo".split()
NUMBERS = "Int8 Int32 Int64 Boolean Float16 BFloat16 Float32 Float8E4M3FN".split()
P, U = "cutlass.pipeline", "cutlass.utils"
PARAMS = f"{U}.PersistentTileSchedulerParams((4, 4, 1), (1, 1, 1))"
MORE = {
    "cutlass": {"Numeric": "cutlass.Numeric(3)", "target_version": "cutlass.target_version(min_version='12.0')", "Constexpr": "host(A, 2)",
                "dynamic_expr": "cutlass.dynamic_expr(1)", "dsl_user_op": "cutlass.dsl_user_op(lambda a, loc=None, ip=None: a)(1)",
                "CUDA_VERSION": "str(cutlass.CUDA_VERSION)", "cuda": "cutlass.cuda.initialize_cuda_context()",
                "range": "looped(A)"},
    "cutlass.cute": {
        "jit": "host(A, 2)", "kernel": "launch(D)", "compile": "cute.compile(host, A, 2)(A)", "Tensor": "isinstance(A, cute.Tensor)",
        "Layout": "isinstance(L, cute.Layout)", "struct.MemRange": "cute.struct.MemRange[cutlass.Float32, 4]",
        "struct.Align": "cute.struct.Align[cutlass.Float32, 16]",
        "struct": "cute.struct(type('S', (), {'__annotations__': {'a': cutlass.Float32}}))", "Shape": "shaped((2, 3))", "Coord": "shaped((2, 3))",
        "ComposedLayout": "isinstance(cute.make_composed_layout(cute.make_swizzle(2, 0, 3), 0, L), cute.ComposedLayout)",
        "make_layout_image_mask": "cute.make_layout_image_mask(L, (0, 0), 1)", "Swizzle": "isinstance(cute.make_swizzle(3, 4, 3), cute.Swizzle)",
        "SymInt": "cute.SymInt()", "Float": "issubclass(cutlass.Float32, cute.Float)", "Int32": "cute.Int32(3)", "Float32": "cute.Float32(3)",
        **{name: f"cute.{name}()" for name in OPTIONS}},
    "cutlass.cute.typing": {**{name: f"cute.typing.{name}(1)" for name in NUMBERS}, "Int": "shaped((2, 3))",
                            "Pointer": "isinstance(cute.runtime.make_ptr(cutlass.Float32, 16), cute.typing.Pointer)"},
    "cutlass.cute.runtime": {"Pointer": "isinstance(cute.runtime.make_ptr(cutlass.Float32, 16), cute.runtime.Pointer)"},
    "cutlass.cute.nvgpu": {"CopyUniversalOp": "cute.nvgpu.CopyUniversalOp()"},
    "cutlass.cute.arch": {name: f"cute.arch.{name}('sm_100')" for name in ("get_max_tmem_alloc_cols", "get_min_tmem_alloc_cols")},
    P: {"CooperativeGroup": f"{P}.CooperativeGroup({P}.Agent.Thread, 32)"},
    U: {"LayoutEnum.from_tensor": f"{U}.LayoutEnum.from_tensor(A)", "HardwareInfo": f"{U}.HardwareInfo().get_device_multiprocessor_count()",
        "get_smem_capacity_in_bytes": f"{U}.get_smem_capacity_in_bytes('sm_90')", "is_fp8_dtype": f"{U}.is_fp8_dtype(cutlass.Float8E5M2)",
        "print_latex": f"{U}.print_latex(L)",
        "create_cute_tensor_for_fp8": f"{U}.create_cute_tensor_for_fp8(torch.zeros(4, 8, dtype=torch.uint8), cutlass.Float8E4M3FN, 1)",
        "PersistentTileSchedulerParams": PARAMS,
        "print_latex_tv": f"{U}.print_latex_tv(cute.make_layout((4, 2)), (4, 2))",
        "StaticPersistentTileScheduler.get_grid_shape": f"{U}.StaticPersistentTileScheduler.get_grid_shape({PARAMS}, 8)"},
    "cutlass.torch": {"convert_cute_tensor": "cutlass.torch.convert_cute_tensor(torch.ones(4, 8), A, cutlass.Float32)",
                      "RandomInitConfig": "cutlass.torch.RandomInitConfig(-2, 2)", "ScalarInitConfig": "cutlass.torch.ScalarInitConfig(1.0)",
                      "GaussianInitConfig": "cutlass.torch.GaussianInitConfig()", "from_dlpack": "cutlass.torch.from_dlpack(torch.zeros(2))",
                      "matrix": "cutlass.torch.matrix(1, 4, 8, True, cutlass.Float32)", "default_stream": "cutlass.torch.default_stream()",
                      "current_stream": "cutlass.torch.current_stream()", "get_leading_dim": "cutlass.torch.get_leading_dim(torch.zeros(2, 2))",
                      "cute_tensor_like": "cutlass.torch.cute_tensor_like(torch.zeros(4, 4), cutlass.Float16, True)",
                      "create_and_permute_torch_tensor": "cutlass.torch.create_and_permute_torch_tensor((2, 3), torch.float32, (1, 0))"},
    "cutlass.cutlass_dsl": {"T.i32": "cutlass.cutlass_dsl.T.i32()", "T.f32": "cutlass.cutlass_dsl.T.f32()", "T.bool": "cutlass.cutlass_dsl.T.bool()",
                            "dsl_user_op": "cutlass.cutlass_dsl.dsl_user_op(lambda a, loc=None, ip=None: a)(1)",
                            "Int32": "cutlass.cutlass_dsl.Int32(1)", "Float32": "cutlass.cutlass_dsl.Float32(1)", "Boolean": "cutlass.cutlass_dsl.Boolean(1)",
                            "min": "cutlass.cutlass_dsl.min(1, 2)", "not_": "cutlass.cutlass_dsl.not_(True)",
                            "const_expr": "cutlass.cutlass_dsl.const_expr(1)", "BaseDSL._get_dsl": "cutlass.cutlass_dsl.BaseDSL._get_dsl().get_arch_enum()",
                            "Integer": "issubclass(cutlass.Int32, cutlass.cutlass_dsl.Integer)"},
    "cutlass._mlir.ir": {"IntegerType.get_signless": "cutlass._mlir.ir.IntegerType.get_signless(32)",
                         "VectorType.get": "cutlass._mlir.ir.VectorType.get([2], cutlass.Float32)",
                         "Value": "isinstance(cutlass.Int32(1), cutlass._mlir.ir.Value)"},
    "cutlass.base_dsl.runtime.cuda": {"checkCudaErrors": "cutlass.base_dsl.runtime.cuda.checkCudaErrors((0, 1))"}}
for _module in ("cutlass.cute.testing", "cutlass.testing"):
    MORE[_module] = {"JitArguments": f"{_module}.JitArguments(A)", "get_workspace_count": f"{_module}.get_workspace_count(1024, 1, 1)",
                     "CantImplementError": f"{_module}.CantImplementError('no')",
                     "benchmark": f"{_module}.benchmark(cute.compile(launch, D), kernel_arguments={_module}.JitArguments(D), iterations=1)"}
for _module, _names in MORE.items():
    EAGER.setdefault(_module, {}).update(_names)

DIALECTS = "cutlass._mlir.dialects"
KERNEL["cutlass.cute"] |= {
    "CopyAtom": "isinstance(a, cute.CopyAtom)", "TiledCopy": "isinstance(c, cute.TiledCopy)", "Pointer": "isinstance(x.iterator, cute.Pointer)",
    "make_ptr": "cute.make_ptr(cutlass.Float32, x.iterator.toint(), cute.AddressSpace.gmem)", "TensorSSA": "isinstance(v, cute.TensorSSA)",
    "FastDivmodDivisor": "i // cute.FastDivmodDivisor(3)", "fast_divmod_create_divisor": "i // cute.fast_divmod_create_divisor(3)"}
KERNEL["cutlass.cute.arch"] |= {
    "cluster_arrive": "cute.arch.cluster_arrive(), cute.arch.cluster_wait()", "cluster_wait": "cute.arch.cluster_arrive(), cute.arch.cluster_wait()",
    "cluster_arrive_relaxed": "cute.arch.cluster_arrive_relaxed(), cute.arch.cluster_wait()",
    **{f"{name}_packed_f32x2": f"cute.arch.{name}_packed_f32x2((f, f), (f, f))" for name in ("add", "sub", "mul")},
    "fma_packed_f32x2": "cute.arch.fma_packed_f32x2((f, f), (f, f), (f, f))", "shuffle_sync_op": "cute.arch.shuffle_sync_op(f, 1, kind='bfly')",
    "warp_reduction": "cute.arch.warp_reduction(f, lambda a, b: a + b)", "atomic_fmax": "cute.arch.atomic_fmax(x.iterator, f)",
    "fence_proxy": "cute.arch.fence_proxy('async.shared', space='cta')", "fence_view_async_shared": "cute.arch.fence_view_async_shared()",
    "mbarrier_init_fence": "cute.arch.mbarrier_init_fence()"}
KERNEL[P] = {"NamedBarrier": f"{P}.NamedBarrier(1, 32).arrive_and_wait()", "sync": f"{P}.sync()", "arrive_and_wait": f"{P}.arrive_and_wait(1, 32)",
             "pipeline_init_arrive": f"{P}.pipeline_init_arrive(), {P}.pipeline_init_wait()",
             "pipeline_init_wait": f"{P}.pipeline_init_arrive(), {P}.pipeline_init_wait()",
             "make_pipeline_state": f"{P}.make_pipeline_state({P}.PipelineUserType.Producer, 2)",
             "PipelineState": f"{P}.PipelineState(2, i, i, i).advance()", "PipelineAsync": "isinstance(p, cutlass.pipeline.PipelineAsync)",
             "PipelineAsync.create": f"{P}.PipelineAsync.create(num_stages=2, producer_group=group, consumer_group=group)",
             "PipelineOrder.create": f"{P}.PipelineOrder.create(depth=1, length=2, group_id=0, producer_group=group)",
             "PipelineOrder": f"{P}.PipelineOrder.create(depth=1, length=2, group_id=0, producer_group=group).wait()",
             "PipelineProducer": "p.make_producer().acquire_and_advance().commit()",
             "PipelineConsumer": "p.make_producer().acquire().commit(), p.make_consumer().wait_and_advance().release()",
             "PipelineConsumer.ImmutableResourceHandle": "p.make_producer().acquire().commit(), p.make_consumer().wait()"}
KERNEL[U] |= {name: f"{U}.StaticPersistentTileScheduler.create({PARAMS}, cute.arch.block_idx(), cute.arch.grid_dim()).get_current_work()"
              for name in ("StaticPersistentTileScheduler", "StaticPersistentTileScheduler.create", "WorkTileInfo")}
KERNEL["cutlass.cutlass_dsl"] = {"if_generate": "cutlass.cutlass_dsl.if_generate(i > 0, lambda: f, lambda: f)",
                                 "extract_mlir_values": "cutlass.cutlass_dsl.extract_mlir_values(f)",
                                 "new_from_mlir_values": "cutlass.cutlass_dsl.new_from_mlir_values(f, [f])"}
KERNEL["cutlass"] |= {"extract_mlir_values": "cutlass.extract_mlir_values(f)", "new_from_mlir_values": "cutlass.new_from_mlir_values(f, [f])"}
KERNEL[DIALECTS] = {"math.absf": f"{DIALECTS}.math.absf(f)", "math.log": f"{DIALECTS}.math.log(f)", "nvvm.elect_sync": f"{DIALECTS}.nvvm.elect_sync()",
                    "vector.extract": f"{DIALECTS}.vector.extract(v, [], [0])", "vector.bitcast": f"{DIALECTS}.vector.bitcast(cutlass.Int32, v)",
                    "vector.from_elements": f"{DIALECTS}.vector.from_elements(cutlass.Float32, [f, f])",
                    "llvm.inline_asm": f"{DIALECTS}.llvm.inline_asm(cutlass.Float32, [f], 'neg.f32 $0, $1;', '=f,f')"}
KERNEL["cutlass.cute.experimental.iket"] = {name: f"cute.experimental.iket.{name}(*{arguments})" for name, arguments in (
    ("range_push", "('mark',)"), ("range_pop", "()"))}

# -- what is not of the first versions
EAGER["cutlass.cute.testing"]["autotune_jit"] = "cutlass.cute.testing.autotune_jit(params_dict={'n': [2]})(host)(A)"
EAGER["cutlass.testing"]["validate_tensor_init_args"] = (
    "[cutlass.testing.add_tensor_init_args(p) or cutlass.testing.validate_tensor_init_args(p.parse_args([]), p) "
    "for p in [__import__('argparse').ArgumentParser()]]")
EAGER["cutlass.torch"]["as_tensor"] = "cutlass.torch.as_tensor(D.data_ptr(), (2, 4), torch.float32)"
EAGER["cutlass.cutlass_dsl"] |= {
    "T": "cutlass.cutlass_dsl.T.i32()", "T.vector": "cutlass.cutlass_dsl.T.vector(4, cutlass.Float32)", "BaseDSL": "cutlass.cutlass_dsl.BaseDSL()",
    "DSLCudaRuntimeError": "cutlass.cutlass_dsl.DSLCudaRuntimeError('no')"}
EAGER[DIALECTS] = {"llvm.PointerType.get": f"{DIALECTS}.llvm.PointerType.get()",
                   "llvm.StructType.get_literal": f"{DIALECTS}.llvm.StructType.get_literal([cutlass.Int32])"}
EAGER["cutlass._mlir.ir"] |= {"InsertionPoint": "cutlass._mlir.ir.InsertionPoint(None)", "Location": "cutlass._mlir.ir.Location.unknown()",
                              "Type.parse": "cutlass._mlir.ir.Type.parse('!llvm.struct<(i32, f32)>')"}
EAGER["cutlass.cute.runtime"] |= {"find_runtime_libraries": "cute.runtime.find_runtime_libraries()",
                                  "load_module": "cute.runtime.load_module('/dev/null')"}
EAGER["cutlass.utils.blockscaled_layout"] = {
    "tile_atom_to_shape_SF": "cutlass.utils.blockscaled_layout.tile_atom_to_shape_SF((256, 128, 1), 16)"}
EAGER["cutlass.jax"] = {"TensorSpec": "cutlass.jax.TensorSpec(mode=(1, 0))",
                        "get_export_disabled_safety_checks": "cutlass.jax.get_export_disabled_safety_checks()"}
KERNEL["cutlass"] |= {name: f"cutlass.{name}(f)" for name in (
    "TFloat32", "Float4E2M1FN", "Float8E8M0FNU", "Float6E2M3FN", "Float6E3M2FN", "Float8E4M3", "Float8E4M3B11FNUZ")} | {
    "Int4": "cutlass.Int4(i)", "Int128": "cutlass.Int128(i)", "Uint128": "cutlass.Uint128(i)", "for_generate": "summed(i)", "yield_out": "summed(i)"}
KERNEL["cutlass.cutlass_dsl"] |= {"while_generate": "spun(i)", "yield_out": "spun(i)"}
KERNEL["cutlass.cute"] |= {"prefetch": "cute.prefetch(a, g)",
                           "make_cotiled_copy": "cute.make_cotiled_copy(W, cute.make_layout((4, 1)), cute.make_layout(4))"}
KERNEL["cutlass.cute.arch"] |= {"map_dsmem_ptr": "cute.arch.map_dsmem_ptr(s.iterator, 0)", "prefetch": "cute.arch.prefetch(x.iterator)",
                                "cp_async_bulk_commit_group": "cute.arch.cp_async_bulk_commit_group()",
                                "cp_async_bulk_wait_group": "cute.arch.cp_async_bulk_commit_group(), cute.arch.cp_async_bulk_wait_group(0)",
                                **{name: f"cute.arch.{name}(40)" for name in ("setmaxregister_decrease", "setmaxregister_increase",
                                                                            "warpgroup_reg_alloc", "warpgroup_reg_dealloc")}}
KERNEL[P] |= {name: f"{P}.PipelineCpAsync.create(num_stages=2, producer_group=group, consumer_group=group)"
              for name in ("PipelineCpAsync", "PipelineCpAsync.create")}
FLAG = "cute.recast_ptr(x.iterator, dtype=cutlass.Int32)"
KERNEL["cutlass.utils.distributed"] = {"red_add1": f"cutlass.utils.distributed.red_add1({FLAG} + 16)", **{
    name: f"cutlass.utils.distributed.{name}({FLAG}, expected_val=0{more})" for name, more in (
        ("spin_lock_atom_cas_acquire_wait", ", reset_val=0"), ("spin_lock_atom_cas_relaxed_wait", ", reset_val=0"),
        ("spin_lock_ld_lt_relaxed_wait", ""))}}
PAIR = f"{DIALECTS}.llvm.inline_asm({DIALECTS}.llvm.StructType.get_literal([cutlass.Int32] * 2), [i], 'mov.s32 $0, $2; mov.s32 $1, $2;', '=r,=r,r')"
KERNEL[DIALECTS] |= {"llvm.bitcast": f"{DIALECTS}.llvm.bitcast(cutlass.Int32, f)", "llvm.extractvalue": f"{DIALECTS}.llvm.extractvalue(None, {PAIR}, [1])",
                     "llvm.addrspacecast": f"{DIALECTS}.llvm.addrspacecast({DIALECTS}.llvm.PointerType.get(), x.iterator)"}

# The same by one thread; b is an mbarrier of one arrival.
ALONE = {"cutlass.cute.arch": {name: f"cute.arch.{text}" for name, text in (
    ("mbarrier_init", "mbarrier_init(b, 1)"), ("mbarrier_arrive", "mbarrier_arrive(b)"),
    ("mbarrier_wait", "mbarrier_arrive(b), cute.arch.mbarrier_wait(b, 0)"), ("mbarrier_expect_tx", "mbarrier_expect_tx(b, 16)"),
    ("mbarrier_arrive_and_expect_tx", "mbarrier_arrive_and_expect_tx(b, 16)"))},
    DIALECTS: {"nvvm.mbarrier_try_wait_parity_timelimit": f"{DIALECTS}.nvvm.mbarrier_try_wait_parity_timelimit(None, b, 0, 100)"}}


@cute.jit
def host(x: cute.Tensor, n: cutlass.Constexpr):
    pass


def named(x: cute.Tensor):
    pass


class STRUCT:  # noqa: N801  (a name in the texts)
    a: cute.struct.MemRange[cutlass.Float32, 4]
    b: cutlass.Float32


class Passed:
    """An argument by the protocol of pointers."""

    def __init__(self, value):
        self.value = ctypes.c_int32(value) if isinstance(value, int) else value

    def __c_pointers__(self):
        return [ctypes.addressof(self.value)]

    def __get_mlir_types__(self):
        return [cutlass.Int32.mlir_type]

    def __new_from_mlir_values__(self, values):
        return Passed(cutlass.Int32(values[0]))


class Extracted(Passed):
    """One whose values a run-time branch carries."""

    def __extract_mlir_values__(self):
        return [self.value]


@cute.jit
def takes(given: Passed):
    if given.value > 1:
        cute.printf("{}", given.value)


@cute.jit
def shaped(shape: cute.Shape):
    cute.make_layout(shape)


@cute.jit
def looped(x: cute.Tensor):
    for i in cutlass.range(2, unroll=2):
        x[i, 0] = 1.0


@cute.kernel
def one(x: cute.Tensor):
    x[0, 0] = 1.0


@cute.jit
def launch(x: cute.Tensor):
    one(x).launch(grid=1, block=1)


def summed(n):
    """A loop of for_generate."""
    loop = cutlass.for_generate(0, n, 1, [n])
    for i, (total,) in loop:
        cutlass.yield_out([total + i])
    return loop.results[0]


def spun(n):
    """A loop of while_generate."""
    with cutlass.cutlass_dsl.while_generate([n], lambda v: v < 100) as (v,):
        cutlass.cutlass_dsl.yield_out([v + 50])


def outcome(action):
    try:
        action()
    except Exception as error:  # noqa: BLE001  (whatever it is, the name does not work)
        return f"{type(error).__name__}: {error}".splitlines()[0]
    return ""


def in_kernel(text, threads=32):
    @cute.kernel(preprocess=False)
    def kernel(x):
        t = cute.arch.thread_idx()[0]
        r = cute.make_rmem_tensor((4,), cutlass.Float32)
        r.fill(1.0)
        smem = cutlass.utils.SmemAllocator()
        s = smem.allocate_tensor(cutlass.Float32, cute.make_layout(4))
        more = {}
        if threads == 1 and "mbarrier" in text:
            more["b"] = smem.allocate_array(cutlass.Int64, 1)
            cute.arch.mbarrier_init(more["b"], 1)
        if "STRUCT" in text:
            more |= {"STRUCT": STRUCT, "D_STRUCT": smem.allocate(cute.struct(STRUCT))}
        if P in text or "p." in text:
            more["group"] = cutlass.pipeline.CooperativeGroup(cutlass.pipeline.Agent.Thread, 32)
            more["p"] = cutlass.pipeline.PipelineAsync.create(num_stages=2, producer_group=more["group"], consumer_group=more["group"])
        a = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float32)
        eval(text, {"summed": summed, "spun": spun, "cute": cute, "cutlass": cutlass, "x": x, "r": r, "s": s, "v": r.load(), "t": t, "a": a,
                    "c": cute.make_tiled_copy_tv(a, cute.make_layout(32), cute.make_layout(4)),
                    "f": cutlass.Float32(t), "i": cutlass.Int32(t), "FMA": cute.nvgpu.MmaUniversalOp(cutlass.Float32),
                    "W": cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float32, num_bits_per_copy=32),
                    "E": lambda: cute.make_rmem_tensor((1,), cutlass.Float32),
                    "S": lambda *shape: cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(shape)),
                    "g": cute.make_tensor(x.iterator, cute.make_layout(4)), **more})

    @cute.jit(preprocess=False)
    def host(x):
        kernel(x).launch(grid=1, block=threads)

    host(torch.zeros(8, 16, device="cuda"))


def in_host(text):
    @cute.jit(preprocess=False)
    def host(x):
        eval(text, {"cute": cute, "cutlass": cutlass, "x": x})

    host(torch.zeros(8, 16, device="cuda"))


def eager(text):
    names = {"cute": cute, "cutlass": cutlass, "torch": torch, "from_dlpack": from_dlpack, "host": host, "launch": launch, "shaped": shaped,
             "looped": looped, "named": named, "A": from_dlpack(torch.zeros(4, 8)), "D": torch.zeros(4, 8, device="cuda")}
    return eval(text, {**names, "L": eval(LAYOUT, names)})


def shown(text, problem):
    return ("not yet", problem.replace("|", "\\|")[:100]) if problem else ("works", f"`{text.replace('|', chr(92) + '|')}`")


def judge_use(kind, text):
    """(status, note) of a use in compatibility_objects.py."""
    run = {"E": eager, "J": in_host, "K": in_kernel, "H": lambda text: takes(eval(text, globals()))}[kind]
    return shown(text, outcome(lambda: run(text)))


def find(module, name):
    """The object, or None."""
    try:
        found = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
        return None if isinstance(found, Absent) else found
    except (ImportError, AttributeError):
        return None


def judge(module, name):
    """(status, note)."""
    module = {"cutlass.cute.typing": "cutlass.cute.typing"}.get(module, module)
    found = find(module, name)
    if found is None:
        return "not yet", ""
    whole = f"{module}.{name}"
    if isinstance(found, (enum.Enum, int, float, str)):
        return "works", f"`{whole}`"
    if isinstance(found, types.ModuleType) and not EAGER.get(module, {}).get(name):
        own = [n for n in vars(found) if not n.startswith("_") and n != "absent"]
        return ("works", f"`import {whole}`") if own else ("not yet", "it can be imported, and its names say that they are not there")
    if isinstance(found, type) and issubclass(found, enum.Enum):
        return "works", f"`list({whole})`"
    if (text := EAGER.get(module, {}).get(name)) is not None:
        importlib.import_module(module)
        problem = outcome(lambda: eager(text))
    elif (text := ALONE.get(module, {}).get(name)) is not None:
        problem = outcome(lambda: in_kernel(text, 1))
    elif (text := KERNEL.get(module, {}).get(name)) is not None:
        problem = outcome(lambda: in_kernel(text))
    else:
        return "partly", ""
    return shown(text, problem)


def page():
    rows, section, counts, listed = [], "", {"works": 0, "partly": 0, "not yet": 0}, set()
    for line in INVENTORY.read_text().splitlines()[1:]:
        if line.startswith("["):
            section = line[1:-1]
            title, called = (section.replace("of ", "Of ", 1), "used") if section.startswith("of ") else (section, "called")
            rows += ["", f"## {title}", "", f"| name | status | {called} as, or what came |", "| --- | --- | --- |"]
            continue
        if section.startswith("of "):
            receiver = section.removeprefix("of ")
            status, note = judge_use(*OBJECTS[receiver][line])
            listed.add((receiver, line))
        else:
            status, note = judge(section, line)
        counts[status] += 1
        rows.append(f"| `{line}` | {status} | {note} |")
    unlisted = {(receiver, name) for receiver, uses in OBJECTS.items() for name in uses} - listed
    assert not unlisted, f"{INVENTORY.name} does not have {sorted(unlisted)}"
    head = ["# Compatibility", "", "Every name of the CuTe DSL API that public programs use, and, below, the methods and attributes of its objects.",
            "`test/python/test_compatibility.py` makes this page: it imports and calls each name on the simulated device.", "",
            "- works: the call that is shown runs,", "- partly: it is there, and no call of this page shows that it works (types for annotations, "
            "decorators and constants among them),", "- not yet: it is not there, or its call does not run.", "",
            f"{counts['works']} work, {counts['partly']} partly, {counts['not yet']} not yet."]
    return "\n".join(head + rows) + "\n"


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(page(), encoding="utf-8")
