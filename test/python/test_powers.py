# test_powers.py -- ** of vectors and numbers, abs() and angles of vectors: as numpy's.
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


def same(f, *arrays, tolerance=1e-6):
    with np.errstate(all="ignore"):
        expected = np.asarray(f(*arrays), np.float64)
    np.testing.assert_allclose(of(f, *arrays), expected, rtol=tolerance)


x = np.array([-2, -1.5, 0, 0.5, 2, 3, 4, 9], np.float32)
for e in (0, 1, 2, 3, 7, -1, -2, 2.0, 0.5, 1.5, -0.5, 100):
    same(lambda s: s ** e, x, tolerance=1e-6)
    same(lambda s: pow(s, e), x, tolerance=1e-6)
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
y = np.array([0.5, -1, 0, 2, -0.25, 1, -0.0, 0.75], np.float32)
for name in ("tan", "asin", "acos", "atan"):
    same(lambda s: (getattr(cute.math, name) if isinstance(s, cute.TensorSSA) else getattr(np, name.replace("a", "arc", 1) if name[0] == "a" else name))(s), y)
def angle(a, b):
    vector = isinstance(a, cute.TensorSSA) or isinstance(b, cute.TensorSSA)
    return cute.math.atan2(a, b) if vector else np.arctan2(a, b)
same(angle, y, x)
same(lambda s: angle(s, 2.0), y)
same(lambda s: angle(-1.0, s), y)


# numbers, known and not
def numbers(f, *values):
    types = [cutlass.Int32 if isinstance(v, int) else cutlass.Float32 for v in values]
    out = torch.zeros(2, dtype=torch.float64, device="cuda")

    @cute.kernel
    def kernel(values, out: cute.Tensor):
        out[0] = cutlass.Float64(f(*values))

    @cute.jit
    def host(values, out: cute.Tensor):
        kernel(values, out).launch(grid=1, block=1)

    host(tuple(t(v) for t, v in zip(types, values)), from_dlpack(out))
    return out[0].item()


for f, values, expected in (
        (lambda a, b: a ** b, (-3, 5), -243), (lambda a, b: a ** b, (3, -1), 0), (lambda a, b: a ** b, (-1, -3), -1),
        (lambda a, b: a ** b, (2.5, 3), 2.5 ** 3), (lambda a, b: a ** b, (-2.0, 3.0), -8), (lambda a, b: a ** b, (9, 0.5), 3),
        (lambda a: a ** -2, (4,), 1 / 16), (lambda a: 2 ** a, (10,), 1024), (lambda a: 0.5 ** a, (3,), 0.125), (lambda a: 3.0 ** a, (4,), 81),
        (lambda a: a ** 0, (5,), 1), (lambda a: a ** 1.7, (3.0,), 3 ** 1.7), (lambda a: pow(a, 30.5), (1.1,), 1.1 ** 30.5),
        (lambda a, b: cute.math.atan2(a, b), (-1.0, -1.0), -3 * np.pi / 4), (lambda a: cute.math.tan(a), (1.0,), np.tan(1.0))):
    np.testing.assert_allclose(numbers(f, *values), expected, rtol=1e-6)
"""


def test_powers_and_magnitudes(tmp_path):
    script: pathlib.Path = tmp_path / "script.py"
    script.write_text(PROGRAM)
    done = subprocess.run([sys.executable, "-m", "cutwork", script], env=ENVIRONMENT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
