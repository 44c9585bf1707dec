# test_docs_cpp.py -- the C++ examples in README.md and docs/ print what the pages say.
"""A ```cpp block that is followed by a ```text block is run. The blocks of a page make one program; those of
pages with kernels make one together, since each links the compiler."""
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CUTWORK_BUILD", ROOT / "build"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
WITH_KERNELS = [ROOT / "README.md", ROOT / "docs/language.md"]
BLOCK = re.compile(r"^```cpp\n(.*?)^```\n+```text\n(.*?)^```$", re.M | re.S)
SEPARATOR = "----8<----"
LIBRARIES = ("layout", "runtime", "support", "fmt")  # each may use those after it


def blocks(page):
    return BLOCK.findall(page.read_text())


def check(found, output):
    printed = output.split(SEPARATOR + "\n")[:-1]
    for (code, expected), actual in zip(found, printed, strict=True):
        assert [line.rstrip() for line in actual.splitlines()] == expected.splitlines(), code


def program(codes):
    body = "".join(f'  {{\n{code}  }}\n  std::cout << "{SEPARATOR}\\n";\n' for code in codes)
    return (
        "#include <array>\n#include <iostream>\n#include \"cutwork/Layout.h\"\n"
        "#include \"cutwork/Runtime/Array.h\"\n"
        "using namespace cutwork::cute;\n"
        "int main() {\n" + body + "}\n"
    )


def kernel_program(codes):
    """One function a block. A block with a main of its own stands in a namespace; lines are counted in blocks."""
    includes, functions, calls = [], [], []
    for i, code in enumerate(codes):
        lines = code.splitlines(keepends=True)
        includes += [line for line in lines if line.startswith("#include")]
        code = "".join("\n" if line.startswith("#include") else line for line in lines)
        name = f"block{i}"
        if "int main() {" in code:
            functions.append(f'namespace {name} {{\n#line 1 "page.cpp"\n{code}}}\n')
            calls.append(f"{name}::main()")
        else:
            functions.append(f'static void {name}() {{\n#line 1 "page.cpp"\n{code}}}\n')
            calls.append(f"{name}()")
    main = "".join(f'  {call};\n  std::cout << "{SEPARATOR}" << std::endl;\n' for call in calls)
    prelude = "using namespace cutwork;\nusing namespace cutwork::cute;\n"
    return (
        f'#include "{ROOT}/test/python/docs_prelude.h"\n' + "".join(includes) + prelude + "".join(functions)
        + "int main() {\n" + main + "}\n"
    )


WITH_EXAMPLES = [page for page in PAGES if page not in WITH_KERNELS and blocks(page)]


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
    check(found, subprocess.run([tmp_path / "page"], capture_output=True, text=True, check=True).stdout)


def test_pages_with_kernels():
    found = [block for page in WITH_KERNELS for block in blocks(page)]
    source = BUILD / "test" / "docs_page.cpp"
    text = kernel_program([code for code, _ in found])
    if source.read_text() != text:
        source.write_text(text)
    built = subprocess.run(["cmake", "--build", BUILD, "--target", "docs_page"], capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    ran = subprocess.run([BUILD / "bin/docs_page"], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    check(found, ran.stdout)


def test_the_guides_have_examples():
    assert ROOT / "docs/layout.md" in WITH_EXAMPLES
    assert all(blocks(page) for page in WITH_KERNELS)


def test_every_block_of_the_language_is_run():
    text = (ROOT / "docs/language.md").read_text()
    assert text.count("```cpp\n") == len(blocks(ROOT / "docs/language.md"))
