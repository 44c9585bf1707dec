# kernel_command.py -- what verify_kernel.py and benchmark_kernel.py share: the command in the environment of scripts/setup.
"""Works in any Python 3. Nothing but the standard library is imported."""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def start(command):
    """Becomes `python -m cutwork COMMAND arguments...`; returns only if that cannot be."""
    python = os.environ.get("CUTWORK_PYTHON") or os.path.join(ROOT, ".venv", "bin", "python")
    package = os.path.join(ROOT, "build", "python")
    for needed, made in ((python, "scripts/setup"), (os.path.join(package, "cutwork", "__init__.py"), "scripts/demo")):
        if os.sep in needed and not os.path.exists(needed):
            print("cutwork: error: {}: there is no {}; {} makes it".format(command, needed, made), file=sys.stderr)
            return 3
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [package, environment.get("PYTHONPATH", "")]))
    os.execvpe(python, [python, "-m", "cutwork", command] + sys.argv[1:], environment)
    return 3
