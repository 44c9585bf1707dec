# blackwell_helpers.py -- what kernels of sm_100 and sm_120 with matrix instructions ask for; not there yet, imports work.

from .._absent import absent

__getattr__ = absent("cutlass.utils.blackwell_helpers", (
    "cluster_shape_to_tma_atom_A cluster_shape_to_tma_atom_B cluster_shape_to_tma_atom_SFB compute_epilogue_tile_shape "
    "get_layoutSFA_TV get_layoutSFB_TV get_permutation_mnk get_smem_layout_atom_ab get_smem_store_op get_tmem_load_op "
    "make_blockscaled_trivial_tiled_mma make_smem_layout make_smem_layout_a make_smem_layout_atom make_smem_layout_b "
    "make_smem_layout_epi make_trivial_tiled_mma partition_fragment_SFA partition_fragment_SFB sm120_get_smem_store_op"),
    "matrix instructions of sm_100 (tcgen05) and tensor memory are not there")
