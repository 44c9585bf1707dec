// Fault.cpp -- a fault as the text that a user reads.
#include "Fault.h"

#include <fmt/format.h>

namespace cutwork::sim {

std::string Fault::text() const {
  std::string_view name = "fault";
  for (const ExitCodeInfo& info : kExitCodes) {
    if (info.code == code) name = info.name;
  }
  std::string out = fmt::format("{}: {}\n", name, message);
  if (!kernel.empty()) {
    out += fmt::format("  in kernel {}", kernel);
    if (hasThread) {
      out += fmt::format(", block ({},{},{}), thread ({},{},{})", block[0], block[1], block[2],
                         thread[0], thread[1], thread[2]);
    }
    out += '\n';
  }
  if (user.known()) out += fmt::format("  at {}\n", user.text());
  if (ptx.known()) out += fmt::format("  at {}: {}\n", ptx.text(), instruction);
  if (!value.empty()) out += fmt::format("  which {}\n", value);
  if (other.known) {
    out +=
        fmt::format("  and block ({},{},{}), thread ({},{},{})\n", other.block[0], other.block[1],
                    other.block[2], other.thread[0], other.thread[1], other.thread[2]);
    if (other.user.known()) out += fmt::format("  at {}\n", other.user.text());
    if (other.ptx.known()) out += fmt::format("  at {}: {}\n", other.ptx.text(), other.instruction);
    if (!other.value.empty()) out += fmt::format("  which {}\n", other.value);
  }
  out += details;
  if (count > 1) out += fmt::format("  {} times at this place\n", count);
  return out;
}

}  // namespace cutwork::sim
