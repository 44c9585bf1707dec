# structs.py -- @cute.struct: how shared memory is laid out, as a C struct.

import inspect

from .. import _core
from .._c_layout import place as _place
from .._errors import UserError
from .._numbers import CLASSES, NumericMeta


class _Range:
    """A field of n elements."""

    def __init__(self, dtype, count):
        self.dtype, self.count = dtype, int(count)
        self.alignment = max(1, dtype._storage // 8)
        self.bytes = self.count * self.alignment


class _Aligned:
    """A field at a multiple of so many bytes."""

    def __init__(self, inner, alignment):
        self.inner, self.alignment = inner, int(alignment)


class _MemRange:
    def __class_getitem__(cls, parameters):
        dtype, count = parameters
        return _Range(dtype, count)


class _Align:
    def __class_getitem__(cls, parameters):
        inner, alignment = parameters
        if alignment < 1 or alignment & (alignment - 1):
            raise UserError(f"struct.Align: an alignment is a power of two, not {alignment}")
        return _Aligned(inner, alignment)


def _layout(field):
    """(bytes, alignment) of a field's type."""
    if isinstance(field, _Aligned):
        size, natural = _layout(field.inner)
        return size, max(natural, field.alignment)
    if isinstance(field, _Range):
        return field.bytes, field.alignment
    if isinstance(field, NumericMeta):
        size = max(1, field._storage // 8)
        return size, size
    if isinstance(field, _StructType):
        return field.size, field.alignment
    raise UserError(f"struct: a field is a number class, MemRange, Align or another struct, not {field!r}")


class _Data:
    """A field of n elements in place."""

    def __init__(self, pointer, dtype, count):
        self._pointer, self._dtype, self._count = pointer, dtype, count

    def data_ptr(self, *, loc=None, ip=None):
        return self._pointer

    ptr = property(lambda self: self._pointer)

    def get_tensor(self, layout, swizzle=None, dtype=None, *, loc=None, ip=None):
        """The elements under a layout; a swizzle goes onto the pointer."""
        pointer = self._pointer if dtype is None and swizzle is None else _core.recast_ptr(self._pointer, swizzle, dtype)
        if not isinstance(layout, (_core.Layout, _core.ComposedLayout)):
            layout = _core.make_layout(layout)
        return _core.make_tensor(pointer, layout)

    def __getitem__(self, index):
        return self._pointer[index]

    def __setitem__(self, index, value):
        self._pointer[index] = value

    def __len__(self):
        return self._count


class _Scalar:
    """A field of one element in place, of a type without arithmetic."""

    def __init__(self, pointer):
        self.ptr = pointer


def _scalar(pointer, dtype):
    """What a field of one element holds, as a number; `ptr` is where."""
    if dtype not in CLASSES.values():
        return _Scalar(pointer)
    number = pointer.load()
    number.ptr, number.load = pointer, pointer.load
    return number


class _Instance:
    """A struct at a place of shared memory."""

    _dsl_in_memory = True  # fields that branches and loops assign are in memory, not in variables

    def __init__(self, kind, base):
        object.__setattr__(self, "_kind", kind)
        object.__setattr__(self, "_base", base)

    def __getattr__(self, name):
        kind = object.__getattribute__(self, "_kind")
        if name not in kind.fields:
            raise AttributeError(f"the struct {kind.__name__} has no field '{name}'; it has {', '.join(kind.fields)}")
        return kind.at(self._base, name)

    def __setattr__(self, name, value):
        pointer = self._kind.pointer(self._base, name)
        if pointer is None:
            raise UserError(f"the field '{name}' is no single element; assign to its elements")
        pointer.store(value)

    @property
    def ptr(self):
        return self._base

    def __repr__(self):
        return f"{self._kind.__name__} at {self._base}"


class _StructType:
    """What @struct makes of a class. Called with a pointer, it lies there."""

    def __init__(self, cls, is_union=False):
        self.__name__, self.__doc__ = cls.__name__, cls.__doc__
        kinds = inspect.get_annotations(cls)
        for name, field in kinds.items():
            if isinstance(field, str):
                raise UserError(f"struct {cls.__name__}: the type of '{name}' is text; leave out "
                                "`from __future__ import annotations`")
        offsets, self.size, self.alignment = _place(map(_layout, kinds.values()), is_union=is_union)
        self.fields = {name: (field, offset) for (name, field), offset in zip(kinds.items(), offsets)}

    def _found(self, base, name):
        """(field, where it is)."""
        field, offset = self.fields[name]
        while isinstance(field, _Aligned):
            field = field.inner
        return field, _core.recast_ptr(base, None, CLASSES["Uint8"]) + offset

    def pointer(self, base, name):
        """Where a field of one element is; None of another."""
        if name not in self.fields:
            raise AttributeError(f"the struct {self.__name__} has no field '{name}'; it has {', '.join(self.fields)}")
        field, place = self._found(base, name)
        return None if isinstance(field, (_StructType, _Range)) else _core.recast_ptr(place, None, field)

    def at(self, base, name):
        field, place = self._found(base, name)
        if isinstance(field, _StructType):
            return _Instance(field, place)
        pointer = _core.recast_ptr(place, None, field.dtype if isinstance(field, _Range) else field)
        return _Data(pointer, field.dtype, field.count) if isinstance(field, _Range) else _scalar(pointer, field)

    def __call__(self, base):
        return _Instance(self, base)

    def size_in_bytes(self):
        return self.size

    def __sizeof__(self):
        return self.size

    def __alignof__(self):
        return self.alignment


class _Decorator:
    MemRange = _MemRange
    Align = _Align

    def __init__(self, is_union):
        self._union = is_union

    def __call__(self, cls):
        if not isinstance(cls, type):
            name = "union" if self._union else "struct"
            raise TypeError(f"@cute.{name} decorates a class, whose annotations are the fields, not {cls!r}")
        return _StructType(cls, self._union)


struct = _Decorator(False)
union = _Decorator(True)
