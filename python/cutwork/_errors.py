# _errors.py -- the exceptions of Cutwork, and tracebacks without its own frames.

import functools
import inspect
import os
import re
import sys
import types

from ._place import PACKAGE
from ._staging.errors import user_position

_PLACED = re.compile(r"(?P<file>[^\n:]+):(?P<line>\d+)(:(?P<column>\d+))?: ")
_REST = re.compile(r":(?P<line>\d+)(:(?P<column>\d+))?: ")
_REPORTED = re.compile(r"^ +at (?P<file>[^\n]+?):(?P<line>\d+)(:\d+)?$", re.MULTILINE)


class CutworkError(Exception):
    """Base of all. `message` is the text without the place, `file` and `line` are the user's, if known; `column`, from 1
    on, is that of the expression in that line, from Python 3.11 on, and 0 where it is not known."""

    message = ""
    file = ""
    line = 0
    column = 0


class UserError(CutworkError, ValueError, RuntimeError):  # RuntimeError: tuners of frameworks pass over a variant
    """The program or its input is wrong. The text begins with the place, the user's line that is being run if it names
    none of its own."""

    def __init__(self, text=""):
        file, line, column = user_position()
        if text.startswith(f"{file}:"):
            placed = _REST.match(text, len(file))
            self.file = file
        else:
            placed = _PLACED.match(text)
            self.file = placed["file"] if placed else file
        self.message = text[placed.end():] if placed else text
        self.line = int(placed["line"]) if placed else line
        if (self.file, self.line) == (file, line):
            self.column = column
        super().__init__(text if placed else f"{file}:{line}: {text}")


class InternalError(CutworkError, RuntimeError):
    """A bug in Cutwork; the text says how to report it."""


class DeviceError(CutworkError, RuntimeError):
    """A real or simulated device reported a fault. The place is that of the kernel's line, where the report has it."""

    def __init__(self, text=""):
        self.message = text
        place = _REPORTED.search(text)
        if place:
            self.file, self.line = place["file"], int(place["line"])
        super().__init__(text)


_OVERLOAD = re.compile(r"^ +\d+\. (?P<signature>.+)$", re.MULTILINE)


def reworded(error):
    """The bindings' list of overloads as one sentence, with the user's line that was run; None of any other TypeError."""
    text = str(error)
    name, found, rest = text.partition("(): incompatible function arguments.")
    if not found:
        return None
    takes = [one.partition("(")[2].partition(") ->")[0] for one in _OVERLOAD.findall(rest)]
    got = rest.partition("Invoked with types: ")[2].strip()
    said = re.sub(r"\bcutwork\._core\.|, /|\bself: \w+, ", "", f"({') or ('.join(takes)}) was expected, not ({got})")
    place, at = "", error.__traceback__
    while at is not None:
        if not _ours(at.tb_frame.f_code.co_filename):
            place = f"{at.tb_frame.f_code.co_filename}:{at.tb_lineno}: "
        at = at.tb_next
    return UserError(f"{place}{name}: {said.replace('NoneType', 'None')}")


def nearest(name, names, cutoff=0.7):
    """The name among `names` that is likest to one that is not there; empty: none is like it."""
    import difflib  # only where something is wrong

    return next(iter(difflib.get_close_matches(name, names, 1, cutoff)), "")


def only_hints(called, given, hints="", tma=""):
    """Of keywords that a function passes over: hints may be given; those of TMA copies, and names that it does not have, may not."""
    for name, value in given.items():
        if value is None or name in hints.split():
            continue
        if name in tma.split():
            raise UserError(f"{called}: {name} is for copies by TMA, which are not there yet")
        near = nearest(name, ["pred", *hints.split()] if tma else hints.split(), 0.6)
        raise TypeError(f"{called}() got an unexpected keyword argument '{name}'" + (f"; is {near} meant?" if near else ""))


def _holds(value, wanted):
    return value is wanted or (isinstance(value, (tuple, list)) and any(_holds(item, wanted) for item in value))


def _explained(error, function, arguments, keywords):
    """A TypeError of the bindings with the names of the function and the parameter; None of the user's own."""
    at = error.__traceback__
    while at is not None:
        if not _ours(at.tb_frame.f_code.co_filename):
            return None  # of what the function was given to call
        at = at.tb_next
    said = reworded(error)
    if said is not None:
        return said
    if not hasattr(error, "came"):
        return None
    bound = inspect.signature(function).bind(*arguments, **keywords).arguments
    names = [name for name, value in bound.items() if _holds(value, error.came)]
    called = arguments[0] if function.__name__ == "__call__" else function
    return TypeError(": ".join([called.__name__, *names[:1], str(error)]))


def explaining(function):
    """The function, whose errors of types name it and the parameter where they come from the bindings."""

    @functools.wraps(function)
    def call(*arguments, **keywords):
        try:
            return function(*arguments, **keywords)
        except TypeError as error:
            inner = _ours(sys._getframe(1).f_code.co_filename)  # the name that the program called says more
            said = None if inner else _explained(error, function, arguments, keywords)
            if said is None:
                raise
            raise said from None

    return call


def explain(namespace):
    """Makes the public functions of a module explaining ones; two names of one stay so."""
    made = {}
    for name, function in list(namespace.items()):
        if isinstance(function, types.FunctionType) and name[0] != "_" and function.__module__ == namespace["__name__"]:
            if function not in made:
                made[function] = explaining(function)
            namespace[name] = made[function]


# -- tracebacks ---------------------------------------------------------------------------------


@functools.lru_cache(maxsize=1024)
def _ours(file):
    return file.startswith(PACKAGE) or file in ("<frozen runpy>", "runpy.py") or file.endswith(os.sep + "runpy.py")


def trimmed(error):
    """The traceback of an exception without frames of this package, which those that led to it lose too: None if there are no
    others. All of it, if CUTE_DSL_SHOW_STACKTRACE asks for that."""
    from . import _core

    if _core.knobs()["whole_stacktrace"]:
        return error.__traceback__
    seen = {id(error)}
    before = [error.__cause__, error.__context__]
    while before:
        one = before.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        one.__traceback__ = _shorter(one.__traceback__) or one.__traceback__
        before += [one.__cause__, one.__context__]
    return _shorter(error.__traceback__)


def trim(error):
    """Gives an exception its trimmed traceback, if anything is left of it."""
    error.__traceback__ = trimmed(error) or error.__traceback__


def _shorter(traceback):
    kept = []
    while traceback is not None:
        if not _ours(traceback.tb_frame.f_code.co_filename):
            kept.append(traceback)
        traceback = traceback.tb_next
    made = None
    for entry in reversed(kept):
        made = types.TracebackType(made, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return made
