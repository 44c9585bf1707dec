// AtLoad.cpp -- in libcutwork_rt.so the simulated devices are there from the start.
//
// In a program that links the archive nothing names this file, and registerSimulatedDevices() does
// it.
#include "cutwork/Simulator/Register.h"

namespace cutwork {

namespace {

// Nothing can be told of a failure here: a device that is asked for then is not known.
bool registered() noexcept {
  try {
    registerSimulatedDevices();
    return true;
  } catch (...) {
    return false;
  }
}

[[maybe_unused]] const bool kRegistered = registered();

}  // namespace

}  // namespace cutwork
