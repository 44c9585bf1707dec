# test_package.py -- the wheel: built once (from objects that ccache has), installed in a new environment, used from elsewhere.
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLAIN = {k: v for k, v in os.environ.items() if k != "PYTHONPATH" and not k.startswith("CUTWORK_")}


def run(*command, good=True, cwd=None, **variables):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=3000, check=False, cwd=cwd,
                          env={**PLAIN, **variables})
    assert (done.returncode == 0) == good, done.stdout[-3000:] + done.stderr[-3000:]
    return done


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", ROOT, "--no-build-isolation", "--no-deps", "--no-index",
        "--disable-pip-version-check", "-w", folder)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="session")
def environment(wheel, tmp_path_factory):
    """The bin folder of a new environment that has the wheel and nothing else."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", folder)
    run(folder / "bin/python", "-m", "pip", "install", "--no-index", "--disable-pip-version-check", wheel)
    return folder / "bin"


def test_what_the_wheel_holds(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {"cutwork", next(n for n in names if ".dist-info" in n).split("/")[0]}
    sources = {path.relative_to(ROOT / "python").as_posix() for pattern in ("*.py", "*.pyi", "py.typed")
               for path in (ROOT / "python/cutwork").rglob(pattern)}
    assert sources <= set(names) and len(sources) > 50
    assert {"cutwork/lib/libcutwork.so", "cutwork/lib/libcutwork_rt.so", "cutwork/_compat/cutlass/__init__.py"} <= set(names)
    assert sum(bool(re.fullmatch(r"cutwork/_core\..*so", name)) for name in names) == 1
    assert not any("__pycache__" in name or name.startswith(("cute/", "cutlass/")) for name in names)
    metadata = zipfile.ZipFile(wheel).read(next(n for n in names if n.endswith("METADATA"))).decode()
    version = re.search(r"project\(cutwork VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    assert f"\nVersion: {version}\n" in metadata and "\nRequires-Python: >=3.10\n" in metadata
    for minor in range(10, 15):
        assert f"Python :: 3.{minor}\n" in metadata


SCRIPT = """
import cutlass
import cutlass.cute as cute
import subprocess, sys

@cute.kernel
def kernel():
    if cute.arch.thread_idx()[0] == 3:
        cute.printf("thread {} of {}", cute.arch.thread_idx()[0], cute.arch.block_dim()[0])

@cute.jit
def host():
    kernel().launch(grid=1, block=32)

host()
print(cute.make_layout((4, 8)), sys.argv[1:])
subprocess.run([sys.executable, "-c", "import cutlass.cute as cute; print(cute.__name__)"], check=True)
"""


def test_a_script_runs_from_another_folder(environment, tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    other = tmp_path / "other"
    other.mkdir()
    expected = "thread 3 of 32\n(4,8):(1,4) ['-x']\ncutwork.cute\n"
    for command in ([environment / "cutwork"], [environment / "cutwork", "run"], [environment / "python", "-m", "cutwork"]):
        assert run(*command, tmp_path / "script.py", "-x", cwd=other).stdout == expected
    assert run(environment / "python", tmp_path / "script.py", cwd=other, good=False).stderr.endswith("No module named 'cutlass'\n")


def test_the_console_command(environment, tmp_path):
    assert re.fullmatch(r"cutwork [0-9.]+\n", run(environment / "cutwork", "--version").stdout)
    assert "verify KERNEL.py" in run(environment / "cutwork", "--help").stdout
    done = run(environment / "cutwork", "layout", "show", "4:1", cwd=tmp_path, good=False)
    assert done.returncode == 2 and "is a command of the program cutwork" in done.stderr
    assert run(environment / "cutwork", "new", "reduction", "mine", cwd=tmp_path).stdout.startswith("mine: kernel.py")


def test_another_cutlass_is_not_hidden(environment, tmp_path):
    (site,) = environment.parent.glob("lib/python3*/site-packages")
    other = site / "cutlass"
    other.mkdir()
    try:
        (other / "__init__.py").write_text("print('theirs')\n")
        (tmp_path / "script.py").write_text("import cutlass\nprint(cutlass.__file__)\n")
        done = run(environment / "cutwork", tmp_path / "script.py", good=False)
        assert f"another package 'cutlass' is installed ({other}/__init__.py)" in done.stderr
        assert run(environment / "python", "-c", "import cutwork.cute, cutlass").stdout == "theirs\n"
        forced = run(environment / "cutwork", tmp_path / "script.py", CUTWORK_COMPAT="force").stdout
        assert forced.endswith("cutwork/_compat/cutlass/__init__.py\n")
    finally:
        shutil.rmtree(other)


IMPORT = """
import sys, time
start = time.perf_counter()
import cutwork.cute
taken = time.perf_counter() - start
opened = lambda: "fakecuda" in open("/proc/self/maps").read()
print(opened(), any(name in sys.modules for name in ("torch", "numpy", "jax", "cuda", "triton")))
cutwork.cute.make_layout((4, 8))
print(opened())
from cutwork import _core
_core.cuda_device_count()
print(opened())
print(f"import cutwork.cute: {taken * 1e3:.0f} ms", file=sys.stderr)
"""


def test_import_opens_no_driver_and_no_torch(environment):
    """The driver is one that is there; asking for devices opens it, importing does not."""
    done = run(environment / "python", "-c", IMPORT, CUTWORK_CUDA_DRIVER=str(ROOT / "build/lib/libfakecuda.so"))
    print(done.stderr)
    assert done.stdout == "False False\nFalse\nTrue\n"


def test_import_of_the_build_tree_imports_no_torch():
    code = "import sys, cutwork.cute; print([m for m in ('torch', 'numpy', 'cuda') if m in sys.modules])"
    assert run(sys.executable, "-c", code, PYTHONPATH=str(ROOT / "build/python")).stdout == "[]\n"
