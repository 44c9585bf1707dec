# memory.py -- tensors of torch in the simulated device's memory: which are there, and how they get there.
"""All simulated devices have one range of memory, and the host sees it. A tensor whose storage lies in it is one on the
GPU; torch's functions for the host read and write it in place, and kernels are given its address as they have it."""

import contextlib
import threading

import torch

from .. import _core
from .._device import best

CUDA = torch.device("cuda", 0)
CPU = torch.device("cpu")
HOST, ADDRESS, _BYTES = _core.simulated_memory()
_END = HOST + _BYTES

# What torch has before tensors.py replaces it.
storage_of = torch._C.TensorBase.untyped_storage
pointer_of_storage = torch._C.StorageBase.data_ptr
_pointer_of = torch._C.TensorBase.data_ptr
device_of = torch._C.TensorBase.device.__get__
copy_ = torch._C.TensorBase.copy_
clone = torch._C.TensorBase.clone
set_ = torch._C.TensorBase.set_
_INSIDE = {torch.sparse_coo: lambda t: t._values(), torch.sparse_csr: lambda t: t.values(), torch.sparse_csc: lambda t: t.values(),
           torch.sparse_bsr: lambda t: t.values(), torch.sparse_bsc: lambda t: t.values()}


def pointer_of(tensor):
    """The host's address of the first element. A mode of torch functions would lead back to tensors.py's data_ptr."""
    with torch._C.DisableTorchFunction():
        return _pointer_of(tensor)


empty_is_unwritten = _core.knobs()["sim_empty"]
peak = 0
_forked = False


class State(threading.local):
    """Of a thread: whether a function that makes tensors was called by Python, and for the CPU by name."""

    factory = False
    explicit_cpu = False


state = State()


@contextlib.contextmanager
def raw():
    """torch's own functions, which see no device but the host's."""
    with torch._C._DisableTorchDispatch(), torch._C.DisableTorchFunction():
        yield


def storage_on_gpu(storage):
    try:
        return HOST <= pointer_of_storage(storage) < _END
    except RuntimeError:  # a storage without data, as fake tensors have
        return False


def on_gpu(tensor):
    """Whether a tensor is on the simulated GPU."""
    if tensor.layout is not torch.strided:
        inside = _INSIDE.get(tensor.layout)
        if inside is None:
            return False
        with raw():
            tensor = inside(tensor)
    try:
        if type(tensor) is torch.Tensor:
            return HOST <= pointer_of_storage(storage_of(tensor)) < _END
        with torch._C.DisableTorchFunctionSubclass():
            return HOST <= pointer_of_storage(storage_of(tensor)) < _END
    except (NotImplementedError, RuntimeError):  # no storage, or one without data
        wrapped = torch._C._functorch.is_functorch_wrapped_tensor(tensor)
        return wrapped and on_gpu(torch._C._functorch.get_unwrapped(tensor))


def address(tensor):
    """The address of the first element, as kernels have it; an empty tensor has none."""
    return _core.simulated_address(pointer_of(tensor)) if tensor.numel() else 0


def _after_fork():
    global _forked
    _forked = True


def in_bad_fork():
    return _forked


def refuse_fork():
    if _forked:
        raise RuntimeError("Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the "
                           "'spawn' start method")


def new_storage(size, written=True):
    """A storage of so many bytes on the GPU."""
    global peak
    refuse_fork()
    try:
        capsule = _core.allocate_bytes(best(), size)
    except Exception as error:
        if "out of simulated memory" in str(error):
            raise torch.OutOfMemoryError(f"CUDA out of memory. Tried to allocate {size} bytes: {error}") from None
        raise
    with raw():
        storage = storage_of(torch._C._from_dlpack(capsule))
    if written or not empty_is_unwritten:
        mark_storage(storage)
    peak = max(peak, used())
    return storage


def used():
    """Bytes of the GPU's memory that are in use."""
    free, total = _core.memory_info(best())
    return total - free


def mark_storage(storage):
    size = storage.nbytes()
    if size:
        _core.mark_written(_core.simulated_address(pointer_of_storage(storage)), size)


def span(tensor, stride=None):
    """Bytes from the first element to the last one's end, of the tensor or of one of its shape with other strides."""
    if tensor.numel() == 0:
        return 0
    strides = tensor.stride() if stride is None else stride
    return (1 + sum((n - 1) * s for n, s in zip(tensor.size(), strides, strict=True))) * tensor.element_size()


def mark(tensor):
    """Says that torch wrote this tensor: all from its first element to its last."""
    if tensor.layout is not torch.strided:
        return
    size = span(tensor)
    if size:
        _core.mark_written(address(tensor), size)


def _strides(tensor):
    if tensor.is_contiguous():
        return tensor.stride()
    return torch.empty_like(tensor, device="meta").stride()


def _moved_sparse(tensor):
    """A sparse tensor whose parts are on the GPU."""
    if tensor.layout is torch.sparse_coo:
        made = torch.sparse_coo_tensor(placed(tensor._indices()), placed(tensor._values()), tensor.size(), check_invariants=False)
        return made._coalesced_(tensor.is_coalesced())
    rows = tensor.layout in (torch.sparse_csr, torch.sparse_bsr)
    compressed, plain = ((tensor.crow_indices(), tensor.col_indices()) if rows else
                         (tensor.ccol_indices(), tensor.row_indices()))
    return torch.sparse_compressed_tensor(placed(compressed), placed(plain), placed(tensor.values()), tensor.size(),
                                          layout=tensor.layout, check_invariants=False)


def placed(tensor, written=True):
    """A tensor on the GPU like this one, which is not there; with its values, if they are `written`. In raw()."""
    if tensor.device.type == "meta":
        return tensor
    if tensor.layout in _INSIDE:
        return _moved_sparse(tensor)
    if tensor.is_quantized or tensor.layout is not torch.strided:
        raise NotImplementedError("simulated GPU: tensors that are quantised or of the layout "
                                  f"{tensor.layout} are not there (docs/python.md, Without a GPU)")
    stride, size = _strides(tensor), tensor.size()
    bytes_ = span(tensor, stride)
    storage = new_storage(bytes_, written)
    made = torch.empty(0, dtype=tensor.dtype)
    set_(made, storage, 0, size, stride)
    if written and bytes_:
        copy_(made, tensor)
    return made


def move_in_place(tensor):
    """Gives a tensor of the host memory on the GPU with the same values. In raw()."""
    with torch.no_grad():
        made = placed(tensor.detach())
        tensor.data = made
    return tensor


def fresh(device):
    """Whether a device that a program names is the GPU. Raises where there is no such GPU."""
    if device is None:
        return False
    if not isinstance(device, torch.device):
        device = torch.device("cuda", device) if isinstance(device, int) else torch.device(device)
    if device.type != "cuda":
        return False
    if device.index not in (None, 0):
        raise RuntimeError(f"CUDA error: invalid device ordinal ({device}: there is one simulated GPU, cuda:0)")
    return True
