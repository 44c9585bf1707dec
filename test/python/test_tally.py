# test_tally.py -- scripts/tally.py counts every case once, and what did not run as failed.
import sys

GTEST = """<testsuites><testsuite name="A">
<testcase name="One" status="run" result="completed" classname="A"/>
<testcase name="Two" status="run" result="completed" classname="A">%s</testcase>
</testsuite></testsuites>"""


def tally(run, root, *files):
    result = run(sys.executable, root / "scripts/tally.py", *files)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip(), result.stderr


def ctest(status):
    inner = "<failure/>" if status == "fail" else ""
    return (f'<testsuite><testcase name="a_tests" classname="a_tests" status="{status}">{inner}</testcase>'
            '<testcase name="other" classname="other" status="run"/></testsuite>')


def test_a_program_counts_by_its_cases(run, root, tmp_path):
    (tmp_path / "ctest.xml").write_text(ctest("run"))
    (tmp_path / "a_tests.xml").write_text(GTEST % "")
    assert tally(run, root, tmp_path / "ctest.xml")[0] == "3 0"


def test_a_failed_case_counts_once(run, root, tmp_path):
    (tmp_path / "ctest.xml").write_text(ctest("fail"))
    (tmp_path / "a_tests.xml").write_text(GTEST % "<failure message='x'/>")
    counts, names = tally(run, root, tmp_path / "ctest.xml")
    assert counts == "2 1"
    assert "A.Two" in names


def test_a_crash_after_good_cases_is_a_failure(run, root, tmp_path):
    (tmp_path / "ctest.xml").write_text(ctest("fail"))
    (tmp_path / "a_tests.xml").write_text(GTEST % "")
    assert tally(run, root, tmp_path / "ctest.xml")[0] == "3 1"


def test_a_crash_without_results_is_a_failure(run, root, tmp_path):
    (tmp_path / "ctest.xml").write_text(ctest("fail"))
    assert tally(run, root, tmp_path / "ctest.xml")[0] == "1 1"


def test_skipped_disabled_and_not_run_are_failures(run, root, tmp_path):
    (tmp_path / "ctest.xml").write_text(ctest("notrun"))
    assert tally(run, root, tmp_path / "ctest.xml")[0] == "1 1"
    (tmp_path / "ctest.xml").write_text(ctest("run"))
    (tmp_path / "a_tests.xml").write_text((GTEST % "").replace("completed", "skipped"))
    assert tally(run, root, tmp_path / "ctest.xml")[0] == "1 2"
    (tmp_path / "pytest.xml").write_text('<testsuite><testcase name="t"><skipped/></testcase></testsuite>')
    assert tally(run, root, tmp_path / "pytest.xml")[0] == "0 1"


def test_missing_results_are_a_failure(run, root, tmp_path):
    assert tally(run, root, tmp_path / "none.xml")[0] == "0 1"
