# cutwork.utils.blockscaled_layout -- the types of its public names; made by scripts/stubs.py.
import enum
from typing import Any

def tile_atom_to_shape_SF(Shape: Any, sf_vec_size: Any, *, loc: object = ..., ip: object = ...) -> Any: ...
