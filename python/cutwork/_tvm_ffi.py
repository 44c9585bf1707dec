# _tvm_ffi.py -- `--enable-tvm-ffi`: compiled functions as tvm_ffi.Function, where apache-tvm-ffi is installed.

import functools
import itertools

from . import _core
from ._arguments import ENV_STREAM, Constant, Leaf

_numbers = itertools.count()


@functools.cache
def _function_class(tvm_ffi):
    class CompiledFunction(tvm_ffi.Function):
        """A tvm_ffi.Function with all that a compiled function has."""

        def __getattr__(self, name):
            return getattr(self.__dict__["compiled"], name)

        def __repr__(self):
            return f"<tvm_ffi.Function of {self.compiled!r}>"

    return CompiledFunction


def function_of(compiled, plans, device):
    """The tvm_ffi.Function of a compiled function; the function itself, which takes tensors directly too, where
    apache-tvm-ffi is not installed or an argument is a structure."""
    try:
        import tvm_ffi.libinfo  # not merely a folder of that name
    except ImportError:
        return compiled
    if not all(isinstance(item, (Leaf, Constant)) for item in plans.values()):
        _core.log_info(f"{compiled.__name__}: arguments that are structures do not go through tvm_ffi")
        return compiled
    leaves = [(name, item) for name, item in plans.items() if isinstance(item, Leaf)]
    passed = [(i, name) for i, (name, item) in enumerate(leaves) if item is not ENV_STREAM]
    name = f"cutwork.{compiled.__name__}.{next(_numbers)}"
    _core.make_tvm_function(tvm_ffi.libinfo.find_libtvm_ffi(), name, compiled._core, [n for _, n in passed],
                            [i for i, _ in passed], [i for i, (_, item) in enumerate(leaves) if item is ENV_STREAM], device,
                            [(a.slot, b.slot, f"{b} must be {a}: both were compiled as one sym_int") for a, b, _ in compiled._ties])
    # Calls from Python take the shorter way; a class of its own lets them reach it without a frame of Python.
    kind = type("CompiledFunction", (_function_class(tvm_ffi),), {"__call__": staticmethod(compiled)})
    made = kind.__new__(kind)
    made.__move_handle_from__(tvm_ffi.get_global_func(name))
    tvm_ffi.remove_global_func(name)
    made.compiled = compiled
    return made
