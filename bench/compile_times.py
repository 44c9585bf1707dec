#!/usr/bin/env python3
# compile_times.py -- milliseconds of each stage of compiling each case; the least of several runs. Argument: the program cutwork.

import json
import os
import re
import subprocess
import sys

STAGES = ("trace", "lower", "llvm", "host", "assemble")


def times(program, case):
    """{stage: ms} of one run."""
    done = subprocess.run([program, "compile", case, "--target", "sm_90a", "--emit", "cubin", "-o", os.devnull],
                          env={**os.environ, "CUTWORK_LOG": "info", "CUTE_DSL_NO_CACHE": "1"}, capture_output=True, text=True, check=True)
    return {name: float(ms) for name, ms in re.findall(r"info: (\w+) ([\d.]+) ms", done.stderr)}


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "build/bin/cutwork"
    cases = json.loads(subprocess.run([program, "cases", "--json"], capture_output=True, text=True, check=True).stdout)
    print("| case | " + " | ".join(STAGES) + " | trace to PTX |\n|" + "---|" * (len(STAGES) + 2))
    for case in cases:
        runs = [times(program, case["name"]) for _ in range(7)]
        least = {stage: min(run.get(stage, 0) for run in runs) for stage in STAGES}
        to_ptx = least["trace"] + least["lower"] + least["llvm"] + least["host"]
        print(f"| {case['name']} | " + " | ".join(f"{least[s]:.1f}" for s in STAGES) + f" | {to_ptx:.1f} |")


main()
