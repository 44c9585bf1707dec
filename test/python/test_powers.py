# test_powers.py -- ** and abs() of vectors: as numpy's.
import pathlib
import subprocess
import sys

from test_language_python import ENVIRONMENT, HEAD

PROGRAM = HEAD + """
def of(f, *arrays):
    values = [torch.tensor(a).cuda() for a in arrays]
    out = torch.zeros(len(arrays[0]), dtype=torch.float64, device="cuda")
    n = cutlass.Int32(3)

    @cute.kernel
    def kernel(values, out: cute.Tensor):
        out.store(f(*[v.load() for v in values]).to(cutlass.Float64))

    @cute.jit
    def host(values, out: cute.Tensor):
        kernel(values, out).launch(grid=1, block=1)

    host(tuple(map(from_dlpack, values)), from_dlpack(out))
    return out.cpu().numpy()


def same(f, *arrays, tolerance=1e-5):
    with np.errstate(all="ignore"):
        expected = np.asarray(f(*arrays), np.float64)
    np.testing.assert_allclose(of(f, *arrays), expected, rtol=tolerance)


x = np.array([-2, -1.5, 0, 0.5, 2, 3, 4, 9], np.float32)
for e in (0, 1, 2, 3, 7, -1, -2, 2.0, 0.5, 1.5, -0.5, 100):
    same(lambda s: s ** e, x, tolerance=1e-4)
    same(lambda s: pow(s, e), x, tolerance=1e-4)
for b in (2, 2.0, 3, 0.5, 10.0):
    same(lambda s: b ** s, x)
same(lambda s, t: s ** t, x, np.array([3, 2, 0, 2, -1, 1, 0.5, -0.5], np.float32))
same(lambda s, t: s ** t, x, np.array([2, 0.5, 0.5, 0, -2, 1.5, 3, 0], np.float32))
same(abs, x)

i = np.array([-3, -2, -1, 0, 1, 2, 3, 46340], np.int32)
for e in (0, 1, 2):
    assert of(lambda s: s ** e, i).tolist() == [v ** e for v in i.tolist()]
same(lambda s: s ** 0.5, i)
e = np.array([3, 4, -5, 6, -7, 30, 19, 2], np.int32)
assert of(lambda s, t: s ** t, i, e).tolist() == [-27, 16, -1, 0, 1, 2**30, 3**19, 46340**2]
assert of(lambda s: 2 ** s, np.arange(31, dtype=np.int32)).tolist() == [2**n for n in range(31)]
assert of(abs, i).tolist() == [abs(v) for v in i.tolist()]
assert of(lambda s: s ** 2, np.array([True, False])).tolist() == [1, 0]
for wrong, text in ((lambda s: abs(s > 0), "abs() of a vector of Boolean"), (lambda s: s ** "a", "unsupported operand")):
    try:
        of(wrong, x)
    except Exception as error:
        assert text in str(error), error
    else:
        raise AssertionError(text)
for name in ("tan", "asin", "acos", "atan", "atan2"):
    try:
        of(getattr(cute.math, name), x)
    except AttributeError as error:
        assert f"cute.math.{name} is not supported yet (docs/support.md)" in str(error), error
    else:
        raise AssertionError(name)
"""


def test_powers_and_magnitudes(tmp_path):
    script: pathlib.Path = tmp_path / "script.py"
    script.write_text(PROGRAM)
    done = subprocess.run([sys.executable, "-m", "cutwork", script], env=ENVIRONMENT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
