# _c_layout.py -- how C lays out a structure: for shared memory (cute/structs.py), arguments (mlir/structures.py), native_struct.

import struct

from ._errors import UserError

# What C has of the number classes.
FORMATS = {"Boolean": "?", "Int8": "b", "Int16": "h", "Int32": "i", "Int64": "q", "Uint8": "B", "Uint16": "H", "Uint32": "I",
           "Uint64": "Q", "Float16": "e", "Float32": "f", "Float64": "d"}


def _format(cls):
    if cls.__name__ not in FORMATS:
        raise UserError(f"a number class that C has was expected, not {cls.__name__}")
    return f"<{FORMATS[cls.__name__]}"


def pack(cls, value):
    """A number of a class as it lies in memory."""
    return struct.pack(_format(cls), value)


def unpack(cls, raw, offset=0):
    """The number of a class that lies there."""
    return struct.unpack_from(_format(cls), raw, offset)[0]


def aligned(offset, alignment):
    return -(-offset // alignment) * alignment


def place(fields, packed=False, is_union=False):
    """(offsets, size, alignment) of fields that are given as (bytes, alignment). packed: one behind the other, without gaps."""
    offsets, end, widest = [], 0, 1
    for size, alignment in fields:
        alignment = 1 if packed else alignment
        offset = 0 if is_union else aligned(end, alignment)
        offsets.append(offset)
        end = max(end, offset + size)
        widest = max(widest, alignment)
    return offsets, aligned(end, widest), widest


__all__ = ["FORMATS", "aligned", "pack", "place", "unpack"]
