# test_docs_cpp.py -- the C++ examples in README.md and docs/ print what the pages say.
"""A ```cpp block that is followed by a ```text block is run; all blocks of a page make one program."""
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CUTWORK_BUILD", ROOT / "build"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```cpp\n(.*?)^```\n+```text\n(.*?)^```$", re.M | re.S)
SEPARATOR = "----8<----"
LIBRARIES = ("layout", "runtime", "support", "fmt")  # each may use those after it


def blocks(page):
    return BLOCK.findall(page.read_text())


def program(codes):
    body = "".join(f'  {{\n{code}  }}\n  std::cout << "{SEPARATOR}\\n";\n' for code in codes)
    return (
        "#include <array>\n#include <iostream>\n#include \"cutwork/Layout.h\"\n"
        "#include \"cutwork/Runtime/Array.h\"\n"
        "using namespace cutwork::cute;\n"
        "int main() {\n" + body + "}\n"
    )


WITH_EXAMPLES = [page for page in PAGES if blocks(page)]


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=[p.name for p in WITH_EXAMPLES])
def test_page(page, tmp_path):
    found = blocks(page)
    source = tmp_path / "page.cpp"
    source.write_text(program([code for code, _ in found]))
    libraries = [BUILD / "lib" / f"libcutwork_{name}.a" for name in LIBRARIES]
    command = ["clang++-22", "-std=c++20", "-fuse-ld=lld-22", f"-I{ROOT / 'include'}", source, *libraries,
               "-o", tmp_path / "page"]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    output = subprocess.run([tmp_path / "page"], capture_output=True, text=True, check=True).stdout
    printed = output.split(SEPARATOR + "\n")[:-1]
    for (code, expected), actual in zip(found, printed, strict=True):
        assert [line.rstrip() for line in actual.splitlines()] == expected.splitlines(), code


def test_the_guide_has_examples():
    assert ROOT / "docs/layout.md" in WITH_EXAMPLES
