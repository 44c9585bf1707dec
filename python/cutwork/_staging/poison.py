# poison.py -- the value of a variable that has none on some way through staged code.
"""Rewritten code asks before it reads such a variable; where it cannot (attributes, elements of
lists) the object itself reports any use."""

from .errors import UnboundError, user_place


class Poison:
    """Raises when it is used."""

    __slots__ = ("_name", "_message")

    def __init__(self, name, message):
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_message", message)

    def __repr__(self):
        return f"<no value for {object.__getattribute__(self, '_name')}>"


def report(poison):
    raise UnboundError(object.__getattribute__(poison, "_message"), *user_place())


def _use(self, *_arguments, **_keywords):
    report(self)


for _name in ("bool", "call", "iter", "len", "getitem", "setitem", "contains", "index", "int", "float", "neg", "pos",
              "abs", "invert", "eq", "ne", "lt", "le", "gt", "ge", "hash", "enter", "format", "str", "setattr", "getattr",
              *(prefix + op for prefix in ("", "r") for op in
                ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift",
                 "rshift"))):
    setattr(Poison, f"__{_name}__", _use)
