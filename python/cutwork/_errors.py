# _errors.py -- the exceptions of Cutwork.

import re

from ._staging.errors import user_place

_PLACED = re.compile(r"[^\n:]+:\d+(:\d+)?: ")


class CutworkError(Exception):
    """Base of all. `message` is the text without the place, `file` and `line` are the user's, if known."""

    message = ""
    file = ""
    line = 0


class UserError(CutworkError, ValueError, RuntimeError):  # RuntimeError: tuners of frameworks pass over a variant
    """The program or its input is wrong. The text begins with the place, the user's line that is being run if it names
    none of its own."""

    def __init__(self, text=""):
        self.message = text
        file, line = user_place()
        if not text.startswith(f"{file}:") and not _PLACED.match(text):
            self.file, self.line = file, line
            text = f"{self.file}:{self.line}: {text}"
        super().__init__(text)


class InternalError(CutworkError, RuntimeError):
    """A bug in Cutwork; the text says how to report it."""


class DeviceError(CutworkError, RuntimeError):
    """A real or simulated device reported a fault."""
