# tensors.py -- torch.Tensor, storages and the functions that make tensors, with a GPU: where they ask for a device.
"""Properties and methods are replaced in torch's own classes, so that tensors stay torch.Tensor, in every thread and in
autograd's hooks. Each is torch's for tensors of the host."""

import functools

import torch
from torch.jit import _builtins
from torch.utils import _device

from .. import _core
from . import memory
from .memory import CPU, CUDA, fresh, on_gpu, state

_Base = torch._C.TensorBase
_StorageBase = torch._C.StorageBase
_TO, _CPU, _CUDA, _TYPE, _NEW_TENSOR = _Base.to, _Base.cpu, _Base.cuda, _Base.type, _Base.new_tensor
_LEGACY = {"Float": torch.float32, "Double": torch.float64, "Half": torch.float16, "BFloat16": torch.bfloat16, "Byte": torch.uint8,
           "Char": torch.int8, "Short": torch.int16, "Int": torch.int32, "Long": torch.int64, "Bool": torch.bool}


def _fake(tensor):
    """Tensors of torch's tracing: they have devices of their own and no data."""
    return isinstance(tensor, torch._subclasses.FakeTensor)


# -- moves -----------------------------------------------------------------------------------------


def _moved(tensor, to_gpu):
    """A copy on the other device."""
    if to_gpu:
        return torch.ops.aten._to_copy.default(tensor, device=CUDA)
    before, state.explicit_cpu = state.explicit_cpu, True
    try:
        return torch.ops.aten._to_copy.default(tensor, device=CPU)
    finally:
        state.explicit_cpu = before


class _Move(torch.autograd.Function):
    """A copy to the other device, whose gradient goes the other way."""

    generate_vmap_rule = True

    @staticmethod
    def forward(tensor, to_gpu):
        return _moved(tensor, to_gpu)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.to_gpu = inputs[1]

    @staticmethod
    def backward(ctx, gradient):
        return _Move.apply(gradient, not ctx.to_gpu) if on_gpu(gradient) == ctx.to_gpu else gradient, None


def move(tensor, to_gpu):
    if on_gpu(tensor) == to_gpu:
        return tensor
    if tensor.is_meta:
        raise NotImplementedError("Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead of "
                                  "torch.nn.Module.to() when moving module from meta to a different device.")
    if torch.is_grad_enabled() and tensor.requires_grad:
        return _Move.apply(tensor, to_gpu)
    with torch.no_grad():
        return _moved(tensor, to_gpu)


def _to(self, *arguments, **keywords):
    if _fake(self):
        return _TO(self, *arguments, **keywords)
    other = keywords.get("other", arguments[0] if arguments else None)
    if isinstance(other, torch.Tensor):
        rest = dict(zip(("non_blocking", "copy"), arguments[1:], strict=False))
        keywords = {**rest, **{k: v for k, v in keywords.items() if k != "other"}, "device": other.device, "dtype": other.dtype}
        arguments = ()
    copy = keywords.get("copy", False)
    if arguments and len(arguments) > (3 if isinstance(arguments[0], (str, torch.device, int)) or arguments[0] is None else 2):
        copy, arguments = arguments[-1], arguments[:-1]
    device, dtype, _, form = torch._C._nn._parse_to(*arguments, **{k: v for k, v in keywords.items() if k != "copy"})
    if device is None or device.type not in ("cpu", "cuda"):
        return _TO(self, *arguments, **keywords)
    gpu = fresh(device)
    moves = gpu != on_gpu(self)
    moved = move(self, gpu)
    form = {} if form is None else {"memory_format": form}
    if dtype is None and not form and (moves or not copy):
        return moved
    return _TO(moved, dtype=dtype if dtype is not None else moved.dtype, copy=copy and not moves, **form)


def _cpu(self, memory_format=torch.preserve_format):
    return _CPU(self, memory_format=memory_format) if _fake(self) else self.to("cpu", memory_format=memory_format)


def _cuda(self, device=None, non_blocking=False, memory_format=torch.preserve_format):
    if _fake(self):
        return _CUDA(self, device, non_blocking, memory_format=memory_format)
    return self.to("cuda" if device is None else device, memory_format=memory_format)


def _type(self, dtype=None, non_blocking=False, **keywords):
    if dtype is None:
        name = _TYPE(self)
        return name.replace("torch.", "torch.cuda.", 1) if on_gpu(self) else name
    if isinstance(dtype, torch.dtype):
        return _TYPE(self, dtype, non_blocking, **keywords)
    name = dtype if isinstance(dtype, str) else f"{dtype.__module__}.{dtype.__name__}"
    kind = _LEGACY.get(name.rpartition(".")[2].removesuffix("Tensor"))
    if kind is None:
        raise ValueError(f"invalid type: '{name}'")
    return self.to("cuda" if name.startswith("torch.cuda.") else "cpu", kind)


def _copy(self, source, non_blocking=False):
    """copy_: what autograd must know of is that the gradient changes the device."""
    if isinstance(source, torch.Tensor) and source.requires_grad and torch.is_grad_enabled() and on_gpu(self) != on_gpu(source):
        source = move(source, on_gpu(self))
    return memory.copy_(self, source, non_blocking)


# -- what a tensor says of itself --------------------------------------------------------------------


def _getter(name, on_the_gpu):
    original = getattr(_Base, name).__get__

    def get(self):
        return on_the_gpu if on_gpu(self) else original(self)

    return property(get, doc=f"torch's {name}, with the simulated GPU.")


def _numpy(self, *, force=False):
    if force:
        return _Base.numpy(self.detach().cpu().resolve_conj().resolve_neg())
    if on_gpu(self):
        raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.")
    return _Base.numpy(self)


def _array(self, dtype=None):
    made = self.numpy()
    return made if dtype is None else made.astype(dtype, copy=False)


def _get_device(self):
    return 0 if on_gpu(self) else _Base.get_device(self)


def _data_ptr(self):
    return memory.address(self) if on_gpu(self) else memory.pointer_of(self)


def _is_pinned(self, device=None):
    return not _fake(self) and hasattr(memory.storage_of(self), "_cutwork_pinned")


def _pin_memory(self, device=None):
    if on_gpu(self):
        raise RuntimeError(f"cannot pin '{self.type()}' only dense CPU tensors can be pinned")
    if _is_pinned(self):
        return self
    made = self.clone()
    memory.storage_of(made)._cutwork_pinned = True
    return made


def _is_shared(self):
    return on_gpu(self) or memory.storage_of(self).is_shared()


def _share_memory_(self):
    return self if on_gpu(self) else _SHARE(self)


def _dlpack_device(self):
    return (2, 0) if on_gpu(self) else _DLPACK_DEVICE(self)


def _dlpack(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    """Memory of the simulated GPU is the host's for whoever reads it here."""
    if not on_gpu(self):
        return _DLPACK(self, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)
    if dl_device is not None and int(dl_device[0]) == 1:
        return _DLPACK(self.cpu(), max_version=max_version)
    if self.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    return torch._C._to_dlpack_versioned(self) if max_version is not None and max_version[0] >= 1 else torch._C._to_dlpack(self)


_SHARE, _DLPACK, _DLPACK_DEVICE = torch.Tensor.share_memory_, torch.Tensor.__dlpack__, torch.Tensor.__dlpack_device__


def _new_tensor(self, data, *, dtype=None, device=None, requires_grad=False, **others):
    gpu = fresh(device) if device is not None else on_gpu(self)
    if not gpu:
        return _NEW_TENSOR(self, data, dtype=dtype, device=device, requires_grad=requires_grad, **others)
    made = _NEW_TENSOR(self, data.cpu() if isinstance(data, torch.Tensor) else data, dtype=dtype, device="cpu", **others)
    return move(made, True).requires_grad_(requires_grad)


# -- storages ------------------------------------------------------------------------------------------

_NEW_STORAGE = torch.UntypedStorage.__new__


def _storage(cls, *arguments, device=None, **keywords):
    """torch.UntypedStorage(size, device=...): copies, loading and pickling make storages so."""
    if device is None or not fresh(device):
        return _NEW_STORAGE(cls, *arguments, **({"device": device} if device is not None else {}), **keywords)
    size = arguments[0] if arguments else keywords.get("size", 0)
    if isinstance(size, int):
        return memory.new_storage(size)
    values = bytes(size)
    made = memory.new_storage(len(values))
    _StorageBase.copy_(made, _NEW_STORAGE(cls, list(values)), False)
    return made


def _storage_pointer(self):
    found = memory.pointer_of_storage(self)
    return _core.simulated_address(found) or found


def _patch_storages():
    kind, device = torch.UntypedStorage, _StorageBase.device.__get__
    kind.__new__ = staticmethod(_storage)
    kind.device = property(lambda self: CUDA if memory.storage_on_gpu(self) else device(self))
    kind.is_cuda = property(memory.storage_on_gpu)
    kind.data_ptr = _storage_pointer
    kind.is_pinned = lambda self, device="cuda": hasattr(self, "_cutwork_pinned")
    kind.get_device = lambda self: 0 if memory.storage_on_gpu(self) else -1


# -- functions that make tensors ---------------------------------------------------------------------------


def _wants_gpu(device):
    if device is not None:
        return fresh(device)
    if _device.CURRENT_DEVICE is not None:
        return fresh(_device.CURRENT_DEVICE)
    for i in reversed(range(torch._C._len_torch_function_stack())):  # `with torch.device(...)` says it nowhere else
        mode = torch._C._get_function_stack_at(i)
        if isinstance(mode, _device.DeviceContext):
            return fresh(mode.device)
    return False


def _factory(function):
    """Marks that a program asked for the tensor, by name and with a device."""

    @functools.wraps(function)
    def make(*arguments, **keywords):
        before = state.factory, state.explicit_cpu
        state.factory = True
        device = keywords.get("device")
        state.explicit_cpu = device is not None and not isinstance(device, int) and torch.device(device).type == "cpu"
        try:
            return function(*arguments, **keywords)
        finally:
            state.factory, state.explicit_cpu = before

    return make


def _from_data(function, shares):
    """Of those that make a tensor of data that is there: torch.tensor, as_tensor, asarray."""

    @functools.wraps(function)
    def make(*arguments, **keywords):
        device = keywords.get("device")
        data = arguments[0] if arguments else keywords.get("data", keywords.get("obj"))
        there = isinstance(data, torch.Tensor) and on_gpu(data)
        gpu = _wants_gpu(device) or (device is None and there)
        if not gpu and not there:
            return factory(*arguments, **keywords)
        if there and not gpu:  # to the CPU by name
            return factory(data.cpu(), *arguments[1:], **keywords)
        if there and shares and not keywords.get("copy"):
            dtype = keywords.get("dtype", arguments[1] if len(arguments) > 1 else None)
            return data if dtype is None else data.to(dtype)
        if there:
            arguments = (data.detach().cpu(), *arguments[1:])
        requires = keywords.pop("requires_grad", False)
        if keywords.pop("pin_memory", False):
            raise RuntimeError("Only dense CPU tensors can be pinned")
        made = move(factory(*arguments, **{**keywords, "device": "cpu"}), True)
        return made.requires_grad_() if requires else made

    factory = _factory(function)
    return make


def _sparse(function):
    """Of those that make a sparse tensor of its parts."""

    @functools.wraps(function)
    def make(*arguments, **keywords):
        if keywords.get("device") is not None and fresh(keywords["device"]):
            arguments = [move(a if isinstance(a, torch.Tensor) else torch.tensor(a), True) if isinstance(a, (torch.Tensor, list))
                         and i < 3 else a for i, a in enumerate(arguments)]
            keywords = {k: v for k, v in keywords.items() if k != "device"}
        return function(*arguments, **keywords)

    return make


def _patch_factories():
    constructors = {f for f in _device._device_constructors() if callable(f)}  # remembered there, as they are now
    data = {"tensor": False, "as_tensor": True, "asarray": True}
    likes = {getattr(torch, name) for name in dir(torch) if name.endswith("_like")}
    for name in dir(torch):
        function = getattr(torch, name)
        if not callable(function) or isinstance(function, type):
            continue
        if name in data:
            made = _from_data(function, data[name])
        elif name.startswith("sparse_") and name.endswith("_tensor"):
            made = _sparse(function)
        elif function in constructors or function in likes:
            made = _factory(function)
        else:
            continue
        setattr(torch, name, made)
        if operator := _builtins._find_builtin(function):  # TorchScript, which torch.func needs, knows it by its address
            _builtins._register_builtin(made, operator)


def activate():
    kind = torch.Tensor
    kind.device = _getter("device", CUDA)
    kind.is_cuda = _getter("is_cuda", True)
    kind.is_cpu = _getter("is_cpu", False)
    for name, function in {"get_device": _get_device, "numpy": _numpy, "__array__": _array, "cpu": _cpu, "cuda": _cuda, "to": _to,
                           "type": _type, "copy_": _copy, "data_ptr": _data_ptr, "is_pinned": _is_pinned, "pin_memory": _pin_memory,
                           "is_shared": _is_shared, "share_memory_": _share_memory_, "record_stream": lambda self, stream: None,
                           "new_tensor": _new_tensor, "__dlpack__": _dlpack, "__dlpack_device__": _dlpack_device}.items():
        setattr(kind, name, function)
    for name in ("new_empty", "new_zeros", "new_ones", "new_full", "new_empty_strided"):
        setattr(kind, name, _factory(getattr(_Base, name)))
    _patch_storages()
    _patch_factories()
