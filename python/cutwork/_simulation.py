# _simulation.py -- whether scripts run on the simulated device, and what they and their children need then.

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys

from . import _core, _pythonpath

STARTUP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_startup")


def wanted():
    """Whether the device of this process is a simulated one."""
    from ._device import best

    return best().simulated


def _gpu_may_be():
    """Whether there may be a GPU that is used: nothing of it is started to find out."""
    if _core.knobs()["device"].startswith("sim") or os.environ.get("CUTWORK_CUDA_DRIVER"):
        return False
    return any(map(os.path.exists, ("/dev/nvidiactl", "/dev/dxg", "/dev/nvgpu", "/dev/nvhost-gpu")))


def _wanted_by_torch(torch):
    """wanted(), where torch is there. If nothing has opened a device yet and torch sees GPUs, their driver stays as it is:
    a process that forks before its first kernel can do so."""
    from ._device import best

    return (bool(best.cache_info().currsize) or not _gpu_may_be() or not torch.cuda.device_count()) and wanted()


def _activate_torch():
    from . import simulated_torch

    simulated_torch.activate()


class _StandIn(importlib.abc.Loader):
    """Gives the package cuda that is in place already."""

    def __init__(self, package):
        self.package = package

    def create_module(self, spec):
        return self.package

    def exec_module(self, module):
        pass


class _Watch(importlib.abc.MetaPathFinder):
    """Makes torch simulate a GPU as soon as the script imports it, and not before: it takes a second. cuda.bindings is
    stood in for when it is imported."""

    def find_spec(self, name, path=None, target=None):
        if name == "cuda":
            return self._cuda()
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec("torch")
        finally:
            sys.meta_path.insert(0, self)
        if spec is None or spec.loader is None:
            return None
        original = spec.loader.exec_module

        def exec_module(module):
            original(module)
            if _wanted_by_torch(module):
                _arrange()
                _activate_torch()

        spec.loader.exec_module = exec_module
        return spec

    def _cuda(self):
        if not wanted():
            return None
        from . import _simulated_cuda

        _pythonpath.extend(STARTUP)
        _simulated_cuda.activate()
        if not _simulated_cuda.is_active():
            return None
        return importlib.machinery.ModuleSpec("cuda", _StandIn(sys.modules["cuda"]), is_package=True)


def watch_imports():
    """From here on importing torch or cuda simulates a GPU, where the device is a simulated one."""
    if not any(isinstance(f, _Watch) for f in sys.meta_path):
        sys.meta_path.insert(0, _Watch())


def _arrange():
    """What this process has, its children have."""
    _pythonpath.extend(STARTUP)
    if "cuda" in sys.modules:
        from . import _simulated_cuda

        _simulated_cuda.activate()


def activate_if_needed():
    """On the simulated device: torch has a GPU, cuda.bindings answers, in child processes too. On a GPU nothing changes."""
    if not wanted():
        return
    _arrange()
    if "torch" in sys.modules:
        _activate_torch()
    watch_imports()


def activate_when_imported():
    """As activate_if_needed(), for a module that is imported: where a GPU may be, what is asked of its driver waits until torch
    or cuda is imported."""
    if not _gpu_may_be():
        activate_if_needed()
        return
    torch = sys.modules.get("torch")
    if torch is not None and _wanted_by_torch(torch):
        _arrange()
        _activate_torch()
    watch_imports()
