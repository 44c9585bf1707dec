# test_cutwork_info.py -- `cutwork info`: devices, assemblers, knobs, what is missing; text and JSON.
import json
import os
import pathlib
import subprocess

import pytest
from conftest import CUTWORK, ROOT

FAKE_DRIVER = CUTWORK.parents[1] / "lib/libfakecuda.so"  # the runtime's tests have it
PACKAGES = sorted((ROOT / ".venv/lib").glob("python3*/site-packages"))[0]
NVJITLINK = PACKAGES / "nvidia/cu13/lib/libnvJitLink.so.13"
PTXAS = PACKAGES / "nvidia/cu13/bin/ptxas"
ALONE = {"CUTWORK_CUDA_DRIVER": "/nowhere/libcuda.so", "CUTWORK_NVJITLINK": "none", "CUTWORK_PTXAS": "none"}


def info(*arguments, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("CUTWORK_") and k != "VIRTUAL_ENV"}
    result = subprocess.run([CUTWORK, "info", *arguments], env={**environment, **variables}, capture_output=True,
                            text=True, timeout=60, check=False)
    assert (result.returncode, result.stderr) == (0, ""), result
    return json.loads(result.stdout) if "--json" in arguments else result.stdout


def gets(report):
    return {one["what"]: one["get"] for one in report["missing"]}


def test_a_machine_with_nothing():
    report = info("--json", **ALONE)
    assert report["cuda_devices"] == [] and "/nowhere/libcuda.so" in report["no_cuda_devices"]
    assert report["default_device"] == "sim:sm_90a" and report["no_default_device"] is None
    assert {"sim:sm_80", "sim:sm_90a", "sim:sm_100f", "sim:sm_121a"} <= set(report["simulated_devices"])
    assert report["assembler"] is None
    assert [tool["reason"] for tool in report["assembler_tools"]] == ["CUTWORK_NVJITLINK=none", "CUTWORK_PTXAS=none"]
    assert report["knobs"] == {**ALONE, "CUTE_DSL_CACHE_DIR": os.environ["CUTE_DSL_CACHE_DIR"]}
    missing = gets(report)
    assert "driver" in missing["a CUDA device"]
    assert "pip install" in missing["an assembler (nvJitLink or ptxas)"]
    assert report["version"] == "0.1.0"


def test_the_tools_of_the_environment():
    report = info("--json", VIRTUAL_ENV=str(ROOT / ".venv"), CUTWORK_CUDA_DRIVER="/nowhere/libcuda.so")
    library, program = report["assembler_tools"]
    assert (library["kind"], library["version"], library["reason"]) == ("nvJitLink", "13.0", None)
    assert (program["kind"], program["version"], program["reason"]) == ("ptxas", "13.0", None)
    assert pathlib.Path(library["path"]).samefile(NVJITLINK) and pathlib.Path(program["path"]).samefile(PTXAS)
    assert report["assembler"] == "nvJitLink"
    assert not any("assembler" in what or what == "ptxas" for what in gets(report))


def test_only_one_tool():
    report = info("--json", **{**ALONE, "CUTWORK_NVJITLINK": str(NVJITLINK)})
    assert report["assembler"] == "nvJitLink" and "nvidia-cuda-nvcc" in gets(report)["ptxas"]
    report = info("--json", **{**ALONE, "CUTWORK_PTXAS": str(PTXAS)})
    assert report["assembler"] == "ptxas" and "ptxas" not in gets(report)


def test_cuda_devices():
    report = info("--json", **{**ALONE, "CUTWORK_CUDA_DRIVER": str(FAKE_DRIVER)})
    first = report["cuda_devices"][0]
    assert first["name"] == "cuda:0" and first["card"] == "Fake H200" and first["target"] == "sm_90a"
    assert first["compute_capability"] == "9.0" and first["driver"] == "13.0" and first["memory_bytes"] > 2**37
    assert report["no_cuda_devices"] is None and report["default_device"] == "cuda:0"
    assert report["assembler"] == "driver" and "a CUDA device" not in gets(report)
    text = info(**{**ALONE, "CUTWORK_CUDA_DRIVER": str(FAKE_DRIVER)})
    assert "  cuda:0: Fake H200, 141 GiB, compute capability 9.0 (sm_90a), driver 13.0\n" in text
    assert "  driver: there (used)\n" in text


def test_a_named_device_that_is_not_there():
    report = info("--json", **ALONE, CUTWORK_DEVICE="cuda:7")
    assert report["default_device"] is None and report["no_default_device"].startswith("CUTWORK_DEVICE: ")
    assert info("--json", **ALONE, CUTWORK_DEVICE="sim:sm_80")["default_device"] == "sim:sm_80"


def test_the_text_has_all_that_json_has():
    report, text = info("--json", **ALONE), info(**ALONE)
    for heading in ("CUDA devices", "simulated devices", "used where no device is named", "compiler", "missing",
                    "assemblers, in the order in which they are tried", "environment variables that are set"):
        assert f"\n{heading}\n  " in text
    for one in report["missing"]:
        assert f"  {one['what']}: {one['without']}\n    {one['get']}\n" in text
    for name, value in report["knobs"].items():
        assert f"  {name}={value}\n" in text
    assert report["no_cuda_devices"] in text


@pytest.mark.parametrize("arguments", [("more",), ("--nonsense",)], ids=" ".join)
def test_usage_errors(arguments):
    result = subprocess.run([CUTWORK, "info", *arguments], capture_output=True, text=True, check=False)
    assert result.returncode == 2 and result.stderr.splitlines()[-1].startswith("cutwork: error: ")
