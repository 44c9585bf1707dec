// Predicates.h -- which parts of a tile are inside a tensor, for copies at its edges.
#pragma once

#include <cutwork/Cute.h>

namespace cutwork::example {

/// For a thread's part ((atom_v, atom_rest), rest_m, rest_n) of a tile of coordinates: whether the
/// first element of each execution of the atom is within `shape`, as copy() takes it.
inline cute::Tensor inside(const cute::Tensor& at, const cute::IntTuple& shape) {
  const cute::Int executions = cute::size(at.shape()[0][1]);
  cute::Tensor pred = cute::make_rmem_tensor({executions, cute::size(at, 1), cute::size(at, 2)},
                                             cute::DType::Boolean);
  for (int r = 0; r < executions.value(); ++r) {
    for (int m = 0; m < cute::size(at, 1).value(); ++m) {
      for (int n = 0; n < cute::size(at, 2).value(); ++n) {
        pred(r, m, n) = cute::elem_less(at(cute::make_coord(0, r), m, n), shape);
      }
    }
  }
  return pred;
}

}  // namespace cutwork::example
