# test_rewriter_rules.py -- what is carried, what is refused, and the exact messages.

import contextlib
import dataclasses
import functools
import re
import typing

import pytest
from rewriter_backend import agree, rewrite, stage
from test_rewriter_random import define

from cutwork import _staging
from cutwork._staging import MismatchError, StagingError, UnboundError, ranges

SMALL = list(range(-3, 8))


def refused(text, line, message, kind=StagingError, types=("Int32",), **globals_):
    """Tracing the text's function f fails at that line with that text."""
    function = define(text, **globals_)
    with pytest.raises(kind) as caught:
        stage(function, *types)
    assert str(caught.value) == f"{function.__code__.co_filename}:{line}: {message}"


# -- variables -------------------------------------------------------------------------------------


def test_bound_in_one_arm():
    refused("def f(x):\n    if x > 1:\n        y = x\n    z = 1\n    return y + z\n", 5,
            "'y' may have no value here: it is bound only inside the `if` of line 2, whose condition is known only "
            "at run time. Bind it before the `if`, in both arms, or make the decision with const_expr", UnboundError)


def test_bound_in_a_loop_only():
    refused("def f(x):\n    for i in range(x):\n        y = i\n    return y\n", 4,
            "'y' may have no value here: it is bound only inside the `for` of line 2, whose body may not run. Bind it "
            "before the `for` or make the decision with const_expr", UnboundError)


def test_bound_in_one_arm_and_not_used_is_no_error():
    def f(x):
        if x > 1:
            y = x
            x = y + 1
        return x

    agree(f, *SMALL)


def test_deleted_in_one_arm():
    refused("def f(x):\n    y = 1\n    if x > 1:\n        del y\n    return y\n", 5,
            "'y' may have no value here: it is bound only inside the `if` of line 3, whose condition is known only "
            "at run time. Bind it before the `if`, in both arms, or make the decision with const_expr", UnboundError)


def test_not_bound_at_all():
    refused("def f(x):\n    if x > 1:\n        y = y + 1\n    return y\n", 3,
            "'y' is used before it is given a value", UnboundError)


ADVICE = ("What a run-time branch or loop assigns must keep element type, rank, structure and None-ness: convert one "
          "of them, use another name, or decide with const_expr")


@pytest.mark.parametrize("before, inside, one, other", [
    ("None", "x", "None", "Int32"),
    ("(x, x)", "(x, x, x)", "a tuple of 2 (Int32, Int32)", "a tuple of 3 (Int32, Int32, Int32)"),
    ("[x]", "(x,)", "a list of 1 (Int32)", "a tuple of 1 (Int32)"),
    ("'a'", "'b'", "the str 'a'", "the str 'b'"),
    ("1.5", "x", "the Python float 1.5", "Int32"),
])
def test_mismatch(before, inside, one, other):
    text = f"def f(x):\n    y = {before}\n    if x > 0:\n        y = {inside}\n    return y\n"
    refused(text, 2, f"'y' does not keep its type over the `if` of line 3: it is {other} (line 4) and {one} (line 2). "
            + ADVICE, MismatchError)
    text = text.replace("if x > 0", "for i in range(x)")
    refused(text, 4, f"'y' does not keep its type over the `for` of line 3: it is {one} (line 2) and {other} (line 4). "
            + ADVICE, MismatchError)


def test_mismatch_inside_a_structure():
    function = define("def f(x, z):\n    y = [(x, x)]\n    if x > 0:\n        y[0] = (x, z)\n    return y\n")
    with pytest.raises(MismatchError, match=r"'y\[0\]\[1\]' does not keep its type over the `if` of line 3: it is "
                                            r"Int64 \(line 4\) and Int32"):
        stage(function, "Int32", "Int64")


def test_number_takes_the_type_of_the_other():
    def f(n, wide):
        x = 0
        for _ in range(n):
            x = x + wide
        return x

    staged = stage(f, "Int32", "Int64")
    assert staged.result.type == "Int64" and staged(3, 5) == 15

    def g(n):
        x = 0
        if n > 2:
            x = 1 << 40
        return x

    assert stage(g).result.type == "Int64"
    agree(g, *SMALL)


def test_what_is_equal_stays_static():
    def f(x):
        if x > 0:
            k, name = 4, "a"
        else:
            k, name = 4, "a"
        return k, name

    assert stage(f).result == (4, "a")


def test_a_list_rebound_in_an_arm():
    def f(x):
        a = [1, 2, x]
        old = a
        if x > 2:
            a = [x, 5, 6]
        a[0] += 100
        return a, old if ranges.const_expr(False) else None

    agree(f, *SMALL)


def test_dicts_namedtuples_dataclasses_partials():
    class Pair(typing.NamedTuple):
        a: int
        b: int

    @dataclasses.dataclass(frozen=True)
    class Frozen:
        n: int

    @dataclasses.dataclass
    class Open:
        n: int

    def add(x, y):
        return x + y

    def f(x):
        d, p, z, o, g = {"k": x}, Pair(1, x), Frozen(x), Open(x), functools.partial(add, x)
        alias = o
        for i in range(x):
            d["k"] += i
            p = p._replace(a=p.b)
            z = Frozen(z.n + 1)
            o.n = o.n * 2 % 7
            g = functools.partial(add, i)
        return d, p, z.n, alias.n, g(1)

    agree(f, *SMALL)


# -- liveness --------------------------------------------------------------------------------------


def test_dead_after_is_not_carried():
    def f(x):
        y = 1
        if x > 0:
            y = None
        y = 2
        return y

    agree(f, *SMALL)


def test_read_on_the_next_iteration_only():
    def f(n):
        total, previous = 0, 1
        for i in range(n):
            total += previous
            previous = i
        return total

    agree(f, *SMALL)


def test_written_then_read_in_the_same_iteration_is_not_carried():
    def f(n):
        total, t = 0, None
        for i in range(n):
            t = i * 2
            total += t
        return total

    agree(f, *SMALL)


def test_shadowed_in_a_comprehension():
    def f(n):
        k, total = None, 0
        for i in range(n):
            total += sum([k for k in (i, 1)])
        return total, k

    agree(f, *SMALL)


def test_an_arm_begins_with_the_values_from_before():
    def f(x):
        y, z = 5, 0
        if x > 0:
            y = 7
            z = y
        else:
            z = y + 1
        return z

    agree(f, *SMALL)


def test_captured_by_a_nested_function():
    def f(x):
        y = 1

        def get():
            return y + x

        if x > 2:
            y = x
        for i in range(x):
            y += i
        return get()

    agree(f, *SMALL)


def test_nonlocal_and_closures_that_change_lists():
    def f(x):
        count, data = 0, [x, 0]

        def bump(k):
            nonlocal count
            count += k
            data[1] += k
            if k > 2:
                return count
            return -count

        total = 0
        for i in range(x):
            total += bump(i)
        if x > 4:
            bump(10)
        return total, count, data

    agree(f, *SMALL)


# -- objects ---------------------------------------------------------------------------------------


class State:
    """As users write them: values in and out by the protocol."""

    def __init__(self, index, label="s"):
        self.index, self.label = index, label

    def __extract_mlir_values__(self):
        return [self.index]

    def __new_from_mlir_values__(self, values):
        return State(values[0], self.label)

    def advance(self, step=1):
        self.index = self.index + step


def test_methods_of_protocol_objects_are_threaded():
    def f(x):
        state = State(x)
        alias = state
        for i in range(x):
            state.advance(i)
        if x > 3:
            state.advance()
        return state.index, alias.index, state.label

    agree(f, *SMALL)


class Worker:
    def __init__(self):
        self.state = 7
        self.inner = State(0)
        self.__hidden = 1

    def run(self, x):
        seen = 0
        if x == 0:
            seen = self.state
            self.__hidden = x
        self.state = 1
        for i in range(x):
            self.state += i
            self.__hidden += self.state
        return seen, self.state, self.__hidden

    def nested(self, x):
        self.inner = State(x)
        for i in range(x):
            self.inner.advance(i)
            if i > 2:
                self.inner.index = self.inner.index * 2
        return self.inner.index

    @property
    def who(self):
        return type(self).__name__


class Derived(Worker):
    def run(self, x):
        seen, state, hidden = super().run(x)
        if x > 1:
            state = state + len(__class__.__name__)
        return seen, state, hidden


def test_attributes_of_self_are_carried():
    for method in (Worker.run, Worker.nested):
        staged = stage(on_a_worker(method))
        for x in SMALL:
            assert staged(x) == method(Worker(), x)


def on_a_worker(method):
    """A function of x that calls the rewritten method on a new object."""
    method = rewrite(method)

    def call(x):
        return method(Worker(), x)

    return call


def test_super_and_class_cells():
    run = rewrite(Derived.run)
    for x in SMALL:
        assert run(Derived(), x) == Derived().run(x)


def test_with_that_is_staged():
    class Elect:
        def __init__(self, x):
            self.x = x

        def __staged_condition__(self):
            return self.x == 3

    def f(x):
        y = 0
        with Elect(x):
            y = x + 1
        with contextlib.nullcontext(5) as five:
            y += five
        return y

    staged = stage(f)
    for x in SMALL:
        assert staged(x) == (4 if x == 3 else 0) + 5


def test_with_that_swallows():
    def f(x):
        y = x
        with contextlib.suppress(KeyError):
            y = x + 1
            raise KeyError
        return y

    agree(f, *SMALL)


# -- what is refused -------------------------------------------------------------------------------


def test_raise_under_a_run_time_condition():
    refused("def f(x):\n    if x > 0:\n        raise ValueError('x')\n    return x\n", 3,
            "`raise` under a condition that is known only at run time: the raise would happen while tracing, always. "
            "Use cute.testing.assert_ for a check on the device, or decide with const_expr")


def test_raise_that_is_not_reached():
    def f(x):
        y = 0
        if x > 0:
            y = 1
        else:
            y = 2
            if ranges.const_expr(False):
                raise ValueError
            y += 1
        return y

    agree(f, *SMALL)


def test_raise_that_is_decided_while_tracing():
    def f(x):
        for i in range(x):
            if ranges.const_expr(True):
                raise ValueError("unsupported")

    with pytest.raises(ValueError, match="unsupported"):
        stage(f)


def test_try_around_a_staged_region():
    text = "def f(x):\n    try:\n        y = 0\n        if {}:\n            y = 1\n    finally:\n        pass\n    return y\n"
    refused(text.format("x > 0"), 4,
            "this `if` is decided at run time and stands inside the `try` of line 2: an exception can only be caught "
            "while tracing. Move the `try` inside or around the call, or decide with const_expr")
    assert stage(define(text.format("1 > 0"))).result == 1


@pytest.mark.parametrize("statement, message", [
    ("global g", "`global` is not supported in @jit and @kernel functions"),
    ("yield x", "`yield` is not supported in @jit and @kernel functions"),
    ("yield from x", "`yield` is not supported in @jit and @kernel functions"),
])
def test_refused_statements(statement, message):
    function = define(f"def f(x):\n    y = 1\n    {statement}\n")
    with pytest.raises(StagingError, match=re.escape(f"{function.__code__.co_filename}:3: {message}")):
        rewrite(function)


def test_async_and_lambda():
    with pytest.raises(StagingError, match="`async` is not supported"):
        rewrite(define("async def f(x):\n    return 1\n"))
    with pytest.raises(StagingError, match="a lambda cannot be traced"):
        rewrite(lambda x: x)
    with pytest.raises(TypeError, match="expected a Python function, got type"):
        rewrite(int)


def test_jump_in_finally():
    with pytest.raises(StagingError, match=":6: return, break and continue cannot stand in a `finally`"):
        rewrite(define("def f(x):\n    for i in range(3):\n        try:\n            pass\n        finally:\n"
                       "            break\n"))


def test_kernel_returns_nothing():
    function = define("def f(x):\n    if x > 0:\n        return x\n")
    with pytest.raises(StagingError, match=":3: a kernel returns nothing, and this returns a Dyn"):
        stage(function, kernel=True)


def test_nothing_is_staged_without_a_trace():
    def f(x):
        for i in range(x):
            if i == 2:
                return "two"
        return [i for i in range(x)]

    assert [rewrite(f)(n) for n in (2, 4)] == [[0, 1], "two"]
    assert not _staging.current().staging
