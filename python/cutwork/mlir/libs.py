# libs.py -- the path by which some programs reach the types: cutlass._mlir._mlir_libs._cutlass_ir._mlir.ir.

import sys

from . import ir

_cutlass_ir = _mlir = sys.modules[__name__]

__all__ = ["ir"]
