# torch.py -- cutlass.torch: torch's types and tensors for kernels.

import dataclasses
import enum

from . import _numbers
from ._errors import UserError
from .cute.runtime import from_dlpack

_NAMES = {"Boolean": "bool", "Float16": "float16", "BFloat16": "bfloat16", "Float32": "float32", "TFloat32": "float32",
          "Float64": "float64", "Float8E4M3FN": "float8_e4m3fn", "Float8E5M2": "float8_e5m2",
          **{f"Int{n}": f"int{n}" for n in (8, 16, 32, 64)}, **{f"Uint{n}": f"uint{n}" for n in (8, 16, 32, 64)}}


def dtype(ty):
    """torch's type of an element type."""
    import torch

    cls = _numbers.dtype(ty)
    name = _NAMES.get(cls.__name__)
    if name is None or not hasattr(torch, name):
        raise TypeError(f"cutlass.torch.dtype: torch has no type for {cls}")
    return getattr(torch, name)


class _Memory:
    """Bytes of a GPU for torch, which keeps this object."""

    def __init__(self, address, size):
        self.__cuda_array_interface__ = {"shape": (size,), "typestr": "|u1", "data": (address, False), "version": 3}


def as_tensor(pointer, shape, torch_type):
    """The memory at an address (an int, or a pointer argument) as a torch tensor, compact; it must stay as long as the tensor."""
    import math

    import torch

    from ._device import best

    address = int(getattr(pointer, "value", pointer))
    size = math.prod(shape) * torch_type.itemsize
    if address <= 0 or address % torch_type.itemsize:
        raise UserError(f"cutlass.torch.as_tensor: an address that is a multiple of {torch_type.itemsize} was expected, not 0x{address:x}")
    if best().simulated:
        return _at_simulated(address, size).view(torch_type).reshape(shape)
    return torch.as_tensor(_Memory(address, size), device="cuda").view(torch_type).reshape(shape)


def _at_simulated(address, size):
    """Bytes of the simulated device as a tensor."""
    import ctypes

    import torch

    from ._simtorch import memory

    at = address - memory.ADDRESS + memory.HOST
    if not memory.HOST <= at <= at + size <= memory._END:
        raise UserError(f"cutlass.torch.as_tensor: 0x{address:x} is no address of the simulated device")
    with memory.raw():
        return torch.frombuffer((ctypes.c_byte * max(size, 1)).from_address(at), dtype=torch.uint8)[:size]


class TensorInitType(enum.Enum):
    SKIP = "skip"
    SCALAR = "scalar"
    RANDOM = "random"
    GAUSSIAN = "gaussian"


@dataclasses.dataclass
class ScalarInitConfig:
    value: float = 0.0


@dataclasses.dataclass
class RandomInitConfig:
    min_val: int = -2
    max_val: int = 2


@dataclasses.dataclass
class GaussianInitConfig:
    mean: float = 0.0
    std: float = 1.0
    scale: float = 1.0


def create_and_permute_torch_tensor(shape, dtype, permute_order=None, init_type=TensorInitType.RANDOM, init_config=None,  # noqa: F811
                                    device=None):
    """A tensor of this shape, initialised, with its modes permuted."""
    import torch

    made = torch.empty(*shape, dtype=torch.float32, device=device)
    if init_type is TensorInitType.RANDOM:
        config = init_config or RandomInitConfig()
        made.random_(config.min_val, config.max_val)
    elif init_type is TensorInitType.SCALAR:
        made.fill_((init_config or ScalarInitConfig()).value)
    elif init_type is TensorInitType.GAUSSIAN:
        config = init_config or GaussianInitConfig()
        made.normal_(config.mean, config.std).mul_(config.scale)
    made = made.to(dtype)
    return made.permute(permute_order) if permute_order is not None else made


def matrix(l, mode0, mode1, is_mode0_major, cutlass_dtype, init_type=TensorInitType.RANDOM, init_config=None, device=None):  # noqa: E741
    """A tensor (mode0, mode1, l) of small integers as Float32, whose mode 0 or 1 is contiguous."""
    import torch

    shape = (l, mode1, mode0) if is_mode0_major else (l, mode0, mode1)
    order = (2, 1, 0) if is_mode0_major else (1, 2, 0)
    if init_type is TensorInitType.RANDOM and init_config is None:
        unsigned = cutlass_dtype.is_integer and not cutlass_dtype.signed
        init_config = RandomInitConfig(0, 4) if unsigned else RandomInitConfig(-2, 2)
    return create_and_permute_torch_tensor(shape, torch.float32, order, init_type, init_config, device)


def _is_fp8(ty):
    return ty.is_float and ty.width == 8


def _refuse_narrow(name, ty):
    if ty.width < 8 or _is_fp8(ty) and ty.__name__ not in _NAMES:
        raise UserError(f"{name}: {ty} is not supported yet (docs/support.md)")


def _stored(ty):
    """torch's type of the storage: bytes of 8-bit floats, which DLPack does not know."""
    import torch

    return torch.uint8 if _is_fp8(ty) else dtype(ty)


def fill(storage, source, ty):
    """The values of `source`, converted to the element type, into its storage."""
    target = storage.view(dtype(ty)) if _is_fp8(ty) else storage
    target.copy_(source.to(target.dtype))


def convert_cute_tensor(f32_torch_tensor, cute_tensor, dtype, is_dynamic_layout=True, enable_tvm_ffi=False):  # noqa: F811
    """Writes the values, converted to the element type, into the tensor that the argument was made of; gives the argument."""
    ty = _numbers.dtype(dtype)
    _refuse_narrow("convert_cute_tensor", ty)
    fill(cute_tensor._source.owner, f32_torch_tensor, ty)
    return cute_tensor


def cute_tensor_like(data_ref, cutlass_dtype, is_dynamic_layout, assumed_align=None, enable_tvm_ffi=False):
    """(tensor argument, torch tensor) of another element type with the data and the order of strides of a tensor."""
    import torch

    _refuse_narrow("cute_tensor_like", cutlass_dtype)
    device = "cuda" if torch.cuda.is_available() else data_ref.device
    storage = torch.empty_like(data_ref, dtype=_stored(cutlass_dtype), device=device)
    fill(storage, data_ref, cutlass_dtype)
    made = from_dlpack(storage, assumed_align=assumed_align)
    made.element_type = cutlass_dtype
    if is_dynamic_layout:
        for i, stride in enumerate(storage.stride()):
            if stride == 1:
                made.mark_layout_dynamic(leading_dim=i)
                break
    return made, storage


def default_stream():
    """The default stream of torch, for cuda.bindings."""
    import cuda.bindings.driver as driver
    import torch

    return driver.CUstream(torch.cuda.default_stream().cuda_stream)


def current_stream():
    import cuda.bindings.driver as driver
    import torch

    return driver.CUstream(torch.cuda.current_stream().cuda_stream)


def get_leading_dim(tensor):
    for i, stride in enumerate(tensor.stride()):
        if stride == 1:
            return i
    return None


__all__ = ["GaussianInitConfig", "RandomInitConfig", "ScalarInitConfig", "TensorInitType", "as_tensor", "convert_cute_tensor", "create_and_permute_torch_tensor",
           "current_stream", "cute_tensor_like", "default_stream", "dtype", "get_leading_dim", "matrix"]
