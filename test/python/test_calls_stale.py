# test_calls_stale.py -- repeated calls of @jit functions: ways to change what a trace read that are easily missed. Each must show.
import pytest
from test_calls import good

# `f` is called, then change() is, then `f` again; `first` and `second` are what the two calls print.
CASES = {
    "dsl_user_op": ("""
from cutlass.cutlass_dsl import dsl_user_op
S = 2
@dsl_user_op
def op(n, *, loc=None, ip=None): return n * S
@cute.jit
def f(): cute.printf("{}", op(3))
def change(): globals().update(S=5)
""", "6", "15"),
    "a function in wraps": ("""
import functools
S = 2
def inner(n): return n * S
@functools.wraps(inner)
def outer(n): return outer.__wrapped__(n)
@cute.jit
def f(): cute.printf("{}", outer(3))
def change(): globals().update(S=5)
""", "6", "15"),
    "an attribute of a decorated function": ("""
@cute.jit
def f(): cute.printf("{}", f.scale)
f.scale = 2
def change(): f.scale = 5
""", "2", "5"),
    "an attribute that a decorated function gets": ("""
@cute.jit
def f(): cute.printf("{}", getattr(f, "scale", 2))
def change(): f.scale = 5
""", "2", "5"),
    "an attribute that a function gets": ("""
def h(): pass
@cute.jit
def f(): cute.printf("{}", getattr(h, "scale", 2))
def change(): h.scale = 5
""", "2", "5"),
    "a method made by exec": ("""
exec("S = 2\\nclass C:\\n    def k(self): return S\\nc = C()")
@cute.jit
def f(): cute.printf("{}", c.k())
def change(): globals().update(S=5)
""", "2", "5"),
    "a private slot": ("""
class C:
    __slots__ = ("__k",)
    def __init__(self): self.__k = 2
    def set(self, k): self.__k = k
    def get(self): return self.__k
c = C()
@cute.jit
def f(): cute.printf("{}", c.get())
def change(): c.set(5)
""", "2", "5"),
    "a method of an enumeration": ("""
import enum
S = 2
class E(enum.Enum):
    A = 1
    def k(self): return S
@cute.jit
def g(m: cutlass.Constexpr): cute.printf("{}", m.k())
f = lambda: g(E.A)
def change(): globals().update(S=5)
""", "2", "5"),
    "a metaclass": ("""
class M(type): k = 2
class C(metaclass=M): pass
@cute.jit
def f(): cute.printf("{}", C.k)
def change(): M.k = 5
""", "2", "5"),
    "a dict with slots": ("""
class D(dict): __slots__ = ()
d = D(k=2)
@cute.jit
def f(): cute.printf("{}", d["k"])
def change(): d["k"] = 5
""", "2", "5"),
    "a list in a tuple's subclass": ("""
class T(tuple): pass
t = T(([2],))
@cute.jit
def f(): cute.printf("{}", t[0][0])
def change(): t[0][0] = 5
""", "2", "5"),
    "a deque": ("""
import collections
q = collections.deque([2])
@cute.jit
def f(): cute.printf("{}", q[0])
def change(): q[0] = 5
""", "2", "5"),
    "a tensor of the simulated device": ("""
x = torch.tensor([2], device="cuda")
@cute.jit
def f(): cute.printf("{}", int(x[0]))
def change(): x[0] = 5
""", "2", "5"),
    "constants of subclasses that are equal": ("""
class I(int): pass
a, b = I(3), I(3)
a.k, b.k = 2, 5
current = a
@cute.jit
def g(c: cutlass.Constexpr): cute.printf("{}", c.k)
f = lambda: g(current)
def change(): globals().update(current=b)
""", "2", "5"),
    "defaults of a helper": ("""
def g(n, k=2): return n * k
gj = cute.jit(g)
@cute.jit
def f(): cute.printf("{}", gj(3))
def change(): g.__defaults__ = (5,)
""", "6", "15"),
    "code of a helper": ("""
def g(n): return n * 2
def g2(n): return n * 5
gj = cute.jit(g)
@cute.jit
def f(): cute.printf("{}", gj(3))
def change(): g.__code__ = g2.__code__
""", "6", "15"),
    "a parameter called no_cache": ("""
value = False
@cute.jit
def g(no_cache: cutlass.Constexpr = False): cute.printf("{}", 5 if no_cache else 2)
f = lambda: g(no_cache=value)
def change(): globals().update(value=True)
""", "2", "5"),
}


@pytest.mark.parametrize("what", CASES)
def test_a_change_is_never_missed(tmp_path, what):
    source, first, second = CASES[what]
    good(source + f"""
assert said(f)[0] == {first!r} == said(f)[0], said(f)
change()
assert said(f)[0] == {second!r} == said(f)[0], said(f)
""", tmp_path)


EFFECTS = {
    "print by another name": "log = print\n@cute.jit\ndef f(): log('traced')",
    "print in a class": "class Cfg: log = print\n@cute.jit\ndef f(): Cfg.log('traced')",
    "print in a dict": "names = {1: print}\n@cute.jit\ndef f(): names[1]('traced')",
    "an outer variable": """
def make():
    seen = 0
    @cute.jit
    def f():
        nonlocal seen
        seen = 1
    def call():
        nonlocal seen
        seen = 0
        f()
        print("traced" if seen else "not traced")
    return call
f = make()""",
}


@pytest.mark.parametrize("what", EFFECTS)
def test_effects_happen_at_each_call(tmp_path, what):
    good(EFFECTS[what] + "\nassert [said(f)[0] for _ in range(3)] == ['traced'] * 3", tmp_path)


def test_structures_arrive_as_they_are(tmp_path):
    good("""
import collections, dataclasses

@dataclasses.dataclass
class P:
    n: int
    extra: int = dataclasses.field(default=0, init=False)
    def __post_init__(self): self.n += 1

class L(list): tag = "class"
class D(collections.OrderedDict): tag = "class"

@cute.jit
def f(p): cute.printf("{} {} {}", p.n, p.extra, getattr(p, "more", 1))
@cute.jit
def g(items: list): cute.printf("{} {}", items[0], str(items.tag))
@cute.jit
def h(items: dict): cute.printf("{} {}", items["a"], str(items.tag))
@cute.jit
def o(items: dict): items.move_to_end("a"); cute.printf("{}", str(list(items)))

p = P(1)
p.extra = 7
assert said(lambda: f(p))[0] == "2 7 1" == said(lambda: f(p))[0]
p.n = 5
assert said(lambda: f(p)) == ("5 7 1", 0)
p.more = 9
assert said(lambda: f(p))[0] == "5 7 9"
items = L([3])
assert said(lambda: g(items))[0] == "3 class"
items.tag = "mine"
assert said(lambda: g(items))[0] == "3 mine"
items = D(a=3)
items.tag = "mine"
assert said(lambda: h(items))[0] == "3 mine"
assert said(lambda: o(collections.OrderedDict(a=1, b=2)))[0] == "['b', 'a']"
""", tmp_path)


def test_negated_views_are_refused(tmp_path):
    good("""
x = torch.complex(torch.arange(4.), torch.arange(1., 5.)).conj().imag
@cute.jit
def f(x: cute.Tensor): cute.printf("{}", x[0])
try:
    f(x)
except ValueError as error:
    assert "resolve_neg" in str(error)
else:
    raise AssertionError("accepted")
assert said(lambda: f(x.resolve_neg()))[0] == "-1.000000"
""", tmp_path)
