# testing.py -- measuring and checking: benchmark, JitArguments, assert_. cutlass.testing is the same.

import contextlib
import math
import sys
import warnings

from .. import _core, _device
from .._errors import DeviceError, UserError
from .._jit import asserting


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
    return max(1, min(warmup_iterations + iterations, -(-_device.flush_bytes() // max(one_workspace_bytes, 1)) + 1))


def _checked_set(made, source):
    if not isinstance(made, JitArguments):
        raise TypeError(f"benchmark: {source} gives the arguments of a call as JitArguments, not {type(made).__name__}")
    return made


def _counted(counters):
    return (f"{counters['blocks']} blocks, {counters['warp_instructions']} warp instructions, "
            f"{counters['global_bytes_loaded']} bytes loaded, {counters['global_bytes_stored']} stored")


def _simulated_time(function, arguments, device):
    """Microseconds of the host for one call; prints that it is no GPU's time, and what was counted."""
    seconds, counters = _device.simulated_run(lambda: function(*arguments.args, **arguments.kwargs), device)
    print("simulated: not a GPU time" + (f"; {_counted(counters)}" if counters else ""))
    return seconds * 1e6


class _Measured:
    """A callable with sets of arguments, which its calls take in turn so that none finds its data in the L2 cache."""

    def __init__(self, function, sets):
        self.function, self.sets, self.count = function, sets, 0

    def __call__(self, times=1):
        for _ in range(times):
            chosen = self.sets[self.count % len(self.sets)]
            self.count += 1
            self.function(*chosen.args, **chosen.kwargs)


def _captured(run, times, on):
    """A CUDA graph of so many calls. ValueError: a call does not work on the stream `on`."""
    import torch

    graph = torch.cuda.CUDAGraph()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            with torch.cuda.graph(graph, stream=on, capture_error_mode="relaxed"):
                run(times)
        except (RuntimeError, DeviceError) as problem:
            raise ValueError(f"benchmark: the callable cannot be captured on the stream it is measured on, {on}: {problem}. Its "
                             "launches must be on that stream, and it may not synchronise") from problem
    if any("CUDA Graph is empty" in str(warning.message) for warning in seen):
        raise ValueError(f"benchmark: the callable launches nothing on the stream it is measured on, {on}: pass it the same stream")
    return graph


def _between_events(work, on, times):
    """Mean microseconds of `times` calls that work() makes."""
    import torch

    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda.synchronize()
    start.record(on)
    work()
    end.record(on)
    end.synchronize()
    return start.elapsed_time(end) * 1e3 / times


def _kernel_time(work, times):
    """Mean microseconds that the kernels of `times` calls take on the GPU, as CUPTI measures them."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA]) as profiled:
        work()
        torch.cuda.synchronize()
    return sum(event.self_device_time_total for event in profiled.key_averages()) / times


def _stream(stream):
    import torch

    handle = int(stream) if stream is not None else 0
    return torch.cuda.ExternalStream(handle) if handle else torch.cuda.default_stream() if stream is not None else None


def _graphable(on, graphs):
    named = on.cuda_stream != 0
    if graphs and not named:
        raise ValueError("benchmark: CUDA graphs are captured on a stream that is not the default one; pass stream= and have the "
                         "callable use it")
    return named


def _check_stream(run, stream, graphs):
    """On the simulated device, where nothing is measured: whether it could be."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return  # no streams
    chosen = _stream(stream) or torch.cuda.current_stream()
    if _graphable(chosen, graphs):
        with torch.cuda.stream(chosen):
            run(1)
            _captured(run, 1, chosen)


def _gpu_time(run, warmup, iterations, on, graphs, cupti):
    import torch

    chosen = on or torch.cuda.current_stream()
    named = _graphable(chosen, graphs)
    with torch.cuda.stream(chosen):
        run(1)  # what compiles or allocates at the first call is no part of a graph, nor of what is measured
        torch.cuda.synchronize()
        if not graphs:
            if named:
                _captured(run, 1, chosen)  # whether the callable uses the stream
            run(warmup)
            work = lambda: run(iterations)  # noqa: E731
        else:
            if warmup:
                _captured(run, warmup, chosen).replay()
            work = _captured(run, iterations, chosen).replay
        return _kernel_time(work, iterations) if cupti else _between_events(work, chosen, iterations)


def benchmark(callable, *, warmup_iterations=10, iterations=100, stream=None, kernel_arguments=None,  # noqa: A002
              workspace_generator=None, workspace_count=1, use_cuda_graphs=False, use_cupti=False, nvtx_tag=None):
    """Mean microseconds of a call.

    The callable gets the arguments that `kernel_arguments` holds, or in turn those of `workspace_count` sets that
    `workspace_generator()` makes. A `stream` that is not the default one must be the one that the callable launches on: a call is
    captured to find out (ValueError). `use_cuda_graphs`: warm-up and measured calls are each one graph. `use_cupti`: the
    time of the kernels alone. On the simulated device one call, the host's time, which is said with what was counted."""
    if iterations < 1 or warmup_iterations < 0 or workspace_count < 1:
        raise ValueError("benchmark: iterations and workspace_count are at least 1, warmup_iterations at least 0")
    if kernel_arguments is not None and workspace_generator is not None:
        raise ValueError("benchmark: kernel_arguments or workspace_generator, not both")
    device = _device.best()
    if workspace_generator is None:
        sets = [_checked_set(kernel_arguments or JitArguments(), "kernel_arguments")]
    else:
        count = 1 if device.simulated else workspace_count
        sets = [_checked_set(workspace_generator(), "workspace_generator") for _ in range(count)]
    if device.simulated:
        _check_stream(_Measured(callable, sets), stream, use_cuda_graphs)
        return _simulated_time(callable, sets[0], device)
    import torch

    with torch.cuda.nvtx.range(nvtx_tag) if nvtx_tag else contextlib.nullcontext():
        return _gpu_time(_Measured(callable, sets), warmup_iterations, iterations, _stream(stream), use_cuda_graphs, use_cupti)


_CONVERTED = {8: 4, 4: 8, 6: 16}  # bits of an element: what divides the leading extent, whole 32-bit words and more


def convert(src, dst):
    """Writes `src` into `dst`, a tensor of the same shape, element by element in its type.

    Both are arguments of host functions (from_dlpack) or arrays. Of 8 bits a float's leading extent is divisible by 4, of 4 bits by
    8, of 6 bits by 16. UserError: shapes differ, or an extent is not."""
    from ._convert import launch
    from .runtime import from_dlpack

    src, dst = (t if hasattr(t, "element_type") and hasattr(t, "layout") else from_dlpack(t) for t in (src, dst))
    shapes = [_sizes(t) for t in (src, dst)]
    if shapes[0] != shapes[1]:
        raise UserError(f"convert: the shapes are {shapes[0]} and {shapes[1]}; they must be the same")
    for tensor, sizes in zip((src, dst), shapes):
        _check_leading(tensor, sizes)
    launch(src, dst)


def _sizes(tensor):
    return tuple(tensor.layout.shape) if isinstance(tensor.layout.shape, tuple) else (tensor.layout.shape,)


def _check_leading(tensor, sizes):
    of = tensor.element_type
    divisor = _CONVERTED.get(of.width) if of.is_float else None
    strides = tensor.layout.stride if isinstance(tensor.layout.stride, tuple) else (tensor.layout.stride,)
    for size, stride in zip(sizes, strides):
        if divisor and stride == 1 and size > 1 and size % divisor:
            raise UserError(f"convert: a tensor of {of} has a leading extent that is divisible by {divisor}, not {size}")


def add_tensor_init_args(parser, supports_int_dtypes=True):
    """Adds the options of a program that say how its tensors are filled: --init_normal, --normal_mean, --normal_std."""
    group = parser.add_argument_group("contents of the tensors")
    integers = "; integers are uniform all the same" if supports_int_dtypes else ""
    group.add_argument("--init_normal", action="store_true", help=f"normally distributed numbers, not uniform ones{integers}")
    group.add_argument("--normal_mean", type=float, default=0.0, help="their mean (0)")
    group.add_argument("--normal_std", type=float, default=1.0, help="their standard deviation, above 0 (1)")


def validate_tensor_init_args(args, parser):
    """Ends the program through parser.error if the options of add_tensor_init_args do not fit together."""
    if not (math.isfinite(args.normal_std) and args.normal_std > 0 and math.isfinite(args.normal_mean)):
        parser.error(f"--normal_mean is finite and --normal_std is finite and above 0, not {args.normal_mean}, {args.normal_std}")
    if not args.init_normal and (args.normal_mean, args.normal_std) != (0.0, 1.0):
        parser.error("--normal_mean and --normal_std are for --init_normal")


def assert_(cond, msg=None, *, loc=None, ip=None):
    """A check of a condition that the kernel computes, which stops it: compiled in with --enable-assertions or
    CUTE_DSL_ENABLE_ASSERTIONS only. What is known while tracing is checked then, always (RuntimeAssertion)."""
    if isinstance(cond, bool):
        if not cond:
            raise RuntimeAssertion(msg or "assertion failed while tracing")
        return
    if not _core.is_tracing():
        raise UserError("assert_ of a run-time condition is for kernels")
    if not asserting():
        return
    if not _core.is_tracing_kernel():
        raise UserError("assert_ in a host function: the condition is known only when it runs; check it in the kernel, or "
                        "in Python before the call")
    region = _core.open_if(_core.not_(cond))
    if msg:
        _core.printf(f"assertion failed: {msg}\n".replace("{", "{{"), [])
    _core.arch.trap()
    region.close()


def _log_tuning(text):
    """CUTE_DSL_LOG_AUTOTUNE: a line about a set of parameters, to standard error."""
    if _core.knobs()["log_autotune"]:
        print(f"cutwork: autotune: {text}", file=sys.stderr)


def tune(func, params_dict=None, kernel_arguments=None, warmup_iterations=10, iterations=100, stream=None):
    """The parameters with which `func` is fastest: func(*args, **kwargs, **parameters) gives a function to measure.

    A set of parameters that cannot be compiled or launched, or that func refuses with CantImplementError or ValueError, is
    skipped, with a line on standard error; any other exception is the program's own and ends the search."""
    import itertools

    arguments = kernel_arguments or JitArguments()
    names = list(params_dict or {})
    best, refused = None, []
    for values in itertools.product(*(params_dict[name] for name in names)):
        chosen = dict(zip(names, values))
        try:
            run = func(*arguments.args, **arguments.kwargs, **chosen)
            cost = benchmark(run, warmup_iterations=warmup_iterations, iterations=iterations, stream=stream)
        except (CantImplementError, ValueError, DeviceError) as problem:  # UserError is a ValueError
            refused.append(f"{chosen}: {problem}")
            print(f"cutwork: autotune: {chosen} is skipped: {problem}", file=sys.stderr)
            continue
        _log_tuning(f"{chosen}: {cost:.2f} us")
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


__all__ = ["CantImplementError", "JitArguments", "RuntimeAssertion", "add_tensor_init_args", "assert_", "autotune_jit", "benchmark",
           "convert", "get_workspace_count", "tune", "validate_tensor_init_args"]
