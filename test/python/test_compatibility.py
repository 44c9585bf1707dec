# test_compatibility.py -- docs/compatibility.md says what importing and calling every name of the API gives.
"""`python test_compatibility.py` writes the page."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/compatibility.md"


def write(target):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "build/python"), "CUTWORK_DEVICE": "sim:sm_90a"}
    done = subprocess.run([sys.executable, "-m", "cutwork", ROOT / "test/python/compatibility.py", target], env=environment,
                          capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_is_what_the_names_do(tmp_path):
    write(tmp_path / "page.md")
    assert (tmp_path / "page.md").read_text() == PAGE.read_text(), f"write it again: python {__file__}"


if __name__ == "__main__":
    write(PAGE)
