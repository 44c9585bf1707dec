# kernels.py -- makes cases for conformance tables: kernels of one instruction over many lanes, their inputs, edge values.
"""case(family, kind, body, inputs, outputs) is a kernel that loads a value of each input's type into %a, %b, %c, %e, %f, executes the
body, and stores %d, %d1, %d2 and so on; %i is the number of the lane. Inputs have edge values crossed with one another and random
ones, always the same for the same kind."""

import base64
import itertools
import random
import struct

INPUTS = ("%a", "%b", "%c", "%e", "%f")
HEAD = """.version 8.4
.target sm_90
.address_size 64
{module}
.visible .entry k({parameters})
{{
    .reg .b64 %p<{count}>, %q;
    .reg .b32 %i, %w;
{registers}
    mov.u32 %w, %ctaid.x;
    mov.u32 %i, %ntid.x;
    mul.lo.u32 %w, %w, %i;
    mov.u32 %i, %tid.x;
    add.u32 %i, %i, %w;
{body}
    ret;
}}
"""
INTEGERS = {f"{sign}{bits}": bits for sign in "usb" for bits in (8, 16, 32, 64)}
# mantissa bits and exponent bits
FLOATS = {"f16": (10, 5), "bf16": (7, 8), "f32": (23, 8), "f64": (52, 11)}
PACKED = {"f16x2": "f16", "bf16x2": "bf16"}


def bits_of(type_):
    """Of an element as it lies in memory."""
    if type_ in PACKED:
        return 32
    return INTEGERS.get(type_) or 1 + sum(FLOATS[type_])


def integer_edges(bits):
    top, all_ = 1 << (bits - 1), (1 << bits) - 1
    return list(dict.fromkeys(x & all_ for x in (0, 1, all_, top, top - 1, 2, top + 1, all_ - 1, 5, 7, 0x55 * (all_ // 255),
                                                 0xAA * (all_ // 255), bits, bits - 1, 1 << bits // 2, (1 << bits // 2) - 1)))


def float_edges(type_):
    """Zeros, subnormal numbers, neighbours of one and of the limits, infinities, NaNs quiet and signalling."""
    mantissa, exponent = FLOATS[type_]
    sign, one, infinity = 1 << (mantissa + exponent), ((1 << (exponent - 1)) - 1) << mantissa, ((1 << exponent) - 1) << mantissa
    smallest = 1 << mantissa
    positive = (0, 1, smallest - 1, smallest, smallest + 1, one, one + 1, one - 1, one + smallest // 2, one + smallest, one - smallest,
                infinity - 1, infinity, infinity + smallest // 2, infinity + 1, infinity + smallest - 1, one + 3 * smallest)
    return [x | s for x in positive for s in (0, sign)]


def edges(type_):
    if type_ in PACKED:
        bits = bits_of(PACKED[type_])
        found = float_edges(PACKED[type_])
        return [a | b << bits for a, b in zip(found, found[5:] + found[:5], strict=True)]
    return integer_edges(INTEGERS[type_]) if type_ in INTEGERS else float_edges(type_)


def _random(type_, numbers):
    bits = bits_of(type_)
    if type_ in INTEGERS:  # of every length
        value = numbers.getrandbits(numbers.randint(1, bits))
        return value if numbers.random() < 0.5 else ~value & ((1 << bits) - 1)
    if type_ in PACKED:
        half = bits // 2
        return _random(PACKED[type_], numbers) | _random(PACKED[type_], numbers) << half
    if numbers.random() < 0.3:
        return numbers.getrandbits(bits)
    mantissa, exponent = FLOATS[type_]
    near = ((1 << (exponent - 1)) - 1 + numbers.randint(-6, 6)) << mantissa
    return near | numbers.getrandbits(mantissa) | numbers.getrandbits(1) << (bits - 1)


def mixed(kind, types, lanes):
    """Values of the types for so many lanes: half of them edge values with one another, half random."""
    numbers = random.Random(kind)
    if len(types) == 1:
        first = [(x,) for x in edges(types[0])][:lanes]
    else:
        few = [edges(type_)[:14] if type_ in INTEGERS else edges(type_) for type_ in types]
        crossed = list(itertools.product(*few)) if len(types) == 2 else [
            tuple(numbers.choice(one) for one in few) for _ in range(lanes)]
        first = numbers.sample(crossed, min(len(crossed), lanes // 2))
    rest = [tuple(_random(type_, numbers) for type_ in types) for _ in range(lanes - len(first))]
    return first + rest


def packed(values, type_):
    """Values as bytes."""
    return b"".join(value.to_bytes(bits_of(type_) // 8, "little") for value in values)


def floats(values, type_="f32"):
    """Numbers as bit patterns of f32 or f64."""
    return [int.from_bytes(struct.pack("<f" if type_ == "f32" else "<d", value), "little") for value in values]


def _register(type_):
    return f".b{max(bits_of(type_), 16)}"


def _memory(type_):
    """The type that loads and stores have."""
    return type_ if type_ in ("u8", "s8") else f"b{bits_of(type_)}"


def text(body, buffers, registers="", module=""):
    """The PTX of a kernel whose parameters are so many pointers, %p0, %p1, ... in its body."""
    loads = "".join(f"    ld.param.u64 %p{i}, [p{i}];\n    cvta.to.global.u64 %p{i}, %p{i};\n" for i in range(buffers))
    lines = "".join(f"    {line.strip()}\n" for line in body.strip().splitlines())
    return HEAD.format(module=module, parameters=", ".join(f".param .u64 p{i}" for i in range(buffers)), count=buffers,
                       registers="".join(f"    .reg {one};\n" for one in registers.split(";") if one.strip()).rstrip("\n"),
                       body=(loads + lines).rstrip("\n"))


def record(family, kind, ptx, args, block, grid=1):
    """A case; its name is given when all are there."""
    return {"name": "", "kind": kind, "family": family, "target": "sm_90", "ptx": ptx, "kernel": "k", "grid": [grid, 1, 1],
            "block": [block, 1, 1], "dynamic_smem": 0, "args": args}


def given(data, type_):
    return {"in": base64.b64encode(data).decode(), "type": type_}


def wanted(size, type_, match="bits"):
    return {"size": size, "type": type_, "match": match}


def element(type_):
    """What a table calls an element of the type."""
    return PACKED.get(type_, type_)


def match_of(type_):
    return "nan" if element(type_) in FLOATS else "bits"


def case(family, kind, body, inputs, outputs, data=None, match=None, lanes=64, registers=""):
    """`data` is a list of tuples, one for each lane, in place of the mixed values; `outputs` types, stored by lane."""
    data = mixed(kind, inputs, lanes) if data is None else data
    lanes = len(data) // 32 * 32 if inputs else lanes
    block = next(size for size in (256, 128, 96, 64, 32) if lanes % size == 0)
    names = ["%d"] + [f"%d{i}" for i in range(1, len(outputs))]
    declared = [f"{_register(type_)} {name}" for name, type_ in zip(INPUTS, inputs)]
    declared += [f"{_register(type_)} {name}" for name, type_ in zip(names, outputs, strict=True)]
    lines = ""
    for i, type_ in enumerate(inputs):
        lines += f"mad.wide.u32 %q, %i, {bits_of(type_) // 8}, %p{i};\nld.global.{_memory(type_)} {INPUTS[i]}, [%q];\n"
    lines += body.strip() + "\n"
    for i, type_ in enumerate(outputs):
        lines += f"mad.wide.u32 %q, %i, {bits_of(type_) // 8}, %p{len(inputs) + i};\nst.global.{_memory(type_)} [%q], {names[i]};\n"
    args = [given(packed([row[i] for row in data[:lanes]], type_), element(type_)) for i, type_ in enumerate(inputs)]
    args += [wanted(lanes * bits_of(type_) // 8, element(type_), match or match_of(type_)) for type_ in outputs]
    ptx = text(lines, len(args), ";".join(declared) + ";" + registers)
    return record(family, kind, ptx, args, block, lanes // block)


def plain(family, instruction, inputs, output, **more):
    """The case of an instruction with nothing but its operands."""
    operands = ", ".join(["%d", *INPUTS[:len(inputs)]])
    return case(family, more.pop("kind", instruction), f"{instruction} {operands};", inputs, [output], **more)


def several(family, kind, instructions, inputs, output, **more):
    """One kernel of several instructions with the same operands; each has an output."""
    names = ["%d"] + [f"%d{i}" for i in range(1, len(instructions))]
    operands = ", ".join(INPUTS[:len(inputs)])
    body = "\n".join(f"{one} {name}, {operands};" for one, name in zip(instructions, names, strict=True))
    return case(family, kind, body, inputs, [output] * len(instructions), **more)
