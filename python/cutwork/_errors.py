# _errors.py -- the exceptions of Cutwork.


class CutworkError(Exception):
    """Base of all. `message` is the text without the place, `file` and `line` are the user's, if known."""

    message = ""
    file = ""
    line = 0


class UserError(CutworkError, ValueError, RuntimeError):  # RuntimeError: tuners of frameworks pass over a variant
    """The program or its input is wrong."""


class InternalError(CutworkError, RuntimeError):
    """A bug in Cutwork; the text says how to report it."""


class DeviceError(CutworkError, RuntimeError):
    """A real or simulated device reported a fault."""
