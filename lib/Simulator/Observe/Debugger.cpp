// Debugger.cpp -- breakpoints, steps, and the thread that is followed.
#include "Debugger.h"

#include "DebugView.h"

namespace cutwork::sim {
namespace {

/// Whether `path` is `end`, or ends with it behind a slash.
bool isFile(std::string_view path, std::string_view end) {
  if (end.empty() || path == end) return true;
  return path.size() > end.size() && path.ends_with(end) &&
         path[path.size() - end.size() - 1] == '/';
}

}  // namespace

Debugger::Debugger(const Program& program, DebugClient& client)
    : Observer(program), client_(client), stops_(program.records.size(), false) {}

const SourceVariables& Debugger::sources() {
  if (!sources_) sources_ = readVariables(*program().module);
  return *sources_;
}

SourcePlace Debugger::lineOf(const Record& r) const {
  SourcePlace place = program().userPlace(r);
  if (!place.known()) place = program().ptxPlace(r);
  place.column = 0;
  return place;
}

bool Debugger::setBreak(const DebugBreak& place) {
  bool any = false;
  mark(place, any);
  if (any) breaks_.push_back(place);
  return any;
}

void Debugger::removeBreak(std::size_t index) {
  breaks_.erase(breaks_.begin() + static_cast<std::ptrdiff_t>(index));
  stops_.assign(stops_.size(), false);
  bool any = false;
  for (const DebugBreak& place : breaks_) mark(place, any);
}

void Debugger::mark(const DebugBreak& place, bool& any) {
  const std::vector<Record>& records = program().records;
  bool inside = false;  // the record before is of the line
  std::uint32_t lastStatement = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if ((records[i].source & kPartOfAnother) != 0) continue;
    const auto is = [&](const SourcePlace& at) {
      return at.known() && at.line == place.line && isFile(at.file, place.file);
    };
    const bool here = is(program().userPlace(records[i])) || is(program().ptxPlace(records[i]));
    // Behind a label it begins again: a loop may be one line.
    const std::uint32_t statement = program().sources[records[i].source].statement;
    const bool follows = inside && statement == lastStatement + 1;
    if (here && !follows) stops_[i] = any = true;
    inside = here;
    lastStatement = statement;
  }
}

int Debugger::laneOf(const Warp& w, const Thread& thread) const {
  if (w.cta->id != thread.block) return -1;
  for (int lane = 0; lane < 32; ++lane) {
    if (threadOf(w, static_cast<unsigned>(lane)) == thread.thread) return lane;
  }
  return -1;
}

bool Debugger::isStep(const Warp& w, const Record& r) const {
  if (action_ != DebugAction::Step && action_ != DebugAction::Next) return false;
  // Warps are used again for other blocks.
  if (&w != warp_ || w.cta->id != block_ || (w.mask >> lane_ & 1) == 0) return false;
  return action_ == DebugAction::Step || !(lineOf(r) == line_);
}

bool Debugger::before(Warp& w, const Record& r, std::uint32_t lanes) {
  if ((r.source & kPartOfAnother) != 0) return true;
  const bool first = !started_;
  started_ = true;
  if (first) return stop(w, r, static_cast<unsigned>(__builtin_ctz(w.mask)), DebugReason::Start);
  if (isStep(w, r)) return stop(w, r, lane_, DebugReason::Step);
  if (lanes == 0 || !stops_[indexOf(r)]) return true;
  auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
  if (followed) {
    const int found = laneOf(w, *followed);
    if (found < 0 || (lanes >> found & 1) == 0) return true;
    lane = static_cast<unsigned>(found);
  }
  return stop(w, r, lane, DebugReason::Breakpoint);
}

bool Debugger::stop(Warp& w, const Record& r, unsigned lane, DebugReason reason) {
  DebugView view(*this, w, r, lane, reason);
  action_ = client_.stopped(view);
  warp_ = &w;
  lane_ = view.lane();
  block_ = w.cta->id;
  line_ = lineOf(r);
  if (reason != DebugReason::Start || action_ == DebugAction::Quit) {
    if (action_ != DebugAction::Quit) return true;
    raise(w, r, ExitCode::Limit, lane_, "the run was ended from the debugger");
    return false;
  }
  // A breakpoint that was set at the start may be at the first instruction.
  if (action_ == DebugAction::Continue && stops_[indexOf(r)]) return before(w, r, w.mask);
  return true;
}

void Debugger::faulted(Warp& w, const Record& r) {
  const auto& thread = w.launch->fault.thread;
  unsigned lane = static_cast<unsigned>(__builtin_ctz(w.mask | 1U << 31));
  for (unsigned i = 0; i < 32; ++i) {
    if (threadOf(w, i) == thread) lane = i;
  }
  DebugView view(*this, w, r, lane, DebugReason::Fault);
  client_.stopped(view);
}

}  // namespace cutwork::sim
