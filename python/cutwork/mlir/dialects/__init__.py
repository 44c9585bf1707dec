# __init__.py -- look-alikes of the dialects that programs call.

from . import arith, llvm, math

__all__ = ["arith", "llvm", "math"]
