# cute.py -- operations of NVIDIA's own dialect for layouts and pointers; none is there yet, imports work.

from ..._absent import absent

__getattr__ = absent("cutlass._mlir.dialects.cute", "PtrType recast_iter", "cute.recast_ptr and cute.make_ptr do the same")
