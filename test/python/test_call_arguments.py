# test_call_arguments.py -- what calls of compiled objects refuse: other values than those compiled in, numbers out of range.
from test_calls import good

START = """
def refused(call, *texts):
    try:
        call()
    except (ValueError, TypeError) as error:
        assert all(text in str(error) for text in texts), (str(error), texts)
        return
    raise AssertionError("accepted")
"""


def test_a_symbol_has_one_value_in_a_call(tmp_path):
    good(START + """
n, m = cute.sym_int(symbol="n"), cute.sym_int64(divisibility=2)
fake = cute.runtime.make_fake_tensor
@cute.jit
def f(a: cute.Tensor, pair, c: cute.Tensor): cute.printf("{} {}", cute.size(a), cute.size(pair[1]))
c = cute.compile(f, fake(cutlass.Float32, (n, m), (m, 1)), (3, fake(cutlass.Float32, (m,), (1,))),
                 fake(cutlass.Float32, (cute.sym_int(symbol="n"),), (1,)))
t = lambda *shape: torch.zeros(*shape, device="cuda")
assert said(lambda: c(t(3, 4), (3, t(4)), t(3)))[0] == "12 4"
assert said(lambda: c(t(5, 2), (3, t(2)), t(5)))[0] == "10 2"
refused(lambda: c(t(3, 4), (3, t(4)), t(2)), "argument c: extent 0 is 2", "compiled as n, as extent 0 of argument a, which is 3")
refused(lambda: c(t(3, 4), (3, t(6)), t(3)), "argument pair[1]: extent 0 is 6", "the same sym_int", "extent 1 of argument a, which is 4")
refused(lambda: c(t(4, 3).t()[:, ::1], (3, t(4)), t(3)), "argument a")
assert said(lambda: c(t(1, 4).expand(1, 4), (3, t(4)), t(1)))[0] == "4 4"   # the stride of an extent of 1 says nothing

@cute.jit
def g(a: cute.Tensor, b: cute.Tensor): cute.printf("{}", cute.size(b))
c = cute.compile(g, fake(cutlass.Float32, (n,), (1,)), fake(cutlass.Float32, (n,), (1,)))     # calls that C++ takes
assert said(lambda: c(t(3), t(3)))[0] == "3"
refused(lambda: c(t(3), t(4)), "argument b: extent 0 is 4", "argument a, which is 3")
import numpy as np
h = cute.compile(g, fake(cutlass.Float32, (n,), (1,), memspace=cute.AddressSpace.generic),
                 fake(cutlass.Float32, (n,), (1,), memspace=cute.AddressSpace.generic))
z = lambda n: torch.zeros(n)
assert said(lambda: h(z(3), z(3)))[0] == "3"
refused(lambda: h(z(3), z(4)), "argument b: extent 0 is 4")
refused(lambda: cute.compile(g, fake(cutlass.Float32, (n,), (1,)), fake(cutlass.Float32, (cute.sym_int64(symbol="n"),), (1,))),
        "sym_int: extent 0 of argument b and extent 0 of argument a are both 'n'", "64 and 32 bits")
""", tmp_path)


def test_other_values_of_what_is_compiled_in_are_refused(tmp_path):
    good(START + """
import functools
@cute.jit
def f(a: cutlass.Int32, b, n: cutlass.Constexpr, op: cutlass.Constexpr = None): cute.printf("{} {}", a, n)
c = cute.compile(f, 1, None, 4)
for call in (lambda: c(7), lambda: c(7, None), lambda: c(7, None, 4), lambda: c(7, n=4), lambda: c(a=7, b=None), lambda: c(7, op=None)):
    assert said(call)[0] == "7 4"
refused(lambda: c(7, None, 5), "f: argument n: 5 was passed where 4 is compiled in")
refused(lambda: c(7, n=5), "argument n: 5 was passed where 4")
refused(lambda: c(7, 3), "argument b: 3 was passed where None is compiled in")
refused(lambda: c(7, b=3), "argument b: 3")
refused(lambda: c(7, None, True), "argument n: True")
refused(lambda: c(7, None, 4.0), "argument n: 4.0")
refused(lambda: c(7, op=max), "argument op")
refused(lambda: c(7, m=4), "m")
refused(lambda: c(7, None, 4, n=4), "several values were passed for argument n")

@cute.jit
def v(n: cutlass.Constexpr, *rest): cute.printf("{} {}", n, len(rest))
assert said(lambda: cute.compile(v, 2, 3, 4)(5, 6))[0] == "2 2"

@cute.jit
def g(shape: cute.Shape, pair, op: cutlass.Constexpr): cute.printf("{} {}", shape, pair[0])
add = lambda a, b=0: a
c = cute.compile(g, (2, 3), [5, None], functools.partial(add, 1, b=2))
assert said(lambda: c((2, 3), [6, None]))[0] == "(2,3) 6"
assert said(lambda: c((2, 3), (6, None), functools.partial(add, 1, b=2)))[0] == "(2,3) 6"
refused(lambda: c((2, 4), [6, None]), "argument shape[1]: 4 was passed where 3 is compiled in")
refused(lambda: c((2, 3, 4), [6, None]), "argument shape", "tuple of 2")
refused(lambda: c((2, 3), [6, 1]), "argument pair[1]: 1 was passed where None")
refused(lambda: c((2, 3), [6]), "argument pair")
refused(lambda: c((2, 3), [6, None], functools.partial(add, 2, b=2)), "argument op")

def nested(x): pass
@dataclasses.dataclass
class P:
    n: cutlass.Int8
    k: cutlass.Constexpr = 3
@cute.jit
def h(p: P, d: dict): cute.printf("{} {}", p.n, d["x"])
c = cute.compile(h, P(1), {"x": 1, 2: None})
assert said(lambda: c(P(2), {"x": 3, 2: None}))[0] == "2 3"
refused(lambda: c(P(300), {"x": 3, 2: None}), "argument p.n: 300 does not fit Int8: -128 to 127")
refused(lambda: c(P(2, 4), {"x": 3, 2: None}), "argument p.k: 4 was passed where 3")
refused(lambda: c(P(2), {"x": 3, 2: 0}), "argument d[2]: 0 was passed where None")
refused(lambda: c(P(2), {"x": 3}), "argument d")
refused(lambda: c(3, {"x": 3, 2: None}), "argument p: 3 was passed where a P of 2")
c = cute.compile(nested, [(1, {"k": P(1)})])
refused(lambda: c([(1, {"k": P(300)})]), "argument x[0][1]['k'].n: 300 does not fit")
""", tmp_path)


NUMBERS = """[("Int64", 1 << 63, f"-{1 << 63} to {(1 << 63) - 1}"), ("Uint64", -1, f"0 to {(1 << 64) - 1}"), ("Uint64", 1 << 64, "0 to"),
    ("Int8", 300, "-128 to 127"), ("Uint8", -1, "0 to 255"), ("Int32", 1 << 40, "-2147483648 to 2147483647"),
    ("Int32", 2.5, "an integer was expected"), ("Float32", 1e300, "-3.40282e+38 to 3.40282e+38"), ("Float16", 70000.0, "65504")]"""


def test_a_number_out_of_range_is_refused(tmp_path):
    good(START + f"""
for name, value, text in {NUMBERS}:
    dtype = getattr(cutlass, name)
    @cute.jit
    def f(n: dtype): cute.printf("{{}}", n)
    c = cute.compile(f, 1)
    assert said(lambda: c(3))[0] in ("3", "3.000000")
    for call in (c, f):
        refused(lambda: call(value), "argument n: ", f"{{value!r}} does not fit {{name}}", text)
        if isinstance(value, float) or -(1 << 63) <= value < 1 << 64:
            wide = cutlass.Float64 if isinstance(value, float) else cutlass.Uint64 if value > 0 else cutlass.Int64
            refused(lambda: call(wide(value)), f"{{value!r}} does not fit {{name}}")
""", tmp_path)


def test_numbers_at_the_edges_are_passed(tmp_path):
    good(START + """
for dtype in (cutlass.Int64, cutlass.Uint64, cutlass.Int8, cutlass.Uint8, cutlass.Int32, cutlass.Uint32):
    @cute.jit
    def f(n: dtype): cute.printf("{}", n)
    c = cute.compile(f, 1)
    for value in (dtype.min, dtype.max, dtype(dtype.max), cutlass.Int16(5), 5.0):
        want = str(int(getattr(value, "value", value)))
        assert said(lambda: c(value))[0] == want == said(lambda: f(value))[0], (dtype, value)
@cute.jit
def g(x: cutlass.Float32): cute.printf("{}", x)
assert said(lambda: cute.compile(g, 1.0)(float("inf")))[0] == "inf"
assert said(lambda: cute.compile(g, 1.0)(cutlass.Float64(2.5)))[0] == "2.500000"
import numpy
assert said(lambda: cute.compile(g, 1.0)(numpy.float32(1.5)))[0] == "1.500000"
""", tmp_path)


def test_negated_views_are_refused_by_compiled_objects(tmp_path):
    good(START + """
x = torch.complex(torch.arange(4.), torch.arange(1., 5.)).conj().imag
@cute.jit
def f(x: cute.Tensor): cute.printf("{}", x[0])
for fits in (x.resolve_neg(), torch.zeros(8)[::2]):
    c = cute.compile(f, fits)
    for bad in (x, torch._neg_view(torch.ones(8)[::2])):
        refused(lambda: c(bad), "resolve_neg")
        refused(lambda: f(bad), "resolve_neg")
    assert said(lambda: c(fits))[0] == said(lambda: f(fits))[0]
""", tmp_path)


def test_what_describes_arguments_is_checked_where_it_is_made(tmp_path):
    good(START + """
import numpy as np
fake, compact = cute.runtime.make_fake_tensor, cute.runtime.make_fake_compact_tensor
F32 = cutlass.Float32
@cute.jit
def f(x: cute.Tensor): cute.printf("{}", x.element_type.width)
for options in (5, ["--opt-level"], cute.OptLevel(2), True):
    refused(lambda: cute.compile(f, fake(F32, (4,), (1,)), options=options), "options is a string", repr(options), "cute.compile[OptLevel(2)]")
for dtype in (torch.float32, np.float32, np.dtype("float32"), "float32"):
    assert fake(dtype, (4,), (1,)).dtype is F32 and compact(dtype, (4,)).element_type is F32
cute.compile(f, fake(torch.float32, (np.int64(4),), (1,)))(torch.zeros(4, device="cuda"))
for dtype in (5, None, float, torch.complex64):
    refused(lambda: fake(dtype, (4,), (1,)), "an element type such as cutlass.Float32 or torch.float32 was expected", repr(dtype))
for size in (2.5, "n", None, (2, 2)):
    refused(lambda: fake(F32, (size,), (1,)), "shape", "an integer or cute.sym_int() was expected", repr(size))
    refused(lambda: fake(F32, (4,), (size,)), "stride", "an integer or cute.sym_int() was expected")
    refused(lambda: compact(F32, (size,)), "an integer or cute.sym_int() was expected")
refused(lambda: fake(F32, 4, 1), "shape is a tuple")
refused(lambda: fake(F32, (4, 4), (1,)), "different ranks")
refused(lambda: compact(F32, (4,), stride_order=0), "stride_order is a tuple")
for alignment, text in ((3, "a power of two"), (-4, "a power of two"), ("a", "an integer was expected")):
    refused(lambda: fake(F32, (4,), (1,), assumed_align=alignment), "assumed_align", text)
    refused(lambda: from_dlpack(torch.zeros(4), assumed_align=alignment), "assumed_align", text)
for divisibility in (0, -4, 2.5, "a", None):
    for make in (cute.sym_int, cute.runtime.sym_int64, cute.runtime.sym_int32):
        refused(lambda: make(divisibility=divisibility), "sym_int: divisibility", repr(divisibility))
x = from_dlpack(torch.zeros(4, 8))
for mode in (9, -1, -2, 2):
    refused(lambda: x.mark_layout_dynamic(leading_dim=mode), f"leading_dim {mode} of a tensor of rank 2: 0 to 1")
    refused(lambda: x.mark_compact_shape_dynamic(mode), f"mode {mode}")
for mode in ("a", 1.0):
    refused(lambda: x.mark_layout_dynamic(leading_dim=mode), "leading_dim: an integer was expected", repr(mode))
    refused(lambda: x.mark_compact_shape_dynamic(mode), "mode: an integer was expected")
refused(lambda: x.mark_compact_shape_dynamic(0, stride_order=5), "stride_order")
refused(lambda: cute.runtime.make_ptr(F32, "a"), "an address, an integer, was expected")
assert x.shape == (4, 8) and str(x.mark_layout_dynamic(leading_dim=np.int64(1)).stride[1]) == "1"
""", tmp_path)


def test_scalars_of_numpy_are_the_numbers_that_they_are(tmp_path):
    good(START + """
import numpy as np
Int32, Float32 = cutlass.Int32, cutlass.Float32
show = lambda n: cute.printf("%s {}" % type(n).__name__, n)
@cute.jit
def plain(n): show(n)
@cute.jit
def annotated(n: int): show(n)
@cute.jit
def optional(n: Int32 | None): show(n)
@cute.jit
def whole(n: Int32): show(n)
@cute.jit
def pair(n): show(n[0])
@cute.jit
def named(n: dict): show(n["a"])
@cute.jit
def static(n: cute.Shape): cute.printf("%s {}" % type(n[0]).__name__, n[0])
for value, text in ((np.int64(4), "Int32 4"), (np.uint8(7), "Int32 7"), (np.int64(2**40), f"Int64 {2**40}"), (np.bool_(True), "Boolean 1"),
                    (np.float32(2.5), "Float32 2.500000"), (np.float64(2.5), "Float32 2.500000"), (np.float16(2.5), "Float32 2.500000")):
    for f in (plain, annotated):
        assert said(lambda: (f(value), f(value)))[0].split() == 2 * text.split(), (f, value)
        assert said(lambda: cute.compile(f, value)(value))[0] == text, (f, value)
    assert said(lambda: (pair((value, 3)), pair((value, 3))))[0].split() == 2 * text.split()
    assert said(lambda: named({"a": value}))[0] == text
assert said(lambda: optional(np.int64(4)))[0] == "Int32 4" and said(lambda: optional(np.bool_(True)))[0] == "Int32 1"
refused(lambda: optional(np.int64(2**40)), "argument n", "does not fit Int32")
assert said(lambda: whole(np.float32(4)))[0] == "Int32 4" and said(lambda: whole(np.bool_(True)))[0] == "Int32 1"
assert said(lambda: static((np.int64(4), 3)))[0] == "int 4"
refused(lambda: whole(np.float32(2.5)), "argument n: 2.5 does not fit Int32: an integer was expected")
refused(lambda: whole(np.int64(2**40)), "argument n", "does not fit Int32")
refused(lambda: plain(np.complex64(1)), "argument n: a number was expected", "complex64")
refused(lambda: pair((3, np.datetime64("2020"))), "argument n[1]: a number was expected", "datetime64")
refused(lambda: named({"a": np.complex64(1)}), "argument n['a']: a number was expected")
compiled = cute.compile(pair, (np.int64(3), np.float32(1)))
assert said(lambda: compiled((np.int32(9), 2.5)))[0] == "Int32 9"
refused(lambda: compiled((np.float32(9.5), 2.5)), "argument n[0]: 9.5 does not fit Int32")
""", tmp_path)
