// HostTraceImpl.h -- the inside of a HostTrace, for lib/Compiler.
#pragma once

#include "DSL/Trace.h"
#include "cutwork/DSL/Host.h"

namespace cutwork {

struct HostTrace::Impl {
  explicit Impl(std::string name) : trace(std::move(name)) {}
  cute::Trace trace;
  std::int64_t slots = 0;
  std::int64_t arguments = 0;  ///< made so far
  bool finished = false;
};

}  // namespace cutwork
