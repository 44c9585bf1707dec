# _pythonpath.py -- what Python processes that this one starts find: PYTHONPATH.

import os

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def extend(folder):
    """Puts a folder, and that of this package, in front of PYTHONPATH, if they are not there."""
    known = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    missing = [one for one in (folder, ROOT) if one not in known]
    if missing:
        os.environ["PYTHONPATH"] = os.pathsep.join([*missing, *filter(None, known)])


__all__ = ["extend"]
