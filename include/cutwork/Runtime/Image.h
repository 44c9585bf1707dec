// cutwork/Runtime/Image.h -- a compiled module: PTX, a cubin, or both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cutwork/Runtime/DeviceProperties.h"
#include "cutwork/Support/Status.h"
#include "cutwork/Support/Target.h"

#pragma GCC visibility push(default)

namespace cutwork {

/// What Device::loadModule takes. The simulated device reads the PTX; a CUDA device loads the
/// cubin, and where there is none has its driver assemble the PTX.
struct Image {
  std::string ptx;
  std::vector<std::byte> cubin;
  /// What it was made for. If it is not said: the `.target` of the PTX, the header of the cubin.
  std::optional<Target> target;

  static Image fromPtx(std::string text) { return {std::move(text), {}, {}}; }
  static Image fromCubin(std::vector<std::byte> bytes, std::optional<Target> target = {}) {
    return {{}, std::move(bytes), target};
  }
  friend bool operator==(const Image&, const Image&) = default;
};

/// The target that a PTX text names, or nothing: `.target sm_90a` before the first function.
std::optional<std::string> ptxTargetName(std::string_view ptx);

/// How many parameters a kernel of a PTX text has; nothing if there is no such kernel.
std::optional<std::size_t> ptxParameterCount(std::string_view ptx, std::string_view kernel);

/// 90 for a cubin made for 9.0; nothing if the bytes are no cubin. Its suffix is not in the header.
std::optional<int> cubinCapability(std::span<const std::byte> cubin);

/// Which part of an image a device uses.
enum class ImagePart { Ptx, Cubin };

/// The part that `device` can run by NVIDIA's rules (Target.h); a simulated device reads PTX only.
/// Error (User): there is none, with the targets of the image and of the device.
Expected<ImagePart> choosePart(const Image& image, const DeviceProperties& device);

}  // namespace cutwork

#pragma GCC visibility pop
