# test_rewriter_source.py -- where source comes from, and what the rewritten function keeps of the old one.

import inspect
import linecache
import os
import pathlib
import subprocess
import sys
import textwrap
import threading
import traceback

import pytest
from rewriter_backend import agree, rewrite, stage
from test_rewriter_random import define

from cutwork._staging import SourceNotAvailable, StagingError

PYTHON = pathlib.Path(__file__).resolve().parents[2] / "build/python"


def passing(function):
    return function


GLOBAL = 3


@passing
@passing
def decorated(x: int, y: "int" = 4, *rest, key: float = 2.5, **more) -> int:
    """What it does."""
    total = y + key + GLOBAL
    for value in rest:
        total += value
    if x > 2:
        total += len(more)
    return total


def test_what_is_kept():
    new = rewrite(decorated)
    assert new is not decorated
    for name in ("__name__", "__qualname__", "__module__", "__doc__", "__defaults__", "__kwdefaults__",
                 "__annotations__", "__globals__"):
        assert getattr(new, name) == getattr(decorated, name), name
    assert inspect.signature(new) == inspect.signature(decorated)
    assert inspect.getsourcefile(new) == __file__
    assert "def decorated" in inspect.getsource(new)
    assert new(5, 1, 2, 3, key=1, z=1) == decorated(5, 1, 2, 3, key=1, z=1)


def test_rewritten_is_given_back_and_code_is_remembered():
    def f(x):
        return x if x > 1 else -x

    one, two = rewrite(f), rewrite(f)
    assert one.__code__ is two.__code__
    assert rewrite(one) is one


def test_globals_and_closures_are_read_at_the_call():
    step = 1

    def f(x):
        total = x
        if x > 2:
            total += step + GLOBAL
        return total

    new = rewrite(f)
    step = 5
    assert new(3) == f(3) == 3 + 5 + GLOBAL


def test_lines_of_tracebacks():
    def f(x):
        if x > 0:
            for i in [1]:
                raise ValueError(
                    "here")

    first = f.__code__.co_firstlineno
    with pytest.raises(ValueError) as caught:
        rewrite(f)(1)
    frame = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (frame.filename, frame.lineno, frame.name) == (__file__, first + 3, "f")


def test_lines_of_nested_functions_and_decorated_ones():
    @passing
    def f(x):
        @passing
        def g(y):
            if y > 0:
                return 1 // 0
            return 0

        return g(x)

    with pytest.raises(ZeroDivisionError) as caught:
        rewrite(f)(1)
    frames = traceback.extract_tb(caught.value.__traceback__)[-2:]
    first = f.__code__.co_firstlineno
    assert [frame.lineno for frame in frames] == [first + 8, first + 5]


def test_text_that_cannot_be_dedented():
    class Holder:
        def method(self, x):
            text = """
no margin
  here"""
            if x > 1:
                text = """
no margin
  here"""
            return len(text) + x

    assert rewrite(Holder.method)(Holder(), 4) == Holder().method(4)


def test_functions_that_share_a_name_and_a_line():
    text = "def f(x):\n    return x + 1 if x > 2 else 0\n"
    one, two = define(text), define(text.replace("+ 1", "+ 2"))
    assert (rewrite(one)(3), rewrite(two)(3)) == (4, 5)


def test_exec_without_source():
    space = {}
    exec("def f(x):\n    return x\n", space)
    with pytest.raises(SourceNotAvailable, match=r"<string>:1: source not available for f: .*linecache"):
        rewrite(space["f"])


def test_source_that_changed():
    function = define("def f(x):\n    return x\n")
    file = function.__code__.co_filename
    linecache.cache[file] = (9, None, ["def g(y):\n", "    return y\n"], file)
    with pytest.raises(SourceNotAvailable, match="Has the file been changed"):
        rewrite(function)


def test_reserved_names():
    with pytest.raises(StagingError, match="the name '_cw_x' is used by the rewriter"):
        rewrite(define("def f(x):\n    _cw_x = x\n    return _cw_x\n"))


PROGRAM = """
import sys
sys.path.insert(0, {path!r})
from cutwork._rewriter import rewrite
def f(x):
    if x > 2:
        return 'large'
    return 'small'

try:
    print(rewrite(f)(3))
except OSError as error:
    print(error)
"""


def run(*arguments, text=None):
    done = subprocess.run([sys.executable, *arguments], input=text, capture_output=True, text=True, check=True)
    return done.stdout


def test_a_file(tmp_path):
    (tmp_path / "script.py").write_text(PROGRAM.format(path=str(PYTHON)))
    assert run(str(tmp_path / "script.py")) == "large\n"


def test_the_command_line_and_the_prompt():
    assert run("-c", PROGRAM.format(path=str(PYTHON))) == "large\n"
    output = run("-i", "-q", text=PROGRAM.format(path=str(PYTHON)) + "\n")  # no terminal, so no history
    assert "large\n" in output or "source not available for f" in output
    if sys.version_info < (3, 13):
        assert "Put the function in a file or a notebook" in output


def test_a_notebook_cell():
    # Notebooks register each cell with linecache under a name of their own.
    text = textwrap.dedent("""
        def f(x):
            total = 0
            for i in range(x):
                total += i
            return total
    """)
    agree(define(text), 0, 1, 5)


def test_private_names_and_closures_in_classes():
    extra = 2

    class Box:
        def __init__(self):
            self.__n = 1

        def get(self, x):
            __local = x
            if x > 2:
                __local += self.__n + extra
            pick = lambda __k: __k + self.__n  # noqa: E731
            return pick(__local), Box.__name__

    assert rewrite(Box.get)(Box(), 5) == Box().get(5)


def test_threads_rewrite_and_trace_apart():
    texts = [f"def f(x):\n    total = {i}\n    for k in range(x):\n        if k > {i}:\n            total += k\n"
             "    return total\n" for i in range(8)]
    shared = define("def f(x):\n    y = 0\n    while y < x:\n        y += 2\n    return y\n")
    failures = []

    def work(text):
        try:
            for _ in range(5):
                function = define(text)
                assert stage(function)(12) == function(12)
                assert stage(shared)(5) == 6
        except BaseException as error:  # reported by the main thread
            failures.append(error)

    threads = [threading.Thread(target=work, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_history_of_another_program(tmp_path):
    (tmp_path / ".python_history").write_text("def f(x):\n    if x > 2:\n        return 'of another program'\n    return 'small'\n")
    done = subprocess.run([sys.executable, "-i", "-q"], input=PROGRAM.format(path=str(PYTHON)) + "\n", capture_output=True, text=True, check=True,
                          env={**os.environ, "HOME": str(tmp_path)})
    assert "of another program" not in done.stdout and ("large\n" in done.stdout or "source not available for f" in done.stdout), done
