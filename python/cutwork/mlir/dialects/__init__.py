# __init__.py -- look-alikes of the dialects that programs call.

from . import arith, llvm, math, nvvm, vector

__all__ = ["arith", "llvm", "math", "nvvm", "vector"]
