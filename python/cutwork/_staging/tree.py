# tree.py -- the flatten protocol: what is static of an object, its dynamic leaves, and the object from both.
"""`spec(obj)` says what is static of an object; `leaves(obj, spec)` are the values that are known
only at run time; `rebuild(spec, leaves, obj)` makes the object again, in place where it can change.
`meet(a, b)` is the strongest spec that both fit, or raises Mismatch.

A type of the bindings takes part by `register(type, handler)`. A handler has

    spec(obj) -> inner             comparable with ==; what is static of obj
    meet(inner_a, inner_b)         -> inner, or None if they do not fit together
    leaves(obj, inner) -> list     obj's dynamic leaves as `inner` wants them (converted if it is weaker)
    rebuild(inner, leaves, obj)    -> an object; obj is one of the same type
    count(inner) -> int            how many leaves
    describe(inner) -> str         optional: for messages
    mutable = False                optional: methods change the object, so that it is threaded (TiledMma.set)
"""

import dataclasses
import functools
import threading

from .._structures import (STATIC as _STATIC, assemble as _assemble, children as _children, exact_names as _exact_names, is_frozen,
                           same_constant as _same_constant, step as _step)
from .context import current
from .errors import StagingError


class Mismatch(Exception):
    """Two specs do not fit together; `path` leads to the place, as in `[1].name`."""

    def __init__(self, a, b, path=""):
        self.a, self.b, self.path = a, b, path
        super().__init__(f"{describe(a)} and {describe(b)}")

    def inside(self, step):
        return Mismatch(self.a, self.b, step + self.path)


class _Unbound:
    """The value of a variable that has none."""

    __slots__ = ()

    def __repr__(self):
        return "<unbound>"


UNBOUND = _Unbound()


# -- specs --------------------------------------------------------------------------------------


class Spec:
    __slots__ = ()


class Static(Spec):
    """A value that is known while tracing."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


class Core(Spec):
    """An object of a registered type; `sample` is one that has this spec."""

    __slots__ = ("handler", "inner", "sample")

    def __init__(self, handler, inner, sample):
        self.handler, self.inner, self.sample = handler, inner, sample


class Protocol(Spec):
    """An object with __extract_mlir_values__ and __new_from_mlir_values__."""

    __slots__ = ("type", "samples")

    def __init__(self, kind, samples):
        self.type, self.samples = kind, samples


class Group(Spec):
    """A composite: `type`, the names of its children (keys, field names, indices), the children."""

    __slots__ = ("type", "names", "items")

    def __init__(self, kind, names, items):
        self.type, self.names, self.items = kind, names, items


NUMBERS = (bool, int, float)

# -- the registry -------------------------------------------------------------------------------

_handlers = {}
_found = {}  # type: handler or None, by the method resolution order
_lock = threading.Lock()


def register(kind, handler):
    """Makes `handler` that of the type and of those derived from it."""
    with _lock:
        _handlers[kind] = handler
        _found.clear()


def handler_of(kind):
    try:
        return _found[kind]
    except KeyError:
        handler = next((_handlers[base] for base in kind.__mro__ if base in _handlers), None)
        _found[kind] = handler
        return handler


def has_protocol(obj):
    kind = type(obj)
    return hasattr(kind, "__extract_mlir_values__") and hasattr(kind, "__new_from_mlir_values__")


def changes_in_place(obj):
    """Whether a method called on the object, or an element stored to it, may change it."""
    if isinstance(obj, (list, dict)):
        return True
    handler = handler_of(type(obj))
    if handler is not None:
        return getattr(handler, "mutable", False)
    return (has_protocol(obj) or dataclasses.is_dataclass(obj)) and not is_frozen(obj) and not isinstance(obj, type)


# -- spec ---------------------------------------------------------------------------------------


def spec(obj):
    """What is static of the object."""
    kind = type(obj)
    if kind in NUMBERS or isinstance(obj, _STATIC):
        return Static(obj)
    handler = handler_of(kind)
    if handler is not None:
        return Core(handler, handler.spec(obj), obj)
    if has_protocol(obj):
        return Protocol(kind, list(obj.__extract_mlir_values__()))
    children = _children(obj)
    if children is None:
        return Static(obj)
    names, items = children
    return Group(kind, names, [spec(item) for item in items])


def loosen(a):
    """The spec with the type that a Python number gets where it becomes dynamic, at each number."""
    if isinstance(a, Static) and type(a.value) in NUMBERS:
        return spec(current().backend.convert(a.value, a.value))
    if isinstance(a, Group):
        return Group(a.type, a.names, [loosen(item) for item in a.items])
    return a


def is_static(a):
    """Whether nothing of it is dynamic."""
    if isinstance(a, Group):
        return all(is_static(item) for item in a.items)
    return isinstance(a, Static)


# -- equality and meet --------------------------------------------------------------------------


def same(a, b):
    """Whether two specs are equal."""
    if type(a) is not type(b):
        return False
    if isinstance(a, Static):
        return _same_constant(a.value, b.value)
    if isinstance(a, Core):
        return a.handler is b.handler and a.inner == b.inner
    if isinstance(a, Protocol):
        return a.type is b.type and _same_types(a.samples, b.samples)
    return (a.type is b.type and _exact_names(a.names) == _exact_names(b.names)
            and all(same(x, y) for x, y in zip(a.items, b.items)))


def _same_types(a, b):
    return len(a) == len(b) and all(map(current().backend.same_type, a, b))


def kind_of(value):
    """'bool', 'int' or 'float' of a number; None of anything else."""
    if type(value) in NUMBERS:
        return type(value).__name__
    backend = current().backend
    if hasattr(backend, "kind"):
        return backend.kind(value)
    name = backend.type_name(value)
    for prefix, kind in (("Bool", "bool"), ("Int", "int"), ("Uint", "int"), ("Float", "float"),
                         ("BFloat", "float"), ("TFloat", "float")):
        if name.startswith(prefix):
            return kind
    return None


def _meet_numbers(a, b):
    """Two Python numbers, or one and a dynamic value: the dynamic type, if they are of one kind."""
    convert = current().backend.convert
    if isinstance(a, Static) and isinstance(b, Static):
        if type(a.value) is not type(b.value):
            raise Mismatch(a, b)
        # The type of the one that needs more bits.
        wide = max(a.value, b.value, key=lambda v: v.bit_length() if type(v) is int else 0)
        return spec(convert(wide, wide))
    number, other = (a, b) if isinstance(a, Static) else (b, a)
    if not isinstance(other, Core) or kind_of(other.sample) != kind_of(number.value):
        raise Mismatch(a, b)
    return _meet_core(spec(convert(number.value, other.sample)), other, a, b)


def _meet_core(x, y, a, b):
    if not isinstance(x, Core) or not isinstance(y, Core) or x.handler is not y.handler:
        raise Mismatch(a, b)
    inner = x.handler.meet(x.inner, y.inner)
    if inner is None:
        raise Mismatch(a, b)
    return Core(x.handler, inner, x.sample)


def promoted(a, b):
    """The spec of the type that two numbers have in arithmetic, or None."""
    values = [one.value if isinstance(one, Static) else getattr(one, "sample", None) for one in (a, b)]
    if None in map(kind_of, values):
        return None
    backend = current().backend  # the values themselves may be of an arm that has ended
    return spec(backend.promote(*(backend.convert(0, value) for value in values)))


def meet(a, b):
    """The strongest spec that objects of both fit. Raises Mismatch."""
    if isinstance(a, Group) and isinstance(b, Group):
        if a.type is not b.type or _exact_names(a.names) != _exact_names(b.names):
            raise Mismatch(a, b)
        items = []
        for name, x, y in zip(a.names, a.items, b.items):
            try:
                items.append(meet(x, y))
            except Mismatch as problem:
                raise problem.inside(_step(a.type, name)) from None
        return Group(a.type, a.names, items)
    if isinstance(a, Static) and isinstance(b, Static) and _same_constant(a.value, b.value):
        return a
    for one in (a, b):
        if isinstance(one, Static) and type(one.value) in NUMBERS:
            other = b if one is a else a
            if isinstance(other, Static) and type(other.value) not in NUMBERS:
                raise Mismatch(a, b)
            return _meet_numbers(a, b)
    if isinstance(a, Core) or isinstance(b, Core):
        return _meet_core(a, b, a, b)
    if same(a, b):
        return a
    raise Mismatch(a, b)


# -- leaves and back ----------------------------------------------------------------------------
#
# Leaves come in chunks, one for each number, registered object or protocol object. A Python number
# has a chunk even while it is static, so that the chunks of a value do not depend on whether another
# branch gives the same number; rebuild passes over those that are not needed.


def chunks(obj, a):
    """The leaves of the object as `a` wants them, in chunks."""
    out = []
    _collect(obj, a, out)
    return out


def _collect(obj, a, out):
    if isinstance(a, Static):
        if type(a.value) in NUMBERS:
            out.append([current().backend.convert(a.value, a.value)])
    elif isinstance(a, Core):
        if type(obj) in NUMBERS:
            obj = current().backend.convert(obj, a.sample)
        out.append(list(a.handler.leaves(obj, a.inner)))
    elif isinstance(a, Protocol):
        out.append(list(obj.__extract_mlir_values__()))
    else:
        for item, child in zip(_children(obj)[1], a.items):
            _collect(item, child, out)


def unchunk(a, loaded, obj, fresh=False):
    """The object from chunks; `fresh`: a new one even where obj could be changed in place."""
    return _restore(a, iter(loaded), obj, fresh)


def _restore(a, loaded, obj, fresh):
    if isinstance(a, Static):
        if type(a.value) in NUMBERS:
            next(loaded)
        return a.value
    if isinstance(a, Core):
        sample = obj if handler_of(type(obj)) is a.handler else a.sample
        return a.handler.rebuild(a.inner, next(loaded), sample)
    if isinstance(a, Protocol):
        return _restore_protocol(obj, next(loaded), fresh)
    old = _children(obj) if type(obj) is a.type else None
    old = old[1] if old and len(old[1]) == len(a.items) else [None] * len(a.items)
    items = [_restore(child, loaded, was, fresh) for child, was in zip(a.items, old)]
    return _assemble(a.type, a.names, items, obj, in_place=not fresh)


def _restore_protocol(obj, values, fresh):
    new = obj.__new_from_mlir_values__(values)
    if fresh or new is obj or type(new) is not type(obj) or is_frozen(obj) or not hasattr(obj, "__dict__"):
        return new
    obj.__dict__.clear()
    obj.__dict__.update(new.__dict__)
    return obj


def leaves(obj, a):
    """The dynamic leaves of the object as `a` wants them; a Python number of a static spec has none."""
    return [leaf for chunk, needed in zip(chunks(obj, a), _needed(a)) if needed for leaf in chunk]


def rebuild(a, values, obj):
    """The object from its leaves, in place where it can change."""
    values, loaded = iter(values), []
    for needed in _needed(a):
        loaded.append([next(values) for _ in range(needed)])
    return unchunk(a, loaded, obj)


def mapped(obj, of):
    """A copy of the object in which each object for which of(it) gives something is that; always in the same order."""
    if type(obj) in NUMBERS or isinstance(obj, _STATIC):
        return obj
    children = _children(obj)
    if not isinstance(obj, (tuple, list, dict)):
        made = of(obj)
        if made is not None:
            return made
        if has_protocol(obj):
            return obj.__new_from_mlir_values__([mapped(value, of) for value in obj.__extract_mlir_values__()])
    if children is None:
        return obj
    names, items = children
    return _assemble(type(obj), names, [mapped(item, of) for item in items], obj)


def _needed(a):
    """For each chunk, how many leaves it has in the flat form."""
    if isinstance(a, Static):
        return [0] if type(a.value) in NUMBERS else []
    if isinstance(a, Core):
        return [a.handler.count(a.inner)]
    if isinstance(a, Protocol):
        return [len(a.samples)]
    return [count for item in a.items for count in _needed(item)]


# -- snapshots ----------------------------------------------------------------------------------


def snapshot(obj, saved=None):
    """What `restore` needs to undo changes that are made to the object in place."""
    saved = [] if saved is None else saved
    if any(entry[0] is obj for entry in saved):
        return saved
    if isinstance(obj, (list, dict)):
        saved.append((obj, obj.copy()))
    elif handler_of(type(obj)) is None and not is_frozen(obj) and not isinstance(obj, (_STATIC, tuple)):
        if has_protocol(obj) or dataclasses.is_dataclass(obj):
            if hasattr(obj, "__dict__"):
                saved.append((obj, dict(obj.__dict__)))
    children = _children(obj)
    if children is not None and handler_of(type(obj)) is None:
        for child in children[1]:
            snapshot(child, saved)
    return saved


def shows_changes(obj):
    """Whether any change of what is dynamic in the object is one of what `snapshot` notes."""
    if type(obj) in NUMBERS or isinstance(obj, _STATIC):
        return True
    handler = handler_of(type(obj))
    if handler is not None:
        return not getattr(handler, "mutable", False)
    if has_protocol(obj):
        held = list(vars(obj).values()) if hasattr(obj, "__dict__") else [[]]
        return not any(isinstance(item, (list, dict, tuple)) or has_protocol(item) for item in held) and all(
            map(shows_changes, held))
    children = _children(obj)
    if children is None:
        return True
    noted = isinstance(obj, (list, dict, tuple)) or (hasattr(obj, "__dict__") and not isinstance(obj, functools.partial))
    return noted and all(map(shows_changes, children[1]))


def unchanged(saved):
    """Whether everything holds the very objects that it held then."""
    for obj, content in saved:
        now = obj if isinstance(obj, (list, dict)) else obj.__dict__
        if len(now) != len(content):
            return False
        pairs = zip(now, content) if isinstance(obj, list) else ((now.get(key, UNBOUND), was) for key, was in content.items())
        if not all(a is b for a, b in pairs):
            return False
    return True


def restore(saved):
    for obj, content in saved:
        if isinstance(obj, list):
            obj[:] = content
        elif isinstance(obj, dict):
            obj.clear()
            obj.update(content)
        else:
            obj.__dict__.clear()
            obj.__dict__.update(content)


# -- messages -----------------------------------------------------------------------------------


def describe(a):
    """The spec for a message."""
    if a is UNBOUND:
        return "no value"
    if isinstance(a, Static):
        value = a.value
        if value is None:
            return "None"
        if type(value) in NUMBERS:
            return f"the Python {type(value).__name__} {value!r}"
        text = repr(value)
        if isinstance(value, type):
            return f"the type {value.__name__}"
        if " at 0x" in text:
            return f"a {type(value).__name__}"
        return f"the {type(value).__name__} {text if len(text) < 60 else text[:57] + '...'}"
    if isinstance(a, Core):
        return a.handler.describe(a.inner) if hasattr(a.handler, "describe") else \
            current().backend.type_name(a.sample)
    if isinstance(a, Protocol):
        types_ = ", ".join(map(current().backend.type_name, a.samples))
        return f"a {a.type.__name__} with values ({types_})"
    inner = ", ".join(describe(item) for item in a.items)
    if issubclass(a.type, dict):
        inner = ", ".join(f"{name!r}: {describe(item)}" for name, item in zip(a.names, a.items))
    return f"a {a.type.__name__} of {len(a.items)} ({inner})"


__all__ = ["Mismatch", "StagingError", "UNBOUND", "chunks", "describe", "leaves", "loosen", "mapped", "meet", "rebuild",
           "register", "restore", "same", "snapshot", "spec", "unchanged", "unchunk"]
