# math.py -- functions of numbers and vectors.

from .. import _core
from .._errors import explain as _explain


def _define(name, doc):
    of = getattr(_core.math, name)

    def function(a, fastmath=False, *, loc=None, ip=None):
        return of(a, bool(fastmath))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


exp, exp2 = _define("exp", "e to the power of a."), _define("exp2", "2 to the power of a.")
log, log2, log10 = _define("log", "The natural logarithm."), _define("log2", "To base 2."), _define("log10", "To base 10.")
sqrt, rsqrt = _define("sqrt", "The square root."), _define("rsqrt", "1 / sqrt(a).")
sin, cos, tanh = _define("sin", "Of radians."), _define("cos", "Of radians."), _define("tanh", "The hyperbolic tangent.")
tan, atan = _define("tan", "Of radians."), _define("atan", "In radians.")
asin, acos = _define("asin", "In radians."), _define("acos", "In radians.")
erf, rcp = _define("erf", "The error function."), _define("rcp", "1 / a.")
sigmoid = _define("sigmoid", "1 / (1 + exp(-a)).")
floor, ceil, absf = _define("floor", "Down."), _define("ceil", "Up."), _define("absf", "The absolute value.")


def fma(a, b, c, *, loc=None, ip=None):
    """a * b + c, rounded once."""
    return _core.math.fma(a, b, c)


def atan2(a, b, fastmath=False, *, loc=None, ip=None):
    """The angle of the point (b, a) in radians, from -pi to pi. fastmath changes nothing."""
    return _core.atan2(a, b)


def max(a, b, *, loc=None, ip=None):  # noqa: A001
    """The greater one; NaN if one is."""
    if isinstance(a, _core.TensorSSA) or isinstance(b, _core.TensorSSA):
        return _core.vector_max(a, b)
    return _core.max(a, b)


def min(a, b, *, loc=None, ip=None):  # noqa: A001
    """The smaller one; NaN if one is."""
    if isinstance(a, _core.TensorSSA) or isinstance(b, _core.TensorSSA):
        return _core.vector_min(a, b)
    return _core.min(a, b)


_explain(globals())

__all__ = ["absf", "acos", "asin", "atan", "atan2", "ceil", "cos", "erf", "exp", "exp2", "floor", "fma", "log", "log10", "log2", "max", "min", "rcp", "rsqrt",
           "sigmoid", "sin", "sqrt", "tan", "tanh"]
