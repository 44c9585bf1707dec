# test_testing.py -- cute.testing: benchmark (simulated, and what it does to a GPU, with a stand-in), convert, tune, assert_, options.
import os
import subprocess
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

HEAD = """
import argparse, sys
import cutlass, cutlass.cute as cute, cutlass.cute.testing as testing, torch
from cutlass.cute.runtime import from_dlpack

@cute.kernel
def device(x: cute.Tensor, y: cute.Tensor, factor: cutlass.Constexpr):
    i = cute.arch.thread_idx()[0]
    y[i] = x[i] * factor

@cute.jit
def scale(x: cute.Tensor, y: cute.Tensor, factor: cutlass.Constexpr = 2.0):
    device(x, y, factor).launch(grid=1, block=32)

x, y = torch.arange(32.0, device="cuda"), torch.zeros(32, device="cuda")
def raises(kind, call):
    try:
        call()
    except kind as problem:
        return str(problem)
    raise AssertionError(f"no {kind.__name__}")
"""


def run(source, folder):
    script = folder / "script.py"
    script.write_text(HEAD + textwrap.dedent(source))
    environment = {**os.environ, "PYTHONPATH": os.path.join(ROOT, "build/python"), "CUTWORK_DEVICE": "sim:sm_90a"}
    done = subprocess.run([sys.executable, "-m", "cutwork", script], cwd=folder, env=environment, capture_output=True, text=True,
                          timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_benchmark_here_is_one_call_and_says_so(tmp_path):
    out = run("""
    calls, made = [], []
    compiled = cute.compile(scale, x, y)
    def call(a, b, extra=0):
        calls.append(extra)
        compiled(a, b)
    def sets():
        made.append(1)
        return testing.JitArguments(x, y, extra=7)
    taken = testing.benchmark(call, workspace_generator=sets, workspace_count=5, warmup_iterations=3, iterations=50)
    assert taken > 0 and calls == [7] and made == [1] and y.tolist() == (x * 2).tolist()
    taken = testing.benchmark(compiled, kernel_arguments=testing.JitArguments(x, y), use_cuda_graphs=True, use_cupti=True,
                              nvtx_tag="tag", stream=torch.cuda.Stream().cuda_stream)
    testing.benchmark(lambda: None)
    """, tmp_path)
    counted = "simulated: not a GPU time; 1 blocks, "
    lines = out.splitlines()
    assert lines[0].startswith(counted) and lines[0].endswith("128 bytes loaded, 128 stored") and lines[1] == lines[0]
    assert lines[2:] == ["simulated: not a GPU time"]


def test_benchmark_says_what_does_not_fit(tmp_path):
    run("""
    assert "at least 1" in raises(ValueError, lambda: testing.benchmark(print, iterations=0))
    assert "not both" in raises(ValueError, lambda: testing.benchmark(print, kernel_arguments=testing.JitArguments(),
                                                                      workspace_generator=testing.JitArguments))
    assert "JitArguments, not tuple" in raises(TypeError, lambda: testing.benchmark(print, workspace_generator=lambda: (x, y)))
    assert "JitArguments, not list" in raises(TypeError, lambda: testing.benchmark(print, kernel_arguments=[x]))
    kept = testing.JitArguments(x)
    kept.add_to_scope([y, x])
    assert kept.references[0] is y and kept.args[0] is x
    assert testing.get_workspace_count(1 << 40, 3, 5) == 2 and testing.get_workspace_count(1, 3, 5) == 8
    assert testing.get_workspace_count(10 << 20, 30, 50) == 11  # of twice the 50 MiB of L2 that the device has
    """, tmp_path)


def test_both_names_are_one_module(tmp_path):
    assert run("import cutlass.testing\nprint(cutlass.testing is testing)", tmp_path) == "True\n"


def test_convert(tmp_path):
    run("""
    f = torch.randn(12, 20, device="cuda") * 4
    for type_ in (torch.float16, torch.bfloat16, torch.float64, torch.int32, torch.int8):
        for dynamic in (False, True):
            source, out = from_dlpack(f), torch.empty(12, 20, device="cuda", dtype=type_)
            testing.convert(source.mark_layout_dynamic() if dynamic else source, out)
            assert torch.equal(out.cpu(), f.cpu().to(type_)), type_
    strided = torch.zeros(20, 12, device="cuda").t()
    testing.convert(f, strided)
    assert torch.equal(strided.cpu(), f.cpu())
    for type_, torch_type in ((cutlass.Float8E4M3FN, torch.float8_e4m3fn), (cutlass.Float8E5M2, torch.float8_e5m2)):
        narrow = from_dlpack(torch.empty(12, 20, device="cuda", dtype=torch.uint8))
        narrow.element_type = type_
        back = torch.empty_like(f)
        testing.convert(f, narrow)
        testing.convert(narrow, back)
        assert torch.equal(back.cpu(), f.cpu().to(torch_type).float())
    odd = from_dlpack(torch.empty(12, 18, device="cuda", dtype=torch.uint8))
    odd.element_type = cutlass.Float8E5M2
    assert "divisible by 4, not 18" in raises(ValueError, lambda: testing.convert(f[:, :18].contiguous(), odd))
    assert "(12, 20) and (20, 12)" in raises(ValueError, lambda: testing.convert(f, torch.empty(20, 12, device="cuda")))
    """, tmp_path)


def test_tune_and_autotune_jit(tmp_path):
    out = run("""
    def candidate(a, b, factor):
        if factor == 3.0:
            raise testing.CantImplementError("not 3")
        compiled = cute.compile(scale, a, b, factor)
        return lambda: compiled(a, b)
    best = testing.tune(candidate, {"factor": [1.0, 3.0]}, testing.JitArguments(x, y))
    assert best == {"factor": 1.0} and y.tolist() == x.tolist()
    assert "not 3" in raises(ValueError, lambda: testing.tune(candidate, {"factor": [3.0]}, testing.JitArguments(x, y)))

    @testing.autotune_jit(params_dict={"factor": [4.0, 4.0]}, update_on_change=["n"], warmup_iterations=1, iterations=1)
    @cute.jit
    def tuned(x: cute.Tensor, y: cute.Tensor, n: cutlass.Constexpr, factor: cutlass.Constexpr = 1.0):
        device(x, y, factor).launch(grid=1, block=32)
    for n in (1, 1, 2):
        tuned(x, y, n)
        assert y.tolist() == (x * 4).tolist() and len(tuned.best) == n
    """, tmp_path)
    assert out.count("simulated: not a GPU time") == 1 + 2 * 2


def test_assert_(tmp_path):
    run("""
    @cute.kernel
    def checks(x: cute.Tensor):
        i = cute.arch.thread_idx()[0]
        testing.assert_(x[i] < 5.0, "five {or} more")
    @cute.jit
    def host(x: cute.Tensor):
        testing.assert_(True)
        checks(x).launch(grid=1, block=4)
    host(x + 4)  # not compiled in
    checked = cute.compile(host, x, options="--enable-assertions")
    checked(x)
    from cutwork import DeviceError
    raises(DeviceError, lambda: checked(x + 4))
    assert "mine" in raises(testing.RuntimeAssertion, lambda: testing.assert_(False, "mine"))
    """, tmp_path)


def test_options_of_programs(tmp_path):
    run("""
    def parsed(*arguments):
        parser = argparse.ArgumentParser()
        testing.add_tensor_init_args(parser, supports_int_dtypes=False)
        args = parser.parse_args(arguments)
        parser.error = lambda text: (_ for _ in ()).throw(ValueError(text))
        testing.validate_tensor_init_args(args, parser)
        return args.init_normal, args.normal_mean, args.normal_std
    assert parsed() == (False, 0.0, 1.0) and parsed("--init_normal", "--normal_std", "2") == (True, 0.0, 2.0)
    assert "above 0" in raises(ValueError, lambda: parsed("--init_normal", "--normal_std", "0"))
    assert "are for --init_normal" in raises(ValueError, lambda: parsed("--normal_mean", "1"))
    """, tmp_path)


STAND_IN = """
    # What benchmark does to a GPU, with a stand-in for torch.cuda that writes down what is asked of it.
    import contextlib, warnings
    from cutwork import _device
    log, launches, elsewhere = [], [], []

    class Device:
        simulated = False
    class Stream:
        def __init__(self, handle=0):
            self.cuda_stream = handle
    class Graph:
        def replay(self):
            log.append(f"replay {self.calls}")
    @contextlib.contextmanager
    def graph(made, stream, capture_error_mode):
        before = len(launches)
        yield
        made.calls = len(launches) - before
        log.append(f"capture {made.calls} on {stream.cuda_stream}")
        if elsewhere:
            warnings.warn("The CUDA Graph is empty. This usually means that ...")
    class Event:
        def __init__(self, enable_timing):
            pass
        def record(self, stream):
            log.append(f"record on {stream.cuda_stream}")
        def synchronize(self):
            pass
        def elapsed_time(self, end):
            return 6.0
    _device.best = lambda: Device()
    for name, value in {"CUDAGraph": Graph, "graph": graph, "Event": Event, "ExternalStream": Stream, "synchronize": lambda: None,
                        "stream": lambda s: contextlib.nullcontext(), "current_stream": Stream, "default_stream": Stream}.items():
        setattr(torch.cuda, name, value)
    sets = iter(range(100))
    def measured(**options):
        log.clear(), launches.clear()
        return testing.benchmark(launches.append, workspace_generator=lambda: testing.JitArguments(next(sets) % 3), workspace_count=3,
                                 warmup_iterations=2, iterations=6, **options)
"""


def test_benchmark_of_a_gpu(tmp_path):
    run(STAND_IN + """
    assert measured() == 1000.0 and log == ["record on 0", "record on 0"] and launches == [0, 1, 2] * 3
    assert measured(stream=5) == 1000.0 and log == ["capture 1 on 5", "record on 5", "record on 5"] and len(launches) == 1 + 1 + 2 + 6
    assert measured(stream=5, use_cuda_graphs=True) == 1000.0
    assert log == ["capture 2 on 5", "replay 2", "capture 6 on 5", "record on 5", "replay 6", "record on 5"]
    assert launches == [0, 1, 2] * 3
    for stream in (None, 0):
        assert "not the default one" in raises(ValueError, lambda: measured(stream=stream, use_cuda_graphs=True))
    elsewhere.append(1)
    assert "launches nothing on the stream" in raises(ValueError, lambda: measured(stream=5))
    elsewhere.clear()
    def refuses(x):
        if log:
            raise RuntimeError("would make the legacy stream depend on a capturing blocking stream")
        log.append("first")
    log.clear()
    assert "cannot be captured" in raises(ValueError, lambda: testing.benchmark(refuses, kernel_arguments=testing.JitArguments(1), stream=5))
    """, tmp_path)


def variables(source, folder, **variables):
    """(output, errors) of a script with these environment variables."""
    script = folder / "script.py"
    script.write_text(HEAD + textwrap.dedent(source))
    environment = {**os.environ, "PYTHONPATH": os.path.join(ROOT, "build/python"), "CUTWORK_DEVICE": "sim:sm_90a", **variables}
    done = subprocess.run([sys.executable, "-m", "cutwork", script], cwd=folder, env=environment, capture_output=True, text=True,
                          timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, done.stderr


def test_tuning_is_logged_on_request(tmp_path):
    source = """
    def candidate(n):
        if n == 3:
            raise testing.CantImplementError("not 3")
        return lambda: None
    testing.tune(candidate, {"n": [1, 3]})
    """
    errors = variables(source, tmp_path, CUTE_DSL_LOG_AUTOTUNE="1")[1].splitlines()
    assert errors[0].startswith("cutwork: autotune: {'n': 1}: ") and errors[0].endswith(" us")
    assert errors[1:] == ["cutwork: autotune: {'n': 3} is skipped: not 3"]
    assert variables(source, tmp_path)[1].splitlines() == errors[1:]  # what is skipped is said in any case


def test_tuning_skips_what_cannot_be_compiled_or_launched_and_nothing_else(tmp_path):
    source = """
    @cute.kernel
    def kernel(): pass
    @cute.jit
    def host(block: cutlass.Constexpr, grid: cutlass.Constexpr):
        if cutlass.const_expr(grid == 2):
            cute.make_layout((2, 3), stride=(1,))                # cannot be compiled
        kernel().launch(grid=grid, block=block)
    compiled = lambda block, grid: cute.compile(host, block, grid)
    best = testing.tune(compiled, {"block": [32, 4096], "grid": [1, 2]})     # 4096 threads cannot be launched
    print(best)
    for wrong in (lambda block, grid: compiled(block), lambda block, grid: {}["nothing"], lambda block, grid: (lambda: 1 + "1")):
        try:
            testing.tune(wrong, {"block": [32], "grid": [1]})
        except (TypeError, KeyError) as error:
            print(type(error).__name__)
    """
    printed, errors = variables(source, tmp_path)
    assert printed.splitlines()[-4:] == ["{'block': 32, 'grid': 1}", "TypeError", "KeyError", "TypeError"], printed
    skipped = [line for line in errors.splitlines() if line.startswith("cutwork: autotune: {")]
    assert [line.partition(" is skipped: ")[0].removeprefix("cutwork: autotune: ") for line in skipped] == [
        "{'block': 32, 'grid': 2}", "{'block': 4096, 'grid': 1}", "{'block': 4096, 'grid': 2}"], errors


def test_rewritten_functions_are_printed_on_request(tmp_path):
    source = """
    @cute.jit
    def host(n: cutlass.Int32):
        if n > 1:
            cute.printf("{}", n)
    host(2)
    """
    errors = variables(source, tmp_path, CUTE_DSL_PRINT_AFTER_PREPROCESSOR="yes")[1]
    assert errors.startswith("# host of ") and "def host(n):" in errors and "if n > 1:" not in errors
    assert variables(source, tmp_path)[1] == ""


def test_kept_files(tmp_path):
    variables("scale(x, y)", tmp_path, CUTE_DSL_KEEP="ptx,ir", CUTE_DSL_DUMP_DIR=str(tmp_path / "kept"))
    kept = {path.suffix for path in (tmp_path / "kept").iterdir()}
    assert ".ptx" in kept and ".mlir" in kept and ".cubin" not in kept
