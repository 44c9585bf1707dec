// HostTraceImpl.h -- the inside of a HostTrace, for lib/Compiler.
#pragma once

#include "DSL/Trace.h"
#include "cutwork/DSL/Host.h"
#include "cutwork/Support/Log.h"

namespace cutwork {

struct HostTrace::Impl {
  explicit Impl(std::string name) : trace(std::move(name)) {}
  StageTimer timer{"trace"};  ///< until it is finished
  cute::Trace trace;
  std::int64_t slots = 0;
  std::int64_t arguments = 0;  ///< made so far
  bool finished = false;
};

}  // namespace cutwork
