# errors.py -- what the staging of Python control flow reports, and where in the user's file.
"""Every message is `FILE:LINE: what is wrong; what to do`. FILE:LINE is the user's."""

import itertools
import sys

from .._place import PACKAGE


class StagingError(Exception):
    """A program that cannot be staged: the user's error."""

    def __init__(self, message, file=None, line=None):
        self.file, self.line, self.reason = file, line, message
        self.message, at = message, user_position()
        self.column = at[2] if at[:2] == (file, line) else 0
        super().__init__(f"{file}:{line}: {message}" if file else message)


class TryError(StagingError):
    """A program that cannot be staged because of a `try`, whose handlers let it pass."""


class UnboundError(StagingError, UnboundLocalError):
    """A variable is used that may have no value."""


class MismatchError(StagingError, TypeError):
    """The values that a variable gets on the ways to one place do not fit together."""


class DynamicValueError(StagingError, TypeError):
    """A value that is known only at run time stands where tracing needs to know it."""


class SourceNotAvailable(StagingError, OSError):
    """The source text of a function cannot be found."""


def _is_generated(code):
    """Whether it is what the dataclasses module makes."""
    return code.co_filename == "<string>" and code.co_name == "__init__"


def user_frame(frame=None):
    """The innermost frame outside this package, of the caller or of `frame`."""
    frame = frame or sys._getframe(2)
    while frame is not None and (frame.f_code.co_filename.startswith(PACKAGE) or _is_generated(frame.f_code)):
        frame = frame.f_back
    return frame


def user_place():
    """(file, line) of the innermost frame outside this package."""
    frame = user_frame()
    return (frame.f_code.co_filename, frame.f_lineno) if frame else ("<unknown>", 0)


def user_position():
    """(file, line, column) of the same; the column from 1 on, or 0 where Python does not tell (before 3.11)."""
    frame = user_frame()
    if frame is None:
        return "<unknown>", 0, 0
    positions = getattr(frame.f_code, "co_positions", None)
    at = next(itertools.islice(positions(), frame.f_lasti // 2, None), None) if positions else None
    column = at[2] + 1 if at and at[0] == frame.f_lineno and at[2] is not None else 0
    return frame.f_code.co_filename, frame.f_lineno, column


def refuse(message, kind=StagingError):
    """Raises `kind` for the user's line that is being run."""
    raise kind(message, *user_place())
