// Interrupt.h -- Ctrl-C while a kernel runs on the simulated device.
#pragma once

namespace cutwork::python {

/// While one is there, the first Ctrl-C ends launches on the simulated device, and a second one the
/// process. Without the GIL, or with it.
class Interruptible {
 public:
  /// `simulated`: else it does nothing, as the GPU is not stopped.
  explicit Interruptible(bool simulated);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  /// Whether there was a Ctrl-C.
  [[nodiscard]] bool raised() const;

 private:
  bool active_;
};

/// With the GIL: KeyboardInterrupt, as nanobind's exception.
[[noreturn]] void throwInterrupt();

}  // namespace cutwork::python
