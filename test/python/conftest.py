# conftest.py -- what the Python tests share: where things are, and running programs.
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The program under test; CUTWORK_BIN names another build's.
CUTWORK = pathlib.Path(os.environ.get("CUTWORK_BIN", ROOT / "build/bin/cutwork"))


@pytest.fixture(scope="session", autouse=True)
def kernel_store(tmp_path_factory):
    """The tests' own kernel store: nothing of the user's is used, and nothing is left there."""
    os.environ["CUTE_DSL_CACHE_DIR"] = str(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture
def run():
    """run("program", "argument"...): runs it in the root with the folder of cutwork first on PATH; a
    CompletedProcess with text. Nothing of the caller's Cutwork variables reaches it."""

    def runner(*command, cwd=ROOT, stdin=None, **variables):
        environment = {k: v for k, v in os.environ.items()
                       if not k.startswith("CUTWORK_") and k != "NO_COLOR"}
        environment["PATH"] = f"{CUTWORK.parent}{os.pathsep}{environment['PATH']}"
        environment.update(variables)
        return subprocess.run([str(part) for part in command], cwd=cwd, env=environment, input=stdin,
                              capture_output=True, text=True, timeout=120, check=False)

    return runner


def pytest_terminal_summary(terminalreporter):
    """What workers of pytest-xdist print is not shown, so the line is the controller's."""
    ran = (str(getattr(report, "nodeid", "")) for reports in terminalreporter.stats.values() for report in reports)
    if not os.environ.get("CUTWORK_EXAMPLES") and any("test_programs.py" in node for node in ran):
        terminalreporter.write_line("test_programs: the example programs were not there (CUTWORK_EXAMPLES names no checkout)")
