#!/usr/bin/env python3
# compare.py -- bench_layout beside peers in one run: rounds in turn, the median of the rounds.
"""Runs build/bin/bench_layout and any number of peer programs in turn and prints one table.

A peer is a command that prints CSV with the columns op,case,ns,allocs for the cases of cases.jsonl
(empty where it cannot do a case):

    bench/layout/compare.py --rounds 5 --peer 'cutegen=./bench_cutegen' --peer 'pycute=python3 bench_pycute.py'
"""
import argparse
import csv
import io
import json
import math
import pathlib
import platform
import shlex
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def ours():
    out = run([str(ROOT / "build/bin/bench_layout"), "--benchmark_format=json", "--benchmark_min_time=0.05"])
    rows = {}
    for entry in json.loads(out)["benchmarks"]:
        if entry.get("error_occurred"):
            sys.exit(f"compare: {entry['name']}: {entry['error_message']}")
        rows[tuple(entry["name"].split("/", 1))] = (entry["cpu_time"], entry["allocations"])
    return rows


def peer(command):
    rows = {}
    for row in csv.DictReader(io.StringIO(run(shlex.split(command)))):
        if row["ns"]:
            rows[row["op"], row["case"]] = (float(row["ns"]), float(row["allocs"]) if row["allocs"] else None)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="rounds of all programs in turn (default 5)")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND")
    options = parser.parse_args()
    peers = [p.partition("=")[::2] for p in options.peer]
    names = ["cutwork"] + [name for name, _ in peers]
    times = {name: {} for name in names}
    allocations = {name: {} for name in names}
    for _ in range(options.rounds):
        for name, rows in [("cutwork", ours())] + [(n, peer(c)) for n, c in peers]:
            for case, (ns, count) in rows.items():
                times[name].setdefault(case, []).append(ns)
                allocations[name][case] = count
    print(f"{platform.machine()}, {options.rounds} rounds in turn; ns per operation (median), heap allocations")
    print()
    print("| op | case | " + " | ".join(f"{n} ns | allocs" for n in names) + " |")
    print("| --- | --- |" + " --: | --: |" * len(names))
    for case in times["cutwork"]:
        cells = []
        for name in names:
            found = times[name].get(case)
            count = allocations[name].get(case)
            cells.append(f"{statistics.median(found):.0f}" if found else "")
            cells.append(f"{count:.0f}" if count is not None else "")
        print(f"| {case[0]} | {case[1]} | " + " | ".join(cells) + " |")
    print()
    for name in names[1:]:
        ratios = [
            statistics.median(times[name][case]) / statistics.median(times["cutwork"][case])
            for case in times[name] if case in times["cutwork"]
        ]
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        print(f"{name} / cutwork: geometric mean {mean:.2f}, least {min(ratios):.2f}, most {max(ratios):.2f}"
              f" over {len(ratios)} cases")


if __name__ == "__main__":
    main()
