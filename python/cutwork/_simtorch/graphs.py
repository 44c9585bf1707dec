# graphs.py -- CUDA graphs of the simulated GPU: what is captured is kept, and done again at each replay.
"""While a stream is captured, launches of kernels on it are kept by the device with their parameters, and torch's operations
here. Nothing that is there already changes: operations that make a tensor are done, so that its memory and shape are known,
and those that change one are only kept. A replay does all in order; results go where they went."""

import itertools
import warnings

import torch

from .._captures import Capture, captures

_pools = itertools.count(1)


def refuse():
    raise torch.AcceleratorError("CUDA error: operation not permitted when stream is capturing")


def current():
    """The capture that work of this thread goes into, or None."""
    if not captures:
        return None
    from .streams import current_stream

    return captures.get(current_stream().cuda_stream)


def _mapped(value, change):
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, (list, tuple)):
        return type(value)([_mapped(item, change) for item in value])
    return value


def _tensors(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item)


def all_mapped(args, kwargs, change):
    return _mapped(args, change), {name: _mapped(value, change) for name, value in kwargs.items()}


def _changed_results(function, changed):
    """What an operation gives that gives the tensors which it changes."""
    returns = function._schema.returns
    if not returns:
        return None
    if len(returns) > 1:
        return tuple(changed)
    return changed[0] if len(changed) == 1 else changed


class TorchCapture(Capture):
    """One that keeps torch's operations too."""

    def operation(self, function, operation, args, kwargs, do, result):
        """An operation of torch, which do(args, kwargs) does. `result` gives its results their places."""
        if operation.reads_back:
            refuse()
        # Other names for the same memory: the tensors themselves hold autograd's graph.
        kept = all_mapped(args, kwargs, torch.Tensor.detach)
        changed = list(operation.changed(args, kwargs))
        if changed and operation.gives_changed:
            self.add(lambda: _again(operation, do, kept, []))
            return _changed_results(function, changed)
        if changed:  # nothing of it may be seen, but for the results
            copies = {id(t): t.clone() for t in changed}
            args, kwargs = all_mapped(args, kwargs, lambda t: copies.get(id(t), t))
        made = result(do(args, kwargs))
        places = [t.detach() for t in _tensors(made)]
        self.add(lambda: _again(operation, do, kept, places))
        return made


def _again(operation, do, given, places):
    """An operation once more; its results are written where they were."""
    from . import memory

    for place, value in zip(places, _tensors(do(*given)), strict=False):  # no places: it gave what it changed
        if memory.storage_of(place)._cdata == memory.storage_of(value)._cdata:
            continue  # a view
        if place.shape != value.shape:
            raise RuntimeError(f"CUDA graph: {operation.name} gave a tensor of shape {tuple(place.shape)} when it was captured, and "
                               f"{tuple(value.shape)} now: its shape depends on data")
        memory.copy_(place, value)
    for tensor in operation.changed(*given):
        if memory.on_gpu(tensor):
            memory.mark(tensor)


class CUDAGraph:
    """torch.cuda.CUDAGraph."""

    def __init__(self, keep_graph=False):
        self._capture, self._pool = None, None

    def capture_begin(self, pool=None, capture_error_mode="global"):
        from .streams import current_stream

        if capture_error_mode not in ("global", "thread_local", "relaxed"):
            raise RuntimeError(f"Unknown capture error mode. Expected `global`, `thread_local`, or `relaxed`, got {capture_error_mode}")
        stream = current_stream().cuda_stream
        if self._capture is not None:
            raise RuntimeError("This CUDAGraph instance already owns a captured graph. To capture a new graph, create a new instance.")
        if stream == 0:
            raise RuntimeError("CUDA graphs must be captured on a non-default stream. (However, after capture, it's ok to replay them "
                               "on the default stream.)")
        if stream in captures:
            refuse()
        self._pool = pool if pool is not None else graph_pool_handle()
        self._capture = TorchCapture(stream)

    def capture_end(self):
        from .streams import current_stream

        if self._capture is None or self._capture.done:
            raise RuntimeError("capture_end: nothing is captured")
        if current_stream().cuda_stream != self._capture.origin:
            raise RuntimeError("Capture must end on the same stream it began on.")
        self._capture.end()
        if not self._capture.steps:  # as torch says it
            warnings.warn("The CUDA Graph is empty. This usually means that the graph was attempted to be captured on wrong device or "
                          "stream.", stacklevel=3)

    def instantiate(self):
        if self._capture is None or not self._capture.done:
            raise RuntimeError("instantiate: nothing was captured")

    def replay(self):
        if self._capture is None or not self._capture.done:
            raise RuntimeError("Called CUDAGraph::replay without a preceding successful capture.")
        if current() is not None:
            refuse()
        from .memory import raw

        with raw(), torch.no_grad(), torch._C._AutoDispatchBelowADInplaceOrView():
            self._capture.run()

    def reset(self):
        if self._capture is not None and not self._capture.done:
            self._capture.end()
        self._capture = None

    def pool(self):
        if self._capture is None:
            raise RuntimeError("Called CUDAGraph::pool() without a preceding successful capture.")
        return self._pool

    def enable_debug_mode(self):
        pass

    def debug_dump(self, debug_path):
        raise NotImplementedError("simulated GPU: a graph has no dump")

    def raw_cuda_graph(self):
        raise NotImplementedError("simulated GPU: a graph of torch has no handle of the driver")

    raw_cuda_graph_exec = raw_cuda_graph


def graph_pool_handle():
    return (next(_pools), 0)


def is_current_stream_capturing():
    return current() is not None
