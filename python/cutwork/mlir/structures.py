# structures.py -- C structures as arguments: their types, laid out as C does, and their values in a trace.

from .._numbers import CLASSES


class PointerType:
    """An address."""

    @staticmethod
    def get(context=None):
        return PointerType()

    def __eq__(self, other):
        return isinstance(other, PointerType)

    def __hash__(self):
        return hash(PointerType)

    def __repr__(self):
        return "!llvm.ptr"


class StructType:
    """A structure of numbers, pointers and structures."""

    def __init__(self, fields):
        self.fields = tuple(fields)

    @staticmethod
    def get_literal(fields, packed=False, context=None):
        if packed:
            raise NotImplementedError("StructType.get_literal: packed structures are not supported yet (docs/support.md)")
        return StructType(fields)

    def __eq__(self, other):
        return isinstance(other, StructType) and self.fields == other.fields

    def __hash__(self):
        return hash(self.fields)

    def __repr__(self):
        return f"!llvm.struct<({', '.join(map(str, self.fields))})>"


class StructValue:
    """A structure in a trace: its fields."""

    def __init__(self, kind, fields):
        self.type, self.fields = kind, tuple(fields)

    def __repr__(self):
        return f"StructValue({self.type})"


def leaf_class(kind):
    """The number class of a field."""
    return CLASSES["Int64"] if isinstance(kind, PointerType) else kind


def _alignment(kind):
    if isinstance(kind, StructType):
        return max(map(_alignment, kind.fields), default=1)
    return leaf_class(kind).bytes


def _size(kind):
    if not isinstance(kind, StructType):
        return leaf_class(kind).bytes
    end = 0
    for field in kind.fields:
        end = _aligned(end, _alignment(field)) + _size(field)
    return _aligned(end, _alignment(kind))


def _aligned(offset, alignment):
    return -(-offset // alignment) * alignment


def leaves(kind, offset=0):
    """(byte offset, number class) of each number in it, in order."""
    if not isinstance(kind, StructType):
        return [(offset, leaf_class(kind))]
    found = []
    for field in kind.fields:
        offset = _aligned(offset, _alignment(field))
        found += leaves(field, offset)
        offset += _size(field)
    return found


def rebuild(kind, values):
    """The value of a type from an iterator of its numbers."""
    if not isinstance(kind, StructType):
        return next(values)
    return StructValue(kind, [rebuild(field, values) for field in kind.fields])
