# sweeps.py -- cases without answers: inputs that are counted through, masks of warps, generic addresses of shared memory.
import random
from itertools import product

from kernels import case, given, packed, record, text, wanted

MASKS = (0xFFFFFFFF, 0x0000FFFF, 0xAAAAAAAA, 0x80000001, 0x00000010, 0x7FFFFFFE, 0xFF00FF00, 0x00018000)
WARPS = len(MASKS)


# --- values by the number of the lane

def _all_tables():
    """lop3 with all its 256 tables; the inputs have every combination of bits."""
    body = "".join(f"lop3.b32 %w, %a, %b, %c, {table:#04x};\nst.global.b32 [%q+{4 * table}], %w;\n" for table in range(256))
    inputs = [0xF0F0AAAA, 0xCCCC3C5A, 0xAAAAF069, 0x12345678, 0xFFFF0000, 0x0F1E2D3C, 0x80000001, 0x7EDCBA98, 0x13579BDF, 0x02468ACE]
    values = [inputs[(lane * step) % len(inputs)] for step in (1, 3, 7) for lane in range(32)]
    lines = "".join(f"mad.wide.u32 %q, %i, 4, %p{i};\nld.global.b32 {name}, [%q];\n" for i, name in enumerate(("%a", "%b", "%c")))
    lines += "mad.wide.u32 %q, %i, 1024, %p3;\n" + body
    args = [given(packed(values[32 * i:32 * i + 32], "b32"), "b32") for i in range(3)] + [wanted(32 * 1024, "b32")]
    return record("logic", "lop3.b32 with all 256 tables", text(lines, 4, ".b32 %a; .b32 %b; .b32 %c"), args, 32)


def conversions():
    for eight, relu in product(("e4m3x2", "e5m2x2"), ("", ".relu")):
        to = f"cvt.rn.satfinite{relu}.{eight}"
        yield case("cvt", f"{to}.f16x2 of all halves", f"""shl.b32 %w, %i, 17;
            shl.b32 %i, %i, 1;
            or.b32 %w, %w, %i;
            or.b32 %w, %w, 0x10000;
            shr.u32 %i, %i, 1;
            {to}.f16x2 %d, %w;""", [], ["b16"], lanes=32768)
        yield case("cvt", f"{to}.f32 of all upper halves", f"""shl.b32 %w, %i, 16;
            mov.b32 %x, %w;
            or.b32 %w, %w, 1;
            {to}.f32 %d, %w, %x;""", [], ["b16"], lanes=65536, registers=".b32 %x")
        yield case("cvt", f"cvt.rn{relu}.f16x2.{eight} of all bytes", f"""xor.b32 %w, %i, 0xa5;
            shl.b32 %w, %w, 8;
            or.b32 %w, %w, %i;
            cvt.u16.u32 %h, %w;
            cvt.rn{relu}.f16x2.{eight} %d, %h;""", [], ["f16x2"], lanes=256, registers=".b16 %h")
    # A NaN whose upper ten bits are zero is made infinity by the driver; such a one is replaced by infinity.
    for low in ("0xfff", "0x1000", "0x1001"):
        yield case("cvt", f"cvt.rna.tf32.f32 of {low} in the lower bits", f"""shl.b32 %w, %i, 18;
            or.b32 %w, %w, {low};
            and.b32 %x, %w, 0x7fffe000;
            setp.eq.u32 %t, %x, 0x7f800000;
            @%t and.b32 %w, %w, 0xffffe000;
            cvt.rna.tf32.f32 %d, %w;""", [], ["f32"], lanes=16384, registers=".b32 %x; .pred %t")


HALF_FUNCTIONS = (("tanh.approx.f16", "f16", {"abs": 2 * 2.0**-10.987}), ("ex2.approx.f16", "f16", {"rel": 2 * 2.0**-9.9, "ulp": 1}),
                  ("tanh.approx.bf16", "bf16", {"abs": 2.0**-7}), ("ex2.approx.ftz.bf16", "bf16", {"rel": 2.0**-6, "ulp": 1}))


def halves():
    """Every eighth half, the eighths in turn, so that every exponent and every low bit is met."""
    for instruction, type_, match in HALF_FUNCTIONS:
        yield case("half", f"{instruction} of every eighth half", f"""shr.u32 %w, %i, 3;
            and.b32 %w, %w, 7;
            mad.lo.u32 %w, %i, 8, %w;
            cvt.u16.u32 %h, %w;
            {instruction} %d, %h;""", [], [type_], match=match, lanes=8192, registers=".b16 %h")


# --- warps, of which the lanes of a mask take part

def _masked(kind, body, outputs, values, type_="u32", registers=""):
    """%m is the mask of the lane's warp, %t whether the lane is in it; who is not leaves zeros."""
    wide = type_ in ("b64", "u64")
    lines = f"""shr.u32 %w, %i, 5;
        mad.wide.u32 %q, %w, 4, %p1;
        ld.global.b32 %m, [%q];
        mov.u32 %w, %laneid;
        shr.u32 %w, %m, %w;
        and.b32 %w, %w, 1;
        setp.ne.u32 %t, %w, 0;
        mad.wide.u32 %q, %i, {8 if wide else 4}, %p0;
        ld.global.b{64 if wide else 32} %a, [%q];
        and.b32 %w, {'%i' if wide else '%a'}, 1;
        setp.ne.u32 %v, %w, 0;
        setp.ne.u32 %r, 0, 0;
        mov.b32 %d, 0;
        mov.b32 %d1, 0;
        {body}
        """
    for i in range(len(outputs)):
        lines += f"mad.wide.u32 %q, %i, 4, %p{2 + i};\nst.global.b32 [%q], %d{i or ''};\n"
    args = [given(packed(values, type_), type_), given(packed(MASKS, "b32"), "b32")]
    args += [wanted(4 * 32 * WARPS, one) for one in outputs]
    registers = f".b{64 if wide else 32} %a; .b32 %m; .b32 %d; .b32 %d1; .pred %t; .pred %v; .pred %r"
    return record("warp", kind, text(lines, len(args), registers), args, 32 * WARPS)


def _values(kind, few):
    """Random numbers, from a few where `few`; those of every third warp are all the same."""
    numbers = random.Random(kind)
    return [7 if few and lane // 32 % 3 == 1 else numbers.randrange(4) if few else numbers.getrandbits(32) for lane in range(32 * WARPS)]


def warps():
    for op, type_ in (*product(("add", "min", "max"), ("u32", "s32")), *product(("and", "or", "xor"), ("b32",))):
        kind = f"redux.sync.{op}.{type_} under masks"
        values = _values(kind, few=False)
        if op in ("and", "or"):  # so that something is left of it
            values = [value | 0xF0000000 if op == "and" else value & 0x11111111 for value in values]
        yield _masked(kind, f"@%t redux.sync.{op}.{type_} %d, %a, %m;", [type_], values)
    for mode, negated in product(("all", "any", "uni"), ("", "!")):
        kind = f"vote.sync.{mode}.pred {'negated ' if negated else ''}under masks"
        yield _masked(kind, f"@%t vote.sync.{mode}.pred %r, {negated}%v, %m;\n@%r mov.b32 %d, 1;", ["u32"], _votes(kind))
    for negated in ("", "!"):
        kind = f"vote.sync.ballot.b32 {'negated ' if negated else ''}under masks"
        yield _masked(kind, f"@%t vote.sync.ballot.b32 %d, {negated}%v, %m;", ["b32"], _votes(kind))
    for bits in (32, 64):
        values = [value << (40 if bits == 64 else 0) | value for value in _values(f"match b{bits}", few=True)]
        yield _masked(f"match.any.sync.b{bits} under masks", f"@%t match.any.sync.b{bits} %d, %a, %m;", ["b32"], values, f"b{bits}")
        yield _masked(f"match.all.sync.b{bits} under masks", f"@%t match.all.sync.b{bits} %d|%r, %a, %m;\n@%r mov.b32 %d1, 1;",
                      ["b32", "u32"], values, f"b{bits}")
        yield _masked(f"match.all.sync.b{bits} without predicate under masks", f"@%t match.all.sync.b{bits} %d, %a, %m;", ["b32"],
                      values, f"b{bits}")


def _votes(kind):
    """Bit 0 is the vote: all yes, all no, and mixed ones."""
    values = _values(kind, few=False)
    return [value | 1 if lane // 32 % 4 == 1 else value & ~1 if lane // 32 % 4 == 2 else value for lane, value in enumerate(values)]


# --- shared memory by generic addresses

TILE = ".shared .align 16 .b8 tile[1024];"
# type: (offsets before a place, registers)
ACCESSES = {"u8": (-16, -7, -1), "s8": (-15, -8, -2), "u16": (-16, -10, -2), "s16": (-14, -4), "b32": (-16, -12, -4), "f32": (-8,),
            "b64": (-16, -8), "f64": (-8,), "v2.b32": (-16, -8), "v4.b32": (-16,), "v2.b64": (-16,), "v4.b16": (-16, -8),
            "v2.b16": (-12, -4), "v4.b8": (-16, -4), "v2.b8": (-14, -2)}


def _bytes(type_):
    count, _, scalar = type_.rpartition(".")
    return int(count[1:] or 1) if count else 1, int(scalar[1:]) // 8


def _operand(names):
    return names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"


def _base(i, offset):
    """The address with a negative offset and with a positive one, in turn. PTX has no `[r-4]`."""
    return f"%g+{offset}" if i % 2 == 0 else f"%h+{offset + 1024}"


def _places(module):
    """%g is the generic address 16 bytes behind a lane's place in the tile, which is another lane's; the tile is filled from %p0."""
    return f"""mov.u32 %s, {module};
        mad.lo.u32 %w, %i, 16, %s;
        mad.wide.u32 %q, %i, 16, %p0;
        ld.global.v4.b32 {{%x0, %x1, %x2, %x3}}, [%q];
        st.shared.v4.b32 [%w], {{%x0, %x1, %x2, %x3}};
        bar.sync 0;
        mad.lo.u32 %w, %i, 7, 3;
        and.b32 %w, %w, 63;
        mad.lo.u32 %w, %w, 16, %s;
        cvt.u64.u32 %g, %w;
        cvta.shared.u64 %g, %g;
        add.u64 %g, %g, 16;
        sub.u64 %h, %g, 1024;
        """


PLACES = ".b64 %g; .b64 %h; .b32 %s; .b32 %x<4>"


def _tile(kind):
    numbers = random.Random(kind)
    return [numbers.getrandbits(32) for _ in range(256)]


def generic():
    for type_, offsets in ACCESSES.items():
        count, width = _bytes(type_)
        register, store = max(8 * width, 16), f"st.global.{'v' + str(count) + '.' if count > 1 else ''}b{8 * width}"
        kind = f"ld.{type_} by a generic address of shared memory with offsets"
        names = [f"%y{i}" for i in range(count)]
        lines, args = _places("tile"), [given(packed(_tile(kind), "b32"), "b32")]
        for i, offset in enumerate(offsets):
            lines += f"ld.{type_} {_operand(names)}, [{_base(i, offset)}];\n"
            lines += f"mad.wide.u32 %q, %i, {count * width}, %p{1 + i};\n{store} [%q], {_operand(names)};\n"
            args.append(wanted(64 * count * width, f"b{8 * width}"))
        yield record("mem", kind, text(lines, len(args), f"{PLACES}; .b{register} %y<{count}>", TILE), args, 64)
        kind = f"st.{type_} by a generic address of shared memory with offsets"
        load = f"ld.global.{'v' + str(count) + '.' if count > 1 else ''}b{8 * width}"
        lines = _places("tile") + "bar.sync 0;\n"
        lines += f"mad.wide.u32 %q, %i, {count * width}, %p1;\n{load} {_operand(names)}, [%q];\n"
        for i, offset in enumerate(offsets):
            lines += f"st.{type_} [{_base(i, offset)}], {_operand(names)};\n"
        lines += """bar.sync 0;
            mad.lo.u32 %w, %i, 16, %s;
            ld.shared.v4.b32 {%x0, %x1, %x2, %x3}, [%w];
            mad.wide.u32 %q, %i, 16, %p2;
            st.global.v4.b32 [%q], {%x0, %x1, %x2, %x3};
            """
        args = [given(packed(_tile(kind), "b32"), "b32"), given(packed(_tile(kind + "x")[:16 * count * width], "b32"), f"b{8 * width}"),
                wanted(1024, "b32")]
        yield record("mem", kind, text(lines, 3, f"{PLACES}; .b{register} %y<{count}>", TILE), args, 64)
    for op, operands in (("add.u32", "%x1"), ("exch.b32", "%x1"), ("max.s32", "%x1"), ("xor.b32", "%x1"), ("cas.b32", "%x1, %x2"),
                         ("add.f32", "%x1"), ("inc.u32", "%x1")):
        kind = f"atom.{op} by a generic address of shared memory with offsets"
        yield _atomic(kind, f"atom.{op} %x3, [%g+-12], {operands};\natom.shared.{op} %x0, [%e], {operands};", op)
    for op in ("add.u32", "min.s32", "and.b32"):
        yield _atomic(f"red.{op} by a generic address of shared memory with offsets",
                      f"red.{op} [%g+-12], %x1;\nred.{op} [%g+-4], %x2;\nmov.b32 %x3, 0;\nmov.b32 %x0, 0;", op)
    yield _dynamic()


def _atomic(kind, instructions, op):
    """On the lane's own place, so that the order of lanes does not matter."""
    values = [i * 0x01010101 & 0x3F7FFFFF if op.endswith("f32") else value for i, value in enumerate(_tile(kind))]
    lines = _places("tile") + f"""add.u32 %e, %s, 4;
        mad.lo.u32 %w, %i, 7, 3;
        and.b32 %w, %w, 63;
        mad.lo.u32 %e, %w, 16, %e;
        {instructions}
        bar.sync 0;
        mad.wide.u32 %q, %i, 8, %p1;
        st.global.v2.b32 [%q], {{%x3, %x0}};
        mad.lo.u32 %w, %i, 16, %s;
        ld.shared.v4.b32 {{%x0, %x1, %x2, %x3}}, [%w];
        mad.wide.u32 %q, %i, 16, %p2;
        st.global.v4.b32 [%q], {{%x0, %x1, %x2, %x3}};
        """
    args = [given(packed(values, "b32"), "b32"), wanted(512, "b32"), wanted(1024, "b32")]
    return record("atom", kind, text(lines, 3, PLACES + "; .b32 %e", TILE), args, 64)


def _dynamic():
    """Memory that the launch sizes, behind a variable of the module."""
    kind = "ld by a generic address of dynamic shared memory with offsets"
    lines = _places("dynamic") + """setp.eq.u32 %t, %i, 0;
        @%t st.shared.b32 [first], %i;
        ld.v2.b32 {%x0, %x1}, [%g+-16];
        ld.b16 %y, [%g+-6];
        ld.s8 %z, [%h+1023];
        mad.wide.u32 %q, %i, 16, %p1;
        cvt.u32.u16 %x2, %y;
        cvt.s32.s16 %x3, %z;
        st.global.v4.b32 [%q], {%x0, %x1, %x2, %x3};
        """
    args = [given(packed(_tile(kind), "b32"), "b32"), wanted(1024, "b32")]
    module = ".shared .align 4 .b8 first[4];\n.extern .shared .align 16 .b8 dynamic[];"
    made = record("mem", kind, text(lines, 2, PLACES + "; .b16 %y; .b16 %z; .pred %t", module), args, 64)
    return {**made, "dynamic_smem": 1024}


def cases():
    yield _all_tables()
    for part in (conversions, halves, warps, generic):
        yield from part()
