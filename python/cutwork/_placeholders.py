# _placeholders.py -- cute.compile with tensors on the host that kernels take: they stand for tensors of the GPU.
"""A program compiles with `from_dlpack(torch.empty(1, 1))` and calls what it gets with tensors of the GPU. Which arguments kernels
take shows when the function is traced: an array on the host that is passed to a kernel is refused, and the function is traced
again with such arguments in global memory. Those that the host function reads stay where they are."""

import contextlib
import copy
import itertools
import sys
import threading

from . import _core
from ._arguments import Group, leaf_plans, tensor_plan
from ._errors import UserError

_TO_A_KERNEL = "an array on the host is passed to a kernel"  # lib/DSL/Kernel.cpp
_ON_THE_HOST = "the host function cannot read or write gmem memory"  # lib/DSL/Pointer.cpp
_MOST = 64  # traces


class _Printed:
    """sys.stdout while a function is traced: what a trace that failed has printed is not printed again by the next one."""

    def __init__(self, stream):
        self._stream, self._printed, self._again = stream, 0, 0

    def write(self, text):
        repeated = min(self._again, len(text))
        self._again -= repeated
        self._printed += len(text) - repeated
        if len(text) > repeated:
            self._stream.write(text[repeated:])
        return len(text)

    def restart(self):
        self._again = self._printed

    def __getattr__(self, name):
        return getattr(self._stream, name)


def _is_placeholder(leaf):
    return leaf.key[0] == "tensor" and leaf.spec.space == _core.AddressSpace.generic


def _on_gpu(leaf):
    spec = leaf.spec
    moved = _core.TensorSpec(spec.dtype, _core.AddressSpace.gmem, spec.alignment, spec.shape, spec.stride)
    return tensor_plan(moved, leaf.take, leaf.symbols)


def _moved(item, which):
    """A plan like this one, whose leaves in `which` (by identity) are in global memory."""
    if id(item) in which:
        return _on_gpu(item)
    if isinstance(item, Group):
        return Group(item.kind, item.names, [_moved(one, which) for one in item.items], item.children, item.build, item.opaque, item.key[2])
    return item


def _with(binding, leaves):
    made = copy.copy(binding)
    which = set(map(id, leaves))
    made.plans = {name: _moved(item, which) for name, item in binding.plans.items()}
    return made


def compiled(binding, compile_binding):
    """(the binding that was compiled, what compile_binding gave): the one given, or one whose placeholders are on the GPU."""
    found = [leaf for _, leaf in leaf_plans(binding.plans) if _is_placeholder(leaf)]
    if not found:
        return binding, compile_binding(binding)
    printed = _Printed(sys.stdout)
    alone = threading.current_thread() is threading.main_thread()  # sys.stdout is the process's
    with contextlib.redirect_stdout(printed) if alone else contextlib.nullcontext():
        try:
            return binding, compile_binding(binding)
        except UserError as error:
            if _TO_A_KERNEL not in str(error):
                raise
            first = error
        # All of them, or all but those that the host function reads: as few as possible stay.
        ways = (kept for count in range(len(found)) for kept in itertools.combinations(found, count))
        for kept in itertools.islice(ways, _MOST):
            printed.restart()
            tried = _with(binding, [leaf for leaf in found if not any(leaf is one for one in kept)])
            try:
                return tried, compile_binding(tried)
            except UserError as error:
                if _TO_A_KERNEL not in str(error) and _ON_THE_HOST not in str(error):
                    raise
    raise first


__all__ = ["compiled"]
