// cutwork/Simulator/Register.h -- makes Device::open("sim:sm_90a") work.
#pragma once

#pragma GCC visibility push(default)

namespace cutwork {

/// Registers the kind `sim` of device: `sim` is sim:sm_90a, `sim:TARGET` any target of
/// sim::SimulatedDevice::targets(). Runs are checked; a fault is the error of the launch. Calling
/// it again changes nothing. In libcutwork_rt.so they are registered when it is loaded.
void registerSimulatedDevices();

}  // namespace cutwork

#pragma GCC visibility pop
