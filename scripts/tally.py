# tally.py -- counts test cases from the JUnit files of ctest, GoogleTest and pytest; used by scripts/test.
"""tally.py FILE...  prints `PASSED FAILED`, and on stderr the names of the cases that failed.

A GoogleTest program is one test of ctest's and many cases: where ctest's file has a test NAME and
NAME.xml lies beside it, the cases of that file are counted in its place. A case that was skipped or
disabled counts as failed: nothing is skipped silently here.
"""

import pathlib
import sys
import xml.etree.ElementTree as ElementTree

BAD = ("failure", "error", "skipped")


def cases(path):
    """(name, passed) for each case of one JUnit file."""
    for case in ElementTree.parse(path).iter("testcase"):
        name = ".".join(filter(None, (case.get("classname"), case.get("name"))))
        # GoogleTest says status="notrun" for disabled tests, ctest says status="fail", "notrun" ...
        ran = case.get("status", "run") == "run" and case.get("result", "completed") == "completed"
        yield name, ran and not any(case.find(tag) is not None for tag in BAD)


def expanded_cases(path):
    """The same, with the cases of GoogleTest programs in place of ctest's tests."""
    for name, passed in cases(path):
        inner = path.parent / f"{name.rpartition('.')[2]}.xml"
        if inner == path or not inner.is_file():
            yield name, passed
            continue
        found = list(cases(inner))
        yield from found
        # It left a file and yet failed: it crashed after its cases, or none was run.
        if (not passed and all(good for _, good in found)) or not found:
            yield name, False


def main():
    passed = failed = 0
    for argument in sys.argv[1:]:
        path = pathlib.Path(argument)
        if not path.is_file():
            print(f"tally: no results in {path}", file=sys.stderr)
            failed += 1
            continue
        for name, good in expanded_cases(path):
            if good:
                passed += 1
            else:
                failed += 1
                print(f"failed: {name}", file=sys.stderr)
    print(passed, failed)


if __name__ == "__main__":
    main()
