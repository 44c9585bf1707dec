// cutwork/Runtime/Module.h -- loaded modules, their functions, and launches of them.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "cutwork/Runtime/Device.h"

#pragma GCC visibility push(default)

namespace cutwork {

namespace detail {
struct ModuleRecord;
struct FunctionRecord;
}  // namespace detail

/// A launch that was checked once and can be repeated with other parameters at the driver's own
/// cost. May be run from several threads at once.
class Launch {
 public:
  /// `parameters[i]` points to the value of parameter i; there must be as many as the kernel has.
  [[nodiscard]] Status run(const void* const* parameters) const {
    return prepared_->run(parameters, stream_);
  }
  [[nodiscard]] Status run(const void* const* parameters, StreamHandle stream) const {
    return prepared_->run(parameters, stream);
  }

 private:
  friend class Function;
  Launch(std::shared_ptr<const detail::FunctionRecord> function,
         std::unique_ptr<PreparedLaunch> prepared, StreamHandle stream);
  std::shared_ptr<const detail::FunctionRecord> function_;  ///< keeps the module loaded
  std::shared_ptr<PreparedLaunch> prepared_;
  StreamHandle stream_;
};

/// A kernel of a loaded module. Keeps the module loaded.
class Function {
 public:
  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const FunctionProperties& properties() const;
  [[nodiscard]] FunctionHandle handle() const;

  /// Checks the launch against the limits and puts it into the stream. `parameters[i]` points to
  /// the value of parameter i; the values are read before this returns.
  [[nodiscard]] Status launch(const LaunchConfig& config,
                              std::span<const void* const> parameters) const;
  /// The same with the values themselves; each must have the size that the kernel's parameter has.
  template <class... Values>
  [[nodiscard]] Status operator()(const LaunchConfig& config, const Values&... values) const {
    static_assert((std::is_trivially_copyable_v<Values> && ...),
                  "kernel parameters are copied byte by byte");
    const std::array<std::int64_t, sizeof...(Values)> sizes = {sizeof(Values)...};
    const std::array<const void*, sizeof...(Values)> parameters = {&values...};
    CW_DO(checkSizes(sizes));
    return launch(config, parameters);
  }
  /// Checks a launch once, to be repeated.
  [[nodiscard]] Expected<Launch> prepare(const LaunchConfig& config) const;

  /// How many blocks one multiprocessor, and how many clusters the device, holds at once.
  [[nodiscard]] Expected<int> activeBlocks(const LaunchConfig& config) const;
  [[nodiscard]] Expected<int> activeClusters(const LaunchConfig& config) const;

 private:
  friend class Module;
  explicit Function(std::shared_ptr<const detail::FunctionRecord> record)
      : record_(std::move(record)) {}
  [[nodiscard]] Status checkSizes(std::span<const std::int64_t> sizes) const;
  std::shared_ptr<const detail::FunctionRecord> record_;
};

/// A loaded module; unloaded when nothing of it is held any more.
class Module {
 public:
  /// Error (User): the module has no kernel of that name.
  [[nodiscard]] Expected<Function> function(const std::string& name) const;
  [[nodiscard]] Expected<GlobalVariable> global(const std::string& name) const;
  [[nodiscard]] ModuleHandle handle() const;

  friend bool operator==(const Module& a, const Module& b) { return a.record_ == b.record_; }

 private:
  friend class Device;
  explicit Module(std::shared_ptr<detail::ModuleRecord> record) : record_(std::move(record)) {}
  std::shared_ptr<detail::ModuleRecord> record_;
};

}  // namespace cutwork

#pragma GCC visibility pop
