# dsl.py -- the functions that programs reach as cutlass.* and cutlass.cutlass_dsl.*.

import builtins
import functools

from . import _core, _numbers
from ._arguments import Constexpr
from ._errors import DeviceError
from ._generate import for_generate, while_generate, yield_out
from ._jit import jit, kernel
from ._native import native_struct
from ._numbers import CLASSES, Float, Integer, Numeric
from ._staging import const_expr, dynamic_expr, range_constexpr
from ._staging.operators import all_, any_, both, either, invert, select as _select

globals().update(CLASSES)


def dsl_user_op(function):
    """Decorates an operation of the user's; `loc` and `ip` are accepted and need not be passed."""

    @functools.wraps(function)
    def operation(*arguments, **keywords):
        return function(*arguments, **keywords)

    return operation


def _extreme(scalar, vector, builtin):
    def extreme(*values, loc=None, ip=None):
        if len(values) == 1 and isinstance(values[0], (tuple, list)):
            values = values[0]
        if not any(isinstance(v, (Numeric, _core.TensorSSA)) for v in values):
            return builtin(values)
        result = values[0]
        for value in values[1:]:
            vectors = isinstance(result, _core.TensorSSA) or isinstance(value, _core.TensorSSA)
            result = vector(result, value) if vectors else scalar(result, value)
        return result

    return extreme


min = _extreme(_core.min, _core.vector_min, builtins.min)  # noqa: A001
max = _extreme(_core.max, _core.vector_max, builtins.max)  # noqa: A001


def and_(*values):
    return functools.reduce(both, values)


def or_(*values):
    return functools.reduce(either, values)


def not_(value, *, loc=None, ip=None):
    return invert(value)


def select_(condition, a, b):
    return _select(condition, a, b) if isinstance(condition, Numeric) else (a if condition else b)


def extract_mlir_values(obj, *, structured=False):
    """The run-time values of an object, in order."""
    from ._staging import tree

    if hasattr(obj, "__extract_mlir_values__"):
        return obj.__extract_mlir_values__()
    return tree.leaves(obj, tree.spec(obj))


def new_from_mlir_values(obj, values, *, structured=False):
    """An object like `obj` with these run-time values."""
    from ._staging import tree

    if hasattr(obj, "__new_from_mlir_values__"):
        return obj.__new_from_mlir_values__(values)
    return tree.rebuild(tree.spec(obj), list(values), obj)


class _CudaVersion:
    """The CUDA version that programs are made for."""

    major, minor = 13, 0

    def __str__(self):
        return f"{self.major}.{self.minor}"


CUDA_VERSION = _CudaVersion()


def target_version(exact_version=None, *, min_version=None, max_version=None):
    """Whether the CUDA version that programs are made for is this one, or in this range."""
    have = (CUDA_VERSION.major, CUDA_VERSION.minor)

    def of(text):
        return tuple(int(part) for part in str(text).split(".")[:2])

    if exact_version is not None:
        return have == of(exact_version)
    return (min_version is None or have >= of(min_version)) and (max_version is None or have <= of(max_version))


def if_generate(cond, then_body, else_body=None, input_args=None, return_types=None, *, loc=None, ip=None):
    """An `if` from functions: the results of the arm that is taken."""
    arguments = list(input_args or [])
    if not isinstance(cond, Numeric) or cond.is_constant:
        return then_body(*arguments) if cond else (else_body(*arguments) if else_body else None)
    region = _core.open_if(cond)
    results = _as_list(then_body(*arguments))
    slots = [_core.Slot(type(r), r) for r in results]
    for slot, value in zip(slots, results):
        slot.store(value)
    region.or_else()
    if else_body is not None:
        for slot, value in zip(slots, _as_list(else_body(*arguments))):
            slot.store(value)
    region.close()
    return _unpacked([slot.load() for slot in slots])


def _as_list(value):
    return [] if value is None else list(value) if isinstance(value, (tuple, list)) else [value]


def _unpacked(values):
    return values[0] if len(values) == 1 else values or None


class _Types:
    """T.i32(), T.f32(): the types that operations of the user's name."""

    def __getattr__(self, name):
        from .mlir.ir import NUMBERS, VectorType

        if name == "vector":
            return lambda *arguments: VectorType(arguments[:-1], arguments[-1])
        known = "i1" if name == "bool" else name
        if known not in NUMBERS:
            raise AttributeError(f"T has no type '{name}'; it has vector, bool, {', '.join(NUMBERS)}")
        return lambda *_, **__: CLASSES[NUMBERS[known]]


T = _Types()


class DSLRuntimeError(RuntimeError):
    """A program that cannot be traced."""


class DSLCudaRuntimeError(DeviceError):
    """A call of the CUDA driver that failed."""


class BaseDSL:
    """What programs ask the compiler for."""

    @classmethod
    def _get_dsl(cls):
        return cls()

    def get_arch_enum(self):
        from ._device import best

        from .architectures import Arch

        return Arch.from_string(best().target)


class CuTeDSL(BaseDSL):
    pass


__all__ = ["BaseDSL", "CUDA_VERSION", "Constexpr", "CuTeDSL", "DSLCudaRuntimeError", "DSLRuntimeError", "Float", "Integer", "Numeric", "T",
           "all_", "and_", "any_", "const_expr", "dsl_user_op", "dynamic_expr", "extract_mlir_values", "for_generate",
           "if_generate", "jit", "kernel", "max", "min", "native_struct", "new_from_mlir_values", "not_", "or_", "range_constexpr", "select_",
           "target_version", "while_generate", "yield_out", *CLASSES]
del _numbers
