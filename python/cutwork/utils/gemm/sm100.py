# sm100.py -- epilogues of products on sm_100; not there yet, imports of the module work.

from ..._absent import absent

__getattr__ = absent("cutlass.utils.gemm.sm100", (
    "epilogue epilogue_smem_copy_and_partition epilogue_tma_store epilogue_tmem_copy_and_partition epilogue_release_flag "
    "transform_partitioned_tensor_layout"), "tensor memory and copies of TMA are not there")
