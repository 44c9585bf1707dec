# test_hardware_tables.py -- test/sim/hardware: its runner on the simulated device and on a driver without a GPU, its rules, its cases.
import base64
import ctypes
import gzip
import json
import re
import struct
import subprocess
import sys
import time

import pytest
from conftest import CUTWORK, ROOT

HARDWARE = ROOT / "test/sim/hardware"
sys.path.insert(0, str(HARDWARE))
import devices  # noqa: E402
import gpu  # noqa: E402
import tables  # noqa: E402
import unanswered  # noqa: E402

FAKE = CUTWORK.parent.parent / "lib/libfakecuda.so"


def conformance(*arguments, code=0):
    done = subprocess.run([sys.executable, HARDWARE / "conformance.py", *map(str, arguments)], capture_output=True, text=True,
                          timeout=300, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout if code != 2 else done.stderr


def simulated(*arguments, **more):
    return conformance("--simulated", "--cutwork", CUTWORK, *arguments, **more)


def rows_of(text):
    """{family: {state: how many}} of the runner's table."""
    lines = text.splitlines()
    head = re.split(r"\s{2,}", lines[2].strip())
    found = {}
    for line in lines[3:]:
        if not line:
            break
        family, *counts = line.split()
        found[family] = dict(zip(head[1:], map(int, counts), strict=True))
    return found


def write(path, cases):
    tables.write(path, cases)
    return path


BASE = tables.read(ROOT / "test/data/ptx_base.jsonl.gz")


def of_kind(kind):
    return json.loads(json.dumps(next(case for case in BASE if case["kind"] == kind)))


def without_answer(case):
    for arg in case["args"]:
        if "out" in arg:
            out = arg.pop("out")
            if "in" not in arg:
                arg["size"] = len(base64.b64decode(out))
    return case


# --- on the simulated device

def test_the_tables_on_the_simulated_device():
    text = simulated("--every", "20")
    rows = rows_of(text)
    assert set(rows["all"]) == {"right", "wrong", "refused"} and list(rows)[-1] == "all"
    assert rows["all"]["right"] == sum(row["right"] for family, row in rows.items() if family != "all") > 90
    assert rows["all"]["wrong"] == rows["all"]["refused"] == 0
    assert {"int", "cvt", "mem", "atom", "cp_async", "ldmatrix"} <= set(rows)


def test_what_differs_is_named(tmp_path):
    right, wrong, refused = of_kind("bfind.u32"), of_kind("popc.b32"), of_kind("clz.b32")
    out = bytearray(base64.b64decode(wrong["args"][1]["out"]))
    out[8:12] = (99).to_bytes(4, "little")
    wrong["args"][1]["out"] = base64.b64encode(out).decode()
    refused["ptx"] = refused["ptx"].replace("clz.b32", "clz.b99")
    table = write(tmp_path / "t.jsonl", [right, wrong, refused])
    text = simulated(table, code=1)
    assert rows_of(text) == {"int": {"right": 1, "wrong": 1, "refused": 1}, "all": {"right": 1, "wrong": 1, "refused": 1}}
    assert re.search(rf"\nwrong\n  {wrong['name']}  popc.b32: argument 1, element 2 \(u32\): got 0x\w+, expected 0x00000063; "
                     r"1 of \d+ elements differ\n", text), text
    assert f"\nrefused\n  {refused['name']}  clz.b32: " in text and "clz.b99" in text
    answer = json.loads(simulated(table, "--json", code=1))
    assert [case["status"] for case in answer["cases"]] == ["right", "wrong", "refused"] and "cutwork" in answer["device"]
    assert rows_of(simulated(table, "--case", "bfind"))["all"]["right"] == 1


def test_faults_and_changed_inputs_are_wrong(tmp_path):
    fault, changed = of_kind("bfind.u32"), of_kind("bfind.s32")
    fault["ptx"] = fault["ptx"].replace("mad.wide.u32 %q1, %i, 4", "mad.wide.u32 %q1, %i, 4096")
    changed["ptx"] = changed["ptx"].replace("ret;", "st.global.b32 [%p0], 77;\n ret;")
    text = simulated(write(tmp_path / "t.jsonl", [fault, changed]), "--no-check", code=1)
    assert rows_of(text)["all"]["wrong"] == 2 and "argument 0, an input, element 0" in text
    assert "bounds: a store of 4 bytes" in simulated(tmp_path / "t.jsonl", code=1)


def test_answers_are_written(tmp_path):
    """A table without answers gets those of the device, and is right with them."""
    cases = [of_kind(kind) for kind in ("bfind.u32", "cvt.u8.s32", "mul24.hi.u32")]
    both = next(case for case in BASE if any({"in", "out"} <= arg.keys() for arg in case["args"]))
    cases.append(json.loads(json.dumps(both)))
    table = write(tmp_path / "open.jsonl", [without_answer(json.loads(json.dumps(case))) for case in cases])
    text = simulated(table)
    assert rows_of(text)["all"] == {"right": 0, "wrong": 0, "refused": 0, "unanswered": len(cases)}
    out = tmp_path / "closed.jsonl.gz"
    text = simulated(table, "--answer", out)
    assert rows_of(text)["all"] == {"answered": len(cases), "no answer": 0, "refused": 0}
    assert text.endswith(f"\nwrote {len(cases)} of {len(cases)} cases to {out}\n")
    written = tables.read(out)
    assert [case["args"] for case in written] == [case["args"] for case in cases]  # what the H200 wrote
    assert all("cutwork" in case["source"] for case in written)
    assert rows_of(simulated(out))["all"]["right"] == len(cases)
    bytes_ = out.read_bytes()
    simulated(table, "--answer", out)
    assert out.read_bytes() == bytes_


def test_a_case_that_is_refused_gets_no_answer(tmp_path):
    right, refused, fault = (without_answer(of_kind(kind)) for kind in ("bfind.u32", "popc.b32", "clz.b32"))
    refused["ptx"] = refused["ptx"].replace("popc.b32", "popc.b99")
    text = simulated(write(tmp_path / "t.jsonl", [right, refused]), "--answer", tmp_path / "o.jsonl")
    assert rows_of(text)["all"] == {"answered": 1, "no answer": 0, "refused": 1} and len(tables.read(tmp_path / "o.jsonl")) == 1
    fault["ptx"] = fault["ptx"].replace("ret;", "trap;")
    text = simulated(write(tmp_path / "t.jsonl", [right, fault]), "--answer", tmp_path / "o.jsonl", code=1)
    assert "\nno answer\n" in text and "trap" in text and len(tables.read(tmp_path / "o.jsonl")) == 1


# --- the cases that wait for a GPU

def test_the_unanswered_cases():
    cases, again = unanswered.cases(), unanswered.cases()
    assert cases == again and len(cases) > 400
    known = {case["kind"] for case in BASE}
    assert len({case["kind"] for case in cases} | known) == len(cases) + len(known)
    assert [case["name"] for case in cases] == [f"more.{i:04}" for i in range(1, len(cases) + 1)]
    assert not any(tables.is_answered(case) for case in cases)


def test_the_simulated_device_answers_all_of_them(tmp_path):
    text = simulated("--answer", tmp_path / "o.jsonl.gz")
    count = len(unanswered.cases())
    assert rows_of(text)["all"] == {"answered": count, "no answer": 0, "refused": 0}, text
    # Without checks the same bytes come out: none of them reads what was not written, or races.
    simulated("--no-check", "--answer", tmp_path / "p.jsonl.gz")
    assert [case["args"] for case in tables.read(tmp_path / "o.jsonl.gz")] == [
        case["args"] for case in tables.read(tmp_path / "p.jsonl.gz")]


def test_some_answers_by_their_definition(tmp_path):
    simulated("--answer", tmp_path / "o.jsonl", "--case", "fns.b32")
    (case,) = tables.read(tmp_path / "o.jsonl")
    columns = [struct.unpack(f"<{len(data) // 4}I", data) for data in (
        base64.b64decode(arg.get("in") or arg["out"]) for arg in case["args"])]

    def nth(mask, base, offset):
        """The place of the offset-th set bit from base on, by counting."""
        offset -= (offset >> 31) << 32
        if offset == 0:
            return base if mask >> base & 1 else 0xFFFFFFFF
        places = [i for i in (range(base, 32) if offset > 0 else range(base, -1, -1)) if mask >> i & 1]
        return places[abs(offset) - 1] if abs(offset) <= len(places) else 0xFFFFFFFF

    assert columns[3] == tuple(map(nth, *columns[:3])) and len(columns[0]) > 300


def test_the_program_that_writes_them(tmp_path):
    done = subprocess.run([sys.executable, HARDWARE / "unanswered.py", tmp_path / "u.jsonl.gz"], capture_output=True, text=True, check=True)
    assert done.stdout == f"wrote {len(unanswered.cases())} cases to {tmp_path / 'u.jsonl.gz'}\n"
    assert tables.read(tmp_path / "u.jsonl.gz") == unanswered.cases()
    done = subprocess.run([sys.executable, HARDWARE / "unanswered.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr.startswith("usage: ")


# --- when bytes match

def values(format_, *numbers):
    return struct.pack(f"<{len(numbers)}{format_}", *numbers)


NAN, OTHER_NAN = (bits.to_bytes(4, "little") for bits in (0x7FFFFFFF, 0xFFC00001))
F32 = [
    # got, expected, match, whether they do
    (NAN, OTHER_NAN, "bits", False), (NAN, OTHER_NAN, "nan", True), (NAN, values("f", 1), "nan", False),
    (values("f", 0.0), values("f", -0.0), "nan", False), (NAN, OTHER_NAN, {"ulp": 1}, True), (NAN, values("f", 1), {"ulp": 99}, False),
    (values("I", 0x3F800000), values("I", 0x3F800002), {"ulp": 2}, True), (values("I", 0x3F800000), values("I", 0x3F800003), {"ulp": 2}, False),
    (values("I", 0x7F7FFFFF), values("I", 0x7F800000), {"ulp": 1}, True), (values("I", 1), values("I", 0x80000001), {"ulp": 2}, True),
    (values("I", 0), values("I", 0x80000000), {"ulp": 2}, False), (values("I", 1), values("I", 0x80000000), {"ulp": 1}, True),
    (values("f", 1.0), values("f", 1.25), {"rel": 0.2}, True), (values("f", 1.0), values("f", 1.25), {"rel": 0.19}, False),
    (values("f", 0.1), values("f", 0.0), {"rel": 9.0}, False), (values("f", 0.1), values("f", 0.0), {"abs": 0.2}, True),
    (values("f", float("inf")), values("f", 1e38), {"rel": 9.0, "abs": 1e300}, False),
    (values("f", 1.0), values("f", 2.0), {"rel": 0.1, "abs": 1.0}, True), (values("f", 0.0), values("f", -0.0), {"abs": 0.0}, True),
]


@pytest.mark.parametrize("got, expected, match, right", F32)
def test_match_rules(got, expected, match, right):
    assert (tables.difference(got, expected, "f32", match) == "") is right


def test_match_rules_of_other_types():
    half, brain = values("H", 0x7E00), values("H", 0x7FC0)
    assert tables.difference(half, values("H", 0xFFFF), "f16", "nan") == ""
    assert tables.difference(brain, values("H", 0xFFFF), "bf16", "nan") == ""
    assert tables.difference(half, values("H", 0xFFFF), "u16", "nan") != ""
    assert tables.difference(values("d", 1.0), values("d", 1.0 + 2**-52), "f64", {"ulp": 1}) == ""
    assert tables.difference(values("H", 0x3F80), values("H", 0x3F81), "bf16", {"rel": 2**-7}) == ""
    text = tables.difference(values("H", 1, 2, 3), values("H", 1, 0x1234, 9), "u16", "bits")
    assert text == "element 1 (u16): got 0x0002, expected 0x1234; 2 of 3 elements differ"
    assert tables.difference(b"\1\2\3", b"\1\2\3", "u32", "bits") == "" != tables.difference(b"\1\2\3", b"\1\2\4", "u32", "bits")
    assert "3 bytes" in tables.difference(b"\1\2\3", b"\1\2\3\4", "u32", "bits")


@pytest.mark.parametrize("got, exponent, right", [(1.0, 0, True), (1.0 + 2**-9, 0, True), (1.0 + 2**-7, 0, False), (1.0 + 2**-7, 3, True),
                                                  (5.0, 32766, True), (5.0, 32767, True), (float("nan"), 3, False), (1.5, -32768, False)])
def test_sums_of_products(got, exponent, right):
    match = {"numerics": "bits-aimed", "abs_rel_to_sum_abs": 2.0**-8, "sum_abs_log2": base64.b64encode(values("h", 0, exponent)).decode()}
    got, expected = values("f", 7.0, got), values("f", 7.0, 1.0)
    if exponent == 32767:  # a term is infinite or NaN: so is the result, whichever it is
        assert tables.difference(got, values("f", 7.0, float("inf")), "f32", match) != ""
        got, expected = values("f", 7.0, float("nan")), values("f", 7.0, float("inf"))
    assert (tables.difference(got, expected, "f32", match) == "") is right


# --- what is refused

TABLE_ERRORS = {
    "no JSON": ('{"name": ', "t.jsonl:1: expected a JSON object"),
    "no object": ("[1]", "t.jsonl:1: expected an object, found list"),
    "a field": (lambda c: c.pop("ptx"), "ptx: expected str, found None"),
    "extents": (lambda c: c.update(grid=[1, 0, 1]), "grid: expected three extents from 1 on, found [1, 0, 1]"),
    "an argument": (lambda c: c["args"].append({"i99": 1}), "argument 2: expected in, out, size, bytes, tensor_map or one of i32"),
    "a number": (lambda c: c["args"].append({"i32": 1 << 32}), "argument 2: i32: expected a number, found 4294967296"),
    "no number": (lambda c: c["args"].append({"f32": "x"}), "argument 2: f32: expected a number, found 'x'"),
    "bytes": (lambda c: c["args"][0].update({"in": "?!"}), "argument 0: in: expected bytes as base64, found '?!'"),
    "a size": (lambda c: c["args"].append({"size": 0}), "argument 2: size: expected how many bytes, from 1 on, found 0"),
    "two sizes": (lambda c: c["args"][1].update({"in": "AAAA"}), "argument 1: in: expected 512 bytes, found 3"),
}


@pytest.mark.parametrize("what", TABLE_ERRORS)
def test_tables_that_are_refused(what, tmp_path):
    changed, says = TABLE_ERRORS[what]
    case = of_kind("bfind.u32")
    if callable(changed):
        changed(case)
        changed = json.dumps(case)
    (tmp_path / "t.jsonl").write_text(changed + "\n")
    text = simulated(tmp_path / "t.jsonl", code=2)
    assert text.startswith("conformance.py: error: ") and says in text and "t.jsonl:1: " in text and "Traceback" not in text


def test_command_lines_that_are_refused(tmp_path):
    twice = of_kind("bfind.u32")
    (tmp_path / "t.jsonl").write_text((json.dumps(twice) + "\n") * 2)
    (tmp_path / "t.jsonl.gz").write_bytes(gzip.compress(b"{}")[:-9])
    for arguments, says in [
            ((tmp_path / "t.jsonl",), f"t.jsonl:2: the name {twice['name']} is that of line 1 too"),
            ((tmp_path / "t.jsonl.gz",), "cannot be read"), ((tmp_path / "no.jsonl",), "cannot be read"),
            (("--family", "zip"), "found 'zip'"), (("--case", "zip"), "no case of"), (("--every", "0"), "found '0'"),
            (("--levels", "5"), "found '5'"), (("--device", "sim:sm_90a"), "expected the number of a GPU, found 'sim:sm_90a'"),
            (("--driver", tmp_path / "no.so"), "no CUDA driver: "), (("--driver", FAKE, "--device", "7"), "there is no device 7: the driver has 4"),
            (("--simulated", "--cutwork", tmp_path / "no"), "cannot be run"), (("--nothing",), "--help says what is accepted"),
            (("--answer", tmp_path / "no/o.jsonl", "--case", "fns"), "cannot be written: No such file")]:
        text = conformance(*arguments, code=2)
        assert text.splitlines()[-1].startswith("conformance.py: error: ") and says in text and "Traceback" not in text, arguments
    assert "--answer FILE" in conformance("--help")


# --- a driver whose kernels do nothing

def fake(*arguments, **more):
    return conformance("--driver", FAKE, *arguments, **more)


def test_a_driver_without_a_gpu(tmp_path):
    right, wrong, refused, other = (of_kind(kind) for kind in ("bfind.u32", "popc.b32", "clz.b32", "bfind.s32"))
    right["args"][1]["out"] = base64.b64encode(b"\xa5" * 512).decode()
    right["args"] += [{"i32": -5}, {"bytes": "AAAA"}]
    right["dynamic_smem"], right["cluster"] = 50000, [2, 1, 1]
    refused["ptx"] += "bogus"
    other["target"] = "sm_100a"
    text = fake(write(tmp_path / "t.jsonl", [right, wrong, refused, other]), code=1)
    assert text.startswith("Fake H200 (sm_90), CUDA 13.0\n")
    assert rows_of(text)["all"] == {"right": 1, "wrong": 1, "refused": 1, "not run": 1}
    assert "clz.b32: ptxas line 3; error : bogus\n" in text and "it is for sm_100a, and this is sm_90" in text
    assert "got 0xa5a5a5a5" in text and "(level 4)" in text
    text = fake(tmp_path / "t.jsonl", "--case", "bfind.u32")
    assert rows_of(text)["all"] == {"right": 1, "wrong": 0, "refused": 0}
    text = fake(write(tmp_path / "u.jsonl", [without_answer(right)]), "--answer", tmp_path / "o.jsonl")
    (answered,) = tables.read(tmp_path / "o.jsonl")
    assert base64.b64decode(answered["args"][1]["out"]) == b"\xa5" * 512 and answered["source"] == "Fake H200 (sm_90), CUDA 13.0"
    assert rows_of(fake("--device", "1", tmp_path / "t.jsonl"))["all"]["not run"] == 4  # an A100


def test_what_a_kernel_writes(monkeypatch):
    """The driver's memory is the host's, so that a kernel can be played."""
    opened = gpu.Gpu(str(FAKE))
    case = of_kind("bfind.u32")
    expected = base64.b64decode(case["args"][1]["out"])
    seen = []

    def kernel(at, bytes_):
        def launch(self, function, case, parameters):
            addresses = [int.from_bytes(one.raw, "little") for one in parameters]
            seen.append(addresses)
            assert all(address % 1024 == 0 for address in addresses)
            ctypes.memmove(addresses[1] + at, bytes_, len(bytes_))

        monkeypatch.setattr(gpu.Gpu, "_launch", launch)

    kernel(0, expected)
    got, outside = opened.run(case)
    assert got == [base64.b64decode(case["args"][0]["in"]), expected] and outside == "" and tables.differences(case, got) == ""
    assert opened.run(case, 0, 3)[0] == got
    for at, place in ((-1, -1), (512, 512), (-1024, -1024), (1535, 1535)):
        kernel(at, b"\0")
        assert opened.run(case)[1] == f"argument 1: byte {place} of it, outside, was written"


def test_runs_that_differ_give_no_answer(monkeypatch):
    runner = devices.Gpu(str(FAKE), 0, [4, 0, 4], 60)
    try:
        runs = []

        def once(case, level, offset):
            runs.append((level, offset))
            return devices.Outcome(got=[b"\0" * 8, None, bytes([level, 0])])

        monkeypatch.setattr(runner, "_once", once)
        case = without_answer(of_kind("bfind.u32"))
        outcome = runner.run(case)
        assert outcome.status == devices.WRONG and outcome.why.endswith("argument 2, byte 0") and "levels 4 and 0" in outcome.why
        monkeypatch.setattr(runner, "levels", [4, 4])
        runs.clear()
        assert runner.run(case).status == devices.RIGHT and runs == [(4, 0), (4, 1)]  # at two addresses
    finally:
        runner.close()


def serve(connection, library, device):
    """In the place of a GPU's process: cases whose names say what happens."""
    connection.send(("name", "a card", 90, "13.0"))
    while (job := connection.recv()) is not None:
        name = job[0]["name"]
        if name == "hangs":
            time.sleep(600)
        if name == "dies":
            return
        if name == "faults":
            connection.send(("lost", "cuCtxSynchronize: CUDA_ERROR_ILLEGAL_INSTRUCTION (715)"))
            return
        connection.send(("done", [base64.b64decode(arg.get("out") or arg["in"]) for arg in job[0]["args"]],
                         "argument 1: byte -1 of it, outside, was written" if name == "outside" else ""))


def test_a_case_that_loses_the_device_is_wrong_and_the_next_runs(monkeypatch):
    monkeypatch.setattr(devices, "_serve", serve)
    runner = devices.Gpu("", 0, [4, 0], 2)
    try:
        cases = [{**of_kind("bfind.u32"), "name": name} for name in ("a", "faults", "b", "hangs", "c", "dies", "outside", "d")]
        outcomes = [outcome for _, outcome in runner.run_all(cases)]
    finally:
        runner.close()
    assert [outcome.status for outcome in outcomes] == ["right", "wrong", "right", "wrong", "right", "wrong", "wrong", "right"]
    assert "ILLEGAL_INSTRUCTION" in outcomes[1].why and outcomes[3].why == "no end after 2 s (level 4)"
    assert "the process of the GPU ended" in outcomes[5].why and "outside" in outcomes[6].why


def test_tensor_maps_go_to_the_driver():
    """The driver's encoder is called with what the table says; its 128 bytes are the kernel's argument."""
    opened = gpu.Gpu(str(FAKE))
    map_ = {"buffer": 0, "dtype": "f16", "shape": [64, 32], "strides_bytes": [128], "element_strides": [1, 1], "swizzle": "128B",
            "interleave": "none", "oob": "zero", "l2_promotion": "none", "box": [64, 8]}
    assert len(opened._tensor_map(map_, {0: 1 << 20})) == 128
    case = of_kind("bfind.u32")
    case["args"].append({"tensor_map": map_})
    outcome = devices.Simulated(str(CUTWORK), None, 60, 1).run(case)
    assert outcome.status == devices.NOT_RUN and "tensor maps" in outcome.why
