# compatibility.py -- tries every name of api_inventory.txt and writes docs/compatibility.md: `cutwork` runs it.
"""A name works if it is there and the call below runs on the simulated device (in a kernel unless it says otherwise);
partly if it is there and no call here shows that it works; not yet if it is not there, or its call does not run."""
import importlib
import pathlib
import sys

import cutlass
import cutlass.cute as cute
import torch
from cutlass.cute.runtime import from_dlpack

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
EAGER["cutlass"] |= {f"Float32.{name}": f"cutlass.Float32.{name}" for name in ("inf", "zero")}
KERNEL["cutlass"] = {name: f"cutlass.{name}(f)" for name in TYPES} | {"range_constexpr": "list(cutlass.range_constexpr(2))"}


def outcome(action):
    try:
        action()
    except Exception as error:  # noqa: BLE001  (whatever it is, the name does not work)
        return f"{type(error).__name__}: {error}".splitlines()[0]
    return ""


def in_kernel(text):
    @cute.kernel(preprocess=False)
    def kernel(x):
        t = cute.arch.thread_idx()[0]
        r = cute.make_rmem_tensor((4,), cutlass.Float32)
        r.fill(1.0)
        s = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(4))
        a = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float32)
        eval(text, {"cute": cute, "cutlass": cutlass, "x": x, "r": r, "s": s, "v": r.load(), "t": t, "a": a,
                    "c": cute.make_tiled_copy_tv(a, cute.make_layout(32), cute.make_layout(4)),
                    "f": cutlass.Float32(t), "i": cutlass.Int32(t), "FMA": cute.nvgpu.MmaUniversalOp(cutlass.Float32),
                    "W": cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float32, num_bits_per_copy=32),
                    "E": lambda: cute.make_rmem_tensor((1,), cutlass.Float32),
                    "S": lambda *shape: cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(shape)),
                    "g": cute.make_tensor(x.iterator, cute.make_layout(4))})

    @cute.jit(preprocess=False)
    def host(x):
        kernel(x).launch(grid=1, block=32)

    host(torch.zeros(8, 16, device="cuda"))


def find(module, name):
    """The object, or None."""
    try:
        found = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
        return found
    except (ImportError, AttributeError):
        return None


def judge(module, name):
    """(status, note)."""
    module = {"cutlass.cute.typing": "cutlass.cute.typing"}.get(module, module)
    if find(module, name) is None:
        return "not yet", ""
    if (text := EAGER.get(module, {}).get(name)) is not None:
        names = {"cute": cute, "cutlass": cutlass, "torch": torch, "from_dlpack": from_dlpack}
        importlib.import_module(module)
        problem = outcome(lambda: eval(text, {**names, "L": eval(LAYOUT, names)}))
    elif (text := KERNEL.get(module, {}).get(name)) is not None:
        problem = outcome(lambda: in_kernel(text))
    else:
        return "partly", ""
    return ("not yet", problem.replace("|", "\\|")[:100]) if problem else ("works", f"`{text.replace('|', chr(92) + '|')}`")


def page():
    rows, module, counts = [], "", {"works": 0, "partly": 0, "not yet": 0}
    for line in INVENTORY.read_text().splitlines()[1:]:
        if line.startswith("["):
            module = line[1:-1]
            rows += ["", f"## {module}", "", "| name | status | called as, or what came |", "| --- | --- | --- |"]
            continue
        status, note = judge(module, line)
        counts[status] += 1
        rows.append(f"| `{line}` | {status} | {note} |")
    head = ["# Compatibility", "", "Every name of the CuTe DSL API that public programs use. `test/python/test_compatibility.py` makes this "
            "page: it imports and calls each name", "on the simulated device.", "",
            "- works: the call that is shown runs,", "- partly: it is there, and no call of this page shows that it works (types for annotations, decorators and "
            "constants among them),", "- not yet: it is not there, or its call does not run.", "",
            f"{counts['works']} work, {counts['partly']} partly, {counts['not yet']} not yet."]
    return "\n".join(head + rows) + "\n"


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(page(), encoding="utf-8")
