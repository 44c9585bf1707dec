# _generate.py -- loops made by calls: for_generate, while_generate, yield_out, for programs that write no statement.
"""What is carried from one iteration to the next lies in slots: `yield_out` says what the next one gets."""

import threading

from . import _backend, _core
from ._errors import UserError
from ._numbers import Numeric
from ._staging import current

_open = threading.local()


def _stack():
    if not hasattr(_open, "loops"):
        _open.loops = []
    return _open.loops


class _Loop:
    """A loop whose body is traced once, between begin and end."""

    def __init__(self, inputs, what):
        self.what, self.yielded, self.results = what, None, None
        self.carried = [x if isinstance(x, Numeric) else Numeric(x) for x in inputs]

    def begin(self):
        self.slots = [_core.Slot(type(x), x) for x in self.carried]

    def values(self):
        return [slot.load() for slot in self.slots]

    def enter(self):
        _stack().append(self)
        current().depth += 1

    def leave(self, region):
        current().depth -= 1
        _stack().pop()
        if self.slots and self.yielded is None:
            raise UserError(f"{self.what}: yield_out(...) with {len(self.slots)} values was expected in the body")
        for slot, value in zip(self.slots, self.yielded or ()):
            slot.store(_core.convert(value, slot.dtype))
        region.close()
        self.results = self.values()


def yield_out(args=(), *, loc=None, ip=None):
    """In the body of for_generate or while_generate: what the next iteration gets, or the loop results in. The list of them."""
    values = list(args) if isinstance(args, (tuple, list)) else [args]
    if _stack():
        loop = _stack()[-1]
        if len(values) != len(loop.slots):
            raise UserError(f"yield_out: {len(loop.slots)} values were expected, as {loop.what} was given, not {len(values)}")
        loop.yielded = values
    return values


class _While(_Loop):
    """`with while_generate([a, b], lambda a, b: a < b) as (a, b): ...; yield_out([...])`; then `.results`."""

    def __init__(self, inputs, condition):
        super().__init__(inputs, "while_generate")
        self.condition = condition

    def __enter__(self):
        self.begin()
        self.region = _core.open_while()
        values = self.values()
        self.region.condition(self.condition(*values))
        self.enter()
        return tuple(values)

    def __exit__(self, kind, *_):
        if kind is None:
            self.leave(self.region)
        else:
            current().depth -= 1
            _stack().pop()
        return False


def while_generate(inputs, condition, *, loc=None, ip=None):
    """A `while` from a condition: its body gets the values, and yield_out gives those of the next test; `.results` behind it."""
    return _While(inputs, condition)


class _For(_Loop):
    """`for i, (a, b) in for_generate(0, n, 1, [a, b]): ...; yield_out([...])`; without iter_args `for i in ...`."""

    def __init__(self, bounds, carried, unroll):
        super().__init__(carried or (), "for_generate")
        self.bounds, self.unroll, self.bare = bounds, unroll, carried is None

    def __iter__(self):
        self.begin()
        region = _core.open_for(*self.bounds, self.unroll or 0, False)
        self.enter()
        yield region.index if self.bare else (region.index, tuple(self.values()))
        self.leave(region)


def for_generate(start, stop=None, step=None, iter_args=None, *, unroll=None, prefetch_stages=None, loc=None, ip=None):
    """A `for` over a range: its body is traced once, and yield_out gives what the next iteration gets; `.results` behind it.
    prefetch_stages has no effect, which the log says."""
    if prefetch_stages:
        _backend.no_effect("for_generate: prefetch_stages", _backend.PREFETCH)
    bounds = (0, start, 1) if stop is None else (start, stop, 1 if step is None else step)
    return _For(bounds, iter_args, unroll)


__all__ = ["for_generate", "while_generate", "yield_out"]
