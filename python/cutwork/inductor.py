# inductor.py -- PyTorch's own CuteDSL templates run on Cutwork: install() makes `cutlass` importable for Inductor.
"""Inductor renders a CuteDSL template to a module that imports cutlass, cuda.bindings.driver and a few more names,
imports it and calls NAME_main(*tensors, out, stream=raw integer). So it needs the name `cutlass` and nothing else:
no function of torch is replaced."""

import importlib.util
import os
import sys


def _forget_absence():
    """Inductor asks once whether there is a `cutlass`, and remembers the answer."""
    utils = sys.modules.get("torch._inductor.utils")
    cached = getattr(utils, "ensure_cute_available", None)
    if hasattr(cached, "cache_clear"):
        cached.cache_clear()


def installed():
    """Whether `cutlass` in this process is Cutwork's."""
    spec = importlib.util.find_spec("cutlass")
    return spec is not None and (spec.origin or "").startswith(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_compat"))


def install():
    """Makes Cutwork the `cutlass` of Inductor, in this process and in those that it starts from now on.

    The folder with the package goes to sys.path and into PYTHONPATH, where the workers that Inductor starts
    find it. Error (ImportError): another package `cutlass` is installed, which would be hidden. On the simulated
    device torch has a simulated GPU afterwards, as with `cutwork run`; where there is a GPU torch is left alone.
    Calling it again changes nothing."""
    from . import _simulation, compat

    compat.activate()
    _simulation.activate_if_needed()
    _forget_absence()
    return compat.FOLDER


__all__ = ["install", "installed"]
