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
