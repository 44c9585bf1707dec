# test_cutwork_sim.py -- `cutwork sim`: arguments, launches that are refused, faults, counters, devices, Ctrl-C.
import base64
import json
import os
import re
import signal
import struct
import subprocess
import time

import numpy as np
import pytest
from conftest import CUTWORK, ROOT

HEAD = """.version {version}
.target {target}
.address_size 64
"""
BUMP = HEAD + """
.visible .entry bump(.param .u64 x, .param .u32 n)
{{
    .reg .b64 %a;
    .reg .b32 %i, %n, %v;
    .reg .pred %p;
    ld.param.u64 %a, [x];
    ld.param.u32 %n, [n];
    mov.u32 %i, %tid.x;
    mov.u32 %v, %ctaid.x;
    mad.lo.u32 %i, %v, 64, %i;
    setp.ge.u32 %p, %i, %n;
    @%p bra end;
    mad.wide.u32 %a, %i, 4, %a;
    ld.global.b32 %v, [%a];
    add.u32 %v, %v, 1;
    st.global.b32 [%a], %v;
end:
    ret;
}}
"""


def ptx(text, target="sm_80", version="8.8"):
    return text.format(target=target, version=version)


def body(statements, target="sm_90", head="", parameters=".param .u64 x"):
    return ptx(HEAD, target) + f"{head}\n.visible .entry k({parameters})\n{{\n{statements}\n}}\n"


@pytest.fixture
def sim(tmp_path):
    def run(text, launch, *options, knobs=(), **arrays):
        for name, array in arrays.items():
            np.save(tmp_path / f"{name}.npy", array)
        (tmp_path / "k.ptx").write_text(text)
        (tmp_path / "launch.json").write_text(launch if isinstance(launch, str) else json.dumps(launch))
        return subprocess.run([CUTWORK, "sim", "k.ptx", "launch.json", *options], cwd=tmp_path, capture_output=True,
                              text=True, timeout=60, check=False, env={**os.environ, **dict(knobs)})

    run.folder = tmp_path
    return run


def bump(n=100, **more):
    return {"kernel": "bump", "grid": [2], "block": [64], "args": [{"buffer": "x.npy", "output": "o.npy"}, {"i32": n}],
            **more}


def refused(result, code, *says):
    assert result.returncode == code, result
    assert result.stdout == ""
    last = result.stderr.splitlines()
    assert any(line.startswith("cutwork: error: ") for line in last), result.stderr
    for text in says:
        assert text in result.stderr, result.stderr


# --- arguments

ECHO = ptx(HEAD) + """
.visible .entry echo(.param {type} v, .param .u64 o)
{{
    .reg .b64 %o;
    .reg .{bits} %v;
    ld.param.u64 %o, [o];
    ld.param.{bits} %v, [v];
    st.global.{bits} [%o], %v;
    ret;
}}
"""


@pytest.mark.parametrize("argument, bits, expected", [
    ({"i32": -5}, 32, struct.pack("<i", -5)),
    ({"i32": 2**31 - 1}, 32, struct.pack("<i", 2**31 - 1)),
    ({"i64": -2**63}, 64, struct.pack("<q", -2**63)),
    ({"b64": 2**64 - 1}, 64, b"\xff" * 8),
    ({"f32": 0.1}, 32, struct.pack("<f", 0.1)),
    ({"f32": 3}, 32, struct.pack("<f", 3)),
    ({"f32": "nan"}, 32, struct.pack("<I", 0x7fc00000)),
    ({"f64": 0.1}, 64, struct.pack("<d", 0.1)),
    ({"f64": "-inf"}, 64, struct.pack("<d", -np.inf)),
    ({"null": True}, 64, bytes(8)),
    ({"bytes": base64.b64encode(b"abcdefgh").decode()}, 64, b"abcdefgh"),
], ids=str)
def test_scalars_reach_the_kernel(sim, argument, bits, expected):
    text = ECHO.format(type=f".b{bits}", bits=f"b{bits}")
    result = sim(text, {"kernel": "echo", "args": [argument, {"uninitialised": bits // 8, "output": "o.npy"}]})
    assert (result.returncode, result.stdout) == (0, "")
    assert re.fullmatch(r"cutwork: echo ran on sim:sm_90a: 1 block of 1 thread, [1-9]\d* instructions of warps, no fault; wrote .*o[.]npy\n",
                        result.stderr), result.stderr
    out = np.load(sim.folder / "o.npy")
    assert out.dtype == np.uint8 and out.tobytes() == expected


def test_bytes_by_value(sim):
    text = body("""
    .reg .b64 %o;
    .reg .b16 %v;
    ld.param.u64 %o, [x];
    ld.param.b16 %v, [s+3];
    st.global.b16 [%o], %v;
    ret;""".replace("[s+3]", "[s+4]"), parameters=".param .u64 x, .param .align 2 .b8 s[7]")
    value = base64.b64encode(bytes(range(7))).decode()
    assert sim(text, {"kernel": "k", "args": [{"uninitialised": 2, "output": "o.npy"}, {"bytes": value}]}).returncode == 0
    assert np.load(sim.folder / "o.npy").tolist() == [4, 5]


@pytest.mark.parametrize("array", [
    np.arange(100, dtype=np.int32), np.arange(100, dtype=np.int32).reshape(5, 20),
    np.asfortranarray(np.arange(100, dtype=np.uint32).reshape(10, 10)), np.arange(100, dtype=">i4"),
    np.arange(100, dtype=np.float32), np.arange(50, dtype=np.complex64), np.arange(200, dtype=np.float16)],
    ids=lambda a: f"{a.dtype}{a.shape}")
def test_buffers_keep_dtype_shape_and_order(sim, array):
    result = sim(ptx(BUMP), bump(), x=array)
    assert result.returncode == 0 and result.stderr.startswith("cutwork: "), result
    out = np.load(sim.folder / "o.npy")
    assert (out.dtype, out.shape, out.flags.f_contiguous) == (array.dtype, array.shape, array.flags.f_contiguous)
    plain = array.tobytes(order="A")
    assert out.tobytes(order="A") == (np.frombuffer(plain, np.uint32) + 1).tobytes()
    assert np.load(sim.folder / "x.npy").tobytes(order="A") == plain


def test_an_empty_buffer_and_one_without_output(sim):
    assert sim(ptx(BUMP), bump(0), x=np.zeros((0, 3), np.float32)).returncode == 0
    assert np.load(sim.folder / "o.npy").shape == (0, 3)
    launch = bump()
    del launch["args"][0]["output"]
    assert sim(ptx(BUMP), launch, x=np.zeros(100, np.int32)).returncode == 0


def test_an_uninitialised_buffer_is_one(sim):
    launch = bump()
    launch["args"][0] = {"uninitialised": 400, "output": "o.npy"}
    refused(sim(ptx(BUMP), launch), 14, "uninitialised: ", "k.ptx:")
    assert not (sim.folder / "o.npy").exists()


@pytest.mark.parametrize("argument, says", [
    ({"i32": 2**31}, "from -2147483648 to 2147483647, not 2147483648"), ({"i32": 1.5}, "not 1.5"),
    ({"i32": "5"}, 'not "5"'), ({"i32": True}, "not true"), ({"i64": 2**63}, "9223372036854775808"),
    ({"b64": -1}, "from 0 to 18446744073709551615, not -1"), ({"f32": "one"}, "expected a number"),
    ({"f64": None}, "expected a number"), ({"bytes": "a"}, "not base64"), ({"bytes": "ab=c"}, "not base64"),
    ({"bytes": 5}, "base64"), ({"null": False}, "null is true"), ({}, "expected an object"), (5, "expected an object"),
    ({"i32": 5, "f32": 5.0}, 'the key "f32" is not known'), ({"i32": 5, "output": "o.npy"}, '"output" is not known'),
    ({"u32": 5}, "expected buffer, uninitialised"), ({"buffer": "none.npy"}, "none.npy"),
    ({"buffer": "k.ptx"}, "k.ptx is not an .npy file"), ({"buffer": "x.npy", "ouput": "o.npy"}, '"ouput" is not known'),
    ({"buffer": "x.npy", "output": 5}, "output names a file"), ({"uninitialised": -4}, "from 0"),
    ({"uninitialised": 2**40}, "1099511627776"),
], ids=str)
def test_malformed_arguments(sim, argument, says):
    launch = bump()
    launch["args"][1] = argument
    refused(sim(ptx(BUMP), launch, x=np.zeros(100, np.int32)), 2, "launch.json: argument 1" if "buffer" not in str(argument)
            else "", says)


@pytest.mark.parametrize("launch, says", [
    ("{", "launch.json is not JSON"), ("[]", "expected an object"), ("{}", '"kernel" names the kernel'),
    (bump(extra=1), 'the key "extra" is not known'), (bump(threads=[1]), 'the key "threads" is not known'),
    (bump(grid=5), "grid: expected one to three numbers"), (bump(grid=[1, 1, 1, 1]), "one to three"),
    (bump(block=[-1]), "block: expected a number"), (bump(block=[1.5]), "1.5"), (bump(dynamic_smem="1"), "dynamic_smem"),
    (bump(dynamic_smem=2**33), "from 0 to 4294967295"), (bump(args={}), "args is a list"),
    (bump(kernel="bum"), "no kernel bum; it has bump"), (bump(args=[]), "2 parameters"),
    (bump(args=[{"i32": 5}, {"i32": 5}]), "argument 0 has 4 bytes, and the parameter x of bump has 8"),
], ids=str)
def test_malformed_launches(sim, launch, says):
    refused(sim(ptx(BUMP), launch, x=np.zeros(100, np.int32)), 2, says)


@pytest.mark.parametrize("text, says", [
    ("", "k.ptx:1: "), ("nonsense", "k.ptx:1: "), (ptx(BUMP).replace("add.u32", "add.u32,"), "k.ptx:19: "),
    (ptx(BUMP).replace("%v, 1;", "%w, 1;"), "k.ptx:19: "), (ptx(BUMP, "sm_1000"), "sm_1000"),
], ids=repr)
def test_malformed_ptx(sim, text, says):
    result = sim(text, bump(), x=np.zeros(100, np.int32))
    assert result.returncode in (2, 3) and says in result.stderr, result


# --- launches that no device makes

@pytest.mark.parametrize("change, asked, allowed", [
    ({"grid": [1, 1, 70000]}, "grid.z is 70000", "allowed are 1 to 65535"),
    ({"grid": [1, 65536]}, "grid.y is 65536", "allowed are 1 to 65535"),
    ({"grid": [0]}, "grid.x is 0", "allowed are 1 to 2147483647"),
    ({"block": [2048]}, "block.x is 2048", "allowed are 1 to 1024"),
    ({"block": [64, 32]}, "block (64,32,1) has 2048 threads", "allowed are 1024"),
    ({"block": [1, 1, 65]}, "block.z is 65", "allowed are 1 to 64"),
    ({"dynamic_smem": 512 << 20}, "536870912 bytes of dynamic shared memory", "allowed are 232448"),
    ({"cluster": [3]}, "grid (2,1,1)", "no multiple of cluster (3,1,1)"),
    ({"grid": [32], "cluster": [32]}, "cluster.x is 32", "allowed are 1 to 16"),
], ids=str)
def test_launches_beyond_the_device(sim, change, asked, allowed):
    refused(sim(ptx(BUMP), bump(**change), x=np.zeros(100, np.int32)), 3, "launch of 'bump': ", asked, allowed)


@pytest.mark.parametrize("device, most", [("sm_80", 163), ("sm_86", 99), ("sm_89", 99), ("sm_90", 227), ("sm_100a", 227),
                                          ("sm_120a", 99)])
def test_shared_memory_by_device(sim, device, most):
    x = np.zeros(100, np.int32)
    assert sim(ptx(BUMP), bump(dynamic_smem=most << 10), "--device", f"sim:{device}", x=x).returncode == 0
    refused(sim(ptx(BUMP), bump(dynamic_smem=(most << 10) + 1), "--device", f"sim:{device}", x=x), 3,
            f"allowed are {most << 10}")


@pytest.mark.parametrize("directive, change, says", [
    (".maxntid 32", {}, "block (64,1,1) has 64 threads: this kernel allows 32"),
    (".reqntid 32, 2, 1", {}, "block (64,1,1): this kernel requires (32,2,1)"),
    (".reqnctapercluster 4", {"cluster": [2]}, "cluster (2,1,1): the kernel was compiled for (4,1,1)"),
    (".reqnctapercluster 4", {}, "grid (2,1,1) is no multiple of the kernel's cluster (4,1,1)"),
])
def test_what_the_kernel_requires(sim, directive, change, says):
    text = ptx(BUMP, "sm_90").replace("u32 n)", f"u32 n) {directive}")
    refused(sim(text, bump(**change), x=np.zeros(100, np.int32)), 3, says)


# --- devices

DEVICES = ["sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_100f", "sm_103a", "sm_120a", "sm_121a"]


def runs(module, device):
    """NVIDIA's rule: a on its architecture only, f within the family from there on, others on later ones."""
    asked, have = int(re.sub(r"\D", "", module)), int(re.sub(r"\D", "", device))
    if module.endswith("a"):
        return asked == have
    if module.endswith("f"):
        return asked // 10 == have // 10 and have >= asked
    return have >= asked


@pytest.mark.parametrize("device", DEVICES)
def test_which_modules_a_device_runs(sim, device):
    for module in ["sm_52", "sm_75", *DEVICES, "sm_103f", "sm_120f"]:
        result = sim(ptx(BUMP, module), bump(), "--device", "sim:" + device, x=np.zeros(100, np.int32))
        if runs(module, device):
            assert result.returncode == 0 and f" ran on sim:{device}: " in result.stderr, (module, result)
        else:
            refused(result, 3, f"k.ptx is for {module}, which a device of target {device} does not run")


def test_devices_that_do_not_exist(sim):
    for name in ("sim:sm_1", "cuda:0", "sim:", ""):
        refused(sim(ptx(BUMP), bump(), "--device", name, x=np.zeros(100, np.int32)), 2, "there is no target", "sm_90a")


# --- faults and limits

def test_trap_is_a_fault_with_its_place(sim):
    text = body("    .reg .b32 %t;\n    .reg .pred %p;\n    mov.u32 %t, %tid.x;\n    setp.eq.u32 %p, %t, 5;\n"
                "    .loc 1 12 3\n    @%p trap;\n    ret;", head='.file 1 "user.cu"', parameters="")
    result = sim(text, {"kernel": "k", "block": [32]})
    refused(result, 20, "cutwork: error: trap: the kernel executed trap", "block (0,0,0), thread (5,0,0)",
            "at user.cu:12:3", "trap;")
    report = json.loads(sim(text, {"kernel": "k", "block": [32]}, "--json").stdout)
    [fault] = report["faults"]
    assert report["ok"] is False and (fault["kind"], fault["code"]) == ("trap", 20)
    assert fault["thread"] == [5, 0, 0] and (fault["file"], fault["line"], fault["column"]) == ("user.cu", 12, 3)


SHARED = body("""    .shared .align 4 .b8 buffer[256];
    .reg .b32 %t, %a, %v;
    mov.u32 %t, %tid.x;
    mov.u32 %a, buffer;
    mad.lo.u32 %a, %t, 4, %a;
    st.shared.u32 [%a], %t;
    xor.b32 %a, %a, 4;
    ld.shared.u32 %v, [%a];""", parameters="")


def test_checks_are_chosen(sim):
    launch = {"kernel": "k", "block": [32]}
    refused(sim(SHARED, launch), 10, "race: a load of 4 bytes", "is not ordered with a store by another thread", "st.shared")
    [fault] = json.loads(sim(SHARED, launch, "--json", "--check", "race").stdout)["faults"]
    assert fault["kind"] == "race" and fault["other"]["block"] == [0, 0, 0] and "file" not in fault
    assert 0 < fault["other"]["ptx_line"] < fault["ptx_line"] and fault["count"] == 32
    assert (fault["value"], fault["other"]["value"]) == ("read 1 (u32)", "wrote 1 (u32)")
    for options in (("--check", "memory,sync,init"), ("--check", ""), ("--no-check",)):
        assert sim(SHARED, launch, *options).returncode == 0
    refused(sim(SHARED, launch, "--check", "memory,speed"), 2, "expected memory, race, sync or init, not 'speed'")


SEVERAL = body("""    .shared .align 4 .b8 buffer[256];
    .reg .b64 %p;
    .reg .b32 %t, %v;
    ld.param.u64 %p, [x];
    mov.u32 %t, %tid.x;
    st.shared.u32 [buffer], %t;
    ld.global.u32 %v, [%p+400];
    st.global.u32 [%p], %v;
    trap;""")


def test_a_run_goes_on_behind_faults(sim):
    launch = {"kernel": "k", "block": [32], "args": [{"buffer": "x.npy"}]}
    result = sim(SEVERAL, launch, "--json", x=np.zeros(100, np.int32))
    assert result.returncode == 10
    faults = json.loads(result.stdout)["faults"]
    assert [(f["kind"], f["count"]) for f in faults] == [("race", 31), ("bounds", 32), ("trap", 1)]
    assert (faults[0]["value"], faults[0]["other"]["value"]) == ("wrote 1 (u32)", "wrote 0 (u32)")
    assert [line.split(": ")[2] for line in result.stderr.splitlines() if line.startswith("cutwork: error: ")] == [
        "race", "bounds", "trap"]
    first = json.loads(sim(SEVERAL, launch, "--json", "--stop-at-first").stdout)["faults"]
    assert [(f["kind"], f["count"]) for f in first] == [("race", 1)]


TICKETS = body("""    .reg .b64 %p, %q;
    .reg .b32 %t, %v;
    ld.param.u64 %p, [x];
    mov.u32 %t, %ctaid.x;
    atom.global.add.u32 %v, [%p], 1;
    mad.wide.u32 %q, %t, 4, %p;
    st.relaxed.gpu.global.u32 [%q+4], %v;
    ret;""")


def test_seeds_show_what_depends_on_the_order(sim):
    launch = {"kernel": "k", "grid": [16], "args": [{"buffer": "x.npy", "output": "o.npy"}]}
    seen = set()
    for seed in ("0", "1", "2", "1"):
        assert sim(TICKETS, launch, "--seed", seed, x=np.zeros(17, np.int32)).returncode == 0
        seen.add(np.load(sim.folder / "o.npy").tobytes())
    assert len(seen) == 3 and np.arange(-1, 16, dtype=np.int32).tobytes()[4:] in {each[4:] for each in seen}
    (sim.folder / "o.npy").unlink()
    for seeds in ("0-5", "0-1"):
        differs = sim(TICKETS, launch, "--seeds", seeds, x=np.zeros(17, np.int32))
        refused(differs, 1, "o.npy differs between --seed 0 and --seed 1, first at byte ", "depends on the order of blocks")
        assert "no fault" not in differs.stderr and not (sim.folder / "o.npy").exists()
    assert sim(ptx(BUMP), bump(), "--seeds", "0-5", x=np.zeros(100, np.int32)).returncode == 0
    race = sim(SHARED, {"kernel": "k", "block": [32]}, "--seeds", "3-4")
    refused(race, 10, "race: a load", "with --seed 3")
    for bad in ("5-3", "7", "a-b", "1-2-3", "-1-3", "1-"):
        refused(sim(ptx(BUMP), bump(), "--seeds=" + bad), 2, "expected two numbers, as 0-9")
    assert sim(ptx(BUMP), bump(), "--seeds", "0-1", "--seed", "1").returncode == 2


def test_knobs_are_the_defaults(sim):
    launch = {"kernel": "k", "block": [32], "args": [{"buffer": "x.npy"}]}
    several = sim(SEVERAL, launch, "--json", knobs={"CUTWORK_SIM_STOP_AT_FIRST": "1"}, x=np.zeros(100, np.int32))
    assert len(json.loads(several.stdout)["faults"]) == 1
    seeded = {"CUTWORK_SIM_SEED": "7"}
    refused(sim(SHARED, {"kernel": "k", "block": [32]}, knobs=seeded), 10, "with --seed 7")
    assert "--seed" not in sim(SHARED, {"kernel": "k", "block": [32]}, "--seed", "0", knobs=seeded).stderr
    limited = sim(FOREVER, {"kernel": "k", "block": [32]}, knobs={"CUTWORK_SIM_MAX_INSTRUCTIONS": "5000"})
    refused(limited, 18, "the limit of 5000 instructions was reached")


FOREVER = body("again:\n    bra again;", parameters="")


def test_a_limit_below_what_a_run_makes(sim):
    text = body("    .reg .b32 %r;\n" + "    mov.u32 %r, %tid.x;\n" * 1000 + "    ret;", parameters="")
    launch = {"kernel": "k", "grid": [2], "block": [96]}
    for limit, code in ((1, 18), (6005, 18), (6006, 0)):
        result = sim(text, launch, "--json", "--max-instructions", str(limit))
        report = json.loads(result.stdout)
        assert result.returncode == code and report["counters"]["warp_instructions"] == limit
    text = sim(text, launch, "--max-instructions", "1").stderr
    assert re.search(r"^  32 threads at k.ptx:\d+: mov.u32 %r, %tid.x;$", text, re.M)


def test_a_kernel_that_never_ends_meets_the_limit(sim):
    for options in ((), ("--no-check",)):
        result = sim(FOREVER, {"kernel": "k", "block": [32]}, "--max-instructions", "10000", *options)
        refused(result, 18, "limit: the limit of 10000 instructions was reached", "bra again")


@pytest.mark.parametrize("json_option", [(), ("--json",)], ids=["text", "json"])
def test_ctrl_c(sim, json_option):
    sim(FOREVER, {"kernel": "k", "block": [32]}, "--max-instructions", "1")
    # Tests may run in the background, where SIGINT is ignored.
    process = subprocess.Popen([CUTWORK, "sim", "k.ptx", "launch.json", *json_option], cwd=sim.folder, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    try:
        time.sleep(0.5)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == -signal.SIGINT  # a shell shows 130
    assert err.startswith("cutwork: error: interrupted: the run was stopped") and "bra again" in err
    assert bool(out) == bool(json_option) and (not out or json.loads(out)["faults"][0]["kind"] == "limit")


def test_ctrl_c_is_ignored_where_the_caller_ignores_it(sim):
    sim(FOREVER, {"kernel": "k", "block": [32]}, "--max-instructions", "1")
    with subprocess.Popen([CUTWORK, "sim", "k.ptx", "launch.json"], cwd=sim.folder, stderr=subprocess.DEVNULL,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)) as process:
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        assert process.poll() is None
        process.kill()


def test_faults_in_cluster_barriers(sim):
    text = body("    barrier.cluster.wait;\n    ret;", parameters="")
    refused(sim(text, {"kernel": "k", "grid": [2], "cluster": [2], "block": [32]}), 15,
            "waits at the cluster's barrier without having arrived", "k.ptx:7")


# --- results

def test_counters(sim):
    result = sim(ptx(BUMP), bump(100), "--json", x=np.zeros(100, np.int32))
    report = json.loads(result.stdout)
    assert (report["kernel"], report["device"], report["checked"]) == ("bump", "sim:sm_90a", True)
    assert report["ok"] is True and report["faults"] == [] and report["seconds"] >= 0
    counters = report["counters"]
    assert counters["blocks"] == 2 and counters["global_loads"] == 4 and counters["global_stores"] == 4
    assert counters["global_bytes_loaded"] == counters["global_bytes_stored"] == 400
    assert counters["warp_instructions"] > 4 * 10 and counters["divergent_branches"] == 1
    assert counters["lane_instructions"] <= 32 * counters["warp_instructions"]
    assert {"shared_loads", "shared_stores", "atomics", "barriers"} <= set(counters)
    unchecked = json.loads(sim(ptx(BUMP), bump(100), "--json", "--no-check").stdout)
    assert unchecked["checked"] is False and unchecked["counters"] == counters


def test_the_page_names_the_keys_of_the_json(sim):
    page = (ROOT / "docs/simulator.md").read_text(encoding="utf-8")
    section = page.partition("`--json` prints one object instead:")[2].partition("\nCtrl-C")[0]
    said = set(re.findall(r"`(\w+)`", "".join(row.split("|")[1] for row in section.splitlines() if row.startswith("| `"))))
    clean = json.loads(sim(ptx(BUMP), bump(100), "--json", "--profile", "--threads", "2", x=np.zeros(100, np.int32)).stdout)
    wrong = json.loads(sim(ptx(BUMP), bump(200), "--json", x=np.zeros(100, np.int32)).stdout)
    assert said == {*clean, *wrong, "faults_not_listed", "output"}, (said, set(clean), set(wrong))
    assert {"kind", "code", "block", "thread", "count", "message"} <= set(wrong["faults"][0])


def test_json_of_what_could_not_run(sim):
    good = sim(ptx(BUMP), bump(100), x=np.zeros(100, np.int32))
    assert good.returncode == 0
    page = (ROOT / "docs/simulator.md").read_text(encoding="utf-8")
    example = json.loads(re.search(r'`({"ok": false, "error": .*})`', page).group(1))
    for text, launch, options, code, said in (
            ("nonsense\n", bump(100), (), 2, "k.ptx:1"),
            (ptx(BUMP), "{", (), 2, "launch.json is not JSON"),
            (ptx(BUMP), {**bump(100), "kernel": "other"}, (), 2, "has no kernel other"),
            (ptx(BUMP), {**bump(100), "block": [2000]}, (), 3, "block.x is 2000"),
            (ptx(BUMP, target="sm_100a"), bump(100), (), 3, "is for sm_100a"),
            (ptx(BUMP), bump(100), ("--device", "sim:sm_1"), 2, "there is no target sm_1"),
            (ptx(BUMP), bump(100), ("--check", "all"), 2, "--check all"),
            (ptx(BUMP), bump(100), ("--seeds", "5-3"), 2, "--seeds 5-3"),
            (ptx(BUMP), bump(100), ("--html", "missing/page.html"), 2, "missing/page.html")):
        plain, result = sim(text, launch, *options), sim(text, launch, *options, "--json")
        report = json.loads(result.stdout)
        assert list(report) == list(example) and (report["faults"], report["counters"]) == ([], {})
        assert (report["ok"], report["code"]) == (False, code) and said in report["error"], report
        assert (result.returncode, result.stderr) == (code, plain.stderr) and plain.returncode == code
        assert result.stderr == f"cutwork: error: {report['error']}\n"
    (sim.folder / "k.ptx").unlink()
    missing = subprocess.run([CUTWORK, "sim", "k.ptx", "launch.json", "--json"], cwd=sim.folder, capture_output=True,
                             text=True, check=False)
    assert missing.returncode == 2 and json.loads(missing.stdout)["error"] == "cannot read k.ptx"


def test_a_fault_writes_no_output_and_is_in_the_json(sim):
    result = sim(ptx(BUMP), bump(101), "--json", x=np.zeros(100, np.int32))
    assert result.returncode == 11 and not (sim.folder / "o.npy").exists()
    report = json.loads(result.stdout)
    [fault, store] = report["faults"]
    assert (report["ok"], report["kernel"], fault["code"], fault["kind"]) == (False, "bump", 11, "bounds")
    assert (store["kind"], store["ptx_line"], store["count"]) == ("bounds", 20, 1)
    assert fault["block"] == [1, 0, 0] and fault["thread"] == [36, 0, 0] and fault["ptx_line"] == 18
    assert "a load of 4 bytes" in fault["message"]
    assert "cutwork: error: bounds: " in result.stderr


def test_help_and_options(sim):
    text = subprocess.run([CUTWORK, "sim", "--help"], capture_output=True, text=True, check=True).stdout
    for option in ("--device", "--check", "--no-check", "--max-instructions", "--json", "uninitialised", "--seed",
                   "--seeds", "--stop-at-first"):
        assert option in text
    for options in (("--max-instructions", "many"), ("--max-instructions", "-1"), ("--nonsense",), ("more",)):
        refused(sim(ptx(BUMP), bump(), *options, x=np.zeros(100, np.int32)), 2)


def test_dynamic_shared_memory_that_the_launch_does_not_give_is_said(sim):
    text = body(".reg .b32 %r;\nmov.u32 %r, 1;\nst.shared.u32 [room+4], %r;\nret;",
                head=".extern .shared .align 16 .b8 room[];", parameters="")
    launch = {"kernel": "k", "grid": [1], "block": [1], "args": []}
    done = sim(text, launch)
    assert done.returncode != 0
    assert "room begins at 0x400 and has the launch's dynamic shared memory, which is 0 bytes (dynamic_smem in" in done.stderr
    done = sim(text, {**launch, "dynamic_smem": 4})
    assert "room begins at 0x400 and has the launch's dynamic shared memory, 4 bytes" in done.stderr
    assert sim(text, {**launch, "dynamic_smem": 8}).returncode == 0
