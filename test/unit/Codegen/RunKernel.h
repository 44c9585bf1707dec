// RunKernel.h -- an elementwise kernel in MLIR text, run on the simulated device.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "cutwork/Support/Error.h"
#include "cutwork/Support/Status.h"

namespace cutwork::test {

/// The same random numbers in every run.
inline std::mt19937_64 generator(std::uint64_t seed) { return std::mt19937_64(seed); }

/// An operand or the result: its MLIR type in memory (f32, vector<4xf16>, i8) and its bytes.
struct Operand {
  std::string type;
  std::span<const std::byte> bytes;
};

/// PTX of a kernel `k` that gives each thread one element of every operand: `body` computes %r from
/// %x0, %x1, ... The buffers are its parameters, the result's last.
Expected<std::string> elementwisePtx(const std::string& body, std::span<const std::string> operands,
                                     const std::string& result, const std::string& target);

/// Runs it over `count` elements (a multiple of 256); the result's bytes.
Expected<std::vector<std::byte>> runElementwise(const std::string& ptx,
                                                std::span<const Operand> operands,
                                                std::size_t resultBytes, std::size_t count,
                                                const std::string& target);

/// The same body on the CPU, in a loop over `count` elements of one operand.
Status runOnHost(const std::string& body, const Operand& operand, const std::string& result,
                 std::span<std::byte> results, std::size_t count);

}  // namespace cutwork::test
