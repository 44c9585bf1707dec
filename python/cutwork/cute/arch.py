# arch.py -- what threads, warps and blocks do: indices, barriers, shuffles, votes, atomics, fences, PTX.

from .. import _core, _numbers
from .._absent import absent as _absent
from .._errors import UserError, explain as _explain, only_hints as _only_hints
from .._numbers import Numeric
from .._staging import current
from ..architectures import Arch  # noqa: F401
from .barriers import *  # noqa: F403

_arch = _core.arch
WARP_SIZE = 32
FULL_MASK = 0xFFFFFFFF

thread_idx = lambda *, loc=None, ip=None: _arch.thread_idx()  # noqa: E731
block_idx = lambda *, loc=None, ip=None: _arch.block_idx()  # noqa: E731
block_dim = lambda *, loc=None, ip=None: _arch.block_dim()  # noqa: E731
grid_dim = lambda *, loc=None, ip=None: _arch.grid_dim()  # noqa: E731
cluster_idx = lambda *, loc=None, ip=None: _arch.cluster_idx()  # noqa: E731
cluster_dim = lambda *, loc=None, ip=None: _arch.cluster_dim()  # noqa: E731
block_in_cluster_idx = lambda *, loc=None, ip=None: _arch.block_in_cluster_idx()  # noqa: E731
block_in_cluster_dim = lambda *, loc=None, ip=None: _arch.block_in_cluster_dim()  # noqa: E731
block_idx_in_cluster = lambda *, loc=None, ip=None: _arch.block_idx_in_cluster()  # noqa: E731
lane_idx = lambda *, loc=None, ip=None: _arch.lane_idx()  # noqa: E731
warp_idx = lambda *, loc=None, ip=None: _arch.warp_idx()  # noqa: E731


def make_warp_uniform(value, *, loc=None, ip=None):
    """The value, said to be the same in all lanes."""
    return _arch.make_warp_uniform(value)


def sync_threads(*, loc=None, ip=None):
    """All threads of the block meet."""
    _arch.sync_threads()


def barrier(*, barrier_id=None, number_of_threads=None, loc=None, ip=None):
    """bar.sync of a barrier (0 without a name) by so many threads (all without a number)."""
    _arch.barrier(0 if barrier_id is None else barrier_id, 0 if number_of_threads is None else number_of_threads)


def barrier_arrive(*, barrier_id=None, number_of_threads=None, loc=None, ip=None):
    _arch.barrier_arrive(0 if barrier_id is None else barrier_id, number_of_threads)


def sync_warp(mask=FULL_MASK, *, loc=None, ip=None):
    _arch.sync_warp(mask)


def cluster_arrive(*, aligned=None, loc=None, ip=None):
    _arch.cluster_arrive()


def cluster_arrive_relaxed(*, aligned=None, loc=None, ip=None):
    _arch.cluster_arrive_relaxed()


def cluster_wait(*, aligned=None, loc=None, ip=None):
    _arch.cluster_wait()


def map_dsmem_ptr(smem_ptr, cta_rank_in_cluster, *, loc=None, ip=None):
    """Where the block of that rank in the cluster has what `smem_ptr` points to here: a pointer in dsmem."""
    return _arch.map_dsmem_ptr(smem_ptr, cta_rank_in_cluster)


def cp_async_commit_group(*, loc=None, ip=None):
    """The thread's cp.async copies since the last call become a group."""
    _arch.cp_async_commit_group()


def cp_async_wait_group(n, *, loc=None, ip=None):
    """Waits until at most the n last groups of this thread are under way."""
    pending = n.value if isinstance(n, Numeric) else n
    if not isinstance(pending, int):
        raise UserError("cp_async_wait_group: the number of groups is part of the instruction, it must be known while tracing")
    _arch.cp_async_wait_group(pending)


def fence_acq_rel_cta(*, loc=None, ip=None):
    _arch.fence(_arch.Scope.cta)


def fence_acq_rel_cluster(*, loc=None, ip=None):
    _arch.fence(_arch.Scope.cluster)


def fence_acq_rel_gpu(*, loc=None, ip=None):
    _arch.fence(_arch.Scope.gpu)


def fence_acq_rel_sys(*, loc=None, ip=None):
    _arch.fence(_arch.Scope.sys)


class elect_one:  # noqa: N801  (the field's name)
    """`with elect_one():` one lane of the warp runs the body."""

    def __init__(self, *, loc=None, ip=None):
        self._region = None

    def __staged_condition__(self):
        """For rewritten functions, which make an `if` of the statement."""
        return _arch.elect()

    def __enter__(self):
        self._region = _core.open_if(_arch.elect())
        current().depth += 1
        return self

    def __exit__(self, *_):
        current().depth -= 1
        self._region.close()
        return False


# -- within a warp ------------------------------------------------------------------------------


def _width(mask_and_clamp):
    """Lanes that exchange among themselves, of PTX's packed segment mask and clamp."""
    segment = (mask_and_clamp >> 8) & 31
    return 32 - segment


def shuffle_sync(value, offset, mask=FULL_MASK, mask_and_clamp=31, *, loc=None, ip=None):
    """The value of lane `offset`."""
    return _arch.shuffle_sync(value, offset, mask, _width(mask_and_clamp))


def shuffle_sync_up(value, offset, mask=FULL_MASK, mask_and_clamp=0, *, loc=None, ip=None):
    return _arch.shuffle_sync_up(value, offset, mask, _width(mask_and_clamp))


def shuffle_sync_down(value, offset, mask=FULL_MASK, mask_and_clamp=31, *, loc=None, ip=None):
    return _arch.shuffle_sync_down(value, offset, mask, _width(mask_and_clamp))


def shuffle_sync_bfly(value, offset, mask=FULL_MASK, mask_and_clamp=31, *, loc=None, ip=None):
    return _arch.shuffle_sync_bfly(value, offset, mask, _width(mask_and_clamp))


def shuffle_sync_op(value, offset, mask=FULL_MASK, mask_and_clamp=31, kind="idx", *, loc=None, ip=None):
    kinds = {"idx": shuffle_sync, "up": shuffle_sync_up, "down": shuffle_sync_down, "bfly": shuffle_sync_bfly}
    return kinds[getattr(kind, "name", kind)](value, offset, mask, mask_and_clamp)


def vote_all_sync(pred, mask=FULL_MASK, *, loc=None, ip=None):
    return _arch.vote_all_sync(pred, mask)


def vote_any_sync(pred, mask=FULL_MASK, *, loc=None, ip=None):
    return _arch.vote_any_sync(pred, mask)


def vote_uni_sync(pred, mask=FULL_MASK, *, loc=None, ip=None):
    return _arch.vote_uni_sync(pred, mask)


def vote_ballot_sync(pred, mask=FULL_MASK, *, loc=None, ip=None):
    return _numbers.Int32(_arch.vote_ballot_sync(pred, mask))


def warp_reduction(val, op, *, threads_in_group=WARP_SIZE, loc=None, ip=None):
    """In every lane the values of its group, combined by `op`."""
    lanes = threads_in_group // 2
    while lanes:
        val = op(val, shuffle_sync_bfly(val, lanes))
        lanes //= 2
    return val


def warp_reduction_sum(val, *, threads_in_group=WARP_SIZE, loc=None, ip=None):
    return _arch.warp_reduction_sum(val, threads_in_group)


def warp_reduction_max(val, *, threads_in_group=WARP_SIZE, loc=None, ip=None):
    return _arch.warp_reduction_max(val, threads_in_group)


def warp_redux_sync(value, kind, mask_and_clamp=FULL_MASK, *, abs=None, nan=None, loc=None, ip=None):  # noqa: A002
    """redux.sync: add, min, max, and, or, xor of 32-bit integers; fmin and fmax by shuffles."""
    if kind in ("fmax", "fmin"):
        if abs:
            value = _core.math.absf(value)
        return warp_reduction(value, fmax if kind == "fmax" else fmin)
    return _arch.warp_redux_sync(value, kind, mask_and_clamp)


def popc(value, *, loc=None, ip=None):
    return _arch.popc(value)


# -- arithmetic ---------------------------------------------------------------------------------


def _extreme(name, builtin, a, b, magnitude, nan, ftz):
    if magnitude:
        raise UserError(f"arch.f{name}: abs=True is not supported yet (docs/support.md); take absf of the operands")
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return builtin(a, b)
    operands = [_numbers.Float32(a), _numbers.Float32(b)]
    text = f"{name}{'.ftz' if ftz else ''}{'.NaN' if nan else ''}.f32 $0, $1, $2;"
    return _arch.inline_ptx(text, [_numbers.Float32], operands)[0]


def fmax(a, b, *, abs=False, nan=False, ftz=False, loc=None, ip=None):  # noqa: A002
    """The greater of two Float32: the number, if the other is NaN; NaN with nan=True."""
    return _extreme("max", max, a, b, abs, nan, ftz)


def fmin(a, b, *, abs=False, nan=False, ftz=False, loc=None, ip=None):  # noqa: A002
    return _extreme("min", min, a, b, abs, nan, ftz)


def rcp_approx(a, *, loc=None, ip=None):
    """1 / a, of rcp.approx.ftz.f32."""
    return _arch.inline_ptx("rcp.approx.ftz.f32 $0, $1;", [_numbers.Float32], [_numbers.Float32(a)])[0]


def exp2(a, *, loc=None, ip=None):
    """2 to the power of a, of ex2.approx.ftz.f32."""
    return _arch.inline_ptx("ex2.approx.ftz.f32 $0, $1;", [_numbers.Float32], [_numbers.Float32(a)])[0]


def exp(a, *, loc=None, ip=None):
    return exp2(_numbers.Float32(a) * 1.4426950408889634)


def _packed(name):
    def function(*operands, rnd=None, ftz=False, loc=None, ip=None):
        """Both pairs' elements, rounded to the nearest."""
        if str(getattr(rnd, "name", rnd or "rn")).lower() != "rn" or ftz:
            raise UserError(f"packed f32x2: rnd 'rn' without ftz is there, not rnd={rnd!r}, ftz={ftz!r}")
        return tuple(name(*(operand[i] for operand in operands)) for i in (0, 1))

    return function


add_packed_f32x2 = _packed(lambda a, b: a + b)
sub_packed_f32x2 = _packed(lambda a, b: a - b)
mul_packed_f32x2 = _packed(lambda a, b: a * b)
fma_packed_f32x2 = _packed(lambda a, b, c: _core.math.fma(a, b, c))


def prmt(src, src_reg_shifted, prmt_indices, *, loc=None, ip=None):
    """Bytes of two words in the order of the selector."""
    operands = [_numbers.Uint32(x) for x in (src, src_reg_shifted, prmt_indices)]
    return _numbers.Int32(_arch.inline_ptx("prmt.b32 $0, $1, $2, $3;", [_numbers.Uint32], operands)[0])


# -- memory -------------------------------------------------------------------------------------

_ORDERS = {None: "relaxed", "relaxed": "relaxed", "acquire": "acquire", "release": "release", "acq_rel": "acq_rel"}


def _order(sem, scope):
    name, where = getattr(sem, "name", sem), getattr(scope, "name", scope) or "gpu"
    if name not in _ORDERS:
        raise UserError(f"atomic: sem '{name}' is none of relaxed, acquire, release, acq_rel")
    if not hasattr(_arch.Scope, where):
        raise UserError(f"atomic: scope '{where}' is none of cta, cluster, gpu, sys")
    return getattr(_arch.Order, _ORDERS[name]), getattr(_arch.Scope, where)


def _pointer(name, ptr):
    if isinstance(ptr, (_core.Tensor, _numbers.Numeric)):
        raise TypeError(f"{name}: a pointer was expected, not {type(ptr).__name__}; the address of an element of tensor t is "
                        "t.iterator + cute.crd2idx(coord, t.layout)")


def _atomic(name):
    of = getattr(_arch, f"atomic_{name}")

    def function(ptr, val, *, sem=None, scope=None, loc=None, ip=None):
        _pointer(f"atomic_{name}", ptr)
        return of(ptr, val, *_order(sem, scope))

    function.__name__ = function.__qualname__ = f"atomic_{name}"
    function.__doc__ = "The old value."
    return function


atomic_add, atomic_max, atomic_min = _atomic("add"), _atomic("max"), _atomic("min")
atomic_and, atomic_or, atomic_xor, atomic_exch = _atomic("and"), _atomic("or"), _atomic("xor"), _atomic("exch")
atomic_fmax, atomic_fmin = atomic_max, atomic_min


def atomic_cas(ptr, *, cmp, val, sem=None, scope=None, loc=None, ip=None):
    _pointer("atomic_cas", ptr)
    return _arch.atomic_cas(ptr, cmp, val, *_order(sem, scope))


_LOADS, _STORES = ("volatile", "relaxed", "acquire"), ("volatile", "relaxed", "release")


def _strong(name, pointer, sem, scope, words):
    """(order, scope, space and type of ld or st; bits of the register; the address)."""
    order, where = getattr(sem, "name", sem), getattr(scope, "name", scope)
    if order not in words or (where is not None and (order == "volatile" or not hasattr(_arch.Scope, where))):
        raise UserError(f"{name}: sem is one of {', '.join(words)}, and scope one of cta, cluster, gpu, sys, without it for volatile; "
                        f"not sem={sem!r}, scope={scope!r}")
    space = {"gmem": ".global", "smem": ".shared", "generic": ""}.get(pointer.memspace.name)
    if space is None or pointer.dtype._storage not in (8, 16, 32, 64):
        raise UserError(f"{name}: sem is for elements of 8 to 64 bits in global, shared or generic memory, not {pointer}")
    ordered = order if order == "volatile" else f"{order}.{where or 'gpu'}"
    return f"{ordered}{space}.b{pointer.dtype._storage}", max(pointer.dtype._storage, 16), pointer.toint()


def load(ptr, dtype=None, *, sem=None, scope=None, loc=None, ip=None, **kwargs):
    """The element at a pointer; `sem` volatile, relaxed or acquire, with `scope` (gpu): an access that others may write beside."""
    _only_hints("load", kwargs, "level1_eviction_priority level2_eviction_priority cop ss")
    pointer = ptr if dtype is None else _core.recast_ptr(ptr, None, dtype)
    if sem is None:
        return pointer.load()
    words, bits, address = _strong("load", pointer, sem, scope, _LOADS)
    made = _arch.inline_ptx(f"ld.{words} $0, [$1];", [_numbers.CLASSES[f"Uint{bits}"]], [address])[0]
    if pointer.dtype is _numbers.Boolean:
        return made != 0
    return made.to(_numbers.CLASSES[f"Uint{pointer.dtype.width}"]).bitcast(pointer.dtype)


def store(ptr, value, *, sem=None, scope=None, loc=None, ip=None, **kwargs):
    """Writes the element at a pointer; `sem` volatile, relaxed or release, with `scope` (gpu): others may read beside it."""
    _only_hints("store", kwargs, "level1_eviction_priority level2_eviction_priority cop ss")
    if sem is None:
        ptr.store(value)
        return
    words, bits, address = _strong("store", ptr, sem, scope, _STORES)
    value = _core.convert(value, ptr.dtype)
    if ptr.dtype is not _numbers.Boolean:
        value = value.bitcast(_numbers.CLASSES[f"Uint{ptr.dtype.width}"])
    _arch.inline_ptx(f"st.{words} [$0], $1;", [], [address, value.to(_numbers.CLASSES[f"Uint{bits}"])])


def prefetch(ptr, *, level="L2", tensormap=False, loc=None, ip=None):
    """Brings the line at a pointer to global memory into the cache L1 or L2; tensormap: what it points at is a descriptor."""
    if level not in ("L1", "L2"):
        raise UserError(f"arch.prefetch: level is 'L1' or 'L2', not {level!r}")
    if tensormap:
        _arch.inline_ptx("prefetch.tensormap [$0];", [], [_numbers.Int64(ptr.toint())])
        return
    if ptr.memspace != _core.AddressSpace.gmem:
        raise UserError(f"arch.prefetch: a pointer to global memory was expected, not {ptr}")
    _arch.inline_ptx(f"prefetch.global.{level} [$0];", [], [_numbers.Int64(ptr.toint())])


def get_dyn_smem(element_type, alignment=None, *, loc=None, ip=None):
    """The shared memory behind what was allocated."""
    return _core.get_dyn_smem(element_type, alignment or 16)


def dynamic_smem_size(*, loc=None, ip=None):
    """Bytes of dynamic shared memory that the launch gave."""
    return _numbers.Int32(_arch.inline_ptx("mov.u32 $0, %dynamic_smem_size;", [_numbers.Uint32], [])[0])


def inline_ptx(text, *, read_write_args=(), read_only_args=(), write_only_types=(), results=(), loc=None, ip=None, **kwargs):
    """PTX text with $0, $1, ... for the results, then the operands."""
    _only_hints("inline_ptx", kwargs, "has_side_effects is_align_stack asm_dialect")
    made = _arch.inline_ptx(text, list(write_only_types or results), [*read_write_args, *read_only_args])
    return made[0] if len(made) == 1 else tuple(made)


def nanosleep(duration, *, loc=None, ip=None):
    _arch.inline_ptx("nanosleep.u32 $0;", [], [_numbers.Uint32(duration)])


def griddepcontrol_wait(*, loc=None, ip=None):
    """Waits for the grids that this one depends on (sm_90 and later)."""
    _arch.inline_ptx("griddepcontrol.wait;", [], [])


def griddepcontrol_launch_dependents(*, loc=None, ip=None):
    _arch.inline_ptx("griddepcontrol.launch_dependents;", [], [])


_explain(globals())
__getattr__ = _absent("cute.arch", "alloc_tmem dealloc_tmem fence_view_async_tmem_load fence_view_async_tmem_store "
                      "relinquish_tmem_alloc_permit retrieve_tmem_ptr sext_unpacked_i4_i8_intrinsic",
                      "tensor memory and 4-bit integers are not there")
