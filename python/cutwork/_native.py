# _native.py -- native_struct: mutable structures of numbers, as C lays them out, that host functions and kernels take.

import dataclasses
import inspect

from ._c_layout import FORMATS, pack, place, unpack
from ._errors import UserError
from ._numbers import Numeric, NumericMeta


def native_struct(cls=None, *, zero_init=True, packed=False):
    """Decorates a class whose annotations are number classes or other such structures. Its objects are arguments: their fields are
    passed at run time, in the annotated types, and a traced function may assign them.

    zero_init: fields that the constructor is not given are 0, or must be given. packed: without gaps between the fields."""
    if cls is None:
        return lambda of: native_struct(of, zero_init=zero_init, packed=packed)
    fields = inspect.get_annotations(cls)
    for name, kind in fields.items():
        if not _is_field(kind):
            raise UserError(f"native_struct {cls.__name__}: the field '{name}' is {kind!r}; number classes that C has and other "
                            "native_structs can be fields")
        if zero_init and name not in vars(cls):
            setattr(cls, name, 0 if isinstance(kind, NumericMeta) else dataclasses.field(default_factory=kind))
    made = dataclasses.dataclass(cls)
    offsets, size, alignment = place([_size_of(kind) for kind in fields.values()], packed)
    made.__native__ = dict(zip(fields, zip(fields.values(), offsets)))
    made.__native_size__ = size, alignment
    for method in (size_in_bytes, offset_of, to_bytes, from_bytes):
        setattr(made, method.__name__, method)
    return made


def _is_field(kind):
    return hasattr(kind, "__native__") or isinstance(kind, NumericMeta) and kind.__name__ in FORMATS


def _size_of(kind):
    return kind.__native_size__ if hasattr(kind, "__native_size__") else (kind.bytes,) * 2


@classmethod
def size_in_bytes(cls):
    """Its size in C."""
    return cls.__native_size__[0]


@classmethod
def offset_of(cls, name):
    """Bytes before a field."""
    return cls.__native__[name][1]


def to_bytes(self):
    """The structure as C has it in memory."""
    out = bytearray(self.__native_size__[0])
    for name, (kind, offset) in self.__native__.items():
        value = getattr(self, name)
        value = value.value if isinstance(value, Numeric) else value
        raw = value.to_bytes() if hasattr(kind, "__native__") else pack(kind, value)
        out[offset:offset + len(raw)] = raw
    return bytes(out)


@classmethod
def from_bytes(cls, raw):
    """The structure that lies in these bytes."""
    if len(raw) < cls.__native_size__[0]:
        raise UserError(f"{cls.__name__}.from_bytes: {cls.__native_size__[0]} bytes were expected, not {len(raw)}")
    values = {}
    for name, (kind, offset) in cls.__native__.items():
        if hasattr(kind, "__native__"):
            values[name] = kind.from_bytes(raw[offset:])
        else:
            values[name] = unpack(kind, raw, offset)
    return cls(**values)


__all__ = ["native_struct"]
