# operators.py -- and, or, not, comparisons, `in`, conditional expressions and builtins on dynamic values.

import builtins
import math

from . import ranges, tree
from .context import current, dynamic, holds_dynamic
from .errors import DynamicValueError, refuse


def invert(a):
    """`not a`."""
    if not dynamic(a):
        return not a
    b = current().backend
    return b.binary("xor", b.to_boolean(a), b.to_boolean(True))


def _is_bool(a):
    return type(a) is bool or (dynamic(a) and tree.kind_of(a) == "bool")


def _logical(op, a, b):
    """a is dynamic. Both are evaluated: Booleans are combined, other values chosen."""
    backend = current().backend
    condition = backend.to_boolean(a)
    if _is_bool(a) and _is_bool(b):
        return backend.binary(op, condition, backend.to_boolean(b))
    return select(condition, b, a) if op == "and" else select(condition, a, b)


def both(a, b):
    """`a and b`, where a is dynamic or true."""
    return _logical("and", a, b) if dynamic(a) else b


def either(a, b):
    """`a or b`, where a is dynamic or false."""
    return _logical("or", a, b) if dynamic(a) else b


def needs_and(a):
    """Whether `b` of `a and b` is evaluated."""
    return dynamic(a) or bool(a)


def needs_or(a):
    return dynamic(a) or not a


def select(condition, a, b):
    """a if condition else b; the condition is dynamic, both values have been evaluated."""
    backend = current().backend
    if all(type(x) in tree.NUMBERS or tree.kind_of(x) for x in (a, b)):
        if _is_bool(a) and _is_bool(b):
            a, b = backend.to_boolean(a), backend.to_boolean(b)  # which arithmetic would make Int32
            return backend.select(backend.to_boolean(condition), a, b)
        like = backend.promote(a, b)
        return backend.select(backend.to_boolean(condition), backend.convert(a, like), backend.convert(b, like))
    try:
        spec = tree.meet(tree.spec(a), tree.spec(b))
    except tree.Mismatch as problem:
        refuse(f"the two values of a run-time choice do not fit together: {tree.describe(problem.a)} and "
               f"{tree.describe(problem.b)}. Convert one of them, or decide with const_expr", DynamicValueError)
    boolean = backend.to_boolean(condition)
    chosen = [[backend.select(boolean, x, y) for x, y in zip(c, d)]
              for c, d in zip(tree.chunks(a, spec), tree.chunks(b, spec))]
    return tree.unchunk(spec, chosen, a, fresh=True)


def _sequence(a, b):
    """Whether the comparison is Python's of two sequences, and dynamic."""
    return (isinstance(a, (tuple, list)) and isinstance(b, (tuple, list))
            and (holds_dynamic(a) or holds_dynamic(b)))


def equal(a, b):
    if not _sequence(a, b):
        return a == b
    if type(a) is not type(b) and isinstance(a, list) != isinstance(b, list) or len(a) != len(b):
        return False
    result = True
    for x, y in zip(a, b):
        if not needs_and(result):
            return False
        result = both(result, equal(x, y))
    return result


def unequal(a, b):
    return invert(equal(a, b)) if _sequence(a, b) else a != b


def _ordered(a, b, strict, less):
    """Lexicographic: the first elements that differ decide, then the lengths."""
    if not a or not b:
        return less(len(a), len(b)) if len(a) != len(b) else not strict
    first = less(a[0], b[0]) if not _sequence(a[0], b[0]) else _ordered(a[0], b[0], True, less)
    tie = equal(a[0], b[0])
    rest = both(tie, _ordered(a[1:], b[1:], strict, less)) if needs_and(tie) else False
    return either(first, rest) if needs_or(first) else first


def less(a, b):
    return _ordered(a, b, True, lambda x, y: x < y) if _sequence(a, b) else a < b


def less_equal(a, b):
    return _ordered(a, b, False, lambda x, y: x < y) if _sequence(a, b) else a <= b


def greater(a, b):
    return _ordered(a, b, True, lambda x, y: x > y) if _sequence(a, b) else a > b


def greater_equal(a, b):
    return _ordered(a, b, False, lambda x, y: x > y) if _sequence(a, b) else a >= b


def contains(a, container):
    """`a in container`: equality with any element, where something is dynamic."""
    if isinstance(container, ranges.range) or (isinstance(container, builtins.range) and dynamic(a)):
        return _in_range(a, container)
    if not isinstance(container, (tuple, list, dict, set, frozenset)):
        return a in container
    if not holds_dynamic(a) and not any(holds_dynamic(item) for item in container):
        return a in container
    return any_(equal(a, item) if item is not a else True for item in container)


def _in_range(a, r):
    if dynamic(r.step):
        refuse("`in` a range with a step that is known only at run time; write the test out", DynamicValueError)
    low, high = (r.start, r.stop) if r.step > 0 else (r.stop + 1, r.start + 1)
    return all_([low <= a, a < high, (a - r.start) % abs(r.step) == 0])


def _folded(arguments, start, needs, combine):
    """The arguments as Booleans, combined until the result is known."""
    result = start
    for item in _one(arguments):
        if not needs(result):
            return not start
        result = combine(result, item if dynamic(item) else bool(item))
    return result


def any_(*arguments):
    return _folded(arguments, False, needs_or, either)


def all_(*arguments):
    return _folded(arguments, True, needs_and, both)


def _one(arguments):
    if len(arguments) != 1:
        raise TypeError(f"expected 1 argument, got {len(arguments)}")
    return arguments[0]


def _extreme(builtin, op):
    def function(*arguments, **keywords):
        items = list(arguments[0]) if len(arguments) == 1 and not dynamic(arguments[0]) else list(arguments)
        if not any(dynamic(item) for item in items):
            return builtin(items, **keywords)
        if keywords.get("key") is not None:
            refuse(f"{builtin.__name__}() with a key takes no run-time values; write the comparison out",
                   DynamicValueError)
        backend, result = current().backend, items[0]
        for item in items[1:]:
            like = backend.promote(result, item)
            result = backend.binary(op, backend.convert(result, like), backend.convert(item, like))
        return result

    return function


def _refusing(builtin, instead):
    def function(*arguments, **keywords):
        if arguments and dynamic(arguments[0]):
            refuse(f"{builtin.__name__}() of a value that is known only at run time: {instead}", DynamicValueError)
        return builtin(*arguments, **keywords)

    return function


def _never(builtin):
    def function(*_arguments, **_keywords):
        refuse(f"{builtin.__name__}() is not supported in @jit and @kernel functions: what it runs would not be "
               "rewritten. Call a function that is decorated")

    return function


def _abs(a):
    if dynamic(a) and not hasattr(type(a), "__abs__"):
        return select(a < 0, -a, a)
    return abs(a)


def _divmod(a, b):
    return (a // b, a % b) if dynamic(a) or dynamic(b) else divmod(a, b)


def _pow(base, exp, mod=None):
    if mod is not None and any(map(dynamic, (base, exp, mod))):
        refuse("pow() with a modulus takes no run-time values; write (a ** b) % m", DynamicValueError)
    return pow(base, exp, mod) if mod is not None else base ** exp


def _range(*bounds, **options):
    """Python's range; with a run-time bound, or options of loops (unroll_full=True), ours."""
    if options or any(dynamic(bound) for bound in bounds):
        return ranges.range(*bounds, **options)
    return builtins.range(*bounds)


def _len(of):
    if not hasattr(type(of), "__len__") and hasattr(of, "layout"):
        refuse("len() of a tensor: write cute.size(t), which counts its elements, or cute.size(t, mode=[0])")
    return len(of)


def _of_math():
    """Functions of Python's math, which take constants, beside those of cute.math with the same names."""
    same = "acos asin atan atan2 ceil cos erf exp floor log log10 log2 sin sqrt tan tanh".split()
    instead = {**{name: f"cute.math.{name}(x)" for name in same}, "fabs": "cute.math.absf(x)", "pow": "x ** y",
               "exp2": "cute.math.exp2(x)", "isnan": "x != x"}
    return [(getattr(math, name), _refusing(getattr(math, name), f"write {text}"))
            for name, text in instead.items() if hasattr(math, name)]  # exp2: since Python 3.11


_REDIRECTED = {id(builtin): function for builtin, function in (
    (min, _extreme(min, "min")), (max, _extreme(max, "max")), (any, any_), (all, all_), (abs, _abs),
    (divmod, _divmod), (pow, _pow), (builtins.range, _range),
    (bool, _refusing(bool, "use it as a condition, or write x != 0")),
    (int, _refusing(int, "write Int32(x), or x.to(Int32)")),
    (float, _refusing(float, "write Float32(x), or x.to(Float32)")),
    (round, _refusing(round, "write Int32(cute.math.floor(x + 0.5)), which rounds halves up")),
    (len, _len), *_of_math(), (exec, _never(exec)), (eval, _never(eval)))}


def redirected(function):
    """What a call of the function calls instead: builtins that have to know dynamic values."""
    return _REDIRECTED.get(id(function), function)
