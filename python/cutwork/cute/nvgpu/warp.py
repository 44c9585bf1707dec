# warp.py -- matrix instructions of a warp (mma.sync, ldmatrix): not there yet; imports of the module work.

from ..._absent import absent

__getattr__ = absent("cute.nvgpu.warp", (
    "LdMatrix16x16x8bOp LdMatrix8x16x8bOp LdMatrix8x8x16bOp MXF8F6F4_SUPPORTED_PAIRS MmaF16BF16Op MmaFP8Op "
    "MmaMXF4NVF4Op MmaMXF4Op MmaMXF8F6F4Op MmaMXF8Op StMatrix8x8x16bOp StMatrix16x8x8bOp"),
    "of matrix instructions and their copies only the enumerations are there")
