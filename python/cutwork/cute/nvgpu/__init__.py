# __init__.py -- the instructions that copies and matrix products are made of, by hardware.

from ..._absent import absent
from . import tcgen05, warp, warpgroup  # noqa: F401
from .warpgroup import OperandMajorMode  # noqa: F401
from . import common, cpasync
from .common import CacheEvictionPriority, CopyUniversalOp, LoadCacheMode, MemoryOrder, MemoryScope, MmaUniversalOp

__all__ = ["CacheEvictionPriority", "CopyUniversalOp", "LoadCacheMode", "MemoryOrder", "MemoryScope", "MmaUniversalOp",
           "common", "cpasync"]

__getattr__ = absent("cute.nvgpu", "CopyG2ROp CopyR2GOp make_tiled_tma_atom_A make_tiled_tma_atom_B",
                     "CopyUniversalOp copies between global memory and registers; copies of TMA are not there")
