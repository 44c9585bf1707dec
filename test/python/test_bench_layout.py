# test_bench_layout.py -- operations on static layouts up to rank 8 allocate nothing on the heap.
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CUTWORK_BUILD", ROOT / "build"))


def test_no_heap_allocations():
    done = subprocess.run(
        [BUILD / "bin/bench_layout", "--benchmark_min_time=0.0001", "--benchmark_format=json"],
        capture_output=True, text=True, check=True)
    cases = json.loads(done.stdout)["benchmarks"]
    assert len(cases) > 50
    allocating = {case["name"]: case["allocations"] for case in cases if case["allocations"] != 0}
    assert not allocating
