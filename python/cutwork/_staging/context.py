# context.py -- which trace the running code belongs to, and whether a value is dynamic in it.
"""A trace is made current by `with trace(backend):`, one for each kernel or host function that is
traced; inside another trace it is a trace of its own. The state is per thread. Without a trace
nothing is dynamic, and rewritten functions behave as the Python source says."""

import contextlib
import sys
import threading


class Eager:
    """The backend when nothing is traced."""

    @staticmethod
    def is_dynamic(_):
        return False

    @staticmethod
    def in_kernel():
        return False


class Trace:
    """One trace: its backend, and how many staged regions are open in it."""

    __slots__ = ("backend", "depth", "staging", "entered")

    def __init__(self, backend, staging=True, entered=None):
        self.backend, self.depth, self.staging = backend, 0, staging
        self.entered = entered  # the code that made it: frames behind are not traced


_EAGER = Trace(Eager, staging=False)


class _Local(threading.local):
    trace = _EAGER


_local = _Local()


def current():
    """The current trace; one that stages nothing if there is none."""
    return _local.trace


@contextlib.contextmanager
def trace(backend):
    """Makes a new trace with this backend current."""
    before = _local.trace
    _local.trace = Trace(backend, entered=sys._getframe(2).f_code)
    try:
        yield _local.trace
    finally:
        _local.trace = before


# Never dynamic, whatever the backend: most values that are asked about have one of these types.
PLAIN = frozenset([bool, int, float, str, bytes, complex, type(None), tuple, list, dict, set, type])


def dynamic(value):
    """Whether the value is known only at run time."""
    return type(value) not in PLAIN and _local.trace.backend.is_dynamic(value)


def is_number_object(value):
    """Whether the value is of a number class, known or not; only while something is traced."""
    return type(value) not in PLAIN and _local.trace.backend.kind(value) is not None


def holds_dynamic(value):
    """Whether the value, or an element of a list or tuple, is known only at run time."""
    if isinstance(value, (tuple, list)):
        return any(holds_dynamic(item) for item in value)
    return dynamic(value)
