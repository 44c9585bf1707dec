# _numbers.py -- the number classes: Boolean, Int8 ... Float64, as types and as traced values.
"""An instance holds a constant, which folds, or a value that is known only at run time. The C++
language decides types, promotion and what is emitted; here are the classes and their operators."""


import operator

from . import _core
from ._staging.errors import DynamicValueError, refuse

_ROWS = {row["code"]: row for row in _core.dtypes()}


class NumericMeta(type):
    """The type of the number classes; prints as programs write it."""

    def __str__(cls):
        return cls.__name__

    def __repr__(cls):
        return cls.__name__

    @property
    def bytes(cls):
        return max(1, cls._storage // 8)

    @property
    def zero(cls):
        return 0.0 if cls.is_float else 0

    @property
    def mlir_type(cls):
        return cls

    @property
    def dtype(cls):
        return cls

    def is_same_kind(cls, other):
        return cls.is_float == other.is_float and cls.is_integer == other.is_integer

    @property
    def numpy_dtype(cls):
        import numpy

        names = {"Boolean": "bool", "Float16": "float16", "Float32": "float32", "TFloat32": "float32",
                 "Float64": "float64"}
        name = names.get(cls.__name__, cls.__name__.lower() if cls.is_integer else None)
        return numpy.dtype(name) if name else None


def _refuse_number(cls, value):
    raise TypeError(f"{cls.__name__}: a number was expected, not {type(value).__name__} ({value!r})")


def _binary(function, reflected=False):
    def method(self, other):
        if not is_number(other):
            return NotImplemented
        return function(other, self) if reflected else function(self, other)

    return method


def is_number(value):
    """Whether it is a Python number or an instance of a number class."""
    return isinstance(value, (int, float, Numeric)) or (hasattr(value, "__index__") and not isinstance(value, type))


class Numeric(metaclass=NumericMeta):
    """Base of the number classes. `Numeric(x)` is x as the class that fits it."""

    __slots__ = ("_v", "ptr", "load", "__weakref__")  # ptr, load: of what was read from a field of a @struct, where that is
    _dtype = None
    _storage = 0
    width = 0
    is_float = is_integer = signed = False

    def __new__(cls, value=0, *, loc=None, ip=None):
        if isinstance(value, Numeric) and (cls is Numeric or type(value) is cls):
            return value
        if not is_number(value):
            if hasattr(value, "to") and hasattr(value, "_v"):
                return value.to(cls)
            _refuse_number(cls, value)
        target = cls if cls is not Numeric else class_for(value)
        made = _core.convert(value, target)
        if type(made) is not target and issubclass(target, type(made)):  # a class that a user derived
            held, made = made._v, object.__new__(target)
            made._v = held
        return made

    # -- what is known

    @property
    def dtype(self):
        return type(self)

    @property
    def value(self):
        """The constant, or this object where the value is known only at run time."""
        constant = self._v.value
        return self if constant is None else constant

    def is_static(self):
        return False

    def ir_value(self, *, loc=None, ip=None):
        return self

    @property
    def is_constant(self):
        return self._v.is_constant

    def _constant(self, what):
        if self._v.is_constant:
            return self._v.value
        more = (". Elements that run-time values choose are those of a tensor (cute.make_rmem_tensor), not of a Python list "
                "or tuple") if what == "an index" else ""
        refuse(f"{what} needs a value that is known while tracing, and this {type(self).__name__} is known only at run "
               f"time{more}", DynamicValueError)

    def __bool__(self):
        if not self._v.is_constant:
            refuse(f"this {type(self).__name__} is known only at run time and is neither true nor false while "
                   "tracing: branch on it in a function decorated with @cute.jit or @cute.kernel, or use "
                   "cutlass.select_ or cute.where", DynamicValueError)
        return bool(self._v.value)

    def __index__(self):
        if type(self).is_float:
            raise TypeError(f"a {type(self).__name__} is no index")
        return operator.index(int(self._constant("an index")))

    def __int__(self):
        return int(self._constant("int()"))

    def __float__(self):
        return float(self._constant("float()"))

    def __hash__(self):
        if not self._v.is_constant:
            refuse(f"a key of a dict, or an element of a set, has to be known while tracing, and this {type(self).__name__} is known "
                   "only at run time: choose with `if`, or keep the values in a tensor", DynamicValueError)
        return hash(self._v.value)

    def __str__(self):
        return self._v.leaf_text or "?"

    def __repr__(self):
        return f"{type(self).__name__}({self})"

    def __format__(self, specification):
        if not self._v.is_constant:
            return str(self)  # "?", whatever the number would look like
        return format(self._v.value, specification) if specification else str(self)

    # -- conversions

    def to(self, target, *, rounding=None, saturate=False, loc=None, ip=None):
        """The value in another type; int, float and bool of a constant."""
        if target in (int, float, bool):
            return target(self._constant(f"to({target.__name__})"))
        if rounding is not None or saturate:
            return _core.convert_rounded(self, target, rounding or "rn", saturate)
        return _core.convert(self, target)

    def bitcast(self, target):
        return _core.bitcast(self, target)

    # -- operators

    __add__, __radd__ = _binary(_core.add), _binary(_core.add, True)
    __sub__, __rsub__ = _binary(_core.sub), _binary(_core.sub, True)
    __mul__, __rmul__ = _binary(_core.mul), _binary(_core.mul, True)
    __truediv__, __rtruediv__ = _binary(_core.truediv), _binary(_core.truediv, True)
    __floordiv__, __rfloordiv__ = _binary(_core.floordiv), _binary(_core.floordiv, True)
    __mod__, __rmod__ = _binary(_core.mod), _binary(_core.mod, True)
    __and__, __rand__ = _binary(_core.and_), _binary(_core.and_, True)
    __or__, __ror__ = _binary(_core.or_), _binary(_core.or_, True)
    __xor__, __rxor__ = _binary(_core.xor), _binary(_core.xor, True)
    __lshift__, __rlshift__ = _binary(_core.shl), _binary(_core.shl, True)
    __rshift__, __rrshift__ = _binary(_core.shr), _binary(_core.shr, True)
    __lt__, __le__ = _binary(_core.lt), _binary(_core.le)
    __gt__, __ge__ = _binary(_core.gt), _binary(_core.ge)
    __eq__, __ne__ = _binary(_core.eq), _binary(_core.ne)

    def __neg__(self):
        return _core.neg(self)

    def __pos__(self):
        return self

    def __abs__(self):
        if type(self).is_float:
            return _core.math.absf(self)
        return _core.max(self, -self) if type(self).signed else self

    def __invert__(self):
        return _core.invert(self)

    def __divmod__(self, other):
        return self // other, self % other

    def __pow__(self, exponent, modulus=None):
        from .cute._powers import power

        return NotImplemented if modulus is not None else power(self, exponent)

    def __rpow__(self, base, modulus=None):
        from .cute._powers import power

        return NotImplemented if modulus is not None else power(base, self)

    # -- the protocol of values that cross regions and kernels

    def __extract_mlir_values__(self):
        return [self]

    def __new_from_mlir_values__(self, values):
        return values[0]


class Integer(Numeric):
    """Base of the integer classes."""

    __slots__ = ()


class Float(Numeric):
    """Base of the floating-point classes."""

    __slots__ = ()
    inf = float("inf")
    nan = float("nan")


_LARGEST = {"Float16": 65504.0, "BFloat16": (2 - 2.0**-7) * 2.0**127, "Float32": (2 - 2.0**-23) * 2.0**127,
            "TFloat32": (2 - 2.0**-10) * 2.0**127, "Float64": (2 - 2.0**-52) * 2.0**1023, "Float8E4M3FN": 448.0,
            "Float8E5M2": 57344.0}


def _limits(row):
    if row["float"]:
        largest = _LARGEST.get(row["name"])
        return {} if largest is None else {"min": -largest, "max": largest}
    if row["name"] == "Boolean":
        return {"min": 0, "max": 1}
    bits = row["width"]
    low = -(1 << (bits - 1)) if row["signed"] else 0
    return {"min": low, "max": (1 << (bits - 1)) - 1 if row["signed"] else (1 << bits) - 1}


def _define(row):
    base = Float if row["float"] else Integer
    members = {"__slots__": (), "__module__": "cutwork.cute", "_dtype": row["code"], "_storage": row["storage"],
               "width": row["width"], "is_float": row["float"], "is_integer": not row["float"],
               "signed": row["signed"] or row["float"], **_limits(row)}
    return NumericMeta(row["name"], (base,), members)


CLASSES = {row["name"]: _define(row) for row in _ROWS.values()}
globals().update(CLASSES)

_PENDING = {}


class _NotYet(NumericMeta):
    """A type of the field that has no arithmetic here yet: it can be named, and be asked for its width."""

    def __call__(cls, *arguments, **keywords):
        raise NotImplementedError(f"{cls.__name__} is not supported yet (docs/support.md)")


def _pending(name, width, is_float=True, signed=True):
    _PENDING[name] = _NotYet(name, (Numeric,), {
        "__slots__": (), "__module__": "cutwork.cute", "_dtype": None, "_storage": max(8, width), "width": width,
        "is_float": is_float, "is_integer": not is_float, "signed": signed})


for _name, _width in (("Float8E4M3", 8), ("Float8E4M3B11FNUZ", 8), ("Float8E8M0FNU", 8), ("Float6E3M2FN", 6),
                      ("Float6E2M3FN", 6), ("Float4E2M1FN", 4)):
    _pending(_name, _width)
for _name, _width, _signed in (("Int4", 4, True), ("Int128", 128, True), ("Uint128", 128, False)):
    _pending(_name, _width, False, _signed)
globals().update(_PENDING)


class ScaledBasis:
    """value@path: the coordinate that is `value` in one mode and 0 elsewhere; the innermost mode prints first."""

    __slots__ = ("path", "value")

    def __init__(self, value, mode):
        self.value = value
        self.path = tuple(mode) if isinstance(mode, (tuple, list)) else (mode,)

    @property
    def mode(self):
        return list(self.path)

    def is_static(self):
        return isinstance(self.value, int)

    def __str__(self):
        return "@".join([str(self.value), *map(str, reversed(self.path))])

    __repr__ = __str__

    def __eq__(self, other):
        return isinstance(other, ScaledBasis) and (self.value, self.path) == (other.value, other.path)

    def __hash__(self):
        return hash((self.value, self.path))

    def __mul__(self, factor):
        return ScaledBasis(self.value * factor, self.path)

    __rmul__ = __mul__


def E(mode):  # noqa: N802  (the field's name of a basis element)
    """The basis element of a mode, or of a path of modes."""
    return ScaledBasis(1, mode)


def class_for(value):
    """The class of a Python number: Boolean, Int32 (Int64, Uint64 if it needs them), Float32."""
    if isinstance(value, bool):
        return CLASSES["Boolean"]
    if isinstance(value, float):
        return CLASSES["Float32"]
    number = operator.index(value)
    if -(1 << 31) <= number < 1 << 31:
        return CLASSES["Int32"]
    return CLASSES["Int64" if number < 1 << 63 else "Uint64"]


_TORCH = {"float32": "Float32", "float64": "Float64", "float16": "Float16", "bfloat16": "BFloat16", "bool": "Boolean",
          "float8_e4m3fn": "Float8E4M3FN", "float8_e5m2": "Float8E5M2", **{f"int{n}": f"Int{n}" for n in (8, 16, 32, 64)},
          **{f"uint{n}": f"Uint{n}" for n in (8, 16, 32, 64)}}


def dtype(value):
    """The number class of a class, a name ("Float16", "float16") or a torch or numpy type."""
    if isinstance(value, NumericMeta):
        return value
    name = str(value).removeprefix("torch.")
    found = CLASSES.get(name) or CLASSES.get(_TORCH.get(name, "")) or _PENDING.get(name)
    if found is None:
        raise TypeError(f"dtype: no element type for {value!r}; there are {', '.join(CLASSES)}")
    return found


_core.set_classes({row["code"]: CLASSES[row["name"]] for row in _ROWS.values()} | {"basis": ScaledBasis})




def kind(value):
    """'bool', 'int' or 'float' of a number, else None."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, float)):
        return type(value).__name__
    if not isinstance(value, Numeric):
        return None
    cls = type(value)
    return "bool" if cls.__name__ == "Boolean" else "float" if cls.is_float else "int"
