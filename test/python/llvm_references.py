# llvm_references.py -- what the C kernels of test/llvm/kernels.c must compute, written in numpy.
import struct
import zlib

import numpy as np

RANDOM = np.random.default_rng(20261130)


class Case:
    """A launch: `args` are arrays (read), Out (compared after the run), or {"i32": 5} and the like."""

    def __init__(self, args, block=(64,), grid=(1,), dynamic_smem=0, stdout=None):
        self.args, self.block, self.grid = args, block, grid
        self.dynamic_smem, self.stdout = dynamic_smem, stdout


class Out:
    """A buffer compared with `expected`. Nobody has written it before the run, unless it has a `start`."""

    def __init__(self, expected, start=None, rtol=0.0, atol=0.0):
        self.expected, self.start, self.rtol, self.atol = np.ascontiguousarray(expected), start, rtol, atol


def i32(value):
    return {"i32": int(value)}


def integers(count, low, high, dtype):
    return RANDOM.integers(low, high, count, dtype=dtype, endpoint=True)


def floats(count, low=-4.0, high=4.0, dtype=np.float32):
    return RANDOM.uniform(low, high, count).astype(dtype)


def whole(count, dtype):
    """Any bits of an integer type, small ones among them."""
    info = np.iinfo(dtype)
    values = integers(count, info.min, info.max, dtype)
    values[::5] = integers(len(values[::5]), 0, 9, dtype)
    return values


def wrap(value, bits, signed=False):
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def div(a, b):
    """C's quotient of integers."""
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def rem(a, b):
    return a - div(a, b) * b


def each(function, *arrays, dtype):
    return np.array([function(*map(int, values)) for values in zip(*arrays)], dtype=dtype)


def f32(value):
    return float(np.float32(value))


def bf16(values):
    """float32 rounded to bfloat16, as its 16 bits."""
    bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (np.asarray(bits, np.uint16).astype(np.uint32) << 16).view(np.float32)


# --- elementwise and vectors

def vadd():
    a, b = floats(200), floats(200)
    return Case([a, b, Out(a + b), i32(200)], grid=(4,))


def saxpy4():
    x, y = floats(1024), floats(1024)
    return Case([{"f32": 0.5}, x, Out(np.float32(0.5) * x + y, y, rtol=1e-6, atol=1e-6), i32(1024)], grid=(2,))


def vectors():
    a, b = whole(256, np.uint32), whole(128, np.uint64)
    c, d = whole(256, np.uint8), whole(256, np.int16)
    out = []
    for i in range(64):
        v = [int(x) for x in a[4 * i:4 * i + 4]][::-1]
        w, z = (wrap(int(b[2 * i + k]) * 3 + int(b[2 * i + 1 - k]), 64) for k in (0, 1))
        p = [wrap(int(c[4 * i + k]) + k + 1, 8) for k in range(4)]
        q = [int(d[4 * i + k]) >> (k + 1) for k in range(4)]
        v[0] ^= wrap(w, 32)
        v[1] ^= z >> 32
        v[2] += p[0] | p[1] << 8 | p[2] << 16 | p[3] << 24
        v[3] += q[0] + q[1] * q[2] - q[3]
        out += [wrap(x, 32) for x in v]
    return Case([a, b, c, d, Out(np.array(out, np.uint32))])


def halves():
    a, b = floats(100, dtype=np.float16), floats(100, dtype=np.float16)
    z = a * b + a
    z = np.where(a < b, z - b, z)
    z = np.where(z > 8, np.trunc(z.astype(np.float32)).astype(np.float16), z)
    return Case([a, b, Out(z), i32(100)], grid=(2,))


def half_vectors():
    a = floats((64, 8), dtype=np.float16)
    s = a[:, 0:2] + a[:, 2:4] * a[:, 4:6] - a[:, 6:8]
    o = a.copy()
    o[:, 0], o[:, 7] = s[:, 0], s[:, 1]
    return Case([a, Out(-o)])


def bfloats():
    a, b = bf16(floats(100)), floats(100)
    x, y = from_bf16(a), from_bf16(bf16(b))
    return Case([a, b, Out(np.where(x > 0, bf16(x * y), bf16(x + y))), i32(100)], grid=(2,))


def doubles():
    x = floats(100, dtype=np.float64)
    s, term = np.ones(100), np.ones(100)
    for k in range(1, 20):
        term = term * x / k
        s = s + term
    return Case([x, Out(s / (1 + x * x) + np.sqrt(np.abs(x))), i32(100)], grid=(2,))


def rounding():
    x = floats(100, -40, 40)
    one = np.float32
    s = np.floor(x) + one(2) * np.ceil(x) + one(4) * np.trunc(x)
    s = s + (one(8) * np.rint(x) + one(16) * np.abs(x) + np.copysign(one(32), x))
    s = np.minimum(s, one(1000)) + np.maximum(x, one(0))
    fused = s.astype(np.float64) * x + np.sqrt(np.abs(x)).astype(np.float64)
    return Case([x, Out(fused.astype(np.float32), rtol=1e-5, atol=1e-3), i32(100)], grid=(2,))


def conversions():
    x, y = floats(64, -100, 30000), floats(64, -1e9, 1e9, np.float64)
    x[:8], y[:3] = [0, 1, 0.5, 2.5, 32767, 100.75, 3, 127], [0, 1, -1.5]
    rows = []
    for v, w in zip(x, y):
        n = int(v)
        bits64 = struct.unpack("<Q", struct.pack("<d", float(v)))[0]
        whole64 = struct.unpack("<Q", struct.pack("<d", float(wrap(n, 32))))[0]
        half = np.float16(v)
        rows.append([
            wrap(n, 32), max(n, 0), wrap(wrap(n, 8, True), 32), wrap(n, 16), wrap(int(w) >> 8, 32),
            int(abs(w)), int(np.float32(w).view(np.uint32)), int(half.view(np.uint16)), int(bf16([v])[0]),
            int(np.float32(int(w)).view(np.uint32)), int(np.float32(wrap(n, 8)).view(np.uint32)),
            wrap(bits64, 32), whole64 >> 32, int(np.float32(n).astype(np.float16).view(np.uint16)),
            int(np.float32(half).view(np.uint32)), int(w != 0)])
    return Case([x, y, Out(np.array(rows, np.uint32))])


# --- integers

def bytes_():
    a, b = whole(300, np.uint8), whole(300, np.int8)
    return Case([a, b, Out(each(
        lambda a, b: wrap(min(max((a * 77 + b * 30) >> 3, 0), 255) ^ (a >> 1) ^ wrap(div(b, 3), 8), 8),
        a, b, dtype=np.uint8)), i32(300)])


def shorts():
    def one(x, y):
        z = wrap(x * y + (x >> 3) - (y >> 2), 16, True)
        if y != 0:
            z = wrap(z + wrap(x // wrap(y | 1, 16), 16, True) + rem(y, 7), 16, True)
        return wrap(z << (x & 7), 16, True)

    a, b = whole(100, np.uint16), whole(100, np.int16)
    return Case([a, b, Out(each(one, a, b, dtype=np.int16)), i32(100)], grid=(2,))


def longs():
    def one(x, y):
        u, sx = wrap(y, 64), wrap(x, 64, True)
        s = x * u + (x * u >> 64)
        s = wrap(s, 64) ^ wrap(sx * y >> 64, 64)
        s += x // (u | 1) + wrap(rem(y, 1000003), 64) + wrap(div(sx, wrap(u | 1, 64, True)), 64)
        s = wrap(s, 64) ^ wrap(x << (y & 63), 64) ^ x >> (y & 31) ^ wrap(y >> (x & 63), 64)
        zeros = (x | 256) & -(x | 256)
        return wrap(s + x.bit_count() + (64 - (x | 1).bit_length()) * 3 + zeros.bit_length() - 1, 64)

    a, b = whole(100, np.uint64), whole(100, np.int64)
    return Case([a, b, Out(each(one, a, b, dtype=np.uint64)), i32(100)], grid=(2,))


def wide():
    a = whole(256, np.uint64)
    out = []
    for i in range(64):
        x, y = (int(a[4 * i + k]) | int(a[4 * i + k + 1]) << 64 for k in (0, 2))
        r = wrap(x * y + (x >> 37) - (y << 3) + min(x, y), 128)
        out += [wrap(r, 64), r >> 64]
    return Case([a, Out(np.array(out, np.uint64))])


def bits():
    def one(x):
        def turned(v, k):
            return wrap(v << k | v >> (32 - k), 32) if k else v

        s = int(f"{x:032b}"[::-1], 2) ^ int.from_bytes(wrap(x * 3, 32).to_bytes(4, "little"), "big")
        s = wrap(s + x.bit_count() + 32 - (x | 1).bit_length() + (x & -x).bit_length(), 32)
        s ^= wrap(turned(x, x & 31) + turned(x, 25), 32)
        total = wrap(x, 32, True) + wrap(s, 32, True)
        s = wrap(s + (5 if total != wrap(total, 32, True) else total), 32)
        sat = min(max(wrap(x, 32, True) + wrap(s, 32, True), -2**31), 2**31 - 1)
        s ^= wrap(sat - max(x - s, 0), 32)
        s = wrap(s + ((x >> 5 & 0xff) | wrap((s & 0xf0f) << 12, 32)), 32)
        s ^= wrap(wrap(x << 9, 32, True) >> 20, 32)
        return s if (x > 77 and s & 1) or x == 3 else wrap(~s, 32)

    a = whole(100, np.uint32)
    return Case([a, Out(each(one, a, dtype=np.uint32)), i32(100)], grid=(2,))


def bit_fields():
    a, f = whole(64, np.uint32), whole(64, np.uint64)
    fields, out = f.copy(), []
    for i in range(64):
        old, v = int(f[i]), int(a[i])
        fa, fb = wrap((old & 7) + v, 3), wrap(v >> 3, 13)
        fc, fd = wrap(v, 9, True), wrap((old >> 25) ^ wrap(v * 7919, 64), 37)
        fields[i] = old >> 62 << 62 | fa | fb << 3 | wrap(fc, 9) << 16 | fd << 25
        out.append(fd + fc - fb * fa)
    return Case([a, Out(fields, f), Out(np.array(out, np.int64))])


def packed():
    dtype = np.dtype([("tag", "u1"), ("value", "<u4"), ("big", "<u8"), ("small", "<u2")])
    p = np.frombuffer(RANDOM.bytes(64 * dtype.itemsize), dtype)
    big = p["big"] ^ p["small"]
    return Case([p.view(np.uint8), Out(p["tag"] + p["value"].astype(np.uint64) * np.uint64(3) + big)])


# --- control flow

def collatz():
    def one(x):
        n = 0
        while x != 1:
            x, n = (3 * x + 1 if x % 2 else x // 2), n + 1
        return n

    a = integers(100, 1, 5000, np.uint32)
    return Case([a, Out(each(one, a, dtype=np.uint32)), i32(100)], grid=(2,))


def dense_switch():
    def one(x):
        s = x
        for k in range(6):
            w = (s >> k) & 15
            if w == 0:
                s += 7
            elif w == 1:
                s *= 3
            elif w == 2:
                s = (s ^ 0x5555) - k
            elif w == 3:
                s -= k
            elif w == 4:
                s = s << 1 | s >> 31
            elif w == 5:
                s += x
            elif w == 6:
                s |= 0x100
            elif w == 7:
                s &= ~0x40
            elif w == 8:
                if x & 1:
                    return s
                s += 9
            elif w == 9:
                s //= 3
            elif w == 10:
                s = ~s
            else:
                s += 11
            s = wrap(s, 32)
        return s

    a = whole(200, np.uint32)
    return Case([a, Out(each(one, a, dtype=np.uint32)), i32(200)], grid=(4,))


def irreducible():
    def one(x):
        n, second = 0, x & 1
        while True:
            if not second:
                x, n = wrap(x * 5 + 1, 32), n + 1
                if n > 40:
                    break
            second = False
            x, n = x ^ x >> 3, n + 1
            if n >= 30 + x % 7:
                break
        return wrap(x + n, 32)

    a = whole(64, np.uint32)
    return Case([a, Out(each(one, a, dtype=np.uint32))])


def mandelbrot():
    out = np.zeros(256, np.uint16)
    for index in range(256):
        cr, ci = f32(f32(index % 32 * f32(0.09)) - 2), f32(f32(index // 32 * f32(0.09)) - 1)
        zr = zi = 0.0
        n = 0
        while n < 200 and f32(f32(zr * zr) + f32(zi * zi)) < 4:
            zr, zi = f32(f32(f32(zr * zr) - f32(zi * zi)) + cr), f32(f32(f32(2 * zr) * zi) + ci)
            n += 1
        out[index] = n
    return Case([Out(out), i32(32), {"f32": 0.09}], grid=(4,))


def early_exits():
    a = integers(64, -20, 60, np.int32)

    def one(i):
        s = 0
        for k in range(64):
            v = int(a[(i * 7 + k) % 64])
            if v == 13:
                break
            if rem(v, 3) == 0:
                continue
            for j in range(v & 7):
                if s > 5000:
                    return -s
                s += j * v
        return s

    return Case([a, Out(each(one, range(64), dtype=np.int32)), i32(64)])


# --- functions and the stack

PAIR = np.dtype([("weight", "<f8"), ("count", "<i4"), ("tail", "<i2", 2)])


def pairs(count):
    p = np.zeros(count, PAIR)
    p["weight"], p["count"] = floats(count), integers(count, -1000, 1000, np.int32)
    p["tail"] = integers((count, 2), -1000, 1000, np.int16)
    return p


def combine(a, b):
    r = np.zeros(np.broadcast(a, b).shape, PAIR)
    r["weight"], r["count"] = a["weight"] * b["weight"], a["count"] - b["count"]
    r["tail"] = a["tail"] + 2 * b["tail"][..., ::-1]
    return r


def by_value():
    first, rest = pairs(1), pairs(64)
    r = combine(first, combine(rest, first))
    r["count"] += 200
    return Case([{"struct": first.tobytes()}, rest, Out(r), {"struct": bytes([200])}])


def recursion():
    def ackermann(m, n):
        return n + 1 if m == 0 else ackermann(m - 1, 1 if n == 0 else ackermann(m, n - 1))

    return Case([Out(np.array([ackermann(i % 3, i % 5) for i in range(64)], np.uint32))])


def pointers_to_functions():
    a = integers(64, -100, 100, np.int32)
    table = [lambda a, b: a + b, lambda a, b: a * b, max, lambda a, b: a - b]
    return Case([a, Out(np.array([table[i & 3](int(a[i]), i) + table[(i + 1) & 3](i, 3) for i in range(64)],
                                 np.int32))])


def variadic():
    a = integers(64, -100, 100, np.int32)
    return Case([a, Out(np.array([int(a[i]) + 2 * i + 15 + int(2.5 * i) + 2 * i for i in range(64)], np.int32))])


def local_sort():
    a = integers((64, 24), -100, 100, np.int32)
    return Case([a, Out(np.sort(a, axis=1))])


def generic_pointers():
    out, memory = [], np.zeros(40 * 32, np.uint8)
    for i in range(18):
        data = [wrap(i + k * k, 8) for k in range(40)]
        h = 2166136261
        for byte in data:
            h = wrap((h ^ byte) * 16777619, 32)
        out.append(h)
        if i % 3 == 2:
            memory[40 * i:40 * i + 40] = data
    return Case([Out(memory, np.zeros(40 * 32, np.uint8)), Out(np.array(out, np.uint32))], block=(32,))


def stack_array():
    n = integers(64, 1, 40, np.int32)
    return Case([n, Out(np.array([sum(k * i for k in range(int(n[i]) - 1, -1, -2)) for i in range(64)], np.int32))])


def copies():
    data, out, sums = pairs(64), np.zeros(64, PAIR), []
    for i in range(64):
        v = data[(i + np.arange(5)) % 64]
        v[1:5] = v[0:4].copy()
        v[3:4].view(np.uint8)[:] = 0x11
        out[i] = v[i % 5]
        sums.append(wrap(int(v["count"][3]) + int(v["count"][2]), 32))
    return Case([data, Out(out), Out(np.array(sums, np.uint32))])


# --- constants

def crc32():
    text = whole(64 * 20, np.uint8)
    return Case([text, Out(np.array([zlib.crc32(text[20 * i:20 * i + 20]) for i in range(64)], np.uint32)), i32(20)])


def initialised():
    lengths, counts = [4, 3, 6, 13], [5, -6, 7]
    return Case([Out(np.array([wrap(lengths[i & 3] - 6 + counts[i % 3], 32) for i in range(64)], np.uint32))])


# --- shared memory and barriers

def block_sum():
    x = floats(1000)
    out = []
    for block in range(4):
        parts = np.zeros(128, np.float32)
        for t in range(128):
            for i in range(block * 128 + t, 1000, 512):
                parts[t] += x[i]
        k = 64
        while k:
            parts[:k] += parts[k:2 * k]
            k //= 2
        out.append(parts[0])
    return Case([x, Out(np.array(out, np.float32)), i32(1000)], block=(128,), grid=(4,))


def matmul():
    a, b = floats((64, 64)), floats((64, 64))
    return Case([a, b, Out((a.astype(np.float64) @ b).astype(np.float32), rtol=1e-5, atol=1e-4), i32(64)],
                block=(256,), grid=(16,))


def transpose():
    a = whole(64 * 64, np.uint16).reshape(64, 64)
    return Case([a, Out(a.T), i32(64)], block=(256,), grid=(4,))


def bitonic():
    a = whole(512, np.uint32)
    return Case([a, Out(np.sort(a.reshape(2, 256), axis=1))], block=(256,), grid=(2,))


def reverse_dynamic():
    a = floats(192)
    return Case([a, Out(a.reshape(2, 96)[:, ::-1])], block=(96,), grid=(2,), dynamic_smem=96 * 4)


def barrier_reductions():
    a = integers((3, 96), -10, 10, np.int32)
    a[1][a[1] == 7] = 8
    a[2] = 7
    n = (a > 0).sum(axis=1, keepdims=True)
    every, some = (a != 7).all(axis=1, keepdims=True), (a == 7).any(axis=1, keepdims=True)
    return Case([a, Out(np.broadcast_to(n * 4 + every * 2 + some, a.shape).astype(np.int32))], block=(96,), grid=(3,))


# --- warps

def warp_sum():
    a = integers((2, 32), -100, 100, np.int32)
    total, up = a.sum(axis=1, keepdims=True), a.cumsum(axis=1)
    lane = np.arange(32)
    thread = np.arange(64).reshape(2, 32)
    first = (total ^ thread)[:, 5:6]
    down = np.where(lane % 8 + 3 < 8, thread + 3, thread)
    return Case([a, Out((total + up + first + down).astype(np.int32))])


def votes():
    a = integers(64, 0, 255, np.uint32)
    out = []
    for warp in a.reshape(2, 32).astype(int):
        def ballot(holds):
            return sum(1 << i for i, v in enumerate(warp) if holds(v))

        for v in warp:
            v = int(v)
            s = ballot(lambda w: w & 1) + int((warp > 250).any()) + 2 * int((warp > 2).all())
            s += 4 if len({int(w) & 4 for w in warp}) == 1 else 0
            s = wrap(s, 32) ^ ballot(lambda w, v=v: w % 5 == v % 5)
            s = wrap(s + ballot(lambda w, v=v: w % 3 == v % 3), 32)
            if v & 8:
                s ^= ballot(lambda w: w & 8 and w & 16)
            out.append(wrap(s + int(warp.sum()) + int(warp.max()), 32))
    return Case([a, Out(np.array(out, np.uint32))])


# --- atomics

def histogram():
    a = whole(1000, np.uint8)
    return Case([a, Out(np.bincount(a % 64, minlength=64).astype(np.uint32), np.zeros(64, np.uint32)), i32(1000)],
                block=(128,), grid=(3,))


def atomics():
    a = integers(128, 0, 60000, np.uint32)
    v = a.astype(np.int64)
    u0 = np.array([1, 2, 0xffffffff, 4, 5, 6, 100000, 0, 0, 5, 0, 5, 0, 0], np.uint32)
    u = u0.astype(np.int64)
    u[0] += v.sum()
    u[1] -= v.sum()
    u[2] &= np.bitwise_and.reduce(v | 0xffff0000)
    u[3] |= np.bitwise_or.reduce(v)
    u[4] ^= np.bitwise_xor.reduce(v)
    u[5], u[6], u[7] = max(6, v.max()), v.min(), 0
    for _ in v:
        u[8] = 0 if u[8] >= 9 else u[8] + 1
        u[9] = 9 if u[9] == 0 or u[9] > 9 else u[9] - 1
    u[10], u[11] = 3 * v.sum(), 77
    n = np.bincount(v & 3, minlength=4)
    u[12] = sum(int(n[k] & 255) << (8 * k) for k in range(4))
    odd = int((v & 1).sum())
    u[13] = (128 - odd) | odd << 16
    l0 = np.array([1, 0, 9], np.int64)
    longs_ = l0 + [v.sum() << 20, -v.max() * 1000000, 0]
    longs_[2] = 9 ^ np.bitwise_xor.reduce(v << 31)
    return Case([Out((u & 0xffffffff).astype(np.uint32), u0), Out(longs_, l0),
                 Out(np.array([(v & 255).sum()], np.float32), np.zeros(1, np.float32)),
                 Out(np.array([v.sum()], np.float64), np.zeros(1)), a], grid=(2,))


def spin_lock():
    return Case([Out(np.zeros(1, np.uint32), np.zeros(1, np.uint32)),
                 Out(np.array([3 * sum(range(1, 65))], np.uint32), np.zeros(1, np.uint32))], grid=(3,))


def last_block():
    a = integers(320, -100, 100, np.int32).astype(np.float32)
    return Case([a, Out(a.reshape(10, 32).sum(axis=1)), Out(a.sum(keepdims=True)),
                 Out(np.array([10], np.uint32), np.zeros(1, np.uint32))], block=(32,), grid=(10,))


# --- output

def print_():
    a = floats(4, -100, 100, np.float64)
    lines = [f"{i - 1}|{i * 3:5}|{a[i]:<8.3f}|{'odd' if i & 1 else 'even'}|{i << 40}|{chr(97 + i)}|%\n" for i in range(4)]
    return Case([a], block=(4,), stdout="".join(lines))


CASES = {name.rstrip("_"): make for name, make in list(globals().items())
         if name in ("bytes_", "print_") or name in """
    vadd saxpy4 vectors halves half_vectors bfloats doubles rounding conversions shorts longs wide bits bit_fields
    packed collatz dense_switch irreducible mandelbrot early_exits by_value recursion pointers_to_functions variadic
    local_sort generic_pointers stack_array copies crc32 initialised block_sum matmul transpose bitonic
    reverse_dynamic barrier_reductions warp_sum votes histogram atomics spin_lock last_block""".split()}
