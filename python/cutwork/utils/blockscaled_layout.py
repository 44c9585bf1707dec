# blockscaled_layout.py -- where the scale factors of block-scaled products lie; layouts of shared and tensor memory: not yet.

from .. import _core
from .._absent import absent as _absent
from .._errors import UserError


def _chunk(sf_vec_size):
    """Scale factors of 128 rows by 4 blocks of sf_vec_size columns: rows 32 apart side by side, the 4 blocks next to each
    other; a block's columns share one. As the tensor cores read them (PTX ISA, scale factor layouts of tcgen05.mma)."""
    return _core.make_layout(((32, 4), (sf_vec_size, 4)), ((16, 4), (0, 1)))


def tile_atom_to_shape_SF(Shape, sf_vec_size, *, loc=None, ip=None):  # noqa: N802, N803  (the field's names)
    """The layout of scale factors of an operand (rows, columns, batches): 128-row chunks along the columns first, then rows."""
    if not isinstance(Shape, tuple) or len(Shape) != 3:
        raise UserError(f"tile_atom_to_shape_SF: a shape (rows, columns, batches) was expected, not {Shape}")
    return _core.tile_to_shape(_chunk(sf_vec_size), Shape, (2, 1, 3))


__getattr__ = _absent("cutlass.utils.blockscaled_layout", (
    "make_smem_layout_sfa make_smem_layout_sfb make_tmem_layout_sfa make_tmem_layout_sfb sm120_make_smem_layout_sfa "
    "sm120_make_smem_layout_sfb"), "block-scaled matrix instructions are not there")
