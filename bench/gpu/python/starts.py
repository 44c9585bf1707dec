# starts.py -- what a Python program waits for before its first kernel: the import, tracing to PTX beside C++, cold and warm starts.
"""starts.py --cutwork PROGRAM [--examples FOLDER]

PROGRAM is the C++ command line, FOLDER a checkout's examples/python/CuTeDSL. Each figure is the least (import: and the median) of
several new processes. Runs without a GPU too: then nothing is assembled."""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAIRS = {"relu": "relu", "add": "add", "apply": "leaky_relu", "gelu": "gelu", "row_sum": "row_sum", "softmax": "softmax",
         "transpose": "transpose", "sgemm": "sgemm"}  # Python example: C++ case
TO_PTX = ("trace", "lower", "llvm", "host")
PROGRAMS = {"elementwise_apply": ["--M", "1024", "--N", "512", "--warmup_iterations", "0", "--iterations", "1"],
            "sgemm": ["--mnk", "256,256,64", "--warmup_iterations", "0", "--iterations", "1"]}


def run(command, **environment):
    """(seconds, what went to standard error) of a process that must succeed."""
    began = time.perf_counter()
    done = subprocess.run(command, env={**os.environ, "CUTWORK_LOG": "info", **environment}, capture_output=True, text=True)
    taken = time.perf_counter() - began
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{done.stderr[-2000:]}")
    return taken, done.stderr


def stages(text):
    """[(stage, milliseconds)] in order."""
    return [(name, float(ms)) for name, ms in re.findall(r"info: (\w+) ([\d.]+) ms", text)]


def first(found):
    """{stage: ms} of the first function that was compiled, which is the least warm."""
    result = {}
    for name, ms in found:
        if name == "trace" and "trace" in result:
            break
        result.setdefault(name, ms)
    return result


def imports(module, times=11):
    code = f"import time; a = time.perf_counter(); import {module}; print((time.perf_counter() - a) * 1e3)"
    return [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(times)]


def print_imports():
    for module in ("cutwork.cute", "torch"):
        found = imports(module)
        print(f"import {module}: least {min(found):.0f} ms, median {statistics.median(found):.0f} ms")


def print_pairs(program):
    print("\n| example | C++, trace to PTX, ms | Python | of it trace | allowed (1.5 C++ + 20) |\n|---|---|---|---|---|")
    for name, case in PAIRS.items():
        best = {}
        for face, command in (("C++", [program, "compile", case, "--target", "sm_90a", "-o", os.devnull]),
                              ("Python", [sys.executable, "-m", "cutwork", str(ROOT / "examples/python" / f"{name}.py")])):
            runs = [first(stages(run(command, CUTE_DSL_NO_CACHE="1")[1])) for _ in range(5)]
            best[face] = min(sum(each[s] for s in TO_PTX) for each in runs)
            trace = min(each["trace"] for each in runs)
        print(f"| {name} | {best['C++']:.1f} | {best['Python']:.1f} | {trace:.1f} | {1.5 * best['C++'] + 20:.1f} |", flush=True)


def print_programs(folder):
    print("\n| program | process | wall, s | compile, ms | assembled |\n|---|---|---|---|---|")
    for name, arguments in PROGRAMS.items():
        path = next(pathlib.Path(folder).rglob(f"{name}.py"))
        with tempfile.TemporaryDirectory() as store:
            for kind in ("cold", "second", "third"):
                wall, text = run([sys.executable, "-m", "cutwork", str(path), *arguments], CUTE_DSL_CACHE_DIR=store)
                found = stages(text)
                print(f"| {name} | {kind} | {wall:.2f} | {sum(ms for _, ms in found):.0f} | {sum(n == 'assemble' for n, _ in found)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cutwork", required=True)
    parser.add_argument("--examples")
    options = parser.parse_args()
    print_imports()
    print_pairs(options.cutwork)
    if options.examples:
        print_programs(options.examples)


if __name__ == "__main__":
    main()
