# cpasync.py -- asynchronous copies from global to shared memory.

from ... import _core
from ..._absent import absent
from ..._errors import UserError
from .common import LoadCacheMode


class CopyG2SOp:
    """cp.async: 4, 8 or 16 bytes from global to shared memory; 16 with LoadCacheMode.GLOBAL.

    Where a predicate is false nothing is read and zeros are written; with zero_fill=False shared memory keeps what it has."""

    def __init__(self, cache_mode=LoadCacheMode.ALWAYS, *, zero_fill=True):
        if cache_mode not in (LoadCacheMode.ALWAYS, LoadCacheMode.GLOBAL):
            raise UserError(f"CopyG2SOp: cache_mode LoadCacheMode.ALWAYS or LoadCacheMode.GLOBAL was expected, not {cache_mode}")
        self.cache_mode, self.zero_fill = cache_mode, zero_fill

    def make_atom(self, dtype, bits):
        return _core.make_copy_atom_async(dtype, bits, self.cache_mode is LoadCacheMode.GLOBAL, self.zero_fill)

    def __repr__(self):
        return f"CopyG2SOp({self.cache_mode}{'' if self.zero_fill else ', zero_fill=False'})"


__all__ = ["CopyG2SOp", "LoadCacheMode"]

__getattr__ = absent("cute.nvgpu.cpasync", (
    "CopyBulkG2SOp CopyBulkS2GOp CopyBulkTensorTileG2SMulticastOp CopyBulkTensorTileG2SNonExecTrait "
    "CopyBulkTensorTileG2SOp CopyBulkTensorTileS2GOp CopyDsmemStoreOp CopyReduceBulkTensorTileS2GOp TmaInfo "
    "copy_tensormap cp_fence_tma_desc_release create_tma_multicast_mask fence_tma_desc_acquire "
    "fence_tma_desc_release make_tiled_tma_atom prefetch_descriptor tma_partition update_tma_descriptor"),
    "of asynchronous copies cp.async is there (CopyG2SOp), those of TMA are not")
