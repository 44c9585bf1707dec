# test_options.py -- compile options and CUTE_DSL_ variables: each works, or says why not; occupancy; the documentation's table.
import os
import pathlib
import re
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "build/python"))

HEAD = """
import cutlass, cutlass.cute as cute, cutlass.cute.testing as testing, torch
from cutlass.cute.runtime import from_dlpack

@cute.kernel
def twice(x: cute.Tensor, y: cute.Tensor):
    i = cute.arch.block_idx()[0] * 32 + cute.arch.thread_idx()[0]
    testing.assert_(x[i] < 40.0, "below forty")
    y[i] = x[i] * 2

@cute.jit
def host(x: cute.Tensor, y: cute.Tensor):
    twice(x, y).launch(grid=2, block=32)

x, y = torch.arange(64.0, device="cuda"), torch.zeros(64, device="cuda")
def compiled(options="", typed=()):
    return cute.compile[typed](host, from_dlpack(x), from_dlpack(y), options=options)
def refusal(call):
    try:
        call()
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
    raise AssertionError("it is not refused")
"""

LIGHT = """
import cutlass, cutlass.cute as cute
@cute.kernel
def says(n: cutlass.Int32):
    cute.printf("n is {}", n)
@cute.jit
def host(n: cutlass.Int32):
    says(n).launch(grid=1, block=1)
def compiled(options=""):
    return cute.compile(host, 3, options=options)
"""


def run(source, folder, code=0, head=HEAD, **variables):
    script = folder / "script.py"
    script.write_text(head + textwrap.dedent(source))
    environment = {"PYTHONPATH": str(ROOT / "build/python"), "CUTWORK_DEVICE": "sim:sm_90a", "CUTE_DSL_CACHE_DIR": str(folder / "store"),
                   "VIRTUAL_ENV": sys.prefix, **variables}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CUTE_DSL_", "CUTWORK_"))}
    done = subprocess.run([sys.executable, "-m", "cutwork", "script.py"], cwd=folder, env={**kept, **environment}, capture_output=True,
                          text=True, timeout=300, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done


def test_the_documentation_has_each_option():
    from cutwork._options import TABLE

    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    rows = "\n".join(f"| `--{row.flag}`{f' {row.value}' if row.value else ''} | `{row.kind}` | {row.does} |" for row in TABLE)
    assert rows in page, f"docs/python.md must contain these rows:\n{rows}"


def test_options_are_typed_or_text(tmp_path):
    run("""
    zero = compiled("--opt-level 0").__cubin__
    assert zero != compiled("--opt-level=3").__cubin__ and zero == compiled(typed=cute.OptLevel(0)).__cubin__
    assert ".target sm_80" in compiled("--gpu-arch sm_80").__ptx__
    assert ".target sm_80" in compiled(typed=(cute.GPUArch("sm_80"), (cute.KeepPTX, cute.EnableAssertions(False)))).__ptx__
    import os
    assert os.listdir(".").count("host.ptx") == 1
    compiled("--host-target native --generate-line-info --rdc=0 --frontend-next=no")
    """, tmp_path)


REFUSED = (
    ("--opt-level 4", "--opt-level is 0 to 3, not 4"), ("--opt-level", "--opt-level needs a value, 0 to 3"),
    ("--keep-all", "unknown option --keep-all; there are --"), ("keep", "'keep' is no option; options begin with --"),
    ("--keep-ptx=perhaps", "--keep-ptx is on or off, not 'perhaps'"),
    ("--rdc", "--rdc: device code is not relocatable"),
    ("--link-libraries a,b", "--link-libraries a,b: device libraries cannot be linked"),
    ("--host-target linux-nowhere", "host functions are compiled for this machine, linux-"),
    ("warnings{error}", "'warnings{error}' is not supported; CUTE_DSL_WARNINGS_AS_ERRORS"),
    ("remarks{all}", "'remarks{all}' is not supported; --remark-filter is"), ("iket", "there is no such instrumentation"),
    ("--remark-filter (", "it is no regular expression"),
    ("--ptxas-options '-o x'", "options of ptxas: -o is set by Cutwork"),
    ("--ptxas-options '-arch=sm_80'", "options of ptxas: -arch=sm_80 is set by Cutwork"),
    ("--ptxas-options 'x'", "options of ptxas: 'x' is no option and no value"),
)


def test_what_is_not_possible_is_refused(tmp_path):
    done = run(f"""
    import cutwork
    for options in {[options for options, _ in REFUSED]!r}:
        try:
            compiled(options)
            print("not refused")
        except cutwork.UserError as problem:
            print(problem)
    """, tmp_path, head=LIGHT)
    lines = done.stdout.splitlines()
    assert len(lines) == len(REFUSED), lines
    for (options, says), line in zip(REFUSED, lines, strict=True):
        assert says in line, (options, line)


def test_typed_options_are_checked(tmp_path):
    done = run("""
    print(refusal(lambda: compiled(typed=cute.OptLevel)), refusal(lambda: compiled(typed=3)), sep="\\n")
    """, tmp_path)
    assert "OptLevel needs a value, 0 to 3" in done.stdout and "3 is no option such as KeepPTX" in done.stdout


def test_ptxas_options_reach_the_assembler_and_its_key(tmp_path):
    done = run("""
    few = compiled("--ptxas-options '-maxrregcount 16 --disable-optimizer-constants'")
    many = compiled()
    assert few.kernel_info["twice_0"]["registers"] <= 16
    assert few.__cubin__ != many.__cubin__ and few.__ptx__ == many.__ptx__
    print(refusal(lambda: compiled("--ptxas-options --no-such-option")))
    """, tmp_path)
    assert "UserError" in done.stdout and "no-such-option" in done.stdout, done.stdout
    # Without an assembler nothing can check them, which is said.
    done = run("""
    compiled("--ptxas-options -v")
    """, tmp_path, CUTWORK_NVJITLINK="none", CUTWORK_PTXAS="none")
    assert "no assembler is found, so the options of ptxas are not checked" in done.stderr


def test_nvdisasm_options(tmp_path):
    run("""
    import os
    plain, hex = compiled(), compiled("--nvdisasm-options '-hex' --keep-sass --dump-dir kept")
    assert "EXIT" in plain.__sass__ and len(hex.__sass__) > len(plain.__sass__)
    assert open("kept/host.sass").read() == hex.__sass__ and os.listdir("kept") == ["host.sass"]
    """, tmp_path)


def test_assertions_are_off_unless_asked_for(tmp_path):
    source = """
    host(x, y)
    off = compiled()
    off(from_dlpack(x), from_dlpack(y))
    assert y[50] == 100 and "trap" not in off.__ptx__
    on = compiled("--enable-assertions")
    assert "trap" in on.__ptx__ and "trap" in compiled(typed=cute.EnableAssertions).__ptx__
    print(refusal(lambda: on(from_dlpack(x), from_dlpack(y))))
    """
    done = run(source, tmp_path)
    assert done.stdout.count("assertion failed: below forty") == 24
    assert re.search(r"DeviceError: trap: .*\n.*in kernel twice_0.*\n +at script.py:8", done.stdout), done.stdout
    done = run("""
    print(refusal(lambda: host(x, y)))
    off = compiled("--enable-assertions=0")
    off(from_dlpack(x), from_dlpack(y))
    """, tmp_path, CUTE_DSL_ENABLE_ASSERTIONS="1")
    assert "DeviceError: trap: " in done.stdout


def test_assertions_of_the_host_function_are_refused(tmp_path):
    source = """
    @cute.jit
    def checked(n: cutlass.Int32):
        testing.assert_(n > 1, "more")
    checked(1)
    print(refusal(lambda: cute.compile(checked, 1, options="--enable-assertions")))
    """
    assert "script.py:27: assert_ in a host function" in run(source, tmp_path).stdout


def test_remarks_are_chosen_and_written(tmp_path):
    source = """
    @cute.kernel
    def moves(x: cute.Tensor, y: cute.Tensor):
        cute.autovec_copy(x, y)
    @cute.jit
    def narrow(x: cute.Tensor, y: cute.Tensor):
        moves(x, y).launch(grid=1, block=1)
    def made(options=""):
        return cute.compile(narrow, from_dlpack(x), from_dlpack(y), options=options)
    assert made().remarks
    made("--remark-output all.txt")
    made("--remark-output none.txt --remark-filter nothing-of-this")
    made("--remark-filter bits")
    """
    done = run(source, tmp_path)
    assert "script.py:27:1: " in (tmp_path / "all.txt").read_text() and (tmp_path / "none.txt").read_text() == ""
    assert done.stderr.count("cutwork: warning: ") == done.stderr.count("script.py:27:1") > 0
    shown = run(source.split("made(\"--remark-output")[0], tmp_path, CUTE_DSL_REMARKS="1")
    assert "cutwork: warning: " in shown.stderr and "script.py:27" in shown.stderr
    done = run(source.split("assert made")[0] + "\n    print(refusal(made))", tmp_path, CUTE_DSL_WARNINGS_AS_ERRORS="1")
    assert "'narrow' has remarks, and CUTE_DSL_WARNINGS_AS_ERRORS is set" in done.stdout and "script.py:27" in done.stdout
    assert run(source.split("made(\"--remark-output")[0], tmp_path, CUTE_DSL_REMARKS="1", CUTE_DSL_WARNINGS_IGNORE="1").stderr == ""


# -- variables ----------------------------------------------------------------------------------


def test_kept_files(tmp_path):
    run("host(3)", tmp_path, head=LIGHT, CUTE_DSL_KEEP="all", CUTE_DSL_DUMP_DIR="kept")
    names = {path.name for path in (tmp_path / "kept").iterdir()}
    assert names == {"host.mlir", "host.debug.mlir", "host.lowered.mlir", "host.ll", "host.ptx", "host.cubin", "host.sass"}
    assert 'script.py":5:1' in (tmp_path / "kept/host.debug.mlir").read_text()
    assert "loc(" not in (tmp_path / "kept/host.mlir").read_text()
    done = run("host(3)", tmp_path, head=LIGHT, CUTE_DSL_KEEP_CUBIN="1", CUTE_DSL_DUMP_DIR="none", CUTWORK_NVJITLINK="none", CUTWORK_PTXAS="none")
    assert "no assembler is found, so no cubin is kept" in done.stderr and not (tmp_path / "none").exists()
    run("compiled('--keep-ptx')", tmp_path, head=LIGHT, CUTE_DSL_DUMP_DIR="options")
    assert (tmp_path / "options/host.ptx").exists()


def test_a_dry_run_traces_and_does_no_more(tmp_path):
    done = run("""
    host(x, y)
    made = compiled()
    made(from_dlpack(x), from_dlpack(y))
    assert not y.any() and "cute.launch" in made.__mlir__ and made.__ptx__ == ""
    print(refusal(lambda: made.__cubin__), refusal(lambda: made(from_dlpack(x), from_dlpack(x[:32]))), sep="\\n")
    """, tmp_path, CUTE_DSL_DRYRUN="1")
    assert "CUTE_DSL_DRYRUN: 'host' is traced and verified, not compiled" in done.stderr
    assert "is not compiled: CUTE_DSL_DRYRUN is set" in done.stdout and "argument y: extent 0 is 32" in done.stdout


def test_the_log(tmp_path):
    assert run("host(3)", tmp_path, head=LIGHT).stderr == ""
    assert "cutwork: info: trace" in run("host(3)", tmp_path, head=LIGHT, CUTE_DSL_JIT_TIME_PROFILING="1").stderr
    assert "cutwork: info: trace" in run("host(3)", tmp_path, head=LIGHT, CUTE_DSL_LOG_TO_CONSOLE="1").stderr
    assert run("host(3)", tmp_path, head=LIGHT, CUTE_DSL_LOG_TO_CONSOLE="1", CUTE_DSL_LOG_LEVEL="30").stderr == ""
    assert run("host(3)", tmp_path, head=LIGHT, CUTE_DSL_LOG_TO_FILE="my.log").stderr == ""
    assert "cutwork: info: trace" in (tmp_path / "my.log").read_text()


def test_unknown_names_and_bad_values(tmp_path):
    done = run("host(3)", tmp_path, head=LIGHT, CUTE_DSL_KEEP_PXT="1", CUTE_DSL_AUTO_M2S="1")
    assert done.stderr.splitlines() == [
        "cutwork: warning: CUTE_DSL_AUTO_M2S=1 has no effect: there is one rewriter of Python",
        "cutwork: warning: there is no variable CUTE_DSL_KEEP_PXT; did you mean CUTE_DSL_KEEP_PTX?"]
    done = run("host(3)", tmp_path, head=LIGHT, code=2, CUTE_DSL_PRINT_IR="maybe")
    assert done.stderr == ("cutwork: error: CUTE_DSL_PRINT_IR=maybe: this value is not accepted; expected 1, true, yes, on, 0, "
                           "false, no or off\n")
    program = "try:\n    import cutwork.compat\nexcept ValueError as problem:\n    print('refused', problem)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "build/python"), "CUTE_DSL_LINEINFO": "2"})
    assert done.stdout.startswith("refused") and "CUTE_DSL_LINEINFO=2" in done.stdout


def test_options_of_all_compilations(tmp_path):
    run("""
    assert ".target sm_80" in compiled().__ptx__ and ".target sm_86" in compiled("--gpu-arch sm_86").__ptx__
    """, tmp_path, head=LIGHT, CUTE_DSL_COMPILER_OPT="--gpu-arch sm_80")
    assert "unknown option --nothing" in run("host(3)", tmp_path, head=LIGHT, code=1, CUTE_DSL_COMPILER_OPT="--nothing").stderr


# -- what a compiled function says of itself -----------------------------------------------------


def test_kernel_information_and_occupancy(tmp_path):
    done = run("""
    made = compiled()
    info = made.kernel_info["twice_0"]
    assert 8 <= info["registers"] <= 32 and info["spill_stores"] == info["shared_memory"] == info["stack"] == 0, info
    # 64 warps and 32 blocks, and at most 32 registers: 2048 of 65536 for each block of 64 threads.
    assert made.occupancy(64) == {"blocks": 32, "warps": 64, "occupancy": 1.0, "limited_by": "threads"}, made.occupancy(64)
    assert made.occupancy((32, 1, 1))["blocks"] == 32 and made.occupancy(32)["occupancy"] == 0.5
    # 233472 bytes of a multiprocessor, 1024 of each block the driver's.
    assert made.occupancy(64, dynamic_smem=100 * 1024, kernel="twice_0") == {
        "blocks": 2, "warps": 4, "occupancy": 0.0625, "limited_by": "shared memory"}
    # 48 warps and 16 blocks.
    assert compiled("--gpu-arch sm_86").occupancy(128)["blocks"] == 12
    print(refusal(lambda: made.occupancy(32, kernel="thrice")))
    hardware = cutlass.utils.HardwareInfo()
    assert [hardware.get_max_active_clusters(n) for n in (1, 2, 4, 16)] == [132, 66, 33, 8]
    print(refusal(lambda: hardware.get_max_active_clusters(17)))
    """, tmp_path)
    assert "there is no kernel 'thrice'; 'host' has twice_0" in done.stdout
    assert "clusters of 17 blocks: sim:sm_90a has clusters of 1 to 16" in done.stdout


def test_hints_without_effect_are_said_once(tmp_path):
    done = run("""
    import cutlass, cutlass.cute as cute
    from cutlass.cutlass_dsl import for_generate, yield_out
    @cute.kernel
    def loops(n: cutlass.Int32):
        for i in cutlass.range(n, prefetch_stages=2, vectorize=True):
            cute.printf("{}", i)
        for i in cutlass.range(n, prefetch_stages=2, vectorize=True):
            cute.printf("{}", i)
        for i in for_generate(0, n, prefetch_stages=2):
            yield_out()
    @cute.jit
    def host(n: cutlass.Int32, asked: cutlass.Constexpr):
        more = dict(preferred_smem_carveout=50, smem_merge_branch_allocs=True, hint_smem_base_uniform=False) if asked else {}
        loops(n).launch(grid=1, block=1, **more)
    host(1, False)
    import sys
    print("before", file=sys.stderr, flush=True)
    host(1, True)
    host(2, True)
    cute.compile(host, 1, True)
    """, tmp_path, head="", CUTWORK_LOG="info")
    said = re.findall(r"script.py:(\d+): (.*) has no effect: |^(before)$", done.stderr, re.M)
    assert said == [("6", "range: prefetch_stages", ""), ("6", "range: vectorize", ""), ("10", "for_generate: prefetch_stages", ""),
                    ("", "", "before"), *(("15", f"launch: {name}", "") for name in (
                        "preferred_smem_carveout", "smem_merge_branch_allocs", "hint_smem_base_uniform"))], done.stderr
    assert "effect" not in run("""
    import cutlass, cutlass.cute as cute
    @cute.jit
    def host(n: cutlass.Int32):
        for i in cutlass.range(n, prefetch_stages=2):
            cute.printf("{}", i)
    host(1)
    """, tmp_path, head="").stderr


def test_the_documentation_has_each_argument_of_a_launch():
    from cutwork import _jit

    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    section = page.partition("## Launching\n")[2].partition("\n## ")[0]
    assert not [name for name in _jit._LAUNCH if f"`{name}" not in section], section
    for name in (*_jit._WITHOUT_EFFECT, *_jit._UNSUPPORTED):
        row = next(line for line in section.splitlines() if f"`{name}" in line)
        assert ("no effect" in row) == (name in _jit._WITHOUT_EFFECT) and ("refused" in row) == (name in _jit._UNSUPPORTED), row
