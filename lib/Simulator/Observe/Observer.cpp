// Observer.cpp -- puts an observer between the execution loop and the handlers.
#include "Observer.h"

#include "Exec/Misc.h"

namespace cutwork::sim {

Observer::Observer(const Program& program) : program_(program) {
  handlers_.reserve(program_.records.size());
  for (Record& record : program_.records) {
    handlers_.push_back(record.run);
    record.run = observed;
  }
}

const Record* Observer::observed(Warp& w, const Record& r) {
  Observer& self = *w.launch->observer;
  const Handler handler = self.handlers_[self.indexOf(r)];
  std::uint32_t lanes = w.mask;
  if (handler == guardHandler(self.program_.checked)) {
    const std::uint32_t guard = predAt(w, r.guard & ~1U);
    lanes &= (r.guard & 1) != 0 ? ~guard : guard;
  }
  if (!self.before(w, r, lanes)) return nullptr;
  const std::uint64_t divergences = w.counters.divergentBranches;
  const Record* next = handler(w, r);
  if (w.launch->fault.any()) {
    self.faulted(w, r);
    return nullptr;
  }
  self.after(r, w.counters.divergentBranches - divergences);
  return next;
}

}  // namespace cutwork::sim
