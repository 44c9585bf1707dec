// Debugger.h -- stops a launch where its client wants to look.
#pragma once

#include <optional>

#include "Observer.h"
#include "Variables.h"
#include "cutwork/Simulator/Debug.h"

namespace cutwork::sim {

class Debugger : public Observer {
 public:
  Debugger(const Program& program, DebugClient& client);

  /// Puts a stop at the first instructions of a line; false: there are none.
  bool setBreak(const DebugBreak& place);
  void removeBreak(std::size_t index);
  [[nodiscard]] const std::vector<DebugBreak>& breaks() const { return breaks_; }
  struct Thread {
    std::array<std::uint32_t, 3> block{};
    std::array<std::uint32_t, 3> thread{};
  };
  std::optional<Thread> followed;
  /// What the PTX says of the source's variables; read when it is first asked for.
  [[nodiscard]] const SourceVariables& sources();

 protected:
  bool before(Warp& w, const Record& r, std::uint32_t lanes) override;
  void faulted(Warp& w, const Record& r) override;

 private:
  [[nodiscard]] bool isStep(const Warp& w, const Record& r) const;
  [[nodiscard]] int laneOf(const Warp& w, const Thread& thread) const;
  bool stop(Warp& w, const Record& r, unsigned lane, DebugReason reason);
  void mark(const DebugBreak& place, bool& any);
  [[nodiscard]] SourcePlace lineOf(const Record& r) const;

  DebugClient& client_;
  std::optional<SourceVariables> sources_;
  std::vector<DebugBreak> breaks_;
  std::vector<bool> stops_;  ///< by record
  bool started_ = false;
  DebugAction action_ = DebugAction::Continue;
  const Warp* warp_ = nullptr;  ///< that is stepped
  unsigned lane_ = 0;
  std::array<std::uint32_t, 3> block_{};
  SourcePlace line_;  ///< that Next leaves
};

}  // namespace cutwork::sim
