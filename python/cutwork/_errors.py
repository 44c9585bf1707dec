# _errors.py -- the exceptions of Cutwork.

from . import _core


class CutworkError(Exception):
    """Base of all. `message` is the text without the place, `file` and `line` are the user's, if known."""

    message = ""
    file = ""
    line = 0


class UserError(CutworkError, ValueError, RuntimeError):
    """The program or its input is wrong. A RuntimeError too: tuners pass over a variant that raises one."""


class InternalError(CutworkError, RuntimeError):
    """A bug in Cutwork; the text says how to report it."""


class DeviceError(CutworkError, RuntimeError):
    """A real or simulated device reported a fault."""


_core.set_classes({"user_error": UserError, "internal_error": InternalError, "device_error": DeviceError})
