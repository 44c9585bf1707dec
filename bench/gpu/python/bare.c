// bare.c -- nanoseconds of a bare cuLaunchKernel, for calls.py: cc -shared -fPIC -O2 bare.c -o bare.so -ldl
#include <dlfcn.h>
#include <stddef.h>
#include <time.h>

typedef int (*Launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

// One block of 128 threads, `count` pointers as parameters; `times` launches in a row.
double bare(void* function, int count, void* stream, int times) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  Launch launch = driver ? (Launch)dlsym(driver, "cuLaunchKernel") : NULL;
  if (!launch || count > 16) return -1;
  unsigned long long values[16] = {0};
  void* parameters[16];
  for (int i = 0; i < count; ++i) parameters[i] = &values[i];
  double start = now();
  for (int i = 0; i < times; ++i) {
    if (launch(function, 8, 1, 1, 128, 1, 1, 0, stream, parameters, NULL) != 0) return -1;
  }
  return (now() - start) / times;
}
