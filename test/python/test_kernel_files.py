# test_kernel_files.py -- `cutwork verify`, `bench` and `new` on kernel files: what is found wrong, exit codes, the companion scripts.
import json
import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = sorted(path.stem for path in (ROOT / "examples/python").glob("*.py") if "def kernel_fn(" in path.read_text())
SIMULATED = {"CUTWORK_DEVICE": "sim:sm_90a"}


def cutwork(run, folder, *arguments, **variables):
    return run("cutwork", *arguments, cwd=folder, **SIMULATED, **variables)


HEAD = """
import cutlass
import cutlass.cute as cute
import torch

@cute.kernel
def device(x: cute.Tensor, y: cute.Tensor, upto: cutlass.Int32):
    i = cute.arch.block_idx()[0] * 32 + cute.arch.thread_idx()[0]
    if i < upto:
        y[i] = x[i] + x[i]

@cute.jit
def launch(x: cute.Tensor, y: cute.Tensor, upto: cutlass.Int32):
    device(x, y, upto).launch(grid=cute.ceil_div(upto, 32), block=32)

def twice(x, upto=None):
    y = torch.empty_like(x)
    launch(x, y, x.numel() if upto is None else upto)
    return y

def kernel_fn(x):
    return twice(x)

def reference_fn(x):
    return x * 2

def get_inputs(count=100):
    return (torch.randn(count, device="cuda"),)
"""


def kernel_file(folder, changes="", name="kernel.py"):
    """A kernel file that is right, with definitions that replace some of its own."""
    (folder / name).write_text(HEAD + textwrap.dedent(changes))
    return name


DRIVER = """
import contextlib, io, json, sys
from cutwork.tools import contract, verify
contract.prepare()
results = []
for arguments in json.load(open("commands.json")):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = contract.run_main("verify", verify.main, arguments)
    results.append([code, out.getvalue(), err.getvalue()])
json.dump(results, open("results.json", "w"))
"""


def verify_all(folder, commands):
    """[code, output, errors] of several `verify` in one process: importing torch takes longer than any of them."""
    (folder / "commands.json").write_text(json.dumps(commands))
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "build/python"), **SIMULATED}
    done = subprocess.run([sys.executable, "-c", DRIVER], cwd=folder, env=environment, capture_output=True, text=True, timeout=600,
                          check=False)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "results.json").read_text())


def test_examples(tmp_path):
    commands = [[str(ROOT / f"examples/python/{name}.py"), "--json"] for name in EXAMPLES]
    for name, (code, out, err) in zip(EXAMPLES, verify_all(tmp_path, commands), strict=True):
        assert code == 0, out + err
        result = json.loads(out)
        assert result["passed"] and result["case"] == name and len(result["shapes"]) >= 4
        assert all(o["wrong"] == 0 and o["elements"] > 0 for s in result["shapes"] for o in s["outputs"])


def test_all_examples_are_kernel_files():
    assert EXAMPLES == ["add", "apply", "gelu", "layernorm", "relu", "rmsnorm", "row_sum", "softmax", "transpose"]


def test_right(run, tmp_path):
    done = cutwork(run, tmp_path, "verify", kernel_file(tmp_path, "odd_shapes = [(1,), (33,)]"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "kernel on sim:sm_90a, rtol 0.001, atol 0.001", *[f"{title}: out {n} float32: right; max error 0 absolute, 0 relative"
        for title, n in (("inputs", 100), ("inputs, fresh", 100), ("1", 1), ("33", 33))], "passed"]


WRONG = {
    "an element": ("def kernel_fn(x):\n    y = twice(x)\n    y[7] += 1\n    return y", "1 of 100 wrong", "at (7): got "),
    "never written": ("def kernel_fn(x):\n    return twice(x, 96)", "4 of 100 wrong", "4 never written",
                      "at (96): never written, expected "),
    "never written, integers": ("def kernel_fn(x):\n    return twice(x, 99)\ndef get_inputs():\n    return (torch.arange(100, "
                                "device='cuda', dtype=torch.int32),)", "1 of 100 wrong", "at (99): never written, expected 198"),
    "NaN": ("def kernel_fn(x):\n    y = twice(x)\n    y[3] = float('nan')\n    return y", "1 NaN", "at (3): got nan"),
    "infinity": ("def reference_fn(x):\n    y = x * 2\n    y[5] = float('inf')\n    return y", "1 of 100 wrong", "expected inf"),
    "a changed input": ("def kernel_fn(x):\n    y = twice(x)\n    x[0] += 1\n    return y", "in0: an input, changed by kernel_fn"),
    "in place": ("def kernel_fn(x):\n    launch(x, x, 50)\ndef reference_fn(x):\n    x *= 2", "in0 100 float32: 50 of 100 wrong"),
    "a shape": ("def reference_fn(x):\n    return (x * 2).view(10, 10)", "WRONG SHAPE; the reference has 10x10"),
    "one of two": ("def kernel_fn(x):\n    return twice(x), twice(x)\ndef reference_fn(x):\n    return x * 2, x * 3",
                   "out0 100 float32: right", "out1 100 float32: 100 of 100 wrong"),
    "an odd shape": ("def kernel_fn(x):\n    return twice(x, x.numel() // 4 * 4)\nodd_shapes = [(6,)]",
                     "inputs: out 100 float32: right", "6: out 6 float32: 2 of 6 wrong"),
    "only the second inputs": ("calls = []\ndef kernel_fn(x):\n    calls.append(1)\n    return twice(x) + (len(calls) > 1)",
                               "inputs: out 100 float32: right", "inputs, fresh: out 100 float32: 100 of 100 wrong"),
}


@pytest.fixture(scope="module")
def wrong(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wrong")
    commands = [[kernel_file(folder, changes[0], f"wrong{i}.py")] for i, changes in enumerate(WRONG.values())]
    return dict(zip(WRONG, verify_all(folder, commands), strict=True))


@pytest.mark.parametrize("what", WRONG)
def test_wrong_is_1(wrong, what):
    code, out, err = wrong[what]
    assert code == 1 and out.splitlines()[-1] == "FAILED", out + err
    for text in WRONG[what][1:]:
        assert text in out, out


def test_in_place_right(run, tmp_path):
    done = cutwork(run, tmp_path, "verify",
                   kernel_file(tmp_path, "def kernel_fn(x):\n    launch(x, x, 100)\ndef reference_fn(x):\n    x *= 2"))
    assert done.returncode == 0 and "in0 100 float32: right" in done.stdout, done.stdout + done.stderr


def test_tolerances(run, tmp_path):
    name = kernel_file(tmp_path, "def reference_fn(x):\n    return x * 2 + 0.01\natol = 0.02")
    assert cutwork(run, tmp_path, "verify", name).returncode == 0
    assert cutwork(run, tmp_path, "verify", name, "--rtol", "0", "--atol", "0.005").returncode == 1


ENDS = {
    "no file": (2, "none.py", "", "there is no file none.py"),
    "no function": (2, None, "del reference_fn", "there is no reference_fn"),
    "an option": (2, None, "", "'-1' is no finite number from 0 on", "--rtol=-1"),
    "a shape": (2, None, "", "does not take the 2 extents of the shape 3x4", "--shape", "3x4"),
    "refused": (3, None, "def kernel_fn(x):\n    device(x, x, 1)", "the kernel device was called from Python"),
    "an exception": (3, None, "def kernel_fn(x):\n    raise KeyError('mine')", "KeyError: 'mine'"),
    "out of bounds": (11, None, "def kernel_fn(x):\n    return twice(x, 101)", "bounds: "),
    "numbers of outputs": (1, None, "def kernel_fn(x):\n    return twice(x), twice(x)", "kernel_fn returns 2 tensors"),
    "nothing to compare": (1, None, "def kernel_fn(x):\n    pass\ndef reference_fn(x):\n    pass", "nothing to compare"),
}


@pytest.fixture(scope="module")
def ends(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ends")
    commands = [[name or kernel_file(folder, changes, f"end{i}.py"), *options]
                for i, (_, name, changes, _, *options) in enumerate(ENDS.values())]
    return dict(zip(ENDS, verify_all(folder, commands), strict=True))


@pytest.mark.parametrize("what", ENDS)
def test_exit_codes(ends, what):
    code, out, err = ends[what]
    assert code == ENDS[what][0] and ENDS[what][3] in err and "cutwork: error: " in err, out + err


def test_exit_codes_of_the_program(run, tmp_path):
    for changes, options, code in (("def kernel_fn(x):\n    return twice(x, 101)", (), 11), ("", ("--device", "sim:sm_1"), 2),
                                   ("def kernel_fn(x):\n    return x", (), 1)):
        done = cutwork(run, tmp_path, "verify", kernel_file(tmp_path, changes), *options)
        assert done.returncode == code, done.stdout + done.stderr


def test_counters_by_the_lines_of_the_file(run, tmp_path):
    kernel_file(tmp_path)
    text = cutwork(run, tmp_path, "verify", "kernel.py", "--rounds", "1", "--counters").stdout
    line = next(i for i, one in enumerate((tmp_path / "kernel.py").read_text().splitlines(), 1) if "y[i] = x[i]" in one)
    assert "instructions by class" in text and f"{line}          y[i] = x[i] + x[i]" in text.replace("  " + str(line), str(line))
    answer = json.loads(cutwork(run, tmp_path, "verify", "kernel.py", "--rounds", "1", "--counters", "--json").stdout)
    (kernel,) = answer["shapes"][0]["counters"]
    assert kernel["launches"] == 1 and kernel["total"]["global_bytes"] == 2 * 4 * 100 and "text" not in kernel
    assert {row["line"] for row in kernel["instructions"] if row["global_requests"]} == {line}
    assert "counters" not in json.loads(cutwork(run, tmp_path, "verify", "kernel.py", "--json").stdout)["shapes"][0]


def test_a_page_of_the_counters(run, tmp_path):
    kernel_file(tmp_path, "odd_shapes = [7]")
    done = cutwork(run, tmp_path, "verify", "kernel.py", "--rounds", "1", "--html", "k.html")
    assert done.returncode == 0 and done.stdout.endswith("\nwrote k.html\npassed\n"), done.stderr
    assert "instructions by class" not in done.stdout  # it is on the page instead
    page = (tmp_path / "k.html").read_text()
    assert "<h1>kernel on sim:sm_90a</h1>" in page and "<h2>inputs: right</h2>" in page and "<h2>7: right</h2>" in page
    line = next(i for i, one in enumerate((tmp_path / "kernel.py").read_text().splitlines(), 1) if "y[i] = x[i]" in one)
    assert page.count(f"<td>{line}</td><td class=code>        y[i] = x[i] + x[i]</td>") == 2
    # if i &lt; upto: text of the file is text of the page.
    assert "if i &lt; upto:" in page and "if i < upto" not in page
    answer = json.loads(cutwork(run, tmp_path, "verify", "kernel.py", "--html", "j.html", "--json").stdout)
    assert all("html" not in kernel and kernel["total"] for one in answer["shapes"] for kernel in one["counters"])
    assert (tmp_path / "j.html").exists()


def test_a_page_of_a_run_that_a_fault_ends(run, tmp_path):
    kernel_file(tmp_path, """
        odd_shapes = [(7,)]
        def kernel_fn(x):
            return twice(x, 101 if x.numel() == 7 else x.numel())
    """)
    done = cutwork(run, tmp_path, "verify", "kernel.py", "--rounds", "1", "--html", "k.html")
    assert done.returncode == 11 and "bounds" in done.stderr
    page = (tmp_path / "k.html").read_text()
    assert "<h2>inputs: right</h2>" in page and "<h2>7" not in page
    done = cutwork(run, tmp_path, "verify", "kernel.py", "--rounds", "1", "--html", "no/k.html")
    first, last = (line for line in done.stderr.splitlines() if line.startswith("cutwork: error: "))
    assert done.returncode == 11 and "cannot write no/k.html: No such file" in first and "bounds" in last


def test_a_page_that_cannot_be_written(run, tmp_path):
    kernel_file(tmp_path)
    done = cutwork(run, tmp_path, "verify", "kernel.py", "--html", "no/k.html")
    assert done.returncode == 2 and done.stdout.endswith("passed\n") and "wrote" not in done.stdout
    assert done.stderr == "cutwork: error: verify: cannot write no/k.html: No such file or directory\n"


def test_bench_says_that_it_is_simulated(run, tmp_path):
    name = kernel_file(tmp_path)
    done = cutwork(run, tmp_path, "bench", name)
    assert done.returncode == 0, done.stderr
    assert "simulated: not a GPU time" in done.stdout and "400 bytes loaded, 400 stored" in done.stdout
    assert "reference_fn: " in done.stdout


def test_bench_runs_each_once(run, tmp_path):
    name = kernel_file(tmp_path, "def kernel_fn(x):\n    print('ours')\n    return twice(x)\n"
                       "def reference_fn(x):\n    print('theirs')\n    return x * 2")
    done = cutwork(run, tmp_path, "bench", name)
    assert done.stdout.count("ours") == 1 and done.stdout.count("theirs") == 1
    done = cutwork(run, tmp_path, "bench", name, "--vs", "none")
    assert done.stdout.count("ours") == 1 and "theirs" not in done.stdout


def test_bench_json(run, tmp_path):
    name = kernel_file(tmp_path, "flops = lambda x: 3 * x.numel()\nprint('noise')")
    done = cutwork(run, tmp_path, "--json", "bench", name, "--shape", "64", "--vs", "torch.compile")
    result = json.loads(done.stdout)
    assert result["simulated"] and result["bytes"] == 512 and result["flops"] == 192 and result["shape"] == [[64]]
    assert result["counters"]["blocks"] == 2 and result["counters"]["global_bytes_stored"] == 256
    assert result["versus"] == {"what": "torch.compile is not run on the simulated device"} and result["seconds"]["runs"] == 1
    kernel_file(tmp_path, "bytes_moved = 7")
    assert json.loads(cutwork(run, tmp_path, "bench", name, "--json").stdout)["bytes"] == 7


def test_bench_of_a_fault(run, tmp_path):
    assert cutwork(run, tmp_path, "bench", kernel_file(tmp_path, "def kernel_fn(x):\n    return twice(x, 101)")).returncode == 11


@pytest.mark.parametrize("script, text", [("verify_kernel.py", "passed\n"), ("benchmark_kernel.py", "simulated: not a GPU time\n")])
def test_scripts_run_with_any_python(run, tmp_path, script, text):
    name = kernel_file(tmp_path)
    done = run("/usr/bin/python3", ROOT / "scripts" / script, name, cwd=tmp_path, **SIMULATED)
    assert done.returncode == 0 and text in done.stdout, done.stderr
    done = run("/usr/bin/python3", ROOT / "scripts" / script, "--help", cwd=tmp_path)
    assert done.returncode == 0 and "reference_fn" in done.stdout


def test_script_without_its_environment(run, tmp_path):
    done = run("/usr/bin/python3", ROOT / "scripts/verify_kernel.py", "x.py", cwd=tmp_path, CUTWORK_PYTHON="/none/python")
    assert done.returncode == 3 and "there is no /none/python" in done.stderr


@pytest.mark.parametrize("kind", ["elementwise", "reduction"])
def test_new_project_passes(run, tmp_path, kind):
    done = cutwork(run, tmp_path, "new", kind, "mine")
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == ["bench_kernel.py", "kernel.py", "test_kernel.py"]
    done = cutwork(run, tmp_path, "verify", "mine/kernel.py")
    assert done.returncode == 0 and done.stdout.endswith("passed\n"), done.stdout + done.stderr
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "build/python"), **SIMULATED}
    for command in (["-m", "pytest", "-q", "-p", "no:cacheprovider"], ["bench_kernel.py"]):
        done = subprocess.run([sys.executable, *command], cwd=tmp_path / "mine", env=environment, capture_output=True, text=True,
                              timeout=300, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "4 passed" in done.stdout or "simulated: not a GPU time" in done.stdout
    done = cutwork(run, tmp_path, "run", "mine/test_kernel.py", "-q")
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr


def test_new_keeps_what_is_there(run, tmp_path):
    (tmp_path / "mine").mkdir()
    assert cutwork(run, tmp_path, "new", "elementwise", "mine").returncode == 0  # an empty folder is taken
    before = (tmp_path / "mine/kernel.py").read_text()
    done = cutwork(run, tmp_path, "new", "reduction", "mine")
    assert done.returncode == 2 and "is no empty folder" in done.stderr
    assert (tmp_path / "mine/kernel.py").read_text() == before
    assert cutwork(run, tmp_path, "new", "other", "x").returncode == 2 and not (tmp_path / "x").exists()
    assert cutwork(run, tmp_path, "new", "--help").returncode == 0


def test_cases_are_as_before(run, tmp_path):
    assert cutwork(run, tmp_path, "verify", "relu", "--shape", "16x256").returncode == 0
    assert cutwork(run, tmp_path, "verify", "kernel").returncode == 2


LINES = "for i in range(1000):\n    print(i)\n"
SOCKET = "import os\nr, w = os.pipe()\nos.close(r)\nos.write(w, b'x')\n"


@pytest.mark.parametrize(("arguments", "code"), [
    (["verify", ROOT / "examples/python/relu.py", "--counters"], 141), (["bench", ROOT / "examples/python/relu.py"], 141),
    (["new", "reduction", "mean"], 141), (["verify", "--help"], 141), (["--help"], 141), (["run", "lines.py"], 141), (["lines.py"], 141),
    (["left.py"], 141)])
def test_nobody_reads(tmp_path, arguments, code):
    """As with `| head -1`, here from the first byte on."""
    (tmp_path / "lines.py").write_text(LINES)
    (tmp_path / "left.py").write_text("import sys\nprint('x')\nsys.exit(3)\n")  # printed at the end only
    reads, writes = os.pipe()
    os.close(reads)
    done = subprocess.run([sys.executable, "-m", "cutwork", *map(str, arguments)], cwd=tmp_path, stdout=writes, stderr=subprocess.PIPE,
                          text=True, timeout=300, check=False, env={**os.environ, **SIMULATED, "PYTHONPATH": str(ROOT / "build/python")})
    os.close(writes)
    assert (done.returncode, done.stderr) == (code, "")


def test_a_broken_pipe_of_the_programs_own_is_an_error(tmp_path):
    (tmp_path / "own.py").write_text(SOCKET)
    done = subprocess.run([sys.executable, "-m", "cutwork", "own.py"], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
                          env={**os.environ, **SIMULATED, "PYTHONPATH": str(ROOT / "build/python")})
    assert done.returncode == 1 and done.stderr.endswith("BrokenPipeError: [Errno 32] Broken pipe\n")
