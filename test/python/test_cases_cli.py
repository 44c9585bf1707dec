# test_cases_cli.py -- cutwork cases, verify, bench and compile: output, exit codes, JSON, every example.
import json
import re
import subprocess

import pytest
from conftest import CUTWORK, ROOT

SIM = "sim:sm_90a"


def cutwork(*arguments, **variables):
    return subprocess.run([CUTWORK, *arguments], capture_output=True, text=True, timeout=120, check=False,
                          env={"PATH": "/usr/bin:/bin", **variables})


def done(*arguments, **variables):
    result = cutwork(*arguments, **variables)
    assert (result.returncode, result.stderr) == (0, ""), result
    return result.stdout


def refused(code, *arguments, says, **variables):
    result = cutwork(*arguments, **variables)
    assert result.returncode == code, result
    _, error, summary = result.stderr.rpartition("cutwork: error: ")
    assert error and says in summary, result.stderr
    return result


CASES = json.loads(done("cases", "--json"))
NAMES = [case["name"] for case in CASES]


# --- cases

def test_every_example_has_a_case_and_a_row_in_the_guide():
    guide = (ROOT / "docs/cases.md").read_text()
    for source in (ROOT / "examples/cpp").glob("*.cpp"):
        names = re.findall(r'^ *\.name = "(\w+)"', source.read_text(), re.M)
        assert names and set(names) <= set(NAMES), source
        assert f"[{source.name}](../examples/cpp/{source.name}) | " + ", ".join(f"`{n}`" for n in names) in guide


def test_cases_lists_them_by_name():
    lines = done("cases").splitlines()
    assert [line.split()[0] for line in lines] == NAMES == sorted(NAMES)
    assert all(case["description"] and case["odd_shapes"] and case["extents"] for case in CASES)
    assert all(len(case["extents"].split("x")) == len(case["shape"]) for case in CASES)


def test_relu_fits_on_a_screen():
    assert len((ROOT / "examples/cpp/relu.cpp").read_text().splitlines()) <= 66


# --- verify

@pytest.mark.parametrize("name", NAMES)
def test_every_case_is_right_for_all_its_shapes(name):
    answer = json.loads(done("verify", name, "--device", SIM, "--seed", "3", "--json"))
    case = next(case for case in CASES if case["name"] == name)
    assert answer["passed"] and answer["seed"] == 3 and answer["device"] == SIM
    assert [one["shape"] for one in answer["shapes"]] == [case["shape"], *case["odd_shapes"]]
    for shape in answer["shapes"]:
        assert shape["passed"] and shape["changed_inputs"] == []
        for output in shape["outputs"]:
            assert output["wrong"] == 0 and output["worst"] == [] and output["guard_bytes"] == 0


@pytest.mark.parametrize("source", sorted((ROOT / "examples/cpp").glob("*.cpp")), ids=lambda p: p.stem)
def test_every_program_verifies_itself(source):
    program = CUTWORK.parent / "examples" / source.stem
    case = re.search(r'^ *\.name = "(\w+)"', source.read_text(), re.M)[1]
    odd = next(one for one in CASES if one["name"] == case)["odd_shapes"][0]
    shape = "x".join(map(str, odd))
    result = subprocess.run([program, "--device", "sim:sm_80", "--shape", shape], capture_output=True, text=True)
    assert result.returncode == 0, result
    assert result.stdout.startswith(f"{case} on sim:sm_80\n{shape}: ") and result.stdout.endswith("passed\n")


def test_a_program_refuses_what_it_does_not_know():
    program = CUTWORK.parent / "examples/relu"
    for arguments, code, says in [(["--shap", "1"], 2, "'--shap' is no option"), (["--seed"], 2, "expects a value"),
                                  (["--seed", "x"], 2, "no number"), (["--device", "tpu"], 2, "tpu"),
                                  (["--device", SIM, "--shape", "17x256"], 11, "bounds")]:
        result = subprocess.run([program, *arguments], capture_output=True, text=True)
        assert result.returncode == code and says in result.stderr, result
    assert "Usage: " in subprocess.run([program, "--help"], capture_output=True, text=True).stdout


def test_verify_reports_the_worst_elements():
    result = cutwork("verify", "add", "--device", SIM, "--shape", "3x7", "--rtol", "0", "--json")
    assert result.returncode == 1 and result.stderr == ""
    answer = json.loads(result.stdout)
    [output] = answer["shapes"][0]["outputs"]
    assert not answer["passed"] and 0 < output["wrong"] <= output["elements"] == 21
    errors = [worst["absolute"] for worst in output["worst"]]
    assert errors == sorted(errors, reverse=True) and errors[0] == output["max_absolute"] and len(errors) <= 5
    assert all(len(worst["at"]) == 2 and not worst["unwritten"] for worst in output["worst"])


def test_verify_prints_counters_by_line():
    text = done("verify", "transpose", "--device", SIM, "--shape", "64x64", "--counters")
    assert "instructions by class" in text and "fidelity of the PTX's instructions" in text and "examples/cpp/transpose.cpp" in text
    assert re.search(r"^ +issued +lanes +diverge +sectors +used +conflicts +line$", text, re.M), text
    assert re.search(r"^ +\d+ +100 % .*\d+ +\S", text, re.M) and text.endswith("passed\n")
    answer = json.loads(done("verify", "transpose", "--device", SIM, "--shape", "64x64", "--counters", "--json"))
    (kernel,) = answer["shapes"][0]["counters"]
    assert kernel["launches"] == 1 and kernel["total"]["global_requests"] > 0
    assert sum(row["issued"] for row in kernel["instructions"]) == kernel["total"]["issued"] > 0
    assert all(row["file"].endswith((".cpp", ".h")) for row in kernel["instructions"] if "file" in row)
    # Without it nothing of this is there; every shape has its own.
    assert "counters" not in json.loads(done("verify", "transpose", "--device", SIM, "--shape", "64x64", "--json"))["shapes"][0]
    shapes = json.loads(done("verify", "relu", "--device", SIM, "--counters", "--json"))["shapes"]
    issued = [one["counters"][0]["total"]["issued"] for one in shapes]
    assert len(issued) > 1 and issued[0] > max(issued[1:])


def test_verify_writes_a_page_of_counters(tmp_path):
    page = tmp_path / "relu.html"
    text = done("verify", "relu", "--device", SIM, "--html", page)
    assert text.endswith(f"\nwrote {page}\npassed\n") and "instructions by class" not in text
    html = page.read_text()
    shapes = json.loads(done("verify", "relu", "--device", SIM, "--json", "--html", page))["shapes"]
    assert page.read_text() == html and all(one["counters"][0]["total"]["issued"] for one in shapes)
    titles = ["x".join(map(str, one["shape"])) + ": right" for one in shapes]
    assert re.findall("<h2>(.*)</h2>", html) == titles and html.count("<h3>kernel relu_kernel</h3>") == len(titles) == 3
    assert f"<h1>relu on {SIM}</h1>" in html and "examples/cpp/relu.cpp" in html
    # A fault ends the run, and what came before is on the page.
    result = refused(11, "verify", "relu", "--device", SIM, "--shape", "17x256", "--html", tmp_path / "none.html", says="bounds")
    assert not (tmp_path / "none.html").exists() and "wrote" not in result.stdout
    result = refused(2, "verify", "relu", "--device", SIM, "--shape", "16x256", "--html", "/nowhere/at/all.html",
                     says="cannot write /nowhere/at/all.html: No such file or directory")
    assert result.stdout.endswith("passed\n") and "wrote" not in result.stdout
    refused(2, "verify", "relu", "--device", SIM, "--html", "", says="--html")


def test_the_simulators_threads_change_nothing():
    one, two = (json.loads(done("bench", "sgemm", "--device", SIM, "--shape", "128x128x64", "--json", CUTWORK_SIM_THREADS=n))
                for n in ("1", "2"))
    assert one["counters"] == two["counters"]
    done("verify", "relu", "--device", SIM, CUTWORK_SIM_THREADS="3")
    fault = ["verify", "relu", "--device", SIM, "--shape", "17x256"]
    one, two = (refused(11, *fault, says="bounds", CUTWORK_SIM_THREADS=n).stderr for n in ("1", "4"))
    assert one == two
    refused(2, "bench", "relu", "--device", SIM, CUTWORK_SIM_THREADS="0", says="CUTWORK_SIM_THREADS")


def test_verify_compares_the_bits_of_two_devices():
    text = done("verify", "relu", "--device", SIM, "--against", "sim:sm_100a", "--shape", "16x256")
    assert "right; max error 0 absolute, 0 relative; the same bits on both devices" in text


def test_verify_passes_the_simulators_fault_on():
    result = refused(11, "verify", "relu", "--device", SIM, "--shape", "17x256", says="bounds")
    assert "examples/cpp/relu.cpp:" in result.stderr
    answer = json.loads(cutwork("verify", "relu", "--device", SIM, "--shape", "17x256", "--json").stdout)
    assert not answer["passed"] and "bounds" in answer["error"] and answer["shapes"] == []


@pytest.mark.parametrize("command", ["verify", "bench"])
def test_usage_errors(command):
    refused(2, command, "nothing", says="there is no case 'nothing'; there are: add")
    refused(2, command, "relu", "--device", "sim:sm_12", says="sm_12")
    refused(2, command, "relu", "--device", SIM, "--shape", "12", says="relu has 2 extents, MxN, and this has 1")
    refused(2, command, "relu", "--device", SIM, "--shape", "12x", says="'12x' is no shape")
    refused(2, command, says="CASE")


def test_more_usage_errors():
    refused(2, "verify", "relu", "--rtol", "-1", says="--rtol")
    refused(2, "bench", "relu", "--iterations", "0", says="--iterations")
    refused(2, "bench", "relu", "--vs", "nothing", "--device", SIM, says="--vs is copy, none or a case")


# --- bench

def test_bench_on_the_simulated_device_is_no_gpu_time():
    text = done("bench", "relu", "--device", SIM, "--shape", "16x256")
    assert "simulated: not a GPU time" in text and "GB/s" not in text
    answer = json.loads(done("bench", "relu", "--device", SIM, "--shape", "16x256", "--json"))
    assert answer["simulated"] and answer["bytes"] == 16384 and answer["seconds"]["runs"] == 1
    assert answer["counters"]["global_bytes_stored"] == 8192
    assert "bytes_per_second" not in answer and "versus" not in answer


# --- compile

@pytest.mark.parametrize("stage, says", [
    ("mlir", "gpu.func"), ("lowered", "llvm.func"), ("llvm", "define"), ("ptx", ".visible .entry")])
def test_stages_are_printed(stage, says, tmp_path):
    text = done("compile", "relu", "--target", "sm_90a", "--emit", stage)
    assert says in text
    file = tmp_path / "out"
    assert done("compile", "relu", "--target", "sm_90a", "--emit", stage, "-o", file) == ""
    assert file.read_text() == text


def test_the_target_decides():
    assert ".target sm_80" in done("compile", "relu", "--target", "sm_80")
    assert ".target sm_100f" in done("compile", "relu", "--target", "sm_100f")
    result = refused(2, "compile", "relu", "--target", "sm_12", says="sm_12")
    assert "sm_90a" in result.stderr and "sm_100f" in result.stderr


def test_compile_usage():
    refused(2, "compile", "relu", says="--target")
    refused(2, "compile", "relu", "--target", "sm_90a", "--emit", "wasm", says="--emit")
    refused(2, "compile", "relu", "--target", "sm_90a", "--emit", "ptx", "--resources", says="-o FILE")
    refused(2, "compile", "relu", "--target", "sm_90a", "--emit", "cubin", "--json", says="-o FILE")
    refused(2, "compile", "relu", "--target", "sm_90a", "-o", "/dev/full", says="cannot write")


def test_without_an_assembler_the_message_says_what_was_tried():
    refused(3, "compile", "relu", "--target", "sm_90a", "--emit", "cubin", says="CUTWORK_PTXAS=none",
            CUTWORK_PTXAS="none", CUTWORK_NVJITLINK="none")


def test_without_nvdisasm_the_message_says_where_it_was_looked_for(tmp_path):
    fake = tmp_path / "ptxas"
    fake.write_text('#!/bin/bash\n[[ $1 == --version ]] && exit\nwhile [[ $1 != -o ]]; do shift; done\necho cubin >"$2"\n')
    fake.chmod(0o755)
    variables = {"CUTWORK_PTXAS": str(fake), "CUTWORK_NVJITLINK": "none"}
    refused(3, "compile", "relu", "--target", "sm_90a", "--emit", "sass", says="nvdisasm is not found", **variables)
    disassembler = tmp_path / "lib/python3/site-packages/triton/backends/nvidia/bin/nvdisasm"
    disassembler.parent.mkdir(parents=True)
    disassembler.write_text('#!/bin/bash\necho "disassembled: $(cat "${@: -1}")"\n')
    disassembler.chmod(0o755)
    assert done("compile", "relu", "--target", "sm_90a", "--emit", "sass", VIRTUAL_ENV=str(tmp_path),
                **variables) == "disassembled: cubin\n"


# --- what the examples' PTX promises

# Case: 128-bit loads, 128-bit stores, other stores to global memory.
ACCESSES = {"add": (8, 4, 0), "gelu": (2, 2, 0), "leaky_relu": (1, 1, 0), "relu": (4, 4, 0), "row_sum": (5, 0, 1),
            "sgemm": (4, 16, 0), "sgemm_async": (0, 16, 0), "softmax": (4, 4, 0), "softmax_f32": (4, 4, 0), "sum_of_squares": (2, 1, 0),
            "transpose": (4, 4, 0)}


@pytest.mark.parametrize("name", NAMES)
def test_no_example_uses_local_memory_or_is_remarked_on(name):
    for target in ("sm_80", "sm_90a", "sm_100a", "sm_120"):
        answer = json.loads(done("compile", name, "--target", target, "--emit", "ptx", "--json"))
        assert ".local" not in answer["ptx"] and ".visible .entry" in answer["ptx"] and answer["remarks"] == []


@pytest.mark.parametrize("name", NAMES)
def test_accesses_are_of_128_bits(name):
    ptx = done("compile", name, "--target", "sm_90a")
    wide = re.compile(r"\.(v4\.[bfu]32|v2\.[bfu]64|b128)$")
    loads = re.findall(r"\bld\.global\S*", ptx)
    stores = re.findall(r"\bst\.global\S*", ptx)
    assert all(wide.search(load) for load in loads)
    wide_stores = sum(bool(wide.search(store)) for store in stores)
    assert (len(loads), wide_stores, len(stores) - wide_stores) == ACCESSES[name]


def test_the_bench_of_sgemm_counts_operations():
    answer = json.loads(done("bench", "sgemm", "--device", SIM, "--shape", "128x128x8", "--json"))
    assert answer["flops"] == 2 * 128 * 128 * 8
    assert answer["counters"]["barriers"] > 0 and answer["counters"]["shared_loads"] > 0
