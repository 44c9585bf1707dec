# compat.py -- `import cutwork.compat` makes cutwork available as cutlass and, without a GPU, simulates one.
"""The folder _compat holds a package `cutlass` whose modules are cutwork's. It is put on sys.path and
PYTHONPATH. Where nvidia-cutlass-dsl is installed it would hide that, so it is refused, unless
CUTWORK_COMPAT=force. On the simulated device torch and cuda.bindings have its GPU, whether they are imported before or after:
importing this module imports neither."""

import importlib.util
import os
import sys

from . import _core, _pythonpath, _simulation

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_compat")


def installed_elsewhere():
    """The place of a package `cutlass` that is not ours, or None."""
    loaded = sys.modules.get("cutlass")
    if loaded is not None:
        place = getattr(loaded, "__file__", "") or ""
        return None if place.startswith(FOLDER) else place or "<unknown>"
    path = [p for p in sys.path if os.path.abspath(p or ".") != FOLDER]
    spec = importlib.util.find_spec("cutlass") if FOLDER not in sys.path else None
    if spec is None or spec.origin is None or spec.origin.startswith(FOLDER):
        return None
    return spec.origin if path else None


def activate():
    """Puts the folder in front of sys.path and into PYTHONPATH, and simulates a GPU where none is."""
    force = _core.knobs()["compat_force"]  # the environment's errors, too, show here
    other = installed_elsewhere()
    if other and not force:
        raise ImportError(f"cutwork.compat: another package 'cutlass' is installed ({other}), and would be hidden. Uninstall "
                          "it, or set CUTWORK_COMPAT=force to use Cutwork's all the same")
    if FOLDER not in sys.path:
        sys.path.insert(0, FOLDER)
    _pythonpath.extend(FOLDER)
    _simulation.activate_when_imported()


activate()
