# _c_layout.py -- how C lays out a structure: for shared memory (cute/structs.py), arguments (mlir/structures.py), native_struct.


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


__all__ = ["aligned", "place"]
