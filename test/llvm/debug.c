// debug.c -- variables of every kind for `cutwork debug`; test_debug_variables.py compiles and steps it.
#define KERNEL __attribute__((nvptx_kernel))
#define SHARED __attribute__((address_space(3)))
struct Pair {
  int first;
  float second;
  unsigned char flags[3];
};
struct Tree {
  struct Tree* left;
  struct Pair pair;
};
typedef struct Pair pair_t;
enum Color { Red, Green = 5, Blue };
union Word {
  unsigned whole;
  unsigned short halves[2];
};
struct Bits {
  unsigned low : 4;
  unsigned high : 28;
};
static SHARED float tile[64];
int counter = 41;

__attribute__((noinline)) static int helper(int k, struct Pair* p) {
  int twice = k * 2;
  p->first = twice;  // LINE in helper
  return twice + p->first;
}

KERNEL void k(const float* x, float* y, int n, double scale) {
  int i = __nvvm_read_ptx_sreg_tid_x();
  struct Pair pair = {i, (float)i / 2, {1, 2, 3}};
  pair_t* pp = &pair;
  enum Color color = Blue, none = (enum Color)77;
  short small[4] = {1, 2, -3, i};
  int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
  int many[20] = {7};
  unsigned long long big = 1ull << 40;
  signed char c = 'a';
  _Bool flag = i < n;
  const volatile unsigned u = 7;
  union Word word = {0x20001};
  struct Bits bits = {1, 2};
  struct Tree tree = {&tree, {9, 0.5f, {0}}};
  double ratio = scale / 4;
  tile[i] = x[i];  // LINE after declarations
  for (int j = 0; j < 2; ++j) {
    float inner = tile[i] * j;
    {
      int i = 1000 + j;
      y[0] = i;  // LINE in the inner block
    }
    y[i] = inner + ratio + helper(j, pp) + small[3] + grid[1][2] + many[0] + big + c + flag + u + color + none + word.whole +
           bits.low + tree.pair.first + counter;
  }
}
