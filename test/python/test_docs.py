# test_docs.py -- the documentation: links lead somewhere, the index is whole, examples print what they say.
import re
import subprocess

import pytest
from conftest import ROOT

PAGES = sorted(
    ROOT / name
    for name in subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    if (ROOT / name).is_file())


def name_of(page):
    return page.relative_to(ROOT).as_posix()


def anchors(page):
    """The anchors that a page's headings have, as they are made for a rendered page."""
    headings = re.findall(r"^#+\s+(.*)$", re.sub(r"```.*?```", "", page.read_text(), flags=re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue  # another site; no test may need the network
        file, _, anchor = target.partition("#")
        path = (page.parent / file) if file else page
        assert path.exists(), f"{name_of(page)}: no {target}"
        if anchor:
            assert anchor in anchors(path), f"{name_of(page)}: {target}: no such heading"


def test_the_index_names_every_page(root):
    index = (root / "docs/README.md").read_text()
    for page in PAGES:
        if page.parent == root / "docs" and page.name != "README.md":
            assert f"]({page.name})" in index, f"docs/README.md does not name {page.name}"


def test_every_row_of_support_says_where_it_is_documented(root):
    rows = [line for line in (root / "docs/support.md").read_text().splitlines() if line.startswith("| ")]
    assert rows[0] == "| feature | status | documented in |"
    documented = True  # a table of tests names those instead
    for row in rows:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert len(cells) == 3 and all(cells), row
        if cells[0] == "feature":
            documented = cells[2] == "documented in"
        elif documented and set(cells[0]) != {"-"}:
            assert "](" in cells[2], f"no link: {row}"


def test_every_variable_that_is_read_is_in_knobs(root):
    """lib reads them in one place, whose table KnobsTest compares with the page; Python asks for the system's own."""
    page = (root / "docs/knobs.md").read_text()
    readers = [path for path in (root / "lib").rglob("*.cpp") if "getenv(" in path.read_text()]
    assert readers == [root / "lib/Support/Knobs.cpp"]
    read = {name for path in (root / "python/cutwork").rglob("*.py")
            for name in re.findall(r"""os\.(?:environ(?:\.get\(|\[)|getenv\()"(\w+)"|"(\w+)" (?:not )?in os\.environ""", path.read_text())
            for name in name if name}
    assert {"PATH", "PYTHONPATH"} <= read
    assert not [name for name in read if f"`{name}`" not in page]


def test_indented_examples_of_the_command_line_are_those_that_the_page_names(root):
    page = re.sub(r"^```.*?^```", "", (root / "docs/cli.md").read_text(), flags=re.S | re.M)
    assert re.findall(r"\n\n    (?:\$ )?(cutwork \w+)", page) == ["cutwork run", "cutwork info"]


def test_text_of_the_design_names_every_folder_of_lib(root):
    design = (root / "docs/design.md").read_text()
    for folder in (path.name for path in (root / "lib").iterdir() if path.is_dir()):
        assert f"lib/{folder}/" in design


def examples(page):
    """The steps of a page's ```console blocks: (command, what it prints)."""
    for block in re.findall(r"^```console\n(.*?)^```", page.read_text(), re.M | re.S):
        steps = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M)
        assert steps, f"{name_of(page)}: a console block without a `$ command`"
        yield from steps


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_examples_print_what_they_say(page, run, tmp_path):
    """Runs each `$ cutwork ...` (no other program: set-up commands go in other blocks) with bash in an
    empty folder and compares all it prints, and after it `exit status N` unless that is 0; `...` alone
    on a line stands for any lines."""
    for command, expected in examples(page):
        assert command.split()[0] == "cutwork", f"console blocks run cutwork only: {command}"
        result = run("bash", "-c", command, cwd=tmp_path)
        printed = result.stdout + result.stderr
        if result.returncode != 0:
            printed += f"exit status {result.returncode}\n"
        pattern = re.escape(expected).replace(re.escape("...\n"), "(?:.*\n)*?")
        assert re.fullmatch(pattern, printed), f"$ {command}\nprinted:\n{printed}\nexpected:\n{expected}"
