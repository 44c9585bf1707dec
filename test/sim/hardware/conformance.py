#!/usr/bin/env python3
# conformance.py -- runs tables of small PTX kernels on a GPU, or on the simulated device, and compares with, or writes, the answers.
"""Runs the cases of conformance tables on an NVIDIA GPU, through its driver, and compares the bytes by each case's match rule.
Nothing but Python and the driver is needed. With --answer it runs cases that have no answer, and writes them with the GPU's; a case
whose answer differs between levels of the driver's PTX compiler or between addresses, that ends in a fault or writes outside its
buffers, gets none. Exit codes: 0; 1 some are wrong or refused (with --answer: have no answer for another reason than that the compiler
refuses them); 2 the command line, a table or the device."""

import argparse
import collections
import json
import os
import pathlib
import sys

import devices
import tables
import unanswered
from devices import NOT_RUN, REFUSED, RIGHT, UNANSWERED, WRONG

ROOT = pathlib.Path(__file__).resolve().parents[3]
STATES = (RIGHT, WRONG, REFUSED, NOT_RUN, UNANSWERED)


class Problem(Exception):
    """What ends the program with code 2."""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Problem(f"{message}; --help says what is accepted")


def _positive(text):
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 on, found {text!r}")
    return int(text)


def _levels(text):
    levels = [int(one) for one in text.split(",") if one in ("0", "1", "2", "3", "4")]
    if len(levels) != len(text.split(",")):
        raise argparse.ArgumentTypeError(f"expected levels from 0 to 4 with commas, found {text!r}")
    return levels


def parser():
    made = Parser(prog="conformance.py", description=__doc__)
    made.add_argument("tables", nargs="*", metavar="TABLE", help="tables (.jsonl, .jsonl.gz); else test/data/ptx_*.jsonl.gz, and with "
                      "--answer the cases of unanswered.py")
    made.add_argument("--answer", metavar="FILE", help="write the cases with the answers of the device there")
    made.add_argument("--simulated", action="store_true", help="run on the simulated device, by `cutwork sim`")
    made.add_argument("--cutwork", default=ROOT / "build/bin/cutwork", metavar="PROGRAM",
                      help="with --simulated: the program (build/bin/cutwork)")
    made.add_argument("--device", metavar="N", help="the GPU's number (0), or with --simulated its name, as in sim:sm_90a; else sim:sm_90, "
                      "and sim:sm_90a for cases of sm_90a")
    made.add_argument("--driver", default="libcuda.so.1", metavar="FILE", help="the CUDA driver's library (libcuda.so.1)")
    made.add_argument("--levels", type=_levels, metavar="LIST", help="levels of the driver's PTX compiler, each a run (4,0; with "
                      "--answer 4,0,4)")
    made.add_argument("--no-check", action="store_true", help="with --simulated: without checks")
    made.add_argument("--jobs", type=_positive, default=os.cpu_count(), metavar="N", help="with --simulated: cases at a time")
    made.add_argument("--timeout", type=_positive, default=60, metavar="S", help="a case that takes longer hangs (60)")
    made.add_argument("--family", metavar="LIST", help="only cases of these families")
    made.add_argument("--case", metavar="TEXT", help="only cases whose name or kind begins with TEXT")
    made.add_argument("--every", type=_positive, default=1, metavar="N", help="only every Nth of them")
    made.add_argument("--json", action="store_true", help="print one object")
    return made


def _chosen(options):
    """The cases to run."""
    if options.answer and not options.tables:
        names, cases = ["unanswered.py"], unanswered.cases()
    else:
        names = options.tables or sorted((ROOT / "test/data").glob("ptx_*.jsonl.gz"))
        cases = [case for name in names for case in tables.read(name)]
    if options.family:
        wanted = options.family.split(",")
        unknown = [one for one in wanted if one not in {case["family"] for case in cases}]
        if unknown:
            raise Problem(f"--family: expected some of {', '.join(sorted({case['family'] for case in cases}))}, found {unknown[0]!r}")
        cases = [case for case in cases if case["family"] in wanted]
    if options.case:
        cases = [case for case in cases if case["name"].startswith(options.case) or case["kind"].startswith(options.case)]
    cases = cases[::options.every]
    if not cases:
        raise Problem(f"no case of {', '.join(map(str, names))} is chosen")
    return cases


def _device(options, levels):
    if options.simulated:
        return devices.Simulated(os.path.abspath(options.cutwork), options.device, options.timeout, options.jobs,
                                 ["--no-check"] if options.no_check else [])
    if options.device is not None and not options.device.isdigit():
        raise Problem(f"--device: expected the number of a GPU, found {options.device!r} (names are for --simulated)")
    return devices.Gpu(options.driver, int(options.device or 0), levels, options.timeout)


def _run(options, device, cases):
    """[(case, outcome)], with progress if somebody looks."""
    results = []
    shown = sys.stderr.isatty()
    for case, outcome in device.run_all(cases):
        if outcome.status == RIGHT and not options.answer and not tables.is_answered(case):
            outcome.status = UNANSWERED
        results.append((case, outcome))
        if shown:
            print(f"\r{len(results)} of {len(cases)}", end="", file=sys.stderr, flush=True)
    if shown:
        print("\r\x1b[K", end="", file=sys.stderr)
    return results


def _table(results, answering):
    """Families by state."""
    counts = collections.defaultdict(collections.Counter)
    for case, outcome in results:
        counts[case["family"]][outcome.status] += 1
        counts["all"][outcome.status] += 1
    counts["all"] = counts.pop("all")  # last
    shown = [state for state in STATES if state in (RIGHT, WRONG, REFUSED) or counts["all"][state]]
    names = {RIGHT: "answered", WRONG: "no answer"} if answering else {}
    lines = ["family      " + "".join(f"{names.get(state, state):>12}" for state in shown)]
    lines += [f"{family:<12}" + "".join(f"{row[state]:>12}" for state in shown) for family, row in counts.items()]
    return lines


def _text(device, results, answering):
    lines = [device.name, "", *_table(results, answering)]
    for state in (WRONG, REFUSED, NOT_RUN):
        found = [(case, outcome) for case, outcome in results if outcome.status == state]
        if found:
            lines += ["", "no answer" if answering and state == WRONG else state]
            lines += [f"  {case['name']}  {case['kind']}: {outcome.why}" for case, outcome in found]
    return "\n".join(lines) + "\n"


def _json(device, results):
    return json.dumps({"device": device.name, "cases": [
        {"name": case["name"], "kind": case["kind"], "family": case["family"], "status": outcome.status, "why": outcome.why}
        for case, outcome in results]}) + "\n"


def _write(path, device, results):
    """The cases that have an answer, with it; how many."""
    answered = []
    for case, outcome in results:
        if outcome.status == RIGHT:
            got = [bytes_ if isinstance(one, tables.Buffer) and one.is_output else None
                   for one, bytes_ in zip(tables.arguments(case), outcome.got, strict=True)]
            answered.append(tables.with_answers(case, got, device.name))
    tables.write(path, answered)
    return len(answered)


def main(arguments):
    options = parser().parse_args(arguments)
    cases = _chosen(options)
    if options.answer:
        tables.write(options.answer, [])  # what cannot be written is said before the run
    device = _device(options, options.levels or ([4, 0, 4] if options.answer else [4, 0]))
    try:
        results = _run(options, device, cases)
    finally:
        device.close()
    text = _json(device, results) if options.json else _text(device, results, bool(options.answer))
    if options.answer:
        count = _write(options.answer, device, results)
        text += "" if options.json else f"\nwrote {count} of {len(cases)} cases to {options.answer}\n"
    print(text, end="")
    bad = (WRONG,) if options.answer else (WRONG, REFUSED)
    return int(any(outcome.status in bad for _, outcome in results))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (Problem, tables.TableError, devices.DeviceError) as problem:
        print(f"conformance.py: error: {problem}", file=sys.stderr)
        sys.exit(2)
