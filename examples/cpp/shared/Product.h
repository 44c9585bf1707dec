// Product.h -- a product of float32 matrices as a case: inputs, what should come out, the work.
#pragma once

#include <cutwork/Cases/Case.h>

#include <vector>

namespace cutwork::example {

/// A (M,K), B (K,N) and room for C (M,N), of the shape MxNxK.
inline CaseArrays productInputs(const CaseShape& shape, std::uint64_t seed) {
  CaseArrays arrays(seed);
  arrays.input("A", cute::DType::Float32, {shape[0], shape[2]});
  arrays.input("B", cute::DType::Float32, {shape[2], shape[1]});
  arrays.output("C", cute::DType::Float32, {shape[0], shape[1]});
  return arrays;
}

/// C = A B in double precision.
inline void productReference(const CaseArrays& in, CaseResults& out) {
  const HostArray& A = in["A"];
  const HostArray& B = in["B"];
  std::vector<double>& C = out["C"];
  const std::int64_t columns = B.shape()[1];
  for (std::int64_t i = 0; i < A.size(); ++i) {  // A(m, k) times row k of B
    const std::int64_t k = i % A.shape()[1];
    const std::int64_t m = i / A.shape()[1];
    for (std::int64_t n = 0; n < columns; ++n) {
      C[static_cast<std::size_t>(m * columns + n)] += A[i] * B[k * columns + n];
    }
  }
}

inline double productFlops(const CaseShape& shape) {
  return 2.0 * static_cast<double>(shape[0] * shape[1] * shape[2]);
}

}  // namespace cutwork::example
