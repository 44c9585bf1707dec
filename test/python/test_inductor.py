# test_inductor.py -- PyTorch's own CuteDSL path with Cutwork as its cutlass: install(), and the checks T1-T13.
import ast
import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECKS = sorted(node.name.removeprefix("check_")
                for node in ast.parse((ROOT / "test/python/inductor_checks.py").read_text()).body
                if isinstance(node, ast.FunctionDef) and node.name.startswith("check_"))


def python(folder, *arguments, **variables):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "build/python"), "CUTWORK_DEVICE": "sim:sm_90a",
                   "TORCHINDUCTOR_CACHE_DIR": str(folder / "cache"), **variables}
    return subprocess.run([sys.executable, *map(str, arguments)], cwd=folder, env=environment, capture_output=True, text=True,
                          timeout=600, check=False)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Of all checks, made by one program: importing Inductor takes seconds."""
    folder = tmp_path_factory.mktemp("inductor")
    done = python(folder, ROOT / "test/python/inductor_here.py", "results.json")
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((folder / "results.json").read_text())


@pytest.mark.parametrize("name", CHECKS)
def test_check(results, name):
    assert results[name] == "", results[name]


def test_all_behaviours_are_checked(results):
    assert {name.split("_")[0] for name in CHECKS} >= {f"T{i}" for i in range(1, 14)}
    assert set(results) == set(CHECKS)


INSTALL = """
import inspect, subprocess, sys
import torch._inductor.utils as utils
import torch._inductor.codegen.cutedsl.cutedsl_kernel as kernel, torch._inductor.codegen.cutedsl.cutedsl_scheduling as scheduling
import torch._inductor.codegen.cutedsl.cutedsl_template as template, torch._inductor.async_compile as async_compile

assert utils.ensure_cute_available() is False
def functions():
    found = {}
    for module in (utils, kernel, scheduling, template, async_compile):
        for name, value in vars(module).items():
            found[module.__name__, name] = value
            if inspect.isclass(value):
                found.update(((module.__name__, name, k), v) for k, v in vars(value).items() if inspect.isfunction(v))
    return found
before = functions()
import cutwork.inductor
assert not cutwork.inductor.installed()
folder = cutwork.inductor.install()
assert cutwork.inductor.install() == folder and cutwork.inductor.installed()
assert sys.path.count(folder) == 1
after = functions()
assert all(after[key] is before[key] for key in before) and len(before) > 100
assert utils.ensure_cute_available() is True
print(subprocess.run([sys.executable, "-c", "import cutlass.cute as cute; print(cute.__name__)"], capture_output=True,
                     text=True, check=True).stdout.strip())
"""


def test_install(tmp_path):
    done = python(tmp_path, "-c", INSTALL)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "cutwork.cute\n"


def test_another_cutlass_is_not_hidden(tmp_path):
    (tmp_path / "cutlass").mkdir()
    (tmp_path / "cutlass/__init__.py").write_text("")
    done = python(tmp_path, "-c", "import cutwork.inductor as i; i.install()")
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ImportError: ") and str(tmp_path / "cutlass/__init__.py") in last


def test_threads_have_the_simulated_gpu(tmp_path):
    done = python(tmp_path, "-c", "import cutwork.inductor as i; i.install(); import torch, threading; seen = []; "
                  "t = threading.Thread(target=lambda: seen.append(torch.zeros(2, device='cuda').device)); t.start(); t.join(); "
                  "print(seen)")
    assert done.stdout == "[device(type='cuda', index=0)]\n", done.stderr
