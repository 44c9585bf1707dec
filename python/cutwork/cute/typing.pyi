# cutwork.cute.typing -- the types of its public names; made by scripts/stubs.py.
import enum
from typing import Any
from cutwork._arguments import Constexpr as Constexpr
from cutwork._core import AddressSpace as AddressSpace
from cutwork._core import ComposedLayout as ComposedLayout
from cutwork._core import Layout as Layout
from cutwork._core import Swizzle as Swizzle
from cutwork._numbers import BFloat16 as BFloat16
from cutwork._numbers import Boolean as Boolean
from cutwork._numbers import Float as Float
from cutwork._numbers import Float16 as Float16
from cutwork._numbers import Float32 as Float32
from cutwork._numbers import Float4E2M1FN as Float4E2M1FN
from cutwork._numbers import Float64 as Float64
from cutwork._numbers import Float6E2M3FN as Float6E2M3FN
from cutwork._numbers import Float6E3M2FN as Float6E3M2FN
from cutwork._numbers import Float8E4M3 as Float8E4M3
from cutwork._numbers import Float8E4M3B11FNUZ as Float8E4M3B11FNUZ
from cutwork._numbers import Float8E4M3FN as Float8E4M3FN
from cutwork._numbers import Float8E5M2 as Float8E5M2
from cutwork._numbers import Float8E8M0FNU as Float8E8M0FNU
from cutwork._numbers import Int128 as Int128
from cutwork._numbers import Int16 as Int16
from cutwork._numbers import Int32 as Int32
from cutwork._numbers import Int4 as Int4
from cutwork._numbers import Int64 as Int64
from cutwork._numbers import Int8 as Int8
from cutwork._numbers import Integer as Integer
from cutwork._numbers import Numeric as Numeric
from cutwork._numbers import TFloat32 as TFloat32
from cutwork._numbers import Uint128 as Uint128
from cutwork._numbers import Uint16 as Uint16
from cutwork._numbers import Uint32 as Uint32
from cutwork._numbers import Uint64 as Uint64
from cutwork._numbers import Uint8 as Uint8
from cutwork.cute.runtime import SymInt as SymInt
from cutwork.cute.runtime import sym_int as sym_int
from cutwork.cute.runtime import sym_int32 as sym_int32
from cutwork.cute.runtime import sym_int64 as sym_int64

Coord = Any
Int = Any
IntTuple = Any
class Pointer(Any):
    pass
Shape = Any
Stride = Any
class Tensor(Any):
    pass
Tile = Any
Tiler = Any
XTuple = Any
