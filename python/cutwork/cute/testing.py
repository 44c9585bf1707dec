# testing.py -- measuring and checking: benchmark, JitArguments, assert_. cutlass.testing is the same.

import time

from .. import _core, _device
from .._errors import UserError


class CantImplementError(Exception):
    """A configuration that a kernel cannot have."""


class RuntimeAssertion(Exception):
    """A check that failed when the program ran."""


class JitArguments:
    """The arguments of one call."""

    def __init__(self, *args, **kwargs):
        self.args, self.kwargs = args, kwargs
        self.references = []

    def add_to_scope(self, references):
        """Keeps objects alive as long as the arguments."""
        self.references.extend(references)


def get_workspace_count(one_workspace_bytes, warmup_iterations, iterations):
    """How many argument sets it takes so that no call finds its data in the L2 cache."""
    l2 = 2 * 60 * 1024 * 1024
    return max(1, min(warmup_iterations + iterations, -(-l2 // max(one_workspace_bytes, 1)) + 1))


def _host_time(function, arguments):
    start = time.perf_counter()
    function(*arguments.args, **arguments.kwargs)
    return (time.perf_counter() - start) * 1e6


def benchmark(callable, *, warmup_iterations=10, iterations=100, stream=None, kernel_arguments=None,  # noqa: A002
              workspace_generator=None, workspace_count=1, use_cuda_graphs=False, use_cupti=False, nvtx_tag=None):
    """Mean microseconds of a call. On the simulated device one call's host time, which is said."""
    if iterations < 1 or warmup_iterations < 0 or workspace_count < 1:
        raise ValueError("benchmark: iterations and workspace_count are at least 1, warmup_iterations at least 0")
    sets = [workspace_generator() for _ in range(workspace_count)] if workspace_generator else [
        kernel_arguments or JitArguments()]
    if _device.best().simulated:
        print("simulated: not a GPU time")
        return _host_time(callable, sets[0])
    import torch

    on = torch.cuda.ExternalStream(int(stream)) if stream is not None and int(stream) else torch.cuda.current_stream()
    for i in range(warmup_iterations):
        chosen = sets[i % len(sets)]
        callable(*chosen.args, **chosen.kwargs)
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda.synchronize()
    start.record(on)
    for i in range(iterations):
        chosen = sets[(warmup_iterations + i) % len(sets)]
        callable(*chosen.args, **chosen.kwargs)
    end.record(on)
    end.synchronize()
    return start.elapsed_time(end) * 1e3 / iterations


def assert_(cond, msg=None, *, loc=None, ip=None):
    """A check on the device: the kernel stops where it fails."""
    if isinstance(cond, bool):
        if not cond:
            raise RuntimeAssertion(msg or "assertion failed while tracing")
        return
    if not _core.is_tracing():
        raise UserError("assert_ of a run-time condition is for kernels")
    region = _core.open_if(_core.not_(cond))
    if msg:
        _core.printf(f"assertion failed: {msg}\n".replace("{", "{{"), [])
    if _core.is_tracing_kernel():
        _core.arch.trap()
    region.close()


def tune(func, params_dict=None, kernel_arguments=None, warmup_iterations=10, iterations=100, stream=None):
    """The parameters with which `func` is fastest: func(*args, **kwargs, **parameters) gives a function to measure."""
    import itertools

    arguments = kernel_arguments or JitArguments()
    names = list(params_dict or {})
    best, refused = None, []
    for values in itertools.product(*(params_dict[name] for name in names)):
        chosen = dict(zip(names, values))
        try:
            run = func(*arguments.args, **arguments.kwargs, **chosen)
            cost = benchmark(run, warmup_iterations=warmup_iterations, iterations=iterations, stream=stream)
        except (CantImplementError, ValueError, TypeError) as problem:  # a configuration that is refused
            refused.append(f"{chosen}: {problem}")
            continue
        if best is None or cost < best[0]:
            best = (cost, chosen)
    if best is None:
        raise UserError("tune: no set of parameters could be run:\n  " + "\n  ".join(refused))
    return best[1]


class autotune_jit:  # noqa: N801  (the field's name)
    """Decorates a host function whose parameters are tuned at the first call for given arguments."""

    def __init__(self, params_dict=None, update_on_change=None, warmup_iterations=10, iterations=100):
        self.parameters, self.watched = params_dict or {}, list(update_on_change or [])
        self.warmup, self.iterations = warmup_iterations, iterations

    def __call__(self, function):
        import functools
        import inspect

        from .._jit import JitFunction, compile as compile_

        traced = function if isinstance(function, JitFunction) else JitFunction(function)
        signature, best = inspect.signature(traced.function), {}

        @functools.wraps(traced.function)
        def call(*args, **kwargs):
            if _core.is_tracing() or set(self.parameters) & set(kwargs):
                return traced(*args, **kwargs)
            bound = signature.bind_partial(*args, **kwargs)
            key = tuple(str(bound.arguments.get(name)) for name in self.watched)
            if key not in best:
                best[key] = self._tuned(traced, compile_, args, kwargs)
            compiled, chosen = best[key]
            return compiled(*args, **kwargs)

        call.best = best
        call._tuned_function = traced  # what cute.compile compiles, with parameters that its caller names
        return call

    def _tuned(self, traced, compile_, args, kwargs):
        made = {}

        def variant(**chosen):
            key = tuple(chosen.items())
            made[key] = compile_(traced, *args, **kwargs, **chosen)
            return lambda: made[key](*args, **kwargs)

        chosen = tune(variant, self.parameters, warmup_iterations=self.warmup, iterations=self.iterations)
        return made[tuple(chosen.items())], chosen


__all__ = ["CantImplementError", "JitArguments", "RuntimeAssertion", "assert_", "autotune_jit", "benchmark",
           "get_workspace_count", "tune"]
