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
from cutlass.cute.runtime import from_dlpack
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
prepared = from_dlpack(x)
OPTIONS(host, prepared)(prepared)
host(x)
host(prepared)
print(_device.best().name, torch.cuda.get_device_capability(), compiled._core.target, compiled._device.name, x.sum().item())
"""


@pytest.mark.parametrize(("options", "variables", "printed"), [
    ("cute.compile", {}, "sim:sm_90a (9, 0) sm_90a sim:sm_90a 32.0"),
    ("cute.compile", {"CUTE_DSL_COMPILER_OPT": "--gpu-arch sm_100a"}, "sim:sm_90a (9, 0) sm_100a sim:sm_100a 32.0"),
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


def alone(code, **variables):
    """What a program prints that nothing of Cutwork's starts: it imports cutwork.compat."""
    done = subprocess.run([sys.executable], input=code, capture_output=True, text=True, env=environment(**variables), check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


USED = "import cutlass; print(torch.zeros(4, device='cuda').device, torch.cuda.is_available())\n"
CHILD = """
import subprocess, sys
print(subprocess.run([sys.executable, "-c", "import torch; print(torch.ones(2).cuda())"], capture_output=True, text=True).stdout)
"""


def test_importing_compat_is_enough():
    later = "import cutwork.compat, sys\nassert not {'torch', 'numpy', 'cuda'} & set(sys.modules)\nimport torch\n"
    assert alone(later + USED + CHILD) == "cuda:0 True\ntensor([1., 1.], device='cuda:0')\n\n"
    assert alone("import torch, cutwork.compat\n" + USED, CUTWORK_DEVICE="sim:sm_80") == "cuda:0 True\n"
    assert alone("import cutwork.compat\nimport cuda.bindings.driver as driver\nprint(driver.cuInit(0)[0].name)\n") == "CUDA_SUCCESS\n"


def test_where_a_gpu_may_be_compat_opens_none():
    before = ("import os, cutwork._simulation as s\nfrom cutwork._device import best\ns._gpu_may_be = lambda: True\nimport cutwork.compat\n"
              "assert not best.cache_info().currsize and s.STARTUP not in os.environ['PYTHONPATH']\nimport torch\n")
    assert alone(before + USED) == "cuda:0 True\n"  # there is none after all
    seen = "s.sys.modules['torch'].cuda.device_count = lambda: 1\nimport types\nassert not s._wanted_by_torch(torch)\n"
    none = before.replace("import cutwork.compat\n", "import torch\n" + seen + "import cutwork.compat\n")
    assert alone(none + "from cutwork import simulated_torch\nprint(simulated_torch.is_active(), best.cache_info().currsize)\n") == "False 0\n"


def test_a_device_that_is_not_there_is_one_line(tmp_path):
    (tmp_path / "script.py").write_text("")
    done = program(tmp_path / "script.py", CUTWORK_DEVICE="nonsense")
    assert done.returncode == 2 and re.fullmatch("cutwork: error: CUTWORK_DEVICE: no device 'nonsense'.*\n", done.stderr)
