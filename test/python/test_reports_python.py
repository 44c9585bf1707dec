# test_reports_python.py -- more reports of users of other implementations, by number: threads, printing of types, large tensors.
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from test_language_python import run  # noqa: E402

THREADS = """
import linecache, threading
TEXT = '''
@cute.kernel
def k(x: cute.Tensor, n: cutlass.Int32):
    s = 0
    for i in range(n):
        if i % {m} == 0:
            s += i
    x[0] = s
@cute.jit
def f(x: cute.Tensor, n: cutlass.Int32):
    k(x, n).launch(grid=1, block=1)
'''
results = {}
tensors = {m: torch.zeros(1, dtype=torch.int32, device='cuda') for m in range(1, 9)}
barrier = threading.Barrier(8)
def work(m):
    text = TEXT.format(m=m); name = f"<thread {m}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {"cute": cute, "cutlass": cutlass}
    exec(compile(text, name, "exec"), space)
    x = tensors[m]
    barrier.wait()
    for n in (10, 20):
        compiled = cute.compile(space["f"], from_dlpack(x), n)
        compiled(from_dlpack(x), n)
        results[m, n] = x.item()
        space["f"](x, n + 5)
        results[m, n + 5] = x.item()
threads = [threading.Thread(target=work, args=(m,)) for m in range(1, 9)]
[t.start() for t in threads]; [t.join() for t in threads]
print(results == {(m, n): sum(i for i in range(n) if i % m == 0) for m in range(1, 9) for n in (10, 15, 20, 25)}, len(results))
"""


def test_r49_eight_threads_compile_different_kernels(tmp_path):
    assert run(tmp_path, THREADS) == "True 32\n"


def test_r55_printing_of_narrow_types_and_run_time_shapes(tmp_path):
    out = run(tmp_path, """
        @cute.kernel
        def k(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
            cute.print_tensor(a)
            cute.print_tensor(b)
            cute.print_tensor(c)
            cute.print_tensor(a.load())
        @cute.jit
        def f(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
            k(a, b, c).launch(grid=1, block=1)
        a = torch.tensor([1.0, -448.0, 0.5, 2.0], device="cuda").to(torch.float8_e4m3fn)
        t = from_dlpack(a.view(torch.uint8))
        t.element_type = cutlass.Float8E4M3FN
        f(t, from_dlpack(torch.tensor([True, False], device="cuda")),
          from_dlpack(torch.arange(6, dtype=torch.int64, device="cuda").reshape(2, 3)).mark_layout_dynamic())
    """)
    rows = "       [ 1.000000, ],\n       [-448.000000, ],\n       [ 0.500000, ],\n       [ 2.000000, ])\n"
    assert out.count(rows) == 2 and "tensor(tensor_value<vector<4xf8e4m3fn> o (4)>, data=\n" in out
    assert "i1, gmem, align<1>) o (2):(1), data=\n       [1, ],\n       [0, ])\n" in out
    assert "i64, gmem, align<8>) o (2,3):(3,1), data=\n       [[0, 1, 2, ],\n        [3, 4, 5, ]])\n" in out


def test_r15_tensors_of_more_than_2_to_the_31_elements(tmp_path):
    out = run(tmp_path, """
        t = from_dlpack(torch.empty((2, 65536, 65536), device="meta"))
        print(t.shape, t.stride)
        t.mark_compact_shape_dynamic(0)
        print(t.shape, t.stride)
        one = from_dlpack(torch.empty((1, 65536, 256, 256), device="meta")).mark_layout_dynamic()
        print(one.shape, one.stride)
        one = torch.zeros(64, device="cuda").as_strided((1, 64), (1 << 32, 1))
        taken = lambda: from_dlpack(one, use_32bit_stride=True).mark_layout_dynamic()
        @cute.jit
        def last(x: cute.Tensor):
            cute.printf("{}", x.shape)
        cute.compile(last, taken())(taken())
        print(taken().stride)
        try:
            from_dlpack(torch.empty((2, 65536, 65536), device="meta"), use_32bit_stride=True).mark_layout_dynamic()
        except Exception as error:
            print("32" in str(error))
    """)
    assert out.splitlines()[0] == "(2, 65536, 65536) (4294967296, 65536, 1)"
    assert out.splitlines()[1] == "(?{i64}, 65536, 65536) (4294967296, 65536, 1)"  # 64 bits, as the number of elements needs
    assert out.splitlines()[2].endswith(", 1)")
    assert out.splitlines()[3:] == ["(1,64)", "(?, 1)", "True"]
