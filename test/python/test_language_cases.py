# test_language_cases.py -- the programs of test/python/cases: what each gives, or the error that says what is wrong with it.
"""`python test_language_cases.py` writes what the programs give into the files; read the difference before it is kept."""
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FILES = sorted((HERE / "cases").glob("*.txt"))
sys.path.insert(0, str(HERE))

from language_cases import read  # noqa: E402


def results(path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "build/python"), "CUTWORK_DEVICE": "sim:sm_90a"}
    done = subprocess.run([sys.executable, "-m", "cutwork", HERE / "language_cases.py", path], env=environment,
                          capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_cases(path):
    got = results(path)
    cases = read(path)
    assert len(cases) > 5 and len(got) == len(cases), "two cases of one name"
    wrong = {name: (got[name], expected) for name, *_, expected in cases if got[name] != expected}
    assert not wrong, "\n".join(f"== {name}\ngave\n{a}expected\n{b}" for name, (a, b) in wrong.items())


def test_every_row_of_troubleshooting_is_provoked_and_cured():
    page = (ROOT / "docs/troubleshooting.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ``(.+?)`` \|", page, re.M)
    assert len(rows) > 20
    provoked, cured = (read(HERE / f"cases/{name}.txt") for name in ("troubleshooting", "cures"))
    assert sorted(row.strip() for row in rows) == sorted(case[0] for case in provoked) == sorted(case[0] for case in cured)
    for name, *_, text in provoked:
        assert name in text, f"the message has no '{name}': {text}"
    for name, *_, text in cured:
        assert "Error: " not in text, f"the cure of '{name}' fails: {text}"


def write(path):
    got = results(path)
    text = path.read_text(encoding="utf-8").split("=== ", 1)[0]
    for name, program, is_kernel, expression, _ in read(path):
        text += f"=== {name}{' : kernel' if is_kernel else ''}\n{program}--- {expression}\n{got[name]}"
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for each in FILES:
        write(each)
