# __init__.py -- look-alikes of the few MLIR names that CuTe DSL programs reach for.

from . import dialects, ir, libs as _mlir_libs

__all__ = ["_mlir_libs", "dialects", "ir"]
