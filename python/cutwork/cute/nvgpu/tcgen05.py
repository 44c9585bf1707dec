# tcgen05.py -- matrix instructions of sm_100 (tcgen05): enumerations; the instructions are not there yet.

import enum

from ..._absent import absent
from .warpgroup import OperandMajorMode  # noqa: F401


class CtaGroup(enum.Enum):
    """How many blocks of a cluster work on one instruction."""

    ONE = 1
    TWO = 2


class OperandSource(enum.Enum):
    """Where operand A comes from."""

    SMEM = "smem"
    TMEM = "tmem"


class Field(enum.Enum):
    """What of an instruction can change at run time: accumulation, signs, scale factors."""

    ACCUMULATE = "accum_c"
    NEGATE_A = "neg_a"
    NEGATE_B = "neg_b"
    SFA = "sf_a"
    SFB = "sf_b"


class Repetition(enum.Enum):
    """How often the pattern of a copy of tensor memory is repeated along columns."""

    x1, x2, x4, x8, x16, x32, x64, x128 = (1 << i for i in range(8))


class Pack(enum.Enum):
    """Whether two columns of 16 bits are packed into a register."""

    NONE = "none"
    PACK_16b_IN_32b = "pack_16b_in_32b"


class Unpack(enum.Enum):
    NONE = "none"
    UNPACK_32b_IN_16b = "unpack_32b_in_16b"


class TmemLoadRedOp(enum.Enum):
    """The reduction of a load from tensor memory."""

    MAX = "max"
    MAXABS = "maxabs"
    MIN = "min"
    MINABS = "minabs"


class SmemLayoutAtomKind(enum.Enum):
    """Layouts of operands in shared memory: the contiguous mode and the width of the swizzle."""

    MN_INTER, MN_SW32, MN_SW64, MN_SW128, MN_SW128_32B = "mn_inter", "mn_sw32", "mn_sw64", "mn_sw128", "mn_sw128_32b"
    K_INTER, K_SW32, K_SW64, K_SW128 = "k_inter", "k_sw32", "k_sw64", "k_sw128"

__getattr__ = absent("cute.nvgpu.tcgen05", (
    "Cp4x32x128bOp Ld16x64bOp Ld16x128bOp Ld16x256bOp Ld16x32bx2Op Ld32x32bOp MmaF16BF16Op MmaTF32Op MmaI8Op "
    "MmaF8F6F4Op MmaMXF8F6F4Op MmaMXF4Op MmaMXF4NVF4Op SM103MmaMXF4NVF4Op SM103MmaMXF4Op St16x64bOp St16x128bOp "
    "St16x256bOp St16x32bx2Op St32x32bOp commit copy find_tmem_tensor_col_offset get_s2t_smem_desc_tensor "
    "make_s2t_copy make_smem_layout_atom make_tmem_copy make_umma_smem_desc mma tile_to_mma_shape"),
    "of matrix instructions and their copies only the enumerations are there")
