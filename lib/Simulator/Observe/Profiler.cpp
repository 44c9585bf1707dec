// Profiler.cpp -- lanes, sectors and wavefronts of each record that runs.
#include "Profiler.h"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>

#include "Classes.h"
#include "Memory/Global.h"
#include "cutwork/Support/Banks.h"

namespace cutwork::sim {
namespace {

constexpr std::uint64_t kSector = 32;  ///< bytes that global memory is fetched in

/// Addresses of a request's lanes, each once, rising.
struct Addresses {
  std::array<std::uint64_t, 32> at{};
  unsigned count = 0;
};

Addresses distinct(const std::uint64_t* addresses, std::uint32_t lanes) {
  Addresses result;
  for (; lanes != 0; lanes &= lanes - 1) {
    result.at[result.count++] = addresses[__builtin_ctz(lanes)];
  }
  const auto end = result.at.begin() + result.count;
  std::sort(result.at.begin(), end);
  result.count = static_cast<unsigned>(std::unique(result.at.begin(), end) - result.at.begin());
  return result;
}

std::uint64_t sectorsOf(const Addresses& addresses, unsigned bytes) {
  std::uint64_t sectors = 0;
  std::uint64_t next = 0;  // the first sector that has not been counted
  for (unsigned i = 0; i < addresses.count; ++i) {
    const std::uint64_t first = std::max(addresses.at[i] / kSector, next);
    const std::uint64_t end = (addresses.at[i] + bytes - 1) / kSector + 1;
    if (end <= first) continue;
    sectors += end - first;
    next = end;
  }
  return sectors;
}

void countShared(ProfileCounts& counts, const std::uint64_t* addresses, std::uint32_t lanes,
                 unsigned bytes) {
  ++counts.sharedRequests;
  counts.sharedBytes += std::uint64_t{bytes} * static_cast<unsigned>(__builtin_popcount(lanes));
  const std::int64_t bits = std::int64_t{bytes} * 8;
  const auto together = static_cast<unsigned>(lanesOfPhase(bits));
  for (unsigned first = 0; first < 32; first += together) {
    std::array<std::int64_t, 32> phase{};
    std::size_t count = 0;
    for (unsigned i = first; i < first + together; ++i) {
      if ((lanes >> i & 1) != 0) phase[count++] = static_cast<std::int64_t>(addresses[i] * 8);
    }
    if (count == 0) continue;
    const auto wavefronts =
        static_cast<std::uint64_t>(bankUse(std::span(phase).first(count), bits).degree);
    counts.wavefronts += wavefronts;
    counts.conflicts += wavefronts - 1;
  }
}

void count(ProfileCounts& counts, Warp& w, const AccessNote& note, std::uint32_t lanes) {
  lanes &= note.lanes;
  if (lanes == 0 || note.bytes == 0) return;
  std::array<std::uint64_t, 32> addresses{};
  for (unsigned i = 0; i < 32; ++i) {
    addresses[i] =
        (note.wide ? rowAt<std::uint64_t>(w, note.row)[i] : rowAt<std::uint32_t>(w, note.row)[i]) +
        static_cast<std::uint64_t>(note.offset);
  }
  const auto asked = std::uint64_t{note.bytes} * static_cast<unsigned>(__builtin_popcount(lanes));
  if (note.atomic) {
    counts.atomicLanes += static_cast<unsigned>(__builtin_popcount(lanes));
    counts.collisions +=
        static_cast<unsigned>(__builtin_popcount(lanes)) - distinct(addresses.data(), lanes).count;
  }
  const std::uint64_t one = addresses[static_cast<unsigned>(__builtin_ctz(lanes))];
  switch (note.space == Space::Generic ? spaceOfGeneric(one) : note.space) {
    case Space::Shared: countShared(counts, addresses.data(), lanes, note.bytes); break;
    case Space::Local: counts.localBytes += asked; break;
    case Space::Global: {
      const Addresses once = distinct(addresses.data(), lanes);
      ++counts.globalRequests;
      counts.globalBytes += asked;
      counts.globalUnique += std::uint64_t{note.bytes} * once.count;
      counts.sectors += sectorsOf(once, note.bytes);
      break;
    }
    default: break;  // constants
  }
}

}  // namespace

Profiler::Profiler(const Program& program)
    : Observer(program), counts_(program.sources.size()), accesses_(program.records.size()) {
  for (const AccessNote& note : program.accesses) accesses_[note.record].push_back(note);
}

bool Profiler::before(Warp& w, const Record& r, std::uint32_t lanes) {
  ProfileCounts& counts = countsOf(r);
  if ((r.source & kPartOfAnother) == 0) {
    counts.issued += lanes != 0 ? 1 : 0;
    counts.lanes += static_cast<unsigned>(__builtin_popcount(lanes));
  }
  for (const AccessNote& note : accesses_[indexOf(r)]) count(counts, w, note, lanes);
  return true;
}

void Profiler::after(const Record& r, std::uint64_t divergences) {
  countsOf(r).divergent += divergences;
}

Profile Profiler::profile() const {
  Profile result;
  result.kernel = program().kernel;
  std::vector<bool> seen(counts_.size(), false);
  for (const Record& record : program().records) {
    const std::uint32_t source = record.source & ~kPartOfAnother;
    if (seen[source]) continue;
    seen[source] = true;
    const SourceRef& at = program().sources[source];
    const Function& function = program().module->functions[at.function];
    if (at.statement >= function.body.size()) continue;
    const Statement& statement = function.body[at.statement];
    if (statement.kind != Statement::Kind::Instruction) continue;
    InstructionProfile& one = result.instructions.emplace_back();
    one.ptx = program().ptxPlace(record);
    one.user = program().userPlace(record);
    one.text = program().text(record);
    one.kind = classOf(statement.name, statement.words);
    one.fidelity = fidelityOf(statement.name, statement.words, one.text);
    one.counts = counts_[source];
  }
  std::sort(result.instructions.begin(), result.instructions.end(),
            [](const auto& a, const auto& b) {
              return std::tie(a.ptx.line, a.text) < std::tie(b.ptx.line, b.text);
            });
  return result;
}

}  // namespace cutwork::sim
