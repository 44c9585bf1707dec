# __init__.py -- look-alikes of the dialects that programs call.

from . import arith, cute, cute_nvgpu, llvm, math, nvvm, vector

__all__ = ["arith", "cute", "cute_nvgpu", "llvm", "math", "nvvm", "vector"]
