# _device.py -- on which device functions run, and where what they print goes.

import functools
import sys
import time

from . import _core
from ._errors import UserError
from .architectures import Arch

_printing = False


@functools.cache
def best():
    """The device of calls that name none: CUTWORK_DEVICE, the first GPU, or sim:sm_90a."""
    return _core.Device.best()


def capability():
    """(major, minor) of the best device's target."""
    arch = Arch.from_string(best().target)
    return arch.major, arch.minor


def named(device):
    """A device by its name or number; torch's devices too."""
    if device is None:
        return best()
    if isinstance(device, int):
        return _core.Device.open(f"cuda:{device}") if _core.cuda_device_count() else best()
    text = str(device)
    if text.startswith("cuda") and not _core.cuda_device_count():
        return best()
    return _core.Device.open(text)


def of(values):
    """The device of a call's arguments: that of the first tensor on a GPU, or else the best."""
    device = best()
    if device.simulated or _core.cuda_device_count() < 2:
        return device
    for value in values:
        source = getattr(value, "_source", None)  # a prepared tensor
        at = getattr(value if source is None else source.owner, "device", None)
        if getattr(at, "type", None) == "cuda" and at.index is not None:
            return named(at.index)
    return device


def flush_bytes(device=None):
    """Bytes to go through so that nothing else is left in the L2 cache of a device: twice what it has."""
    return 2 * (device or best()).l2_bytes


def for_target(device, target):
    """The device that runs what is compiled for a target that is named: another simulated one, unless the environment
    names the device."""
    if not target or not device.simulated or target == device.target or _core.knobs()["device"]:
        return device
    try:
        return _core.Device.open(f"sim:{target}")
    except UserError:
        return device  # it says what it runs when it is called


def simulated_run(work, device):
    """One run of work() on a simulated device: (seconds of the host, counters, or None where nothing was launched)."""
    _core.take_simulated_runs(device)
    start = time.perf_counter()
    work()
    device.synchronize()
    seconds = time.perf_counter() - start
    runs = _core.take_simulated_runs(device)
    return seconds, runs["counters"] if runs and runs["launches"] else None


def _print(text):
    sys.stdout.write(text)


def prepare_printing():
    """What kernels and host functions print goes to sys.stdout, in order with Python's own."""
    global _printing
    if not _printing:
        _printing = True
        _core.set_printer(_print)


def call(core, device, leaves, pinned=True):
    """Runs a compiled function, on this device if it is pinned, or else on that of its first array."""
    if device.simulated:  # whose devices have one memory; torch's stream is set with torch's current one
        core.call(device, leaves)
        return
    arrays = [leaf for leaf in leaves if isinstance(leaf, _core.Array) and not leaf.on_host]
    before = _core.set_host_stream(_torch_stream(arrays[0], leaves)) if arrays else None
    try:
        core.call(device if pinned or not arrays else None, leaves)
    finally:
        if before is not None:
            _core.set_host_stream(before)


def _torch_stream(array, leaves):
    """The stream of launches that name none: torch's current one on the array's device, where torch is used and the
    function takes no stream."""
    if "torch" not in sys.modules or any(isinstance(leaf, _core.StreamArgument) for leaf in leaves):
        return 0
    import torch

    return torch.cuda.current_stream(int(array.device.name.partition(":")[2])).cuda_stream
