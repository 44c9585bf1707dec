# test_sim_llvm.py -- PTX that clang and Triton made, run on the simulated device and compared with numpy.
#
# The PTX is test/data/llvm_ptx.jsonl.gz, made by test/llvm/make_ptx.py from the kernels beside it.
import base64
import functools
import gzip
import json
import pathlib
import re
import subprocess

import llvm_references
import numpy as np
import pytest
import triton_references
from conftest import CUTWORK, ROOT

MODULES = [json.loads(line) for line in gzip.open(ROOT / "test/data/llvm_ptx.jsonl.gz", "rt")]
RUNS = [(i, kernel) for i, module in enumerate(MODULES) for kernel in module["kernels"]]


def references(module):
    return triton_references if module["maker"].startswith("Triton") else llvm_references


@functools.cache
def case(which, kernel):
    """One and the same data for every module that has the kernel."""
    return which.CASES[kernel]()


def launch(folder, one, module, kernel):
    """Writes the kernel's buffers and launch.json; the command."""
    args = []
    for i, arg in enumerate(one.args):
        if isinstance(arg, llvm_references.Out):
            out = {"output": f"o{i}.npy"}
            if arg.start is None:
                args.append({"uninitialised": arg.expected.nbytes, **out})
            else:
                np.save(folder / f"a{i}.npy", raw(arg.start))
                args.append({"buffer": f"a{i}.npy", **out})
        elif isinstance(arg, np.ndarray):
            np.save(folder / f"a{i}.npy", raw(arg))
            args.append({"buffer": f"a{i}.npy"})
        elif "struct" in arg:
            args.append({"bytes": base64.b64encode(arg["struct"]).decode()})
        else:
            args.append(arg)
    if "threads" in module:  # Triton's kernels have two pointers to scratch memory more
        args += [{"null": True}, {"null": True}]
    (folder / "launch.json").write_text(json.dumps({
        "kernel": kernel, "grid": list(one.grid), "block": [module["threads"]] if "threads" in module else list(one.block),
        "dynamic_smem": module.get("shared", one.dynamic_smem), "args": args}))
    (folder / "kernel.ptx").write_text(module["ptx"])
    return [CUTWORK, "sim", folder / "kernel.ptx", folder / "launch.json", "--device", "sim:" + module["target"],
            "--max-instructions", "3000000"]


def raw(array):
    return np.ascontiguousarray(array).view(np.uint8) if array.dtype.fields else np.ascontiguousarray(array)


def compare(folder, one):
    for i, arg in enumerate(one.args):
        if not isinstance(arg, llvm_references.Out):
            continue
        got = np.load(folder / f"o{i}.npy").view(np.uint8).reshape(-1)
        expected = arg.expected
        got = got.view(expected.dtype).reshape(expected.shape)
        if arg.rtol or arg.atol:
            np.testing.assert_allclose(got.astype(np.float64), expected.astype(np.float64), arg.rtol, arg.atol)
        else:
            np.testing.assert_array_equal(got, expected)


# Races by the letter of the memory model. Triton loads a scalar in every thread of the block and stores the new value
# from one of them, without a barrier in between; the other threads do not use what they load.
RACES = {"lock": "a store of 4 bytes|a load of 4 bytes"}


@pytest.mark.parametrize("check", ["checked", "unchecked"])
@pytest.mark.parametrize("which, kernel", RUNS, ids=[
    f"{MODULES[i]['maker'].replace(' ', '')}-{MODULES[i]['target']}-{kernel}" for i, kernel in RUNS])
def test_llvm_made_ptx(which, kernel, check, tmp_path: pathlib.Path):
    module = MODULES[which]
    one = case(references(module), kernel)
    command = launch(tmp_path, one, module, kernel) + (["--no-check"] if check == "unchecked" else [])
    if check == "checked" and module["maker"].startswith("Triton") and kernel in RACES:
        result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert result.returncode == 10 and re.search(RACES[kernel], result.stderr), result.stderr
        command += ["--check", "memory,sync,init"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 0 and re.fullmatch(r"cutwork: \w+ ran on [^\n]* no fault[^\n]*\n", result.stderr), result.stderr
    assert result.stdout == (one.stdout or "")
    compare(tmp_path, one)


def test_every_reference_is_used():
    for references_ in (llvm_references, triton_references):
        have = {kernel for i, kernel in RUNS if references(MODULES[i]) is references_}
        assert have == set(references_.CASES)
