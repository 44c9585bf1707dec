# distributed.py -- flags in global memory on which blocks, of one GPU or several, wait for each other.
"""A flag is an Int32. What goes through a multicast address of several GPUs (multimem) is not there yet."""

from .. import _core, _numbers
from .._absent import absent as _absent
from .._errors import UserError

_arch = _core.arch
_SCOPES = ("cta", "cluster", "gpu", "sys")


def _flag(lock_ptr, what, scope):
    if not isinstance(lock_ptr, _core.Pointer) or lock_ptr.dtype not in (_numbers.Int32, _numbers.Uint32):
        raise UserError(f"{what}: a pointer to an Int32 in global memory was expected, not {lock_ptr}")
    if scope not in _SCOPES:
        raise UserError(f"{what}: scope is one of {', '.join(_SCOPES)}, not {scope!r}")
    return getattr(_arch.Scope, scope)


def red_add1(lock_ptr, *, order: str = "release", scope: str = "gpu", loc=None, ip=None):
    """Adds 1 to the flag."""
    where = _flag(lock_ptr, "red_add1", scope)
    if order not in ("relaxed", "release", "acquire", "acq_rel"):
        raise UserError(f"red_add1: order is relaxed, release, acquire or acq_rel, not {order!r}")
    _arch.atomic_add(lock_ptr, 1, getattr(_arch.Order, order), where)


def _swap_until(lock_ptr, expected_val, reset_val, order, scope, what):
    where = _flag(lock_ptr, what, scope)
    region = _core.open_while()
    old = _arch.atomic_cas(lock_ptr, expected_val, reset_val, order, where)
    region.condition(_core.ne(old, expected_val))
    region.close()


def spin_lock_atom_cas_relaxed_wait(lock_ptr, *, expected_val, reset_val, scope="gpu", loc=None, ip=None):
    """Waits until the flag has a value, and gives it another; orders nothing."""
    _swap_until(lock_ptr, expected_val, reset_val, _arch.Order.relaxed, scope, "spin_lock_atom_cas_relaxed_wait")


def spin_lock_atom_cas_acquire_wait(lock_ptr, *, expected_val, reset_val, scope="gpu", loc=None, ip=None):
    """The same; what was written before the flag was released is seen behind it."""
    _swap_until(lock_ptr, expected_val, reset_val, _arch.Order.acquire, scope, "spin_lock_atom_cas_acquire_wait")


def spin_lock_ld_lt_relaxed_wait(lock_ptr, *, expected_val, scope="gpu", loc=None, ip=None):
    """Waits while the flag is less than a value; orders nothing."""
    _flag(lock_ptr, "spin_lock_ld_lt_relaxed_wait", scope)
    region = _core.open_while()
    now = _arch.inline_ptx(f"ld.relaxed.{scope}.global.s32 $0, [$1];", [_numbers.Int32], [_numbers.Int64(lock_ptr.toint())])[0]
    region.condition(_core.lt(now, expected_val))
    region.close()


__getattr__ = _absent("cutlass.utils.distributed", "multimem_ld_reduce multimem_ld_reduce_4xf32 multimem_red_add1 multimem_st "
                      "multimem_st_4xb32", "addresses that reach several GPUs at once (multimem) are not there")
