# structures.py -- C structures as arguments: their types, laid out as C does, and their values in a trace.

from .._c_layout import place
from .._numbers import CLASSES


class PointerType:
    """An address, of an address space if it says one."""

    def __init__(self, address_space=None):
        self.address_space = address_space

    @staticmethod
    def get(address_space=None, context=None):
        return PointerType(address_space)

    def __eq__(self, other):
        return isinstance(other, PointerType) and self.address_space == other.address_space

    def __hash__(self):
        return hash((PointerType, self.address_space))

    def __repr__(self):
        return "!llvm.ptr" if self.address_space is None else f"!llvm.ptr<{getattr(self.address_space, 'name', self.address_space)}>"


class StructType:
    """A structure of numbers, pointers and structures; packed: without gaps between its fields."""

    def __init__(self, fields, packed=False):
        self.fields, self.packed = tuple(fields), bool(packed)

    @staticmethod
    def get_literal(fields, packed=False, context=None):
        return StructType(fields, packed)

    def __eq__(self, other):
        return isinstance(other, StructType) and (self.fields, self.packed) == (other.fields, other.packed)

    def __hash__(self):
        return hash((self.fields, self.packed))

    def __repr__(self):
        return f"!llvm.struct<{'packed ' if self.packed else ''}({', '.join(map(str, self.fields))})>"


class StructValue:
    """A structure in a trace: its fields."""

    def __init__(self, kind, fields):
        self.type, self.fields = kind, tuple(fields)

    def __repr__(self):
        return f"StructValue({self.type})"


def leaf_class(kind):
    """The number class of a field."""
    return CLASSES["Int64"] if isinstance(kind, PointerType) else kind


def size_and_alignment(kind):
    if not isinstance(kind, StructType):
        return (leaf_class(kind).bytes,) * 2
    return place(map(size_and_alignment, kind.fields), kind.packed)[1:]


def leaves(kind, offset=0):
    """(byte offset, number class) of each number in it, in order."""
    if not isinstance(kind, StructType):
        return [(offset, leaf_class(kind))]
    offsets = place(map(size_and_alignment, kind.fields), kind.packed)[0]
    return [leaf for field, inside in zip(kind.fields, offsets) for leaf in leaves(field, offset + inside)]


def rebuild(kind, values):
    """The value of a type from an iterator of its numbers."""
    if not isinstance(kind, StructType):
        return next(values)
    return StructValue(kind, [rebuild(field, values) for field in kind.fields])
