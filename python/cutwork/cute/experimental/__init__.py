# __init__.py -- marks for profilers.

from . import iket

__all__ = ["iket"]
