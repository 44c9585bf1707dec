# bench.py -- `cutwork bench kernel.py`: how long kernel_fn takes, and what of reference_fn's speed it has.

import json
import statistics
import sys
import time

from . import contract
from .contract import DONE, KernelFile

HELP = """
The file has kernel_fn(*inputs), reference_fn(*inputs) and get_inputs(). It may have bytes_moved and flops, each a number
or a function of the inputs; without bytes_moved the bytes of all inputs and outputs count. On a GPU: warm-up, then single
runs between events, each after the L2 cache has been overwritten, kernel and peer in turn. On a simulated device each
callable runs once: the host's time, which says nothing of a GPU, and what was counted. Exit code 0 whatever the time."""


def parser():
    made = contract.Parser(prog="cutwork bench", description="Time a kernel file beside its reference", epilog=HELP,
                           formatter_class=contract.argparse.RawDescriptionHelpFormatter)
    made.add_argument("file", help="the kernel file, NAME.py")
    made.add_argument("--vs", choices=["reference", "torch.compile", "none"], default="reference",
                      help="the peer: reference_fn as it is, compiled by torch.compile, or none")
    made.add_argument("--device", help="cuda:0, sim:sm_90a, ...; else the best that there is")
    made.add_argument("--shape", type=contract.extents, help="extents for get_inputs, as in 8192x4096; else its own")
    made.add_argument("--seed", type=contract.natural, default=0, help="of the random inputs (0)")
    made.add_argument("--warmup", type=contract.natural, default=10, help="runs before the timed ones (10)")
    made.add_argument("--iterations", type=contract.positive, help="timed runs; else about 0.5 s, 20 to 1000")
    made.add_argument("--json", action="store_true", help="print the figures as JSON; times in seconds")
    return made


def timing(seconds):
    """Median, tenth and ninetieth percentile and the least, as the C++ program's."""
    ordered = sorted(seconds)
    at = lambda q: ordered[round(q * (len(ordered) - 1))]  # noqa: E731
    return {"runs": len(ordered), "median": statistics.median(ordered), "p10": at(0.1), "p90": at(0.9), "least": ordered[0]}


def time_text(seconds):
    if seconds < 1e-3:
        return f"{seconds * 1e6:.2f} us"
    return f"{seconds * 1e3:.3f} ms" if seconds < 1 else f"{seconds:.3f} s"


class Stopwatch:
    """Runs a function on a GPU after its L2 cache was overwritten; seconds between events."""

    def __init__(self):
        import torch

        from .._device import flush_bytes, named

        self.torch = torch
        self.start, self.end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        self.other = torch.empty(max(flush_bytes(named(torch.cuda.current_device())), 64 << 20), dtype=torch.uint8, device="cuda")

    def __call__(self, function, inputs):
        self.other.zero_()
        self.start.record()
        function(*inputs)
        self.end.record()
        self.end.synchronize()
        return self.start.elapsed_time(self.end) * 1e-3


def measure(functions, inputs, warmup, iterations):
    """A timing for each function; their runs take turns."""
    watch = Stopwatch()
    began = time.perf_counter()
    for _ in range(max(warmup, 1)):
        for function in functions:
            watch(function, inputs)
    each = (time.perf_counter() - began) / max(warmup, 1)
    runs = iterations or min(max(int(0.5 / each), 20), 1000)
    seconds = [[] for _ in functions]
    for _ in range(runs):
        for kept, function in zip(seconds, functions):
            kept.append(watch(function, inputs))
    return [timing(kept) for kept in seconds]


def simulate(function, inputs, device):
    """One run on the simulated device: (timing of the host, counters or None where no kernel was launched)."""
    from .. import _device

    seconds, counters = _device.simulated_run(lambda: function(*inputs), device)
    return timing([seconds]), counters


def bytes_of(file, inputs, outputs):
    given = file.number("bytes_moved", inputs)
    if given is not None:
        return float(given)
    return float(sum(t.numel() * t.element_size() for _, t in (*contract.tensors(inputs), *outputs)))


def peer(file, options, device):
    """(name, function) to compare with; no function: it is not run here, and why."""
    if options.vs == "none":
        return "none", None
    if options.vs == "reference":
        return "reference_fn", file.reference_fn
    if device.simulated:
        return "torch.compile is not run on the simulated device", None
    import torch

    return "torch.compile(reference_fn)", torch.compile(file.reference_fn)


def run(file, options, device):
    inputs = file.inputs(options.shape or (), options.seed)
    what, other = peer(file, options, device)
    result = {"case": file.name, "device": device.name, "shape": [list(t.shape) for _, t in contract.tensors(inputs)],
              "simulated": device.simulated}
    if device.simulated:
        kept = []
        first, counters = simulate(lambda *x: kept.append(file.kernel_fn(*x)), contract.clone(inputs), device)
        second = simulate(other, contract.clone(inputs), device)[0] if other else None
        outputs = contract.flat(kept[0])
    else:
        outputs, counters = contract.flat(file.kernel_fn(*contract.clone(inputs))), None
        timings = measure([file.kernel_fn] + ([other] if other else []), contract.clone(inputs), options.warmup, options.iterations)
        first, second = timings[0], timings[1] if other else None
    result.update(bytes=bytes_of(file, inputs, outputs), flops=float(file.number("flops", inputs) or 0), seconds=first)
    if device.simulated:
        result["counters"] = counters or {}
    else:
        result["bytes_per_second"] = result["bytes"] / first["median"]
        if result["flops"]:
            result["flops_per_second"] = result["flops"] / first["median"]
    if second:
        result["versus"] = {"what": what, "seconds": second, "speedup": second["median"] / first["median"]}
    elif options.vs != "none":
        result["versus"] = {"what": what}
    return result


def simulated_text(r):
    lines = ["  simulated: not a GPU time", f"  host time          {time_text(r['seconds']['median'])}"]
    c = r["counters"]
    if not c:
        return [*lines, "  kernel_fn launched no kernel of Cutwork"]
    lines += [f"  blocks             {c['blocks']}", f"  warp instructions  {c['warp_instructions']}",
              f"  lane instructions  {c['lane_instructions']}",
              f"  global memory      {c['global_bytes_loaded']} bytes loaded, {c['global_bytes_stored']} stored",
              f"  global accesses    {c['global_loads']} loads, {c['global_stores']} stores (of warps)",
              f"  shared accesses    {c['shared_loads']} loads, {c['shared_stores']} stores",
              f"  barriers           {c['barriers']}"]
    versus = r.get("versus")
    if versus:
        lines.append(f"  {versus['what']}: {time_text(versus['seconds']['median'])} of the host" if "seconds" in versus
                     else f"  {versus['what']}")
    return lines


def real_text(r):
    t = r["seconds"]
    lines = [f"  time   {time_text(t['median'])} median of {t['runs']} runs; {time_text(t['p10'])} to {time_text(t['p90'])} in 8 of "
             f"10, {time_text(t['least'])} the least",
             f"  moves  {r['bytes'] * 1e-6:.4g} MB, {r['bytes_per_second'] * 1e-9:.1f} GB/s"]
    if r["flops"]:
        lines.append(f"  does   {r['flops'] * 1e-9:.4g} GFLOP, {r['flops_per_second'] * 1e-9:.1f} GFLOP/s")
    if "versus" in r:
        v = r["versus"]
        lines.append(f"  {v['what']}: {time_text(v['seconds']['median'])}; kernel_fn has {v['speedup']:.3f} of its speed")
    return lines


def main(arguments):
    options = parser().parse_args(arguments)
    device = contract.prepare(options.device)
    with contract.quiet(options.json):
        result = run(file := KernelFile(options.file), options, device)
    if options.json:
        print(json.dumps(result))
    else:
        shapes = " ".join(contract.shape_text(shape) for shape in result["shape"])
        print(f"{file.name} {shapes} on {device.name}")
        print("\n".join(simulated_text(result) if device.simulated else real_text(result)))
    return DONE


if __name__ == "__main__":
    sys.exit(contract.run_main("bench", main, sys.argv[1:]))
