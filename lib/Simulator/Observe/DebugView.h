// DebugView.h -- what a stopped thread sees: registers, memory, the groups of its block.
#pragma once

#include "Debugger.h"

namespace cutwork::sim {

std::array<std::uint32_t, 3> threadOf(const Warp& w, unsigned lane);

class DebugView : public DebugStop {
 public:
  DebugView(Debugger& debugger, Warp& w, const Record& r, unsigned lane, DebugReason reason)
      : debugger_(debugger), w_(w), r_(r), lane_(lane), reason_(reason) {}

  [[nodiscard]] unsigned lane() const { return lane_; }

  [[nodiscard]] DebugReason reason() const override { return reason_; }
  [[nodiscard]] std::string fault() const override { return w_.launch->fault.message; }
  [[nodiscard]] std::array<std::uint32_t, 3> block() const override { return w_.cta->id; }
  [[nodiscard]] std::array<std::uint32_t, 3> thread() const override { return threadOf(w_, lane_); }
  [[nodiscard]] SourcePlace ptx() const override { return debugger_.program().ptxPlace(r_); }
  [[nodiscard]] SourcePlace user() const override { return debugger_.program().userPlace(r_); }
  [[nodiscard]] std::string text() const override { return debugger_.program().text(r_); }
  [[nodiscard]] Expected<DebugRegister> reg(std::string_view name) const override;
  [[nodiscard]] std::vector<DebugRegister> registers() const override;
  [[nodiscard]] Expected<std::vector<std::byte>> memory(DebugSpace space, std::uint64_t address,
                                                        std::uint64_t bytes) const override;
  [[nodiscard]] Expected<std::uint64_t> shared(std::string_view name) const override;
  [[nodiscard]] Expected<DebugVariables> variables() const override;
  [[nodiscard]] Expected<DebugVariable> variable(std::string_view name) const override;
  [[nodiscard]] std::vector<DebugGroup> groups() const override;
  Expected<DebugBreak> addBreak(DebugBreak place) override;
  Status removeBreak(std::size_t index) override;
  [[nodiscard]] const std::vector<DebugBreak>& breaks() const override {
    return debugger_.breaks();
  }
  Status follow(std::array<std::uint32_t, 3> block, std::array<std::uint32_t, 3> thread) override;
  void followAny() override { debugger_.followed.reset(); }

  /// Memory, and (if the run is checked for that) which of it was ever written.
  struct Bytes {
    std::string values;
    std::vector<bool> written;
  };
  [[nodiscard]] Expected<Bytes> bytesAt(DebugSpace space, std::uint64_t address,
                                        std::uint64_t bytes) const;
  [[nodiscard]] const Program& program() const { return debugger_.program(); }
  /// Where the frame of the thread's function is in local memory, and the kernel's parameters.
  [[nodiscard]] std::uint64_t frame() const { return w_.localBase[lane_]; }
  [[nodiscard]] std::uint64_t parameters() const { return w_.launch->parameterAddress; }

 private:
  [[nodiscard]] SourceRef statement() const;
  [[nodiscard]] DebugRegister value(const RegisterNote& note) const;
  [[nodiscard]] std::uint32_t function() const;

  Debugger& debugger_;
  Warp& w_;
  const Record& r_;
  unsigned lane_;
  DebugReason reason_;
};

}  // namespace cutwork::sim
