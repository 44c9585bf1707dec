# test_decorators.py -- what @cute.jit and @cute.kernel take, and copies of what they give.
import subprocess
import sys

from test_language_python import ENVIRONMENT, HEAD

HEAD += """
import copy, functools, pickle

def raises(call, kind, *texts):
    try:
        call()
    except kind as error:
        assert all(text in str(error) for text in texts), error
    else:
        raise AssertionError(texts)

def plain(n: cutlass.Int32):
    pass

@cute.jit
def host(n: cutlass.Int32):
    pass

@cute.kernel
def kernel(n: cutlass.Int32):
    pass

seen = []
class A:
    @staticmethod
    @cute.jit
    def s(n: cutlass.Int32):
        seen.append("s")
    @classmethod
    @cute.jit
    def c(cls, n: cutlass.Int32):
        seen.append(cls)
    @cute.jit
    def m(self, n: cutlass.Int32):
        seen.append(self)
    def __call__(self, n):
        pass
    def plain(self, n):
        pass
"""

DECORATED = """
for decorate, name in ((cute.jit, "jit"), (cute.kernel, "kernel")):
    for what, *texts in ((functools.partial(plain, 1), "functools.partial"), (A(), "an object of A", "__call__"), (A, "the class A"),
                         (staticmethod(plain), "a staticmethod", f"write @staticmethod above @cute.{name}"),
                         (classmethod(plain), f"write @classmethod above @cute.{name}"), (host, "host, which @cute.jit decorates already"),
                         (kernel, "kernel, which @cute.kernel decorates already"), (A().m, "m, which @cute.jit decorates"),
                         (A().plain, "the method A.plain of an object: decorate it in its class"), (len, "len, which is not written in Python"),
                         (5, "5 of type int"), ("f", "'f' of type str")):
        raises(lambda: decorate(what), TypeError, f"@cute.{name}: a function was expected, not ", *texts)
        raises(lambda: decorate(preprocess=True)(what), TypeError, *texts)
a = A()
A.s(1), a.s(2), A.c(1), a.m(1)
assert seen[0] == "s" and seen[-2:] == [A, a], seen
assert "JitFunction host" in repr(host) and "KernelFunction kernel" in repr(kernel)
"""

COPIED = """
for f in (host, kernel):
    assert copy.copy(f) is f and copy.deepcopy(f) is f and copy.deepcopy({"f": [f]})["f"][0] is f
    assert pickle.loads(pickle.dumps(f)) is f
assert pickle.loads(pickle.dumps(A.s)) is A.s
a = A()
assert copy.copy(a.m) == a.m and copy.deepcopy(a.m).instance is not a and isinstance(pickle.loads(pickle.dumps(a.m)).instance, A)
host_again, host.__qualname__ = host, "another"
raises(lambda: pickle.dumps(host), pickle.PicklingError, "another")
host.__qualname__ = "host"
compiled = cute.compile(host, 3)
assert copy.deepcopy([compiled])[0] is compiled and copy.copy(compiled) is compiled
for x in (cutlass.Int32(3), cutlass.Float32(2.5), cutlass.Boolean(True), cutlass.Uint64(2**64 - 1)):
    for made in (copy.copy(x), copy.deepcopy(x), copy.deepcopy([x])[0], pickle.loads(pickle.dumps(x))):
        assert type(made) is type(x) and made.value == x.value, made

@cute.jit
def inside(n: cutlass.Int32):
    assert copy.deepcopy({"n": n})["n"] is n
    raises(lambda: pickle.dumps(n), TypeError, "known only at run time")

inside(4)
"""


def run(tmp_path, source):
    script = tmp_path / "script.py"
    script.write_text(HEAD + source)
    done = subprocess.run([sys.executable, "-m", "cutwork", script], env=ENVIRONMENT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_is_no_function_is_refused_where_it_is_decorated(tmp_path):
    run(tmp_path, DECORATED)


def test_copies(tmp_path):
    run(tmp_path, COPIED)
