# dispatch.py -- below autograd: every operation of torch on tensors of the simulated GPU.
"""Operations are torch's for the host. Here their results get memory on the GPU, operands on different devices are
refused as torch refuses them, and what is written counts as written."""

import contextlib
import functools
import math

import torch
from torch.utils._python_dispatch import TorchDispatchMode, _disable_infra_mode

from . import graphs, memory, random
from .memory import on_gpu, raw, state

_PROXY = torch._C._TorchDispatchModeKey.PROXY
_untraced = contextlib.contextmanager(_disable_infra_mode)
# Operations whose result nobody has written.
_UNWRITTEN = {"empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided", "empty_quantized"}
# Operations that torch lets have operands on two devices.
_MIXED = {"copy_", "copy", "_to_copy", "index", "index_put", "index_put_", "_index_put_impl_", "_unsafe_index", "_unsafe_index_put",
          "set_", "_pack_padded_sequence", "_ctc_loss", "ctc_loss", "resize_as_", "lift_fresh", "lift", "_copy_from", "is_same_size",
          "_has_compatible_shallow_copy_type", "record_stream", "_coalesced_", "pin_memory", "is_pinned", "_fused_adam_", "_fused_adamw_"}
_READS_BACK = {"_local_scalar_dense", "equal", "is_nonzero", "item"}
_TORCHS = {"aten", "prims", "prim", "profiler", "inductor", "quantized", "_quantized", "mkldnn", "mkl", "sparse", "xnnpack", "rngprims"}


class _Operation:
    """What is known of an operator."""

    def __init__(self, function):
        schema = function._schema
        self.name = schema.name.rpartition("::")[2]
        self.space = function.namespace
        self.unwritten = self.name in _UNWRITTEN
        self.mixed = self.name in _MIXED
        self.reads_back = self.name in _READS_BACK
        self.seeded = torch.Tag.nondeterministic_seeded in function.tags
        self.gives_out = function._overloadname.endswith("out")
        self.generator = any(a.name == "generator" for a in schema.arguments)
        self.changes = [(i, a.name) for i, a in enumerate(schema.arguments) if a.alias_info is not None and a.alias_info.is_write]
        if self.name in ("native_batch_norm", "cudnn_batch_norm", "miopen_batch_norm"):  # their schemas do not say so
            self.changes = [(3, "running_mean"), (4, "running_var")]
        # Of each result, whether it is an argument that is changed.
        self.gives_changed = all(r.alias_info is not None and r.alias_info.is_write for r in schema.returns)

    def changed(self, args, kwargs):
        for i, name in self.changes:
            value = args[i] if i < len(args) else kwargs.get(name)
            if isinstance(value, torch.Tensor):
                yield value
            elif isinstance(value, (list, tuple)):
                yield from (t for t in value if isinstance(t, torch.Tensor))


_known = functools.cache(_Operation)


def _operands(args, kwargs):
    """(tensor, whether it is an item of a list) of all arguments."""
    for value in (*args, *kwargs.values()):
        if isinstance(value, torch.Tensor):
            yield value, False
        elif isinstance(value, (list, tuple)):
            for item in value:
                if isinstance(item, torch.Tensor):
                    yield item, True


def _undecided(tensor):
    """Whether this is a tensor that torch's C++ made by itself inside an operation, without saying for which device."""
    return hasattr(memory.storage_of(tensor), "_cutwork_undecided")


def _check(operation, elsewhere):
    """Operands of the host beside others of the GPU: what torch allows."""
    for tensor, in_list in elsewhere:
        if tensor.layout is torch.strided and memory.device_of(tensor).type == "cpu":
            if _undecided(tensor):
                memory.move_in_place(tensor)
            elif (tensor.dim() or in_list) and not operation.mixed and not operation.name.startswith("_foreach"):
                raise RuntimeError("Expected all tensors to be on the same device, but found at least two devices, cuda:0 and "
                                   f"cpu! (in {operation.name}: an operand of shape {tuple(tensor.shape)} is on the CPU)")


def _result(value, operation, given):
    """The results on the GPU."""
    if isinstance(value, torch.Tensor):
        if on_gpu(value) or any(value is one for one in given):
            return value
        return memory.placed(value, not operation.unwritten)
    if isinstance(value, (list, tuple)):
        made = [_result(item, operation, given) for item in value]
        return made if isinstance(value, list) else tuple(made) if type(value) is tuple else type(value)(*made)
    return value


class Mode(TorchDispatchMode):
    """Entered in every thread, for as long as it lives."""

    @classmethod
    def _should_skip_dynamo(cls):
        return False  # else torch imports its compiler for the first operation; _compile does what is needed

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if (tracer := torch._C._get_dispatch_mode(_PROXY)) is not None:  # torch.fx asks below modes of programs: it goes first
            with _untraced(_PROXY), self:
                return tracer.__torch_dispatch__(function, types, args, kwargs)
        if kwargs.pop("pin_memory", None):
            return _pinned(self.__torch_dispatch__(function, types, args, kwargs))
        operation = _known(function)
        operands = list(_operands(args, kwargs))
        gpu = any(on_gpu(t) for t, _ in operands)
        if operation.space not in _TORCHS and (kernel := custom_kernel(function, gpu)):
            with self:
                return kernel(*args, **kwargs)
        named, moves = kwargs.get("device"), False
        if named is not None:
            if memory.fresh(named):
                gpu, moves, kwargs["device"] = True, True, memory.CPU
            elif gpu and (state.explicit_cpu or named.type != "cpu"):
                return _leaving(function, args, kwargs, named)
        with raw():
            if not gpu:
                return _on_host(function, operation, operands, args, kwargs)
            if not moves:
                _check(operation, [one for one in operands if not on_gpu(one[0])])
            if operation.generator and kwargs.get("generator") is None:
                kwargs["generator"] = random.default()
            return self._on_gpu(function, operation, operands, args, kwargs)

    def _on_gpu(self, function, operation, operands, args, kwargs):
        if operation.name == "resize_" and _grows(args):
            return _grown(*args)
        capture = graphs.current()
        if capture is not None:
            return capture.operation(function, operation, args, kwargs, lambda a, k: _done(function, operation, a, k),
                                     lambda made: _result(made, operation, [t for t, _ in operands]))
        made = _done(function, operation, args, kwargs)
        for tensor in operation.changed(args, kwargs):
            if on_gpu(tensor):
                memory.mark(tensor)
        return _result(made, operation, [t for t, _ in operands])


def _done(function, operation, args, kwargs):
    if operation.seeded and not operation.generator:
        with random.of_gpu():
            return function(*args, **kwargs)
    try:
        return function(*args, **kwargs)
    except RuntimeError as error:
        if "DefaultCPUAllocator: can't allocate memory" in str(error):
            raise torch.OutOfMemoryError(f"CUDA out of memory. The host has too little for {operation.name}: {error}") from None
        if not operation.gives_out or "not resizable" not in str(error):
            raise
    return _into_new_memory(function, operation, args, kwargs)


def _into_new_memory(function, operation, args, kwargs):
    """An operation whose `out` tensors do not have the result's size: they get memory that has."""
    made = {id(t): torch.empty(0, dtype=t.dtype) for t in operation.changed(args, kwargs)}

    replaced, named = graphs.all_mapped(args, kwargs, lambda tensor: made.get(id(tensor), tensor))
    function(*replaced, **named)
    outs = list(operation.changed(args, kwargs))
    for out in outs:
        place = memory.placed(made[id(out)])
        memory.set_(out, memory.storage_of(place), 0, place.size(), place.stride())
    return outs[0] if len(outs) == 1 else tuple(outs)


def _on_host(function, operation, operands, args, kwargs):
    """What torch's C++ makes of undecided tensors alone is undecided too; beside others of the host they are the host's."""
    made = function(*args, **kwargs)
    strided = [t for t, _ in operands if t.layout is torch.strided]
    if operands and len(strided) == len(operands) and all(map(_undecided, strided)):
        undecided = True
    else:
        for tensor in filter(_undecided, strided):
            del memory.storage_of(tensor)._cutwork_undecided
        undecided = not operands and not state.factory
    if undecided:
        for tensor in made if isinstance(made, (tuple, list)) else (made,):
            if isinstance(tensor, torch.Tensor) and tensor.layout is torch.strided:
                memory.storage_of(tensor)._cutwork_undecided = True
    return made


def _leaving(function, args, kwargs, device):
    """An operation whose result is to be on another device than the GPU."""
    if graphs.current() is not None and device.type == "cpu" and function is torch.ops.aten._to_copy.default:
        graphs.refuse()
    with raw():
        return function(*args, **kwargs)


def _bytes_to(tensor, size):
    """Bytes of the storage that a tensor of this size takes from where it begins."""
    return tensor.element_size() * (tensor.storage_offset() + math.prod(size))


def _grows(args):
    return _bytes_to(args[0], args[1]) > memory.storage_of(args[0]).nbytes()


def _grown(tensor, size, *_):
    """resize_ to more than the storage has: a new one, with what the old one has."""
    old = memory.storage_of(tensor)
    storage = memory.new_storage(_bytes_to(tensor, size), written=False)
    kept = old.nbytes()
    if kept:
        view = torch.empty(0, dtype=torch.uint8)
        memory.copy_(memory.set_(view, storage, 0, (kept,), (1,)), memory.set_(torch.empty(0, dtype=torch.uint8), old, 0, (kept,), (1,)))
        memory.mark(view)
    strides, step = [], 1
    for extent in reversed(size):
        strides.insert(0, step)
        step *= max(extent, 1)
    return memory.set_(tensor, storage, tensor.storage_offset(), tuple(size), tuple(strides))


def _pinned(tensor):
    memory.storage_of(tensor)._cutwork_pinned = True
    return tensor


# -- operators of programs: torch.library

_kernels = {}  # name: {dispatch key: Python function}
_IMPL = torch.library.Library.impl


def _impl(self, op_name, fn, dispatch_key="", **keywords):
    """Remembers the program's kernels, which are run with the GPU in sight; those for CUDA are torch's for the host."""
    key = dispatch_key or self.dispatch_key or "CompositeImplicitAutograd"
    name = op_name if isinstance(op_name, str) else op_name._schema.name.rpartition("::")[2]
    name = name.rpartition("::")[2].partition(".")[0]
    if key in ("CPU", "CUDA", "CompositeExplicitAutograd") and callable(fn) and self.ns not in _TORCHS:
        _kernels.setdefault(f"{self.ns}::{name}", {})[key] = fn
    return _IMPL(self, op_name, fn, dispatch_key, **keywords)


def custom_kernel(function, gpu):
    known = _kernels.get(function._schema.name)
    if known is None:
        return None
    for key in ("CUDA" if gpu else "CPU", "CompositeExplicitAutograd", "CPU"):
        if key in known:
            return known[key]
    return None


_COMPILE = torch.compile


@functools.wraps(_COMPILE)
def _compile(*arguments, **keywords):
    """torch.compile, which leaves functions as they are while a mode is on; it is kept from compiling the mode."""
    if not hasattr(Mode, "_kept"):
        Mode._kept = True
        Mode.__torch_dispatch__ = torch._disable_dynamo(Mode.__torch_dispatch__, recursive=True)
    return _COMPILE(*arguments, **keywords)


def activate():
    torch.library.Library.impl = _impl
    torch.compile = _compile
