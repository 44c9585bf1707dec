# typing.py -- the types that programs annotate with.

import abc

from .. import _core, _numbers
from .._arguments import Constexpr, StaticInts
from .._numbers import CLASSES, Numeric
from .._options import Option  # noqa: F401
from . import runtime


class Tensor(abc.ABC):
    """Any tensor: traced, or an argument of a host function."""

    _annotates = "tensor"


Tensor.register(_core.Tensor)
Tensor.register(runtime.Tensor)
Tensor.register(runtime.FakeTensor)


class Pointer(abc.ABC):
    """Any pointer: traced, or an argument of a host function."""

    _annotates = "pointer"


Pointer.register(_core.Pointer)
Pointer.register(runtime.Pointer)

AddressSpace = _core.AddressSpace
Layout = _core.Layout
ComposedLayout = _core.ComposedLayout
Swizzle = _core.Swizzle
Shape = StaticInts("Shape")
Stride = StaticInts("Stride")
Coord = StaticInts("Coord")
IntTuple = StaticInts("IntTuple")
Tile = StaticInts("Tile")
Tiler = StaticInts("Tiler")
Int = StaticInts("Int")
XTuple = StaticInts("XTuple")
SymInt = runtime.SymInt
sym_int, sym_int32, sym_int64 = runtime.sym_int, runtime.sym_int32, runtime.sym_int64
Float = _numbers.Float
Integer = _numbers.Integer

globals().update(CLASSES)
globals().update(_numbers._PENDING)

__all__ = ["AddressSpace", "ComposedLayout", "Constexpr", "Coord", "Float", "Int", "IntTuple", "Integer", "Layout",
           "Numeric", "Pointer", "Shape", "Stride", "Swizzle", "SymInt", "Tensor", "Tile", "Tiler", "XTuple", "sym_int",
           "sym_int32", "sym_int64", *CLASSES, *_numbers._PENDING]
