# mixed_input_helpers.py -- products of operands of two types on sm_100: what is converted; the functions are not there yet.

import enum

from .._absent import absent


class TransformMode(enum.Enum):
    """What is done with the narrow operand before the product."""

    ConvertOnly = 1
    ConvertScale = 2


__getattr__ = absent("cutlass.utils.mixed_input_helpers", (
    "compute_smem_layout contiguous_group_search create_initial_contiguous_group_search_state cvt_tensor_a "
    "epilog_gmem_copy_and_partition epilog_smem_copy_and_partition epilog_tmem_copy_and_partition get_copy_atom_a_transform "
    "get_divisibility get_gmem_layout_scale get_smem_layout_scale get_tma_atom_kind get_transform_a_source is_shuffle_a "
    "is_valid_mma_tiler_and_cluster_shape is_valid_scale_granularity is_valid_tensor_alignment "
    "make_contiguous_group_work_tile_info scale_partition scale_tma_partition store_transformed_a transform_partition"),
    "matrix instructions of sm_100 (tcgen05) and copies of TMA are not there")
