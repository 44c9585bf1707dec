# random.py -- generators of random numbers of the simulated GPU: the host's, with states of their own.

import contextlib
import functools

import torch

_HOSTS = torch._C.Generator


class _OfGpu(_HOSTS):
    """A generator that says it is the GPU's."""

    @property
    def device(self):
        from .memory import CUDA

        return CUDA

    def __reduce__(self):
        return _restored, (self.get_state(),)


def _restored(state):
    made = _OfGpu()
    made.set_state(state)
    return made


class _Generators(type):
    """Of torch.Generator: of the host, or of the GPU."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, _HOSTS)

    def __call__(cls, device="cpu"):
        from .memory import fresh

        return _OfGpu() if fresh(device) else _HOSTS(device)


TorchGenerator = _Generators("Generator", (), {"__doc__": _HOSTS.__doc__, "__module__": "torch"})


@contextlib.contextmanager
def of_gpu():
    """The host's numbers come from the GPU's generator: for operations that take no generator."""
    host, here = torch.default_generator, default()
    kept = host.get_state()
    host.set_state(here.get_state())
    try:
        yield
    finally:
        here.set_state(host.get_state())
        host.set_state(kept)


@functools.cache
def default():
    """The generator of operations on the GPU that name none."""
    made = _OfGpu()
    made.manual_seed(torch.initial_seed())
    return made
