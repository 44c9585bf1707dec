# poison.py -- new tensors that hold poison, so that what a kernel does not write is noticed.

import torch
from torch.overrides import TorchFunctionMode

# A NaN of each type that no computation makes, as the integer of its width.
_NAN = {torch.float64: (torch.int64, 0x7FF8CCCCCCCCCCCC), torch.float32: (torch.int32, 0x7FC0CACC),
        torch.float16: (torch.int16, 0x7ECC), torch.bfloat16: (torch.int16, 0x7FCC),
        torch.float8_e4m3fn: (torch.uint8, 0x7F), torch.float8_e5m2: (torch.uint8, 0x7D)}
_INTEGERS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
# By name: without a GPU torch's functions stand behind others.
_EMPTY = {"empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided"}


def pattern(dtype, round_=0):
    """(integer type, value) of the poison: NaN for floats, bytes 0xcc and 0x33 in turn for others; None: a type without."""
    if dtype in _NAN:
        return _NAN[dtype]
    if dtype is torch.bool or dtype.is_complex or dtype.itemsize not in _INTEGERS:
        return None
    value = int.from_bytes(bytes([0x33 if round_ % 2 else 0xCC]) * dtype.itemsize, "little", signed=dtype.itemsize > 1)
    return _INTEGERS[dtype.itemsize], value


def fill(tensor, round_=0):
    """Puts poison into a tensor."""
    found = pattern(tensor.dtype, round_)
    if found is not None and tensor.numel():
        tensor.view(found[0]).fill_(found[1])
    return tensor


def is_poison(tensor, round_=0):
    """Where a tensor of the host has the bits of poison."""
    found = pattern(tensor.dtype, round_)
    if found is None or not tensor.numel():
        return torch.zeros(tensor.shape, dtype=torch.bool)
    return tensor.view(found[0]) == found[1]


class Poisoned(TorchFunctionMode):
    """While it is active, tensors that torch.empty and its like make are full of poison."""

    def __init__(self, round_=0):
        super().__init__()
        self.round = round_

    def __torch_function__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {}))
        return fill(made, self.round) if getattr(function, "__name__", "") in _EMPTY else made
