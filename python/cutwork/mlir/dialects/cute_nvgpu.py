# cute_nvgpu.py -- operations of NVIDIA's own dialect for instructions; none is there yet, imports work.

from ..._absent import absent

__getattr__ = absent("cutlass._mlir.dialects.cute_nvgpu", "atom_make_non_exec_tiled_tma_load TmaDescriptorTiledType",
                     "copies of TMA are not there")
