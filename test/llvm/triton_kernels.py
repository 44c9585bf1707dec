# triton_kernels.py -- Triton kernels without tensor instructions, for the tests of the simulated device.
#
# make_ptx.py compiles each with the constants and argument types below; test/python/test_sim_llvm.py says
# what each must compute.
import triton
import triton.language as tl


@triton.jit
def add(x, y, o, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def softmax(x, o, columns, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + i, mask=i < columns, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(o + row * stride + i, e / tl.sum(e, axis=0), mask=i < columns)


@triton.jit
def layernorm(x, weight, bias, o, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for first in range(0, columns, BLOCK):
        i = first + tl.arange(0, BLOCK)
        v = tl.load(x + row * columns + i, mask=i < columns, other=0.0).to(tl.float32)
        total += v
        squares += v * v
    mean = tl.sum(total, axis=0) / columns
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns - mean * mean + eps)
    for first in range(0, columns, BLOCK):
        i = first + tl.arange(0, BLOCK)
        v = tl.load(x + row * columns + i, mask=i < columns, other=0.0).to(tl.float32)
        w = tl.load(weight + i, mask=i < columns)
        b = tl.load(bias + i, mask=i < columns)
        tl.store(o + row * columns + i, ((v - mean) * scale * w + b).to(tl.float16), mask=i < columns)


@triton.jit
def reduce_2d(x, sums, peaks, where, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, COLUMNS)
    inside = (r[:, None] < rows) & (c[None, :] < columns)
    v = tl.load(x + r[:, None] * columns + c[None, :], mask=inside, other=0.0)
    tl.store(sums + r, tl.sum(v, axis=1), mask=r < rows)
    tl.store(where + r, tl.argmax(v, axis=1), mask=r < rows)
    tl.atomic_max(peaks + c, tl.max(v, axis=0), mask=c < columns)


@triton.jit
def cumsum(x, o, p, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=0)
    tl.store(o + row * columns + i, tl.cumsum(v, axis=0), mask=i < columns)
    tl.store(p + row * columns + i, tl.cumsum(v, axis=0, reverse=True), mask=i < columns)


@triton.jit
def _linear(a0, b0, a1, b1):
    return a0 * a1, a1 * b0 + b1


@triton.jit
def scan_pairs(a, b, o, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    _, h = tl.associative_scan((tl.load(a + i), tl.load(b + i)), 0, _linear)
    tl.store(o + i, h)


@triton.jit
def histogram(x, o, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    h = tl.histogram(tl.load(x + i, mask=i < n, other=0), BINS)
    tl.atomic_add(o + tl.arange(0, BINS), h)


@triton.jit
def scatter_add(x, keys, o, counts, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    k = tl.load(keys + i, mask=i < n, other=0)
    tl.atomic_add(o + k, tl.load(x + i, mask=i < n, other=0.0), mask=i < n)
    old = tl.atomic_add(counts + k, 1, mask=i < n)
    tl.atomic_max(counts + 64 + k, old, mask=i < n)


@triton.jit
def transpose(x, o, rows, columns, BLOCK: tl.constexpr):
    r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + r[:, None] * columns + c[None, :], mask=(r[:, None] < rows) & (c[None, :] < columns))
    tl.store(o + c[:, None] * rows + r[None, :], tl.trans(v), mask=(c[:, None] < columns) & (r[None, :] < rows))


@triton.jit
def gelu(x, o, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n).to(tl.float32)
    tl.store(o + i, (0.5 * v * (1 + tl.erf(v * 0.7071067811865476))).to(tl.float16), mask=i < n)


@triton.jit
def math(x, o, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=1.0)
    s = tl.sin(v) + 2 * tl.cos(v) + tl.log(tl.abs(v) + 1) + tl.exp2(v) - tl.log2(tl.abs(v) + 2)
    s += tl.rsqrt(tl.abs(v) + 1) + tl.sigmoid(v) + tl.floor(v) + tl.ceil(v) + tl.sqrt_rn(tl.abs(v))
    s = tl.where(v > 0, tl.maximum(s, v), tl.minimum(s, -v)) + tl.div_rn(v, 3.0) + tl.fma(v, v, s)
    tl.store(o + i, s, mask=i < n)


@triton.jit
def sort(x, o, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o + i, tl.sort(tl.load(x + i)))


@triton.jit
def integers(x, y, o, p, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i, mask=i < n, other=1)
    b = tl.load(y + i, mask=i < n, other=1)
    s = (a // b) * 7 + a % b + (a << (b & 7)) - (a >> 3) + (a ^ b) * (a | b) + tl.umulhi(a, b)
    tl.store(o + i, s.to(tl.int64) * a.to(tl.int64) // 3, mask=i < n)
    tl.store(p + i, (s.to(tl.int8) // 3).to(tl.int16) + a.to(tl.uint8), mask=i < n)


@triton.jit
def bf16_mix(x, y, o, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i, mask=i < n, other=0.0)
    b = tl.load(y + i, mask=i < n, other=0.0)
    tl.store(o + i, (a.to(tl.float32) * b + 1).to(tl.bfloat16) + a, mask=i < n)


@triton.jit
def fp8(x, a, b, o, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    p = v.to(tl.float8e4nv)
    q = v.to(tl.float8e5)
    tl.store(a + i, p, mask=i < n)
    tl.store(b + i, q, mask=i < n)
    tl.store(o + i, p.to(tl.float16).to(tl.float32) + 2 * q.to(tl.float32), mask=i < n)


@triton.jit
def random(o, seed, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o + i, tl.randint(seed, i), mask=i < n)


@triton.jit
def gather(x, index, o, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    r = tl.arange(0, ROWS)
    c = tl.arange(0, COLUMNS)
    at = r[:, None] * COLUMNS + c[None, :]
    tl.store(o + at, tl.gather(tl.load(x + at), tl.load(index + at), axis=0))


@triton.jit
def matvec(a, x, o, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    s = tl.zeros([ROWS, COLUMNS], dtype=tl.float32)
    for first in range(0, columns, COLUMNS):
        c = first + tl.arange(0, COLUMNS)
        m = tl.load(a + r[:, None] * columns + c[None, :], mask=(r[:, None] < rows) & (c[None, :] < columns), other=0.0)
        s += m * tl.load(x + c, mask=c < columns, other=0.0)[None, :]
    tl.store(o + r, tl.sum(s, axis=1), mask=r < rows)


@triton.jit
def lock(mutex, total, n):
    while tl.atomic_cas(mutex, 0, 1) == 1:
        pass
    tl.store(total, tl.load(total) + tl.program_id(0))
    tl.atomic_xchg(mutex, 0)


# What compute capability 8.0 does not have; 8.9 converts by way of fp16, and rounds twice.
HOPPER_ONLY = {"fp8"}

# name: ({argument: type}, {constant: value}, warps)
KERNELS = {
    "add": ({"x": "*fp32", "y": "*fp32", "o": "*fp32", "n": "i32"}, {"BLOCK": 1024}, 4),
    "softmax": ({"x": "*fp32", "o": "*fp32", "columns": "i32", "stride": "i32"}, {"BLOCK": 1024}, 8),
    "layernorm": ({"x": "*fp16", "weight": "*fp32", "bias": "*fp32", "o": "*fp16", "columns": "i32", "eps": "fp32"},
                  {"BLOCK": 512}, 4),
    "reduce_2d": ({"x": "*fp32", "sums": "*fp32", "peaks": "*fp32", "where": "*i32", "rows": "i32",
                   "columns": "i32"}, {"ROWS": 16, "COLUMNS": 64}, 4),
    "cumsum": ({"x": "*i32", "o": "*i32", "p": "*i32", "columns": "i32"}, {"BLOCK": 512}, 4),
    "scan_pairs": ({"a": "*fp32", "b": "*fp32", "o": "*fp32"}, {"BLOCK": 256}, 4),
    "histogram": ({"x": "*i32", "o": "*i32", "n": "i32"}, {"BLOCK": 1024, "BINS": 64}, 4),
    "scatter_add": ({"x": "*fp32", "keys": "*i32", "o": "*fp32", "counts": "*i32", "n": "i32"}, {"BLOCK": 512}, 4),
    "transpose": ({"x": "*fp16", "o": "*fp16", "rows": "i32", "columns": "i32"}, {"BLOCK": 32}, 4),
    "gelu": ({"x": "*fp16", "o": "*fp16", "n": "i32"}, {"BLOCK": 1024}, 4),
    "math": ({"x": "*fp32", "o": "*fp32", "n": "i32"}, {"BLOCK": 256}, 2),
    "sort": ({"x": "*i32", "o": "*i32"}, {"BLOCK": 256}, 4),
    "integers": ({"x": "*i32", "y": "*i32", "o": "*i64", "p": "*i16", "n": "i32"}, {"BLOCK": 256}, 4),
    "bf16_mix": ({"x": "*bf16", "y": "*bf16", "o": "*bf16", "n": "i32"}, {"BLOCK": 512}, 4),
    "fp8": ({"x": "*fp32", "a": "*fp8e4nv", "b": "*fp8e5", "o": "*fp32", "n": "i32"}, {"BLOCK": 512}, 4),
    "random": ({"o": "*i32", "seed": "i32", "n": "i32"}, {"BLOCK": 256}, 4),
    "gather": ({"x": "*fp32", "index": "*i32", "o": "*fp32"}, {"ROWS": 32, "COLUMNS": 16}, 4),
    "matvec": ({"a": "*fp32", "x": "*fp32", "o": "*fp32", "rows": "i32", "columns": "i32"},
               {"ROWS": 32, "COLUMNS": 64}, 4),
    "lock": ({"mutex": "*i32", "total": "*i32", "n": "i32"}, {}, 1),
}
