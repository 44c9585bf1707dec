# cpasync.py -- asynchronous copies from global to shared memory.

from ..._errors import UserError
from .common import LoadCacheMode


class CopyG2SOp:
    """cp.async: 4, 8 or 16 bytes from global to shared memory."""

    def __init__(self, cache_mode=LoadCacheMode.ALWAYS):
        self.cache_mode = cache_mode

    def make_atom(self, dtype, bits, **_):
        raise UserError("cp.async copies are not supported yet (docs/support.md); use CopyUniversalOp()")

    def __repr__(self):
        return f"CopyG2SOp({self.cache_mode})"


__all__ = ["CopyG2SOp", "LoadCacheMode"]
