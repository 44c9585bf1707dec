// kernels.c -- C kernels for clang's NVPTX target, whose PTX the simulated device runs in the tests.
//
// test/llvm/make_ptx.py compiles them at several levels and for several targets into
// test/data/llvm_ptx.jsonl.gz; test/python/test_sim_llvm.py says what each must compute.
typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;
typedef short s16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef long s64;
typedef float float4 __attribute__((ext_vector_type(4)));
typedef u32 uint4 __attribute__((ext_vector_type(4)));
typedef u64 ulong2 __attribute__((ext_vector_type(2)));
typedef u8 uchar4 __attribute__((ext_vector_type(4)));
typedef s16 short4 __attribute__((ext_vector_type(4)));
typedef _Float16 half2 __attribute__((ext_vector_type(2)));
typedef _Float16 half8 __attribute__((ext_vector_type(8)));

#define KERNEL __attribute__((nvptx_kernel)) void
#define SHARED static __attribute__((address_space(3)))
#define CONSTANT static const __attribute__((address_space(4)))
#define NOINLINE __attribute__((noinline))
#define TID ((int)__nvvm_read_ptx_sreg_tid_x())
#define THREADS ((int)__nvvm_read_ptx_sreg_ntid_x())
#define BLOCK ((int)__nvvm_read_ptx_sreg_ctaid_x())
#define BLOCKS ((int)__nvvm_read_ptx_sreg_nctaid_x())
#define INDEX (BLOCK * THREADS + TID)
#define SYNC() __nvvm_bar_sync(0)
#define ALL 0xffffffffu

// --- elementwise and vectors

KERNEL vadd(const float *a, const float *b, float *c, int n) {
  int i = INDEX;
  if (i < n) c[i] = a[i] + b[i];
}

KERNEL saxpy4(float alpha, const float4 *restrict x, float4 *restrict y, int n) {
  for (int i = INDEX; i < n / 4; i += BLOCKS * THREADS) y[i] = alpha * x[i] + y[i];
}

KERNEL vectors(const uint4 *a, const ulong2 *b, const uchar4 *c, const short4 *d, uint4 *o) {
  int i = INDEX;
  uint4 v = a[i].wzyx;
  ulong2 w = b[i] * 3 + b[i].yx;
  uchar4 p = c[i] + (uchar4){1, 2, 3, 4};
  short4 q = d[i] >> (short4){1, 2, 3, 4};
  v.x ^= (u32)w.x;
  v.y ^= (u32)(w.y >> 32);
  v.z += p.x | p.y << 8 | p.z << 16 | (u32)p.w << 24;
  v.w += (u32)(q.x + q.y * q.z - q.w);
  o[i] = v;
}

KERNEL halves(const _Float16 *a, const _Float16 *b, _Float16 *o, int n) {
  int i = INDEX;
  if (i >= n) return;
  _Float16 x = a[i], y = b[i];
  _Float16 z = x * y + x;
  if (x < y) z = z - y;
  o[i] = z > (_Float16)8 ? (_Float16)(float)(int)z : z;
}

KERNEL half_vectors(const half8 *a, half8 *o) {
  int i = INDEX;
  half8 x = a[i];
  half2 s = x.lo.lo + x.lo.hi * x.hi.lo - x.hi.hi;
  x.s07 = s;
  o[i] = -x;
}

KERNEL bfloats(const __bf16 *a, const float *b, __bf16 *o, int n) {
  int i = INDEX;
  if (i >= n) return;
  float x = (float)a[i];
  __bf16 y = (__bf16)b[i];
  o[i] = x > 0 ? (__bf16)(x * (float)y) : a[i] + y;
}

KERNEL doubles(const double *x, double *o, int n) {
  int i = INDEX;
  if (i >= n) return;
  double v = x[i], s = 1, term = 1;
  for (int k = 1; k < 20; ++k) {
    term = term * v / k;
    s += term;
  }
  o[i] = s / (1 + v * v) + __builtin_sqrt(v < 0 ? -v : v);
}

KERNEL rounding(const float *x, float *o, int n) {
  int i = INDEX;
  if (i >= n) return;
  float v = x[i];
  float s = __builtin_floorf(v) + 2 * __builtin_ceilf(v) + 4 * __builtin_truncf(v);
  s += 8 * __builtin_rintf(v) + 16 * __builtin_fabsf(v) + __builtin_copysignf(32, v);
  s = __builtin_fminf(s, 1000) + __builtin_fmaxf(v, 0);
  o[i] = __builtin_fmaf(s, v, __builtin_sqrtf(__builtin_fabsf(v)));
}

KERNEL conversions(const float *x, const double *y, u32 *o) {
  int i = INDEX;
  float v = x[i];
  double w = y[i];
  u32 *p = o + 16 * i;
  p[0] = (u32)(int)v;
  p[1] = v < 0 ? 0 : (u32)v;
  p[2] = (u32)(s8)(int)v;
  p[3] = (u16)(s16)v;
  p[4] = (u32)((s64)w >> 8);
  p[5] = (u32)(u64)(w < 0 ? -w : w);
  p[6] = __builtin_bit_cast(u32, (float)w);
  p[7] = (u32)__builtin_bit_cast(u16, (_Float16)v);
  p[8] = (u32)__builtin_bit_cast(u16, (__bf16)v);
  p[9] = __builtin_bit_cast(u32, (float)(s64)w);
  p[10] = __builtin_bit_cast(u32, (float)(u8)(int)v);
  p[11] = (u32)__builtin_bit_cast(u64, (double)v);
  p[12] = (u32)(__builtin_bit_cast(u64, (double)(u32)(int)v) >> 32);
  p[13] = (u32)__builtin_bit_cast(u16, (_Float16)(int)v);
  p[14] = __builtin_bit_cast(u32, (float)(_Float16)v);
  p[15] = v == v && w != 0;
}

// --- integers

KERNEL bytes(const u8 *a, const s8 *b, u8 *o, int n) {
  for (int i = INDEX; i < n; i += BLOCKS * THREADS) {
    int blend = (a[i] * 77 + b[i] * 30) >> 3;
    blend = blend < 0 ? 0 : blend > 255 ? 255 : blend;
    o[i] = (u8)(blend ^ (a[i] >> 1) ^ (u8)(b[i] / 3));
  }
}

KERNEL shorts(const u16 *a, const s16 *b, s16 *o, int n) {
  int i = INDEX;
  if (i >= n) return;
  u16 x = a[i];
  s16 y = b[i];
  s16 z = (s16)(x * y + (x >> 3) - (y >> 2));
  if (y != 0) z += (s16)(x / (u16)(y | 1)) + (s16)(y % 7);
  o[i] = (s16)(z << (x & 7));
}

KERNEL longs(const u64 *a, const s64 *b, u64 *o, int n) {
  int i = INDEX;
  if (i >= n) return;
  u64 x = a[i];
  s64 y = b[i];
  u64 s = x * (u64)y;
  s += (u64)((unsigned __int128)x * (u64)y >> 64);
  s ^= (u64)((__int128)(s64)x * y >> 64);
  s += x / ((u64)y | 1) + (u64)(y % 1000003);
  s += (u64)((s64)x / (y | 1));
  s ^= x << (y & 63) ^ x >> (y & 31) ^ (u64)(y >> (x & 63));
  s += (u64)__builtin_popcountll(x) + (u64)__builtin_clzll(x | 1) * 3 + (u64)__builtin_ctzll(x | 256);
  o[i] = s;
}

KERNEL wide(const unsigned __int128 *a, unsigned __int128 *o) {
  int i = INDEX;
  unsigned __int128 x = a[2 * i], y = a[2 * i + 1];
  o[i] = x * y + (x >> 37) - (y << 3) + ((x < y) ? x : y);
}

KERNEL bits(const u32 *a, u32 *o, int n) {
  int i = INDEX;
  if (i >= n) return;
  u32 x = a[i];
  u32 s = __builtin_bitreverse32(x) ^ __builtin_bswap32(x * 3);
  s += (u32)__builtin_popcount(x) + (u32)__builtin_clz(x | 1) + (u32)__builtin_ffs((int)x);
  s ^= __builtin_rotateleft32(x, x & 31) + __builtin_rotateright32(x, 7);
  int sum;
  s += __builtin_add_overflow((int)x, (int)s, &sum) ? 5 : (u32)sum;
  s ^= __builtin_elementwise_add_sat((int)x, (int)s) - __builtin_elementwise_sub_sat(x, s);
  s += (x >> 5 & 0xff) | (s & 0xf0f) << 12;
  s ^= (u32)((int)(x << 9) >> 20);
  o[i] = (x > 77 && (s & 1)) || x == 3 ? s : ~s;
}

struct Fields {
  u32 a : 3, b : 13;
  int c : 9;
  u64 d : 37;
};
KERNEL bit_fields(const u32 *a, struct Fields *f, s64 *o) {
  int i = INDEX;
  struct Fields x = f[i];
  x.a += a[i];
  x.b = a[i] >> 3;
  x.c = (int)a[i];
  x.d ^= a[i] * 7919ul;
  f[i] = x;
  o[i] = (s64)x.d + x.c - x.b * x.a;
}

struct __attribute__((packed)) Packed {
  u8 tag;
  u32 value;
  u64 big;
  u16 small;
};
KERNEL packed(const struct Packed *p, u64 *o) {
  int i = INDEX;
  o[i] = p[i].tag + p[i].value * 3ul + (p[i].big ^ p[i].small);
}

// --- control flow

KERNEL collatz(const u32 *a, u32 *o, int n) {
  int i = INDEX;
  if (i >= n) return;
  u64 x = a[i];
  u32 steps = 0;
  while (x != 1) {
    x = x % 2 ? 3 * x + 1 : x / 2;
    ++steps;
  }
  o[i] = steps;
}

KERNEL dense_switch(const u32 *a, u32 *o, int n) {
  int i = INDEX;
  if (i >= n) return;
  u32 x = a[i], s = x;
  for (int k = 0; k < 6; ++k) {
    switch ((s >> k) & 15) {
      case 0: s += 7; break;
      case 1: s *= 3; break;
      case 2: s ^= 0x5555; // and on
      case 3: s -= k; break;
      case 4: s = s << 1 | s >> 31; break;
      case 5: s += x; break;
      case 6: s |= 0x100; break;
      case 7: s &= ~0x40u; break;
      case 8: if (x & 1) goto out; s += 9; break;
      case 9: s /= 3; break;
      case 10: s = ~s; break;
      default: s += 11;
    }
  }
out:
  o[i] = s;
}

KERNEL irreducible(const u32 *a, u32 *o) {
  int i = INDEX;
  u32 x = a[i], n = 0;
  if (x & 1) goto second;
first:
  x = x * 5 + 1;
  if (++n > 40) goto end;
second:
  x ^= x >> 3;
  if (++n < 30 + x % 7) goto first;
end:
  o[i] = x + n;
}

KERNEL mandelbrot(u16 *o, int width, float step) {
  int x = INDEX % width, y = INDEX / width;
  float cr = x * step - 2, ci = y * step - 1, zr = 0, zi = 0;
  int n = 0;
  while (n < 200 && zr * zr + zi * zi < 4) {
    float t = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = t;
    ++n;
  }
  o[INDEX] = (u16)n;
}

KERNEL early_exits(const int *a, int *o, int n) {
  int i = INDEX;
  int s = 0;
  for (int k = 0; k < n; ++k) {
    int v = a[(i * 7 + k) % n];
    if (v == 13) break;
    if (v % 3 == 0) continue;
    for (int j = 0; j < (v & 7); ++j) {
      if (s > 5000) {
        o[i] = -s;
        return;
      }
      s += j * v;
    }
  }
  o[i] = s;
}

// --- functions and the stack

struct Pair {
  double weight;
  int count;
  s16 tail[2];  // no padding: copying bytes that nobody wrote to global memory is reported
};
static NOINLINE struct Pair combine(struct Pair a, struct Pair b) {
  struct Pair r = {a.weight * b.weight, a.count - b.count, {0}};
  for (int k = 0; k < 2; ++k) r.tail[k] = (s16)(a.tail[k] + 2 * b.tail[1 - k]);
  return r;
}
KERNEL by_value(struct Pair first, const struct Pair *in, struct Pair *o, u8 last) {
  int i = INDEX;
  struct Pair r = combine(first, combine(in[i], first));
  r.count += last;
  o[i] = r;
}

static NOINLINE u32 ackermann(u32 m, u32 n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
KERNEL recursion(u32 *o) { o[INDEX] = ackermann((u32)TID % 3, (u32)TID % 5); }

typedef int (*Binary)(int, int);
static NOINLINE int opAdd(int a, int b) { return a + b; }
static NOINLINE int opMul(int a, int b) { return a * b; }
static NOINLINE int opMax(int a, int b) { return a > b ? a : b; }
static NOINLINE int opSub(int a, int b) { return a - b; }
static Binary table[4] = {opAdd, opMul, opMax, opSub};
KERNEL pointers_to_functions(const int *a, int *o) {
  int i = INDEX;
  volatile int which = i & 3;
  Binary f = table[which];
  o[i] = f(a[i], i) + table[(which + 1) & 3](i, 3);
}

static NOINLINE int sumAll(int n, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, n);
  int s = 0;
  for (int k = 0; k < n; ++k) s += __builtin_va_arg(list, int) * (k + 1);
  double d = __builtin_va_arg(list, double);
  s64 w = __builtin_va_arg(list, s64);
  __builtin_va_end(list);
  return s + (int)d + (int)(w >> 32);
}
KERNEL variadic(const int *a, int *o) {
  int i = INDEX;
  o[i] = sumAll(3, a[i], i, 5, 2.5 * i, (s64)i << 33);
}

KERNEL local_sort(const int *a, int *o) {
  int i = INDEX;
  int v[24];
  for (int k = 0; k < 24; ++k) v[k] = a[24 * i + k];
  for (int k = 1; k < 24; ++k) {
    int x = v[k], j = k;
    for (; j > 0 && v[j - 1] > x; --j) v[j] = v[j - 1];
    v[j] = x;
  }
  for (int k = 0; k < 24; ++k) o[24 * i + k] = v[k];
}

static NOINLINE void fill(u8 *p, int n, int seed) {
  for (int k = 0; k < n; ++k) p[k] = (u8)(seed + k * k);
}
static NOINLINE u32 hash(const u8 *p, int n) {
  u32 h = 2166136261u;
  for (int k = 0; k < n; ++k) h = (h ^ p[k]) * 16777619u;
  return h;
}
SHARED u8 mixedShared[256];
KERNEL generic_pointers(u8 *global, u32 *o) {
  int i = TID;
  u8 local[40];
  u8 *where = i % 3 == 0 ? local : i % 3 == 1 ? (u8 *)mixedShared + 40 * (i / 3 % 6) : global + 40 * i;
  if (i < 18) {
    fill(where, 40, i);
    o[i] = hash(where, 40);
  }
}

KERNEL stack_array(const int *length, int *o) {
  int i = INDEX, n = length[i];
  int *v = __builtin_alloca(n * sizeof(int));
  for (int k = 0; k < n; ++k) v[k] = k * i;
  int s = 0;
  for (int k = n - 1; k >= 0; k -= 2) s += v[k];
  o[i] = s;
}

KERNEL copies(const struct Pair *in, struct Pair *o, u32 *sums) {
  int i = INDEX;
  struct Pair v[5];
  for (int k = 0; k < 5; ++k) v[k] = in[(i + k) % 64];
  __builtin_memmove(v + 1, v, 4 * sizeof(struct Pair));
  __builtin_memset(v + 3, 0x11, sizeof(struct Pair));
  o[i] = v[i % 5];
  sums[i] = (u32)v[3].count + (u32)v[2].count;
}

// --- constants

CONSTANT u32 nibbles[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                            0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                            0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
KERNEL crc32(const u8 *text, u32 *o, int length) {
  int i = INDEX;
  u32 c = ~0u;
  for (int k = 0; k < length; ++k) {
    c ^= text[i * length + k];
    c = nibbles[c & 15] ^ c >> 4;
    c = nibbles[c & 15] ^ c >> 4;
  }
  o[i] = ~c;
}

static const char *const words[4] = {"zero", "one", "twenty", "three hundred"};
static int counts[3] = {5, -6, 7};
static int *const into = &counts[1];
KERNEL initialised(u32 *o) {
  int i = TID;
  const char *p = words[i & 3];
  u32 n = 0;
  while (p[n]) ++n;
  o[i] = n + (u32)(*into) + (u32)counts[i % 3];
}

// --- shared memory and barriers

SHARED float sums[256];
KERNEL block_sum(const float *x, float *o, int n) {
  float s = 0;
  for (int i = INDEX; i < n; i += BLOCKS * THREADS) s += x[i];
  sums[TID] = s;
  SYNC();
  for (int k = THREADS / 2; k > 0; k /= 2) {
    if (TID < k) sums[TID] += sums[TID + k];
    SYNC();
  }
  if (TID == 0) o[BLOCK] = sums[0];
}

SHARED float tileA[16][17], tileB[16][17];
KERNEL matmul(const float *a, const float *b, float *c, int n) {
  int x = TID % 16, y = TID / 16, column = BLOCK % (n / 16) * 16 + x, row = BLOCK / (n / 16) * 16 + y;
  float s = 0;
  for (int k = 0; k < n; k += 16) {
    tileA[y][x] = a[row * n + k + x];
    tileB[y][x] = b[(k + y) * n + column];
    SYNC();
    for (int j = 0; j < 16; ++j) s += tileA[y][j] * tileB[j][x];
    SYNC();
  }
  c[row * n + column] = s;
}

SHARED u16 turn[32][33];
KERNEL transpose(const u16 *a, u16 *o, int n) {
  int x = TID % 32, y = TID / 32, tx = BLOCK % (n / 32) * 32, ty = BLOCK / (n / 32) * 32;
  for (int k = y; k < 32; k += 8) turn[k][x] = a[(ty + k) * n + tx + x];
  SYNC();
  for (int k = y; k < 32; k += 8) o[(tx + k) * n + ty + x] = turn[x][k];
}

SHARED u32 keys[256];
KERNEL bitonic(const u32 *a, u32 *o) {
  keys[TID] = a[INDEX];
  for (int k = 2; k <= THREADS; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      SYNC();
      int other = TID ^ j;
      if (other > TID) {
        u32 x = keys[TID], y = keys[other];
        if ((x > y) == ((TID & k) == 0)) {
          keys[TID] = y;
          keys[other] = x;
        }
      }
    }
  SYNC();
  o[INDEX] = keys[TID];
}

extern __attribute__((address_space(3))) float dynamicShared[];
KERNEL reverse_dynamic(const float *a, float *o) {
  dynamicShared[TID] = a[INDEX];
  SYNC();
  o[INDEX] = dynamicShared[THREADS - 1 - TID];
}

KERNEL barrier_reductions(const int *a, int *o) {
  int v = a[INDEX];
  int n = __nvvm_bar0_popc(v > 0);
  int every = __nvvm_bar0_and(v != 7), some = __nvvm_bar0_or(v == 7);
  o[INDEX] = n * 4 + (every ? 2 : 0) + (some ? 1 : 0);
}

// --- warps

KERNEL warp_sum(const int *a, int *o) {
  int v = a[INDEX];
  for (int k = 16; k > 0; k /= 2) v += __nvvm_shfl_sync_bfly_i32(ALL, v, k, 31);
  float f = (float)a[INDEX];
  for (int k = 1; k < 32; k *= 2) {
    float up = __nvvm_shfl_sync_up_f32(ALL, f, k, 0);
    if (TID % 32 >= k) f += up;
  }
  int first = __nvvm_shfl_sync_idx_i32(ALL, v ^ TID, 5, 31);
  int down = __nvvm_shfl_sync_down_i32(ALL, TID, 3, 0x181f); // within groups of 8
  o[INDEX] = v + (int)f + first + down;
}

KERNEL votes(const u32 *a, u32 *o) {
  u32 v = a[INDEX], s;
  s = __nvvm_vote_ballot_sync(ALL, v & 1);
  s += __nvvm_vote_any_sync(ALL, v > 250) ? 1 : 0;
  s += __nvvm_vote_all_sync(ALL, v > 2) ? 2 : 0;
  s += __nvvm_vote_uni_sync(ALL, v & 4) ? 4 : 0;
  s ^= __nvvm_match_any_sync_i32(ALL, v % 5);
  s += (u32)__nvvm_match_any_sync_i64(ALL, (s64)(v % 3) << 40);
  if (v & 8) s ^= __nvvm_vote_ballot_sync(__nvvm_activemask(), v & 16);
  __nvvm_bar_warp_sync(ALL);
  s += (u32)__nvvm_redux_sync_add((int)v, ALL) + (u32)__nvvm_redux_sync_umax(v, ALL);
  o[INDEX] = s;
}

// --- atomics

SHARED u32 bins[64];
KERNEL histogram(const u8 *a, u32 *o, int n) {
  if (TID < 64) bins[TID] = 0;
  SYNC();
  for (int i = INDEX; i < n; i += BLOCKS * THREADS)
    __atomic_fetch_add(&bins[a[i] % 64], 1, __ATOMIC_RELAXED);
  SYNC();
  if (TID < 64) __atomic_fetch_add(&o[TID], bins[TID], __ATOMIC_RELAXED);
}

KERNEL atomics(u32 *u, s64 *l, float *f, double *d, const u32 *a) {
  u32 v = a[INDEX];
  __atomic_fetch_add(u, v, __ATOMIC_RELAXED);
  __atomic_fetch_sub(u + 1, v, __ATOMIC_ACQUIRE);
  __atomic_fetch_and(u + 2, v | 0xffff0000u, __ATOMIC_RELEASE);
  __atomic_fetch_or(u + 3, v, __ATOMIC_ACQ_REL);
  __atomic_fetch_xor(u + 4, v, __ATOMIC_SEQ_CST);
  __atomic_fetch_max(u + 5, v, __ATOMIC_RELAXED);
  __atomic_fetch_min(u + 6, v, __ATOMIC_RELAXED);
  __atomic_fetch_max((int *)u + 7, -(int)v, __ATOMIC_RELAXED);
  __atomic_fetch_add(l, (s64)v << 20, __ATOMIC_RELAXED);
  __atomic_fetch_min(l + 1, -(s64)v * 1000000, __ATOMIC_SEQ_CST);
  __atomic_fetch_xor(l + 2, (s64)v << 31, __ATOMIC_RELAXED);
  __nvvm_atom_add_gen_f(f, (float)(v & 255));
  __nvvm_atom_add_gen_d(d, (double)v);
  __nvvm_atom_inc_gen_ui(u + 8, 9);
  __nvvm_atom_dec_gen_ui(u + 9, 9);
  u32 seen = u[10], next;
  do next = seen * 3 + v;
  while (!__atomic_compare_exchange_n(u + 10, &seen, seen + 3 * (next - seen * 3), 0, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED));
  __atomic_exchange_n(u + 11, 77, __ATOMIC_RELAXED);
  __atomic_fetch_add((u8 *)(u + 12) + (v & 3), 1, __ATOMIC_RELAXED);
  __atomic_fetch_add((u16 *)(u + 13) + (v & 1), 1, __ATOMIC_SEQ_CST);
}

KERNEL spin_lock(u32 *lock, u32 *total) {
  for (int done = 0; !done;) {
    u32 expected = 0;
    if (__atomic_compare_exchange_n(lock, &expected, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
      *(volatile u32 *)total = *(volatile u32 *)total + (u32)TID + 1;
      __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
      done = 1;
    }
  }
}

SHARED int isLast;
KERNEL last_block(const float *a, float *partial, float *o, u32 *tickets) {
  float s = a[INDEX];
  for (int k = 16; k > 0; k /= 2) s += __nvvm_shfl_sync_down_f32(ALL, s, k, 31);
  if (TID == 0) {
    *(volatile float *)&partial[BLOCK] = s;
    __nvvm_membar_gl();
    isLast = __atomic_fetch_add(tickets, 1, __ATOMIC_ACQ_REL) == (u32)BLOCKS - 1;
  }
  SYNC();
  if (isLast && TID == 0) {
    float all = 0;
    for (int k = 0; k < BLOCKS; ++k) all += *(volatile float *)&partial[k];
    *o = all;
  }
}

// --- output

int vprintf(const char *, __builtin_va_list);
KERNEL print(const double *a) {
  struct {
    int i;
    u32 u;
    double d;
    const char *s;
    s64 l;
    int c;
  } all = {TID - 1, (u32)TID * 3, a[TID], TID & 1 ? "odd" : "even", (s64)TID << 40, 'a' + TID};
  vprintf("%d|%5u|%-8.3f|%s|%lld|%c|%%\n", (__builtin_va_list)&all);
}
