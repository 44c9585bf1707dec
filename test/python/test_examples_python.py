# test_examples_python.py -- each program of examples/python runs on the simulated device and finds itself right.
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = sorted(path for path in (ROOT / "examples/python").glob("*.py") if "__main__" in path.read_text())
CONTRACT = ("relu", "gelu", "softmax", "rmsnorm", "layernorm")


@pytest.mark.parametrize("program", PROGRAMS, ids=[path.stem for path in PROGRAMS])
def test_program(program, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "build/python"), "CUTWORK_DEVICE": "sim:sm_90a"}
    done = subprocess.run([sys.executable, "-m", "cutwork", program], cwd=tmp_path, env=environment, capture_output=True,
                          text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    last = done.stdout.splitlines()[-1]
    assert last.startswith(f"{program.stem}: ") and ("equal to" in last or "close to" in last)


def test_all_are_there():
    assert [path.stem for path in PROGRAMS] == ["add", "apply", "gelu", "layernorm", "relu", "rmsnorm", "row_sum", "sgemm", "softmax",
                                                "transpose"]
    for name in CONTRACT:
        text = (ROOT / f"examples/python/{name}.py").read_text()
        assert all(f"def {part}(" in text for part in ("kernel_fn", "reference_fn", "get_inputs"))
