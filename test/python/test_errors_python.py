# test_errors_python.py -- exceptions: the place in the user's file, the traceback, the names of arguments and kernels.
import re

from test_options import run


def test_places_are_attributes(tmp_path):
    run("""
    from cutwork import CutworkError, UserError
    def caught(call):
        try:
            call()
        except Exception as error:
            return error
    @cute.jit
    def wrong(x: cute.Tensor):
        layout = cute.composition(cute.make_layout((4, 6, 8), stride=(2, 3, 5)), cute.make_layout(6, stride=3))
    error = caught(lambda: wrong(x))
    assert isinstance(error, UserError) and error.file.endswith("script.py") and error.line == 33, vars(error)
    assert error.message.startswith("composition: ") and not error.message.startswith(error.file), error.message

    @cute.jit
    def types(n: cutlass.Int32):
        r = 0
        if n > 1:
            r = None
        cute.printf("{}", r)
    error = caught(lambda: types(1))
    assert (error.line, error.message[:17]) == (40, "'r' does not keep"), vars(error)
    import sys
    if sys.version_info >= (3, 11):
        error = caught(lambda: compiled("--nothing"))
        assert error.line == 17 and error.column == 12, (error.line, error.column)
    error = caught(lambda: cute.compile(host, x, y, options="--enable-assertions")(x + 100, y))
    assert isinstance(error, CutworkError) and error.line == 8 and error.file.endswith("script.py"), vars(error)
    """, tmp_path)


TRACED = """
def helper(x):
    return cute.make_layout(x, stride=(1, 2, 3))
@cute.jit
def inner(x):
    return helper((4, 4))
@cute.jit
def outer(x: cute.Tensor):
    inner(x)
outer(x)
"""


def test_tracebacks_have_the_programs_frames(tmp_path):
    text = run(TRACED, tmp_path, code=1).stderr
    frames = re.findall(r'File ".*?([^/"]*)", line (\d+), in (\w+|<module>)', text)
    assert frames == [("script.py", "33", "<module>"), ("script.py", "32", "outer"), ("script.py", "29", "inner"),
                      ("script.py", "26", "helper")], text
    whole = run(TRACED, tmp_path, code=1, CUTE_DSL_SHOW_STACKTRACE="1").stderr
    assert "_jit.py" in whole and "runpy" in whole
    assert "_jit.py" in run(TRACED, tmp_path, code=1, CUTE_DSL_FILTER_STACKTRACE="0").stderr


def test_tracebacks_of_errors_that_the_program_catches(tmp_path):
    done = run("""
    import traceback
    @cute.jit
    def wrong(x: cute.Tensor):
        cute.make_layout((4, 4), stride=(1, 2, 3))
    try:
        wrong(x)
    except Exception:
        traceback.print_exc()
    """, tmp_path)
    assert re.findall(r'line (\d+), in', done.stderr) == ["30", "28"], done.stderr


def test_exit_codes_and_interrupts_pass(tmp_path):
    assert run("raise SystemExit(7)", tmp_path, code=7).stderr == ""
    assert "ValueError: mine" in run("raise ValueError('mine')", tmp_path, code=1).stderr


def test_faults_name_the_argument_and_the_kernel(tmp_path):
    done = run("""
    print(refusal(lambda: host(x, y[:40].clone())))
    @cute.jit
    def pairs(p: list, scale: cutlass.Float32):
        twice(p[0], p[1]).launch(grid=2, block=32)
    print(refusal(lambda: pairs([x, y[:33].clone()], 2.0)))
    @cute.jit
    def both(a: cute.Tensor, b: cute.Tensor):
        twice(a, b).launch(grid=3, block=32)
    print(refusal(lambda: both(x, x)))
    # Once C++ takes the calls, too; and buffers lose the names that they had in the call before.
    compiled = cute.compile(pairs, [x, y], 2.0)
    compiled([x, y], 2.0)
    print(refusal(lambda: compiled([x, y[:33].clone()], 2.0)))
    print(refusal(lambda: compiled([x[:34].clone(), y], 2.0)))
    """, tmp_path)
    kinds = re.findall(r"DeviceError: bounds: .*?the end of (.*?) \(\d+ bytes", done.stdout)
    assert kinds == ["argument y", "argument p[1]", "argument a and argument b", "argument p[1]", "argument p[0]"], done.stdout
    assert "at PTX of twice_0:" in done.stdout and "in kernel twice_0" in done.stdout


def test_arguments_that_do_not_fit_are_named(tmp_path):
    done = run("""
    made = compiled()
    print(refusal(lambda: made(from_dlpack(x), from_dlpack(y[:32]))))
    print(refusal(lambda: made(from_dlpack(x), from_dlpack(y.to(torch.int32)))))
    print(refusal(lambda: made(from_dlpack(x))))
    print(refusal(lambda: host(x)))
    @cute.jit
    def launches(x: cute.Tensor):
        twice(x).launch(grid=1, block=32)
    print(refusal(lambda: launches(x)))
    """, tmp_path)
    lines = done.stdout.splitlines()
    assert "argument y: extent 0 is 32" in lines[0] and "argument y: " in lines[1]
    assert "'y'" in lines[2] and "host" in lines[3] and "'y'" in lines[3] and "'y'" in lines[4], done.stdout


def test_ctrl_c_ends_a_simulated_kernel(tmp_path):
    done = run("""
    import os, signal, threading
    signal.signal(signal.SIGINT, signal.default_int_handler)    # who runs the tests in the background ignores it
    @cute.kernel
    def forever(y: cute.Tensor):
        j = cute.arch.thread_idx()[0]
        while j >= 0: j += (1 if j < 100 else 0)
        y[0] = cutlass.Float32(j)
    @cute.jit
    def hang(y: cute.Tensor): forever(y).launch(grid=1, block=1)
    compiled = cute.compile(hang, y)
    for call in (lambda: compiled(y), lambda: hang(y)):    # calls that C++ takes, and those that it does not
        threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            call()
        except KeyboardInterrupt:
            print("interrupted")
    host(x, y)      # and the next one runs
    print(y[0].item())
    """, tmp_path)
    assert done.stdout.split()[:2] == ["interrupted"] * 2 and len(done.stdout.split()) == 3, done.stdout


def test_what_is_no_number_is_refused(tmp_path):
    """Arrays and classes have __index__ or __float__ that raise; Python would iterate tensors for ever."""
    done = run("""
    import numpy
    L = cute.make_layout
    for call in (lambda: L((int, 3)), lambda: cute.size(int), lambda: cute.ceil_div(int, 3), lambda: L(cutlass.Int32),
                 lambda: cute.where(cutlass.Boolean, 1, 2), lambda: L(torch.tensor([2, 3])), lambda: L(numpy.ones(3)),
                 lambda: cute.append(L(3), L(3), L(3)), lambda: cute.select(L((2, 3)), (2, "a"))):
        try: call()
        except TypeError as error: print("refused", error)
    @cute.kernel
    def kernel(x: cute.Tensor):
        v = cute.make_rmem_tensor(4, cutlass.Float32)
        for call in (lambda: x[0] + torch.ones(3), lambda: list(x), lambda: list(x.iterator), lambda: list(v), lambda: sum(v.load())):
            try: call()
            except TypeError as error: print("refused", error)
    @cute.jit
    def all_of_them(x: cute.Tensor): kernel(x).launch(grid=1, block=1)
    all_of_them(x)
    """, tmp_path)
    assert done.stdout.count("refused") == 14, done.stdout


def test_floor_division_and_absolute_values(tmp_path):
    run("""
    @cute.kernel
    def kernel(x: cute.Tensor, y: cute.Tensor, u: cute.Tensor):
        y[0], y[1], y[2] = x[0] // 2.0, divmod(x[0], 2.0)[0], 7.0 // x[1]
        v = cute.make_rmem_tensor(2, cutlass.Float32)
        v[0], v[1] = x[0], x[1]
        halves = v.load() // 2.0
        y[3], y[4] = halves[0], abs(x[0])
        u[0], u[1] = abs(u[0]), cutlass.Uint32(abs(cutlass.Uint8(5)))
    @cute.jit
    def numbers(x: cute.Tensor, y: cute.Tensor, u: cute.Tensor): kernel(x, y, u).launch(grid=1, block=1)
    a, b = torch.tensor([-7.0, 2.0], device="cuda"), torch.zeros(5, device="cuda")
    c = torch.tensor([2**31 + 9, 0], dtype=torch.uint32, device="cuda")
    numbers(a, b, c)
    assert b.tolist() == [-4.0, -4.0, 3.0, -4.0, 7.0], b
    assert c.tolist() == [2**31 + 9, 5], c
    """, tmp_path)
