# norms.py -- on a GPU: RMSNorm and softmax of bf16 rows beside copy_, torch and torch.compile, in one run; GB/s.
"""norms.py [--shapes 8192x1024,...]

Each is captured into a CUDA graph over as many buffers as exceed the L2 cache four times, so that every row comes from memory
and no host time counts; the four take turns, and the median of the turns is printed. Bytes: the rows read once and written once."""

import argparse
import pathlib
import statistics
import sys

import cutwork.compat  # noqa: F401
import torch

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "examples/python"))

import rmsnorm  # noqa: E402
import softmax  # noqa: E402
from block import Rows  # noqa: E402

SHAPES = "8192x1024,8192x4096,8192x8192,8192x16384,2048x65536"
L2 = 60 << 20


def captured(call, buffers):
    """A graph of the call over each (x, y)."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for x, y in buffers[:2]:
            call(x, y)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for x, y in buffers:
            call(x, y)
    return graph


def milliseconds(graph):
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    graph.replay()
    end.record()
    end.synchronize()
    return start.elapsed_time(end)


def measure(rows, columns, peers=True):
    """{name: GB/s}, of ours and copy_ alone without the peers; checks our results first."""
    size = rows * columns * 2
    buffers = [(torch.randn(rows, columns, device="cuda", dtype=torch.bfloat16),
                torch.empty(rows, columns, device="cuda", dtype=torch.bfloat16)) for _ in range(max(2, 4 * L2 // size + 1))]
    x, y = buffers[0]
    w = torch.randn(columns, device="cuda", dtype=torch.bfloat16)
    plan = Rows.of(x, y, w)

    def norm(x, y):
        rmsnorm.launch(x, w, y, 1e-5, plan)

    def soft(x, y):
        softmax.launch(x, y, plan)

    norm(x, y)
    torch.testing.assert_close(y, rmsnorm.reference_fn(x, w), rtol=2e-2, atol=2e-2)
    soft(x, y)
    torch.testing.assert_close(y, torch.softmax(x, -1))
    compiled_norm = torch.compile(lambda x: rmsnorm.reference_fn(x, w), dynamic=False)
    compiled_soft = torch.compile(lambda x: torch.softmax(x, -1), dynamic=False)
    calls = {"copy_": lambda x, y: y.copy_(x), "RMSNorm": norm, "RMSNorm, torch": lambda x, y: rmsnorm.reference_fn(x, w),
             "RMSNorm, compiled": lambda x, y: compiled_norm(x), "softmax": soft, "softmax, torch": lambda x, y: torch.softmax(x, -1),
             "softmax, compiled": lambda x, y: compiled_soft(x)}
    graphs = {name: captured(call, buffers) for name, call in calls.items() if peers or "," not in name}
    times = {name: [] for name in graphs}
    for _ in range(15):
        for name, graph in graphs.items():
            times[name].append(milliseconds(graph))
    return {name: 2 * size * len(buffers) / statistics.median(each) / 1e6 for name, each in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shapes", default=SHAPES)
    header = None
    for text in parser.parse_args().shapes.split(","):
        rows, columns = map(int, text.split("x"))
        result = measure(rows, columns)
        torch._dynamo.reset()
        if header is None:
            header = list(result)
            print("| shape | " + " | ".join(header) + " | RMSNorm / copy_ | softmax / copy_ |\n|" + "---|" * (len(header) + 3))
        ratios = [result[name] / result["copy_"] for name in ("RMSNorm", "softmax")]
        print(f"| {text} | " + " | ".join(f"{result[name]:,.0f}" for name in header) + " | "
              + " | ".join(f"{ratio:.2f}" for ratio in ratios) + " |", flush=True)


if __name__ == "__main__":
    main()
