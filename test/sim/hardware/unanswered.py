#!/usr/bin/env python3
# unanswered.py -- cases for a conformance table that ptx_base.jsonl.gz has not, without answers: `unanswered.py FILE` writes them.
"""Every form of some instructions of which the table of the H200 has a part, or none. `conformance.py --answer FILE` runs them on a GPU
and writes them with its answers. Left out is what sm_90 does not have, what the ISA leaves undefined, and what the driver is known to
do against its text (NaN of cvt.rna.tf32 with ten upper bits that are zero)."""

import gzip
import json
import pathlib
import sys

import forms
import sweeps
import tables

TABLE = pathlib.Path(__file__).resolve().parents[2] / "data/ptx_base.jsonl.gz"


def cases():
    """All of them, named more.0001 and so on, in an order that does not change."""
    with gzip.open(TABLE, "rt") as lines:
        known = {json.loads(line)["kind"] for line in lines}
    found, kinds = [], set()
    for case in (*forms.cases(), *sweeps.cases()):
        if case["kind"] in known or case["kind"] in kinds:
            continue
        kinds.add(case["kind"])
        found.append(case)
    for number, case in enumerate(found, 1):
        case["name"] = f"more.{number:04}"
    return found


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: unanswered.py FILE: writes the cases to FILE (.jsonl or .jsonl.gz)")
    made = cases()
    tables.write(sys.argv[1], made)
    print(f"wrote {len(made)} cases to {sys.argv[1]}")
