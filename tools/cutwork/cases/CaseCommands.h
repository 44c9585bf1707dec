// CaseCommands.h -- the commands on cases (cases, verify, bench, compile), and what they share.
#pragma once

#include <optional>

#include "../Commands.h"
#include "cutwork/Cases/Case.h"

namespace cutwork::tool {

/// Adds cases, verify, bench and compile to `app`. `invocation` outlives the parsing and the run.
void addCaseCommands(CLI::App& app, Invocation& invocation);
void addVerifyCommand(CLI::App& app, Invocation& invocation);
void addBenchCommand(CLI::App& app, Invocation& invocation);
void addCompileCommand(CLI::App& app, Invocation& invocation);

/// What several of the commands take.
struct CaseOptions {
  std::string name;
  std::string device;  ///< empty: Device::best
  std::string shape;   ///< empty: the case's
  std::uint64_t seed = 0;
  std::uint64_t maxInstructions = 0;  ///< of the simulated device; 0: what the knob says
};
void addCaseName(CLI::App& command, CaseOptions& options);
void addShape(CLI::App& command, CaseOptions& options);
void addDevice(CLI::App& command, CaseOptions& options);
void addSeed(CLI::App& command, CaseOptions& options);
void addMaxInstructions(CLI::App& command, CaseOptions& options);

/// The shape that was asked for; nothing if none was. Error (User): it is none, or has another rank
/// than the case's.
Expected<std::optional<CaseShape>> shapeOf(const CaseOptions& options, const Case& which);
Expected<Device> deviceOf(const CaseOptions& options);

/// While it lives, Ctrl-C ends the launch on a simulated device, and launches stop after so many
/// instructions.
class StoppableRun {
 public:
  explicit StoppableRun(std::uint64_t maxInstructions);
  ~StoppableRun();
  StoppableRun(const StoppableRun&) = delete;
  StoppableRun& operator=(const StoppableRun&) = delete;
  /// To be called when the error is reported: if it was Ctrl-C, the signal ends the program.
  static void endIfInterrupted();
};

/// A line on standard error that says what is going on, if that is a terminal; the next one and the
/// end take its place.
class Progress {
 public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void say(const std::string& text);
  void clear();

 private:
  bool shown_;
};

}  // namespace cutwork::tool
