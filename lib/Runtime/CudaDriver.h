// CudaDriver.h -- the CUDA driver, opened at run time: one table of its functions, and error texts.
#pragma once

#include <string>
#include <string_view>

#include "CudaApi.inc"
#include "CudaTypes.h"
#include "cutwork/Support/Status.h"

namespace cutwork::cuda {

/// The driver's functions by their exported names. Optional ones are null in an older driver.
struct Driver {
#define CW_POINTER(name, ...) Result (*name)(__VA_ARGS__) = nullptr;
  CW_CUDA_REQUIRED(CW_POINTER)
  CW_CUDA_OPTIONAL(CW_POINTER)
#undef CW_POINTER
  std::string path;  ///< what was opened
  int version = 0;   ///< 13000 for 13.0
};

/// The driver, opened and initialised at the first call: CUTWORK_CUDA_DRIVER, or libcuda.so.1. The
/// outcome is kept per library name for as long as the process lives. Errors (Device): there is
/// none (with the loader's reason), it lacks a function, it has no device.
Expected<const Driver*> driver();

/// `CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered`.
std::string resultText(const Driver& driver, Result result);

/// Success, or a device error `what: resultText`.
Status check(const Driver& driver, Result result, std::string_view what);

/// Makes a context current, if it is not already, and puts back what was, on every path.
class ContextGuard {
 public:
  ContextGuard(const Driver& driver, Context context) : driver_(driver) {
    Context current = nullptr;
    if (driver.cuCtxGetCurrent(&current) == kSuccess && current == context) return;
    result_ = driver.cuCtxPushCurrent_v2(context);
    pushed_ = result_ == kSuccess;
  }
  ~ContextGuard() {
    Context popped = nullptr;
    if (pushed_) driver_.cuCtxPopCurrent_v2(&popped);
  }
  ContextGuard(const ContextGuard&) = delete;
  ContextGuard& operator=(const ContextGuard&) = delete;

  /// Whether the context is current now.
  [[nodiscard]] Status status() const {
    if (result_ == kSuccess) [[likely]]
      return Success{};
    return check(driver_, result_, "making the device current");
  }

 private:
  const Driver& driver_;
  Result result_ = kSuccess;
  bool pushed_ = false;
};

}  // namespace cutwork::cuda
