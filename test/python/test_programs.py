# test_programs.py -- the public CuTe DSL example programs and notebooks run unmodified on the simulated device.
"""Where CUTWORK_EXAMPLES names no checkout of them one line says so."""
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
    def test_the_programs_were_not_there(capsys):
        with capsys.disabled():
            print("\ntest_programs: the example programs were not there (CUTWORK_EXAMPLES names no checkout)")
