# _absent.py -- names of the field's that are not there yet: a program can import and annotate them, and using one says so.

import sys

from ._errors import nearest


class Absent:
    """Stands for a function or class that is not supported yet. Called, subclassed or asked for an attribute it is an
    AttributeError that names it; nothing is an instance of it."""

    def __init__(self, name, why):
        self.__dict__.update(__name__=name.rpartition(".")[2], _name=name, _why=why)

    def _refuse(self, *_, **__):
        raise AttributeError(f"{self._name} is not supported yet (docs/support.md): {self._why}")

    __call__ = __getitem__ = __mro_entries__ = __iter__ = __getattr__ = __setattr__ = _refuse

    def __or__(self, other):
        return self  # in annotations

    __ror__ = __or__

    def __instancecheck__(self, instance):
        return False

    def __subclasscheck__(self, kind):
        return False

    def __repr__(self):
        return f"<{self._name}, which is not supported yet>"


def absent(module, names, why):
    """The __getattr__ of the module that calls this, for these names of it; None: for all."""
    known = frozenset(names.split()) if names is not None else None
    there = sys._getframe(1).f_globals

    def of_module(name):
        if name in known if known is not None else not name.startswith("__"):
            return Absent(f"{module}.{name}", why)
        near = nearest(name, there)
        raise AttributeError(f"module '{module}' has no attribute '{name}'" + (f"; is {near} meant?" if near else ""))

    return of_module


__all__ = ["Absent", "absent"]
