# hopper_helpers.py -- what kernels of sm_90 with matrix instructions ask for; not there yet, imports of the module work.

from .._absent import absent

__getattr__ = absent("cutlass.utils.hopper_helpers", (
    "compute_tile_shape_or_override get_smem_layout_atom make_smem_layout_a make_smem_layout_b make_smem_layout_epi "
    "make_trivial_tiled_mma sm90_get_smem_store_op"), "matrix instructions of a warpgroup (wgmma) are not there")
