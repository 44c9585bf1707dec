# test_lint.py -- scripts/lint finds what it promises to find, in a small repository made for each test.
import shutil
import subprocess

import pytest

CLEAN = {
    "lib/dependencies.txt": "# dependencies.txt -- the table.\nSupport:\nLayout: Support\nAtoms: Support Layout\n",
    "lib/Support/CMakeLists.txt": "# CMakeLists.txt -- support.\ncw_add_library(Support\n  SOURCES A.cpp)\n",
    "lib/Support/A.cpp": '// A.cpp -- a.\n#include "cutwork/Support/A.h"\n',
    "include/cutwork/Support/A.h": "// cutwork/Support/A.h -- a.\n#pragma once\n",
    "lib/Layout/CMakeLists.txt":
        "# CMakeLists.txt -- layout.\ncw_add_library(Layout SOURCES B.cpp DEPENDS Support PRIVATE_LIBRARIES f)\n",
    "lib/Layout/B.cpp": '// B.cpp -- b.\n#include "cutwork/Support/A.h"\n',
    "include/cutwork/Layout/B.h": "// cutwork/Layout/B.h -- b.\n#pragma once\n",
    "test/unit/Support/ATest.cpp": "// ATest.cpp -- a.\n",
    "test/unit/Layout/BTest.cpp": "// BTest.cpp -- b.\n",
    "test/fuzz/parse.cpp": "// parse.cpp -- p.\n",
    "bench/layout/parse.cpp": "// parse.cpp -- p.\n",
    "tools/cutwork/main.cpp": "// main.cpp -- m.\n",
    "scripts/run": "#!/usr/bin/env bash\n# run -- r.\necho hello\n",
    "scripts/tool.py": "# tool.py -- t.\nprint(1)\n",
}


@pytest.fixture
def lint(root, tmp_path, run):
    """lint({file: text}): makes CLEAN with these changes (None removes) and gives lint's output."""

    def runner(changes, *options):
        for name, text in {**CLEAN, **changes}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                path.unlink(missing_ok=True)
            else:
                path.write_text(text)
        shutil.copy(root / ".clang-format", tmp_path)
        subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
        return run(root / "scripts/lint", "--root", tmp_path, *(options or ["--no-tidy"]))

    return runner


def test_a_clean_repository_passes(lint):
    result = lint({})
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.startswith("lint: ")
    assert result.stdout.endswith(" passed, 0 failed\n")


@pytest.mark.parametrize("name, text, finding", [
    ("lib/Layout/B.cpp", "// B.cpp -- b.\nint  x;\n", "lib/Layout/B.cpp:2: code should be clang-formatted"),
    ("lib/Layout/B.cpp", "int x;\n", "lib/Layout/B.cpp:1: the first line says no purpose"),
    ("lib/Layout/B.cpp", "// C.cpp -- b.\n", "lib/Layout/B.cpp:1: the first line names C.cpp"),
    ("scripts/run", "#!/usr/bin/env bash\necho hello\n", "scripts/run:1: the first line says no purpose"),
    ("lib/Layout/B.cpp", "// B.cpp -- b.\n" + "//\n" * 799, "lib/Layout/B.cpp: 800 lines; the limit is 799"),
    ("include/cutwork/Layout/B.h", "// B.h -- b.\n#pragma once\n" + "//\n" * 198,
     "include/cutwork/Layout/B.h: 200 lines; the limit is 199"),
    ("lib/Layout/B.cpp", "// B.cpp -- b." + " b" * 50 + "\n", "lib/Layout/B.cpp:1: 114 columns; the limit is 100"),
    ("lib/Support/A.cpp", '// A.cpp -- a.\n#include "cutwork/Layout/B.h"\n',
     "lib/Support/A.cpp:2: includes cutwork/Layout/B.h, but Support does not depend on Layout"),
    ("include/cutwork/Support/A.h", "// A.h -- a.\n#pragma once\n\n#include <cutwork/Layout/B.h>\n",
     "include/cutwork/Support/A.h:4: includes cutwork/Layout/B.h, but Support does not depend on Layout"),
    ("lib/Layout/CMakeLists.txt", "# CMakeLists.txt -- layout.\ncw_add_library(Layout SOURCES B.cpp)\n",
     "lib/Layout/B.cpp:2: includes cutwork/Support/A.h, but Layout does not depend on Support"),
    ("lib/Support/CMakeLists.txt", "# CMakeLists.txt -- s.\ncw_add_library(Support SOURCES A.cpp DEPENDS Layout)\n",
     "lib/Support/CMakeLists.txt: depends on Layout, which lib/dependencies.txt does not allow"),
    ("lib/Atoms/C.cpp", "// C.cpp -- c.\n", "lib/Atoms/C.cpp: lib/Atoms/CMakeLists.txt has no cw_add_library(Atoms"),
    ("include/cutwork/Layout/B.h", "// B.h -- b.\n#pragma once\n\n#include <fmt/format.h>\n",
     "include/cutwork/Layout/B.h:4: a public header may include only"),
    ("include/cutwork/Layout/B.h", "// B.h -- b.\n", "include/cutwork/Layout/B.h: has no #pragma once"),
    ("include/cutwork/Layout/B.h", "// B.h -- b.\n#pragma once\n\nnamespace cutwork {}\n",
     "include/cutwork/Layout/B.h: has no `#pragma GCC visibility push(default)`"),
    ("lib/Layout/B.cpp", "// B.cpp -- b.\nconst char* home = std::getenv(\"HOME\");\n",
     "lib/Layout/B.cpp:2: reads the environment"),
    ("README.md", "Get it from py" + "pi.org.\n", "README.md:1: names a registry's host"),
    ("README.md", "See /ro" + "ot/notes.\n", "README.md:1: names a path of one machine"),
    ("test/unit/Layout/BTest.cpp", None, "test/unit/Layout: lib/Layout has no unit tests"),
    ("test/fuzz/parse.cpp", None, "test/fuzz: there is no fuzz program"),
    ("scripts/run", "#!/usr/bin/env bash\n# run -- r.\necho $1\n", "scripts/run:3: note: Double quote"),
    ("scripts/tool.py", "# tool.py -- t.\nprint(\n", "scripts/tool.py:2: syntax error"),
])
def test_each_violation_is_found(lint, name, text, finding):
    result = lint({name: text})
    assert finding in result.stdout
    assert result.returncode == 1


def test_fix_formats(lint, tmp_path):
    result = lint({"lib/Layout/B.cpp": "// B.cpp -- b.\nint  x;\n"}, "--fix", "--no-tidy")
    assert result.returncode == 0, result.stdout
    assert (tmp_path / "lib/Layout/B.cpp").read_text() == "// B.cpp -- b.\nint x;\n"


def test_ignored_files_are_not_checked(lint):
    result = lint({".gitignore": "# .gitignore -- i.\n/build/\n", "build/x.cpp": "int  x;\n"})
    assert result.returncode == 0, result.stdout


def test_tidy_reports_a_source_that_no_build_has(lint):
    result = lint({}, "--tidy-all")
    assert "lib/Layout/B.cpp: is in no build" in result.stdout
    assert result.returncode == 1


def test_tidy_finds_and_remembers(lint, tmp_path):
    source = "// B.cpp -- b.\n#include <string>\n\nint* f() { return %s; }\n"
    database = ('[{"directory": "%s/build", "file": "%s/lib/Layout/B.cpp", "output": "B.o", '
                '"command": "clang++-22 -std=c++20 -c %s/lib/Layout/B.cpp"}]' % ((tmp_path,) * 3))
    files = {"build/compile_commands.json": database, ".gitignore": "# .gitignore -- i.\n/build/\n",
             ".clang-tidy": "# .clang-tidy -- t.\nChecks: '-*,modernize-use-nullptr'\nWarningsAsErrors: '*'\n"}
    others = {name: None for name in CLEAN if name.endswith(".cpp") and name != "lib/Layout/B.cpp"}
    result = lint({**files, **others, "lib/Layout/B.cpp": source % "0"}, "--tidy-all")
    assert "lib/Layout/B.cpp:4: use nullptr [modernize-use-nullptr" in result.stdout
    result = lint({**files, **others, "lib/Layout/B.cpp": source % "nullptr"}, "--tidy-all")
    assert "[tidy]" not in result.stdout
