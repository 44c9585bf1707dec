# test_rewriter_deep.py -- statements nested deeper than the 20 blocks that Python allows in one function.
"""Each staged statement is a loop of Python in the rewritten function. Bodies below a depth become functions of their
own; a limit of 0 makes one of every body, so that all that other tests know is also known of those."""

import linecache

import pytest
from hypothesis import HealthCheck, given, settings
from rewriter_backend import rewrite, stage
from test_rewriter_random import Box, define, outcome, programs

from cutwork._rewriter import emit

DEPTH = 60


def agree(text, values):
    function = define(text)
    plain, staged = rewrite(function), stage(function)
    for value in values:
        expected = outcome(function, (value,))
        assert outcome(plain, (value,)) == expected == outcome(staged, (value,)), value


def test_ifs():
    text = "def f(n):\n s, last = 0, -1\n"
    for d in range(DEPTH):
        text += " " * (d + 1) + f"if n > {d}:\n" + " " * (d + 2) + f"s += {d}\n" + " " * (d + 2) + f"last = {d}\n"
    agree(text + " return s, last\n", (0, 1, 11, 12, 13, 14, 26, DEPTH - 1, DEPTH, DEPTH + 1))


def test_elifs():
    text = "def f(n):\n if n == 0:\n  r = 100\n"
    text += "".join(f" elif n == {i}:\n  r = {100 + i}\n" for i in range(1, DEPTH)) + " else:\n  r = -1\n return r\n"
    agree(text, (0, 1, 12, 13, 30, DEPTH - 1, DEPTH))


def test_early_returns():
    text = "def f(n):\n" + "".join(f" if n == {i}:\n  return {100 + i}\n" for i in range(DEPTH)) + " return n\n"
    agree(text, (0, 1, 12, 13, 30, DEPTH - 1, DEPTH))


def test_loops_with_ifs_breaks_closures_and_tries():
    text = "def f(n):\n s = 0\n def add(k):\n  nonlocal s\n  s += k\n"
    for d in range(16):  # Python itself takes 20
        text += " " * (d + 1) + f"for i{d} in range(n, n + 1):\n"
        text += " " * (d + 2) + f"if s > 40 * {d} + 100:\n" + " " * (d + 3) + ("break\n" if d % 2 else "continue\n")
        text += " " * (d + 2) + f"add(i{d} + {d})\n"
    text += " " * 17 + "try:\n" + " " * 18 + "k = [1, 2][n]\n" + " " * 17 + "except IndexError as e:\n" + " " * 18 + "k = -9\n"
    text += " " * 17 + "s = s + k\n return s\n"
    function = define(text)
    for value in (0, 1, 2, 9):
        assert rewrite(function)(value) == function(value)
    agree(text.replace("[1, 2][n]", "n + 3"), (0, 1, 2, 9))


def test_super_and_private_names():
    text = """
class Base:
    def put(self, k):
        return k + self._Kernel__private
class Kernel(Base):
    def __init__(self):
        self.__private = 5
    def put(self, n):
        r = 0
""" + "".join("    " * (d + 2) + f"if n > {d}:\n" for d in range(18)) + "    " * 20 + "r = super().put(n) + self.__private\n"
    text += "        return r\nf = Kernel.put\n"
    names = {}
    linecache.cache["<deep>"] = (len(text), None, text.splitlines(True), "<deep>")
    exec(compile(text, "<deep>", "exec"), names)
    kernel = names["Kernel"]()
    for n in (3, 18, 40):
        assert rewrite(names["f"])(kernel, n) == kernel.put(n)


@pytest.fixture
def every_body(monkeypatch):
    monkeypatch.setattr(emit, "BLOCKS", 0)


@settings(max_examples=60, deadline=None, derandomize=True,
          suppress_health_check=[*HealthCheck])
@given(programs())
def test_any_program_with_each_body_in_a_function(every_body, text):
    function = define(text, Box=Box)
    plain, staged = rewrite(function), stage(function)
    for values in [(0, 0), (1, 5), (-3, 2), (7, -1), (4, 9)]:
        expected = outcome(function, values)
        assert outcome(plain, values) == expected == outcome(staged, values), values
