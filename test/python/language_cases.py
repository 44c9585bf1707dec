# language_cases.py -- runs the programs of test/python/cases on the simulated device: `cutwork` runs it, results are JSON.
"""A file has cases:

    === name                    or `=== name : kernel`, whose text is the body of a kernel of one thread
    the program
    --- f(x)                    what is evaluated; x is a tensor of 8 Float32 on the device, all 0
    what the program prints, what the expression gives if not None, x without its last zeros; or the error"""
import contextlib
import ctypes
import io
import json
import linecache
import os
import pathlib
import re
import sys
import tempfile
import textwrap

HEAD = """
import dataclasses, enum, functools, operator
from typing import List, NamedTuple, Optional, Type
import numpy as np, torch
import cutlass, cutlass.cute as cute, cutlass.pipeline, cutlass.utils
from cutlass import BFloat16, Boolean, Float16, Float32, Float64, Int8, Int32, Int64, Uint8, Uint32, Uint64
from cutlass.cute.runtime import from_dlpack
"""
LAUNCH = "@cute.jit\ndef f(x: cute.Tensor):\n    k(x).launch(grid=1, block=1)\n"


def read(path):
    """(name, program as it is written, is a kernel's body, expression, expected text) of each case."""
    cases = []
    for part in re.split(r"^=== ", path.read_text(encoding="utf-8"), flags=re.M)[1:]:
        head, rest = part.split("\n", 1)
        program, rest = re.split(r"^--- ", rest, maxsplit=1, flags=re.M)
        expression, expected = rest.split("\n", 1)
        name, _, kind = head.partition(" : ")
        cases.append((name, program, kind == "kernel", expression, expected))
    return cases


@contextlib.contextmanager
def captured(out):
    """What Python and the program print."""
    with tempfile.TemporaryFile("w+b") as file:
        sys.stdout.flush()
        kept = os.dup(1)
        os.dup2(file.fileno(), 1)
        buffer = io.StringIO()
        try:
            with contextlib.redirect_stdout(buffer):
                yield
        finally:
            os.dup2(kept, 1)
            os.close(kept)
            file.seek(0)
            out.append(buffer.getvalue() + file.read().decode())


def run(name, program, is_kernel, expression):
    """The text that the case gives."""
    if is_kernel:
        program = "@cute.kernel\ndef k(x: cute.Tensor):\n" + textwrap.indent(program, "    ") + LAUNCH
    file = f"<{name}>"
    linecache.cache[file] = (len(program), None, program.splitlines(True), file)
    space = {}
    exec(HEAD, space)
    x = space["x"] = space["torch"].zeros(8, device="cuda")
    out, error, result = [], "", None
    with captured(out):
        try:
            exec(compile(program, file, "exec"), space)
            result = eval(expression, space)
            space["torch"].cuda.synchronize()  # a GPU's printf comes then
            ctypes.CDLL(None).fflush(None)
        except Exception as problem:  # noqa: BLE001  (an error is what some cases are about)
            error = f"{type(problem).__name__}: {str(problem).splitlines()[0]}".replace(file, "case")
    printed, error = (re.sub(r"0x[0-9a-f]{8,}", "0xADDRESS", text) for text in (out[0], error))
    if printed and not printed.endswith("\n"):
        printed += "\n"
    if error:
        return printed + error + "\n"
    values = x.tolist()
    while values and values[-1] == 0:
        values.pop()
    return printed + ("" if result is None else f"{result}\n") + f"x = {values}\n"


if __name__ == "__main__":
    print(json.dumps({name: run(name, *rest) for path in sys.argv[1:] for name, *rest, _ in read(pathlib.Path(path))}))
