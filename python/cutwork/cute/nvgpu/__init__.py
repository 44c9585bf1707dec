# __init__.py -- the instructions that copies and matrix products are made of, by hardware.

from . import common, cpasync
from .common import CacheEvictionPriority, CopyUniversalOp, LoadCacheMode, MemoryOrder, MemoryScope, MmaUniversalOp

__all__ = ["CacheEvictionPriority", "CopyUniversalOp", "LoadCacheMode", "MemoryOrder", "MemoryScope", "MmaUniversalOp",
           "common", "cpasync"]

from . import tcgen05, warp, warpgroup  # noqa: E402, F401  (behind what other modules import from here)
from .warpgroup import OperandMajorMode  # noqa: E402, F401
