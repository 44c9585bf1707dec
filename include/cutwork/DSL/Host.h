// cutwork/DSL/Host.h -- a host function while it is traced: its arguments, its module.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cutwork/DSL/Kernel.h"
#include "cutwork/Support/Target.h"

#pragma GCC visibility push(default)

namespace cutwork {

/// An extent or stride of an argument: known when it is compiled, or passed with each call.
struct LeafSpec {
  bool known = false;
  std::int64_t value = 0;  ///< if known
  cute::Width width = cute::Width::I32;
  std::int64_t divisor = 1;
  friend bool operator==(const LeafSpec&, const LeafSpec&) = default;
};

/// What a compiled function knows of a tensor argument.
struct TensorSpec {
  cute::DType type = cute::DType::Float32;
  cute::AddressSpace space = cute::AddressSpace::gmem;
  std::int64_t alignment = 4;  ///< bytes
  std::vector<LeafSpec> shape;
  std::vector<LeafSpec> stride;
  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

/// The trace of one host function, from construction to finish. Arguments take the slots of a call
/// in the order in which they are made: a tensor its pointer, then its run-time extents, then its
/// run-time strides.
class HostTrace {
 public:
  HostTrace(std::string name, Target target, cute::Where where = cute::Where::current());
  ~HostTrace();
  HostTrace(const HostTrace&) = delete;
  HostTrace& operator=(const HostTrace&) = delete;

  cute::Tensor tensor(const TensorSpec& spec);
  cute::Numeric scalar(cute::DType type);
  cute::Pointer pointer(cute::DType type, cute::AddressSpace space, std::int64_t alignment);
  cute::Stream stream();
  /// Runs the function that is traced. What it throws without a place (the layout algebra does not
  /// know where it is called) gets the place of the last operation that was traced before.
  void run(const std::function<void()>& function);
  /// Ends the function. Nothing can be traced after it; calling it again does nothing.
  void finish();
  /// The IR, without places: of two functions with the same text the same is compiled. Ends it.
  std::string text();

  /// What lib/Compiler takes over.
  struct Impl;
  [[nodiscard]] Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace cutwork

#pragma GCC visibility pop
