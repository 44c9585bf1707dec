# _powers.py -- ** of vectors (TensorSSA) and run-time numbers, abs() of vectors.

import math

from .. import _core
from .._errors import UserError
from .._numbers import CLASSES, Numeric, is_number

_SQUARED = 64  # whole constant exponents up to this are multiplications


def _known(x):
    """The Python number of a constant, else None."""
    if isinstance(x, Numeric):
        return x._v.value if x._v.is_constant else None
    return x if isinstance(x, (int, float)) else None


def _float(x):
    """A vector or run-time number as floating point; what is that stays."""
    return x if not hasattr(x, "dtype") or x.dtype.is_float else x.to(CLASSES["Float32"])


def _whole(base, exponent):
    """By squaring: exponent is an int from 0."""
    result = None
    for bit in bin(exponent)[2:]:
        result = result * result if result is not None else None
        if bit == "1":
            result = base if result is None else result * base
    if result is not None:
        return result
    return _core.full(base.shape, 1, base.dtype) if isinstance(base, _core.TensorSSA) else base.dtype(1)


def _boolean_free(x):
    return x.to(CLASSES["Int32"]) if getattr(x, "dtype", None) is CLASSES["Boolean"] else x


def _of_constant(base, exponent):
    """A vector or number to the power of a Python number."""
    if abs(exponent) <= _SQUARED and float(exponent).is_integer():
        if isinstance(exponent, float) or exponent < 0:
            base = _float(base)
        made = _whole(base, abs(int(exponent)))
        return made if exponent >= 0 else 1.0 / made
    if isinstance(exponent, int) and exponent >= 0:
        return _whole(base, exponent)
    if exponent == 0.5:
        return _core.math.sqrt(_float(base))
    return _core.pow(_float(base), float(exponent))


def _integers(base, exponent):
    """Integers, each to the power of its own exponent: by squaring, and 0 where the exponent is negative and the power a fraction."""
    base = base if hasattr(base, "dtype") else exponent.dtype(base)
    vector = next((x for x in (base, exponent) if isinstance(x, _core.TensorSSA)), None)
    if vector is None:
        one = result = base.dtype(1)
    else:
        base, exponent = (x if isinstance(x, _core.TensorSSA) else _core.full(vector.shape, x, x.dtype) for x in (base, exponent))
        one = result = _core.full(vector.shape, 1, base.dtype)
    square = base
    for bit in range(exponent.dtype.width):
        result = result * _core.where((exponent >> bit & 1) != 0, square, one)
        square = square * square
    if not exponent.dtype.signed:
        return result
    unit = (base == 1) | (base == -1) if base.dtype.signed else base == 1
    return _core.where((exponent >= 0) | unit, result, one - one)


def power(base, exponent):
    """base ** exponent, one of them a vector or a run-time number."""
    if not all(isinstance(x, _core.TensorSSA) or is_number(x) for x in (base, exponent)):
        return NotImplemented
    base, exponent = _boolean_free(base), _boolean_free(exponent)
    known = _known(exponent)
    if known is not None:
        return _of_constant(base, int(known) if isinstance(known, bool) else known)
    number = _known(base)
    exact = exponent.dtype.is_integer and (isinstance(number, int) if number is not None else base.dtype.is_integer)
    if exact:
        return _integers(int(number) if number is not None else base, exponent)
    if number == 2:
        return _core.math.exp2(_float(exponent))
    return _core.pow(_float(base), _float(exponent))


def _pow(self, exponent, modulus=None):
    return NotImplemented if modulus is not None else power(self, exponent)


def _abs(self):
    if self.dtype is CLASSES["Boolean"]:
        raise UserError("abs() of a vector of Boolean: it has no sign; convert it, x.to(Int32), to compute with it")
    if self.dtype.is_float:
        return _core.math.absf(self)
    return _core.where(self < 0, -self, self) if self.dtype.signed else self


_core.TensorSSA.__pow__, _core.TensorSSA.__abs__ = _pow, _abs
_core.TensorSSA.__rpow__ = lambda self, base, modulus=None: NotImplemented if modulus is not None else power(base, self)
