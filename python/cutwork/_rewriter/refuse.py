# refuse.py -- what the rewriter refuses by the source alone.

import ast

from .._staging.errors import StagingError


def refuse(file, line, message):
    raise StagingError(message, file, line)


_REASONS = {
    ast.Global: "`global` is not supported in @jit and @kernel functions: what runs on the device cannot change a "
                "Python global. Pass the value as an argument, or return it",
    ast.Yield: "`yield` is not supported in @jit and @kernel functions: a traced function is no generator. Return a "
               "list, or call a function for each element",
    ast.Await: "`await` is not supported in @jit and @kernel functions: tracing does not wait. Await before the call",
}
_REASONS[ast.YieldFrom] = _REASONS[ast.Yield]
for _kind in (ast.AsyncFor, ast.AsyncWith, ast.AsyncFunctionDef):
    _REASONS[_kind] = "`async` is not supported in @jit and @kernel functions: write an ordinary function"


def check(file, function):
    """Raises for the first statement that no rewriting can stage."""
    for node in ast.walk(function):
        reason = _REASONS.get(type(node))
        if reason:
            refuse(file, node.lineno, reason)
