# tables.py -- conformance tables: cases of small PTX kernels with the bytes that a GPU wrote, and when bytes match.
"""A table is one JSON object a line, gzipped if its name ends in .gz. An object is a case: `name`, `kind`, `family`, `target`, `ptx`,
`kernel`, `grid`, `block`, `dynamic_smem`, perhaps `cluster`, and `args`, the kernel's arguments in order:

    {"in": B64, "type": T}                       a pointer to these bytes, which the kernel leaves as they are
    {"out": B64, "type": T, "match": M}          a pointer to bytes 0xA5, which must be these afterwards
    {"in": B64, "out": B64, "type": T, ...}      both
    {"size": N, "type": T, "match": M}           as "out", of N bytes, without an answer
    {"in": B64, "type": T, "match": M}           as "in" and "out", without an answer
    {"i32": 5} i64 b64 f32 f64, {"bytes": B64}   by value
    {"tensor_map": {...}}                        128 bytes by value that describe the buffer of another argument

M is "bits", "nan" (any NaN of the type is any other), or an object with "ulp", "rel", "abs" (one of them suffices) or
"abs_rel_to_sum_abs"."""

import base64
import binascii
import dataclasses
import gzip
import json
import math
import struct

FILL = 0xA5
FIELDS = {"name": str, "kind": str, "family": str, "target": str, "ptx": str, "kernel": str, "grid": list, "block": list,
          "dynamic_smem": int, "args": list}
# Types that have NaN, and their bytes.
FLOATS = {"f16": 2, "bf16": 2, "f32": 4, "tf32": 4, "f32_ftz": 4, "tf32_ftz": 4, "f64": 8}
SMALLEST = {2: 2.0**-24, 4: 2.0**-149, 8: 2.0**-1074}  # subnormal numbers; of bf16 see _smallest
WIDTHS = {"8": 1, "16": 2, "32": 4, "64": 8}
SCALARS = {"i32": "<i", "i64": "<q", "b64": "<Q", "f32": "<f", "f64": "<d"}


class TableError(Exception):
    """A table, or a case of one, that is not as described above."""


@dataclasses.dataclass
class Buffer:
    """An argument that is a pointer to `start`. `expected` is None where there is no answer, and `start` where nothing may change."""

    start: bytes
    expected: bytes | None
    type: str
    match: object
    is_output: bool


@dataclasses.dataclass
class Value:
    """An argument by value; `item` is what the table has."""

    bytes: bytes
    item: dict


@dataclasses.dataclass
class TensorMap:
    parameters: dict


def _decode(text, what):
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, TypeError, ValueError) as problem:
        raise TableError(f"{what}: expected bytes as base64, found {str(text)[:30]!r}: {problem}") from None


def _scalar(kind, item):
    value = item[kind]
    try:
        if kind in ("f32", "f64"):
            return struct.pack(SCALARS[kind], float(value))
        bits = 8 * struct.calcsize(SCALARS[kind])
        if not -(1 << (bits - 1)) <= value < 1 << bits:
            raise ValueError(f"it does not fit {bits} bits")
        return (value % (1 << bits)).to_bytes(bits // 8, "little")
    except (TypeError, ValueError, OverflowError, struct.error) as problem:
        raise TableError(f"{kind}: expected a number, found {value!r}: {problem}") from None


def argument(item):
    """What an entry of `args` is. Error: TableError, without the place."""
    if not isinstance(item, dict):
        raise TableError(f"expected an object, found {item!r}")
    if "tensor_map" in item:
        return TensorMap(item["tensor_map"])
    if "bytes" in item:
        return Value(_decode(item["bytes"], "bytes"), item)
    for kind in SCALARS:
        if kind in item:
            return Value(_scalar(kind, item), item)
    if not {"in", "out", "size"} & item.keys():
        raise TableError(f"expected in, out, size, bytes, tensor_map or one of {', '.join(SCALARS)}, found {', '.join(item) or 'nothing'}")
    start = _decode(item["in"], "in") if "in" in item else None
    expected = _decode(item["out"], "out") if "out" in item else None
    size = item.get("size", len(start if expected is None and start is not None else expected or b""))
    if not isinstance(size, int) or size < 1:
        raise TableError(f"size: expected how many bytes, from 1 on, found {size!r}")
    for what, given in (("in", start), ("out", expected)):
        if given is not None and len(given) != size:
            raise TableError(f"{what}: expected {size} bytes, found {len(given)}")
    is_output = "out" in item or "match" in item or "size" in item
    return Buffer(bytes([FILL]) * size if start is None else start, expected if is_output else start, item.get("type", "b8"),
                  item.get("match", "bits"), is_output)


def arguments(case):
    """The arguments of a case. Error: TableError with the case's name."""
    found = []
    for i, item in enumerate(case["args"]):
        try:
            found.append(argument(item))
        except TableError as problem:
            raise TableError(f"{case['name']}: argument {i}: {problem}") from None
    return found


def is_answered(case):
    return all(one.expected is not None for one in arguments(case) if isinstance(one, Buffer))


def _check(case, where):
    if not isinstance(case, dict):
        raise TableError(f"{where}: expected an object, found {type(case).__name__}")
    for field, kind in FIELDS.items():
        if not isinstance(case.get(field), kind):
            raise TableError(f"{where}: {case.get('name', 'a case')}: {field}: expected {kind.__name__}, found {case.get(field)!r:.60}")
    for field in ("grid", "block", "cluster"):
        extents = case.get(field, [1, 1, 1])
        if len(extents) != 3 or not all(isinstance(n, int) and n > 0 for n in extents):
            raise TableError(f"{where}: {case['name']}: {field}: expected three extents from 1 on, found {extents!r}")
    try:
        arguments(case)
    except TableError as problem:
        raise TableError(f"{where}: {problem}") from None


def read(path):
    """All cases of a file. Error: TableError with file and line."""
    cases, names = [], {}
    try:
        with gzip.open(path, "rt", encoding="utf-8") if str(path).endswith(".gz") else open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                where = f"{path}:{number}"
                try:
                    case = json.loads(line)
                except json.JSONDecodeError as problem:
                    raise TableError(f"{where}: expected a JSON object: {problem}") from None
                _check(case, where)
                if case["name"] in names:
                    raise TableError(f"{where}: the name {case['name']} is that of line {names[case['name']]} too")
                names[case["name"]] = number
                cases.append(case)
    except (OSError, EOFError, UnicodeDecodeError) as problem:
        raise TableError(f"{path}: cannot be read: {problem}") from None
    return cases


def write(path, cases):
    """Writes a table; the same cases give the same bytes."""
    text = "".join(json.dumps(case, separators=(", ", ": ")) + "\n" for case in cases).encode()
    try:
        with open(path, "wb") as file:
            file.write(gzip.compress(text, 9, mtime=0) if str(path).endswith(".gz") else text)
    except OSError as problem:
        raise TableError(f"{path}: cannot be written: {problem.strerror}") from None


def with_answers(case, got, source):
    """The case with the bytes that a device wrote: got[i] of argument i, None where it is no output. `source` is who wrote them."""
    args = []
    for item, bytes_ in zip(case["args"], got, strict=True):
        if bytes_ is not None:
            item = {**({"in": item["in"]} if "in" in item else {}), "out": base64.b64encode(bytes_).decode(),
                    "type": item.get("type", "b8"), "match": item.get("match", "bits")}
        args.append(item)
    return {**case, "source": source, "args": args}


def _number(bits, type_):
    width = FLOATS[type_]
    if type_ == "bf16":
        return struct.unpack("<f", struct.pack("<I", bits << 16))[0]
    return struct.unpack({2: "<e", 4: "<f", 8: "<d"}[width], bits.to_bytes(width, "little"))[0]


def _place(bits, width):
    """In the order of the type's values; the two zeros share a place."""
    sign = 1 << (8 * width - 1)
    return -(bits & ~sign) if bits & sign else bits


def _smallest(type_):
    return 2.0**-133 if type_ == "bf16" else SMALLEST[FLOATS[type_]]


def _is_near(got, expected, type_, match, i):
    g, e = _number(got, type_), _number(expected, type_)
    if "abs_rel_to_sum_abs" in match:
        exponent = struct.unpack_from("<h", _decode(match["sum_abs_log2"], "sum_abs_log2"), 2 * i)[0]
        if exponent == 32766:
            return True
        if exponent == 32767:
            return not math.isfinite(e) and not math.isfinite(g)
        bound = 0.0 if exponent == -32768 else match["abs_rel_to_sum_abs"] * 2.0**exponent
        return math.isfinite(g) and math.isfinite(e) and abs(g - e) <= bound + 8 * _smallest(type_)
    if math.isnan(g) or math.isnan(e):
        return math.isnan(g) and math.isnan(e)
    finite = math.isfinite(g) and math.isfinite(e)
    places = [_place(bits, FLOATS[type_]) for bits in (got, expected)]
    return ("ulp" in match and places != [0, 0] and abs(places[0] - places[1]) <= match["ulp"]
            or "rel" in match and finite and e != 0 and abs(g - e) <= match["rel"] * abs(e)
            or "abs" in match and finite and abs(g - e) <= match["abs"])


def width_of(type_):
    """Bytes of an element; 1 for what is no whole number of bytes."""
    return FLOATS.get(type_) or WIDTHS.get(type_.lstrip("bsuf"), 1)


def difference(got, expected, type_, match):
    """How `got` differs from `expected` by the rule; empty if it does not."""
    if got == expected:
        return ""
    if len(got) != len(expected):
        return f"got {len(got)} bytes, expected {len(expected)}"
    width = width_of(type_)
    if len(got) % width:
        width = 1
    wrong, first = 0, None
    for i in range(len(got) // width):
        g, e = (int.from_bytes(x[i * width:(i + 1) * width], "little") for x in (got, expected))
        if g == e:
            continue
        if match != "bits" and type_ in FLOATS and width > 1 and _is_near(g, e, type_, {} if match == "nan" else match, i):
            continue
        wrong += 1
        first = first or (i, g, e)
    if not wrong:
        return ""
    i, g, e = first
    digits = 2 * width
    return (f"element {i} ({type_}): got 0x{g:0{digits}x}, expected 0x{e:0{digits}x}; {wrong} of {len(got) // width} elements differ")


def differences(case, got):
    """How the bytes of all buffers differ from the case's; got[i] is None where argument i is no buffer."""
    found = []
    for i, (one, bytes_) in enumerate(zip(arguments(case), got, strict=True)):
        if not isinstance(one, Buffer) or one.expected is None or bytes_ is None:
            continue
        if not one.is_output and len(one.start) == 128 and "tensormap.replace" in case["ptx"]:
            continue  # its place for a tensor map
        if problem := difference(bytes_, one.expected, one.type, one.match):
            found.append(f"argument {i}{'' if one.is_output else ', an input'}, {problem}")
    return "; ".join(found)
