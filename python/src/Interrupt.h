// Interrupt.h -- Ctrl-C while a kernel runs on the simulated device.
#pragma once

#include "Convert.h"

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

/// Runs what may launch, without the GIL; its error, or KeyboardInterrupt, is thrown with it.
template <class Run>
void runInterruptibly(bool simulated, const Run& run) {
  const Interruptible interruptible(simulated);
  Status status = [&] {
    nb::gil_scoped_release nogil;
    return run();
  }();
  if (interruptible.raised()) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }
  orThrow(std::move(status));
}

}  // namespace cutwork::python
