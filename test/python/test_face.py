# test_face.py -- the Python face on the simulated device: functions, arguments, control flow, errors.

import os
import subprocess
import sys
import textwrap

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGE = os.path.join(ROOT, "build", "python")


def run(source, *arguments, folder, good=True, environment=()):
    """Runs a script as a user would, `python -m cutwork`; its standard output."""
    script = os.path.join(folder, "script.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(textwrap.dedent(source))
    done = subprocess.run([sys.executable, "-m", "cutwork", script, *arguments], capture_output=True, text=True, timeout=300,
                          cwd=folder, env={**os.environ, "PYTHONPATH": PACKAGE, "CUTWORK_DEVICE": "sim:sm_90a",
                                           **dict(environment)})
    assert (done.returncode == 0) == good, done.stdout + done.stderr
    return done.stdout if good else done.stdout + done.stderr


HEAD = """
    import cutlass, cutlass.cute as cute
    from cutlass.cute.runtime import from_dlpack
    import numpy as np
"""
TORCH = HEAD + "    import torch\n"


def test_hello_world(tmp_path):
    out = run(HEAD + """
    @cute.kernel
    def kernel():
        tidx, _, _ = cute.arch.thread_idx()
        if tidx == 0:
            cute.printf("Hello world")

    @cute.jit
    def hello():
        cute.printf("hello world")
        kernel().launch(grid=(1, 1, 1), block=(32, 1, 1))

    hello()
    cute.compile(hello)()
    """, folder=tmp_path)
    assert out == "hello world\nHello world\n" * 2


def test_print_says_what_is_known_while_tracing(tmp_path):
    out = run(HEAD + """
    @cute.jit
    def f(a: cutlass.Int32, b: cutlass.Constexpr[int]):
        print(">", a, b, type(a), type(b))
        layout = cute.make_layout((a, b))
        print(">", layout)
        cute.printf("< {} {}", a, layout)

    compiled = cute.compile(f, cutlass.Int32(8), 2)
    compiled(cutlass.Int32(9))
    compiled(7)
    """, folder=tmp_path)
    assert out == ("> ? 2 Int32 <class 'int'>\n> (?,2):(1,?)\n< 9 (9,2):(1,9)\n< 7 (7,2):(1,7)\n")


def test_run_time_loops_and_branches(tmp_path):
    out = run(HEAD + """
    @cute.jit
    def collatz(n: cutlass.Int32):
        steps = 0
        while n > 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        for i in range(2):
            steps += 10 * i
        cute.printf("{}", steps)

    for n in (1, 6, 27):
        collatz(n)
    """, folder=tmp_path)
    assert out.split() == ["10", "18", "121"]


@pytest.mark.parametrize("argument", ["x", "from_dlpack(x)", "from_dlpack(x, assumed_align=16).mark_layout_dynamic()"])
def test_elementwise(tmp_path, argument):
    out = run(TORCH + f"""
    @cute.kernel
    def relu(gX: cute.Tensor, gY: cute.Tensor):
        tid, bid = cute.arch.thread_idx()[0], cute.arch.block_idx()[0]
        i = bid * 128 + tid
        if i < cute.size(gX):
            gY[i] = gX[i] if gX[i] > 0 else cutlass.Float32(0)

    @cute.jit
    def host(x, y):
        relu(x, y).launch(grid=cute.ceil_div(cute.size(x), 128), block=128)

    def argument(x):
        return {argument}

    x = torch.randn(1000, device="cuda")
    y = torch.empty_like(x)
    host(argument(x), argument(y))
    torch.testing.assert_close(y, x.relu())
    compiled = cute.compile(host, argument(x), argument(y))
    y.zero_()
    compiled(argument(x), argument(y))
    torch.testing.assert_close(y, x.relu())
    print(y.device, "right")
    """, folder=tmp_path)
    assert out == "cuda:0 right\n"


def test_one_compilation_serves_any_shape(tmp_path):
    run(TORCH + """
    @cute.kernel
    def relu(gA: cute.Tensor, gC: cute.Tensor, total: cutlass.Int32):
        tid, bid = cute.arch.thread_idx()[0], cute.arch.block_idx()[0]
        idx = bid * 256 + tid
        n = gA.shape[1][1]
        if cutlass.dynamic_expr(idx < total):
            a = gA[(None, (idx // n, idx % n))].load()
            gC[(None, (idx // n, idx % n))] = cute.where(a > 0, a, 0)

    @cute.jit
    def host(mA: cute.Tensor, mC: cute.Tensor, vec: cutlass.Constexpr):
        gA, gC = cute.zipped_divide(mA, (1, vec)), cute.zipped_divide(mC, (1, vec))
        total = cute.size(gA, mode=[1])
        relu(gA, gC, total).launch(grid=(cute.ceil_div(total, 256), 1, 1), block=(256, 1, 1))

    like = from_dlpack(torch.empty(1, 1, device="cuda", dtype=torch.float16), assumed_align=16).mark_layout_dynamic()
    compiled = cute.compile(host, like, like, 8)
    for shape in ((16, 256), (3, 64), (1, 8)):
        a = torch.randn(shape, device="cuda", dtype=torch.float16)
        c = torch.empty_like(a)
        compiled(from_dlpack(a, assumed_align=16), from_dlpack(c, assumed_align=16))
        assert torch.equal(c, a.relu()), shape
    """, folder=tmp_path)


def test_a_fault_of_the_device_names_the_line(tmp_path):
    out = run(TORCH + """
    @cute.kernel
    def writes(x: cute.Tensor):
        tid = cute.arch.thread_idx()[0]
        x[tid] = 1.0

    @cute.jit
    def host(x):
        writes(x).launch(grid=1, block=32)

    host(torch.zeros(31, device="cuda"))
    """, folder=tmp_path, good=False)
    line = next(i for i, text in enumerate((tmp_path / "script.py").read_text().splitlines(), 1) if "x[tid] = 1.0" in text)
    assert "bounds: a store of 4 bytes" in out and "thread (31,0,0)" in out
    assert f"script.py:{line}" in out


@pytest.mark.parametrize("body, message", [
    ("x = cute.make_layout((4, 8), stride=(1, 2, 3))", "make_layout"),
    ("cute.copy(cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float32, num_bits_per_copy=96), None, None)",
     "no copy of 96 bits"),
    ("v = cute.make_rmem_tensor((4,), cutlass.Float32); v[0] = 'a'", "a number was expected, not str"),
    ("cute.size(cute.make_layout((4, 8)), mode=[2])", "mode"),
])
def test_mistakes_name_the_line(tmp_path, body, message):
    out = run(HEAD + f"""
    @cute.kernel
    def kernel():
        {body}

    @cute.jit
    def host():
        kernel().launch(grid=1, block=1)

    host()
    """, folder=tmp_path, good=False)
    assert message in out
    assert "script.py" in out and "Traceback" in out


def test_calls_check_their_arguments(tmp_path):
    run(TORCH + """
    @cute.jit
    def host(x: cute.Tensor, n: cutlass.Int32):
        pass

    compiled = cute.compile(host, torch.zeros(4, 4, device="cuda"), 3)
    def refused(*arguments):
        try:
            compiled(*arguments)
        except Exception as error:
            return str(error)
        return ""
    x = torch.zeros(2, 2, device="cuda")
    assert refused(x, 3) == ""
    assert "takes (x, n)" in refused(x), refused(x)
    assert "rank" in refused(torch.zeros(4, device="cuda"), 3)
    assert "float64" in refused(x.double(), 3)
    assert "stride" in refused(x.t(), 3)
    assert "argument" in refused(3, x)
    """, folder=tmp_path)


def test_arguments_and_exit_code_pass_through(tmp_path):
    run("import sys; assert sys.argv[1:] == ['--a', 'b c'], sys.argv", "--a", "b c", folder=tmp_path)
    (tmp_path / "leaves.py").write_text("import sys; sys.exit(7)")
    done = subprocess.run([sys.executable, "-m", "cutwork", "leaves.py"], cwd=tmp_path, timeout=60,
                          env={**os.environ, "PYTHONPATH": PACKAGE})
    assert done.returncode == 7


def test_import_is_quick_and_touches_no_driver(tmp_path):
    code = ("import time, sys; t = time.perf_counter(); import cutwork.cute; d = time.perf_counter() - t; "
            "assert 'torch' not in sys.modules and 'numpy' not in sys.modules; "
            "maps = open('/proc/self/maps').read(); assert 'libcuda.so' not in maps; assert d < 1.5, d")
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": PACKAGE}, check=True, timeout=60)


def test_an_installed_cutlass_is_not_hidden(tmp_path):
    (tmp_path / "cutlass").mkdir()
    (tmp_path / "cutlass" / "__init__.py").write_text("real = True\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([PACKAGE, str(tmp_path)])}
    done = subprocess.run([sys.executable, "-c", "import cutwork.compat"], env=environment, capture_output=True, text=True)
    assert done.returncode != 0 and "another package 'cutlass' is installed" in done.stderr
    environment["CUTWORK_COMPAT"] = "force"
    subprocess.run([sys.executable, "-c", "import cutwork.compat, cutlass; cutlass.cute"], env=environment, check=True)


def test_cutwork_run_passes_everything_through(tmp_path):
    (tmp_path / "script.py").write_text("import sys, cutlass; print(sys.argv[1:], cutlass.Int32(3)); sys.exit(5)")
    program = os.path.join(ROOT, "build", "bin", "cutwork")
    done = subprocess.run([program, "run", "script.py", "--help", "a b"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (5, "['--help', 'a b'] ?\n"), done
    done = subprocess.run([program, "run", "none.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and "there is no file none.py" in done.stderr
    done = subprocess.run([program, "run", "script.py"], cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "CUTWORK_PYTHON": "/nowhere/python"})
    assert done.returncode == 3 and "cannot be started" in done.stderr


@pytest.mark.parametrize("call", [
    "cutlass.Float4E2M1FN(1.0)",
    "cute.arch.fmax(1.0, 2.0, abs=True)",
    "cutlass.torch.cute_tensor_like(torch.zeros(4), cutlass.Float4E2M1FN, True)"])
def test_what_is_not_there_yet_says_so(tmp_path, call):
    out = run(TORCH + f"""
    import cutlass.torch, cutlass.cutlass_dsl
    {call}
    """, folder=tmp_path, good=False)
    assert "not supported" in out or "not possible" in out, out


def test_bodies_nested_too_deep_are_refused(tmp_path):
    out = run(HEAD + """
    @cute.jit
    def inner(n, level):
        if level > 0:
            if n > level:
                inner(n, level - 1)

    @cute.jit
    def outer(n: cutlass.Int32):
        inner(n, 200)

    outer(1)
    """, folder=tmp_path, good=False)
    assert "nested at most 128 deep" in out
