# _powers.py -- ** and abs() of vectors (TensorSSA).

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
    return _core.full(base.shape, 1, base.dtype) if result is None else result


def _boolean_free(x):
    return x.to(CLASSES["Int32"]) if getattr(x, "dtype", None) is CLASSES["Boolean"] else x


def _of_constant(base, exponent):
    """A vector to the power of a Python number."""
    if abs(exponent) <= _SQUARED and float(exponent).is_integer():
        if isinstance(exponent, float) or exponent < 0:
            base = _float(base)
        made = _whole(base, abs(int(exponent)))
        return made if exponent >= 0 else 1.0 / made
    if isinstance(exponent, int) and exponent >= 0:
        return _whole(base, exponent)
    if exponent == 0.5:
        return _core.math.sqrt(_float(base))
    if not math.isfinite(exponent) or exponent == int(exponent):
        return _general(_float(base), exponent)
    return _core.math.exp2(_core.math.log2(_float(base)) * exponent)  # NaN of negative elements


def _of_constant_base(base, exponent):
    """A positive Python number to the power of a floating-point vector."""
    return _core.math.exp2(exponent if base == 2 else exponent * math.log2(base))


def _integers(base, exponent):
    """Integer elements, each to the power of its own exponent: by squaring, and 0 where the exponent is negative and the power a fraction."""
    dtype = base.dtype if hasattr(base, "dtype") else exponent.dtype
    shape = (base if isinstance(base, _core.TensorSSA) else exponent).shape
    if not isinstance(base, _core.TensorSSA):
        base = _core.full(shape, base, dtype)
    one = result = _core.full(shape, 1, base.dtype)
    square = base
    for bit in range(exponent.dtype.width):
        result = result * _core.where((exponent >> bit & 1) != 0, square, one)
        square = square * square
    if not exponent.dtype.signed:
        return result
    unit = (base == 1) | (base == -1) if base.dtype.signed else base == 1
    return _core.where((exponent >= 0) | unit, result, one - one)


def _general(base, exponent):
    """Floating-point elements: the power of the magnitude, with the sign of an odd whole exponent; NaN of a negative one to a fraction."""
    vector = base if isinstance(base, _core.TensorSSA) else exponent
    shape, dtype = vector.shape, vector.dtype

    def full(x):
        return x.to(dtype) if isinstance(x, _core.TensorSSA) else _core.full(shape, x.to(dtype) if isinstance(x, Numeric) else x, dtype)

    base, exponent = full(base), full(exponent)
    zero, one = full(0.0), full(1.0)
    made = _core.math.exp2(_core.math.log2(_core.math.absf(base)) * exponent)
    half = exponent * 0.5
    odd = (_core.math.floor(exponent) == exponent) & (_core.math.floor(half) != half)
    made = _core.where((base < zero) & odd, -made, made)
    made = _core.where((base < zero) & (_core.math.floor(exponent) != exponent), full(float("nan")), made)
    return _core.where((exponent == zero) | (base == one), one, made)


def power(base, exponent):
    """base ** exponent, one of them a vector."""
    if not all(isinstance(x, _core.TensorSSA) or is_number(x) for x in (base, exponent)):
        return NotImplemented
    base, exponent = _boolean_free(base), _boolean_free(exponent)
    known = _known(exponent)
    if known is not None:
        return _of_constant(base, int(known) if isinstance(known, bool) else known)
    number = _known(base)
    exact = exponent.dtype.is_integer and (isinstance(number, int) if number is not None else base.dtype.is_integer)
    if exact:
        return _integers(int(number) if number is not None else base, exponent if isinstance(exponent, _core.TensorSSA)
                         else _core.full(base.shape, exponent, exponent.dtype))
    if number is not None and number > 0:
        return _of_constant_base(number, _float(exponent))
    return _general(_float(base), _float(exponent))


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
