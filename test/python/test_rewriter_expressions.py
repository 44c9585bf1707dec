# test_rewriter_expressions.py -- operators, comparisons, choices and builtins on dynamic values.

import pytest
from rewriter_backend import agree, stage

from cutwork import _staging
from cutwork._staging import DynamicValueError, MismatchError, ranges, tree

SMALL = list(range(-3, 8))
PAIRS = [(a, b) for a in range(-2, 4) for b in range(-2, 4)]


def test_chained_comparison_evaluates_each_operand_once():
    calls = []

    def f(x):
        def once(value):
            calls.append(1)
            return value

        return 1 if 1 < once(x) < 3 else 0

    staged = stage(f)
    assert [staged(x) for x in (0, 2, 5)] == [0, 1, 0]
    assert calls == [1]


def test_constant_chains_are_decided_while_tracing():
    def f(x):
        return (1 < x < 3, 1 < 5 < 3, 1 < 2 < 3)

    assert stage(f).result[1:] == (False, True)


def test_tuples_are_compared_lexicographically():
    def f(x, y):
        a, b = (x, y, 1), (y, x, 1)
        return ((1 if a < b else 0), (1 if a <= b else 0), (1 if a > b else 0), (1 if a >= b else 0),
                (1 if a == b else 0), (1 if a != b else 0), (1 if (x,) < (x, y) else 0))

    agree(f, *PAIRS)


def test_in_and_not_in():
    def f(x, y):
        return (1 if x in (y, 2) else 0, 1 if x not in [y] else 0, 1 if x in range(-1, 9, 2) else 0,
                1 if 3 in (1, 3) else 0, 1 if x in {1: y} else 0, 1 if x in () else 0)

    agree(f, *PAIRS)


def test_and_or_not_give_what_python_gives():
    def f(x, y):
        return (x and y, x or y, 1 if not x else 0, (x and 3) or y)

    agree(f, *PAIRS)


def test_python_bool_on_the_left_decides():
    def f(x, flag):
        return (flag and fail()) or x

    def fail():
        raise AssertionError("evaluated")

    agree(f, *SMALL, static=(False,))


def test_none_on_the_left_decides():
    def f(x, item):
        return 1 if item is not None and item.value > x else 0

    agree(f, *SMALL, static=(None,))


def test_choice_evaluates_an_arm_where_it_is_chosen():
    def f(x):
        return 10 // x if x != 0 else 0

    agree(f, *SMALL)


def test_choice_of_names_is_a_select():
    def f(x, y):
        return x if x > y else y

    staged = agree(f, *PAIRS)
    assert not any(operation[0] == "region" for operation in staged.backend.top)


def test_choice_that_does_not_fit():
    def f(x):
        return (x, 1) if x > 0 else None

    with pytest.raises(MismatchError, match="'the conditional expression' does not keep its type.*None"):
        stage(f)

    def g(x):
        a, b = (x, 1), None
        return a if x > 0 else b

    with pytest.raises(DynamicValueError, match="two values of a run-time choice do not fit together"):
        stage(g)


def test_walrus():
    def f(x):
        total = 0
        if (y := x + 1) > 2 and (z := y * 2) > 7:
            total = y
        while (w := total * 2) < 9:
            total += 3
        return total, y, w + (1 if (q := 4) else q)

    agree(f, *SMALL)


def test_builtins():
    def f(x, y):
        low, high = min(x, y, 1), max([x, y])
        d, m = divmod(x, 3)
        return (low, high, d, m, pow(x, 2), abs(x - y), sum([x, y, 1]),
                1 if any([x > 2, y > 2]) else 0, 1 if all(v > 0 for v in (x, y)) else 0, len([x, y]),
                isinstance(3, int), round(2.6), min(3, 4), any([0, 0]), [i for i in range(3)])

    agree(f, *PAIRS)


def test_aliases_of_builtins_are_recognised():
    def f(x):
        smallest, spans = min, range
        total = 0
        for i in spans(smallest(x, 4)):
            total += i
        return total

    agree(f, *SMALL)


@pytest.mark.parametrize("call, message", [
    ("int(x)", r"int\(\) of a value that is known only at run time: write Int32\(x\)"),
    ("float(x)", r"float\(\) of a value that is known only at run time: write Float32\(x\)"),
    ("bool(x)", r"bool\(\) of a value that is known only at run time: use it as a condition"),
    ("round(x)", r"round\(\) of a value that is known only at run time"),
    ("max(x, 1, key=abs)", r"max\(\) with a key takes no run-time values"),
    ("pow(x, 2, 3)", r"pow\(\) with a modulus takes no run-time values"),
    ("const_expr(x)", "const_expr: the value is known only at run time"),
    ("[i for i in range(x)]", "a comprehension.* runs while tracing"),
    ("range_constexpr(x)", "range_constexpr: a bound is known only at run time"),
])
def test_refused_builtins(call, message):
    from test_rewriter_random import define

    function = define(f"def f(x):\n    y = 1\n    return {call}\n", const_expr=ranges.const_expr,
                      range_constexpr=ranges.range_constexpr)
    with pytest.raises(DynamicValueError, match=message) as caught:
        stage(function)
    assert caught.value.line == 3
    assert caught.value.file == function.__code__.co_filename


def test_comprehensions_and_lambdas_keep_their_scopes():
    def f(x):
        i = 100
        squares = [i * x for i in range(3) if 0 < i < 3 or x is None]
        pick = lambda k, i=5: k if k > i else i  # noqa: E731
        nested = [[a + b for a in ([1] and [2, x])] for b in (x, 3)]
        table = {k: v for k, v in zip("ab", (x, i))}
        return squares, pick(x), i, nested, table["b"], sum(v for v in squares)

    agree(f, *SMALL)


def test_assert():
    def f(x):
        assert 1 < 2, "known"
        assert x > 0
        return x

    with pytest.raises(DynamicValueError, match="use cute.testing.assert_") as caught:
        stage(f)
    assert caught.value.line == f.__code__.co_firstlineno + 2

    def g(x):
        assert len([x]) == 2, f"got {len([x])}"

    with pytest.raises(AssertionError, match="got 1"):
        stage(g)


def test_format_strings_of_printf():
    seen = []

    @_staging.mark_printf
    def printf(*arguments, end="\n"):
        seen.append((arguments, end))

    def f(x):
        name = "row"
        printf(f"{name} {x} of {{{x:d}}} {name!r} {3}\n", x, end="")
        printf("plain {}", x)
        text = str(f"{name:>5}{3:02d}")
        return text

    staged = stage(f)
    x = staged.arguments[0]
    assert seen == [(("row {} of {{{:d}}} 'row' {}\n", x, x, 3, x), ""), (("plain {}", x), "\n")]
    assert staged.result == "  row03"


def test_specs():
    from rewriter_backend import Backend, Dyn

    backend = Backend()
    with _staging.trace(backend):
        x, y = Dyn("Int32", backend), Dyn("Int64", backend)
        a, b = tree.spec([1, (x, None), {"k": 2.0}]), tree.spec([2, (x, None), {"k": 2.0}])
        both = tree.meet(a, b)
        assert tree.describe(both) == "a list of 3 (Int32, a tuple of 2 (Int32, None), a dict of 1 ('k': " \
                                      "the Python float 2.0))"
        values = tree.leaves([7, (x, None), {"k": 2.0}], both)
        assert len(values) == 2
        again = tree.rebuild(both, values, [7, (x, None), {"k": 2.0}])
        assert again[0] is values[0] and again[1:] == [(x, None), {"k": 2.0}]
        for one, other, path in (((x, 1), (y, 1), "[0]"), ((1, {"k": None}), (1, {"k": x}), "[1]['k']"),
                                 (True, 1, ""), (1, 1.0, ""), ((x,), (x, x), ""), (x, 1.0, "")):
            with pytest.raises(tree.Mismatch) as caught:
                tree.meet(tree.spec(one), tree.spec(other))
            assert caught.value.path == path
        assert tree.same(tree.meet(tree.spec(1), tree.spec(1 << 40)), tree.spec(y))
        assert tree.same(tree.meet(tree.spec(1), tree.spec(y)), tree.spec(y))
