// HandlerSets.cpp -- which compiled set of handlers this machine runs.
#include "Op.h"

// X(namespace): the sets that lib/Simulator/CMakeLists.txt compiles, the best last.
#ifdef CW_SIM_VARIANTS
#define CW_SIM_SETS(X) X(inline namespace, isa_base) X(namespace, isa_avx2) X(namespace, isa_avx512)
#else
#define CW_SIM_SETS(X) X(inline namespace, isa_base)
#endif

namespace cutwork::sim {

#define CW_DECLARE(scope, set)                                                                     \
  scope set {                                                                                      \
    Lifted selectInteger(const Pick&);                                                             \
    Lifted selectLogic(const Pick&);                                                               \
    Lifted selectFloating(const Pick&);                                                            \
    Lifted selectCompare(const Pick&);                                                             \
    Lifted selectConvert(const Pick&);                                                             \
    Handler selectLoad(Space space, bool wide, unsigned bytes, unsigned count, Checking checking); \
    Handler selectStore(Space space, bool wide, unsigned bytes, unsigned count,                    \
                        Checking checking);                                                        \
  }
CW_SIM_SETS(CW_DECLARE)
#undef CW_DECLARE

namespace {

#define CW_SET(scope, set)                          \
  constexpr HandlerSet k_##set{#set,                \
                               set::selectInteger,  \
                               set::selectLogic,    \
                               set::selectFloating, \
                               set::selectCompare,  \
                               set::selectConvert,  \
                               set::selectLoad,     \
                               set::selectStore};
CW_SIM_SETS(CW_SET)
#undef CW_SET

const HandlerSet& choose() {
#ifdef CW_SIM_VARIANTS
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) {
    return k_isa_avx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2")) {
    return k_isa_avx2;
  }
#endif
  return k_isa_base;
}

}  // namespace

const HandlerSet& handlerSet() {
  static const HandlerSet& set = choose();
  return set;
}

}  // namespace cutwork::sim
