# math.py -- operations of the math dialect on Cutwork's numbers and vectors.

from ... import _core


def absi(a, *, loc=None, ip=None):
    """The absolute value of integers; of the least one it is itself."""
    if isinstance(a, _core.TensorSSA):
        return _core.where(a < 0, -a, a)
    return _core.select(a < 0, -a, a)


def __getattr__(name):
    of = getattr(_core.math, name, None)
    if of is None:
        raise AttributeError(f"cutlass._mlir.dialects.math has no '{name}' here")

    def operation(a, *, fastmath=False, loc=None, ip=None):
        return of(a, bool(fastmath))

    return operation
