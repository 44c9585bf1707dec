# test_cutwork_debug.py -- `cutwork debug`: breakpoints, steps, threads, values, faults, bad commands, from a script.
import json
import subprocess

import numpy as np
import pytest
from conftest import CUTWORK

KERNEL = """.version 8.4
.target sm_80
.address_size 64
.file 1 "{source}"
.visible .entry k(.param .u64 x, .param .u32 n)
{{
    .reg .b64 %a;
    .reg .b32 %i, %v, %c, %n;
    .reg .f32 %f;
    .reg .b16 %h;
    .reg .pred %p;
    .shared .align 4 .b8 tile[256];
    .loc 1 3 0
    ld.param.u64 %a, [x];
    ld.param.u32 %n, [n];
    mov.u32 %i, %tid.x;
    .loc 1 4 0
    mad.wide.u32 %a, %i, 4, %a;
    .loc 1 5 0
    cvt.rn.f32.u32 %f, %i;
    cvt.rn.f16.f32 %h, %f;
    mov.u32 %c, tile;
    mad.lo.u32 %c, %i, 4, %c;
    st.shared.f32 [%c], %f;
    mov.u32 %v, 3;
loop:
    .loc 1 6 0
    sub.u32 %v, %v, 1;
    setp.ne.u32 %p, %v, 0;
    @%p bra loop;
    .loc 1 8 0
    setp.ge.u32 %p, %i, %n;
    @%p bra end;
    .loc 1 9 0
    st.global.f32 [%a], %f;
end:
    .loc 1 11 0
    ret;
}}
"""


@pytest.fixture
def debug(tmp_path):
    def run(commands, *options, count=64, n=64, code=0, **launch):
        np.save(tmp_path / "x.npy", np.zeros(count, np.float32))
        source = tmp_path / "user.cu"
        source.write_text("".join(f"source line {i}\n" for i in range(1, 13)))
        (tmp_path / "k.ptx").write_text(KERNEL.format(source=source))
        (tmp_path / "l.json").write_text(json.dumps({
            "kernel": "k", "block": [64], "args": [{"buffer": "x.npy", "output": "o.npy"}, {"i32": n}], **launch}))
        done = subprocess.run([CUTWORK, "debug", "k.ptx", "l.json", *options], cwd=tmp_path, text=True, timeout=60,
                              input="\n".join(commands) + "\n", capture_output=True, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        run.errors = done.stderr
        return done.stdout

    run.folder = tmp_path
    return run


def places(out):
    return [line.split("user.cu:")[1].split(" ")[0] for line in out.splitlines() if "thread (" in line]


def test_it_stops_at_the_first_instruction_and_goes_on_at_the_end_of_the_input(debug):
    out = debug(["where"])
    assert out.count("block (0,0,0) thread (0,0,0) at ") == 2 and "k.ptx:14: ld.param.u64 %a, [x];" in out
    assert np.array_equal(np.load(debug.folder / "o.npy"), np.arange(64, dtype=np.float32))
    assert debug.errors.startswith("cutwork: k ran on sim:sm_90a: 1 block of 64 threads, ")


def test_next_goes_by_line_and_step_by_instruction(debug):
    assert places(debug(["next"] * 7 + ["quit"])) == ["3", "4", "5", "6", "8", "9", "11"]  # and to the end
    out = debug(["step", "step", "step", "quit"])
    assert places(out) == ["3", "3", "3", "4"] and "mov.u32 %i, %tid.x;" in out


def test_breakpoints(debug):
    # Two warps; a line that is a loop stops each time around.
    assert places(debug(["continue"] * 9, "--break", "user.cu:5")) == ["5", "5"]
    assert places(debug(["continue"] * 9, "--break", "user.cu:6")) == ["6"] * 6
    assert places(debug(["continue"] * 9, "--break", "k.ptx:35")) == ["9", "9"]
    out = debug(["break 9", "break user.cu:8", "breaks", "delete 1", "breaks", "delete 7", "c", "quit"])
    assert "breakpoint 2" in out and "1  line 9\n2  user.cu:8\n1  user.cu:8\n" in out
    assert "error: there is no breakpoint 7" in out and places(out) == ["3", "8"]


def test_a_thread_is_followed(debug):
    out = debug(["print %i", "print %f", "thread any", "c", "print %i"], "--break", "5", "--thread", "0:33")
    assert "thread (33,0,0)" in out and "%i       .b32   0x00000021  33" in out
    out = debug(["break 8", "thread 0,0,0 40,0,0", "c", "print %i", "thread 0 41", "print %i"])
    assert "0x00000028  40" in out and "0x00000029  41" in out


def test_values(debug):
    out = debug(["print %h", "print %f", "print %p", "print tile", "x shared tile 8 f32", "x shared %c 1 b32", "x global %a 2 f32",
                 "print %v", "registers", "groups", "list"], "--break", "8", "--thread", "0:2")
    for text in ("%h       .b16   0x4000", "%f       .f32   0x40000000  2", "%p       .pred  false", "tile is at 0x400",
                 "0x400: 0 1 2 3\n0x410: 4 5 6 7", "0x408: 0x40000000", ": 0 0\n", "warp 0 lanes 0xffffffff runs at",
                 "->     8  source line 8"):
        assert text in out, text
    assert "never written" in debug(["print %f", "quit"])


def test_a_fault_stops_it_where_it_happened(debug):
    out = debug(["c", "print %i", "c"], count=40, n=64, code=11)
    assert "fault: a store of 4 bytes" in out and "0x00000028  40" in out and places(out) == ["3", "9"]
    assert debug.errors.startswith("cutwork: error: bounds: ")


def test_quit_ends_it(debug):
    debug(["quit"])
    assert debug.errors == "cutwork: the run was ended before its end\n" and not (debug.folder / "o.npy").exists()


@pytest.mark.parametrize("command, says", [
    ("fly", "there is no command 'fly'"), ("print", "print: 0 words"), ("print %zz", "no register %zz"),
    ("x", "x: 0 words"), ("x moon 1", "expected global, shared or local"), ("x shared zz", "expected an address"),
    ("x shared 0x99999", "not within"), ("x shared tile 1 q32", "'q32' is no type"), ("x global 0 4", "0x0"),
    ("break 99", "no instruction has the line 99"), ("break other.cu:5", "no instruction has the line other.cu:5"),
    ("break x", "expected a number"), ("thread 1", "expected a block and a thread"), ("thread a b", "expected up to three"),
    ("thread 1 0", "there is no block (1,0,0): the grid has (1,1,1)"),
    ("thread 0 64", "there is no thread (64,0,0): a block has (64,1,1)"),
    ("x shared %c", "%c was never written, and is no address"),
    ("delete 0", "there is no breakpoint"), ("x shared tile 99999999999999999999", "expected a number"),
])
def test_bad_commands(debug, command, says):
    out = debug([command, "where"])
    assert "error: " in out and says in out and out.count("thread (0,0,0)") == 2


@pytest.mark.parametrize("options, says", [
    (("--break", "nowhere.cu:1"), "--break: no instruction has the line nowhere.cu:1"), (("--break", "x"), "--break: "),
    (("--thread", "a:b"), "--thread: expected up to three numbers"),
    (("--break", "5", "--thread", "(1,0,0),(0,0,0)"), "--thread: there is no block (1,0,0)"),
    (("--thread", "0:0,1"), "--thread: there is no thread (0,1,0): a block has (64,1,1)")])
def test_bad_options(debug, options, says):
    debug([], *options, code=2)
    assert says in debug.errors


def test_shared_memory_of_the_launch_goes_by_its_name(tmp_path):
    text = (".version 8.4\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 room[];\n"
            ".visible .entry k()\n{\n.reg .b32 %c;\nmov.u32 %c, 7;\nst.shared.u32 [room+4], %c;\nret;\n}\n")
    (tmp_path / "k.ptx").write_text(text)

    def run(**launch):
        (tmp_path / "l.json").write_text(json.dumps({"kernel": "k", "args": [], **launch}))
        return subprocess.run([CUTWORK, "debug", "k.ptx", "l.json", "--break", "10"], cwd=tmp_path, text=True, timeout=60,
                              input="x shared room 2 u32\nquit\n", capture_output=True, check=False)

    assert "0x400: 0 7" in run(dynamic_smem=8).stdout
    assert "not within the 0x400 bytes of shared memory" in run().stdout
