# triton_references.py -- what the Triton kernels of test/llvm/triton_kernels.py must compute, in numpy.
import math as m

import numpy as np
from llvm_references import Case, Out, bf16, floats, from_bf16, i32, integers, whole, wrap


def zeros(expected):
    return np.zeros_like(expected)


def add():
    x, y = floats(3000), floats(3000)
    return Case([x, y, Out(x + y), i32(3000)], grid=(3,))


def softmax():
    x = floats((5, 800))
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    return Case([x, Out((e / e.sum(axis=1, keepdims=True)).astype(np.float32), rtol=1e-5), i32(800), i32(800)],
                grid=(5,))


def layernorm():
    x, w, b = floats((4, 1200), dtype=np.float16), floats(1200), floats(1200)
    v = x.astype(np.float64)
    o = (v - v.mean(1, keepdims=True)) / np.sqrt(v.var(1, keepdims=True) + 1e-5) * w + b
    return Case([x, w, b, Out(o.astype(np.float16), rtol=2e-3, atol=2e-3), i32(1200), {"f32": 1e-5}], grid=(4,))


def reduce_2d():
    x = floats((37, 50))
    peaks = np.zeros(50, np.float32)
    peaks = np.maximum(peaks, x.max(axis=0))
    return Case([x, Out(x.astype(np.float64).sum(axis=1).astype(np.float32), rtol=1e-4, atol=1e-4),
                 Out(peaks, np.zeros(50, np.float32)), Out(argmax(x)), i32(37), i32(50)], grid=(3,))


def argmax(x):
    """Of rows padded with zeros to 64 columns, as the kernel reads them."""
    return np.pad(x, ((0, 0), (0, 14))).argmax(axis=1).astype(np.int32)


def cumsum():
    x = integers((3, 400), -1000, 1000, np.int32)
    return Case([x, Out(x.cumsum(axis=1, dtype=np.int32)), Out(x[:, ::-1].cumsum(axis=1, dtype=np.int32)[:, ::-1]),
                 i32(400)], grid=(3,))


def scan_pairs():
    a, b = floats((2, 256), 0.5, 1.1), floats((2, 256))
    h, out = np.zeros(2), []
    for k in range(256):
        h = a[:, k] * h + b[:, k].astype(np.float64)
        out.append(h)
    return Case([a, b, Out(np.stack(out, axis=1).astype(np.float32), rtol=1e-4, atol=1e-4)], grid=(2,))


def histogram():
    x = integers(2000, 0, 63, np.int32)
    h = np.bincount(x, minlength=64).astype(np.int32)
    # Where the mask is off the kernel counts zeros.
    h[0] += 48
    return Case([x, Out(h, zeros(h)), i32(2000)], grid=(2,))


def scatter_add():
    x, keys = integers(900, -50, 50, np.int32).astype(np.float32), integers(900, 0, 63, np.int32)
    sums = np.bincount(keys, x, 64).astype(np.float32)
    n = np.bincount(keys, minlength=64).astype(np.int32)
    counts = np.concatenate([n, np.maximum(n - 1, 0)]).astype(np.int32)
    return Case([x, keys, Out(sums, zeros(sums)), Out(counts, zeros(counts)), i32(900)], grid=(2,))


def transpose():
    x = floats((50, 70), dtype=np.float16)
    return Case([x, Out(x.T), i32(50), i32(70)], grid=(2, 3))


def gelu():
    x = floats(3000, dtype=np.float16)
    o = [0.5 * v * (1 + m.erf(v * m.sqrt(0.5))) for v in x.astype(float)]
    return Case([x, Out(np.array(o, np.float16), rtol=2e-3, atol=1e-3), i32(3000)], grid=(3,))


def math():
    x = floats(1000)
    v = x.astype(np.float64)
    p = np.abs(v)
    s = np.sin(v) + 2 * np.cos(v) + np.log(p + 1) + np.exp2(v) - np.log2(p + 2)
    s = s + 1 / np.sqrt(p + 1) + 1 / (1 + np.exp(-v)) + np.floor(v) + np.ceil(v) + np.sqrt(p)
    o = np.where(v > 0, np.maximum(s, v), np.minimum(s, -v)) + v / 3 + (v * v + s)
    return Case([x, Out(o.astype(np.float32), rtol=1e-4, atol=1e-3), i32(1000)], grid=(4,))


def sort():
    x = whole(512, np.int32)
    return Case([x, Out(np.sort(x.reshape(2, 256), axis=1))], grid=(2,))


def integers_():
    x, y = integers(700, -2**31 + 1, 2**31 - 1, np.int32), integers(700, 1, 5000, np.int32)
    o, p = [], []
    for a, b in zip(x.tolist(), y.tolist()):
        q = abs(a) // b * (1 if a >= 0 else -1)
        high = wrap(wrap(a, 32) * wrap(b, 32) >> 32, 32)
        s = wrap(q * 7 + (a - q * b) + (a << (b & 7)) - (a >> 3) + (a ^ b) * (a | b) + high, 32, True)
        t = wrap(s * a, 64, True)
        o.append(abs(t) // 3 * (1 if t >= 0 else -1))
        c = wrap(s, 8, True)
        p.append(wrap(abs(c) // 3 * (1 if c >= 0 else -1) + wrap(a, 8), 16, True))
    return Case([x, y, Out(np.array(o, np.int64)), Out(np.array(p, np.int16)), i32(700)], grid=(3,))


def bf16_mix():
    x, y = bf16(floats(700)), bf16(floats(700))
    a, b = from_bf16(x).astype(np.float64), from_bf16(y)
    fused = from_bf16(bf16((a * b + 1).astype(np.float32)))
    return Case([x, y, Out(bf16((fused + from_bf16(x)).astype(np.float32))), i32(700)], grid=(2,))


def fp8_values(exponent, mantissa, most):
    """What the codes 0 to `most` stand for: the numbers of a format of 8 bits that are not negative, in order."""
    bias = 2 ** (exponent - 1) - 1
    codes = np.arange(most + 1)
    e, fraction = codes >> mantissa, (codes & (1 << mantissa) - 1) / 2.0**mantissa
    return np.where(e == 0, fraction * 2.0 ** (1 - bias), (1 + fraction) * 2.0 ** (e - bias))


def to_fp8(x, values):
    """The nearest code; of two as near the even one, and the greatest for what is above it."""
    size = np.minimum(np.abs(x.astype(np.float64)), values[-1])
    above = np.searchsorted(values, size).clip(0, len(values) - 1)
    below = np.maximum(above - 1, 0)
    up, down = values[above] - size, size - values[below]
    code = np.where((up < down) | ((up == down) & (above % 2 == 0)), above, below)
    code = np.where(values[above] == size, above, code)
    return (code | np.signbit(x).astype(int) << 7).astype(np.uint8)


def from_fp8(codes, values):
    return np.where(codes >> 7 != 0, -1.0, 1.0) * values[codes & 127]


def fp8():
    e4m3, e5m2 = fp8_values(4, 3, 0x7E), fp8_values(5, 2, 0x7B)
    scales = 2.0 ** integers(1000, -18, 8, np.int32)
    x = (floats(1000).astype(np.float64) * scales).astype(np.float32)
    x[:8] = [0.0, -0.0, 448.0, -448.0, 1e6, -1e6, 57344.0, 2.0**-17]
    a, b = to_fp8(x, e4m3), to_fp8(x, e5m2)
    out = from_fp8(a, e4m3) + 2 * from_fp8(b, e5m2)
    return Case([x, Out(a), Out(b), Out(out.astype(np.float32)), i32(1000)], grid=(2,))


def random():
    """Philox 4x32 with ten rounds: the first word for counters 0, 1, 2, ... and a 64-bit seed."""
    def philox(counter, seed):
        c, k = [counter, 0, 0, 0], [wrap(seed, 32), seed >> 32]
        for _ in range(10):
            p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            c = [q >> 32 ^ c[1] ^ k[0], wrap(q, 32), p >> 32 ^ c[3] ^ k[1], wrap(p, 32)]
            k = [wrap(k[0] + 0x9E3779B9, 32), wrap(k[1] + 0xBB67AE85, 32)]
        return c[0]

    return Case([Out(np.array([philox(i, 12345) for i in range(500)], np.uint32)), i32(12345), i32(500)], grid=(2,))


def gather():
    x, index = floats((32, 16)), integers((32, 16), 0, 31, np.int32)
    return Case([x, index, Out(np.take_along_axis(x, index, axis=0))])


def matvec():
    a, x = floats((50, 150)), floats(150)
    return Case([a, x, Out((a.astype(np.float64) @ x).astype(np.float32), rtol=1e-4, atol=1e-4), i32(50), i32(150)],
                grid=(2,))


def lock():
    start = np.zeros(1, np.int32)
    return Case([Out(start, start), Out(np.array([45], np.int32), start), i32(10)], grid=(10,))


CASES = {"integers": integers_, **{name: make for name, make in list(globals().items()) if name in """
    add softmax layernorm reduce_2d cumsum scan_pairs histogram scatter_add transpose gelu math sort
    bf16_mix fp8 random gather matvec lock""".split()}}
