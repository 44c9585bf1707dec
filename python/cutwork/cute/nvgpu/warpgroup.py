# warpgroup.py -- matrix instructions of a warpgroup (wgmma): enumerations; the instructions are not there yet.

import enum

from ..._absent import absent


class OperandMajorMode(enum.Enum):
    """Which mode of an operand in shared memory is contiguous."""

    K = "k"
    MN = "mn"


class OperandSource(enum.Enum):
    """Where operand A comes from."""

    RMEM = "rmem"
    SMEM = "smem"


class Field(enum.Enum):
    """What of an instruction can change at run time."""

    ACCUMULATE = "accum_c"

__getattr__ = absent("cute.nvgpu.warpgroup", (
    "MmaF16BF16Op MmaF8Op MmaI8Op SmemLayoutAtomKind commit_group fence make_smem_layout_atom wait_group"),
    "of matrix instructions and their copies only the enumerations are there")
