# cutwork.cute.nvgpu.cpasync -- the types of its public names; made by scripts/stubs.py.
import enum
from typing import Any
from cutwork._numbers import Numeric
from cutwork.cute.nvgpu.common import LoadCacheMode as LoadCacheMode

class CopyG2SOp:
    def __init__(self, cache_mode: Any = ..., *, zero_fill: Any = ...) -> None: ...
    def make_atom(self, dtype: type[Numeric] | None, bits: int) -> Any: ...
