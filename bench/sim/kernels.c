// kernels.c -- the kernels of bench_sim, in C for clang's NVPTX target; `kernels.ptx` is made from it:
//
//     clang-22 --target=nvptx64-nvidia-cuda -march=sm_90 -O2 -ffp-contract=fast -S kernels.c -o kernels.ptx
#define KERNEL __attribute__((nvptx_kernel))
#define SHARED __attribute__((address_space(3)))
#define __syncthreads() __nvvm_bar_sync(0)
#define TID __nvvm_read_ptx_sreg_tid_x()
#define BLOCK __nvvm_read_ptx_sreg_ctaid_x()
#define BLOCK_Y __nvvm_read_ptx_sreg_ctaid_y()

// c = a + b, four elements a thread, 128 apart.
KERNEL void add(const float* restrict a, const float* restrict b, float* restrict c, int n) {
  int first = BLOCK * 512 + TID;
  for (int k = 0; k < 4; ++k) {
    int i = first + 128 * k;
    if (i < n) c[i] = a[i] + b[i];
  }
}

// C = A B, row-major, n a multiple of 64: a block of 256 threads makes 64 x 64 elements, a thread 4 x 4.
static SHARED float tileA[16][64];
static SHARED float tileB[16][64];
KERNEL void sgemm(const float* restrict a, const float* restrict b, float* restrict c, int n) {
  int t = TID, x = t % 16, y = t / 16;
  float sum[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 16) {
    for (int i = 0; i < 4; ++i) {
      int e = t + 256 * i;
      tileA[e % 16][e / 16] = a[(BLOCK_Y * 64 + e / 16) * n + k0 + e % 16];
      tileB[e / 64][e % 64] = b[(k0 + e / 64) * n + BLOCK * 64 + e % 64];
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
      float p[4], q[4];
      for (int i = 0; i < 4; ++i) p[i] = tileA[k][y * 4 + i], q[i] = tileB[k][x + 16 * i];
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] += p[i] * q[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      c[(BLOCK_Y * 64 + y * 4 + i) * n + BLOCK * 64 + x + 16 * j] = sum[i][j];
}

// The same without shared memory or tiles: an element a thread.
KERNEL void sgemm_scalar(const float* restrict a, const float* restrict b, float* restrict c, int n) {
  int column = BLOCK * 128 + TID, row = BLOCK_Y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

// A row a block of 256 threads: c[r][j] = exp(a[r][j] - max) / sum. n columns, a multiple of 256.
static SHARED float parts[32];
static float greater(float x, float y) { return x > y ? x : y; }
static float sum(float x, float y) { return x + y; }
#define OVER_BLOCK(combine, value)                                                        \
  for (int step = 16; step != 0; step /= 2)                                               \
    value = combine(value, __nvvm_shfl_sync_bfly_f32(-1, value, step, 31));               \
  __syncthreads();                                                                        \
  if (TID % 32 == 0) parts[TID / 32] = value;                                             \
  __syncthreads();                                                                        \
  value = parts[0];                                                                       \
  for (int w = 1; w < 8; ++w) value = combine(value, parts[w]);
KERNEL void softmax(const float* restrict a, const float* restrict b, float* restrict c, int n) {
  const float* row = a + (long)BLOCK * n;
  float most = -__builtin_inff(), all = 0;
  for (int j = TID; j < n; j += 256) most = greater(most, row[j]);
  OVER_BLOCK(greater, most)
  for (int j = TID; j < n; j += 256) all += __nvvm_ex2_approx_ftz_f((row[j] - most) * 1.4426950f);
  OVER_BLOCK(sum, all)
  for (int j = TID; j < n; j += 256)
    c[(long)BLOCK * n + j] = __nvvm_ex2_approx_ftz_f((row[j] - most) * 1.4426950f) / all;
}

// c[block] = the sum of 4096 elements of a, by 256 threads.
KERNEL void reduction(const float* restrict a, const float* restrict b, float* restrict c, int n) {
  float all = 0;
  for (int k = 0; k < 16; ++k) all += a[BLOCK * 4096 + k * 256 + TID];
  OVER_BLOCK(sum, all)
  if (TID == 0) c[BLOCK] = all;
}

// Each block of 256 threads sorts 1024 elements of a into c: bitonic, in shared memory.
static SHARED float sorted[1024];
KERNEL void sort(const float* restrict a, const float* restrict b, float* restrict c, int n) {
  for (int k = 0; k < 4; ++k) sorted[k * 256 + TID] = a[BLOCK * 1024 + k * 256 + TID];
  for (int size = 2; size <= 1024; size *= 2)
    for (int stride = size / 2; stride != 0; stride /= 2) {
      __syncthreads();
      for (int k = 0; k < 2; ++k) {
        int pair = k * 256 + TID, i = 2 * pair - (pair & (stride - 1)), j = i + stride;
        float x = sorted[i], y = sorted[j];
        if ((x > y) == ((i & size) == 0)) sorted[i] = y, sorted[j] = x;
      }
    }
  __syncthreads();
  for (int k = 0; k < 4; ++k) c[BLOCK * 1024 + k * 256 + TID] = sorted[k * 256 + TID];
}

// c[v] counts the elements of a whose integer part is v, 0 to 255: in shared memory, then together.
static SHARED unsigned counts[256];
KERNEL void histogram(const float* restrict a, const float* restrict b, unsigned* restrict c, int n) {
  counts[TID] = 0;
  __syncthreads();
  for (int i = BLOCK * 4096 + TID; i < BLOCK * 4096 + 4096 && i < n; i += 256)
    __atomic_fetch_add(&counts[(unsigned)a[i] & 255], 1, __ATOMIC_RELAXED);
  __syncthreads();
  __atomic_fetch_add(&c[TID], counts[TID], __ATOMIC_RELAXED);
}
