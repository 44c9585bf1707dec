# children.py -- threads and processes of a program: they have the simulated GPU too.

import os
import pickle
import threading

import torch

from . import memory
from .dispatch import Mode

_START = threading.Thread.start


def _start(thread):
    """A mode is its thread's: threads that start from here on have one too."""
    run = thread.run

    def run_in_mode():
        with Mode():
            run()

    thread.run = run_in_mode
    _START(thread)


def _rebuilt(values, requires_grad, is_parameter):
    made = pickle.loads(values).cuda()
    return torch.nn.Parameter(made, requires_grad) if is_parameter else made.requires_grad_(requires_grad)


def _reduce(original):
    """How a tensor goes to another process: one of the GPU by its values, since memory of the GPU is one process's."""

    def reduce(tensor):
        if memory.on_gpu(tensor):
            # Bytes: a tensor of the host would be shared by a descriptor, which closes with it before the child has it.
            return _rebuilt, (pickle.dumps(tensor.detach().cpu()), tensor.requires_grad and tensor.is_leaf, isinstance(tensor, torch.nn.Parameter))
        return original(tensor)

    return reduce


def activate():
    from multiprocessing.reduction import ForkingPickler

    from torch.multiprocessing import reductions

    threading.Thread.start = _start
    reduce = _reduce(reductions.reduce_tensor)
    for kind in (torch.Tensor, torch.nn.Parameter):
        ForkingPickler.register(kind, reduce)
    os.register_at_fork(after_in_child=memory._after_fork)
