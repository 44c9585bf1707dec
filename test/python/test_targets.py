# test_targets.py -- the PTX of every example assembles for every target, with the pinned ptxas.
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CUTWORK = ROOT / "build/bin/cutwork"
TARGETS = ["sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100a", "sm_100f", "sm_103a", "sm_120a", "sm_121a"]
# No CUDA toolkit that happens to be installed: the packages of .venv alone.
ENVIRONMENT = {**os.environ, "VIRTUAL_ENV": str(ROOT / ".venv"), "CUTWORK_NVJITLINK": "none"}


def cases():
    listed = subprocess.run([CUTWORK, "cases"], capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in listed.splitlines()]


def compiled(case, target, emit, *more):
    return subprocess.run([CUTWORK, "compile", case, "--target", target, "--emit", emit, *more],
                          capture_output=True, text=True, env=ENVIRONMENT)


@pytest.mark.parametrize("target", TARGETS)
def test_every_case_assembles(target, tmp_path):
    assert len(cases()) >= 10
    for case in cases():
        cubin = tmp_path / f"{case}.cubin"
        result = compiled(case, target, "cubin", "-o", str(cubin), "--resources")
        assert result.returncode == 0, f"{case}: {result.stderr}"
        assert cubin.stat().st_size > 500
        kernels = re.findall(r"(\d+) bytes of spills stored and (\d+) loaded, (\d+) of stack", result.stdout)
        assert kernels and all(kernel == ("0", "0", "0") for kernel in kernels), result.stdout


def test_registers_stay_registers():
    for case in cases():
        ptx = compiled(case, "sm_90a", "ptx").stdout
        assert ".visible .entry" in ptx
        assert ".local" not in ptx, f"{case} has local memory"


@pytest.mark.parametrize("case", ["relu", "gelu", "add", "softmax", "leaky_relu"])
def test_accesses_are_128_bits_wide(case):
    ptx = compiled(case, "sm_90a", "ptx").stdout
    assert re.search(r"ld\.global(\.\w+)*\.v4", ptx), "loads of 128 bits"
    assert re.search(r"st\.global(\.\w+)*\.v4", ptx), "stores of 128 bits"


def test_ptx_names_the_program_s_lines():
    ptx = compiled("relu", "sm_90a", "ptx").stdout
    assert re.search(r'\.file\s+1 ".*relu\.cpp"', ptx)
    assert ".target sm_90a\n" in ptx, "no debug: ptxas would not optimise"
