# test_calls.py -- calls again: what is remembered of a trace, what makes a new one, and what C++ takes over.
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

PRELUDE = """
import contextlib, io, sys, types, dataclasses, functools
import cutwork.compat
import cutlass
import cutlass.cute as cute
import cutwork._core as core
import cutwork._jit as jit_

traces = 0
_trace = jit_._trace
def _counted(*arguments):
    global traces
    traces += 1
    return _trace(*arguments)
jit_._trace = _counted

def said(call):
    # what a call prints, and how often it was traced
    before, out = traces, io.StringIO()
    with contextlib.redirect_stdout(out):
        call()
    return out.getvalue().strip(), traces - before

def check(call, *steps):
    # the first value is traced; then each step changes something and names the new value
    value, *steps = steps
    assert said(call) == (value, 1), said(call)
    assert said(call) == (value, 0), said(call)
    assert said(call) == (value, 0), said(call)
    for change, value in steps:
        change()
        got = said(call)
        assert got == (value, 1), (got, value)
        assert said(call) == (value, 0), value
"""

TORCH = """
import torch
from cutlass.cute.runtime import from_dlpack
"""


def run(source, folder, **environment):
    script = folder / "script.py"
    uses_torch = "torch." in source
    script.write_text(PRELUDE + uses_torch * TORCH + source)
    return subprocess.run([sys.executable, *["-m", "cutwork"] * uses_torch, str(script)], capture_output=True, text=True, timeout=300, check=False,
                          env={**os.environ, "CUTWORK_DEVICE": "sim:sm_90a", "PYTHONPATH": str(ROOT / "build/python"), **environment})


def good(source, folder, **environment):
    done = run(source, folder, **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


# What a trace reads, and the change of it. `f` is the function, `call` calls it, `set(...)` changes.
MUTATIONS = {
    "a global": """
G = 1
@cute.jit
def f(): cute.printf("{}", G)
def change(): globals().update(G=2)
check(f, "1", (change, "2"))
""",
    "a closure's cell": """
def make():
    value = 1
    def change():
        nonlocal value
        value = 2
    @cute.jit
    def f(): cute.printf("{}", value)
    return f, change
f, change = make()
check(f, "1", (change, "2"))
""",
    "a field of self": """
class Model:
    def __init__(self): self.n = 1
    @cute.jit
    def run(self): cute.printf("{}", self.n)
m = Model()
check(m.run, "1", (lambda: setattr(m, "n", 2), "2"))
""",
    "a field of self in slots": """
class Model:
    __slots__ = ("n",)
    def __init__(self): self.n = 1
    @cute.jit
    def run(self): cute.printf("{}", self.n)
m = Model()
check(m.run, "1", (lambda: setattr(m, "n", 2), "2"))
""",
    "a field in a field": """
class Inner:
    def __init__(self): self.n = 1
class Model:
    def __init__(self): self.inner = Inner()
    @cute.jit
    def run(self): cute.printf("{}", self.inner.n)
m = Model()
check(m.run, "1", (lambda: setattr(m.inner, "n", 2), "2"), (lambda: setattr(m, "inner", Inner()), "1"))
""",
    "an element of a list": """
L = [1, 5]
@cute.jit
def f(): cute.printf("{}", L[0])
check(f, "1", (lambda: L.__setitem__(0, 2), "2"), (lambda: L.insert(0, 3), "3"))
""",
    "an entry of a dict": """
D = {"a": {"b": 1}}
@cute.jit
def f(): cute.printf("{}", D["a"]["b"])
check(f, "1", (lambda: D["a"].update(b=2), "2"), (lambda: D.update(a={"b": 3}), "3"))
""",
    "the variables of a decorated function": """
import contextlib
G = 1
def wrapped(f):
    @functools.wraps(f)
    def inner(): return f()
    return inner
@contextlib.contextmanager
def context(): yield G
@wrapped
def both():
    with context() as g: return g
@cute.jit
def f(): cute.printf("{}", both())
def change(): globals().update(G=2)
check(f, "1", (change, "2"))
""",
    "the order of a dict": """
D = {"a": 1, "b": 2}
@cute.jit
def f(): cute.printf("{}", list(D.values())[0])
def change():
    D["a"] = D.pop("a")
check(f, "1", (change, "2"))
""",
    "a global of a called function": """
G = 1
def inner(): return G
def outer(): return inner()
@cute.jit
def f(): cute.printf("{}", outer())
def change(): globals().update(G=2)
check(f, "1", (change, "2"))
""",
    "a called function": """
def inner(): return 1
@cute.jit
def f(): cute.printf("{}", inner())
def change():
    def inner(): return 2
    globals().update(inner=inner)
def code():
    def other(): return 3
    inner.__code__ = other.__code__
check(f, "1", (change, "2"), (code, "3"))
""",
    "a global of a called jit function": """
G = 1
@cute.jit
def inner(): cute.printf("{}", G)
@cute.jit
def f(): inner()
def change(): globals().update(G=2)
check(f, "1", (change, "2"))
""",
    "a global of a kernel": """
G = 1
y = torch.zeros(1, device="cuda")
@cute.kernel
def k(y: cute.Tensor): y[0] = cutlass.Float32(G)
@cute.jit
def g(y: cute.Tensor): k(y).launch(grid=1, block=1)
def f():
    g(y)
    print(int(y))
def change(): globals().update(G=2)
check(f, "1", (change, "2"))
""",
    "an attribute of a module": """
settings = types.ModuleType("settings")
settings.tile = types.ModuleType("settings.tile")
settings.tile.m = 1
@cute.jit
def f(): cute.printf("{}", settings.tile.m)
check(f, "1", (lambda: setattr(settings.tile, "m", 2), "2"))
""",
    "an attribute of a class": """
class Config:
    n = 1
@cute.jit
def f(): cute.printf("{}", Config.n)
check(f, "1", (lambda: setattr(Config, "n", 2), "2"))
""",
    "an attribute of a base class": """
class Base:
    n = 1
class Config(Base): pass
@cute.jit
def f(): cute.printf("{}", Config().n)
check(f, "1", (lambda: setattr(Base, "n", 2), "2"), (lambda: setattr(Config, "n", 3), "3"))
""",
    "a method": """
class Config:
    def n(self): return 1
c = Config()
@cute.jit
def f(): cute.printf("{}", c.n())
check(f, "1", (lambda: setattr(Config, "n", lambda self: 2), "2"), (lambda: setattr(c, "n", lambda: 3), "3"))
""",
    "a property's variable": """
G = 1
class Config:
    @property
    def n(self): return G
c = Config()
@cute.jit
def f(): cute.printf("{}", c.n)
def change(): globals().update(G=2)
check(f, "1", (change, "2"))
""",
    "a default argument": """
@cute.jit
def f(n: cutlass.Constexpr = 1): cute.printf("{}", n)
def change(): f.function.__defaults__ = (2,)
check(f, "1", (change, "2"))
""",
    "a list that is a default argument": """
L = [1]
@cute.jit
def f(n: cutlass.Constexpr = L): cute.printf("{}", n[0])
check(f, "1", (lambda: L.__setitem__(0, 2), "2"))
""",
    "a field of a dataclass": """
@dataclasses.dataclass
class Config:
    n: int = 1
c = Config()
@cute.jit
def f(): cute.printf("{}", c.n)
check(f, "1", (lambda: setattr(c, "n", 2), "2"))
""",
    "the variables of a lambda that is compiled in": """
G = 1
@cute.jit
def f(op: cutlass.Constexpr): cute.printf("{}", op())
op = lambda: G
def change(): globals().update(G=2)
check(lambda: f(op), "1", (change, "2"))
""",
    "a partial": """
L = [1]
def inner(x): return x[0]
P = functools.partial(inner, L)
@cute.jit
def f(): cute.printf("{}", P())
check(f, "1", (lambda: L.__setitem__(0, 2), "2"))
""",
    "a name that hides a builtin": """
@cute.jit
def f(): cute.printf("{}", max(1, 0))
def change(): globals().update(max=lambda a, b: 2)
check(f, "1", (change, "2"))
""",
    "the sign of a zero": """
Z = 0.0
@cute.jit
def f(): cute.printf("{}", 1 if str(Z) == "0.0" else 2)
def change(): globals().update(Z=-0.0)
check(f, "1", (change, "2"))
""",
    "a number's type": """
Z = 1
@cute.jit
def f(): cute.printf("{}", 1 if isinstance(Z, int) else 2)
def change(): globals().update(Z=1.0)
check(f, "1", (change, "2"))
""",
}


@pytest.mark.parametrize("what", MUTATIONS)
def test_a_change_is_seen(tmp_path, what):
    good(MUTATIONS[what], tmp_path)


ARGUMENTS = """
@cute.jit
def f(x: cute.Tensor):
    cute.printf("{} {}", str(x.element_type), str(x.layout) + " " + str(x.iterator.alignment))

x = torch.zeros(8, 8)
base = torch.zeros(65)
def value(call, traced):
    text, count = said(call)
    assert count == traced, (text, count)
    assert said(call) == (text, 0)
    return text
seen = [value(lambda: f(x), 1)]
assert value(lambda: f(torch.zeros(4, 16)), 0) == seen[0]                 # extents are run-time values
seen.append(value(lambda: f(x.to(torch.float16)), 1))                     # type
seen.append(value(lambda: f(x.t()), 1))                                   # the mode of stride 1
seen.append(value(lambda: f(x[:1].expand(8, 8)), 1))                      # a stride of 0
seen.append(value(lambda: f(torch.zeros(8)), 1))                          # rank
seen.append(value(lambda: f(base[1:].view(8, 8)), 1))                     # alignment
seen.append(value(lambda: f(from_dlpack(x)), 1))                          # static extents
seen.append(value(lambda: f(from_dlpack(torch.zeros(4, 8))), 1))          # other ones
seen.append(value(lambda: f(from_dlpack(x, assumed_align=16)), 1))
seen.append(value(lambda: f(from_dlpack(x).mark_compact_shape_dynamic(0)), 1))
assert len(set(seen)) == len(seen), seen
assert value(lambda: f(x), 0) == seen[0]
assert value(lambda: f(torch.zeros(2, 8).numpy()), 0) == seen[0]
assert value(lambda: f(torch.nn.Parameter(x)), 0) == seen[0]
p = from_dlpack(torch.zeros(8, 8))
assert value(lambda: f(p), 0) == seen[6]
p.mark_layout_dynamic()
assert value(lambda: f(p), 0) == seen[5]                                    # dynamic, of alignment 4
"""


def test_arguments_choose_the_trace(tmp_path):
    good(ARGUMENTS, tmp_path)


def test_numbers_choose_the_trace(tmp_path):
    good("""
@cute.jit
def f(n, m: cutlass.Int64 = 3): cute.printf("{} {}", str(n.dtype if hasattr(n, "dtype") else type(n)), n)

assert [said(lambda: f(v))[1] for v in (1, 2, 3)] == [1, 0, 0]
assert said(lambda: f(7))[0].endswith("7")
assert said(lambda: f(1 << 40))[1] == 1 and said(lambda: f(1 << 41)) == (said(lambda: f(1 << 41))[0], 0)
assert said(lambda: f(1.5))[1] == 1 and said(lambda: f(2.5))[0].endswith("2.500000")
assert said(lambda: f(True))[1] == 1 and said(lambda: f(False))[1] == 0
assert said(lambda: f(-1))[0].endswith("-1")
assert said(lambda: f(5, 6))[1] == 0 and said(lambda: f(5, m=6))[1] == 0
""", tmp_path)


def test_constants_choose_the_trace(tmp_path):
    good("""
@cute.jit
def f(c: cutlass.Constexpr, x: int): cute.printf("{} {}", c, x)

assert [said(lambda: f(c, 1)) for c in (1, 2, 1, 2)] == [("1 1", 1), ("2 1", 1), ("1 1", 0), ("2 1", 0)]
assert said(lambda: f(x=5, c=2)) == ("2 5", 0) and said(lambda: f(2, x=6)) == ("2 6", 0)
assert said(lambda: f(True, 1))[1] == 1 and said(lambda: f(1.0, 1))[1] == 1
""", tmp_path)


ALWAYS = {
    "print": ("""
@cute.jit
def f(): print("traced")
""", "calls print", "traced"),
    "a global that is assigned": ("""
N = 0
def count():
    global N
    N += 1
    return N
@cute.jit
def f(): cute.printf("{}", count())
""", "assigns the global variable N", None),
    "a change of self": ("""
class Model:
    n = 0
    @cute.jit
    def run(self):
        self.n += 1
        cute.printf("{}", self.n)
m = Model()
f = lambda: m.run()
""", "changes what it reads", None),
    "a random number": ("""
import random
@cute.jit
def f(): cute.printf("{}", random.randint(0, 1 << 30))
""", "module random|random", None),
    "a class of the library that reads the clock": ("""
from datetime import datetime
@cute.jit
def f(): cute.printf("{}", datetime.now().microsecond + 1000000 * (datetime.now().second))
""", "uses datetime.datetime", None),
    "a class of the library that reads files": ("""
import pathlib
n, path = 0, __file__ + ".count"
@cute.jit
def f(): cute.printf("{}", int(pathlib.Path(path).read_text()))
def g(inner=f):
    global n
    n += 1
    pathlib.Path(path).write_text(str(n))
    inner()
f = g
""", "uses pathlib", None),
    "a generator of random numbers": ("""
from random import Random
@cute.jit
def f(): cute.printf("{}", Random().randint(0, 1 << 30))
""", "uses random.Random", None),
    "print of builtins": ("""
import builtins
@cute.jit
def f(): builtins.print("traced")
""", "calls print", "traced"),
    "an iterator": ("""
it = iter(range(100))
@cute.jit
def f(): cute.printf("{}", next(it))
""", "range_iterator", None),
}


@pytest.mark.parametrize("what", ALWAYS)
def test_what_cannot_be_compared_is_traced_each_time(tmp_path, what):
    source, reason, same = ALWAYS[what]
    done = good(source + """
answers = [said(f) for _ in range(5)]
assert [count for _, count in answers] == [1] * 5, answers
values = {text for text, _ in answers}
assert len(values) == (1 if SAME else 5), answers
""".replace("SAME", repr(bool(same))), tmp_path, CUTWORK_LOG="info")
    assert any(part in done.stderr for part in reason.split("|")), done.stderr
    assert done.stderr.count("traced at each call") == 1  # said once


def test_results_and_no_cache(tmp_path):
    good("""
@cute.jit
def f(n: cutlass.Constexpr): return n + 1
assert [f(1), f(1), f(2)] == [2, 2, 3]
before = traces
assert f(1, no_cache=True) == 2 and traces == before + 1
""", tmp_path)


def test_structures_are_remembered(tmp_path):
    good("""
@dataclasses.dataclass
class Pair:
    a: int
    t: tuple

@cute.jit
def f(p: Pair, x: tuple): cute.printf("{} {} {}", p.a, p.t[0], x[1])
check(lambda: f(Pair(1, (2,)), (3, 4)), "1 2 4")
assert said(lambda: f(Pair(5, (6,)), (7, 8))) == ("5 6 8", 0)
assert said(lambda: f(Pair(5, (6, 7)), (7, 8)))[1] == 1
""", tmp_path)


COMPILED = """
@cute.jit
def host(x: cute.Tensor, n: int, y: cute.Tensor): cute.printf("{} {} {}", x[0, 0], n, y[0, 0])
slow = 0
class Slow(jit_.CompiledFunction): pass
old = jit_.CompiledFunction._slow_call
def counted(self, *a, **k):
    global slow
    slow += 1
    return old(self, *a, **k)
jit_.CompiledFunction._slow_call = counted
one, two = torch.ones(4, 4), torch.full((4, 4), 2.0)
f = cute.compile(host, one, 1, two)
"""


def test_a_compiled_function_is_called_by_cpp(tmp_path):
    good(COMPILED + """
assert said(lambda: f(one, 5, two)) == ("1.000000 5 2.000000", 0)
assert said(lambda: f(two, n=6, y=one)) == ("2.000000 6 1.000000", 0)
assert said(lambda: f(y=two, x=one, n=7)) == ("1.000000 7 2.000000", 0)
p = from_dlpack(two)
for _ in range(2): assert said(lambda: f(one, True, p))[0] == "1.000000 1 2.000000"
assert slow == 1, slow   # a prepared tensor's array is made by Python
g = one.clone().requires_grad_()
assert said(lambda: f(g, 5, torch.nn.Parameter(two))) == ("1.000000 5 2.000000", 0) and slow == 1
assert said(lambda: f(one.numpy(), 5, two)) == ("1.000000 5 2.000000", 0) and slow == 2
""", tmp_path)


def test_a_call_that_does_not_fit_says_which_argument(tmp_path):
    good(COMPILED + """
def refused(kind, *arguments, **keywords):
    try:
        f(*arguments, **keywords)
    except kind as error:
        return str(error)
    raise AssertionError("it was called")
assert "argument x" in refused(ValueError, one.half(), 1, two) and "float16" in refused(ValueError, one.half(), 1, two)
assert "rank" in refused(ValueError, one, 1, two[0]) and "argument y" in refused(ValueError, one, 1, two[0])
assert "alignment of 16" in refused(ValueError, torch.ones(17)[1:].view(4, 4), 1, two)
assert "stride 1 is 4" in refused(ValueError, one.t(), 1, two)
assert "argument n" in refused(ValueError, one, 1 << 40, two)
assert "argument x" in refused(TypeError, "text", 1, two)
assert "missing" in refused(TypeError, one, 1) and "many" in refused(TypeError, one, 1, two, 3)
assert "unexpected" in refused(TypeError, one, 1, two, z=two)
""", tmp_path)


def test_an_error_of_the_call_is_raised_by_cpp(tmp_path):
    good("""
@cute.kernel
def k(n: cutlass.Int32): cute.arch.sync_threads()
@cute.jit
def host(n: cutlass.Int32): k(n).launch(grid=1, block=n)
f = cute.compile(host, 32)
f(32)
for call in (f, host, host):
    try:
        call(100000)
    except cutlass.cute.core.__class__ if False else Exception as error:
        assert type(error).__name__ in ("UserError", "DeviceError"), type(error)
        assert "100000" in str(error), error
    else:
        raise AssertionError
f(32)
""", tmp_path)


def test_threads_call_at_once(tmp_path):
    good("""
import threading
G = 1
@cute.jit
def f(n: int): return G + 1
wrong = []
def work():
    for i in range(300):
        if f(i) not in (2, 3): wrong.append(i)
threads = [threading.Thread(target=work) for _ in range(4)]
[t.start() for t in threads]
G = 2
[t.join() for t in threads]
assert not wrong and f(1) == 3
""", tmp_path)


def test_functions_are_freed(tmp_path):
    good("""
import gc, weakref
def make():
    value = [1]
    @cute.jit
    def f(): return value[0]
    assert f() == 1 and f() == 1
    value.append(f)
    return weakref.ref(f)
refs = [make() for _ in range(20)]
gc.collect()
assert not any(r() for r in refs), "kept"
""", tmp_path)


def test_the_stream_of_the_environment_is_no_argument(tmp_path):
    good("""
from cutlass.cute.runtime import make_fake_stream
@cute.jit
def host(n: cutlass.Int32, stream, m: cutlass.Int32): cute.printf("{} {}", n, m)
f = cute.compile(host, 1, make_fake_stream(use_tvm_ffi_env_stream=True), 2, options="--enable-tvm-ffi")
assert said(lambda: f(3, 4)) == ("3 4", 0) and said(lambda: f(n=3, m=5)) == ("3 5", 0)
assert said(lambda: f(cutlass.Int32(6), 7)) == ("6 7", 0)   # by way of Python
g = cute.compile(host, 1, make_fake_stream(), 2)
assert said(lambda: g(3, 0, 4)) == ("3 4", 0) and said(lambda: g(3, None, 4)) == ("3 4", 0)
""", tmp_path)


def test_bound_methods_and_constants_by_identity(tmp_path):
    good("""
class Model:
    def __init__(self, n): self.n = n
    @cute.jit
    def __call__(self, x: int, k: cutlass.Constexpr = (1, 2)): cute.printf("{} {} {}", self.n, x, k[1])
a, b = Model(1), Model(2)
assert said(lambda: a(5)) == ("1 5 2", 1) and said(lambda: b(5)) == ("2 5 2", 1)
assert said(lambda: a(6)) == ("1 6 2", 0) and said(lambda: b(6)) == ("2 6 2", 0)
assert said(lambda: a(6, (3, 4))) == ("1 6 4", 1)
""", tmp_path)


def test_functions_of_one_text_check_what_they_were_compiled_for(tmp_path):
    good("""
@cute.jit
def f(x: cute.Tensor): cute.printf("called")   # nothing of x is in the program
small, large = from_dlpack(torch.zeros(4)), from_dlpack(torch.zeros(8))
for make in (lambda x: cute.compile(f, x), lambda x: f):
    for x, other in ((small, large), (large, small)):
        g = make(x)
        assert said(lambda: g(x))[0] == "called"
g = cute.compile(f, small)
try:
    g(large)
except ValueError as error:
    assert "extent 0 is 8; the function was compiled for 4" in str(error), error
else:
    raise AssertionError
""", tmp_path)


def test_random_changes_give_what_a_fresh_trace_gives(tmp_path):
    good("""
import random
G, L, D = 1, [1, 2], {"a": 1}
class Inner: n = 1
class Model:
    n = 1
    def __init__(self): self.m, self.inner = 1, Inner()
    def total(self): return self.n + self.m + self.inner.n
    @cute.jit
    def run(self, x: int): cute.printf("{} {} {} {} {}", self.total(), str(G), str(L), str(sorted(D.items())), helper() + x)
def make():
    cell = 1
    def helper(k=1): return cell + k
    def change(v):
        nonlocal cell
        cell = v
    return helper, change
helper, change_cell = make()
m = Model()
CHANGES = [
    lambda v: globals().update(G=v), lambda v: L.__setitem__(0, v), lambda v: L.append(v) if len(L) < 4 else L.clear() or L.append(v),
    lambda v: D.update(a=v), lambda v: D.pop("b", None) or D.update(b=v), change_cell,
    lambda v: setattr(helper, "__defaults__", (v,)), lambda v: setattr(m, "m", v), lambda v: setattr(m, "n", v),
    lambda v: setattr(Model, "n", v), lambda v: setattr(m.inner, "n", v), lambda v: setattr(Inner, "n", v),
    lambda v: setattr(m, "inner", Inner()), lambda v: setattr(Model, "total", lambda self: self.m * v),
    lambda v: globals().update(L=[v]), lambda v: globals().update(D={"a": v}), lambda v: None,
    lambda v: globals().update(G=float(v)), lambda v: globals().update(G=bool(v % 2)),
]
choose, known = random.Random(5), 0
for step in range(250):
    choose.choice(CHANGES)(choose.randrange(3))
    got, count = said(lambda: m.run(step))
    assert got == said(lambda: m.run(step, no_cache=True))[0], (step, got)
    assert said(lambda: m.run(step)) == (got, 0), step      # nothing changed since
    known += count == 0
assert known > 5, known                                     # some changes change nothing
""", tmp_path)


def test_calls_are_fast(tmp_path):
    good("""
import time
@cute.jit
def host(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, n: int, k: cutlass.Constexpr = 2): pass
a, b, c = (torch.zeros(16) for _ in range(3))
compiled = cute.compile(host, a, b, c, 1)
host(a, b, c, 1)
def microseconds(call):
    best = float("inf")
    for _ in range(200):
        start = time.perf_counter()
        for _ in range(100): call()
        best = min(best, (time.perf_counter() - start) / 100 * 1e6)
    return best
first, again = microseconds(lambda: compiled(a, b, c, 2)), microseconds(lambda: host(a, b, c, 2))
print(first, again)
# Both are below a microsecond on a machine with nothing else to do.
assert first < 5 and again < first + 5, (first, again)
""", tmp_path)
