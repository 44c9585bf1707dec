# _device.py -- on which device functions run, and where what they print goes.

import functools
import sys

from . import _core

_printing = False


@functools.cache
def best():
    """The device of calls that name none: CUTWORK_DEVICE, the first GPU, or sim:sm_90a."""
    return _core.Device.best()


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


def of(binding):
    """The device of a call's arguments."""
    return best()


def _print(text):
    sys.stdout.write(text)


def prepare_printing():
    """What kernels and host functions print goes to sys.stdout, in order with Python's own."""
    global _printing
    if not _printing:
        _printing = True
        _core.set_printer(_print)


def call(core, device, leaves):
    """Runs a compiled function. On a simulated device arrays of the host take part as copies."""
    if device.simulated:
        from . import _simulated

        _simulated.call(core, device, leaves)
    else:
        core.call(device, leaves)
