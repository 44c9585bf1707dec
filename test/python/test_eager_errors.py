# test_eager_errors.py -- what is said of mistakes outside of traces: the function, the parameter, the user's line, no frame of Cutwork's.
import subprocess
import sys

import pytest
from test_language_python import ENVIRONMENT

HEAD = """
import cutwork.compat, torch, traceback
import cutlass, cutlass.cute as cute
from cutlass.cute.runtime import from_dlpack
import cutlass.testing as testing, cuda.bindings.driver as drv

x, L = torch.zeros(4, device="cuda"), cute.make_layout((4, 5))
@cute.kernel
def k(x: cute.Tensor): x[0] = 1.0
@cute.jit
def f(x: cute.Tensor): k(x).launch(grid=1, block=1)
@cute.jit
def on(x: cute.Tensor, st: drv.CUstream): k(x).launch(grid=1, block=1, stream=st)
compiled = cute.compile(f, x)
s, other = (drv.CUstream(torch.cuda.Stream().cuda_stream) for _ in range(2))
def said(call):
    try:
        call()
    except Exception as error:
        ours = sum("/cutwork/" in frame.filename for frame in traceback.extract_tb(error.__traceback__))
        print(f"{ours} {type(error).__name__}: {error}")
    else:
        print("nothing")
"""
# (expression, what is said of it, how many frames of Cutwork's at most)
TRACED = "this works only while a kernel or a host function is traced: inside the function that cutwork::jit was given, in Python inside one"
MISTAKES = [(call, f"UserError: FILE:LINE:1: {TRACED}", 2) for call in (
    "cute.printf('x')", "cute.arch.thread_idx()", "cute.arch.sync_threads()", "cute.make_rmem_tensor((4,), cutlass.Float32)",
    "cute.full((4,), 1, cutlass.Float32)", "cute.math.exp(2.0)", "cute.make_ptr(cutlass.Float32, 0)")] + [
    ("cute.copy(1, 2, 3)", "UserError: FILE:LINE: copy: (atom: object, src: Tensor, dst: Tensor, pred: object | None) was expected", 1),
    ("cute.print_tensor(3)", "UserError: FILE:LINE: print_tensor: ", 1),
    ("cute.crd2idx(L, (1, 2))", "TypeError: crd2idx: coord: an integer, None or a tuple of them was expected, not Layout ((4,5):(1,4))", 1),
    ("cute.make_layout((2, 'a'))", "TypeError: make_layout: shape: an integer, None or a tuple of them was expected, not str ('a')", 1),
    ("cute.make_layout((2, 3), stride='q')", "TypeError: make_layout: stride: an integer", 1),
    ("cute.size(3.5)", "TypeError: size: x: an integer", 1),
    ("cute.zipped_divide(L, 'a')", "TypeError: zipped_divide: tiler: a tiler: an integer, a layout or a tuple of them was expected", 1),
    ("f('x')", "UserError: FILE:LINE: argument x: a Tensor was expected", 0),
    ("cute.compile(f, 'x')", "UserError: FILE:LINE: argument x: a Tensor was expected", 0),
    ("compiled('x')", "TypeError: f: argument x: ", 0),
    ("cute.compile(on, x, s)(x, 'q')", "TypeError: on: argument st: a stream was expected (of torch, cuda.bindings or cutwork, an integer or None)", 0),
    ("cute.compile(lambda n: n, 3)", "StagingError: FILE:LINE: a lambda cannot be traced: write a `def`, decorated with @cute.jit", 0),
    ("cute.assume(4, divby=0)", "UserError: FILE:LINE: assume: divby is a positive integer, not 0", 2),
    ("cute.struct(3)", "TypeError: @cute.struct decorates a class, whose annotations are the fields, not 3", 1),
    ("testing.benchmark(lambda: None, stream=s)", "ValueError: benchmark: the callable launches nothing on the stream it is measured on", 9),
    ("testing.benchmark(cute.compile(on, x, s), kernel_arguments=testing.JitArguments(x, other), stream=s)", "ValueError: benchmark: ", 9),
    ("testing.benchmark(compiled, kernel_arguments=testing.JitArguments(x), use_cuda_graphs=True)", "ValueError: benchmark: CUDA graphs", 9)]


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    script = tmp_path_factory.mktemp("eager") / "script.py"
    script.write_text(HEAD + "".join(f"said(lambda: {call})\n" for call, *_ in MISTAKES))
    done = subprocess.run([sys.executable, script], env=ENVIRONMENT, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr
    return [line.replace(str(script), "FILE") for line in done.stdout.splitlines()]


@pytest.mark.parametrize("number", range(len(MISTAKES)), ids=[call for call, *_ in MISTAKES])
def test_mistake(answers, number):
    _, text, most = MISTAKES[number]
    ours, _, said = answers[number].partition(" ")
    assert text.replace("LINE", str(HEAD.count("\n") + number + 1)) in said
    assert int(ours) <= most


def test_the_users_own_errors_stay_as_they_are(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(HEAD + """
def own(x):
    raise TypeError("mine was expected, not yours")
said(lambda: cute.transform_leaf(own, (1, 2)))
""")
    done = subprocess.run([sys.executable, script], env=ENVIRONMENT, capture_output=True, text=True, check=False, timeout=100)
    assert done.stdout.endswith(" TypeError: mine was expected, not yours\n"), done.stdout + done.stderr


def test_a_lost_update_is_told_from_a_missing_barrier(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(HEAD + """
@cute.kernel
def adds(x: cute.Tensor): x[0] += 1.0
@cute.jit
def both(x: cute.Tensor): adds(x).launch(grid=1, block=64)
said(lambda: both(x))
""")
    done = subprocess.run([sys.executable, script], env=ENVIRONMENT, capture_output=True, text=True, check=False, timeout=100)
    assert "one line reads and writes it: an atomic operation would keep what each of them adds" in done.stdout, done.stdout + done.stderr
