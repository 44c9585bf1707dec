# __init__.py -- run-time support of rewritten functions: staging, the flatten protocol, ranges.

from .context import current, trace
from .errors import (DynamicValueError, MismatchError, SourceNotAvailable, StagingError, UnboundError,
                     user_place)
from .ranges import const_expr, dynamic_expr, range_constexpr, range_dynamic
from .support import Support, mark_printf
from .tree import register

__all__ = ["DynamicValueError", "MismatchError", "SourceNotAvailable", "StagingError", "Support", "UnboundError",
           "const_expr", "current", "dynamic_expr", "mark_printf", "range_constexpr", "range_dynamic", "register",
           "trace", "user_place"]
