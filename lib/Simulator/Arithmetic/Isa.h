// Isa.h -- the namespace of what is compiled once per host instruction set.
//
// The Exec sources are compiled several times with different -m flags. Whatever a header defines
// for them lives in an inline namespace named after the flags, so that the linker never puts code
// for AVX-512 where a machine without it would run it.
#pragma once

#include <cstdint>

#ifndef CW_SIM_ISA
#define CW_SIM_ISA isa_base
#endif
#define CW_SIM_BEGIN       \
  namespace cutwork::sim { \
  inline namespace CW_SIM_ISA {
#define CW_SIM_END \
  }                \
  }

namespace cutwork::sim {

/// A number that is the same for all lanes: the last parameter of an operation that has one.
struct Param {
  std::int64_t value;
};

/// Rounding modes of PTX: to nearest even, to zero, down, up, to nearest with ties away.
enum class Round : std::uint8_t { Rn, Rz, Rm, Rp, Rna };

}  // namespace cutwork::sim
