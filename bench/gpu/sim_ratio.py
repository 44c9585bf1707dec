# sim_ratio.py -- on a machine with a GPU: each C++ case on the GPU and on the simulated device; a table of both times.
"""sim_ratio.py [--cutwork PROGRAM] [--gpu cuda:0] [--sim sim:sm_90a] [--threads N] [--shape CASE=MxN]... [CASE]...

One run of `cutwork bench` a case and device, at the case's own shape. The GPU's time is the median of its runs, each after
the L2 cache was overwritten; the simulated device's is one run of the host, checked. The ratio is how many times as long the
simulation takes. Without a GPU it says so, and prints the simulated column alone (exit code 3). Markdown, for bench/results."""

import argparse
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def bench(program, case, device, shape, threads):
    """The JSON of one `cutwork bench`, or the error's last line."""
    command = [program, "bench", case, "--device", device, "--vs", "none", "--json"] + (["--shape", shape] if shape else [])
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False,
                          env={**os.environ, "CUTWORK_SIM_THREADS": str(threads)})
    if done.returncode:
        return None, done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit code {done.returncode}"
    return json.loads(done.stdout), ""


def time_text(seconds):
    return f"{seconds * 1e6:.2f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"


def row(options, case, shape):
    real, why = bench(options.cutwork, case, options.gpu, shape, 1)
    simulated, problem = bench(options.cutwork, case, options.sim, shape, options.threads)
    if simulated is None:
        print(f"| {case} | | | | | {problem} |")
        return False, real is not None
    seconds, counters = simulated["seconds"]["median"], simulated["counters"]
    cells = [case, "x".join(map(str, simulated["shape"])), f"{counters['lane_instructions'] / 1e6:.1f} M", time_text(seconds)]
    if real is None:
        print("| " + " | ".join([*cells, "", why]) + " |")
        return True, False
    gpu = real["seconds"]["median"]
    print("| " + " | ".join([*cells, time_text(gpu), f"{seconds / gpu:,.0f}"]) + " |", flush=True)
    return True, True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help="as `cutwork cases` lists them; else all")
    parser.add_argument("--cutwork", default=str(ROOT / "build/bin/cutwork"), help="the command line (build/bin/cutwork)")
    parser.add_argument("--gpu", default="cuda:0")
    parser.add_argument("--sim", default="sim:sm_90a")
    parser.add_argument("--threads", type=int, default=1, help="of the host, for the simulated device (1)")
    parser.add_argument("--shape", action="append", default=[], help="another shape, as softmax=4096x1024")
    options = parser.parse_args()
    listed = subprocess.run([options.cutwork, "cases", "--json"], capture_output=True, text=True, check=True).stdout
    shapes = dict(one.split("=", 1) for one in options.shape)
    names = [case["name"] for case in json.loads(listed)]
    unknown = [name for name in [*options.cases, *shapes] if name not in names]
    if unknown:
        parser.error(f"no such case: {', '.join(unknown)}; there are {', '.join(names)}")
    print(f"| case | shape | lane instructions | {options.sim}, {options.threads} host threads | {options.gpu} | ratio |")
    print("| --- | --- | --- | --- | --- | --- |")
    ends = [row(options, name, shapes.get(name)) for name in options.cases or names]
    if not all(simulated for simulated, _ in ends):
        return 1
    return 0 if all(real for _, real in ends) else 3


if __name__ == "__main__":
    sys.exit(main())
