// Profiler.h -- counts what each instruction of a launch does.
#pragma once

#include "Observer.h"
#include "cutwork/Simulator/Profile.h"

namespace cutwork::sim {

class Profiler : public Observer {
 public:
  explicit Profiler(const Program& program);
  [[nodiscard]] Profile profile() const;

 protected:
  bool before(Warp& w, const Record& r, std::uint32_t lanes) override;
  void after(const Record& r, std::uint64_t divergences) override;

 private:
  ProfileCounts& countsOf(const Record& r) { return counts_[r.source & ~kPartOfAnother]; }

  std::vector<ProfileCounts> counts_;              ///< by Program::sources
  std::vector<std::vector<AccessNote>> accesses_;  ///< by record
};

}  // namespace cutwork::sim
