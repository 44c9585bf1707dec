// Check.h -- counting and printing checks that were made on a GPU.
#pragma once

#include <cstdio>
#include <string>

#include "cutwork/Runtime/Device.h"

namespace cutwork::gpu {

struct Checks {
  int passed = 0;
  int failed = 0;

  void that(bool holds, const std::string& what) {
    (holds ? passed : failed) += 1;
    std::printf("%s %s\n", holds ? "ok    " : "FAILED", what.c_str());
  }
  void ok(const Status& status, const std::string& what) {
    that(status.ok(), status.ok() ? what : what + ": " + status.error().message());
  }
  /// An error whose message has `part`; it is printed.
  template <class T>
  void refused(const Expected<T>& result, const std::string& part, const std::string& what) {
    const std::string message = result.ok() ? "(no error)" : result.error().message();
    that(message.find(part) != std::string::npos, what + ": " + message);
  }
};

void checkMemory(Checks& checks, const Device& device);
void checkModules(Checks& checks, const Device& device);
void checkStreams(Checks& checks, const Device& device);
void checkLaunches(Checks& checks, const Device& device);
void checkTensorMaps(Checks& checks, const Device& device);
/// Writes random plans and what the driver says of them, to find the rules by.
void writeTensorMapRules(Checks& checks, const Device& device, const char* path);
void checkContext(Checks& checks, const Device& device);
void checkAssemblers(Checks& checks, const Device& device);
/// Prints a table: what a launch costs above the driver's own.
void measureLaunches(Checks& checks, const Device& device);
/// Faults on purpose, which ends the context: run alone.
void checkFault(Checks& checks, const Device& device);

}  // namespace cutwork::gpu
