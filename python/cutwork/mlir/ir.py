# ir.py -- types, values and places, as the programs name them: Cutwork's own numbers.

import re

from .._errors import UserError
from .._numbers import CLASSES, Numeric
from .structures import PointerType, StructType


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

    def __eq__(self, other):
        return isinstance(other, VectorType) and (self.shape, self.element_type) == (other.shape, other.element_type)

    def __hash__(self):
        return hash((self.shape, self.element_type))

    def __repr__(self):
        return f"vector<{'x'.join(map(str, self.shape))}x{self.element_type}>"


NUMBERS = {"i1": "Boolean", "i8": "Int8", "i16": "Int16", "i32": "Int32", "i64": "Int64", "f16": "Float16", "bf16": "BFloat16",
            "f32": "Float32", "f64": "Float64", "f8E4M3FN": "Float8E4M3FN", "f8E5M2": "Float8E5M2"}
_TOKEN = re.compile(r"\s*(!llvm\.ptr|!llvm\.struct<|vector<|packed|[\w.]+|.)")


class Type:
    """Types from MLIR's text: numbers, vector<4xf32>, !llvm.ptr, !llvm.struct<(i32, f32)>."""

    @staticmethod
    def parse(text, context=None):
        words = [word for word in _TOKEN.findall(text) if word.strip()]
        made = _parsed(words, text)
        if words:
            raise _no_type(text)
        return made


def _no_type(text):
    return UserError(f"Type.parse: {text!r} is no type that is known here: {', '.join(NUMBERS)}, vectors of them, !llvm.ptr, "
                     "!llvm.struct<(...)>")


def _expect(words, wanted, text):
    if not words or words.pop(0) != wanted:
        raise _no_type(text)


def _parsed(words, text):
    """The type at the beginning of the words, which are taken."""
    word = words.pop(0) if words else ""
    if word in NUMBERS:
        return CLASSES[NUMBERS[word]]
    if word == "!llvm.ptr":
        return PointerType()
    if word == "vector<":
        *extents, element = (words.pop(0) if words else "").split("x")
        _expect(words, ">", text)
        if not extents or not all(n.isdigit() for n in extents) or element not in NUMBERS:
            raise _no_type(text)
        return VectorType(map(int, extents), CLASSES[NUMBERS[element]])
    if word == "!llvm.struct<":
        return _parsed_struct(words, text)
    raise _no_type(text)


def _parsed_struct(words, text):
    packed = bool(words) and words[0] == "packed"
    del words[:packed]
    _expect(words, "(", text)
    fields = []
    while words and words[0] != ")":
        if fields:
            _expect(words, ",", text)
        fields.append(_parsed(words, text))
    _expect(words, ")", text)
    _expect(words, ">", text)
    return StructType(fields, packed)


class _Place:
    """What operations accept and need not be told: a trace knows by itself where it is."""

    current = None

    def __init__(self, *_, **__):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


class Location(_Place):
    """A place in the user's source. Operations find theirs from Python's frames, whatever is passed."""

    unknown = name = file = fused = classmethod(lambda cls, *_, **__: cls())


class InsertionPoint(_Place):
    """Where operations go: always behind what was traced before."""

    at_block_begin = at_block_terminator = after = classmethod(lambda cls, *_, **__: cls())
