// cutwork/DSL/Kernel.h -- launching kernels from a host function.
//
//     cutwork::launch(relu, {.grid = {ceil_div(n, 128)}, .block = {128}}, gA, gC, n);
//
// The kernel, an ordinary function of traced values, is traced at this call; what it is passed are
// the kernel's arguments (Remap.h). Shared memory is what the kernel's allocators add up to, unless
// the launch asks for more.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "cutwork/DSL/Remap.h"

#pragma GCC visibility push(default)

namespace cutwork {

namespace cute {

/// A stream that the caller of the host function passes.
class Stream {
 public:
  explicit Stream(Value value) : value_(value) {}
  [[nodiscard]] Value value() const { return value_; }

 private:
  Value value_;
};

}  // namespace cute

/// How a kernel is launched. Extents are up to three integers, static or run-time.
struct LaunchOptions {
  cute::IntTuple grid = 1;
  cute::IntTuple block = 1;
  // NOLINTBEGIN(readability-redundant-member-init): without them a launch that names none warns
  cute::IntTuple cluster = 1;          ///< blocks of a cluster; static
  std::optional<cute::Arg> smem = {};  ///< dynamic shared memory, bytes
  std::optional<cute::Stream> stream = {};
  int max_threads = 0;  ///< of a block, for the register allocation; 0: the block
  int min_blocks = 0;   ///< resident on a multiprocessor; 0: not said
  bool cooperative = false;
  bool use_pdl = false;  ///< programmatic dependent launch
  /// If `smem` is less than the kernel takes, it gets that, with a remark; else it is refused.
  bool raise_smem = false;
  std::string name = {};  ///< of the kernel; else made from the host function's
  // NOLINTEND(readability-redundant-member-init)
  cute::Where where = cute::Where::current();
};

namespace detail {
/// Traces the body as a kernel: `pass` remaps the arguments, once in the host function to collect
/// the leaves and once in the kernel, where it also runs the body.
void launchTraced(const LaunchOptions& options, const std::function<void(cute::Remap&)>& collect,
                  const std::function<void(cute::Remap&)>& run);
}  // namespace detail

template <class Kernel, class... Args>
void launch(Kernel&& kernel, const LaunchOptions& options, const Args&... args) {
  detail::launchTraced(
      options,
      [&](cute::Remap& r) { [[maybe_unused]] std::tuple<Args...> collected{remap(r, args)...}; },
      [&](cute::Remap& r) {
        std::tuple<Args...> inside{remap(r, args)...};
        std::apply(kernel, inside);
      });
}

}  // namespace cutwork

#pragma GCC visibility pop
