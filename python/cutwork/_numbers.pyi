# cutwork._numbers -- the types of its public names; made by scripts/stubs.py.
import enum
from typing import Any

class NumericMeta(type):
    @property
    def bytes(self) -> Any: ...
    @property
    def zero(self) -> Any: ...
    @property
    def mlir_type(self) -> Any: ...
    @property
    def dtype(self) -> Any: ...
    def is_same_kind(cls, other: Any) -> Any: ...
    @property
    def numpy_dtype(self) -> Any: ...
def is_number(value: Any) -> Any: ...
class Numeric:
    width: int
    is_float: bool
    is_integer: bool
    signed: bool
    def __new__(cls, value: Any = ..., *, loc: object = ..., ip: object = ...) -> Any: ...
    @property
    def dtype(self) -> Any: ...
    @property
    def value(self) -> Any: ...
    def is_static(self) -> bool: ...
    def ir_value(self, *, loc: object = ..., ip: object = ...) -> Any: ...
    @property
    def is_constant(self) -> Any: ...
    def __bool__(self) -> Any: ...
    def __index__(self) -> Any: ...
    def __int__(self) -> Any: ...
    def __float__(self) -> Any: ...
    def to(self, target: Any, *, rounding: Any = ..., saturate: Any = ..., loc: object = ..., ip: object = ...) -> Any: ...
    def bitcast(self, target: Any) -> Any: ...
    def __add__(self, other: Any) -> Any: ...
    def __radd__(self, other: Any) -> Any: ...
    def __sub__(self, other: Any) -> Any: ...
    def __rsub__(self, other: Any) -> Any: ...
    def __mul__(self, other: Any) -> Any: ...
    def __rmul__(self, other: Any) -> Any: ...
    def __truediv__(self, other: Any) -> Any: ...
    def __rtruediv__(self, other: Any) -> Any: ...
    def __floordiv__(self, other: Any) -> Any: ...
    def __rfloordiv__(self, other: Any) -> Any: ...
    def __mod__(self, other: Any) -> Any: ...
    def __rmod__(self, other: Any) -> Any: ...
    def __and__(self, other: Any) -> Any: ...
    def __rand__(self, other: Any) -> Any: ...
    def __or__(self, other: Any) -> Any: ...
    def __ror__(self, other: Any) -> Any: ...
    def __xor__(self, other: Any) -> Any: ...
    def __rxor__(self, other: Any) -> Any: ...
    def __lshift__(self, other: Any) -> Any: ...
    def __rlshift__(self, other: Any) -> Any: ...
    def __rshift__(self, other: Any) -> Any: ...
    def __rrshift__(self, other: Any) -> Any: ...
    def __lt__(self, other: Any) -> Any: ...
    def __le__(self, other: Any) -> Any: ...
    def __gt__(self, other: Any) -> Any: ...
    def __ge__(self, other: Any) -> Any: ...
    def __eq__(self, other: Any) -> Any: ...
    def __ne__(self, other: Any) -> Any: ...
    def __neg__(self) -> Any: ...
    def __pos__(self) -> Any: ...
    def __abs__(self) -> Any: ...
    def __invert__(self) -> Any: ...
    def __divmod__(self, other: Any) -> Any: ...
    def __pow__(self, exponent: Any, modulus: Any = ...) -> Any: ...
    load: Any
    ptr: Any
class Integer(Numeric):
    pass
class Float(Numeric):
    inf: float
    nan: float
CLASSES: Any
class Boolean(Integer):
    width: int
    is_float: bool
    is_integer: bool
    signed: bool
    min: int
    max: int
class Int8(Integer):
    width: int
    is_float: bool
    is_integer: bool
    signed: bool
    min: int
    max: int
class Int16(Integer):
    width: int
    is_float: bool
    is_integer: bool
    signed: bool
    min: int
    max: int
class Int32(Integer):
    width: int
    is_float: bool
    is_integer: bool
    signed: bool
    min: int
    max: int
class Int64(Integer):
    width: int
    is_float: bool
    is_integer: bool
    signed: bool
    min: int
    max: int
class Uint8(Integer):
    width: int
    is_float: bool
    is_integer: bool
    signed: bool
    min: int
    max: int
class Uint16(Integer):
    width: int
    is_float: bool
    is_integer: bool
    signed: bool
    min: int
    max: int
class Uint32(Integer):
    width: int
    is_float: bool
    is_integer: bool
    signed: bool
    min: int
    max: int
class Uint64(Integer):
    width: int
    is_float: bool
    is_integer: bool
    signed: bool
    min: int
    max: int
class Float16(Float):
    width: int
    is_float: bool
    is_integer: bool
    signed: bool
    min: float
    max: float
class BFloat16(Float):
    width: int
    is_float: bool
    is_integer: bool
    signed: bool
    min: float
    max: float
class Float32(Float):
    width: int
    is_float: bool
    is_integer: bool
    signed: bool
    min: float
    max: float
class TFloat32(Float):
    width: int
    is_float: bool
    is_integer: bool
    signed: bool
    min: float
    max: float
class Float64(Float):
    width: int
    is_float: bool
    is_integer: bool
    signed: bool
    min: float
    max: float
class Float8E4M3FN(Float):
    width: int
    is_float: bool
    is_integer: bool
    signed: bool
    min: float
    max: float
class Float8E5M2(Float):
    width: int
    is_float: bool
    is_integer: bool
    signed: bool
    min: float
    max: float
class Float8E4M3(Numeric):
    width: int
    is_float: bool
    is_integer: bool
    signed: bool
class Float8E4M3B11FNUZ(Numeric):
    width: int
    is_float: bool
    is_integer: bool
    signed: bool
class Float8E8M0FNU(Numeric):
    width: int
    is_float: bool
    is_integer: bool
    signed: bool
class Float6E3M2FN(Numeric):
    width: int
    is_float: bool
    is_integer: bool
    signed: bool
class Float6E2M3FN(Numeric):
    width: int
    is_float: bool
    is_integer: bool
    signed: bool
class Float4E2M1FN(Numeric):
    width: int
    is_float: bool
    is_integer: bool
    signed: bool
class Int4(Numeric):
    width: int
    is_float: bool
    is_integer: bool
    signed: bool
class Int128(Numeric):
    width: int
    is_float: bool
    is_integer: bool
    signed: bool
class Uint128(Numeric):
    width: int
    is_float: bool
    is_integer: bool
    signed: bool
class ScaledBasis:
    def __init__(self, value: Any, mode: list[int] | None) -> None: ...
    @property
    def mode(self) -> Any: ...
    def is_static(self) -> bool: ...
    def __eq__(self, other: Any) -> Any: ...
    def __mul__(self, factor: Any) -> Any: ...
    def __rmul__(self, factor: Any) -> Any: ...
    path: Any
    value: Any
def E(mode: list[int] | None) -> Any: ...
def class_for(value: Any) -> Any: ...
def dtype(value: Any) -> Any: ...
def kind(value: Any) -> Any: ...
