# cutwork.cute.nvgpu -- the types of its public names; made by scripts/stubs.py.
import enum
from typing import Any
from cutwork.cute.nvgpu import common as common
from cutwork.cute.nvgpu import cpasync as cpasync
from cutwork.cute.nvgpu.common import CacheEvictionPriority as CacheEvictionPriority
from cutwork.cute.nvgpu.common import CopyUniversalOp as CopyUniversalOp
from cutwork.cute.nvgpu.common import LoadCacheMode as LoadCacheMode
from cutwork.cute.nvgpu.common import MemoryOrder as MemoryOrder
from cutwork.cute.nvgpu.common import MemoryScope as MemoryScope
from cutwork.cute.nvgpu.common import MmaUniversalOp as MmaUniversalOp

