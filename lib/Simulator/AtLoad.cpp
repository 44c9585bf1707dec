// AtLoad.cpp -- in libcutwork_rt.so the simulated devices are there from the start.
//
// In a program that links the archive nothing names this file, and registerSimulatedDevices() does
// it.
#include "cutwork/Simulator/Register.h"

namespace cutwork {

namespace {

[[maybe_unused]] const bool kRegistered = (registerSimulatedDevices(), true);

}  // namespace

}  // namespace cutwork
