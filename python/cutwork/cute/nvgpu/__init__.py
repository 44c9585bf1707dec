# __init__.py -- the instructions that copies and matrix products are made of, by hardware.

from . import tcgen05, warp, warpgroup  # noqa: F401
from .warpgroup import OperandMajorMode  # noqa: F401
from . import common, cpasync
from .common import CacheEvictionPriority, CopyUniversalOp, LoadCacheMode, MemoryOrder, MemoryScope, MmaUniversalOp

__all__ = ["CacheEvictionPriority", "CopyUniversalOp", "LoadCacheMode", "MemoryOrder", "MemoryScope", "MmaUniversalOp",
           "common", "cpasync"]
