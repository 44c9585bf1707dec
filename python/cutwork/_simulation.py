# _simulation.py -- whether scripts run on the simulated device, and what they need then.

import importlib.abc
import importlib.util
import sys


def wanted():
    """Whether the device of this process is a simulated one."""
    from ._device import best

    return best().simulated


class _AfterTorch(importlib.abc.MetaPathFinder):
    """Makes torch simulate a GPU as soon as the script imports it, and not before: it takes a second."""

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec("torch")
        if spec is None or spec.loader is None:
            return None
        original = spec.loader.exec_module

        def exec_module(module):
            original(module)
            from . import simulated_torch

            simulated_torch.activate()

        spec.loader.exec_module = exec_module
        return spec


def activate_if_needed():
    """On the simulated device: torch has a GPU, cuda.bindings answers. On a GPU nothing changes."""
    if not wanted():
        return
    from . import _simulated_cuda

    _simulated_cuda.activate()
    if "torch" in sys.modules:
        from . import simulated_torch

        simulated_torch.activate()
    elif not any(isinstance(f, _AfterTorch) for f in sys.meta_path):
        sys.meta_path.insert(0, _AfterTorch())
