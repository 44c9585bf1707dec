// Observer.h -- looks at every record that a launch executes: a copy of the program whose records
// call the observer first. A launch without one runs the program itself and pays nothing.
#pragma once

#include "Decode/Program.h"
#include "Exec/Machine.h"

namespace cutwork::sim {

class Observer {
 public:
  explicit Observer(const Program& program);
  virtual ~Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  /// What the launch runs instead.
  [[nodiscard]] const Program& program() const { return program_; }

 protected:
  /// Before a record; `lanes`: those that execute it, under its guard too. False: the launch has a
  /// fault and ends.
  virtual bool before(Warp& w, const Record& r, std::uint32_t lanes) = 0;
  /// Behind it, unless it faulted; `divergences`: times that the warp's lanes were split.
  virtual void after(const Record& r, std::uint64_t divergences) { (void)r, (void)divergences; }
  /// The record made the launch's fault.
  virtual void faulted(Warp& w, const Record& r) { (void)w, (void)r; }

  [[nodiscard]] std::size_t indexOf(const Record& r) const {
    return static_cast<std::size_t>(&r - program_.records.data());
  }

 private:
  static const Record* observed(Warp& w, const Record& r);

  Program program_;
  std::vector<Handler> handlers_;  ///< of the records
};

}  // namespace cutwork::sim
