# test_calls_state.py -- whatever a trace can read and the program changes: a repeated call gives what a fresh process gives.
"""Programs of many small functions are made at random. In one process each function is called, its state is changed, and it is
called again; in another, which remembers nothing, the state is changed before the first call. Both must print the same."""
import json

from hypothesis import HealthCheck, given, settings, strategies as st
from test_calls import good, run

# name: (what is defined, what is read, how it is changed, how that is undone). @ is the number of the function; A, B are integers.
STATE = {
    "a global": ("g@ = A", "g@", "globals().update(g@=B)", ""),
    "a list": ("l@ = [0, [A]]", "l@[1][0]", "l@[1][0] = B", ""),
    "a list's length": ("l@ = [0] * A", "len(l@)", "l@[:] = [0] * B", ""),
    "a dict": ("d@ = {'x': {'y': A}}", "d@['x']['y']", "d@['x']['y'] = B", ""),
    "a dict's keys": ("d@ = {1: A, 2: B}", "next(iter(d@.values()))", "d@[1] = d@.pop(1)", ""),
    "keys that are equal": ("d@ = {1: A}", "(A if next(iter(d@)) is True else B)", "d@.pop(1); d@[True] = A", ""),
    "a default": ("def h@(k=A): return k", "h@()", "h@.__defaults__ = (B,)", ""),
    "a keyword's default": ("def h@(*, k=A): return k", "h@()", "h@.__kwdefaults__ = {'k': B}", ""),
    "a code": ("def h@(): return A\ndef o@(): return B", "h@()", "h@.__code__ = o@.__code__", ""),
    "a closure": ("def m@(k):\n    def get(): return k\n    def put(v):\n        nonlocal k\n        k = v\n    return get, put\nget@, put@ = m@(A)",
                  "get@()", "put@(B)", ""),
    "a field": ("class C@: pass\nc@ = C@()\nc@.k = A", "c@.k", "c@.k = B", ""),
    "a slot": ("class C@: __slots__ = ('k',)\nc@ = C@()\nc@.k = A", "c@.k", "c@.k = B", ""),
    "a class": ("class C@: k = A", "C@.k", "C@.k = B", ""),
    "a base class": ("class P@: k = A\nclass C@(P@): pass", "C@().k", "P@.k = B", ""),
    "an object's class": ("class P@: k = A\nclass C@: k = B\nc@ = P@()", "c@.k", "c@.__class__ = C@", ""),
    "a class's bases": ("class P@: k = A\nclass Q@: k = B\nclass C@(P@): pass", "C@().k", "C@.__bases__ = (Q@,)", ""),
    "a property": ("class C@:\n    k = property(lambda self: A)", "C@().k", "C@.k = property(lambda self: B)", ""),
    "a function of math": ("", "math.gcd(A, 0)", "math.gcd = lambda a, b: B", "math.gcd = gcd"),
    "a function of math, imported in the helper": ("def h@():\n    import math as m\n    return m.gcd(A, 0)", "h@()", "math.gcd = lambda a, b: B",
                                                   "math.gcd = gcd"),
    "a function of math, by its name": ("", "getattr(math, 'g' + 'cd')(A, 0)", "math.gcd = lambda a, b: B", "math.gcd = gcd"),
    "a function of cute": ("", "cute.ceil_div(A, 1)", "cute.ceil_div = lambda a, b: B", "cute.ceil_div = ceil_div"),
    "a patch that reads a global": ("g@ = A\nmath.lcm@ = lambda *_: g@", "math.lcm@(1)", "globals().update(g@=B)", ""),
    "a factory of a dataclass": ("g@ = A\n@dataclasses.dataclass\nclass C@:\n    k: list = dataclasses.field(default_factory=lambda: [g@])",
                                 "C@().k[0]", "globals().update(g@=B)", ""),
    "a default of a dataclass with slots": ("class V@: k = A\n@dataclasses.dataclass(slots=True)\nclass C@:\n    v: object = V@", "C@().v.k",
                                            "V@.k = B", ""),
    "the context of decimal": ("", "len(str(decimal.Decimal(1) / 7))", "decimal.getcontext().prec = B + 1", "decimal.getcontext().prec = 28"),
    "an attribute of a function": ("def h@(): return h@.k\nh@.k = A", "h@()", "h@.k = B", ""),
    "a partial": ("class V@: k = A\nh@ = functools.partial(getattr, V@, 'k')", "h@()", "V@.k = B", ""),
}
# How the function reads it: (what is defined, what it calls), $ is what is read.
WAYS = (("", "$"), ("def w@(): return $", "w@()"), ("w@ = [lambda: $]", "w@[0]()"), ("@cute.jit\ndef w@(): return $", "w@()"),
        ("class W@:\n    def m(self): return self.n()\n    def n(self): return $", "W@().m()"), ("w@ = {'f': (lambda: $,)}", "w@['f'][0]()"))

MAIN = """
import json
results = []
for change, undo, f in CASES:
    before = None if FRESH else said(f)[0]
    change()
    results.append((before, said(f)[0]))
    undo()
print("RESULTS" + json.dumps(results))
"""


def program(cases, fresh):
    text = ["import decimal, math", "gcd, ceil_div = math.gcd, cute.ceil_div", f"FRESH = {fresh}"]
    listed = []
    for number, (name, way, a, b) in enumerate(cases):
        state, read, change, undo = STATE[name]
        helper, call = WAYS[way]
        lines = [state, helper.replace("$", read), f'@cute.jit\ndef f@(): cute.printf("{{}}", {call.replace("$", read)})',
                 f"def change@():\n    {change}", f"def undo@():\n    {undo or 'pass'}"]
        text += [line.replace("@cute", "\0").replace("@dataclasses", "\1").replace("@", str(number)).replace("\0", "@cute").replace(
            "\1", "@dataclasses").replace("A", str(a)).replace("B", str(b)) for line in lines]
        listed.append(f"(change{number}, undo{number}, f{number})")
    return "\n".join(text) + f"\nCASES = [{', '.join(listed)}]" + MAIN


def results(cases, fresh, folder):
    done = run(program(cases, fresh), folder, **({"CUTE_DSL_NO_CACHE": "1"} if fresh else {}))
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.split("RESULTS")[1])


def check(cases, folder):
    told, fresh = results(cases, False, folder), results(cases, True, folder)
    for case, (before, after), (_, expected) in zip(cases, told, fresh):
        assert after == expected, f"{case}: {before}, then {after}, and {expected} in a process that remembers nothing"
        assert before != expected, f"{case}: the change is none"


def test_each_kind_of_state(tmp_path):
    check([(name, number % len(WAYS), 2, 5) for number, name in enumerate(STATE)], tmp_path)


case = st.tuples(st.sampled_from(sorted(STATE)), st.integers(0, len(WAYS) - 1), st.integers(1, 9), st.integers(11, 19))


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(case, min_size=8, max_size=16))
def test_random_changes_are_as_in_a_fresh_process(tmp_path, cases):
    check(cases, tmp_path)


EDITED = """
import importlib, os, pathlib, sys, time
sys.path.insert(0, str(pathlib.Path(__file__).parent))
file = pathlib.Path(__file__).parent / "edited.py"
OLD = '''import cutlass.cute as cute
@cute.jit
def f(n: int):
    if n > 0:
        cute.printf("old {}", n)
def plain(n: int):
    if n > 0:
        cute.printf("old plain {}", n)
def make():
    @cute.jit
    def inner(n: int):
        if n > 0:
            cute.printf("old inner {}", n)
    return inner
'''
def edit(text, module="edited"):
    file.with_stem(module).write_text(text)
    sys.dont_write_bytecode = True
    importlib.invalidate_caches()
edit(OLD)
import edited
edit(OLD.replace("old", "new"))
"""


def test_a_file_that_is_edited_before_the_first_call(tmp_path):
    good(EDITED + """
# What was imported runs: of a text that was kept when f was decorated, which is that of all of the file.
assert said(lambda: edited.f(1))[0] == "old 1"
assert said(lambda: cute.compile(edited.plain, 1)(2))[0] == "old plain 2"
assert said(lambda: edited.make()(3))[0] == "old inner 3"
importlib.reload(edited)
assert said(lambda: edited.f(1))[0] == "new 1" and said(lambda: edited.make()(3))[0] == "new inner 3"
# Nothing was decorated when the file was imported, so that no text was kept: refused.
edit(OLD[OLD.index("def plain"):].replace("def plain", "import cutlass.cute as cute\\ndef plain", 1), "late")
import late
edit(OLD[OLD.index("def plain"):].replace("def plain", "import cutlass.cute as cute\\ndef plain", 1).replace("old", "new"), "late")
for call in (lambda: cute.compile(late.plain, 1), lambda: late.make()(1)):
    try:
        call()
    except OSError as error:
        assert "has been edited since it was imported" in str(error), error
    else:
        raise AssertionError("the new text was traced")
importlib.reload(late)
assert said(lambda: cute.compile(late.plain, 1)(2))[0] == "new plain 2"
os.chdir("/")
""", tmp_path)
