# source.py -- the syntax tree of a function, with the lines of the user's file.

import ast
import inspect
import linecache
import re
import sys
import tokenize

from .._staging.errors import SourceNotAvailable, StagingError


def _lines(function):
    code = function.__code__
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if lines:
        return lines
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
    """The lines of the last statement in the history that defines the function; its first line is line 1 of the code."""
    lines = [readline.get_history_item(i + 1) or "" for i in range(readline.get_current_history_length())]
    head = re.compile(rf"\s*(async\s+)?def\s+{re.escape(code.co_name)}\b")
    for at in reversed(range(len(lines))):
        if head.match(lines[at]):
            while at and lines[at - 1].lstrip().startswith("@"):
                at -= 1
            start = at - (code.co_firstlineno - 1)
            return [line + "\n" for line in lines[max(start, 0):]]
    return None


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


def find(function):
    """The FunctionDef of the function. Raises SourceNotAvailable, or StagingError for a lambda."""
    code = function.__code__
    if code.co_name == "<lambda>":
        raise StagingError("a lambda cannot be decorated: write a `def`", code.co_filename, code.co_firstlineno)
    lines = _lines(function)
    if not lines:
        _unavailable(function)
    for tree in _candidates(lines, code.co_firstlineno):
        for node in ast.walk(tree):
            if _matches(node, code, code.co_firstlineno):
                return node
    raise SourceNotAvailable(
        f"source not available for {function.__qualname__}: the text at this line is another function's. Has the "
        "file been changed since it was loaded? Start Python again, or reload the module",
        code.co_filename, code.co_firstlineno)
