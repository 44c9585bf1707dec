// cutwork/Simulator/Debug.h -- stops of a launch: where a thread is, and what it sees.
//
//     struct Client : sim::DebugClient {
//       sim::DebugAction stopped(sim::DebugStop& stop) override {
//         std::cout << stop.user().text() << ' ' << stop.reg("%r1")->bits << '\n';
//         return sim::DebugAction::Step;
//       }
//     } client;
//     config.debug = &client;
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cutwork/Support/SourcePlace.h"
#include "cutwork/Support/Status.h"

#pragma GCC visibility push(default)

namespace cutwork::sim {

enum class DebugAction {
  Continue,  ///< to the next breakpoint
  Step,      ///< until the thread is at another instruction
  Next,      ///< until it is at another line: the user's, or the PTX's without .loc
  Quit,      ///< the launch ends, as stopped from outside
};

enum class DebugReason { Start, Breakpoint, Step, Fault };

enum class DebugSpace { Global, Shared, Local };

/// A register's value in the thread.
struct DebugRegister {
  std::string name;
  std::string type;  ///< b32, pred
  std::uint64_t bits = 0;
  std::uint64_t upper = 0;  ///< of 128 bits
  bool written = true;      ///< false: never (if the run is checked for that)
};

/// A variable of the source, from the debug information in the PTX.
struct DebugVariable {
  std::string name;
  std::string type;   ///< as C writes it
  std::string value;  ///< or, in brackets, why there is none
  std::string place;  ///< %r2, local memory at 0x24
};

struct DebugVariables {
  std::vector<DebugVariable> all;
  std::string problem;  ///< what of the debug information was not understood, or empty
};

/// Lanes of a warp that are together.
struct DebugGroup {
  std::uint32_t warp = 0;
  std::uint32_t lanes = 0;  ///< a mask
  bool waits = false;
  SourcePlace ptx;
  SourcePlace user;
};

struct DebugBreak {
  std::string file;  ///< the end of a path; empty: any
  std::uint32_t line = 0;
};

/// What is looked at: one thread, about to execute an instruction. Valid within `stopped`.
class DebugStop {
 public:
  virtual ~DebugStop() = default;
  [[nodiscard]] virtual DebugReason reason() const = 0;
  [[nodiscard]] virtual std::string fault() const = 0;  ///< its message, at a fault
  [[nodiscard]] virtual std::array<std::uint32_t, 3> block() const = 0;
  [[nodiscard]] virtual std::array<std::uint32_t, 3> thread() const = 0;
  [[nodiscard]] virtual SourcePlace ptx() const = 0;
  [[nodiscard]] virtual SourcePlace user() const = 0;
  [[nodiscard]] virtual std::string text() const = 0;  ///< of the instruction

  /// Of the function that the thread is in. Error (User): it has none of that name.
  [[nodiscard]] virtual Expected<DebugRegister> reg(std::string_view name) const = 0;
  [[nodiscard]] virtual std::vector<DebugRegister> registers() const = 0;
  /// Bytes that the thread could load. Error (User): some of them are not there.
  [[nodiscard]] virtual Expected<std::vector<std::byte>> memory(DebugSpace space,
                                                                std::uint64_t address,
                                                                std::uint64_t bytes) const = 0;
  /// Address of a variable in shared memory. Error (User): there is none.
  [[nodiscard]] virtual Expected<std::uint64_t> shared(std::string_view name) const = 0;
  /// Variables that are in scope, the innermost of a name. Error (User): the PTX has no debug
  /// information of variables, or it is not understood.
  [[nodiscard]] virtual Expected<DebugVariables> variables() const = 0;
  /// One of them. Error (User): the same; none in scope has that name.
  [[nodiscard]] virtual Expected<DebugVariable> variable(std::string_view name) const = 0;
  /// The block's groups of lanes.
  [[nodiscard]] virtual std::vector<DebugGroup> groups() const = 0;

  /// Stops where a thread comes to that line: the first instructions of it. Error (User): no
  /// instruction has the line.
  virtual Expected<DebugBreak> addBreak(DebugBreak place) = 0;
  virtual Status removeBreak(std::size_t index) = 0;
  [[nodiscard]] virtual const std::vector<DebugBreak>& breaks() const = 0;
  /// From now on only this thread stops at breakpoints. If it is of the warp that has stopped, it
  /// is what is looked at. Error (User): the launch has no such block or thread.
  virtual Status follow(std::array<std::uint32_t, 3> block,
                        std::array<std::uint32_t, 3> thread) = 0;
  virtual void followAny() = 0;
};

class DebugClient {
 public:
  virtual ~DebugClient() = default;
  /// At the start, at breakpoints, behind steps, and at a fault (then the answer does not matter).
  virtual DebugAction stopped(DebugStop& stop) = 0;
};

}  // namespace cutwork::sim

#pragma GCC visibility pop
