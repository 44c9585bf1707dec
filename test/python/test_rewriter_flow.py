# test_rewriter_flow.py -- ifs, loops and returns of rewritten functions, against Python.

import pytest
from rewriter_backend import Left, agree, rewrite, stage  # noqa: F401

from cutwork import _staging
from cutwork._staging import ranges

SMALL = list(range(-3, 8))


def test_if_else():
    def f(x):
        if x > 2:
            y = x + 1
        else:
            y = x - 1
        return y

    agree(f, *SMALL)


def test_if_without_else_and_elif():
    def f(x):
        y = 0
        if x > 4:
            y = 1
        elif x > 2:
            y = x
        elif x == 0:
            y += 7
        return y

    agree(f, *SMALL)


def test_for_range():
    def f(n):
        total, last = 0, -1
        for i in range(n):
            if i % 2 == 0:
                total += i
            last = i
        return total, last

    agree(f, *SMALL)


def test_nested_for_and_step():
    def f(n):
        acc = 0
        for i in range(n, 0, -1):
            for j in range(i):
                acc = acc * 3 + j - i
        return acc

    agree(f, *SMALL)


def test_while():
    def f(n):
        count, x = 0, n
        while x > 1:
            x = x // 2 if x % 2 == 0 else 3 * x + 1
            count += 1
        return count

    agree(f, *SMALL, 27)


def test_python_while_stays_static():
    def f(x):
        n = 8
        while n > 1:
            n //= 2
            x += n
        return x, n

    staged = agree(f, *SMALL)
    assert staged.result[1] == 1


def test_early_return_of_a_helper():
    def f(x):
        if x < 0:
            return -1
        if x > 3:
            if x > 5:
                return 5
            x += 1
        return x * 2

    agree(f, *SMALL)


def test_return_inside_loops():
    def f(n):
        for i in range(10):
            if i * i > n:
                return i
            for j in range(i):
                if i * j == n:
                    return 100 + j
        return -1

    agree(f, *SMALL, 30, 200)


def test_break_continue_else():
    def f(n):
        total = 0
        for i in range(10):
            if i == n:
                break
            if i % 3 == 1:
                continue
            total += i
        else:
            total += 1000
        while True:
            total += 1
            if total % 7 == 0:
                break
        return total

    agree(f, *SMALL, 20)


def test_partial_jumps_guard_the_rest():
    def f(n):
        total = 0
        for i in range(6):
            if i > 1:
                if i == n:
                    continue
                total += 10
            x = i * 2
            if x > n:
                if i == 4:
                    break
                total += 100
            total += x
        return total

    agree(f, *SMALL)


def test_break_of_a_python_loop():
    def f(n):
        total = 0
        for k in [3, 1, 4, 1, 5]:
            if k == n:
                break
            total += k
        return total

    agree(f, *SMALL)


def test_trace_time_decisions_stay_native():
    def f(x, flag):
        for i in [1, 2, 3]:
            if ranges.const_expr(flag and i == 2):
                return x + i
        return x

    agree(f, *SMALL, static=(True,))
    staged = agree(f, *SMALL, static=(False,))
    assert staged.backend.top == []


def test_kernel_return_leaves():
    written = []

    def f(x, n):
        if x >= n:
            return
        for i in range(4):
            if i == x:
                return
            _staging.current().backend.write(i, x)

    staged = stage(f, "Int32", "Int32", kernel=True)
    staged(5, 4)
    assert staged.written == []
    staged(2, 4)
    assert staged.written == [(0, 2), (1, 2)]
    staged(-1, 4)
    assert staged.written == [(i, -1) for i in range(4)]
    assert written == []


def test_index_type_and_range_objects():
    def f(n):
        total = 0
        for i in ranges.range(0, n, 2, unroll=4):
            total += i
        for i in ranges.range_constexpr(3):
            total += i * n
        alias = range
        for i in alias(n):
            total += 1
        return total

    def g(n):
        total = 0
        for i in range(0, n, 2):
            total += i
        for i in range(3):
            total += i * n
        return total + max(n, 0)

    staged = stage(f)
    for n in SMALL:
        assert staged(n) == g(n)


@pytest.mark.parametrize("n", SMALL)
def test_lists_keep_their_aliases(n):
    def f(x):
        a = [1, x]
        b = a
        for i in range(x):
            a[0] += i
            if a[0] > 5:
                b[1] = a[0]
        return b, a

    agree(f, n)


def countdown(n, level):
    if level > 0:
        if n > level:
            return level + countdown(n, level - 1)
    return 0


def test_a_global_function_that_calls_itself(monkeypatch):
    rewritten = rewrite(countdown)
    monkeypatch.setitem(globals(), "countdown", rewritten)

    def f(n):
        return countdown(n, 4)

    agree(f, *SMALL)
