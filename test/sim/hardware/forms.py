# forms.py -- elementwise instructions in all their forms, as cases without answers.
from itertools import product

from kernels import bits_of, case, edges, floats, mixed, plain, several

SIGNED, UNSIGNED = ("s16", "s32", "s64"), ("u16", "u32", "u64")
WIDER = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}
HALVES = ("f16", "bf16")
ORDERED = ("eq", "ne", "lt", "le", "gt", "ge")
FLOAT_COMPARISONS = (*ORDERED, "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")
LANES = 64


def _small(kind, types, limits):
    """Mixed values with the operands of `limits` (operand: modulus) made small."""
    return [tuple(value % limits[i] if i in limits else value for i, value in enumerate(row)) for row in mixed(kind, types, LANES)]


def arithmetic():
    for t in UNSIGNED + SIGNED:
        for op in ("add", "sub", "mul.lo", "mul.hi", "min", "max"):
            yield plain("int", f"{op}.{t}", [t, t], t)
        for op in ("div", "rem"):  # by zero, and of the most negative number by -1, are others' concern
            rows = [(a, b if b else 3) for a, b in mixed(op + t, [t, t], LANES)]
            rows = [(a, 7 if t in SIGNED and b == (1 << bits_of(t)) - 1 else b) for a, b in rows]
            yield plain("int", f"{op}.{t}", [t, t], t, data=rows)
        for op in ("mad.lo", "mad.hi", "sad"):
            yield plain("int", f"{op}.{t}", [t, t, t], t)
    for t in SIGNED:
        yield plain("int", f"abs.{t}", [t], t)
        yield plain("int", f"neg.{t}", [t], t)
    for t, wide in WIDER.items():
        yield plain("int", f"mul.wide.{t}", [t, t], wide)
        yield plain("int", f"mad.wide.{t}", [t, t, wide], wide)
    yield plain("int", "mad.hi.sat.s32", ["s32"] * 3, "s32")
    for op, part, t in product(("mul24", "mad24"), ("lo", "hi"), ("u32", "s32")):
        yield _of_24_bits(f"{op}.{part}.{t}", 2 if op == "mul24" else 3, t)
    yield _of_24_bits("mad24.hi.sat.s32", 3, "s32")


def _of_24_bits(kind, count, t):
    """Factors that 24 bits hold; what is above is not defined."""
    def narrow(value):
        value %= 1 << 24
        return value | 0xFF000000 if t == "s32" and value >> 23 else value

    rows = [(narrow(row[0]), narrow(row[1]), *row[2:]) for row in mixed(kind, [t] * count, LANES)]
    return plain("int", kind, [t] * count, t, data=rows)


def bit_fields():
    for t in ("b32", "b64"):
        yield plain("int", f"brev.{t}", [t], t)
        yield plain("int", f"popc.{t}", [t], "u32")
        yield plain("int", f"clz.{t}", [t], "u32")
        yield plain("int", f"bfi.{t}", [t, t, "u32", "u32"], t, data=_small(f"bfi.{t}", [t, t, "u32", "u32"], {2: 256, 3: 256}))
    for t, shift in product(("u32", "s32", "u64", "s64"), ("", ".shiftamt")):
        yield plain("int", f"bfind{shift}.{t}", [t], "u32")
    for t in ("u32", "s32", "u64", "s64"):
        yield plain("int", f"bfe.{t}", [t, "u32", "u32"], t, data=_small(f"bfe.{t}", [t, "u32", "u32"], {1: 80, 2: 80}))
    for mode in ("clamp", "wrap"):
        yield plain("int", f"bmsk.{mode}.b32", ["u32", "u32"], "b32")
        # Both operands of any size: with clamp a position from 32 on is the end, with wrap it is taken modulo 32.
        rows = [(a, b) for a, b in product((0, 1, 7, 31, 32, 33, 63, 64, 255, 256, 1 << 31, 0xFFFFFFFF), repeat=2)][:128]
        yield plain("int", f"bmsk.{mode}.b32", ["u32", "u32"], "b32", data=rows, kind=f"bmsk.{mode}.b32 at the ends")
        for t in ("u32", "s32"):
            yield plain("int", f"szext.{mode}.{t}", [t, "u32"], t)
            rows = product((0x89ABCDEF, 0x76543210, 0xFFFFFFFF, 1), (*range(34), 63, 64, 255, 256, 1 << 31, 0xFFFFFFFF))
            yield plain("int", f"szext.{mode}.{t}", [t, "u32"], t, data=list(rows), kind=f"szext.{mode}.{t} of every width")
    for t, u in product(("u32", "s32"), repeat=2):
        result = "s32" if "s32" in (t, u) else "u32"
        yield plain("int", f"dp4a.{t}.{u}", [t, u, result], result)
        for part in ("lo", "hi"):
            yield plain("int", f"dp2a.{part}.{t}.{u}", [t, u, result], result)
    rows = [(mask, base, offset % (1 << 32)) for mask, base, offset in _fns()]
    yield plain("int", "fns.b32", ["b32", "u32", "s32"], "b32", data=rows)


def _fns():
    """Masks, places from 0 to 31 and counts to either side, beyond both ends too."""
    masks = [0, 1, 0x80000000, 0xFFFFFFFF, 0x80000001, 0x55555555, 0xF0F0F0F0, 0x00018000]
    masks += [row[0] for row in mixed("fns.b32 masks", ["b32"], 32)[16:]]
    offsets = (0, 1, -1, 2, -2, 3, -3, 5, -5, 16, -16, 31, -31, 32, -32, 33)
    return [(mask, (5 * i + 7 * k) % 32, offset) for i, mask in enumerate(masks) for k, offset in enumerate(offsets)]


def logic():
    for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        kind = f"prmt.b32{mode}"
        yield plain("logic", kind, ["b32"] * 3, "b32")
        if mode:  # the four selectors, and bits above them
            rows = [(0x33221100, 0x77665544, c) for c in (*range(8), 0xFFFFFFFC, 0xFFFFFFFD, 0x8000000E, 0x7F)]
            rows += [(0x83828180, 0xF7E6D5C4, c) for c in (*range(4), *range(252, 268))]
            yield plain("logic", kind, ["b32"] * 3, "b32", data=rows, kind=f"{kind} of every selector")
    rows = [(0x83028100, 0xF766D544, n * 0x1111 & 0xFFFF) for n in range(16)]
    rows += [(0x83028100, 0xF766D544, value) for value in (
        0x3210, 0x7654, 0xFEDC, 0xBA98, 0x0F7E, 0x89AB, 0x5140, 0x6273, 0xFFFF3210, 0x10000, 0x80008000, 0x8421, 0xC3A5, 0x5A3C, 0x1248,
        0xE0D1)]
    yield plain("logic", "prmt.b32", ["b32"] * 3, "b32", data=rows, kind="prmt.b32 of every byte and sign")
    for op, negated in product(("and", "or"), ("", "!")):
        kind = f"lop3.{op}.b32 with {'negated ' if negated else ''}predicate"
        body = f"""setp.lt.u32 %t, %c, 0x80000000;
            lop3.{op}.b32 %d|%u, %a, %b, %c, 0x96, {negated}%t;
            selp.b32 %d1, 1, 0, %u;
            lop3.{op}.b32 %d2|%u, %a, %b, %c, 0x80, {negated}%t;
            selp.b32 %d3, 1, 0, %u;"""
        rows = mixed(kind, ["b32"] * 3, LANES - 4) + [(0, 0, 0), (0, 0, 0xFFFFFFFF), (5, 5, 0), (1, 2, 0x80000003)]
        yield case("logic", kind, body, ["b32"] * 3, ["b32", "u32", "b32", "u32"], data=rows, registers=".pred %t; .pred %u")
    for t in ("b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64"):
        for which in ("s32", "f32"):
            yield plain("logic", f"slct.{t}.{which}", [t, t, which], t, match="bits")
        yield plain("logic", f"slct.ftz.{t}.f32", [t, t, "f32"], t, match="bits")
        yield case("logic", f"selp.{t}", f"setp.lt.u32 %t, %c, 0x80000000;\nselp.{t} %d, %a, %b, %t;", [t, t, "b32"], [t],
                   match="bits", registers=".pred %t")


def movs():
    def packing(kind, body, inputs, outputs, registers=""):
        return case("logic", kind, body, inputs, outputs, match="bits", registers=registers)

    yield packing("mov.b16 {b8,b8} pack", """cvt.u8.u32 %x0, %a;
        cvt.u8.u32 %x1, %b;
        mov.b16 %d, {%x0, %x1};""", ["b32", "b32"], ["b16"], ".b8 %x<2>")
    yield packing("mov.b16 {b8,b8} unpack", """mov.b16 {%x0, %x1}, %a;
        cvt.u32.u8 %d, %x0;
        cvt.u32.u8 %d1, %x1;""", ["b16"], ["b32", "b32"], ".b8 %x<2>")
    yield packing("mov.b32 {b8 x4} unpack, and pack in another order", """mov.b32 {%x0, %x1, %x2, %x3}, %a;
        mov.b32 %d, {%x2, %x0, %x3, %x1};
        cvt.s32.s8 %d1, %x3;""", ["b32"], ["b32", "s32"], ".b8 %x<4>")
    yield packing("mov.b32 unpack {b8 x4} with sinks", """mov.b32 {_, %x1, _, %x3}, %a;
        cvt.u32.u8 %d, %x1;
        cvt.u32.u8 %d1, %x3;""", ["b32"], ["b32", "b32"], ".b8 %x<4>")
    yield packing("mov.b32 {f16,f16} pack", "mov.b32 %d, {%a, %b};", ["f16", "f16"], ["b32"])
    yield packing("mov.b32 unpack {b16,b16} with sink", "mov.b32 {_, %d}, %a;", ["b32"], ["b16"])
    yield packing("mov.b64 {b16 x4} unpack", "mov.b64 {%d, %d1, %d2, %d3}, %a;", ["b64"], ["b16"] * 4)
    yield packing("mov.b64 {f32,f32} pack", "mov.b64 %d, {%a, %b};", ["f32", "f32"], ["b64"])
    yield packing("mov.b64 {s32,u32} pack and unpack", "mov.b64 %q, {%a, %b};\nmov.b64 {%d1, %d}, %q;", ["s32", "u32"], ["u32", "s32"])
    yield packing("mov.b128 unpack {b32 x4}", "mov.b128 %x, {%a, %b};\nmov.b128 {%d, %d1, %d2, %d3}, %x;", ["b64", "b64"], ["b32"] * 4,
                  ".b128 %x")
    yield packing("mov.b64 of doubles in halves", "mov.b64 {%d, %d1}, %a;\nmov.b64 %d2, {%d1, %d};", ["f64"], ["b32", "b32", "b64"])


def conversions():
    narrow = ("u8", "s8", "u16", "s16", "u32", "s32")
    all_ = (*narrow, "u64", "s64")
    for to, of in product(all_, all_):
        yield plain("cvt", f"cvt.{to}.{of}", [of], to)
        if _saturates(to, of):
            yield plain("cvt", f"cvt.sat.{to}.{of}", [of], to)
    for to, of in product(narrow, ("u64", "s64", "s32", "u16")):
        if bits_of(to) <= bits_of(of):
            yield plain("cvt", f"cvt.{to}.{of}", [of], "b64", kind=f"cvt.{to}.{of} to a b64 register")
        if bits_of(to) <= bits_of(of) and _saturates(to, of):
            yield plain("cvt", f"cvt.sat.{to}.{of}", [of], "b64", kind=f"cvt.sat.{to}.{of} to a b64 register")
    for to, of in product(("u64", "s64", "u32", "s16"), narrow):
        yield plain("cvt", f"cvt.{to}.{of}", ["b64"], to, kind=f"cvt.{to}.{of} from a b64 register")
    for to, of in product(("u8", "s16", "u32"), ("s8", "u16", "s32")):
        if _saturates(to, of):
            yield plain("cvt", f"cvt.sat.{to}.{of}", ["b64"], to, kind=f"cvt.sat.{to}.{of} from a b64 register")


def _saturates(to, of):
    """Whether there are numbers of type `of` that `to` does not have; without them .sat is refused."""
    return to[0] == "u" and of[0] == "s" or bits_of(to) - (to[0] == "s") < bits_of(of) - (of[0] == "s")


def predicates():
    for t in ("f32", "f64"):
        for what in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            yield case("f32" if t == "f32" else "f64", f"testp.{what}.{t}", f"testp.{what}.{t} %t, %a;\nselp.u32 %d, 1, 0, %t;", [t],
                       ["u32"], registers=".pred %t")
        yield plain(t, f"copysign.{t}", [t, t], t, match="bits")
        rows = [(a, b) for a in edges(t)[:32] for b in (edges(t)[0], edges(t)[1], edges(t)[28], edges(t)[29])]
        yield plain(t, f"copysign.{t}", [t, t], t, match="bits", data=rows, kind=f"copysign.{t} of zeros and NaNs")


def comparisons():
    integers = {**{f"b{n}": ("eq", "ne") for n in (16, 32, 64)}, **dict.fromkeys(SIGNED, ORDERED),
                **dict.fromkeys(UNSIGNED, (*ORDERED, "lo", "ls", "hi", "hs"))}
    for t, ops in integers.items():
        for to in ("u32", "s32", "f32"):
            yield _set(ops, to, t)
    for t in ("f32", "f64"):
        for to in ("u32", "s32", "f32"):
            yield _set(FLOAT_COMPARISONS, to, t)
    for to in ("u32", "s32", "f32"):
        yield _set(FLOAT_COMPARISONS, to, "f32", ".ftz")
    for half in HALVES:
        for to in ("u16", "s16", "u32", "s32", half):
            yield _set(FLOAT_COMPARISONS, to, half)
        for of in (*integers, "f32", "f64"):
            yield _set(integers.get(of, FLOAT_COMPARISONS), half, of)
        for to in ("u32", "s32", f"{half}x2"):
            yield _set(FLOAT_COMPARISONS, to, f"{half}x2")
    yield _set(FLOAT_COMPARISONS, "f16", "f16", ".ftz")
    yield _set(FLOAT_COMPARISONS, "f16x2", "f16x2", ".ftz")
    for op, t in product(("and", "or", "xor"), ("u16", "s64", "b16", "f32", "f64", "f16", "bf16")):
        body = f"setp.lt.u32 %t, %c, 0x80000000;\nset.ne.{op}.u32.{t} %d, %a, %b, %t;\nset.eq.{op}.s32.{t} %d1, %a, %b, !%t;"
        yield case("cmp", f"set.ne.{op}.u32.{t}, set.eq.{op}.s32.{t}", body, [t, t, "b32"], ["u32", "s32"], registers=".pred %t")


def _set(ops, to, of, ftz=""):
    """Half of the lanes compare equal values."""
    kind = f"set.{{{' '.join(ops)}}}{ftz}.{to}.{of}"
    rows = [(a, b if i % 4 else a) for i, (a, b) in enumerate(mixed(kind, [of, of], LANES))]
    return several("cmp", kind, [f"set.{op}{ftz}.{to}.{of}" for op in ops], [of, of], to, data=rows)


def carries():
    first = {"add": "%d, %a, %b", "sub": "%d, %a, %b", "mad.lo": "%d, %a, %b, %c", "mad.hi": "%d, %a, %b, %c"}
    second = {"addc": "%d1, %b, %c", "subc": "%d1, %b, %c", "madc.lo": "%d1, %b, %c, %a", "madc.hi": "%d1, %b, %c, %a"}
    for x, y, t in product(first, second, ("u32", "s32", "u64", "s64")):
        last = "subc" if y == "subc" else "addc"  # shows the carry, or the borrow, that is left
        kind = f"{x}.cc.{t} {y}.cc.{t} {last}.{t}"
        body = f"{x}.cc.{t} {first[x]};\n{y}.cc.{t} {second[y]};\n{last}.{t} %d2, 0, 0;"
        yield case("int", kind, body, [t] * 3, [t] * 3)
    for t in ("u32", "s32", "u64", "s64"):
        for x, y in (("add", "addc"), ("sub", "subc")):
            yield case("int", f"{x}.cc.{t} {y}.{t}", f"{x}.cc.{t} %d, %a, %b;\n{y}.{t} %d1, %c, %e;", [t] * 4, [t] * 2)
        yield case("int", f"mad.lo.cc.{t} madc.hi.{t}", f"mad.lo.cc.{t} %d, %a, %b, %c;\nmadc.hi.{t} %d1, %a, %b, %e;", [t] * 4, [t] * 2)
        yield case("int", f"add.cc.{t} of three words, subc of them", f"""add.cc.{t} %d, %a, %b;
            addc.cc.{t} %d1, %c, %e;
            addc.{t} %d2, %f, %a;
            sub.cc.{t} %d3, %a, %b;
            subc.cc.{t} %d4, %c, %e;
            subc.{t} %d5, %f, %a;""", [t] * 5, [t] * 6)


# Twice the bound of the ISA: the GPU's result and another right one may lie on opposite sides.
APPROXIMATIONS = {"rcp": {"ulp": 2}, "sqrt": {"rel": 2.0**-22}, "rsqrt": {"rel": 2.0**-21.9}, "lg2": {"abs": 2.0**-21, "rel": 2.0**-21},
                  "ex2": {"ulp": 4}, "tanh": {"rel": 2.0**-10}, "sin": {"abs": 2.0**-19.5}, "cos": {"abs": 2.0**-19.5}}


def functions():
    for rounding, ftz in product(("rn", "rz", "rm", "rp"), ("", ".ftz")):
        for op in ("rcp", "sqrt"):
            yield plain("f32", f"{op}.{rounding}{ftz}.f32", ["f32"], "f32")
            if not ftz:
                yield plain("f64", f"{op}.{rounding}.f64", ["f64"], "f64")
            rows = [(x,) for x in edges("f32")[:32]] + [(x,) for x in _powers()]
            yield plain("f32", f"{op}.{rounding}{ftz}.f32", ["f32"], "f32", data=rows, kind=f"{op}.{rounding}{ftz}.f32 of specials")
    for op, match in APPROXIMATIONS.items():
        angle = op in ("sin", "cos")
        for ftz in ("", ".ftz") if op != "tanh" else ("",):
            kind = f"{op}.approx{ftz}.f32"
            special = [x for x in edges("f32") if not angle or abs_below(x, 0x40C00000) or abs_below(0x7F7FFFFF, x & 0x7FFFFFFF)]
            yield plain("f32", kind, ["f32"], "f32", match=match, data=_padded([(x,) for x in floats(_usual(op))]))
            yield plain("f32", kind, ["f32"], "f32", match=match, kind=f"{kind} of specials",
                        data=_padded([(x,) for x in special] + ([] if angle else [(x,) for x in _powers()])))
    for kind, match in (("rcp.approx.ftz.f64", 2.0**-18), ("rsqrt.approx.ftz.f64", 2.0**-18), ("rsqrt.approx.f64", 2.0**-45)):
        rows = [(x,) for x in edges("f64") if x & 0xFFFFFFFF == 0 or x & 0x7FF00000_00000000 != 0x7FF00000_00000000]
        rows += [(x,) for x in floats([2.0**i for i in range(-1020, 1023, 60)], "f64")]
        yield plain("f64", kind, ["f64"], "f64", match={"rel": match}, data=_padded(rows), kind=f"{kind} of specials")


def _usual(op):
    """Numbers over the range where the function does something."""
    if op in ("sin", "cos", "tanh"):
        return [-6.25 + 0.2 * i for i in range(63)]
    if op == "ex2":
        return [-150.0 + 2.5 * i for i in range(120)] + [0.1, -0.1]
    return [1.5**i for i in range(-60, 60)]


def abs_below(x, bits):
    """Whether |x| < the number with these bits, both of f32."""
    return x & 0x7FFFFFFF < bits


def _powers():
    """Powers of two from end to end, and numbers on either side of some."""
    found = floats([2.0**i for i in range(-149, 128, 12)])
    return (found + [x + 1 for x in found] + [x | 0x80000000 for x in found[::3]])[:64]


def _padded(rows):
    """As many as whole warps have."""
    return rows + rows[:-len(rows) % 32]


def cases():
    for part in (arithmetic, bit_fields, logic, movs, conversions, predicates, comparisons, carries, functions):
        yield from part()
