// Sim.h -- `cutwork sim kernel.ptx launch.json`: runs a kernel on the simulated device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "Commands.h"
#include "cutwork/Simulator/Debug.h"

namespace cutwork::tool {

/// What the command line of `cutwork sim` says.
struct SimOptions {
  std::string ptx;
  std::string launch;
  std::string device = "sim:sm_90a";
  bool check = true;  ///< false: --no-check
  std::string checks = "memory,race,sync,init";
  bool json = false;
  bool profile = false;
  std::string html;  ///< a file for the profile
  sim::DebugClient* debug = nullptr;
  bool quit = false;  ///< the debugger's user ended the run
  // 0, false, nothing: as the knob says.
  std::uint64_t maxInstructions = 0;
  bool stopAtFirst = false;
  std::optional<std::uint64_t> seed;  ///< of the order of blocks and warps
  std::uint64_t threads = 0;
  std::string seeds;  ///< A-B: one run for each, which must agree
};

/// The files, the device and the checks, for every command that launches a kernel.
void addLaunchOptions(CLI::App& command, SimOptions& options);

/// Adds `sim` to `app`.
void addSimCommand(CLI::App& app, Invocation& invocation);

/// Runs the kernel; the report of a fault goes to standard error, and its code is the result.
ExitCode runSim(const SimOptions& options);

}  // namespace cutwork::tool
