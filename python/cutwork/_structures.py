# _structures.py -- what lists, tuples, dicts, dataclasses and partials consist of, and how they are made again.
"""The one place that knows how a structure is taken apart: arguments of host functions (_arguments.py), parameters of kernels
and variables that cross run-time regions (_staging/tree.py) all ask `children` and `assemble`. What a leaf is they say themselves."""

import copy
import dataclasses
import enum
import functools
import types

# Never taken apart, and known while tracing.
STATIC = (str, bytes, type(None), type, enum.Enum, types.ModuleType, types.FunctionType, types.MethodType,
          types.BuiltinFunctionType)


def is_frozen(obj):
    parameters = getattr(type(obj), "__dataclass_params__", None)
    return parameters is not None and parameters.frozen


def children(obj):
    """(names, children) of a structure, the names keys, fields or indices; None for what is none."""
    if isinstance(obj, (tuple, list)):
        names = type(obj)._fields if isinstance(obj, tuple) and hasattr(type(obj), "_fields") else range(len(obj))
        return tuple(names), list(obj)
    if isinstance(obj, dict):
        return tuple(obj), list(obj.values())
    if isinstance(obj, functools.partial):
        return ("func", *range(len(obj.args)), *obj.keywords), [obj.func, *obj.args, *obj.keywords.values()]
    if dataclasses.is_dataclass(obj) and not isinstance(obj, type):
        names = tuple(field.name for field in dataclasses.fields(obj) if hasattr(obj, field.name))
        return names, [getattr(obj, name) for name in names]
    return None


def other_state(obj):
    """The names of what an object of a dataclass has besides its children."""
    known = {field.name for field in dataclasses.fields(obj)}
    return tuple(name for name in getattr(obj, "__dict__", ()) if name not in known)


def exact_names(names):
    """Names that are equal only if they are the same keys: 1, True and 1.0 are equal, and hash alike."""
    return tuple((type(name), name.hex() if type(name) is float else name) for name in names)


def same_constant(a, b):
    """Whether a trace with one compiled in serves the other."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if type(a) is float:
        return a.hex() == b.hex()
    if type(a) in (tuple, list, dict, functools.partial):
        (names, inner), (others, right) = children(a), children(b)
        return exact_names(names) == exact_names(others) and all(map(same_constant, inner, right))
    try:
        return (a == b) is True  # `==` of a user's class may give anything
    except Exception:
        return False


def is_structure(kind):
    """Whether objects of the class have children."""
    return issubclass(kind, (tuple, list, dict, functools.partial)) or dataclasses.is_dataclass(kind)


def step(kind, name):
    """How the program writes the way to a child: [1], ['key'], .field."""
    return f"[{name!r}]" if issubclass(kind, dict) or isinstance(name, int) else f".{name}"


def assemble(kind, names, items, like=None, in_place=False):
    """A structure of class `kind` from its children. `like`: one of that class, whose other state it gets, and which is
    changed and given back if `in_place` and it can be changed."""
    same = type(like) is kind
    keep = in_place and same
    if issubclass(kind, list):
        return _refilled(kind, like if same else None, keep, lambda new: new.__setitem__(slice(None), items))
    if issubclass(kind, tuple):
        return kind(*items) if hasattr(kind, "_fields") else kind(items)
    if issubclass(kind, dict):
        return _refilled(kind, like if same else None, keep, lambda new: (new.clear(), new.update(zip(names, items))))
    if issubclass(kind, functools.partial):
        count = sum(isinstance(name, int) for name in names)
        return kind(*items[:1 + count], **dict(zip(names[1 + count:], items[1 + count:])))
    return _dataclass(kind, names, items, like if same else None, keep)


def _refilled(kind, like, keep, fill):
    plain = kind in (list, dict) or like is None
    new = like if keep else kind() if plain else copy.copy(like)
    fill(new)
    return new


def _dataclass(kind, names, items, like, keep):
    target = like
    if not keep or is_frozen(like):
        target = object.__new__(kind)  # not by its constructor, which ran when the object was made
        if like is not None and hasattr(like, "__dict__"):
            target.__dict__.update(like.__dict__)
    for name, item in zip(names, items):
        object.__setattr__(target, name, item)
    return target


__all__ = ["STATIC", "assemble", "children", "exact_names", "is_frozen", "is_structure", "other_state", "same_constant", "step"]
