# test_simulated_torch.py -- torch and cuda.bindings with a simulated GPU: the checks of test/python/simulated, each a test.
"""A file there is run once, as a program of a user is: `python -m cutwork FILE`. Each of its functions check_* is a test."""
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(__file__).parent / "simulated"
CHECKS = [(path.stem, name) for path in sorted(FOLDER.glob("*.py")) for name in re.findall(r"^def (check_\w+)", path.read_text(), re.M)]
_results = {}


def environment(**variables):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("CUTWORK_", "CUTE_DSL_ARCH"))}
    return {**kept, "PYTHONPATH": str(ROOT / "build/python"), "CUTWORK_CUDA_DRIVER": "none.so",
            "OMP_NUM_THREADS": "1", **variables}  # threads that spin take minutes on a machine that is busy


def program(*command, **variables):
    return subprocess.run([sys.executable, "-m", "cutwork", *map(str, command)], env=environment(**variables), capture_output=True,
                          text=True, timeout=550, check=False)


def results(file):
    if file not in _results:
        done = program(FOLDER / f"{file}.py")
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        _results[file] = json.loads(done.stdout.splitlines()[-1])
    return _results[file]


@pytest.mark.parametrize(("file", "name"), CHECKS, ids=[f"{f}-{n.removeprefix('check_')}" for f, n in CHECKS])
def test_check(file, name):
    assert results(file)[name] == ""


def test_there_are_checks():
    assert {f for f, _ in CHECKS} == {"aliasing", "bindings", "processes", "scripts", "streams", "tensors", "training"}


ARCHITECTURE = """
import cutlass, cutlass.cute as cute, torch
from cutwork import _device

@cute.kernel
def kernel(x: cute.Tensor):
    x[cute.arch.thread_idx()[0]] = 1.0

@cute.jit
def host(x: cute.Tensor):
    kernel(x).launch(grid=1, block=32)

x = torch.zeros(32, device="cuda")
compiled = OPTIONS(host, x)
compiled(x)
print(_device.best().name, torch.cuda.get_device_capability(), compiled._core.target, compiled._device.name, x.sum().item())
"""


@pytest.mark.parametrize(("options", "variables", "printed"), [
    ("cute.compile", {}, "sim:sm_90a (9, 0) sm_90a sim:sm_90a 32.0"),
    ("cute.compile", {"CUTE_DSL_ARCH": "sm_100a"}, "sim:sm_100a (10, 0) sm_100a sim:sm_100a 32.0"),
    ("cute.compile[cute.GPUArch('sm_100a')]", {}, "sim:sm_90a (9, 0) sm_100a sim:sm_100a 32.0"),
    ("cute.compile[cute.GPUArch('sm_80')]", {"CUTWORK_DEVICE": "sim:sm_90a"}, "sim:sm_90a (9, 0) sm_80 sim:sm_90a 32.0"),
    ("cute.compile", {"CUTE_DSL_ARCH": "sm_80", "CUTWORK_DEVICE": "sim:sm_100a"}, "sim:sm_100a (10, 0) sm_80 sim:sm_100a 32.0")])
def test_the_architecture_is_the_devices_too(tmp_path, options, variables, printed):
    script = tmp_path / "script.py"
    script.write_text(ARCHITECTURE.replace("OPTIONS", options))
    done = program(script, **variables)
    assert done.stdout == printed + "\n", done.stderr


def test_empty_may_count_as_written(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(f"import sys; sys.path.insert(0, {str(FOLDER)!r})\nimport torch\nfrom checks import scale\n"
                      "y = torch.zeros(8, device='cuda')\nscale(torch.empty(8, device='cuda'), y, 0.0)\nprint('done')\n")
    assert "uninitialised" in program(script).stderr
    assert program(script, CUTWORK_SIM_EMPTY="0").stdout == "done\n"
