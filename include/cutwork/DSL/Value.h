// cutwork/DSL/Value.h -- a value that exists only when the kernel runs: a handle into a trace.
#pragma once

#include <cstdint>
#include <source_location>

#include "cutwork/Support/SourcePlace.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

/// Where in the user's program an operation was written.
using Where = std::source_location;

/// An SSA value of the trace that made it. The trace checks at each use that it is the same trace
/// and that the value's region encloses the place of use; both are user errors otherwise.
class Value {
 public:
  Value() = default;
  Value(void* value, std::uint64_t trace) : value_(value), trace_(trace) {}
  explicit operator bool() const { return value_ != nullptr; }
  [[nodiscard]] void* opaque() const { return value_; }
  [[nodiscard]] std::uint64_t trace() const { return trace_; }

 private:
  void* value_ = nullptr;
  std::uint64_t trace_ = 0;
};

}  // namespace cutwork::cute

#pragma GCC visibility pop
