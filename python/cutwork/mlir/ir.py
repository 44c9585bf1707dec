# ir.py -- types and values, as the programs name them: Cutwork's own numbers.

from .._numbers import CLASSES, Numeric


class _ValueKind(type):
    def __instancecheck__(cls, instance):
        return super().__instancecheck__(instance) or (cls is Value and isinstance(instance, Numeric))


class Value(metaclass=_ValueKind):
    """A value in a trace, for classes that wrap one; numbers are values by themselves."""

    def __init__(self, value):
        self.held = value.held if type(value) is Value else value

    def __repr__(self):
        return f"Value({self.held!r})"


class IntegerType:
    """Integer types by their width."""

    @staticmethod
    def get_signless(width, context=None):
        return CLASSES["Boolean" if width == 1 else f"Int{width}"]


class F32Type:
    @staticmethod
    def get(context=None):
        return CLASSES["Float32"]


class F16Type:
    @staticmethod
    def get(context=None):
        return CLASSES["Float16"]


class VectorType:
    """A vector of so many elements of a number class."""

    def __init__(self, shape, element_type):
        self.shape, self.element_type = tuple(shape), element_type

    @staticmethod
    def get(shape, element_type, *, loc=None, **_):
        return VectorType(shape, element_type)
