// DebugView.cpp -- values of a stopped thread.
#include "DebugView.h"

#include <fmt/format.h>

#include <cstring>

#include "Types.h"
#include "Variables.h"

namespace cutwork::sim {

std::array<std::uint32_t, 3> threadOf(const Warp& w, unsigned lane) {
  return threadAt(*w.launch, w.index * 32 + lane);
}

SourceRef DebugView::statement() const {
  return debugger_.program().sources[r_.source & ~kPartOfAnother];
}

std::uint32_t DebugView::function() const { return statement().function; }

DebugRegister DebugView::value(const RegisterNote& note) const {
  DebugRegister result;
  result.name = note.name;
  result.type = spelling(note.type);
  const unsigned bytes = note.type == Ty::Pred ? 4 : std::max(bytesOf(note.type), 4U);
  if (note.type == Ty::Pred) {
    result.bits = predAt(w_, note.row) >> lane_ & 1;
  } else {
    std::memcpy(&result.bits, w_.file + note.row + std::size_t{lane_} * bytes, std::min(bytes, 8U));
    if (bytes == 16) {
      std::memcpy(&result.upper, w_.file + note.row + std::size_t{lane_} * bytes + 8, 8);
    }
    const unsigned bits = bitsOf(note.type);
    if (bits < 32) result.bits &= (std::uint64_t{1} << bits) - 1;
  }
  if (w_.undefined != nullptr && debugger_.program().checks.init) {
    const std::uint32_t* masks = undefinedAt(w_, note.row);
    const unsigned shown = note.type == Ty::Pred ? 1 : bytesOf(note.type);
    for (unsigned i = 0; i < shown; ++i) {
      if ((masks[i] >> lane_ & 1) != 0) result.written = false;
    }
  }
  return result;
}

Expected<DebugRegister> DebugView::reg(std::string_view name) const {
  for (const RegisterNote& note : debugger_.program().registers) {
    if (note.function == function() && note.name == name) return value(note);
  }
  return userError(fmt::format("this function uses no register {}", name));
}

std::vector<DebugRegister> DebugView::registers() const {
  std::vector<DebugRegister> result;
  for (const RegisterNote& note : debugger_.program().registers) {
    if (note.function == function()) result.push_back(value(note));
  }
  return result;
}

Expected<std::vector<std::byte>> DebugView::memory(DebugSpace space, std::uint64_t address,
                                                   std::uint64_t bytes) const {
  CW_TRY(const Bytes found, bytesAt(space, address, bytes));
  const auto* from = reinterpret_cast<const std::byte*>(found.values.data());
  return std::vector<std::byte>(from, from + bytes);
}

Expected<DebugView::Bytes> DebugView::bytesAt(DebugSpace space, std::uint64_t address,
                                              std::uint64_t bytes) const {
  const std::uint8_t* from = nullptr;
  const std::vector<std::uint8_t>* undefined = nullptr;
  std::uint64_t base = 0;
  std::uint64_t end = 0;
  Bytes result;
  const bool follows = debugger_.program().checks.init;
  if (space == DebugSpace::Global) {
    result.values.resize(bytes);
    CW_DO(w_.launch->memory->read(address, result.values.data(), bytes));
    const std::uint8_t* shadow = w_.launch->shadow + (address - GlobalMemory::kBase);
    for (std::uint64_t i = 0; follows && i < bytes; ++i) {
      result.written.push_back((shadow[i] & kWritten) != 0);
    }
    return result;
  }
  if (space == DebugSpace::Shared) {
    from = w_.cta->shared.data();
    undefined = &w_.cta->sharedUndefined;
    end = w_.cta->shared.size();
  } else {
    base = std::uint64_t{lane_} * w_.localBytes;
    from = w_.local.data() + base;
    undefined = &w_.localUndefined;
    end = w_.localTop[lane_];
  }
  if (address > end || bytes > end - address) {
    return userError(fmt::format("{} bytes at {:#x} are not within the {:#x} bytes of {} memory",
                                 bytes, address, end,
                                 space == DebugSpace::Shared ? "shared" : "local"));
  }
  result.values.assign(reinterpret_cast<const char*>(from + address), bytes);
  for (std::uint64_t i = 0; follows && i < bytes && base + address + i < undefined->size(); ++i) {
    result.written.push_back(((*undefined)[base + address + i] & ~kInFlight) == 0);
  }
  return result;
}

Expected<std::uint64_t> DebugView::shared(std::string_view name) const {
  for (const VariableNote& note : debugger_.program().variables) {
    if (note.space == Space::Shared && note.name == name) return note.address;
  }
  return userError(fmt::format("there is no variable {} in shared memory", name));
}

Expected<DebugVariables> DebugView::variables() const {
  return variablesAt(debugger_.sources(), *this, statement());
}

Expected<DebugVariable> DebugView::variable(std::string_view name) const {
  CW_TRY(const DebugVariables found, variables());
  for (const DebugVariable& one : found.all) {
    if (one.name == name) return one;
  }
  return userError(fmt::format("there is no variable {} in scope here", name));
}

std::vector<DebugGroup> DebugView::groups() const {
  std::vector<DebugGroup> result;
  const Program& program = debugger_.program();
  for (const Warp& w : w_.cta->warps) {
    for (const Group& group : w.groups) {
      const bool running = &w == &w_ && &group == &w.groups[w.current];
      const Record& at = running ? r_ : *group.pc;
      result.push_back({w.index, group.mask, group.state != GroupState::Ready, program.ptxPlace(at),
                        program.userPlace(at)});
    }
  }
  return result;
}

Expected<DebugBreak> DebugView::addBreak(DebugBreak place) {
  if (debugger_.setBreak(place)) return place;
  return userError(fmt::format("no instruction has the line {}{}{}", place.file,
                               place.file.empty() ? "" : ":", place.line));
}

Status DebugView::removeBreak(std::size_t index) {
  if (index >= breaks().size()) {
    return userError(fmt::format("there is no breakpoint {}", index + 1));
  }
  debugger_.removeBreak(index);
  return Success{};
}

namespace {

Status within(const std::array<std::uint32_t, 3>& at, const std::array<std::uint32_t, 3>& of,
              std::string_view what, std::string_view whole) {
  if (at[0] < of[0] && at[1] < of[1] && at[2] < of[2]) return Success{};
  return userError(fmt::format("there is no {} ({},{},{}): {} has ({},{},{})", what, at[0], at[1],
                               at[2], whole, of[0], of[1], of[2]));
}

}  // namespace

Status DebugView::follow(std::array<std::uint32_t, 3> block, std::array<std::uint32_t, 3> thread) {
  const LaunchConfig& launch = w_.launch->config;
  CW_DO(within(block, launch.grid, "block", "the grid"));
  CW_DO(within(thread, launch.block, "thread", "a block"));
  debugger_.followed = Debugger::Thread{block, thread};
  if (block != w_.cta->id) return Success{};
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((w_.mask >> lane & 1) != 0 && threadOf(w_, lane) == thread) lane_ = lane;
  }
  return Success{};
}

}  // namespace cutwork::sim
