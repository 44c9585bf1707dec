# ranges.py -- range, range_constexpr, const_expr and dynamic_expr: what loops and tests say of themselves.
"""Rewritten code recognises these objects by identity, under whatever name they are reached."""

import builtins
import operator

from .context import current, dynamic, is_number_object
from .errors import DynamicValueError, StagingError, refuse


def _options(unroll, unroll_full, prefetch_stages, vectorize, at_least_once, pipelining):
    if prefetch_stages is None:
        prefetch_stages = pipelining  # the old name
    elif pipelining is not None:
        refuse("range: `pipelining` is the old name of `prefetch_stages`; give one of them")
    numbers = {"unroll": unroll, "prefetch_stages": prefetch_stages}
    for name, value in numbers.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            refuse(f"range: {name} must be a Python int that is not negative, and is {value!r}")
    flags = {"unroll_full": unroll_full, "vectorize": vectorize, "at_least_once": at_least_once}
    for name, value in flags.items():
        if not (isinstance(value, bool) or (name == "vectorize" and value is None)):
            refuse(f"range: {name} must be a Python bool, and is {value!r}")
    return {"unroll": unroll, "unroll_full": unroll_full, "vectorize": vectorize,
            "prefetch_stages": prefetch_stages}


class range:  # noqa: A001  (the name that users write: cutlass.range)
    """`range(stop)` or `range(start, stop[, step])` of a loop that is made in the compiled code.

    unroll: times (1 forbids it, 0 leaves it to the compiler); unroll_full: needs bounds that are
    known; prefetch_stages (how many iterations ahead copies would be issued) and vectorize: hints
    that have no effect yet, which the log says once at level info; at_least_once: says that the
    loop runs at least once (accepted; the loop is right without it)."""

    __slots__ = ("start", "stop", "step", "options")

    def __init__(self, start, stop=None, step=None, *, unroll=0, unroll_full=False, prefetch_stages=None,
                 vectorize=None, at_least_once=False, pipelining=None):
        if stop is None:
            start, stop = 0, start
        self.start, self.stop, self.step = start, stop, 1 if step is None else step
        for name in ("start", "stop", "step"):
            _check_bound(name, getattr(self, name))
        if not dynamic(self.step) and operator.index(self.step) == 0:
            refuse("range: the step is 0")
        self.options = _options(unroll, unroll_full, prefetch_stages, vectorize, at_least_once, pipelining)

    @property
    def static(self):
        """The builtin range with the same elements, or None if a bound is dynamic."""
        bounds = (self.start, self.stop, self.step)
        if any(dynamic(bound) for bound in bounds):
            return None
        return builtins.range(*map(operator.index, bounds))

    def __iter__(self):
        """For code that is not rewritten, such as comprehensions: only a known range can be listed."""
        static = self.static
        if static is None:
            refuse("a range with a bound that is known only at run time can be used in a `for` statement "
                   "of a @jit or @kernel function only: a comprehension, or a function that is not "
                   "decorated, runs while tracing", DynamicValueError)
        return iter(static)

    def __repr__(self):
        return f"range({self.start!r}, {self.stop!r}, {self.step!r})"


def _check_bound(name, value):
    if dynamic(value):
        return
    try:
        operator.index(value)
    except TypeError:
        refuse(f"range: the {name} must be an integer, and is {value!r} of type {type(value).__name__}")


class range_constexpr:
    """A range whose loop is run while tracing: its body is traced once for each element."""

    __slots__ = ("_range",)

    def __init__(self, *bounds):
        for bound in bounds:
            if dynamic(bound):
                refuse("range_constexpr: a bound is known only at run time; use `range`, which makes a "
                       "loop in the compiled code", DynamicValueError)
        self._range = builtins.range(*map(operator.index, bounds))

    def __iter__(self):
        return iter(self._range)

    def __len__(self):
        return len(self._range)

    def __getitem__(self, index):
        return self._range[index]

    def __reversed__(self):
        return reversed(self._range)


def range_dynamic(*bounds, **options):
    """The old name of `range`."""
    return range(*bounds, **options)


def const_expr(value):
    """The value, which has to be known while tracing: `if const_expr(flag):` is decided then."""
    if dynamic(value):
        refuse("const_expr: the value is known only at run time; leave const_expr out, or make the value "
               "a Python constant or a Constexpr argument", DynamicValueError)
    # Python's own: a test of number classes would count as one at run time.
    is_test = current().staging and is_number_object(value) and current().backend.kind(value) == "bool"
    return bool(value) if is_test else value


def dynamic_expr(value):
    """The value; says to the reader that it is known only at run time."""
    return value


__all__ = ["StagingError", "const_expr", "dynamic_expr", "range", "range_constexpr", "range_dynamic"]
