# inductor_here.py -- the checks of PyTorch's CuteDSL path with no GPU: Inductor's lowering, scheduling and code, then its module called.
"""torch.compile itself asks the tensors for their device, and those of cutwork.simulated_torch are the host's. So a graph
is given to Inductor with fake tensors of cuda:0: from the lowering on all is PyTorch's own, up to the call of the module that
it writes."""

import sys

import cutwork.inductor

cutwork.inductor.install()

import inductor_checks  # noqa: E402
import torch  # noqa: E402
from inductor_lowering import ADD, lowering  # noqa: E402
from torch._guards import TracingContext, tracing  # noqa: E402
from torch._inductor.codecache import PyCodeCache  # noqa: E402
from torch._inductor.debug import DebugContext  # noqa: E402
from torch._inductor.graph import GraphLowering  # noqa: E402
from torch._inductor.lowering import lowerings  # noqa: E402
from torch._inductor.virtualized import V  # noqa: E402
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402

def graph(shape, mode):
    """A graph of one add, with fake tensors of cuda:0."""
    made = torch.fx.Graph()
    left, right = made.placeholder("left"), made.placeholder("right")
    total = made.call_function(ADD, (left, right))
    made.output((total,))
    with mode:
        for node in (left, right, total):
            node.meta["val"] = torch.empty(shape, device="cuda")
    return torch.fx.GraphModule(torch.nn.Module(), made), [left.meta["val"], right.meta["val"]]


def add(template, variants):
    shape, mode = ((128, 128) if len(variants) > 1 else (128, 4)), FakeTensorMode()
    module, fakes = graph(shape, mode)
    original, lowerings[ADD] = lowerings[ADD], lowering(template, variants)
    try:
        with V.set_debug_handler(DebugContext()), tracing(TracingContext(mode)), V.set_fake_mode(mode):
            lowered = GraphLowering(module)
            with V.set_graph_handler(lowered):
                lowered.run(*fakes)
                text = lowered.codegen()[0].value
    finally:
        lowerings[ADD] = original
    left, right = (torch.randn(shape, device="cuda") for _ in range(2))
    (result,) = PyCodeCache.load_by_key_path(*PyCodeCache.write(text)).call([left, right])
    return text, result, (left, right)


if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write(inductor_checks.report(inductor_checks.run(add)))
