# nvvm.py -- operations of the nvvm dialect that programs call.

from ... import _core
from ..._absent import absent
from ...cute import barriers


def elect_sync(res=None, *, loc=None, ip=None):
    """Whether this is the lane that its warp elects."""
    return _core.arch.elect()


def mbarrier_try_wait_parity(res=None, addr=None, phase=None, *, loc=None, ip=None, **_):
    return barriers.mbarrier_try_wait(addr, phase)


def mbarrier_try_wait_parity_timelimit(res=None, addr=None, phase=None, ticks=None, *, loc=None, ip=None, **_):
    """Whether the phase has ended; the hardware's own time limit is used."""
    return barriers.mbarrier_try_wait(addr, phase)


def barrier0(*, loc=None, ip=None):
    _core.arch.sync_threads()


__getattr__ = absent("cutlass._mlir.dialects.nvvm", "CpAsyncBulkTensorGlobalToSharedClusterOp CpAsyncBulkTensorLoadMode TMALoadMode",
                     "copies of TMA are not there")
