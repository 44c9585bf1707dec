// Tracing.h -- host functions and kernels that are traced and not compiled.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cutwork/DSL/Host.h"
#include "cutwork/DSL/Kernel.h"
#include "cutwork/Layout.h"

namespace cutwork::test {

inline Target hopper() { return Target::parse("sm_90a"); }

/// A tensor argument of which nothing but the rank and the leading stride is known.
inline TensorSpec dynamicSpec(cute::DType type, int rank, std::int64_t alignment) {
  TensorSpec spec;
  spec.type = type;
  spec.alignment = alignment;
  for (int i = 0; i < rank; ++i) {
    spec.shape.push_back({});
    bool leading = i + 1 == rank;
    spec.stride.push_back({leading, leading ? 1 : 0, cute::Width::I64, 1});
  }
  return spec;
}

/// What `f` refuses; "" if nothing.
template <class F>
std::string refusalOf(F f) {
  try {
    f();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace cutwork::test
