# barriers.py -- mbarriers, proxy fences and bulk groups of cute.arch, each one PTX instruction or a loop around one.
"""PTX ISA, sections 9.7.13.15 (mbarrier), 9.7.13.4 (fence.proxy) and 9.7.9.25 (cp.async.bulk groups)."""

from .. import _core, _numbers
from .._errors import UserError

_arch = _core.arch
_Boolean, _Int32, _Uint32 = _numbers.Boolean, _numbers.Int32, _numbers.Uint32


def _ptx(text, results=(), operands=()):
    return _arch.inline_ptx(text, list(results), list(operands))


def _address(mbar_ptr, what):
    """The address of a barrier in shared memory."""
    if not isinstance(mbar_ptr, _core.Pointer) or mbar_ptr.memspace != _core.AddressSpace.smem:
        raise UserError(f"{what}: a pointer to 8 bytes of shared memory was expected, not {mbar_ptr}")
    return _Uint32(mbar_ptr.toint())


def mbarrier_init(mbar_ptr, cnt, *, loc=None, ip=None):
    """Makes the 8 bytes a barrier whose phase takes `cnt` arrivals; one thread does it."""
    _ptx("mbarrier.init.shared.b64 [$0], $1;", (), [_address(mbar_ptr, "mbarrier_init"), _Uint32(cnt)])


def mbarrier_init_fence(*, loc=None, ip=None):
    """Makes initialised barriers visible to the cluster and to asynchronous copies (sm_90)."""
    _ptx("fence.mbarrier_init.release.cluster;")


def mbarrier_arrive(mbar_ptr, peer_cta_rank_in_cluster=None, arrive_count=1, *, scope=None, loc=None, ip=None):
    """Arrives, at this block's barrier or at that of another block of the cluster."""
    where = _address(mbar_ptr, "mbarrier_arrive")
    if peer_cta_rank_in_cluster is not None:
        _ptx("{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, $0, $1;\n"
             "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote], $2;\n}", (),
             [where, _Uint32(peer_cta_rank_in_cluster), _Uint32(arrive_count)])
    elif arrive_count == 1:
        _ptx("{\n.reg .b64 state;\nmbarrier.arrive.shared.b64 state, [$0];\n}", (), [where])
    else:
        _ptx("{\n.reg .b64 state;\nmbarrier.arrive.shared.b64 state, [$0], $1;\n}", (), [where, _Uint32(arrive_count)])


def mbarrier_arrive_and_expect_tx(mbar_ptr, bytes, peer_cta_rank_in_cluster=None, *, relaxed=False, scope=None,  # noqa: A002
                                  loc=None, ip=None):
    """Arrives, and lets the phase wait for so many bytes of asynchronous copies as well."""
    if peer_cta_rank_in_cluster is not None:
        raise UserError("mbarrier_arrive_and_expect_tx: another block's barrier is not supported yet (docs/support.md)")
    _ptx("{\n.reg .b64 state;\nmbarrier.arrive.expect_tx.shared.b64 state, [$0], $1;\n}", (),
         [_address(mbar_ptr, "mbarrier_arrive_and_expect_tx"), _Uint32(bytes)])


def mbarrier_expect_tx(mbar_ptr, bytes, peer_cta_rank_in_cluster=None, *, scope=None, loc=None, ip=None):  # noqa: A002
    """Lets the phase wait for so many more bytes, without arriving."""
    if peer_cta_rank_in_cluster is not None:
        raise UserError("mbarrier_expect_tx: another block's barrier is not supported yet (docs/support.md)")
    _ptx("mbarrier.expect_tx.relaxed.cta.shared.b64 [$0], $1;", (),
         [_address(mbar_ptr, "mbarrier_expect_tx"), _Uint32(bytes)])


def cp_async_mbarrier_arrive_noinc(mbar_ptr, *, loc=None, ip=None):
    """Lets the cp.async copies that this thread has issued arrive at the barrier when they are done: one of its arrivals."""
    _ptx("cp.async.mbarrier.arrive.noinc.shared.b64 [$0];", (), [_address(mbar_ptr, "cp_async_mbarrier_arrive_noinc")])


def _asked(instruction, what, mbar_ptr, phase):
    text = ("{\n.reg .pred ready;\nmbarrier." + instruction + ".parity.shared.b64 ready, [$1], $2;\n"
            "selp.u32 $0, 1, 0, ready;\n}")
    ready = _ptx(text, [_Uint32], [_address(mbar_ptr, what), _Uint32(phase)])[0]
    return ready != 0


def mbarrier_try_wait(mbar_ptr, phase, *, loc=None, ip=None):
    """Whether the phase of this parity has ended; waits for a while that the hardware chooses."""
    return _asked("try_wait", "mbarrier_try_wait", mbar_ptr, phase)


def mbarrier_test_wait(mbar_ptr, phase, *, loc=None, ip=None):
    """Whether the phase of this parity has ended, without waiting."""
    return _asked("test_wait", "mbarrier_test_wait", mbar_ptr, phase)


def mbarrier_wait(mbar_ptr, phase, *, loc=None, ip=None):
    """Waits until the phase of this parity (0 or 1) has ended."""
    parity = _Uint32(phase)
    region = _core.open_while()
    region.condition(_asked("try_wait", "mbarrier_wait", mbar_ptr, parity) ^ True)
    region.close()


def fence_proxy(kind, *, space=None, use_intrinsic=None, loc=None, ip=None):
    """Orders accesses of the generic proxy with those of another: "async", "async.global", "async.shared" with space "cta" or
    "cluster", "alias"."""
    kind, space = (getattr(x, "value", x) if x is not None else None for x in (kind, space))
    if kind == "async.shared":
        if space not in ("cta", "cluster"):
            raise UserError(f"fence_proxy: space is 'cta' or 'cluster' of kind 'async.shared', not {space!r}")
        kind = f"async.shared::{space}"
    elif kind not in ("async", "async.global", "alias"):
        raise UserError(f"fence_proxy: kind is 'async', 'async.global', 'async.shared' or 'alias', not {kind!r}")
    _ptx(f"fence.proxy.{kind};")


def fence_view_async_shared(*, loc=None, ip=None):
    """Makes stores to shared memory visible to asynchronous copies."""
    fence_proxy("async.shared", space="cta")


def cp_async_bulk_commit_group(*, loc=None, ip=None):
    """The thread's bulk copies since the last call become a group (sm_90)."""
    _ptx("cp.async.bulk.commit_group;")


def cp_async_bulk_wait_group(group, *, read=None, loc=None, ip=None):
    """Waits until at most `group` groups are under way; read: until their sources have been read."""
    if not isinstance(group, int):
        raise UserError("cp_async_bulk_wait_group: the number of groups is part of the instruction, it must be a Python int")
    _ptx(f"cp.async.bulk.wait_group{'.read' if read else ''} {group};")


def _setmaxnreg(direction, count):
    if not isinstance(count, int) or not 24 <= count <= 256 or count % 8:
        raise UserError(f"setmaxregister: a multiple of 8 from 24 to 256 was expected, not {count!r}")
    _ptx(f"setmaxnreg.{direction}.sync.aligned.u32 {count};")


def setmaxregister_increase(reg_count, *, loc=None, ip=None):
    """More registers for the warps of this warpgroup (sm_90a); all of them call it."""
    _setmaxnreg("inc", reg_count)


def setmaxregister_decrease(reg_count, *, loc=None, ip=None):
    """Fewer registers for the warps of this warpgroup (sm_90a); all of them call it."""
    _setmaxnreg("dec", reg_count)


warpgroup_reg_alloc, warpgroup_reg_dealloc = setmaxregister_increase, setmaxregister_decrease


def get_max_tmem_alloc_cols(compute_capability="sm_100"):
    """Columns of tensor memory that a block can have."""
    return 512


def get_min_tmem_alloc_cols(compute_capability="sm_100"):
    """The least number of columns that is given."""
    return 32


__all__ = ["cp_async_bulk_commit_group", "cp_async_bulk_wait_group", "cp_async_mbarrier_arrive_noinc", "fence_proxy", "fence_view_async_shared",
           "get_max_tmem_alloc_cols", "get_min_tmem_alloc_cols", "mbarrier_arrive", "mbarrier_arrive_and_expect_tx",
           "mbarrier_expect_tx", "mbarrier_init", "mbarrier_init_fence", "mbarrier_test_wait", "mbarrier_try_wait",
           "mbarrier_wait", "setmaxregister_decrease", "setmaxregister_increase", "warpgroup_reg_alloc",
           "warpgroup_reg_dealloc"]
