# source.py -- the syntax tree of a function, with the lines of the user's file.

import __future__
import ast
import inspect
import linecache
import os
import re
import sys
import time
import tokenize
import types
import weakref

from .._staging.errors import SourceNotAvailable, StagingError


FUTURE = 0
for _feature in __future__.all_feature_names:
    FUTURE |= getattr(__future__, _feature).compiler_flag

_STARTED = time.time()


_texts = {}  # file name: the texts that it had when functions of it were decorated, the latest first
_made = weakref.WeakSet()  # codes that are no longer what a compiler makes of their file


def remember(function):
    """Keeps the text of the function's file when it is decorated: the file may be edited before the first call."""
    name = function.__code__.co_filename
    linecache.checkcache(name)
    lines = linecache.getlines(name, function.__globals__)  # linecache's own list, of which there is one for a text
    known = _texts.setdefault(name, [])
    if lines and not any(lines is one for one in known):
        known.insert(0, lines)
    return lines


def made(code):
    """Of a code that the rewriter made, and those in it: the text of the file does not show what they are."""
    _made.update(_codes(code))


def _lines(function):
    code = function.__code__
    lines = remember(function)
    if lines:
        if code in _made or not _edited(code):
            return lines
        found = next((known for known in _texts[code.co_filename] if _is_of(known, code)), None)
        return found or _changed(function)
    try:
        return inspect.findsource(code)[0]
    except (OSError, TypeError, IndexError):
        return _typed(code)


def _typed(code):
    """The text of `python -c`, or of what was typed at a prompt that keeps a history; None where there is none."""
    if code.co_filename == "<string>":
        arguments = sys.orig_argv
        at = next((i for i, word in enumerate(arguments) if word.startswith("-") and word.endswith("c") and word[1:2] != "-"), None)
        # Text that was compiled by exec has this name too.
        if at is not None and at + 1 < len(arguments) and f"def {code.co_name}" in arguments[at + 1]:
            return arguments[at + 1].splitlines(keepends=True)
    if code.co_filename == "<stdin>" and "readline" in sys.modules:
        return _history(sys.modules["readline"], code)
    return None


def _history(readline, code):
    """The lines of the last statement in the history that compiles to the function; its first line is line 1 of the code. The history
    may be that of another process: a function of the same name is not enough."""
    lines = [readline.get_history_item(i + 1) or "" for i in range(readline.get_current_history_length())]
    head = re.compile(rf"\s*(async\s+)?def\s+{re.escape(code.co_name)}\b")
    for at in reversed(range(len(lines))):
        if head.match(lines[at]) and _compiles_to(lines, at, code):
            while at and lines[at - 1].lstrip().startswith("@"):
                at -= 1
            start = at - (code.co_firstlineno - 1)
            return [line + "\n" for line in lines[max(start, 0):]]
    return None


def _compiles_to(lines, at, code):
    """Whether the statement of the prompt around line `at` holds the code."""
    while at and (lines[at][:1].isspace() or lines[at - 1].startswith("@")):
        at -= 1
    try:
        made = compile("".join(inspect.getblock([line + "\n" for line in lines[at:]])), "<stdin>", "exec", code.co_flags & FUTURE, True)
    except (SyntaxError, ValueError, IndexError, tokenize.TokenError):
        return False
    pending = [made]
    while pending:
        one = pending.pop()
        if one.co_name == code.co_name and _same_code(one, code):
            return True
        pending += [c for c in one.co_consts if isinstance(c, types.CodeType)]
    return False


def _same_code(a, b):
    if (a.co_code, a.co_names, a.co_varnames, len(a.co_consts)) != (b.co_code, b.co_names, b.co_varnames, len(b.co_consts)):
        return False
    return all(_same_code(x, y) if isinstance(x, types.CodeType) and isinstance(y, types.CodeType) else type(x) is type(y) and repr(x) == repr(y)
               for x, y in zip(a.co_consts, b.co_consts))


def _unavailable(function):
    code = function.__code__
    raise SourceNotAvailable(
        f"source not available for {function.__qualname__}: @jit and @kernel functions are rewritten from their "
        "source text, which Python does not keep for exec of a string, nor for an interactive prompt without a history. Put the function in a file or a notebook, give exec's text to linecache "
        "(linecache.cache[name] = (len(text), None, text.splitlines(True), name), and compile(text, name, 'exec')), "
        "or decorate with preprocess=False, which leaves control flow to Python",
        code.co_filename, code.co_firstlineno)


def _parse_block(lines, first):
    """The tree of the block that begins at line `first`, with the file's line and column numbers."""
    text = "".join(inspect.getblock(lines[first - 1:]))
    if text[:1].isspace():
        tree = ast.parse("if 1:\n" + text)
        return ast.increment_lineno(tree, first - 2)
    return ast.increment_lineno(ast.parse(text), first - 1)


def _candidates(lines, first):
    """Trees that may hold the function: its block, or, if that cannot be cut out, all of the text."""
    try:
        yield _parse_block(lines, first)
    except (SyntaxError, IndexError, tokenize.TokenError):
        pass
    try:
        yield ast.parse("".join(lines))
    except SyntaxError:
        pass


def _matches(node, code, first):
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or node.name != code.co_name:
        return False
    a = node.args
    names = [x.arg for x in (*a.posonlyargs, *a.args)]
    return (min([node.lineno, *(d.lineno for d in node.decorator_list)]) == first
            and len(names) == code.co_argcount)


def _edited(code):
    """Whether the file has been changed since this process began; texts without a file have not."""
    try:
        state = os.stat(code.co_filename)
    except OSError:
        return False
    return max(state.st_mtime, state.st_ctime) >= _STARTED


def _same_code(a, b):
    """Whether two codes do the same, whatever their files are called."""
    if len(a.co_consts) != len(b.co_consts):
        return False
    for x, y in zip(a.co_consts, b.co_consts):
        if isinstance(x, types.CodeType) != isinstance(y, types.CodeType):
            return False
        if not (_same_code(x, y) if isinstance(x, types.CodeType) else type(x) is type(y) and (x == y or repr(x) == repr(y))):
            return False
    return (a.co_code, a.co_names, a.co_varnames, a.co_freevars, a.co_cellvars, a.co_firstlineno) == (
        b.co_code, b.co_names, b.co_varnames, b.co_freevars, b.co_cellvars, b.co_firstlineno)


def _codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _is_of(lines, code):
    """Whether the text is what the code was compiled from."""
    try:
        whole = compile("".join(lines), code.co_filename, "exec", flags=code.co_flags & FUTURE, dont_inherit=True)
    except SyntaxError:
        return False
    return any(_same_code(found, code) for found in _codes(whole)
               if found.co_name == code.co_name and found.co_firstlineno == code.co_firstlineno)


def _changed(function):
    code = function.__code__
    raise SourceNotAvailable(
        f"source not available for {function.__qualname__}: its file has been edited since it was imported, before the function "
        "was decorated or first called. Start Python again, or reload the module", code.co_filename, code.co_firstlineno)


def find(function):
    """The FunctionDef of the function. Raises SourceNotAvailable, or StagingError for a lambda."""
    code = function.__code__
    if code.co_name == "<lambda>":
        raise StagingError("a lambda cannot be traced: write a `def`, decorated with @cute.jit", code.co_filename, code.co_firstlineno)
    lines = _lines(function)
    if not lines:
        _unavailable(function)
    for tree in _candidates(lines, code.co_firstlineno):
        for node in ast.walk(tree):
            if _matches(node, code, code.co_firstlineno):
                return node
    if code.co_filename == "<string>":  # exec of a string in a program of another one
        _unavailable(function)
    raise SourceNotAvailable(
        f"source not available for {function.__qualname__}: the text at this line is another function's. Has the "
        "file been changed since it was loaded? Start Python again, or reload the module",
        code.co_filename, code.co_firstlineno)
