# sitecustomize.py -- Python runs this as it starts in children of a program on the simulated device: they have it too.
"""The folder is put on PYTHONPATH by cutwork._simulation. Nothing is imported until the child imports torch or cuda."""

import importlib.machinery
import importlib.util
import os
import sys


def _hidden():
    """Runs the sitecustomize that this one hides."""
    here = os.path.dirname(os.path.abspath(__file__))
    path = [p for p in sys.path if os.path.abspath(p or ".") != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", path)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


class _Watch:
    """Asks cutwork when torch or cuda is imported: importing cutwork here would cost every child."""

    def find_spec(self, name, path=None, target=None):
        if name not in ("torch", "cuda"):
            return None
        sys.meta_path.remove(self)
        try:
            from cutwork import _simulation
        except ImportError:  # a Python that does not have it
            return None
        _simulation.watch_imports()
        return sys.meta_path[0].find_spec(name, path, target)


sys.meta_path.insert(0, _Watch())
_hidden()
