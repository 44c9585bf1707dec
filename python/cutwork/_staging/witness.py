# witness.py -- state that changes behind a run-time branch or loop's back: seen, and refused.
"""A region carries what its own lines change. A function that it calls may change more: a field of an object that it is given, an
element of a list, a global. While tracing that happens once, on whichever way, so that the program would not be what it says.
A Witness notes, where a region opens, what the variables, the closure and the module of the function hold (and those of its callers);
where it closes, a number or run-time value that was there and has become another one, and that no place of the region carries, is an
error. What cannot be read wrongly is left alone: new fields and entries, texts, values of what has ended before, and, in a branch,
values that end with it, as scratch fields of an object are."""

import dataclasses
import enum
import functools
import sys
import types

from . import tree
from .._structures import children
from .context import current, dynamic
from .errors import PACKAGE, user_frame

_OWN = frozenset(["cutwork", "cutlass", "torch", "numpy", "jax", "cuda", "triton", *(sys.stdlib_module_names - {"builtins"})])
_MANY = 256  # the elements of longer lists are compared, what is in them is not
_MOST = 4096  # of longer ones only the length
_LIMIT = 8192  # so many objects at most
_FRAMES = 4  # callers whose variables are looked at
_watched = {}  # class: whether objects of it have state that is looked at
_HEAP = 512  # the flag of a class that Python made


def _has_state(kind):
    """Whether objects of the class are watched: the user's, and those of ours that are threaded."""
    found = _watched.get(kind)
    if found is None:
        threaded = dataclasses.is_dataclass(kind) or hasattr(kind, "__extract_mlir_values__")
        found = _watched[kind] = (_is_users(kind) or threaded) and not issubclass(kind, (type, BaseException))
    return found


def _slots(obj):
    """(name, value) of an object's __slots__."""
    for base in type(obj).__mro__:
        names = base.__dict__.get("__slots__", ())
        for name in (names,) if isinstance(names, str) else names:
            if name.startswith("__") and not name.endswith("__"):
                name = f"_{base.__name__.lstrip('_')}{name}"
            try:
                yield name, object.__getattribute__(obj, name)
            except AttributeError:
                continue


def _fields(obj):
    """An object's __dict__, without asking the object."""
    try:
        found = object.__getattribute__(obj, "__dict__")
    except (AttributeError, TypeError):
        return {}
    return dict(found) if isinstance(found, (dict, types.MappingProxyType)) else {}


def _content(obj):
    """What the object holds by name; None if it is not looked at. The object's own methods are not called."""
    kind = type(obj)
    if issubclass(kind, (list, dict, set)):
        if len(obj) > _MOST:
            return {"len": len(obj)}
        if issubclass(kind, list):
            return dict(enumerate(list.__iter__(obj)))
        return dict(dict.items(obj)) if issubclass(kind, dict) else dict.fromkeys(set.__iter__(obj))
    if isinstance(obj, type):
        user = _is_users(obj)
        return {k: v for k, v in type.__getattribute__(obj, "__dict__").items() if not k.startswith("__") and _is_data(v)} if user else None
    if kind is types.SimpleNamespace:
        return _fields(obj)
    if kind.__name__ == "deque" and kind.__module__ == "collections":
        return dict(enumerate(obj))
    if kind is tuple or tree.handler_of(kind) is not None or not _has_state(kind):
        return None
    if isinstance(obj, tuple):
        return dict(enumerate(tuple.__iter__(obj)))
    content = _fields(obj)
    content.update(_slots(obj))
    content.pop("__dict__", None)
    return content


def _is_users(kind):
    module = type.__getattribute__(kind, "__dict__").get("__module__", "")
    return bool(kind.__flags__ & _HEAP) and isinstance(module, str) and module.partition(".")[0] not in _OWN


def _is_data(value):
    return type(value) in tree.NUMBERS or isinstance(value, (list, dict, set)) or dynamic(value)


def _inside(obj):
    """(step, value) of what leads on from something that is not watched itself: a tuple, a function, a method."""
    if type(obj) is tuple:
        return [(f"[{i}]", item) for i, item in enumerate(obj)]
    if isinstance(obj, types.MethodType):
        return [(".__self__", obj.__self__)]
    if isinstance(obj, functools.partial):
        return [(f".args[{i}]", item) for i, item in enumerate(obj.args)] + [(f".keywords[{k!r}]", v) for k, v in obj.keywords.items()]
    if isinstance(obj, types.FunctionType):
        cells = [(f".{name}", cell) for name, cell in zip(obj.__code__.co_freevars, obj.__closure__ or ())]
        held = [(name, cell.cell_contents) for name, cell in cells if _is_full(cell)]
        return held + [(f".__defaults__[{i}]", v) for i, v in enumerate(obj.__defaults__ or ())]
    return []


def _is_full(cell):
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def _matters(value, depth=3):
    """Whether code is made from the value: a number, a member of an enumeration, what is known only at run time, or a structure with one."""
    if type(value) in tree.NUMBERS or isinstance(value, enum.Enum) or dynamic(value) or tree.handler_of(type(value)) is not None:
        return True
    if depth == 0:
        return False
    parts = children(value) if not isinstance(value, type) else None
    return any(_matters(item, depth - 1) for item in (parts[1] if parts else (_content(value) or {}).values()))


def _same(a, b):
    return a is b or (type(a) in tree.NUMBERS and type(a) is type(b) and (a == b or a != a))


def _ended(value):
    """Whether the value is of a region or trace that has ended: whoever reads it is told so."""
    return not getattr(current().backend, "is_visible", lambda _: True)(value)


def _callers(frame):
    """The frames of the trace that called this one, of the program."""
    entered, found = current().entered, []
    frame = frame.f_back
    while frame is not None and frame.f_code is not entered and len(found) < _FRAMES:
        if not frame.f_code.co_filename.startswith(PACKAGE):
            found.append(frame)
        frame = frame.f_back
    return found


class Witness:
    """Of one region that is traced."""

    def __init__(self, region, carried):
        self.region = region
        self.seen, self.known = [], set()
        self.carried = {id(obj) for obj, _ in carried}
        self.frame = frame = user_frame()
        self.exempt = set()
        variables = frame.f_locals
        self.numbers = {name: v for name, v in frame.f_globals.items() if type(v) in tree.NUMBERS}
        made = frame.f_code.co_name.startswith("_cw_")  # its free variables are those of the function that it is a part of
        self.cells = {} if made else {n: variables[n] for n in frame.f_code.co_freevars if n in variables and type(variables[n]) in tree.NUMBERS}
        for place in region.places:
            self._exempt(place.name.split("."), variables, frame.f_globals)
        pending = list(variables.items())
        for caller in _callers(frame):
            pending += caller.f_locals.items()
        pending += ((name, v) for name, v in self.frame.f_globals.items() if not name.startswith("__") and not isinstance(v, types.FunctionType))
        self._note([(value, name) for name, value in reversed(pending)])

    def _exempt(self, path, variables, module):
        """An attribute that the region carries; what a property or __setattr__ makes of it is the object's affair."""
        if len(path) == 1:
            self.cells.pop(path[0], None)
            return
        root = variables.get(path[0], module.get(path[0]))
        for name in path[1:-1]:
            root = _fields(root).get(name, tree.UNBOUND)
        whole = hasattr(getattr(type(root), path[-1], None), "__set__") or "__setattr__" in _methods(type(root))
        self.exempt.add((id(root), None if whole else path[-1]))
        if root is tree.UNBOUND:
            self.exempt.add((None, path[-1]))
        if whole:
            self.carried.update(id(item) for item in _fields(root).values())

    def _note(self, pending):
        while pending and len(self.seen) <= _LIMIT:
            value, path = pending.pop()
            kind = type(value)
            if kind in tree.NUMBERS or kind is str or value is None or id(value) in self.known:
                continue
            content = _content(value)
            if content is None:
                found = _inside(value)
                if found:
                    self.known.add(id(value))
                pending += [(item, path + step) for step, item in found]
                continue
            self.known.add(id(value))
            if id(value) not in self.carried:
                self.seen.append((value, content, path))
            if len(content) <= _MANY:
                pending += [(item, path + _step(value, name)) for name, item in content.items()]

    def check(self):
        """Raises StagingError for what has changed."""
        numbers, cells, seen, frame, self.frame = self.numbers, self.cells, self.seen, self.frame, None
        for name, was in numbers.items():
            self._compare(f"the global '{name}'", was, frame.f_globals.get(name, tree.UNBOUND))
        variables = frame.f_locals if cells else {}
        for name, was in cells.items():
            self._compare(f"'{name}'", was, variables.get(name, tree.UNBOUND))
        for obj, before, path in seen:
            now = _content(obj) or {}
            for name, was in before.items():
                if not self._carries(obj, name):
                    self._compare(f"'{path}{_step(obj, name)}'", was, now.get(name, tree.UNBOUND))
            added = [v for k, v in now.items() if k not in before and (_matters(v) or isinstance(obj, set))]
            if added and isinstance(obj, (list, set)):
                self._refuse(f"the number of elements of '{path}'", len(before), len(now))

    def _compare(self, what, was, new, depth=3):
        if _same(was, new) or was is tree.UNBOUND or _ended(was):
            return
        if _ended(new) and (was is None or self.region.kind in ("if", "with")):
            return
        old, other = (children(x) if not isinstance(x, type) else None for x in (was, new))
        if depth and old and other and type(was) is type(new) and old[0] == other[0]:
            for name, a, b in zip(old[0], old[1], other[1]):
                self._compare(f"{what[:-1]}{_step(was, name)}'", a, b, depth - 1)
            return
        if _matters(was) or _matters(new):
            self._refuse(what, was, new)

    def _carries(self, obj, name):
        return any(of in (id(obj), None) and (attribute in (None, name) or _is_mangled(name, attribute)) for of, attribute in self.exempt)

    def _refuse(self, what, was, now):
        def said(value):
            return tree.describe(value if value is tree.UNBOUND else tree.spec(value))

        region, before, after = self.region, said(was), said(now)
        after = f"another {after}" if after == before else after
        way = "whether or not that way is taken" if region.kind in ("if", "with") else "however often it runs"
        region.fail(f"{what} changes inside the `{region.kind}` of line {region.line}, in a function that is called there or through "
                    f"another name: it was {before} and becomes {after}. That would happen while tracing, once, {way}. Return the new "
                    f"value and assign it in the `{region.kind}` itself, to a variable of this function or a field of one, or decide with "
                    "const_expr")


def _methods(kind):
    return {name for base in kind.__mro__[:-1] for name in base.__dict__}


def _is_mangled(name, attribute):
    return isinstance(name, str) and attribute is not None and attribute.startswith("__") and name.startswith("_") and name.endswith(attribute)


def _step(obj, name):
    return f"[{name!r}]" if isinstance(obj, (list, dict, tuple, set)) else f".{name}"


__all__ = ["Witness"]
