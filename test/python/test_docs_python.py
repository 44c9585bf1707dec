# test_docs_python.py -- the Python examples in README.md and docs/ print what the pages say.
"""A ```python block that is followed by a ```text block is run. The blocks of a page make one program."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```\n+```text\n(.*?)^```$", re.M | re.S)
SEPARATOR = "----8<----"
WITH_EXAMPLES = [page for page in PAGES if "```python\n" in page.read_text()]


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=[page.name for page in WITH_EXAMPLES])
def test_page(page, tmp_path):
    found = BLOCK.findall(page.read_text())
    assert len(found) == page.read_text().count("```python\n"), "a block without its text"
    script = tmp_path / "page.py"
    script.write_text("".join(f"{code}print({SEPARATOR!r}, flush=True)\n" for code, _ in found))
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "build/python"), "CUTWORK_DEVICE": "sim:sm_90a",
                   "PATH": f"{ROOT / 'build/bin'}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run([sys.executable, "-m", "cutwork", script], env=environment, capture_output=True, text=True,
                          timeout=300, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    for (code, expected), printed in zip(found, done.stdout.split(SEPARATOR + "\n"), strict=False):
        assert printed == expected, code


def test_the_guide_has_examples():
    assert {"README.md", "python.md"} <= {page.name for page in WITH_EXAMPLES}
