# test_targets.py -- the PTX of every example assembles for every target, with the pinned ptxas.
import os
import pathlib
import re
import subprocess
import sys

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
        assert not re.search("C75[0-9]{2}", result.stdout + result.stderr), "the assembler serialised something"


SPIKES = {"tma": "tma.mlir", "convergent": "convergent.mlir", "wgmma": "wgmma.py"}


@pytest.mark.parametrize("name", SPIKES)
def test_every_spike_assembles(name, tmp_path):
    source = ROOT / "test/ir/spikes" / SPIKES[name]
    if source.suffix == ".py":
        text = subprocess.run([sys.executable, source], capture_output=True, text=True, check=True).stdout
        source = tmp_path / "spike.mlir"
        source.write_text(text)
    ptx = tmp_path / "spike.ptx"
    ptx.write_text(subprocess.run([CUTWORK.parent / "cutwork-opt", "--emit-ptx=sm_90a", source], capture_output=True,
                                  text=True, check=True).stdout)
    ptxas = next((ROOT / ".venv/lib").glob("python3*/site-packages/nvidia/cu13/bin/ptxas"))
    result = subprocess.run([ptxas, "-v", "-arch=sm_90a", ptx, "-o", tmp_path / "spike.cubin"],
                            capture_output=True, text=True)
    log = result.stdout + result.stderr
    assert result.returncode == 0, log
    assert "warning" not in log and "C75" not in log, log
    stacks = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", log)
    assert stacks and all(one == ("0", "0", "0") for one in stacks), log


def test_cubins_are_kept_where_the_knob_says(tmp_path):
    env = {**ENVIRONMENT, "CUTE_DSL_KEEP_CUBIN": "1", "CUTE_DSL_DUMP_DIR": str(tmp_path / "kept")}
    subprocess.run([CUTWORK, "compile", "relu", "--target", "sm_90a", "--resources"], capture_output=True, check=True,
                   env=env)
    assert (tmp_path / "kept/relu.cubin").read_bytes().startswith(b"\x7fELF")


@pytest.mark.parametrize("case", cases())
def test_no_operation_has_a_place_in_cutwork_s_own_sources(case):
    ptx = compiled(case, "sm_90a", "ptx").stdout
    files = re.findall(r'\.file\s+\d+ "(.*)"', ptx)
    assert files and not [f for f in files if "include/cutwork" in f or re.search("/lib/[A-Z]", f)], files


def test_ptx_names_the_program_s_lines():
    ptx = compiled("relu", "sm_90a", "ptx").stdout
    assert re.search(r'\.file\s+1 ".*relu\.cpp"', ptx)
    assert ".target sm_90a\n" in ptx, "no debug: ptxas would not optimise"
