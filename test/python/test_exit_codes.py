# test_exit_codes.py -- docs/exit-codes.md over all commands: what cannot be read is 2, what is refused is 3.
import json
import signal
import subprocess
import time

import numpy as np
import pytest
from conftest import CUTWORK

PTX = """.version {version}
.target {target}
.address_size 64
.visible .entry k(.param .u64 p)
{{
    .reg .b64 %a;
    .reg .b32 %v;
    ld.param.u64 %a, [p];
    ld.global.b32 %v, [%a];
    {statement}
    ret;
}}
"""
LAUNCH = {"kernel": "k", "args": [{"buffer": "x.npy"}]}


def files(folder, statement="", target="sm_80", version="8.0", **launch):
    np.save(folder / "x.npy", np.zeros(4, np.int32))
    (folder / "folder").mkdir(exist_ok=True)
    (folder / "k.ptx").write_text(PTX.format(target=target, statement=statement, version=version))
    (folder / "l.json").write_text(json.dumps({**LAUNCH, **launch}))


SHOW, EXPLAIN, SIM, L = ("layout", "show"), ("layout", "explain"), ("sim", "k.ptx", "l.json"), "(4,8):(1,4)"

# Nothing is done: the command line, an option's value, an expression or a file cannot be read.
USAGE = [
    (), ("nonsense",), ("layout",), SHOW, EXPLAIN, ("sim",), ("sim", "k.ptx"), ("info", "more"), ("--nonsense",),
    *[(*command, text) for command in (SHOW, EXPLAIN) for text in (
        "", "(4,8", "4:1)", "4:x", "coalesc(4:1)", "composition(4:1)", "coalesce((4,8]:(1,4))", "coalesce(4:1, x)",
        "upcast(4:1, 99999999999999999999)", "composition(4:1, [4:1)", "(2,2):(1,2,3)", "\x1b")],
    (*EXPLAIN, L),
    *[(*SHOW, L, *options) for options in (
        ("--max-cells", "0"), ("--max-cells", "many"), ("--max-cells", "1.5"), ("--max-cells", ""), ("--width", "-1"),
        ("--width", "x"), ("--color", "blue"), ("--bits", "12"), ("--bits", ""), ("--vector", "0"), ("--vector", "3"),
        ("--access", "64"), ("--access", "0"), ("--access", "-3"), ("--access", ""), ("--access", "4;1"),
        ("--access", "64:1"), ("--access", "2:-1"), ("--access", "2:1@0"), ("--access", "?"), ("--access", "?:1"),
        ("--access", "(0,2):(1,1)"), ("--tile", "(0,8)"), ("--tile", "(2,-2)"), ("--tile", "(4"), ("--tile", ""),
        ("--tile", "()"), ("--tile", "(2,2,2)"), ("--tile", "?"), ("--tile", "_"), ("--tile", "4:1"), ("--svg", ""),
        ("--svg", "-", "--json"), ("--svg",), ("--svg", "/nonexistent/a.svg"), ("--tv", "--banks"))],
    ("sim", "folder", "l.json"), ("sim", "k.ptx", "folder"),
    *[("verify", "relu", *options) for options in (
        ("--rtol", "nan"), ("--rtol", "inf"), ("--rtol", "-1"), ("--atol", "abc"), ("--seed", "-1"), ("--seed", ""),
        ("--seed", "99999999999999999999999"), ("--shape", ""), ("--device", ""), ("--max-instructions", "0"))],
    ("bench", "relu", "--seed", "1.5"), ("bench", "relu", "--max-instructions", "x"), ("compile", "relu"),
    ("sim", "none.ptx", "l.json"), ("sim", "k.ptx", "none.json"), ("sim", "l.json", "l.json"), ("sim", "k.ptx", "k.ptx"),
    *[(*SIM, *options) for options in (
        ("--device", "sm_1"), ("--device", ""), ("--device", "cuda:0"), ("--max-instructions", "-1"),
        ("--max-instructions", "many"), ("--max-instructions", "0"), ("--max-instructions", "99999999999999999999999"), ("--svg", "a"))],
]
# All of it was understood, and an operation or the device does not do it.
REFUSED = [
    *[(*command, text) for command in (SHOW, EXPLAIN) for text in (
        "composition((4,6,8):(2,3,5), 6:3)", "coalesce(S<1,2,3>)", "upcast(4:1, 4:1)", "upcast(4:1, 3)",
        "make_layout((0,2))", "idx2crd(5, 0)", "size((0,4))")],
    (*SHOW, "(4,?):(1,4)"), (*SHOW, "(4,2,2):(1,4,8)", "--tv"), (*SHOW, "4:1", "--access", "8:1"),
    (*SHOW, "4:-1", "--banks"),
]


def run(folder, *arguments):
    result = subprocess.run([CUTWORK, *arguments], cwd=folder, capture_output=True, text=True, errors="replace",
                            timeout=60, check=False)
    if result.returncode:
        assert result.stdout == "" and "cutwork: error: " in result.stderr, result
    return result.returncode


@pytest.mark.parametrize("arguments", USAGE, ids=" ".join)
def test_what_cannot_be_read_is_2(tmp_path, arguments):
    files(tmp_path)
    assert run(tmp_path, *arguments) == 2


@pytest.mark.parametrize("arguments", REFUSED, ids=" ".join)
def test_what_is_refused_is_3(tmp_path, arguments):
    assert run(tmp_path, *arguments) == 3


@pytest.mark.parametrize("code, change", [
    (0, {}), (2, {"kernel": "j"}), (2, {"extra": 1}), (2, {"args": []}), (2, {"block": [-1]}), (2, {"statement": "add.u32 %v, 1;"}),
    (2, {"statement": "add.u32 %v, %w, 1;"}), (2, {"args": [{"buffer": "none.npy"}]}), (2, {"args": [{"i32": 2**40}]}), (2, {"args": [{"f32": 1e300}]}), (2, {"version": "99.9"}), (2, {"version": "9.9x"}),
    (3, {"block": [2048]}), (3, {"grid": [1, 1, 70000]}), (3, {"dynamic_smem": 512 << 20}), (3, {"target": "sm_100a"}),
    (3, {"cluster": [17], "grid": [17]}),
    (11, {"statement": "ld.global.b32 %v, [%a+16];"}), (11, {"args": [{"null": True}]}),
    (13, {"statement": "ld.global.b32 %v, [%a+2];"}), (14, {"args": [{"uninitialised": 16}],
                                                          "statement": "st.global.b32 [%a+4], %v;"}),
    (15, {"statement": "bar.sync 77;"}), (17, {"statement": "bar.sync 0, 64;", "block": [32]}),
    (18, {"statement": "x: bra x;"}), (19, {"statement": "wgmma.fence.sync.aligned;"}), (19, {"statement": "ad;"}),
    (20, {"statement": "trap;"}),
], ids=str)
def test_codes_of_sim(tmp_path, code, change):
    files(tmp_path, **change)
    assert run(tmp_path, *SIM, "--max-instructions", "100000") == code


def npy(header, data):
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


@pytest.mark.parametrize("shape, count, code", [
    ("(4,)", 16, 0), ("(2, 2)", 16, 0), ("()", 4, 0), ("(4,)", 10, 2), ("(4,)", 100, 2), ("(4,", 16, 2), ("(-4,)", 16, 2),
    ("(99999999999,99999999999,9999999999)", 16, 2), ("(4611686018427387904, 4)", 0, 2), ("4", 16, 2)])
def test_arrays_are_what_their_header_says(tmp_path, shape, count, code):
    files(tmp_path)
    header = "{'descr': '<i4', 'fortran_order': False, 'shape': " + shape + (", }" if shape[-1:] == ")" else "")
    (tmp_path / "x.npy").write_bytes(npy(header, bytes(count)))
    assert run(tmp_path, *SIM) == code


def test_a_host_without_memory_is_18(tmp_path):
    result = subprocess.run([CUTWORK, "verify", "add", "--device", "sim:sm_90a", "--shape", "1000000x1000000"],
                            cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 18 and "out of memory" in result.stderr


def test_compile_takes_the_target_from_the_environment(tmp_path):
    result = subprocess.run([CUTWORK, "compile", "relu"], cwd=tmp_path, capture_output=True, text=True, check=True,
                            env={"PATH": "/usr/bin:/bin", "CUTE_DSL_ARCH": "sm_89"})
    assert ".target sm_89\n" in result.stdout


def test_ctrl_c_stops_verify(tmp_path):
    process = subprocess.Popen([CUTWORK, "verify", "sgemm", "--device", "sim:sm_90a", "--shape", "1024x1024x1024"],
                               cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # even in the background
    try:
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == -signal.SIGINT and "stopped from outside" in errors


def test_verify_stops_at_the_limit(tmp_path):
    for command in ("verify", "bench"):
        result = subprocess.run([CUTWORK, command, "sgemm", "--device", "sim:sm_90a", "--max-instructions", "1000"],
                                cwd=tmp_path, capture_output=True, text=True)
        assert result.returncode == 18 and "the limit of 1000 instructions was reached" in result.stderr


def test_eval_answers_whatever_comes():
    result = subprocess.run([CUTWORK, "layout", "eval"], input=b'nonsense\n{"op":"size","args":["(0,4)"]}\n',
                            capture_output=True, check=False)
    assert result.returncode == 0 and result.stdout.count(b'"error"') == 2
