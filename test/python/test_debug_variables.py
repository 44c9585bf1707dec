# test_debug_variables.py -- `cutwork debug` prints the source's variables, from the debug information that clang writes.
import json
import random
import re
import subprocess

import numpy as np
import pytest
from conftest import CUTWORK, ROOT

SOURCE = ROOT / "test/llvm/debug.c"
LINES = {text: number for number, line in enumerate(SOURCE.read_text().splitlines(), 1)
         for text in re.findall(r"// LINE (.*)", line)}


def clang(*options, source=SOURCE, text=None):
    command = ["clang-22", "--target=nvptx64-nvidia-cuda", "-march=sm_90", "-nocudalib", "-g", "-S", *options, "-o", "-",
               "-" if text else str(source)]
    return subprocess.run(command, capture_output=True, text=True, check=True, input=text).stdout


@pytest.fixture(scope="module")
def plain():
    return clang("-O0")


@pytest.fixture(scope="module")
def optimised():
    """Variables in registers, whose places change: what clang leaves out of PTX unless it is asked for all."""
    ir = clang("-Og", "-Xclang", "-debug-info-kind=limited", "-emit-llvm")
    return clang("-O1", "-x", "ir", text=ir.replace("emissionKind: DebugDirectivesOnly", "emissionKind: FullDebug"))


@pytest.fixture
def debug(tmp_path):
    def run(ptx, commands, *options, code=0, n=64):
        np.save(tmp_path / "x.npy", np.arange(64, dtype=np.float32))
        (tmp_path / "k.ptx").write_text(ptx)
        (tmp_path / "l.json").write_text(json.dumps({"kernel": "k", "block": [64], "args": [
            {"buffer": "x.npy"}, {"buffer": "x.npy", "output": "o.npy"}, {"i32": n}, {"f64": 10.0}]}))
        done = subprocess.run([CUTWORK, "debug", "k.ptx", "l.json", "--check", "memory,init", *options], cwd=tmp_path, text=True,
                              input="\n".join(commands) + "\n", timeout=60, capture_output=True, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    run.folder = tmp_path
    return run


VALUES = """
const float* x = 0x200000
float* y = 0x200000
int n = 64
double scale = 10
int i = 5
struct Pair pair = {first = 5, second = 2.5, flags = {1 , 2 , 3 }}
pair_t* pp = 0x
enum Color color = Blue
enum Color none = 77 (no enumerator)
short[4] small = {1, 2, -3, 5}
int[2][3] grid = {{1, 2, 3}, {4, 5, 6}}
int[20] many = {7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ...}
unsigned long long big = 1099511627776
signed char c = 97 'a'
_Bool flag = true
const volatile unsigned int u = 7
union Word word = {whole = 131073, halves = {1, 2}}
struct Bits bits = {low = (a bit field: not shown), high = (a bit field: not shown)}
struct Tree tree = {left = 0x7b
double ratio = 2.5
int counter = 41
""".strip().splitlines()


def test_values_by_their_names_and_types(debug, plain):
    stop = f"debug.c:{LINES['after declarations']}"
    out = debug(plain, ["variables", "print pair", "print tile"], "--break", stop, "--thread", "0:5")
    for line in VALUES:
        assert line.replace("1 , 2 , 3 ", "1, 2, 3") in out, line + "\n" + out
    assert "pair = {first = 9, second = 0.5, flags = {0, 0, 0}}}" in out
    assert re.search(r"int i = 5  \[local memory at 0x[0-9a-f]+\]", out)
    assert "float[64] tile = {(never written), " in out and "[shared memory at 0x400]" in out
    # What is declared further down is not in scope; a register is what begins with %.
    assert "inner" not in out and "there is no variable j in scope here" in debug(plain, ["print j", "quit"])
    assert "this function uses no register %nothing" in debug(plain, ["print %nothing", "quit"])


def test_blocks_hide_and_functions_have_their_own(debug, plain):
    out = debug(plain, ["print i", "print j", "c", "print i"], "--break", f"debug.c:{LINES['in the inner block']}", "--thread", "0:5")
    values = re.findall(r"^int (\w) = (\d+)", out, re.M)
    assert values == [("i", "1000"), ("j", "0"), ("i", "1001")]
    out = debug(plain, ["variables"], "--break", f"debug.c:{LINES['in helper']}", "--thread", "0:5")
    assert "int k = 0" in out and "int twice = 0" in out and "struct Pair* p = 0x" in out and "scale" not in out


def test_before_they_have_values(debug, plain):
    assert "int i = (never written)" in debug(plain, ["print i", "quit"])


def test_variables_in_registers(debug, optimised):
    assert ".section\t.debug_loc" in optimised
    stop = f"debug.c:{LINES['after declarations']}"
    out = debug(optimised, ["variables"], "--break", stop, "--thread", "0:5")
    assert re.search(r"^int i = 5  \[%r\d+\]", out, re.M), out
    assert re.search(r"^enum Color color = Blue$", out, re.M), out
    assert "not understood" in out or "optimised away" in out  # a structure in pieces


def test_without_any(debug, plain):
    ptx = plain[:plain.index("\t.section\t.debug_abbrev")]
    assert "the PTX has no debug information of variables" in debug(ptx, ["variables", "quit"])
    assert "the PTX has no debug information of variables" in debug(ptx, ["print i", "quit"])


@pytest.mark.parametrize("change, says", [
    (lambda t: t.replace(".b8 2                                   // DWARF version number", ".b8 9"), "DWARF version 9"),
    (lambda t: t.replace(".b8 17                                  // DW_TAG_compile_unit", ".b8 17\n.f32 1.0"), "is no data"),
    (lambda t: t.replace("// DW_FORM_data2", "").replace(".b8 19                                  // DW_AT_language\n.b8 5 ",
                                                        ".b8 19\n.b8 77 "), "form 0x4d of an attribute"),
])
def test_what_is_not_understood_is_said(debug, plain, change, says):
    changed = change(plain)
    assert changed != plain
    out = debug(changed, ["variables", "print i", "step", "quit"])
    assert says in out and out.count("thread (0,0,0)") == 2


def test_malformed_sections_never_crash(debug, plain, optimised):
    random_ = random.Random(1)
    for ptx in (plain, optimised):
        start = ptx.index("\t.section")
        lines = ptx[start:].splitlines()
        for _ in range(12):
            mangled = list(lines)
            for _ in range(random_.randint(1, 30)):
                at = random_.randrange(len(mangled))
                if mangled[at].startswith(".b"):
                    kind = random_.choice(["value", "drop", "copy"])
                    if kind == "value":
                        mangled[at] = f".b8 {random_.randint(0, 255)}"
                    elif kind == "drop":
                        mangled[at] = ""
                    else:
                        mangled[at] = random_.choice([line for line in lines if line.startswith(".b")])
            debug(ptx[:start] + "\n".join(mangled) + "\n", ["variables", "print i", "quit"])


def test_lines_of_our_own_compiler(debug):
    """.loc of the language: breakpoints by the C++ line, and no variables, which is said."""
    ptx = subprocess.run([CUTWORK, "compile", "relu", "--target", "sm_90a", "--shape", "16x256"], capture_output=True, text=True,
                         check=True).stdout
    source = next(line for line in re.findall(r'\.file\s+\d+ "([^"]+)"', ptx) if line.endswith("relu.cpp"))
    number = re.findall(r"\.file\s+(\d+) \"" + re.escape(source), ptx)[0]
    line = re.findall(rf"\.loc\s+{number} (\d+)", ptx)[-1]
    parameters = re.search(r"\.entry (\w+)\((.*?)\)", ptx, re.S)
    np.save(debug.folder / "h.npy", np.ones((16, 256), np.float16))
    (debug.folder / "r.ptx").write_text(ptx)
    arguments = [{"buffer": "h.npy"} for _ in re.findall(r"\.param", parameters[2])]
    (debug.folder / "r.json").write_text(json.dumps({"kernel": parameters[1], "grid": [4], "block": [128], "args": arguments}))
    done = subprocess.run([CUTWORK, "debug", "r.ptx", "r.json", "--break", f"relu.cpp:{line}"], cwd=debug.folder, text=True,
                          input="variables\nquit\n", capture_output=True, timeout=60, check=False)
    assert f"relu.cpp:{line}" in done.stdout and "no debug information of variables" in done.stdout, done
