// OpenDevices.h -- finding the device that another library means.
#pragma once

#include "cutwork/Runtime/DLPack.h"
#include "cutwork/Runtime/Device.h"

namespace cutwork {

/// CUDA devices are opened; of other kinds, the one that is open with this type and number.
Expected<Device> deviceOfDLPack(const dlpack::Device& device);

}  // namespace cutwork
