# cutwork.jax.testing -- the types of its public names; made by scripts/stubs.py.
import enum
from typing import Any
from cutwork._numbers import Numeric

def create_tensor(shape: Any, dtype: type[Numeric] | None, key: Any, *, minval: Any = ..., maxval: Any = ..., fill_value: Any = ..., fill_arange: Any = ...) -> Any: ...
