# _place.py -- where in the user's program an operation is being traced.

import os
import sys

PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_ours = {}  # file name of a code object: whether it is in this package


def user_frame(depth=1):
    """The innermost frame outside this package, or None."""
    frame = sys._getframe(depth)
    while frame is not None:
        name = frame.f_code.co_filename
        ours = _ours.get(name)
        if ours is None:
            ours = _ours[name] = name.startswith(PACKAGE) or os.path.realpath(name).startswith(
                os.path.realpath(PACKAGE) + os.sep)
        if not ours:
            return frame
        frame = frame.f_back
    return None


def place():
    """(file, line, column, function) for the C++ tracer."""
    frame = user_frame(2)
    if frame is None:
        return ("<python>", 0, 0, "")
    return (frame.f_code.co_filename, frame.f_lineno, 1, frame.f_code.co_name)
