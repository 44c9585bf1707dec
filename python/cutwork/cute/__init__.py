# __init__.py -- cutwork.cute: the kernel language; available as cutlass.cute through cutwork.compat.

from .. import _core
from .._jit import JitFunction, KernelFunction, compile, jit, kernel  # noqa: A004
from .._numbers import E, Numeric, ScaledBasis
from .._options import CLASSES as _OPTIONS
from .algebra import *  # noqa: F403
from .algebra import __all__ as _algebra_names
from .mma import *  # noqa: F403
from .mma import __all__ as _mma_names
from .operations import *  # noqa: F403
from .operations import __all__ as _operation_names
from .structs import struct, union
from .typing import *  # noqa: F403
from .typing import __all__ as _typing_names
from . import arch, math, nvgpu, runtime, testing, typing  # noqa: E402
from .math import (ceil, cos, erf, exp, exp2, floor, log, log2, log10, rsqrt, sigmoid, sin, sqrt, tanh)

globals().update(_OPTIONS)

core = algebra  # noqa: F405  (programs write cutlass.cute.core)

__all__ = ["E", "JitFunction", "KernelFunction", "Numeric", "ScaledBasis", "arch", "ceil", "compile", "cos", "core", "erf",
           "exp", "exp2", "floor", "jit", "kernel", "log", "log10", "log2", "math", "nvgpu", "rsqrt", "runtime",
           "sigmoid", "sin", "sqrt", "struct", "tanh", "testing", "typing", "union", *_OPTIONS, *_algebra_names,
           *_mma_names, *_operation_names, *_typing_names]
del _core
