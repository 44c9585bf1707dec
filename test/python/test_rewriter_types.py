# test_rewriter_types.py -- types that weaken, objects, and statements that stay Python's, in staged code.

import dataclasses
import math

import pytest
from rewriter_backend import Backend, Dyn, agree, rewrite, stage
from test_rewriter_random import define
from test_rewriter_rules import State

from cutwork import _staging
from cutwork._staging import MismatchError, StagingError, UnboundError, ranges, tree

SMALL = list(range(-3, 8))


class Pointer:
    """A core type: a value and an alignment that is static and may weaken."""

    def __init__(self, value, alignment, extent=None):
        self.value, self.alignment, self.extent = value, alignment, extent


class PointerHandler:
    """The extent is static (an int) or dynamic (a leaf of its own)."""

    @staticmethod
    def spec(p):
        return (p.alignment, p.extent if isinstance(p.extent, int) else "?")

    @staticmethod
    def meet(a, b):
        return (math.gcd(a[0], b[0]), a[1] if a[1] == b[1] else "?")

    @staticmethod
    def leaves(p, inner):
        extent = p.value.backend.convert(p.extent, p.value) if inner[1] == "?" else None
        return [p.value] if extent is None else [p.value, extent]

    @staticmethod
    def rebuild(inner, leaves, p):
        return Pointer(leaves[0], inner[0], leaves[1] if inner[1] == "?" else inner[1])

    @staticmethod
    def count(inner):
        return 2 if inner[1] == "?" else 1


tree.register(Pointer, PointerHandler)


def test_alignment_weakens_without_another_trace():
    def f(x):
        p = Pointer(x, 16, 4)
        if x > 2:
            p = Pointer(x + 8, 8, 4)
        return p.value, p.alignment, p.extent

    staged = stage(f)
    assert staged.result[1:] == (8, 4)
    assert len(staged.backend.traced) == 1
    assert [staged(x)[0] for x in (2, 3)] == [2, 11]


def test_a_weaker_structure_is_traced_again():
    def f(x):
        p = Pointer(x, 16, 4)
        for i in range(x):
            p = Pointer(p.value + i, p.alignment // 2 if p.alignment > 4 else 4, 5)
        if x > 4:
            p = Pointer(p.value, 16, 9)
        return p.value, p.alignment, p.extent

    staged = stage(f)
    assert staged.result[1] == 4
    assert [staged(x) for x in (0, 3, 5)] == [(0, 4, 4), (6, 4, 5), (15, 4, 9)]


def test_settings_stay_static_in_a_loop():
    def f(x):
        settings, data = {"tile": 4}, [3, 5]
        total = 0
        for i in range(x):
            assert isinstance(settings.get("tile"), int)
            assert isinstance(data[1], int)
            data[0] = i
            total += settings.get("tile") + data[0] * data[1]
        return total, data

    agree(f, *SMALL)


def test_a_list_that_grows():
    function = define("def f(x):\n    a = [x]\n    for i in range(x):\n        a.append(i)\n    return a\n")
    with pytest.raises(MismatchError, match=r":4: 'a' does not keep its type over the `for` of line 3: it is a list "
                                            r"of 1 \(Int32\) \(line 3\) and a list of 2"):
        stage(function)


def test_index_types():
    types = []

    def note(i):
        types.append(i.type)
        return i

    def f(n, wide):
        total = wide
        for i in range(n):
            total += note(i)
        for i in range(0, wide, n):
            total += note(i)
        for i in range(n, 4):
            if i == wide:
                break
            total += note(i)
        for i in ranges.range(wide, wide - 4, -1):
            if i == n:
                break
            note(i)
        return total

    staged = stage(f, "Int32", "Int64")
    assert types == ["Int32", "Int64", "Int32", "Int64"]
    assert staged(2, 5) == 5 + 1 + (0 + 2 + 4) + (2 + 3)


def test_dynamic_step_with_break():
    def f(start, stop, step):
        total = 0
        for i in range(start, stop, step):
            if total > 20:
                break
            total += i * i + 1
        return total

    agree(f, (0, 5, 1), (5, 0, -2), (0, 9, 3), (3, 3, 1), (9, -9, -1))


def test_an_empty_loop_is_not_traced():
    def f(x):
        for i in range(0):
            raise ValueError
        for i in range(3, 1):
            x = None
        return x

    assert stage(f).backend.top == []


def test_range_refuses():
    for text, message in (("range(0, 4, 0)", "the step is 0"), ("range(1.5)", "the stop must be an integer"),
                          ("range(4, unroll=-1)", "unroll must be a Python int that is not negative, and is -1"),
                          ("range(4, unroll_full=1)", "unroll_full must be a Python bool, and is 1"),
                          ("range(4, pipelining=1, prefetch_stages=2)", "`pipelining` is the old name")):
        function = define(f"def f(x):\n    for i in cutlass.{text}:\n        pass\n", cutlass=ranges)
        with pytest.raises(StagingError, match=message) as caught:
            stage(function)
        assert caught.value.line == 2


def test_options_reach_the_backend(monkeypatch):
    seen = []
    open_for = Backend.open_for
    monkeypatch.setattr(Backend, "open_for", lambda self, *a, **k: seen.append(k) or open_for(self, *a, **k))

    def f(x):
        for i in ranges.range(4, unroll=2, pipelining=3, vectorize=True, at_least_once=True):
            x += i
        return x

    assert stage(f)(1) == 7
    assert seen == [{"unroll": 2, "unroll_full": False, "vectorize": True, "prefetch_stages": 3}]


def test_frozen_dataclasses_are_not_threaded():
    @dataclasses.dataclass(frozen=True)
    class Options:
        tile: object

        def get(self):
            return self.tile

    def f(x):
        options, total = Options([1, 2]), 0
        for i in range(x):
            total += options.get()[1]
        return total

    agree(f, *SMALL)


def test_self_is_threaded_on_request():
    class Machine(State):
        def run(self, x):
            for i in range(x):
                self.advance(i)
            return self.index

        def __new_from_mlir_values__(self, values):
            return type(self)(values[0])

    class Threaded(Machine):
        _dsl_thread_self_in_staged_cf = True

    run = rewrite(Machine.run)
    staged = stage(define("def f(x):\n    return run(make(x), x)\n", run=run, make=Threaded))
    for x in SMALL:
        assert staged(x) == Machine(x).run(x)


def test_attribute_bound_in_one_arm():
    class Box:
        pass

    text = "def f(x):\n    box = make()\n    if x > 0:\n        box.n = x\n    return box.n + 1\n"
    with pytest.raises(UnboundError, match=":5: 'box.n' may have no value here"):
        stage(define(text, make=Box))


def test_captured_only_is_an_error_where_it_is_used():
    text = ("def f(x, use):\n    def get():\n        return y\n    y = 1\n    if x > 0:\n        y = None\n"
            "    y = get() if use else 2\n    return y\n")
    with pytest.raises(UnboundError, match=":3: 'y' does not keep its type over the `if` of line 5"):
        stage(define(text), "Int32", static=(True,))
    assert stage(define(text), "Int32", static=(False,)).result == 2


def test_returned_values_that_do_not_fit():
    text = "def f(x):\n    if x > 0:\n        return x\n    y = 1\n"
    with pytest.raises(MismatchError, match="'the returned value' does not keep its type.*Int32.*None"):
        stage(define(text))


def test_python_statements():
    def f(x, kind):
        total = 0
        for name, (k, *rest) in zip("ab", [(1, 2), (3, 4, 5)]):
            match kind:
                case "stop" if name == "b":
                    break
                case ("go", step):
                    total += step
                case _:
                    total += k * x + len(rest)
        try:
            if kind == "fail":
                raise KeyError(kind)
            if kind == "early":
                return total
        except KeyError as error:
            total += len(error.args)
        else:
            total += 100
        finally:
            total += 1000
        return total

    for kind in ("stop", ("go", 5), "fail", "early", "other"):
        agree(f, *SMALL, static=(kind,))


def test_with_several_managers_and_returns():
    class Elect:
        def __init__(self, x):
            self.x = x

        def __staged_condition__(self):
            return self.x > 1

    def f(x):
        with Elect(x) as e, Elect(x - 3):
            if x == 6:
                return 60
            x += 100
        return x

    staged = stage(f)
    for x in SMALL:
        assert staged(x) == (60 if x == 6 else x + 100 if x > 4 else x)


def test_while_true():
    def f(x):
        n = 0
        while True:
            n += 3
            if n > x:
                break
            if n == 6:
                continue
            x -= 1
        return n, x

    agree(f, *SMALL, 30)


def test_a_break_that_is_decided_while_tracing():
    def f(x):
        k = 1
        while True:
            k *= 2
            x += k
            if k > 10:
                break
        return x, k

    staged = agree(f, *SMALL)
    assert staged.result[1] == 16
    assert not any(operation[0] == "region" for operation in staged.backend.top)


def test_effects_are_recorded_once():
    def f(x):
        b = _staging.current().backend
        n = 0
        while n < x:
            b.write(n, x)
            n += 1
        if x > 2 and x < 9:
            b.write(100, x)

    staged = stage(f)
    staged(3)
    assert staged.written == [(0, 3), (1, 3), (2, 3), (100, 3)]


def test_the_test_of_a_while_is_evaluated_in_the_loop():
    def f(x):
        state = State(x)
        count = 0

        def step():
            state.advance(-2)
            return state.index

        while step() > 0:
            count += 1
        return count, state.index

    agree(f, *SMALL)


def test_recursion_and_generators_of_values():
    def f(x):
        def power(k):
            return 1 if k == 0 else power(k - 1) * x

        return power(3) + sum(power(k) for k in range(3) if k and k < 3)

    agree(f, *SMALL)


def test_a_rewritten_helper_is_inlined_at_two_places():
    def helper(v, limit):
        for i in range(4):
            if v + i > limit:
                return i
        return v

    helper = rewrite(helper)

    def f(x):
        total = 0
        for i in range(1):
            total += helper(x, 3)
        if x > 1:
            total += helper(total, 5)
        return total

    agree(f, *SMALL)


def test_a_value_is_read_by_its_type():
    backend = Backend()
    with _staging.trace(backend):
        x = Dyn("Boolean", backend)
        assert tree.kind_of(x) == "bool" and tree.kind_of(1) == "int" and tree.kind_of("a") is None


def test_what_the_test_of_a_while_binds():
    def f(x, wide):
        count = 0
        while (y := x * 2 - count) > 0:
            count += 3
        while (z := count - wide * 2) > 4:
            count -= 2
        return count, y, z

    staged = stage(f, "Int32", "Int64")
    for x in SMALL:
        assert staged(x, 1) == f(x, 1)


def test_a_list_that_becomes_another_name():
    text = "def f(x):\n    a, b = [x], [1]\n    if x > 0:\n        a = b\n    a[0] += 1\n    return a, b\n"
    with pytest.raises(StagingError, match=r":4: 'a' becomes another name of a list inside the `if` of line 3: .*Copy"):
        stage(define(text))
    agree(define(text.replace("a = b", "a = b.copy()")), *SMALL)


def test_the_index_after_the_loop():
    def f(x):
        i = 50
        for i in range(x):
            x -= 1
        return i, x

    agree(f, *SMALL)


def test_a_kernel_nested_in_a_rewritten_function():
    text = ("def host(x):\n    k = x + 1\n\n    @kernel\n    def inner(y):\n        if y > k:\n            return\n"
            "        write(y, k)\n\n    inner(x)\n    inner(4)\n")
    function = define(text, "host", kernel=lambda f: rewrite(f, kernel=True),
                      write=lambda key, x: _staging.current().backend.write(key, x))
    staged = stage(function, kernel=True)
    staged(2)
    assert staged.written == [(2, 3)]


def test_exec_is_refused():
    with pytest.raises(StagingError, match=r":2: exec\(\) is not supported"):
        stage(define("def f(x):\n    exec('y = 1')\n    return x\n"))


def test_changes_through_a_name_that_the_region_gives():
    class Holder:
        def __init__(self, x):
            self.data, self.inner = [x, 0], State(x)

    def f(x, make):
        h = make(x)
        data = [x, 2]
        if x > 1:
            t = h.data
            t[1] = 5
            u = h.inner
            u.advance(3)
            v = data
            v[0] = 7
        for i in range(x):
            w = h.inner
            w.index += i
        return h.data, h.inner.index, data

    agree(f, *SMALL, static=(Holder,))


def test_the_name_of_an_exception():
    def f(x):
        try:
            raise KeyError(3)
        except KeyError as e:
            y = e.args[0]
        if x > 0:
            e = 5
        else:
            e = 6
        return e + y

    agree(f, *SMALL)
