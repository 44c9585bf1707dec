# test_cutwork_cli.py -- the program cutwork: what it prints and where, exit codes, malformed input.
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

import pytest
from conftest import CUTWORK


def cutwork(*arguments, stdin=b"", **variables):
    """Runs cutwork; a CompletedProcess with bytes on stdin and text from it."""
    environment = {k: v for k, v in os.environ.items()
                   if not k.startswith("CUTWORK_") and k != "NO_COLOR"}
    environment.update(variables)
    result = subprocess.run([CUTWORK, *arguments], env=environment, input=stdin, capture_output=True,
                            timeout=60, check=False)
    result.stdout, result.stderr = result.stdout.decode(), result.stderr.decode(errors="replace")
    return result


def output(*arguments, stdin=b""):
    """What a run that succeeds prints."""
    result = cutwork(*arguments, stdin=stdin)
    assert (result.returncode, result.stderr) == (0, ""), result
    return result.stdout


def refused(code, *arguments, says):
    """A run that fails with `code`: nothing on stdout, the summary as the last line of stderr."""
    result = cutwork(*arguments)
    assert result.returncode == code, result
    assert result.stdout == ""
    assert result.stderr.endswith("\n")
    last = result.stderr.splitlines()[-1]
    assert last.startswith("cutwork: error: ") and says in last, last


def lines(text):
    return text.strip("\n").splitlines()


def show_json(*arguments):
    return json.loads(output("layout", "show", "--json", *arguments))


def evaluate(layout):
    answer = output("layout", "eval", stdin=json.dumps({"op": "evaluate", "args": [layout]}).encode())
    return json.loads(json.loads(answer)["result"])


# --- the program

def test_version():
    assert output("--version") == "cutwork 0.1.0\n"
    assert json.loads(output("--version", "--json")) == {"name": "cutwork", "version": "0.1.0"}


@pytest.mark.parametrize("command", [(), ("layout",), ("layout", "eval"), ("layout", "show"),
                                     ("layout", "explain"), ("sim",), ("debug",), ("cache",), ("info",)], ids=" ".join)
def test_help_has_usage_and_an_example(command):
    text = output(*command, "--help")
    assert "Usage: " + " ".join(("cutwork", *command)) in text
    assert re.search(r"^Examples?:\n  .*cutwork ", text, re.M)
    assert all(len(line) <= 100 for line in text.splitlines())


def test_help_names_every_option_and_operation():
    text = output("layout", "show", "--help")
    for option in ("--svg", "--json", "--max-cells", "--color", "--width", "--tv", "--tile", "--banks",
                   "--bits", "--access", "--vector"):
        assert option in text
    assert "composition(layout, layout or tiler)" in output("layout", "eval", "--help")


@pytest.mark.parametrize("arguments, says", [
    ((), "expected a command after 'cutwork'"),
    (("layout",), "expected a command after 'cutwork layout'"),
    (("nonsense",), "nonsense"),
    (("layout", "nonsense"), "nonsense"),
    (("layout", "show"), "EXPR"),
    (("layout", "explain"), "EXPR"),
    (("layout", "show", "4:1", "5:1"), "5:1"),
    (("layout", "show", "4:1", "--nonsense"), "--nonsense"),
    (("layout", "show", "4:1", "--max-cells", "0"), "--max-cells"),
    (("layout", "show", "4:1", "--bits", "12"), "--bits"),
    (("layout", "show", "4:1", "--vector", "3"), "--vector 3"),
    (("layout", "show", "4:1", "--banks", "--tv"), "--banks"),
    (("layout", "show", "4:1", "--access", "4;1"), "--access"),
    (("layout", "show", "4:1", "--tile", "(4"), "--tile"),
    (("layout", "show", "4:1", "--color", "blue"), "--color"),
], ids=str)
def test_usage_errors(arguments, says):
    refused(2, *arguments, says=says)


def test_a_knob_that_is_not_accepted_is_a_usage_error():
    result = cutwork("layout", "show", "4:1", CUTWORK_COLOR="blue")
    assert result.returncode == 2 and "CUTWORK_COLOR=blue" in result.stderr


@pytest.mark.parametrize("expression, says", [
    ("", "column 1: expected a layout"),
    ("(4,8", "column 5: expected"),
    ("(4,8]:(1,4)", "column 5: expected ')'"),
    ("4:1)", "column 4: expected 'o' or the end"),
    ("4:1 o", "column 6: expected a layout"),
    ("4:1,", "column 4: expected"),
    ("(4,8):(1,4) x", "column 13: expected"),
    ("(2,2):(1,2,3)", "column 1:"),
    ("coalesce", "column 9: expected '(' after coalesce"),
    ("coalesce(4:1", "column 13: expected ',' or ')'"),
    ("coalesc(4:1)", "column 1: there is no operation 'coalesc'; did you mean 'coalesce'?"),
    ("coalesce(complemnt(4:1))", "column 10: there is no operation 'complemnt'"),
    ("composition(4:1)", "column 1: composition takes layout, layout or tiler; 1 operand is given"),
    ("composition((6,2):, 3)", "column 19: expected an integer"),
    ("coalesce(make_layout_tv(4:1, 2:1))", "column 10: make_layout_tv has two results"),
    ("3:99999999999999999999", "column 3: expected an integer of 64 bits"),
    ("S<3,4", "column 6: expected"),
    ("\x01:1", "column 1: expected"),
], ids=repr)
@pytest.mark.parametrize("command", ["show", "explain"])
def test_malformed_expressions(command, expression, says):
    refused(2, "layout", command, expression, says=says)


@pytest.mark.parametrize("expression, says", [
    ("(4,8)", "make_layout((4,8))"), ("S<3,4,3>", "S<3,4,3> o 0 o"), ("size(4:1)", "size gives 4")])
def test_only_layouts_are_shown(expression, says):
    refused(2, "layout", "show", expression, says=says)


@pytest.mark.parametrize("command", ["show", "explain"])
def test_refused_operations(command):
    refused(3, "layout", command, "composition((4,6,8):(2,3,5), 6:3)", says="composition: ")


def test_dynamic_layouts_are_not_shown():
    refused(3, "layout", "show", "(4,?):(1,4)", says="only a static layout can be drawn")


@pytest.mark.parametrize("text", [
    "(" * 20000, "(" * 20000 + ")" * 20000, "coalesce(" * 5000, "coalesce(" * 5000 + "4:1" + ")" * 5000,
    "4:1 o " * 5000 + "4:1", "[" * 5000, "S<" * 5000, "9" * 5000, "o" * 5000, "(,)" * 5000], ids=lambda t: t[:12])
def test_long_and_deep_expressions_do_not_crash(text):
    for command in ("show", "explain"):
        assert cutwork("layout", command, text).returncode in (0, 2, 3)


@pytest.mark.parametrize("text, shown", [
    ("\x1b[31m4:1", r"found '\x1b[31m4:1'"), ("4:1 \x07x", r"found '\x07x'"), ("4:\x7f1", r"found '\x7f1'"),
    ("4:1\n\nx", "found 'x'"), ("(4,\n8:", "column 6: "), ("\u202e4:1", r"\xe2\x80\xae"), ("\x9b31m", r"\xc2\x9b31m"),
    ("é:1", "found 'é:1'"), ("coalesce\x1b(4:1)", r"found '\x1b(4:1)'")], ids=repr)
@pytest.mark.parametrize("command", ["show", "explain"])
def test_control_characters_are_not_sent_to_the_terminal(command, text, shown):
    result = cutwork("layout", command, text)
    assert result.returncode == 2 and shown in result.stderr, result
    assert re.fullmatch(r"cutwork: error: [^\x00-\x1f\x7f-\x9f\u202e]*\n", result.stderr), result


def test_control_characters_in_options():
    for arguments in (("layout", "show", "4:1", "\x1b[31m"), ("\x1b[31m",), ("layout", "show", "4:1", "--tile", "\x1b[31m"),
                      ("sim", "\x1b[31m", "b"), ("layout", "show", "4:1", "--color", "\x1b[31m")):
        result = cutwork(*arguments)
        assert result.returncode == 2 and "\x1b" not in result.stderr and r"\x1b[31m" in result.stderr, result


@pytest.mark.parametrize("name, suggestion", [
    ("coalesc", "coalesce"), ("complemnt", "complement"), ("cooalesce", "coalesce"), ("logical_divid", "logical_divide"),
    ("logicaldivision", "logical_divide"), ("siez", "size"), ("x", None), ("xy", None), ("foo", None), ("reverse", None),
    ("transpose", None), ("zip", None), ("multiply", None), ("a" * 100, None)])
def test_names_are_suggested_only_where_they_are_near(name, suggestion):
    message = cutwork("layout", "show", f"{name}(4:1)").stderr
    assert (f"; did you mean '{suggestion}'?" in message) if suggestion else ("did you mean" not in message), message


@pytest.mark.parametrize("expression", [
    "size((0,4))", "size((-2,4))", "size(0)", "idx2crd(5, 0)", "idx2crd(5, (4,0))", "crd2idx(5, (4,-1))", "size((2,_))",
    "increment_coord((0,0), (0,2))", "tile_to_shape(4:1, (0,4))", "make_layout((0,2))"])
def test_extents_are_positive(expression):
    refused(3, "layout", "explain", expression, says="positive")
    assert "?" in output("layout", "explain", "size((?,4))")


def test_too_long_an_expression():
    refused(2, "layout", "show", "(" * 70000, says="at most 65536")


def test_failing_output_is_reported():
    for arguments in (("layout", "show", "4:1"), ("--help",), ("--version",), ("layout", "eval")):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([CUTWORK, *arguments], stdout=full, stderr=subprocess.PIPE, check=False,
                                    input=b'{"op":"size","args":["4:1"]}\n')
        assert result.returncode == 2 and b"cannot write standard output" in result.stderr, arguments
    refused(2, "layout", "show", "4:1", "--svg", "/nonexistent/a.svg", says="cannot write /nonexistent/a.svg")


def test_failing_input_is_reported():
    folder = os.open("/", os.O_RDONLY)
    result = subprocess.run([CUTWORK, "layout", "eval"], stdin=folder, capture_output=True, check=False)
    os.close(folder)
    assert result.returncode == 2 and b"cannot read standard input" in result.stderr


# --- eval

def test_eval_answers_in_order():
    requests = [{"op": "size", "args": [f"{n}:1"]} for n in range(1, 400)]
    answers = output("layout", "eval", stdin="\n".join(map(json.dumps, requests)).encode()).splitlines()
    assert [json.loads(line)["result"] for line in answers] == [str(n) for n in range(1, 400)]


GOOD = b'{"op":"coalesce","args":["(2,(1,6)):(1,(6,2))"]}'


@pytest.mark.parametrize("line", [
    b"nonsense", b"{", b"[]", b"5", b"null", b'""', b"{}", b'{"op":5,"args":[]}', b'{"op":"size"}',
    b'{"op":"size","args":"4:1"}', b'{"op":"size","args":[4]}', b'{"op":"size","args":[null]}',
    b'{"op":"size","args":[]}', b'{"op":"nonsense","args":[]}', b'{"op":"size","args":["\xff\xfe"]}',
    b"\xff\xfe\x00", b"\x00", b'{"op":"size","args":["4:1"]', b'{"op":"size","args":["4:1"]} x',
    b'{"op":"\\ud800","args":[]}', b'{"op":"size","args":["99999999999999999999:1"]}',
    b'{"op":"size","args":[1e999]}', b'{"op":' + b"9" * 100000 + b"}", b"[" * 100000, b"[" * 100000 + b"]" * 100000,
    b'{"a":' * 100000, b'{"op":"size","args":["' + b"(" * 100000 + b'"]}', b'{"op":"' + b"a" * 100000 + b'","args":[]}',
], ids=lambda line: repr(line[:24]))
def test_eval_answers_a_malformed_line_with_an_error_and_goes_on(line):
    answers = output("layout", "eval", stdin=b"\n".join([GOOD, line, GOOD])).splitlines()
    assert len(answers) == 3
    assert json.loads(answers[0]) == json.loads(answers[2]) == {"result": "12:1"}
    assert set(json.loads(answers[1])) == {"error"}


def test_eval_line_ends():
    assert output("layout", "eval", stdin=b"") == ""
    assert output("layout", "eval", stdin=b"\n \r\n\t\n") == ""
    assert output("layout", "eval", stdin=GOOD + b"\r\n\r\n" + GOOD).splitlines() == ['{"result":"12:1"}'] * 2


# --- show

def test_show_a_hierarchical_layout():
    assert output("layout", "show", "((2,2),4):((1,8),2)") == """\
((2,2),4):((1,8),2)
size 16, cosize 16, rank 2, depth 2

         0   1   2   3
      +---------------
(0,0) |  0   2   4   6
(1,0) |  1   3   5   7
(0,1) |  8  10  12  14
(1,1) |  9  11  13  15
"""


def test_show_one_mode_as_one_row():
    assert output("layout", "show", "5:-2") == """\
5:-2
size 5, cosize 9, rank 1, depth 0

    0   1   2   3   4
 +-------------------
 |  0  -2  -4  -6  -8
"""


def test_show_the_empty_layout():
    assert lines(output("layout", "show", "():()"))[-1].split() == ["|", "0"]


def test_show_coordinates():
    assert output("layout", "show", "make_identity_layout((2,3))") == """\
make_identity_layout((2,3)) = (2,3):(1@0,1@1)
size 6, coshape (2,3), rank 2, depth 1

        0      1      2
  +--------------------
0 | (0,0)  (0,1)  (0,2)
1 | (1,0)  (1,1)  (1,2)
"""


def test_show_slices():
    assert output("layout", "show", "(2,2,(1,2)):(1,2,(0,4))") == """\
(2,2,(1,2)):(1,2,(0,4))
size 8, cosize 8, rank 3, depth 2

(_,_,(0,0))
    0  1
  +-----
0 | 0  2
1 | 1  3

(_,_,(0,1))
    0  1
  +-----
0 | 4  6
1 | 5  7
"""


def test_show_adds_the_offset_of_a_slice():
    text = output("layout", "show", "local_tile((8,6):(6,1), (4,3), (1,1))")
    assert "values include the offset 27" in text
    assert lines(text)[-4:] == ["0 | 27  28  29", "1 | 33  34  35", "2 | 39  40  41", "3 | 45  46  47"]


@pytest.mark.parametrize("expression", ["S<3,4,3> o 0 o (32,8):(1,32)", "S<3,4,3> o (32,8):(1,32)"])
def test_show_goes_through_the_swizzle(expression):
    cells = show_json(expression)["grids"][0]["cells"]
    for row, column in itertools.product(range(32), range(8)):
        x = row + 32 * column
        assert cells[row][column] == swizzle(3, 4, 3)(x)


def test_o_is_composition():
    assert show_json("(6,2):(8,2) o (4,3):(3,1)")["layout"] == "((2,2),3):((24,2),8)"
    assert show_json("S<1,0,3> o (4,8):(8,1) o (2,2)")["layout"] == "S<1,0,3> o 0 o (2,2):(8,1)"
    assert show_json("coalesce(composition((4,8):(1,4), 16:1))")["layout"] == "16:1"
    assert show_json("12:1 o 6:2 o 3:1")["layout"] == "3:2"


def test_show_leaves_out_what_is_too_much():
    text = output("layout", "show", "(128,128):(1,128)", "--max-cells", "64")
    assert "shown: the first 8 of 128 rows, the first 8 of 128 columns: 64 of 16384 elements" in text
    assert len(show_json("(128,128):(1,128)")["grids"][0]["cells"]) == 64
    text = output("layout", "show", "(2,2,1000):(1,2,4)", "--max-cells", "8")
    assert "the first 2 of 1000 slices: 8 of 4000 elements (--max-cells 4000 shows all)" in text
    huge = "(4611686018427387904,4611686018427387904,8):(1,0,0)"
    assert "size 2^63 or more" in output("layout", "show", huge, "--max-cells", "4")


def test_columns_are_aligned():
    for expression in ("(7,13):(100,1)", "(3,(2,3)):(1@1,(1@0,2@0))", "(3,4):(-5000,1)"):
        grid = lines(output("layout", "show", expression).split("\n\n")[1])
        assert len({len(line) for line in grid}) == 1, grid


def test_wide_grids_are_broken_at_the_width_of_the_terminal():
    text = output("layout", "show", "(2,40):(1,2)", "--width", "50")
    assert all(len(line) <= 50 for line in text.splitlines())
    cells = [int(n) for line in text.splitlines() if line.startswith("0 |") for n in line[3:].split()]
    assert cells == list(range(0, 80, 2))


def test_colour():
    plain = output("layout", "show", "(2,2):(1,2)")
    assert "\x1b" not in plain
    coloured = output("layout", "show", "(2,2):(1,2)", "--color", "always")
    assert "\x1b[48;5;" in coloured
    stripped = "\n".join(line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", coloured).split("\n"))
    assert stripped == plain
    assert cutwork("layout", "show", "(2,2):(1,2)", CUTWORK_COLOR="always").stdout == coloured
    assert cutwork("layout", "show", "(2,2):(1,2)", "--color", "never", CUTWORK_COLOR="always").stdout == plain


def test_colour_on_a_terminal():
    pty = pytest.importorskip("pty")
    for variables, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"CUTWORK_COLOR": "never"}, False)):
        main, side = pty.openpty()
        environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "CUTWORK_COLOR")}
        subprocess.run([CUTWORK, "layout", "show", "4:1"], stdout=side, env={**environment, **variables}, check=True)
        os.close(side)
        assert (b"\x1b[48;5;" in os.read(main, 65536)) == coloured, variables
        os.close(main)


def test_json_of_values():
    assert show_json("(2,(2,2)):(4,(1,2))") == {
        "kind": "values", "expression": "(2,(2,2)):(4,(1,2))", "layout": "(2,(2,2)):(4,(1,2))",
        "shape": "(2,(2,2))", "size": 8, "shown": 8, "notes": [],
        "grids": [{"slice": None, "rows": ["0", "1"], "columns": ["(0,0)", "(1,0)", "(0,1)", "(1,1)"],
                   "cells": [[0, 1, 2, 3], [4, 5, 6, 7]]}]}


# --- thread-value layouts

def test_show_threads_and_values():
    assert output("layout", "show", "make_layout_tv((2,2):(2,1), (1,2):(2,1))") == """\
make_layout_tv((2,2):(2,1), (1,2):(2,1)) = ((2,2),2):((4,1),2)
size 8, cosize 8, rank 2, depth 2
tile (2,4): 4 threads with 2 values each

       0     1     2     3
  +-----------------------
0 | T0V0  T0V1  T1V0  T1V1
1 | T2V0  T2V1  T3V0  T3V1

every element has exactly one owner
"""


def test_threads_against_the_layout():
    layout = "((4,8),(2,2)):((32,1),(16,8))"
    picture = show_json(layout, "--tile", "(16,8)")
    places = evaluate(layout)
    cells = picture["grids"][0]["cells"]
    for number, place in enumerate(places):
        assert cells[place % 16][place // 16] == [{"thread": number % 32, "value": number // 32}]
    assert (picture["threads"], picture["values"], picture["unowned"], picture["outside"]) == (32, 4, 0, 0)


def test_threads_that_share_and_elements_without_owner():
    text = output("layout", "show", "(4,2):(0,2)", "--tile", "(2,2)")
    assert "T0V0+3" in text and "." in text
    assert "2 elements have no owner" in text and "up to 4 owners" in text
    assert "2 of the layout's elements lie outside the tile" in output("layout", "show", "(4,1):(1,0)", "--tile", "(2,1)")
    refused(3, "layout", "show", "(4,2,2):(1,4,8)", "--tv", says="has two modes")
    refused(2, "layout", "show", "(4,2):(1,4)", "--tile", "(2,-2)", says="--tile: expected (M,N) or M")
    assert show_json("(4,2):(1@0,1@1)", "--tv")["tile"] == "(4,2)"


# --- banks

def swizzle(bits, base, shift):
    return lambda x: x ^ ((x & (((1 << bits) - 1) << (base + shift))) >> shift)


def brute_force(offsets, bits, vector):
    """(phases, degree, wavefronts) of an access: lane i reads `vector` elements from offsets[i] on."""
    lane_bytes = bits * vector // 8
    lanes_in_phase = 32 if lane_bytes <= 4 else 128 // lane_bytes
    degrees = []
    for first in range(0, len(offsets), lanes_in_phase):
        words = {(offset * bits + bit) // 32 for offset in offsets[first:first + lanes_in_phase]
                 for bit in range(bits * vector)}
        degrees.append(max(sum(word % 32 == bank for word in words) for bank in range(32)))
    return len(degrees), max(degrees), sum(degrees)


@pytest.mark.parametrize("expression, bits, access, vector, degree", [
    ("(32,32):(32,1)", 32, "32:1", 1, 32),                      # a column, all in one bank
    ("(32,32):(32,1)", 32, "32:32", 1, 1),                      # a row
    ("S<5,0,5> o (32,32):(32,1)", 32, "32:1", 1, 1),            # the column, swizzled
    ("(32,33):(33,1)", 32, "32:1", 1, 1),                       # the column, padded
    ("(8,64):(64,1)", 16, "8:1", 8, 8),                         # eight rows of ldmatrix
    ("S<3,3,3> o (8,64):(64,1)", 16, "8:1", 8, 1),
    ("S<3,3,3> o (8,64):(64,1)", 16, "(8,4):(1,64)", 8, 1),     # ldmatrix.x4
    ("(32,8):(8,1)", 32, "32:1", 2, 4),                         # 8 bytes: half-warps
    ("(32,4):(4,1)", 32, "32:1", 4, 1),                         # 16 bytes: quarter-warps
    ("(64,8):(1,64)", 8, "32:1", 1, 1),                         # bytes share words
    ("(32,2):(0,1)", 32, "32:1", 1, 1),                         # a broadcast
    ("(64,64):(1,64)", 4, "(16,2):(2,64)", 2, 1),
    ("(16,16):(16,1)", 64, "32:1", 1, 16),
    ("(16,16):(16,1)", 128, "7:3", 1, 6),
], ids=str)
def test_banks_against_brute_force(expression, bits, access, vector, degree):
    picture = show_json(expression, "--bits", str(bits), "--access", access, "--vector", str(vector))
    coordinates = evaluate(access)
    values = evaluate(picture["layout"])
    report = picture["access"]
    expected = brute_force([values[c] for c in coordinates], bits, vector)
    assert (report["ideal_wavefronts"], report["degree"], report["wavefronts"]) == expected
    assert report["degree"] == degree
    assert report["conflicts"] == report["wavefronts"] - report["ideal_wavefronts"]
    cells = [cell for grid in picture["grids"] for row in grid["cells"] for cell in row]
    for cell in cells:
        assert cell["bank"] == cell["value"] * bits // 32 % 32
        lanes = [lane for lane, c in enumerate(coordinates) if 0 <= cell["value"] - values[c] < vector]
        assert cell["lanes"] == lanes


def test_show_banks():
    assert output("layout", "show", "S<1,0,2> o 0 o (2,4):(4,1)", "--access", "2:1") == """\
S<1,0,2> o 0 o (2,4):(4,1)
size 8, cosize 8, rank 2, depth 1
banks of 32-bit elements, 32 banks of 4 bytes

    0   1   2   3
  +---------------
0 | 0*  1   2   3
1 | 5*  4   7   6

access (marked): 2 lanes of 4 bytes each (1 element of 32 bits), 1 phase
phase 0, lanes 0-1: 2 words in 2 banks, at most 1 in one bank
conflicts: 0 (none); 1 wavefront, 1 would be ideal
"""


def test_the_default_access_and_counts():
    assert show_json("(64,4):(1,64)", "--banks")["access"]["lanes"] == 32
    assert show_json("(4,2):(1,4)", "--banks")["access"]["lanes"] == 8
    assert show_json("(64,4):(1,64)", "--access", "7")["access"]["lanes"] == 7
    assert show_json("(64,4):(1,64)", "--bits", "16", "--vector", "8")["access"]["bytes_per_lane"] == 16
    assert "misaligned: lanes 1,3" in output("layout", "show", "(4,4):(1,4)", "--vector", "2", "--access", "4:1")


@pytest.mark.parametrize("arguments, says", [
    (("4:-1", "--banks"), "the offset -1"), (("4:1@0", "--banks"), "needs one from 0"),
    (("4:1", "--access", "8:1"), "lane 4 accesses the coordinate 4")])
def test_accesses_that_are_refused(arguments, says):
    refused(3, "layout", "show", *arguments, says=says)


# --- SVG

@pytest.mark.parametrize("arguments", [
    ("((2,2),4):((1,8),2)",), ("(4,2,3):(1,4,8)",), ("make_layout_tv((2,2):(2,1), (1,2):(2,1))",),
    ("S<3,3,3> o (8,64):(64,1)", "--bits", "16", "--access", "8:1", "--vector", "8"), ("():()",)], ids=str)
def test_svg_is_xml_with_the_same_content(arguments, tmp_path):
    file = tmp_path / "a.svg"
    assert output("layout", "show", *arguments, "--svg", str(file)) == f"wrote {file}\n"
    assert output("layout", "show", *arguments, "--svg", "-") == file.read_text()
    root = xml.parse(file).getroot()
    space = "{http://www.w3.org/2000/svg}"
    assert root.tag == space + "svg" and root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    plain = output("layout", "show", *arguments)
    assert root.find(space + "title").text == plain.splitlines()[0]
    texts = [e.text for e in root.iter(space + "text")]
    cells = [e.text for e in root.iter(space + "text") if e.get("class").startswith("cell")]
    grids = show_json(*arguments)["grids"]
    assert len(cells) == sum(len(row) for grid in grids for row in grid["cells"])
    for line in plain.splitlines():
        if not re.match(r"[^|]*[|+]|[ ()0-9,]*$", line):
            assert line in texts, line
    for e in root.iter(space + "rect"):
        if e.get("x"):
            assert float(e.get("x")) + float(e.get("width")) <= float(root.get("width"))
            assert float(e.get("y")) + float(e.get("height")) <= float(root.get("height"))


def test_svg_and_json_are_one_or_the_other(tmp_path):
    file = tmp_path / "a.svg"
    for arguments in (("layout", "show", "4:1", "--json", "--svg", str(file)), ("--json", "layout", "show", "4:1", "--svg", "-")):
        refused(2, *arguments, says="--svg and --json are two forms of the same picture: give one of them")
    assert not file.exists()
    refused(2, "layout", "show", "4:1", "--svg", "", says="--svg: expected a file name, or - for standard output")


# --- explain

EXPLAINED = """
composition((6,2):(8,2), (4,3):(3,1))
composition((6,2):(8,2), 12:1)
composition((12,(4,8)):(59,(13,1)), (3,8))
composition((6,2):(8,2), (3,_))
composition((4,8):(1@1,1@0), (2,2))
composition((4,8):(4,1), (8,4):(1@1,1@0))
composition((4,2,8):(3,12,97), (8,2):(2,0))
composition((10,2):(16,4), [5:1, 2:1])
composition(20:2, (5,4):(4,1))
composition(8:1, 8:-1)
composition((4,8):(1,4), 1:8)
S<3,4,3> o 0 o (32,8):(1,32) o (8,8)
composition((8,8):(8,1), S<1,0,3> o 0 o (8,8):(1,8))
logical_divide((6,8):(8,1), (3,4))
logical_divide((6,8):(8,1), (3,4):(1,3))
logical_divide((4,2,3):(2,1,8), 4:2)
logical_divide((9,(4,8)):(59,(13,1)), [3:3, (2,4):(1,8)])
logical_divide(10:1, 4)
logical_divide((8,8):(1,8), [2:4, _])
zipped_divide((10,6):(1,100), 4)
zipped_divide((9,(4,8)):(59,(13,1)), [3:3, (2,4):(1,8)])
tiled_divide((8,6,2):(1,8,48), (4,3))
flat_divide((8,6,2):(1,8,48), (4,3))
zipped_divide(S<3,4,3> o 0 o (32,8):(1,32), (8,4))
zipped_divide((8,8):(1,8), (4,4):(1@0,1@1))
logical_product((2,2):(4,1), 6:1)
logical_product((2,2):(4,1), (4,2):(2,1))
logical_product((2,5):(5,1), [3:5, 4:6])
zipped_product((2,5):(5,1), (3,4):(1,3))
tiled_product((2,5):(5,1), (3,4):(1,3))
flat_product((2,5):(5,1), [3:5, 4:6])
blocked_product((2,5):(5,1), (3,4):(1,3))
blocked_product((2,5):(5,1), 3:1)
raked_product((2,5):(5,1), (3,4):(1,3))
raked_product(4:1, 3:1)
blocked_product(4:1, 3:1)
blocked_product(4:1, (3,2):(2,1))
tile_to_shape((2,2):(1,2), (8,8))
tile_to_shape((2,2):(1,2), (8,8,3), (1,0,2))
tile_to_shape(S<3,4,3> o 0 o (8,64):(64,1), (64,128))
coalesce((2,(1,6)):(1,(6,2)))
coalesce((2,(1,6)):(1,(6,2)), (1,1))
coalesce((4,5,6):(1,4,7))
coalesce(1:5)
complement((2,2):(4,1), 24)
complement(4:2, 16)
complement((2,2):(4,1))
complement((3,2):(0,4), 17)
complement(2:64@0, (128,64))
right_inverse((2,4,6):(4,1,8))
right_inverse((4,5):(1@1,1@0))
right_inverse((4,5):(2,8))
left_inverse((4,2):(1,10))
left_inverse((4,3,2):(2,0,10))
make_layout_tv((4,32):(32,1), (1,8):(8,1))
make_layout_tv((4,8):(8,1), (2,2):(2,1))
upcast((4,8):(1,4), 2)
upcast(S<3,4,3> o 0 o (32,8):(1,32), 4)
downcast((4,8):(1,4), 2)
recast_layout(32, 8, (32,4):(1,32))
recast_layout(8, 32, (32,4):(1,32))
""".strip().splitlines()


@pytest.mark.parametrize("expression", EXPLAINED)
def test_explain_agrees_with_eval_and_with_the_definition(expression):
    text = output("layout", "explain", expression)
    explanation = json.loads(output("layout", "explain", expression, "--json"))
    assert explanation["check"] is not None, explanation
    assert explanation["check"]["holds"]
    assert lines(text)[-1] == "checked: " + explanation["check"]["statement"]
    assert f"result: {explanation['result']}\n" in text
    number = 0
    for step in explanation["steps"]:
        number += 1
        assert f"\n{number}. {step['title']}\n" in text
        assert all(f"   {detail}\n" in text for detail in step["details"])
    # The pieces are those of the result: each mode's conclusion is part of it or of an operand.
    if explanation["operation"] == "composition":
        for step in explanation["steps"]:
            for detail in step["details"]:
                became = re.fullmatch(r"so \S+ becomes (\S+):(\S+)", detail)
                if became:
                    shape, _, stride = explanation["result"].split(" o ")[-1].partition(":")
                    assert became[1] in shape and became[2] in stride, (detail, explanation["result"])


def test_explain_composition():
    assert output("layout", "explain", "composition((6,2):(8,2), (4,3):(3,1))") == """\
composition((6,2):(8,2), (4,3):(3,1))

definition: R = A o B has R(c) = A(B(c)) for every coordinate c of B
  A = (6,2):(8,2)
  B = (4,3):(3,1)

1. mode 0 of B, 4:3, walks through A = 6:8, 2:2
   in 6:8: the extent 6 holds 2 steps of 3: piece 2:24
     left: 2 with step 1
   in 2:2: the last mode takes the rest: piece 2:2
   so 4:3 becomes (2,2):(24,2)

2. mode 1 of B, 3:1, walks through A = 6:8, 2:2
   in 6:8: all 3 steps of 1 stay within 6: piece 3:8
   so 3:1 becomes 3:8

result: ((2,2),3):((24,2),8)
checked: R(c) = A(B(c)) for all 12 coordinates
"""


def test_explain_evaluates_inner_operations():
    text = output("layout", "explain", "composition(coalesce((4,8):(1,4)), make_layout((4,2)))")
    assert "  A = coalesce((4,8):(1,4)) = 32:1\n" in text
    assert "  B = make_layout((4,2)) = (4,2):(1,4)\n" in text


def test_explain_dynamic_and_large_layouts():
    text = output("layout", "explain", "composition((?,?):(?,?), (5,4):(1,5))")
    assert "result: ((?,?),(?,?)):" in text and "not checked: " in text
    text = output("layout", "explain", "composition((65536,2):(1,65536), (65536,2):(1,65536))")
    assert "not checked: " in text and "more than 65536" in text


def test_explain_other_operations():
    text = output("layout", "explain", "size((2,3):(1,2))")
    assert "result: 6" in text and "not checked" in text
    refused(2, "layout", "explain", "(4,8):(1,4)", says="expected an operation")


def test_without_the_python_package_one_line_says_so(tmp_path):
    """The program alone, as it is installed without the Python half."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin/cutwork"
    shutil.copy(CUTWORK, program)
    library = os.path.join(os.path.dirname(os.path.dirname(CUTWORK)), "lib")
    (tmp_path / "cutwork").mkdir()  # a folder is no package
    (tmp_path / "my.py").write_text("")
    environment = {**os.environ, "LD_LIBRARY_PATH": library, "CUTWORK_PYTHON": sys.executable}
    environment.pop("PYTHONPATH", None)
    for arguments in (["run", "my.py"], ["verify", "my.py"], ["bench", "my.py"], ["new", "elementwise", "here"]):
        done = subprocess.run([program, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 3 and done.stdout == "", done
        assert re.fullmatch(rf"cutwork: error: {arguments[0]}: \S+ has no package cutwork: run `pip install [.]` .*\n", done.stderr), done


def test_help_of_run_and_sim_has_what_they_take():
    assert "Usage: cutwork run SCRIPT [ARGUMENTS...]\n" in output("run", "--help")
    for command in ("sim", "debug"):
        text = output(command, "--help")
        assert "--no-check " in text and "{false}" not in text, text
