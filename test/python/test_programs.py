# test_programs.py -- the public CuTe DSL example programs and notebooks run unmodified on the simulated device.
"""Where CUTWORK_EXAMPLES names no checkout of them one line says so."""
import os
import subprocess
import sys

import pytest
from programs import BASE, EXAMPLES, NOTEBOOKS, PROGRAMS, ROOT, SMALLER, run, wrong_cells

SIMULATED = {"PYTHONPATH": str(ROOT / "build/python"), "CUTWORK_DEVICE": "sim:sm_90a"}

if EXAMPLES:
    @pytest.mark.parametrize("name", PROGRAMS)
    def test_program(name):
        (program, *options), printed = PROGRAMS[name]
        assert printed in run("-m", "cutwork", BASE / program, *options, **SIMULATED)

    @pytest.mark.parametrize("name", NOTEBOOKS)
    def test_notebook(name):
        wrong = wrong_cells(name, *SMALLER.get(name, ()), **SIMULATED)
        assert not wrong, "\n".join(wrong)
else:
    def test_the_programs_were_not_there():
        """The end of the run says so (conftest.py)."""


@pytest.mark.parametrize("workers", (0, 2))
def test_a_run_without_the_programs_says_so(workers):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("CUTWORK_EXAMPLES", "PYTEST"))}
    command = [sys.executable, "-m", "pytest", "-q", "-n", str(workers), "-p", "no:cacheprovider", __file__, "-k", "were_not_there"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("test_programs: the example programs were not there") == 1, done.stdout
