# warpgroup.py -- matrix instructions of a warpgroup (wgmma): enumerations; the instructions are not there yet.

import enum

from .absent import absent


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


def __getattr__(name):
    return absent(__name__, name)
