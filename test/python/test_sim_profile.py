# test_sim_profile.py -- `cutwork sim --profile`: lanes, sectors, bank conflicts, classes, listings, the page.
import json
import re
import subprocess

import numpy as np
import pytest
from conftest import CUTWORK

KERNEL = """.version 8.4
.target sm_80
.address_size 64
{head}
.visible .entry k(.param .u64 x)
{{
    .reg .b64 %a;
    .reg .b32 %t, %c, %v<4>;
    .reg .pred %p;
    .shared .align 16 .b8 tile[16896];
    ld.param.u64 %a, [x];
    mov.u32 %t, %tid.x;
    mov.u32 %c, tile;
    mov.b32 %v0, 0;
    mov.b32 %v1, 0;
    mov.b32 %v2, 0;
    mov.b32 %v3, 0;
{body}
    ret;
}}
"""


@pytest.fixture
def sim(tmp_path):
    def run(body, *options, head="", block=32, code=0):
        np.save(tmp_path / "x.npy", np.zeros(1 << 16, np.uint8))
        (tmp_path / "k.ptx").write_text(KERNEL.format(body=body, head=head))
        (tmp_path / "l.json").write_text(json.dumps({"kernel": "k", "block": [block], "args": [{"buffer": "x.npy"}]}))
        done = subprocess.run([CUTWORK, "sim", "k.ptx", "l.json", "--check", "memory", *options], cwd=tmp_path,
                              capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == code, done.stderr
        return done.stdout

    run.folder = tmp_path
    return run


def totals(sim, body, **more):
    return json.loads(sim(body, "--profile", "--json", **more))["profile"]["total"]


# stride in bytes, bytes of a lane, sectors: lane i reads at i * stride
GLOBAL = [(4, 4, 4), (8, 4, 8), (32, 4, 32), (128, 4, 32), (0, 4, 1), (16, 16, 16), (2, 2, 2), (48, 16, 32), (1, 1, 1)]


@pytest.mark.parametrize("stride, width, sectors", GLOBAL)
def test_sectors(sim, stride, width, sectors):
    load = {1: "ld.global.b8 %v0", 2: "ld.global.b16 %v0", 4: "ld.global.b32 %v0",
            16: "ld.global.v4.b32 {%v0, %v1, %v2, %v3}"}[width]
    sum_ = totals(sim, f"    mad.wide.u32 %a, %t, {stride}, %a;\n    {load}, [%a];")
    once = width if stride == 0 else 32 * width
    assert (sum_["global_requests"], sum_["global_bytes"], sum_["global_unique_bytes"], sum_["sectors"]) == (
        1, 32 * width, once, sectors)


# stride in bytes, bytes of a lane, wavefronts, conflicts
SHARED = [(4, 4, 1, 0), (0, 4, 1, 0), (8, 4, 2, 1), (128, 4, 32, 31), (132, 4, 1, 0), (64, 4, 16, 15), (8, 8, 2, 0),
          (16, 16, 4, 0), (0, 16, 4, 0), (128, 16, 32, 28), (144, 16, 4, 0), (2, 2, 1, 0)]


@pytest.mark.parametrize("access", ["st", "ld"])
@pytest.mark.parametrize("stride, width, wavefronts, conflicts", SHARED)
def test_bank_conflicts(sim, access, stride, width, wavefronts, conflicts):
    value = {2: ("b16", "%v0"), 4: ("b32", "%v0"), 8: ("v2.b32", "{%v0, %v1}"), 16: ("v4.b32", "{%v0, %v1, %v2, %v3}")}[width]
    operands = f"[%c], {value[1]}" if access == "st" else f"{value[1]}, [%c]"
    sum_ = totals(sim, f"    mad.lo.u32 %c, %t, {stride}, %c;\n    {access}.shared.{value[0]} {operands};")
    assert (sum_["shared_requests"], sum_["shared_bytes"], sum_["wavefronts"], sum_["bank_conflicts"]) == (
        1, 32 * width, wavefronts, conflicts)


def test_generic_addresses_count_where_they_lead(sim):
    sum_ = totals(sim, "    cvt.u64.u32 %a, %c;\n    cvta.shared.u64 %a, %a;\n    st.b32 [%a], %v0;\n    ld.b32 %v0, [%a];")
    assert (sum_["shared_requests"], sum_["global_requests"]) == (2, 0)


def test_ldmatrix_reads_rows(sim):
    body = "    mad.lo.u32 %c, %t, {}, %c;\n    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%v0, %v1, %v2, %v3}}, [%c];"
    for stride, conflicts in ((16, 0), (128, 28), (144, 0)):
        sum_ = totals(sim, body.format(stride))
        assert (sum_["shared_bytes"], sum_["bank_conflicts"]) == (512, conflicts)


def test_async_copies_count_on_both_sides(sim):
    sum_ = totals(sim, "    mad.lo.u32 %c, %t, 16, %c;\n    mad.wide.u32 %a, %t, 16, %a;\n"
                       "    cp.async.cg.shared.global [%c], [%a], 16;\n    cp.async.wait_all;")
    assert (sum_["global_bytes"], sum_["sectors"], sum_["shared_bytes"], sum_["bank_conflicts"]) == (512, 16, 512, 0)


def test_atomics_collide(sim):
    sum_ = totals(sim, "    and.b32 %v0, %t, 7;\n    mad.wide.u32 %a, %v0, 4, %a;\n    red.global.add.u32 [%a], %t;")
    assert (sum_["atomic_lanes"], sum_["atomic_collisions"], sum_["sectors"]) == (32, 24, 1)


def test_columns_of_local_memory_and_atomics(sim):
    def listed(body):
        page = sim.folder / "page.html"
        text = sim(body, "--profile")
        sim(body, "--html", str(page))
        names = re.search(r"^ +(issued.*?) +line$", text, re.M).group(1).split()
        heads, *rows = re.findall(r"<tr(?: class=hot)?>(.*?)</tr>", page.read_text().rpartition("<table>")[2], re.S)
        assert re.findall("<th>(.*?)</th>", heads)[:-2] == names
        cells = {row[-1].strip(): dict(zip(names, row)) for row in (re.findall("<td.*?>(.*?)</td>", row) for row in rows)}
        for source, row in cells.items():
            [line] = [line for line in text.splitlines() if line.endswith(f"  {source}")] if row["issued"] else [None]
            shown = dict(zip(names, (line[12 * i:12 * i + 12].strip() for i in range(len(names))))) if line else row
            assert shown == row
        return names, cells

    usual = ["issued", "lanes", "diverge", "sectors", "used", "conflicts"]
    assert listed("    ld.global.b32 %v0, [%a];")[0] == usual
    store = "    .local .b32 l;\n    st.local.b32 [l], %t;"
    names, lines = listed(store)
    assert names == [*usual, "local"] and lines["st.local.b32 [l], %t;"]["local"] == "128"
    assert lines["mov.u32 %t, %tid.x;"]["local"] == ""
    red = "red.global.add.u32 [%a], %t;"
    names, lines = listed("    " + red)
    assert names == [*usual, "atomics", "collide"]
    assert (lines[red]["atomics"], lines[red]["collide"]) == ("32", "31")
    names, lines = listed(f"{store}\n    {red}")
    assert names == [*usual, "local", "atomics", "collide"] and lines[red]["local"] == ""


def test_lanes_and_divergence(sim):
    body = "    setp.lt.u32 %p, %t, 8;\n    @%p add.u32 %v0, %v0, 1;\n    @%p bra L;\n    add.u32 %v0, %v0, 2;\nL:"
    rows = json.loads(sim(body, "--profile", "--json"))["profile"]["instructions"]
    by_text = {row["text"]: row for row in rows}
    guarded = next(row for text, row in by_text.items() if text.startswith("@%p add"))
    other = next(row for text, row in by_text.items() if "%v0, 2" in text)
    branch = next(row for text, row in by_text.items() if "bra" in text)
    assert (guarded["lanes"], other["lanes"], branch["divergent"]) == (8, 24, 1)
    # A guard that no lane passes is no instruction; half a warp is sixteen lanes.
    quiet = json.loads(sim("    setp.lt.u32 %p, %t, 0;\n    @%p add.u32 %v0, %v0, 1;", "--profile", "--json", block=16))
    rows = {row["text"]: row for row in quiet["profile"]["instructions"]}
    assert [row["issued"] for text, row in rows.items() if "@%p" in text] == [0]
    assert quiet["profile"]["total"]["lanes"] == 16 * quiet["profile"]["total"]["issued"]


def test_profiles_change_nothing(sim):
    body = "    mad.wide.u32 %a, %t, 4, %a;\n    ld.global.b32 %v0, [%a];\n    st.global.b32 [%a], %v0;"
    plain, profiled = (json.loads(sim(body, "--json", *options)) for options in ((), ("--profile",)))
    assert plain["counters"] == profiled["counters"] and "profile" not in plain
    assert profiled["profile"]["total"]["issued"] == plain["counters"]["warp_instructions"]
    assert sum(profiled["profile"]["classes"].values()) == plain["counters"]["warp_instructions"]


def test_classes(sim):
    body = ("    .reg .f32 %f;\n    .reg .f64 %d;\n    .reg .b16 %h;\n    mov.f32 %f, 0f3f800000;\n    add.f32 %f, %f, %f;\n"
            "    ex2.approx.f32 %f, %f;\n    cvt.f64.f32 %d, %f;\n    mul.f64 %d, %d, %d;\n    cvt.rn.f16.f32 %h, %f;\n"
            "    add.f16 %h, %h, %h;\n    div.rn.f32 %f, %f, %f;\n    xor.b32 %v0, %v0, 1;\n    vote.sync.any.pred %p, %p, -1;\n"
            "    bar.sync 0;").replace("vote", "setp.eq.u32 %p, %t, 0;\n    vote")
    classes = json.loads(sim(body, "--profile", "--json"))["profile"]["classes"]
    expected = {"single": 1, "special": 2, "convert": 2, "double": 1, "half": 1, "logic": 1, "warp": 1, "barrier": 1,
                "constant": 1, "compare": 1, "control": 1}
    assert {name: classes.get(name) for name in expected} == expected


def test_fidelity(sim):
    body = ("    .reg .f32 %f;\n    mov.f32 %f, 0f3f800000;\n    ex2.approx.f32 %f, %f;\n    rcp.rn.f32 %f, %f;\n"
            "    fence.acq_rel.gpu;\n    mov.u32 %v0, %clock;\n    mov.u32 %v1, %smid;")
    rows = json.loads(sim(body, "--profile", "--json"))["profile"]["instructions"]
    kinds = [row["fidelity"] for row in rows]
    assert [kinds.count(kind) for kind in ("approximated", "no effect", "invented")] == [1, 1, 2]
    assert next(row for row in rows if row["text"].startswith("rcp"))["fidelity"] == "exact"
    text = sim(body, "--profile")
    assert "approximated       1  within the ISA's bound, line 20" in text


def test_listing_of_the_users_lines(sim):
    source = sim.folder / "user.cu"
    source.write_text("".join(f"source {i} <tag>\n" for i in range(1, 40)))
    body = "    .loc 1 20 3\n    mad.wide.u32 %a, %t, 8, %a;\n    .loc 1 30 1\n    ld.global.b32 %v0, [%a];"
    head = f'.file 1 "{source}"'
    text = sim(body, "--profile", head=head)
    assert "8 sectors of 32, 50 % of them used" in text and str(source) in text
    assert "20  source 20" in text and "30  source 30" in text and "25  source 25" not in text and "..." in text
    sim(body, "--html", str(sim.folder / "o.html"), head=head)
    page = (sim.folder / "o.html").read_text()
    assert "source 30 &lt;tag&gt;" in page and "<tag>" not in page and "50 %" in page


def test_listing_without_a_readable_source(sim):
    body = "    .loc 1 7 0\n    add.u32 %v0, %v0, 1;"
    text = sim(body, "--profile", head='.file 1 "/nowhere/user.cu"')
    assert "/nowhere/user.cu (cannot be read: numbers of lines only)" in text
    # Without .loc the lines are the PTX's.
    text = sim("    add.u32 %v0, %v0, 1;", "--profile")
    assert "k.ptx\n" in text and "add.u32 %v0, %v0, 1;" in text


def test_a_page_that_cannot_be_written(sim):
    sim("", "--html", "/nowhere/at/all.html", code=2)
