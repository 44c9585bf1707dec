# __init__.py -- rewrites the control flow and operators of @jit and @kernel functions so that they can be staged.
"""`rewrite(function)` gives a function with the same globals, closure, defaults and annotations whose
`if`, loops and operators ask cutwork._staging what is known while tracing. Without a current trace it
does what the source does."""

import ast
import sys
import threading
import types
import weakref

from .._staging.errors import StagingError
from .._staging.support import Support
from . import refuse, source
from .emit import Function
from .jumps import PREFIX

_lock = threading.Lock()
_done = {}  # (id of a code object, kernel): (weak reference to it, new code, support)

INJECTED = "__cw__"


def rewrite(function, *, kernel=False):
    """The function to trace. Methods are given as functions; a rewritten function is given back.

    kernel: `return` at run time lets the thread leave. Raises StagingError for what cannot be
    staged, SourceNotAvailable (an OSError too) where there is no source text."""
    if not isinstance(function, types.FunctionType):
        raise TypeError(f"rewrite: expected a Python function, got {type(function).__name__}")
    code = function.__code__
    if INJECTED in code.co_freevars and not kernel:
        return function  # nested in a rewritten function; as a kernel its returns are other ones
    new, support = _rewritten(function, code, kernel)
    return _instance(function, new, support)


def _rewritten(function, code, kernel):
    key = (id(code), kernel)
    with _lock:
        entry = _done.get(key)
        if entry is not None and entry[0]() is code:
            return entry[1:]
    new = _compile(function, code, kernel)  # outside the lock: two threads may both do it, to one effect
    with _lock:
        entry = _done.get(key)
        if entry is None or entry[0]() is not code:
            entry = (weakref.ref(code, lambda _: _done.pop(key, None)), *new)
            _done[key] = entry
        return entry[1:]


def _compile(function, code, kernel):
    node = source.find(function)
    refuse.check(code.co_filename, node)
    support = Support(code.co_filename)
    _strip(node)
    node = Function(support, node, kernel, owner=_owner(function)).run()
    if INJECTED not in code.co_freevars:
        _check_names(node, code)
    module = _enclose(function, node, code)
    show(function, node)
    compiled = compile(module, code.co_filename, "exec", flags=code.co_flags & source.FUTURE, dont_inherit=True)
    new = _find_code(compiled, node.name)
    new = _renamed(new, function.__qualname__)
    source.made(new)
    return new, support


def show(function, node):
    """CUTE_DSL_PRINT_AFTER_PREPROCESSOR: the new function, to standard error."""
    from .. import _core

    if _core.knobs()["print_after_preprocessor"]:
        print(f"# {function.__qualname__} of {function.__code__.co_filename}:{function.__code__.co_firstlineno}\n"
              f"{ast.unparse(node)}", file=sys.stderr)


def _strip(node):
    """What the new function gets from the old one: decorators, defaults, annotations."""
    node.decorator_list, node.returns = [], None
    node.args.defaults = []
    node.args.kw_defaults = [None] * len(node.args.kwonlyargs)
    for argument in ast.walk(node.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    if getattr(node, "type_params", None):
        node.type_params = []


def _check_names(node, code):
    for name in (*code.co_varnames, *code.co_freevars):
        if name.startswith(PREFIX) or name == INJECTED:
            raise StagingError(f"the name '{name}' is used by the rewriter; choose one that does not begin with "
                               f"{PREFIX}", code.co_filename, node.lineno)


def _owner(function):
    """The name of the class whose body the function stands in, for private names."""
    parts = function.__qualname__.split(".")
    return parts[-2] if len(parts) > 1 and parts[-2] != "<locals>" else None


def _enclose(function, node, code):
    """A module in which the function's free variables are those of functions around it."""
    free = [n for n in code.co_freevars if n not in ("__class__", INJECTED) and n.isidentifier()]
    free += ["__class__"] if "__class__" in code.co_freevars else []
    owner = _owner(function)
    # A function that calls itself by a global name must not find the one that is defined here.
    body = [node] if node.name in free else [ast.Global([node.name]), node]
    if owner and owner.isidentifier():
        # The class makes names like __x private as in the user's class; its own name must not hide another.
        declare = ast.Nonlocal([owner]) if owner in free else ast.Global([owner])
        inner = ast.parse("def _cw_inner(): pass").body[0]
        clazz = ast.parse(f"class {owner}: pass").body[0]
        clazz.body, inner.body = [node], [declare, clazz]
        body = [inner]
    outer = ast.parse("def _cw_outer(): pass").body[0]
    outer.args.args = [ast.arg(n) for n in (*free, INJECTED)]
    outer.body = body
    module = ast.Module([outer], [])
    for made in (outer, *body):
        if made is not node:
            ast.fix_missing_locations(made)
    return ast.fix_missing_locations(module)


def _find_code(code, name):
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            if constant.co_name == name:
                return constant
            found = _find_code(constant, name)
            if found is not None:
                return found
    return None


def _renamed(code, qualname):
    """The code with the user's qualified names, in nested functions too."""
    if not hasattr(code, "co_qualname"):  # Python 3.10 has it in functions only
        return code
    return _requalified(code, code.co_qualname, qualname)


def _requalified(code, old, new):
    changes = {"co_consts": tuple(_requalified(c, old, new) if isinstance(c, types.CodeType) else c
                                  for c in code.co_consts)}
    if code.co_qualname.startswith(old):
        changes["co_qualname"] = new + code.co_qualname[len(old):]
    return code.replace(**changes)


def _instance(function, code, support):
    """A function of the new code with everything else of the old one."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    cells[INJECTED] = types.CellType(support)
    new = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__,
                             tuple(cells[name] for name in code.co_freevars) or None)
    new.__kwdefaults__ = function.__kwdefaults__
    new.__qualname__, new.__module__, new.__doc__ = function.__qualname__, function.__module__, function.__doc__
    new.__dict__.update(function.__dict__)
    if getattr(function, "__annotate__", None) is not None:  # Python 3.14: evaluated when they are asked for
        new.__annotate__ = function.__annotate__
    else:
        new.__annotations__ = function.__annotations__
    if getattr(function, "__type_params__", ()):
        new.__type_params__ = function.__type_params__
    return new


__all__ = ["rewrite"]
