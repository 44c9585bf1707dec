# ncu_conflicts.py -- bank conflicts, wavefronts, requests and sectors: Nsight Compute's counts beside the simulated device's.
"""PYTHONPATH=build/python python bench/gpu/python/ncu_conflicts.py [--ncu PROGRAM] [--no-ncu]

Each kernel is one warp with one access pattern. It is compiled by Cutwork, profiled by ncu on the GPU, and run on the
simulated device with a profile, whose counts are printed beside. Exit code 1: some differ. --no-ncu (or no GPU): the simulated
counts alone. ncu needs the right to read counters (root, or the driver's option NVreg_RestrictProfilingToAdminUsers=0)."""

import argparse
import csv
import dataclasses
import os
import subprocess
import sys

METRICS = {
    "conflicts ld": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "conflicts st": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "wavefronts ld": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "wavefronts st": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "requests ld": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "requests st": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "sectors ld": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "sectors st": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
}


@dataclasses.dataclass(frozen=True)
class Pattern:
    """Lane i accesses `width` floats at row (i // div) * stride + offset, or (swizzled) at column i ^ swizzle of row i."""

    name: str
    shared: bool
    width: int = 1
    stride: int = 1
    div: int = 1
    offset: int = 0
    swizzle: int = -1


PATTERNS = [
    *(Pattern(f"shared, stride {s}", True, stride=s) for s in (1, 2, 3, 4, 8, 16, 32)),
    Pattern("shared, column of a padded tile", True, stride=33),
    Pattern("shared, column of a swizzled tile", True, stride=32, swizzle=5),
    Pattern("shared, one word for all", True, stride=0),
    Pattern("shared, a word for two lanes each", True, div=2),
    Pattern("shared, a word for four lanes, 2-way", True, div=4, stride=16),
    Pattern("shared, 8 bytes", True, width=2),
    Pattern("shared, 8 bytes, stride 2", True, width=2, stride=2),
    Pattern("shared, 8 bytes, stride 16", True, width=2, stride=16),
    Pattern("shared, 8 bytes, two lanes each", True, width=2, div=2),
    Pattern("shared, 16 bytes", True, width=4),
    Pattern("shared, 16 bytes, stride 2", True, width=4, stride=2),
    Pattern("shared, 16 bytes, column of a tile", True, width=4, stride=8),
    Pattern("shared, 16 bytes, column of a padded tile", True, width=4, stride=9),
    Pattern("shared, 16 bytes, four lanes each", True, width=4, div=4),
    Pattern("shared, 16 bytes, one for all", True, width=4, stride=0),
    *(Pattern(f"global, stride {s}", False, stride=s) for s in (1, 2, 3, 4, 8, 16, 32)),
    Pattern("global, off by 4 bytes", False, offset=1),
    Pattern("global, off by 16 bytes", False, offset=4),
    Pattern("global, stride 2, off by 28 bytes", False, stride=2, offset=7),
    Pattern("global, one word for all", False, stride=0),
    Pattern("global, a word for four lanes", False, div=4),
    Pattern("global, 8 bytes", False, width=2),
    Pattern("global, 8 bytes, off by 8", False, width=2, offset=1),
    Pattern("global, 16 bytes", False, width=4),
    Pattern("global, 16 bytes, stride 2", False, width=4, stride=2),
    Pattern("global, 16 bytes, stride 3, off by 16", False, width=4, stride=3, offset=1),
]
ROWS = 32 * 40


def launch_all():
    """Every pattern's kernel once, in order; with the results checked."""
    import cutwork.compat  # noqa: F401
    from cutwork import _simulation

    _simulation.activate_if_needed()

    import torch

    import cutlass
    import cutlass.cute as cute
    from cutlass.cute.runtime import from_dlpack
    from cutlass.utils import SmemAllocator

    def place(pattern, lane):
        if pattern.swizzle >= 0:
            return lane * pattern.stride + (lane ^ pattern.swizzle)
        return lane // pattern.div * pattern.stride + pattern.offset

    @cute.kernel
    def access_pattern(x: cute.Tensor, y: cute.Tensor, pattern: cutlass.Constexpr):
        lane = cute.arch.thread_idx()[0]
        at = place(pattern, lane)
        held = cute.make_rmem_tensor(pattern.width, cutlass.Float32)
        if cutlass.const_expr(pattern.shared):
            tile = SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout((ROWS, pattern.width), stride=(pattern.width, 1)),
                                                   16)
            held.fill(1.0)
            cute.autovec_copy(held, tile[at, None])
            cute.arch.sync_threads()
            cute.autovec_copy(tile[at, None], held)
        else:
            cute.autovec_copy(x[at, None], held)
        cute.autovec_copy(held, y[lane, None])

    @cute.jit
    def launch(x: cute.Tensor, y: cute.Tensor, pattern: cutlass.Constexpr):
        access_pattern(x, y, pattern).launch(grid=1, block=32)

    for pattern in PATTERNS:
        x = torch.arange(ROWS * pattern.width, dtype=torch.float32).reshape(ROWS, pattern.width).cuda()
        y = torch.zeros(32, pattern.width, device="cuda")
        tensors = [from_dlpack(t, assumed_align=16) for t in (x, y)]
        cute.compile(launch, *tensors, pattern)(*tensors)
        torch.cuda.synchronize()
        want = torch.ones(32, pattern.width) if pattern.shared else x.cpu()[[place(pattern, i) for i in range(32)]]
        assert torch.equal(y.cpu(), want), pattern
        yield pattern


def simulated():
    """A dictionary of counts for each pattern."""
    from cutwork import _core, _device

    _core.profile_simulated_runs(True)
    counts = []
    for pattern in launch_all():
        (one,) = _core.take_simulated_runs(_device.best())["profiles"]
        found = dict.fromkeys(METRICS, 0)
        for row in one["instructions"]:
            which = "st" if " st." in f" {row['text']}" else "ld"
            if row["class"] == "shared":
                found[f"conflicts {which}"] += row["bank_conflicts"]
                found[f"wavefronts {which}"] += row["wavefronts"]
            elif row["class"] == "global":
                found[f"requests {which}"] += row["global_requests"]
                found[f"sectors {which}"] += row["sectors"]
        counts.append(found)
    return counts


def measured(ncu):
    """The same from ncu, by running this file under it."""
    command = [ncu, "--csv", "--page", "raw", "--metrics", ",".join(METRICS.values()), "--kernel-name", "regex:access_pattern",
               "--target-processes", "all", sys.executable, __file__, "--worker"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "CUTWORK_DEVICE": "cuda:0"})
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    rows = [row for row in csv.DictReader(lines) if row.get("ID")]
    if len(rows) != len(PATTERNS):
        sys.exit(f"ncu: expected {len(PATTERNS)} kernels, it has {len(rows)}:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return [{name: round(float(row[metric].replace(",", ""))) for name, metric in METRICS.items()} for row in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--no-ncu", action="store_true", help="the simulated counts alone")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return len(list(launch_all())) != len(PATTERNS)
    os.environ["CUTWORK_DEVICE"] = "sim:sm_90a"
    here = simulated()
    there = [None] * len(here) if options.no_ncu else measured(options.ncu)
    differ = 0
    print(f"| pattern | {' | '.join(METRICS)} |\n|---|{'---|' * len(METRICS)}")
    for pattern, ours, theirs in zip(PATTERNS, here, there):
        cells = []
        for name in METRICS:
            same = theirs is None or ours[name] == theirs[name]
            differ += not same
            cells.append(str(ours[name]) if same else f"**{theirs[name]}**, simulated {ours[name]}")
        print(f"| {pattern.name} | {' | '.join(cells)} |")
    if not options.no_ncu:
        print(f"\n{len(PATTERNS) * len(METRICS)} counts, {differ} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
