# witness.py -- state that a function changes behind a run-time branch or loop: seen, and refused.
"""A region carries what its own lines change. A function that it calls may change more: a field of an object that it is given, an
element of a list, a global. While tracing that happens once, on whichever way, so that the program would not be what it says.
A Witness notes, where a region opens, what the variables and the module of the function hold; where it closes, a number or run-time
value that was there and has become another one, and that no place of the region carries, is an error."""

import dataclasses
import sys

from . import tree
from .context import dynamic
from .errors import user_frame

_OWN = frozenset(["cutwork", "cutlass", "torch", "numpy", "jax", "cuda", "triton", *(sys.stdlib_module_names - {"builtins"})])
_MANY = 256  # the elements of longer lists are compared, what is in them is not
_LIMIT = 8192  # so many objects at most
_plain = {}  # class: whether objects of it have state that is looked at


def _has_state(kind):
    """Whether objects of the class are watched: the user's, and those of ours that are threaded."""
    found = _plain.get(kind)
    if found is None:
        user = kind.__module__.partition(".")[0] not in _OWN and kind.__flags__ & 512  # a class of Python
        threaded = dataclasses.is_dataclass(kind) or hasattr(kind, "__extract_mlir_values__")
        found = _plain[kind] = bool(user or threaded) and not issubclass(kind, (type, BaseException))
    return found


def _content(obj):
    """What the object holds by name, as a dict; None if it is not looked at."""
    kind = type(obj)
    if kind is list:
        return dict(enumerate(obj))
    if kind is dict:
        return dict(obj)
    if kind is tuple or tree.handler_of(kind) is not None or not _has_state(kind):
        return None
    if isinstance(obj, (list, tuple)):
        return dict(enumerate(obj))
    if isinstance(obj, dict):
        return dict(obj)
    content = dict(getattr(obj, "__dict__", ()))
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            try:
                content[name] = object.__getattribute__(obj, name)
            except AttributeError:
                continue
    content.pop("__dict__", None)
    return content


def _matters(value):
    """Whether code is made from the value: a number, or what is known only at run time."""
    return type(value) in tree.NUMBERS or dynamic(value) or tree.handler_of(type(value)) is not None


def _same(a, b):
    return a is b or (type(a) in tree.NUMBERS and type(a) is type(b) and (a == b or a != a))


class Witness:
    """Of one region that is traced."""

    def __init__(self, region, carried):
        self.region = region
        self.seen, self.known = [], set()
        self.carried = {id(obj) for obj, _ in carried}
        frame = user_frame()
        self.module, self.exempt = frame.f_globals, set()
        self.numbers = {name: v for name, v in self.module.items() if type(v) in tree.NUMBERS}
        variables = frame.f_locals
        for place in region.places:
            self._exempt(place.name.split("."), variables)
        for name, value in variables.items():
            self._note(value, name)
        for name, value in self.module.items():
            if not name.startswith("__"):
                self._note(value, name)

    def _exempt(self, path, variables):
        """An attribute that the region carries."""
        root = variables.get(path[0], self.module.get(path[0]))
        for name in path[1:-1]:
            root = getattr(root, name, None)
        if len(path) > 1:
            self.exempt.add((id(root), path[-1]))

    def _note(self, value, path):
        kind = type(value)
        if kind in tree.NUMBERS or kind is str or id(value) in self.known or len(self.seen) > _LIMIT:
            return
        if kind is tuple:
            for i, item in enumerate(value):
                self._note(item, f"{path}[{i}]")
            return
        content = _content(value)
        if content is None:
            return
        self.known.add(id(value))
        if id(value) not in self.carried:
            self.seen.append((value, content, path))
        if len(content) <= _MANY:
            for name, item in content.items():
                self._note(item, path + _step(value, name))

    def check(self):
        """Raises StagingError for what has changed."""
        for name, was in self.numbers.items():
            now = self.module.get(name, tree.UNBOUND)
            if not _same(was, now) and (0, name) not in self.exempt:
                self._refuse(f"the global '{name}'", was, now)
        for obj, before, path in self.seen:
            now = _content(obj)
            for name, was in before.items():
                new = now.get(name, tree.UNBOUND)
                if _same(was, new) or not (_matters(was) or _matters(new)) or self._carries(obj, name):
                    continue
                self._refuse(f"'{path}{_step(obj, name)}'", was, new)
            added = [v for k, v in now.items() if k not in before and _matters(v)]
            if added and isinstance(obj, list):
                self._refuse(f"the number of elements of '{path}'", len(before), len(now))

    def _carries(self, obj, name):
        return any(id(obj) == of and (attribute == name or str(name).endswith(attribute)) for of, attribute in self.exempt)

    def _refuse(self, what, was, now):
        def said(value):
            return tree.describe(value if value is tree.UNBOUND else tree.spec(value))

        region, before, after = self.region, said(was), said(now)
        after = f"another {after}" if after == before else after
        way = "whether or not that way is taken" if region.kind in ("if", "with") else "however often it runs"
        region.fail(f"{what} is changed by a function that is called inside the `{region.kind}` of line {region.line}: it was "
                    f"{before} and becomes {after}. That would happen while tracing, once, {way}. Return the new value and "
                    f"assign it in the `{region.kind}` itself, or decide with const_expr")


def _step(obj, name):
    return f"[{name!r}]" if isinstance(obj, (list, dict, tuple)) else f".{name}"


__all__ = ["Witness"]
