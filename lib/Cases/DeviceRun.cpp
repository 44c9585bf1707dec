// DeviceRun.cpp -- a case's arrays on a device: inputs copied, outputs poisoned, guards watched.
#include "cutwork/Cases/DeviceRun.h"

#include <algorithm>

#include "cutwork/Cases/Verify.h"

namespace cutwork {

namespace {

constexpr std::uint8_t kGuard = 0xcc;

std::int64_t guardBytesOn(const Device& device) {
  return device.properties().simulated ? 0 : DeviceRun::kGuardBytes;
}

Status poison(const Device& device, const Array& array, cute::DType type) {
  const std::uint64_t bits = poisonBits(type);
  const int width = static_cast<int>(elementBytes(type));
  if (array.size() == 0) return Success{};
  if (width <= 4) {
    return device.fill(array.address(), static_cast<std::uint32_t>(bits), width, array.size());
  }
  std::vector<std::uint64_t> values(static_cast<std::size_t>(array.size()), bits);
  return device.copyToDevice(array.address(), values.data(), array.size() * width);
}

}  // namespace

Expected<DeviceRun::Guarded> DeviceRun::place(const HostArray& array) const {
  const std::int64_t guard = guardBytesOn(device_);
  const std::int64_t before = guard / elementBytes(array.type());
  CW_TRY(Array memory, Array::empty(device_, array.data().type(), {array.size() + 2 * before}));
  if (guard > 0) {
    const std::int64_t bytes = array.bytes() + 2 * guard;
    CW_DO(device_.fill(memory.address(), kGuard, 1, bytes));
  }
  CW_TRY(Array inside, memory.view(before, array.shape(), array.data().strides()));
  if (array.isOutput()) {
    CW_DO(poison(device_, inside, array.type()));
  } else {
    CW_DO(inside.copyFrom(array.data()));
  }
  return Guarded{std::move(memory), std::move(inside)};
}

Expected<DeviceRun> DeviceRun::make(const CaseArrays& arrays, const Device& device) {
  DeviceRun run(device);
  for (const HostArray& array : arrays.all()) {
    CW_TRY(Guarded placed, run.place(array));
    run.arrays_.push_back(std::move(placed));
  }
  CW_DO(device.synchronize());
  return run;
}

Status DeviceRun::call(const CompiledFunction& function) const {
  std::vector<CallArgument> arguments;
  arguments.reserve(arrays_.size());
  for (const Guarded& one : arrays_) arguments.emplace_back(one.array);
  return function.callOn(device_, arguments);
}

Status DeviceRun::fetch(std::size_t i, const HostArray& to) const {
  return to.data().copyFrom(arrays_[i].array);
}

Expected<std::int64_t> DeviceRun::changedGuardBytes(std::size_t i) const {
  const std::int64_t guard = guardBytesOn(device_);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(guard));
  const std::uint64_t start = arrays_[i].memory.address();
  const std::int64_t inside = arrays_[i].array.size() * (arrays_[i].array.type().elementBits() / 8);
  std::int64_t changed = 0;
  for (const std::int64_t offset : {std::int64_t{0}, guard + inside}) {
    if (guard == 0) break;
    CW_DO(device_.copyToHost(bytes.data(), start + static_cast<std::uint64_t>(offset), guard));
    changed += guard - std::ranges::count(bytes, kGuard);
  }
  return changed;
}

}  // namespace cutwork
