// Scheduler.cpp -- who runs when.
//
// A group runs until it waits, ends, or has made `kTurn` branches backwards; then the next group of
// the warp runs, then the next warp, then the next CTA of the cluster. A cluster that has had many
// rounds without ending lets the next cluster start beside it, since it may wait for that one. If
// nothing can run, parked lanes are let go (they may be what the others wait for), and if there are
// none either, that is a deadlock, and is reported with what everyone waits for.
#include "Scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

#include "Counters.h"
#include "Decode/Program.h"
#include "Exec/Misc.h"

namespace cutwork::sim {
namespace {

constexpr std::int32_t kTurn = 1024;
/// Turns that others may have while lanes are parked at a join, at first and later.
constexpr std::uint32_t kPatience = 64;
constexpr unsigned kRoundsAlone = 8;
/// So many blocks are started without need; more, up to what the device holds, where these have had
/// `kVisits` rounds each since the last one that ended: they may wait for those to come.
constexpr std::size_t kEagerCtas = 264;
constexpr std::size_t kVisits = 2;
/// Turns of its warp that mbarrier.try_wait waits for while others run.
constexpr std::uint32_t kWaitTurns = 64;
/// Branches of a turn, at least, where a seed decides; and instructions after a first fault, since
/// what it did not do others may wait for.
constexpr std::uint64_t kShortTurn = 16;
constexpr std::uint64_t kRunOn = 10'000'000;
/// Places that a report lists.
constexpr std::size_t kPlaces = 16;

void fill(Warp& w, std::uint32_t row, std::uint32_t value) {
  std::fill_n(rowAt<std::uint32_t>(w, row), 32, value);
}

class Runner {
 public:
  Runner(Launch& launch, Counters& counters, ClusterQueue& queue, ClusterQueue::Chunk first)
      : launch_(launch),
        program_(*launch.program),
        counters_(counters),
        queue_(queue),
        chunk_(first),
        isSeeded_(launch.config.seed != 0),
        dice_(launch.config.seed) {}

  void run() {
    const LaunchConfig& config = launch_.config;
    const auto more = [&] { return !chunk_.empty() || !queue_.empty(); };
    const std::size_t perCluster =
        std::size_t{config.cluster[0]} * config.cluster[1] * config.cluster[2];
    const std::size_t resident = std::max<std::size_t>(1, launch_.residentCtas / perCluster);
    const std::size_t eager = std::min(resident, std::max<std::size_t>(1, kEagerCtas / perCluster));
    launch_.order = BlockOrder(clustersOf(config), config.seed);
    launch_.cancelNext = [this](std::array<std::uint32_t, 3>& id) { return cancelNext(id); };
    std::deque<std::unique_ptr<Cluster>> active;
    bool fresh = true;  // whether to start another one
    std::size_t visits = 0;
    while (more() || !active.empty()) {
      const bool waits = visits > kVisits * active.size() || stuck_ > active.size();
      const bool wanted = fresh && active.size() < (waits ? resident : eager) && more();
      if (wanted && chunk_.empty()) chunk_ = queue_.take();
      if (wanted && !chunk_.empty()) {
        active.push_front(start(nextCluster()));
        if (isSeeded_) std::swap(active.front(), active[dice_.below(active.size())]);
      }
      if (active.empty()) break;  // another thread took the last one
      // The newest first, then in turn.
      std::unique_ptr<Cluster> cluster = std::move(active.front());
      active.pop_front();
      const bool progressed = runRounds(*cluster, active.empty() && !more());
      if (launch_.fault.any() || queue_.ended.load(std::memory_order_relaxed)) {
        active.push_front(std::move(cluster));  // what it made counts, and where it is
        break;
      }
      if (cluster->liveCtas == 0) {
        finish(*cluster);
        spare_ = std::move(cluster);
        stuck_ = 0;
        visits = 0;
        fresh = active.empty();
        continue;
      }
      active.push_back(std::move(cluster));
      ++visits;
      fresh = true;
      stuck_ = progressed ? 0 : stuck_ + 1;
      if (stuck_ > active.size() && (!more() || active.size() >= resident)) {
        if (endWaits(active)) {
          stuck_ = 0;
          continue;
        }
        reportDeadlock(active);
        break;
      }
    }
    if (brokeOff_) launch_.fault.details = whereThreadsAre(active, perCluster);
    for (const auto& cluster : active) finish(*cluster);
    launch_.cancelNext = nullptr;
  }

 private:
  /// The next cluster of the chunk, which has one.
  std::array<std::uint32_t, 3> nextCluster() {
    const LaunchConfig& config = launch_.config;
    std::uint64_t which = launch_.order.at(chunk_.next++);
    std::array<std::uint32_t, 3> id{};
    for (unsigned i = 0; i < 3; ++i) {
      const std::uint64_t clusters = config.grid[i] / config.cluster[i];
      id[i] = static_cast<std::uint32_t>(which % clusters);
      which /= clusters;
    }
    return id;
  }

  /// A cluster that will not be started, since a running one does its work; with a seed it is
  /// refused at times, as a GPU may. False: there is none.
  bool cancelNext(std::array<std::uint32_t, 3>& id) {
    if (isSeeded_ && dice_.below(4) == 0) return false;
    if (chunk_.empty()) chunk_ = queue_.take();
    if (chunk_.empty()) return false;
    id = nextCluster();
    return true;
  }

  std::unique_ptr<Cluster> start(std::array<std::uint32_t, 3> id) {
    const LaunchConfig& config = launch_.config;
    const std::size_t count =
        std::size_t{config.cluster[0]} * config.cluster[1] * config.cluster[2];
    std::unique_ptr<Cluster> cluster =
        spare_ != nullptr ? std::move(spare_) : std::make_unique<Cluster>();
    cluster->id = id;
    cluster->phase = 0;
    cluster->arrivals = nullptr;
    cluster->ended = nullptr;
    cluster->arrived = 0;
    cluster->liveThreads = 0;
    cluster->liveCtas = static_cast<std::uint32_t>(count);
    cluster->ctas.resize(count);
    for (std::size_t i = 0; i < count; ++i) startCta(*cluster, static_cast<std::uint32_t>(i));
    return cluster;
  }

  void startCta(Cluster& cluster, std::uint32_t rank) {
    const LaunchConfig& config = launch_.config;
    Cta& cta = cluster.ctas[rank];
    cta.launch = &launch_;
    cta.cluster = &cluster;
    cta.rank = rank;
    const std::array<std::uint32_t, 3> inside{rank % config.cluster[0],
                                              rank / config.cluster[0] % config.cluster[1],
                                              rank / config.cluster[0] / config.cluster[1]};
    for (unsigned i = 0; i < 3; ++i) cta.id[i] = cluster.id[i] * config.cluster[i] + inside[i];
    cta.shared.assign(launch_.sharedBytes, 0);
    if (program_.checked)
      cta.sharedUndefined.assign(launch_.sharedBytes, program_.checks.init ? 1 : 0);
    for (Barrier& barrier : cta.barriers) barrier.inUse = false;
    if (launch_.race != nullptr) launch_.race->startCta(cta.race, launch_.sharedBytes);
    cta.mbarriers.clear();
    cta.inFlight = 0;
    const std::uint32_t threads = config.block[0] * config.block[1] * config.block[2];
    const std::uint32_t warps = (threads + 31) / 32;
    cta.warps.resize(warps);
    cta.liveWarps = warps;
    for (std::uint32_t i = 0; i < warps; ++i) startWarp(cta, i, threads, inside);
  }

  void startWarp(Cta& cta, std::uint32_t index, std::uint32_t threads,
                 const std::array<std::uint32_t, 3>& inside) {
    Warp& w = cta.warps[index];
    const bool fresh = w.fileStorage.empty();
    if (fresh) {
      w.fileStorage.resize(program_.image.size() + 64);
      const auto misaligned = reinterpret_cast<std::uintptr_t>(w.fileStorage.data()) % 64;
      w.file = w.fileStorage.data() + (misaligned == 0 ? 0 : 64 - misaligned);
      std::memcpy(w.file, program_.image.data(), program_.image.size());
    }
    if (program_.checked) {
      w.undefinedStorage = program_.undefined;
      w.undefined = w.undefinedStorage.data();
    } else {
      w.undefined = nullptr;
    }
    w.launch = &launch_;
    w.cta = &cta;
    w.index = index;
    w.carry = 0;
    w.carryUndefined = program_.checks.init ? kAllLanes : 0;
    const std::uint32_t lanes = std::min(threads - index * 32, 32U);
    w.present = lanes == 32 ? kAllLanes : (1U << lanes) - 1;
    w.live = w.present;
    w.liveChanged = false;
    w.impatient = false;
    w.patience = 0;
    w.strayRead = {};
    w.joins.clear();
    w.frames.clear();
    w.clusterPhase.fill(0);
    w.async.clear();
    w.asyncGroup.fill(0);
    if (launch_.race != nullptr) launch_.race->startWarp(w.race, cta.race);
    w.localBase.fill(0);
    w.localTop.fill(program_.frameBytes);
    growLocal(w, program_.frameBytes);
    if (program_.checked) {
      std::fill(w.localUndefined.begin(), w.localUndefined.end(), program_.checks.init ? 1 : 0);
    }
    cta.cluster->liveThreads += lanes;
    Group group;
    group.pc = program_.records.data() + program_.entry;
    group.mask = w.present;
    w.groups.assign(1, group);
    setSpecial(w, inside, fresh);
  }

  void setSpecial(Warp& w, const std::array<std::uint32_t, 3>& inside, bool fresh) {
    const LaunchConfig& config = launch_.config;
    const SpecialRows& s = program_.special;
    for (unsigned i = 0; i < 3; ++i) {
      fill(w, s.ctaid[i], w.cta->id[i]);
      fill(w, s.clusterid[i], w.cta->cluster->id[i]);
    }
    if (!fresh) return;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const std::uint32_t thread = w.index * 32 + lane;
      rowAt<std::uint32_t>(w, s.tid[0])[lane] = thread % config.block[0];
      rowAt<std::uint32_t>(w, s.tid[1])[lane] = thread / config.block[0] % config.block[1];
      rowAt<std::uint32_t>(w, s.tid[2])[lane] = thread / config.block[0] / config.block[1];
      rowAt<std::uint32_t>(w, s.laneid)[lane] = lane;
      const std::uint32_t bit = 1U << lane;
      const std::uint32_t masks[5] = {bit, bit | (bit - 1), bit - 1, ~(bit - 1), ~(bit - 1) & ~bit};
      for (unsigned i = 0; i < 5; ++i) rowAt<std::uint32_t>(w, s.lanemask[i])[lane] = masks[i];
    }
    for (unsigned i = 0; i < 3; ++i) {
      fill(w, s.ntid[i], config.block[i]);
      fill(w, s.nctaid[i], config.grid[i]);
      fill(w, s.nclusterid[i], config.grid[i] / config.cluster[i]);
      fill(w, s.clusterCtaid[i], inside[i]);
      fill(w, s.clusterNctaid[i], config.cluster[i]);
    }
    const std::uint32_t ctas = config.cluster[0] * config.cluster[1] * config.cluster[2];
    fill(w, s.clusterCtarank, w.cta->rank);
    fill(w, s.clusterNctarank, ctas);
    fill(w, s.isExplicitCluster, ctas > 1 ? kAllLanes : 0);
    fill(w, s.warpid, w.index);
    fill(w, s.nwarpid, 64);
    fill(w, s.nsmid, 132);
    fill(w, s.dynamicSmem, config.dynamicShared);
    // In units of 128 bytes; the total is without what lies before the first variable.
    const std::uint32_t aggregate = (launch_.sharedBytes + 127) / 128 * 128;
    fill(w, s.aggregateSmem, aggregate);
    fill(w, s.totalSmem, aggregate - static_cast<std::uint32_t>(kSharedStart));
    std::fill_n(rowAt<std::uint64_t>(w, s.parameterBase), 32, launch_.parameterAddress);
  }

  /// Rounds over all warps until the cluster ends or has had enough; whether anything ran.
  bool runRounds(Cluster& cluster, bool alone) {
    bool progressed = false;
    for (unsigned round = 0; alone || round < kRoundsAlone; ++round) {
      // Before the round, so that a grid of short blocks is stopped too.
      countLimit();
      if (queue_.ended.load(std::memory_order_relaxed) || breaksOff(cluster)) return true;
      bool ran = false;
      const bool done = inOrder(cluster.ctas.size(), ctaOrder_, [&](std::size_t c) {
        Cta& cta = cluster.ctas[c];
        if (cta.liveWarps == 0) return false;
        const bool stops = inOrder(cta.warps.size(), warpOrder_, [&](std::size_t i) {
          ran = runTurn(cta.warps[i]) || ran;
          return launch_.fault.any();
        });
        if (!stops && cta.liveWarps == 0) --cluster.liveCtas;
        return stops;
      });
      if (done) return true;
      if (!ran) ran = releaseParked(cluster);
      if (launch_.fault.any()) return true;
      progressed = progressed || ran;
      if (!ran || cluster.liveCtas == 0) return progressed;
    }
    return progressed;
  }

  /// Visits 0 ... count - 1, in turn or as the dice have it, until `visit` says that it is enough.
  template <class Visit>
  bool inOrder(std::size_t count, std::vector<std::uint32_t>& order, const Visit& visit) {
    if (isSeeded_) shuffle(order, count, dice_);
    for (std::size_t i = 0; i < count; ++i) {
      if (visit(isSeeded_ ? order[i] : i)) return true;
    }
    return false;
  }

  /// What this thread may make of the launch's limit until it asks again. Threads know late of what
  /// others made; who runs more than one of them adds up what they made.
  void countLimit() {
    const std::uint64_t limit = launch_.config.maxInstructions;
    if (limit == 0) return;
    const std::uint64_t made = launch_.instructions;
    const std::uint64_t fresh = made - std::exchange(counted_, made);
    const std::uint64_t all =
        queue_.instructions.fetch_add(fresh, std::memory_order_relaxed) + fresh;
    mostInstructions_ = made + (limit - std::min(limit, all));
  }

  /// Whether the run ends for another reason than its own: from outside, or long behind a fault.
  bool breaksOff(Cluster& cluster) {
    const LaunchConfig& config = launch_.config;
    const bool stopped = config.stop != nullptr && config.stop->load(std::memory_order_relaxed);
    const bool lost = !launch_.log.empty() && launch_.instructions - launch_.firstFault >= kRunOn;
    if (!stopped && !lost) return false;
    for (Cta& cta : cluster.ctas) {
      for (Warp& w : cta.warps) {
        if (w.groups.empty()) continue;
        const Group& group = w.groups.front();
        breakOff(w, *group.pc, group.mask,
                 stopped ? std::string("the run was stopped from outside")
                         : fmt::format("the run had not ended {} instructions behind its first "
                                       "fault",
                                       kRunOn));
        return true;
      }
    }
    return false;
  }

  void breakOff(Warp& w, const Record& at, std::uint32_t lanes, std::string message) {
    brokeOff_ = true;
    raise(w, at, ExitCode::Limit, static_cast<unsigned>(__builtin_ctz(lanes)), std::move(message));
  }

  /// One group of the warp runs for a turn; whether one could.
  bool runTurn(Warp& w) {
    if (w.live == 0) return false;
    if (w.liveChanged) {
      // What waits for lanes may have waited for those that are gone.
      w.liveChanged = false;
      for (Group& group : w.groups) {
        if (group.state == GroupState::Sync || group.state == GroupState::WarpBarrier) {
          group.state = GroupState::Ready;
        }
      }
    }
    const auto count = static_cast<std::uint32_t>(w.groups.size());
    const std::uint64_t first = isSeeded_ && count > 1 ? dice_.below(count) : w.current + 1;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto at = static_cast<std::uint32_t>((first + i) % count);
      if (w.groups[at].state != GroupState::Ready) continue;
      w.current = at;
      execute(w);
      return true;
    }
    // mbarrier.try_wait gives up after a while.
    for (Group& group : w.groups) {
      if (group.state == GroupState::Mbarrier && ++group.waited >= kWaitTurns) {
        endWait(group);
        return true;
      }
    }
    // Lanes of this warp that are parked may be what the waiting ones need.
    const bool waits = std::any_of(w.groups.begin(), w.groups.end(), [](const Group& group) {
      return group.state == GroupState::Sync || group.state == GroupState::WarpBarrier;
    });
    return (waits || w.groups.empty()) && releaseJoins(w);
  }

  /// The current group runs until it stops; with a limit, not beyond it: a turn has any number of
  /// instructions, and may be the whole run. Where that broke off, or null.
  template <bool IsLimited>
  const Record* runGroup(Warp& w) {
    const std::uint64_t before = w.counters.warpInstructions;
    [[maybe_unused]] const std::uint64_t most = before + mostInstructions_ - launch_.instructions;
    std::uint64_t warps = before;
    std::uint64_t lanes = w.counters.laneInstructions;
    const Record* pc = w.groups[w.current].pc;
    do {
      const std::uint64_t counts = pc->source >> 31 ^ 1U;
      if constexpr (IsLimited) {
        if (warps + counts > most) break;
      }
      warps += counts;
      lanes += counts * static_cast<std::uint64_t>(__builtin_popcount(w.mask));
      pc = pc->run(w, *pc);
    } while (pc != nullptr);
    w.counters.warpInstructions = warps;
    w.counters.laneInstructions = lanes;
    launch_.instructions += warps - before;
    launch_.clock += warps - before;
    return pc;
  }

  void execute(Warp& w) {
    w.mask = w.groups[w.current].mask;
    w.budget = isSeeded_ ? static_cast<std::int32_t>(kShortTurn + dice_.below(kTurn)) : kTurn;
    const std::uint64_t limit = launch_.config.maxInstructions;
    const Record* const rest = limit == 0 ? runGroup<false>(w) : runGroup<true>(w);
    if (rest != nullptr) {
      w.groups[w.current].pc = rest;
      breakOff(w, *rest, w.mask, fmt::format("the limit of {} instructions was reached", limit));
      return;
    }
    if (w.budget > 0) {
      w.patience = 0;
      return;
    }
    // The turn ended with the group still running: perhaps it waits for a parked lane.
    const bool parked = std::any_of(w.joins.begin(), w.joins.end(), [](const Join& join) {
      return join.used && join.arrived != 0;
    });
    if (parked && ++w.patience >= (w.impatient ? 1 : kPatience)) {
      w.impatient = true;
      w.patience = 0;
      releaseJoins(w);
    }
  }

  /// Lets the lanes that are parked at joins go on by themselves.
  static bool releaseJoins(Warp& w) {
    bool any = false;
    for (Join& join : w.joins) {
      if (!join.used || join.arrived == 0) continue;
      Group group;
      group.pc = join.at;
      group.mask = join.arrived;
      group.join = join.parent;
      group.depth = join.depth;
      join.expected &= ~join.arrived;
      join.arrived = 0;
      if (join.expected == 0) join.used = false;
      w.groups.push_back(group);
      any = true;
    }
    return any;
  }

  bool releaseParked(Cluster& cluster) {
    bool any = false;
    for (Cta& cta : cluster.ctas) {
      for (Warp& w : cta.warps) {
        if (program_.checks.sync && !passNoBarrier(w)) return true;
        any = releaseJoins(w) || any;
      }
    }
    return any;
  }

  /// The first instruction of what lanes do here; null: they end.
  const Record* nextOf(const Record* pc) const {
    const Record* const end = program_.records.data() + program_.records.size();
    for (unsigned jumps = 0; pc < end && jumps < 16;) {
      if ((pc->source & kPartOfAnother) != 0) {
        ++pc;
        continue;
      }
      const Statement& statement = program_.statement(*pc);
      if (!statement.guard.empty()) return pc;
      if (statement.name == "ret" || statement.name == "exit") return nullptr;
      if (statement.name != "bra") return pc;
      pc += pc->imm;
      ++jumps;
    }
    return pc < end ? pc : nullptr;
  }

  /// Reports where lanes that are parked behind a branch would go on, while others of their warp
  /// wait in it for an .aligned barrier. Lanes that only end are let go: __syncthreads() behind an
  /// early return is what programs do, and the hardware does not wait for who has ended. False if
  /// the run ends.
  bool passNoBarrier(Warp& w) {
    for (std::size_t i = 0; i < w.groups.size(); ++i) {
      const Group& group = w.groups[i];
      const bool waits = group.state == GroupState::Barrier || group.state == GroupState::Cluster;
      if (!waits || (group.pc->flags & kBarrierAligned) == 0) continue;
      for (const Join& join : w.joins) {
        const bool passes = join.used && join.arrived != 0 && (join.expected & group.mask) != 0;
        const Record* next = passes ? nextOf(join.at) : nullptr;
        if (next == nullptr) continue;
        if (!raisedBefore(w, *group.pc, ExitCode::Barrier)) {
          raise(w, *group.pc, ExitCode::Barrier, static_cast<unsigned>(__builtin_ctz(group.mask)),
                fmt::format("divergent: lanes {:#010x} of the warp did not come to this barrier, "
                            "and go on at {}; the lanes of a warp execute one bar.sync "
                            "(__syncthreads()) together",
                            join.arrived, program_.ptxPlace(*next).text()));
        }
        if (!goOn(w, *group.pc)) return false;
      }
    }
    return true;
  }

  static void endWait(Group& group) {
    group.timedOut = true;
    group.waited = 0;
    group.state = GroupState::Ready;
  }

  using Active = std::deque<std::unique_ptr<Cluster>>;

  static std::uint64_t lanesIn(std::uint32_t mask) {
    return static_cast<std::uint64_t>(__builtin_popcount(mask));
  }

  template <class Visit>
  static void eachWarp(Active& active, const Visit& visit) {
    for (const auto& cluster : active) {
      for (Cta& cta : cluster->ctas) {
        for (Warp& w : cta.warps) visit(w);
      }
    }
  }

  /// What decides how the run goes on; stores are counted, and memory is not looked at.
  std::uint64_t fingerprint(Active& active) const {
    std::uint64_t sum = 0;
    const auto note = [&](const void* data, std::size_t bytes) {
      const std::string_view text(static_cast<const char*>(data), bytes);
      sum = sum * 0x9e3779b97f4a7c15U + std::hash<std::string_view>()(text);
    };
    eachWarp(active, [&](Warp& w) {
      note(w.file, program_.image.size());
      note(w.local.data(), w.local.size());
      const Counters& c = w.counters;
      const std::uint64_t counts[] = {c.globalStores, c.sharedStores, c.atomics, c.barriers};
      note(counts, sizeof counts);
      for (const Group& group : w.groups) {
        sum = sum * 31 + static_cast<std::uint64_t>(group.pc - program_.records.data());
      }
    });
    return sum;
  }

  /// Nothing can go on: those who wait at mbarrier.try_wait are told that their time is over. False
  /// if there are none, or if nothing has changed since they were told so before.
  bool endWaits(Active& active) {
    const std::uint64_t now = fingerprint(active);
    if (std::exchange(lastState_, now) == now) return false;
    bool any = false;
    eachWarp(active, [&](Warp& w) {
      for (Group& group : w.groups) {
        if (group.state != GroupState::Mbarrier) continue;
        endWait(group);
        any = true;
      }
    });
    return any;
  }

  void finish(Cluster& cluster) {
    for (Cta& cta : cluster.ctas) {
      ++counters_.blocks;
      for (Warp& w : cta.warps) {
        add(counters_, w.counters);
        w.counters = {};
      }
    }
  }

  /// Where a run that was broken off has its threads: a line for each place, most threads first.
  std::string whereThreadsAre(Active& active, std::size_t perCluster) const {
    std::map<std::string, std::uint64_t> places;
    {
      enum class Does : std::uint8_t { Runs, Waits, Parked };
      std::map<std::pair<const Record*, Does>, std::uint64_t> threads;
      eachWarp(active, [&](Warp& w) {
        for (const Group& group : w.groups) {
          const bool runs = group.state == GroupState::Ready;
          threads[{group.pc, runs ? Does::Runs : Does::Waits}] += lanesIn(group.mask);
        }
        for (const Join& join : w.joins) {
          if (join.used && join.arrived != 0) {
            threads[{join.at, Does::Parked}] += lanesIn(join.arrived);
          }
        }
      });
      for (const auto& [at, count] : threads) {
        const auto& [pc, does] = at;
        const SourcePlace user = program_.userPlace(*pc);
        places[fmt::format(
            "{} {}{}: {}", does == Does::Runs ? "at" : "waiting at",
            user.known() ? user.text() + ", " : "", program_.ptxPlace(*pc).text(),
            does == Does::Parked ? "for other lanes of their warp" : program_.text(*pc))] += count;
      }
    }
    std::vector<std::pair<std::string, std::uint64_t>> sorted(places.begin(), places.end());
    std::ranges::sort(sorted, [](const auto& one, const auto& other) {
      return one.second != other.second ? one.second > other.second : one.first < other.first;
    });
    std::string out;
    for (const auto& [place, count] : sorted | std::views::take(kPlaces)) {
      out += fmt::format("  {} thread{} {}\n", count, count == 1 ? "" : "s", place);
    }
    if (sorted.size() > kPlaces) {
      out += fmt::format("  and others at {} more places\n", sorted.size() - kPlaces);
    }
    if (const std::uint64_t blocks = (chunk_.end - chunk_.next) * perCluster; blocks != 0) {
      out += fmt::format("  {} block{} had not started\n", blocks, blocks == 1 ? "" : "s");
    }
    return out;
  }

  void reportDeadlock(std::deque<std::unique_ptr<Cluster>>& active) {
    std::string details;
    unsigned lines = 0;
    Warp* first = nullptr;
    const Group* where = nullptr;
    bool atBarrier = false;
    bool atMbarrier = false;
    for (const auto& cluster : active) {
      for (Cta& cta : cluster->ctas) {
        for (Warp& w : cta.warps) {
          for (const Group& group : w.groups) {
            if (first == nullptr) first = &w, where = &group;
            atBarrier = atBarrier || group.state == GroupState::Barrier;
            atMbarrier = atMbarrier || group.state == GroupState::Mbarrier;
            if (++lines > 16) continue;
            details += describe(w, group);
          }
        }
      }
    }
    if (lines > 16) details += fmt::format("  and {} more\n", lines - 16);
    if (first == nullptr) return;
    raise(*first, *where->pc, ExitCode::Deadlock, static_cast<unsigned>(__builtin_ctz(where->mask)),
          fmt::format("nothing can go on: {}",
                      atMbarrier  ? "threads wait at an mbarrier whose phase does not end"
                      : atBarrier ? "threads wait at barriers that others do not come to"
                                  : "lanes wait for others of their warp that do not come"));
    launch_.fault.details = details;
  }

  std::string describe(Warp& w, const Group& group) const {
    const Cta& cta = *w.cta;
    std::string what;
    switch (group.state) {
      case GroupState::Sync: what = "lanes of its mask"; break;
      case GroupState::Mbarrier: what = describeMbarrier(w, group); break;
      case GroupState::WarpBarrier: what = "lanes of its mask at bar.warp.sync"; break;
      case GroupState::Cluster:
        what = fmt::format("the cluster's barrier, where {} of {} threads have arrived",
                           cta.cluster->arrived, cta.cluster->liveThreads);
        break;
      default: {
        const Barrier& barrier = cta.barriers[group.barrier];
        std::uint32_t arrived = 0;
        for (const std::uint32_t lanes : barrier.arrived) {
          arrived += static_cast<std::uint32_t>(__builtin_popcount(lanes));
        }
        std::uint32_t live = 0;
        for (const Warp& other : cta.warps)
          live += static_cast<std::uint32_t>(__builtin_popcount(other.live));
        what = fmt::format("barrier {}, where {} of {} threads have arrived", group.barrier,
                           arrived, barrier.expected == 0 ? live : barrier.expected);
        break;
      }
    }
    return fmt::format("  block ({},{},{}) warp {} lanes {:#010x} at {}: wait for {}\n", cta.id[0],
                       cta.id[1], cta.id[2], w.index, group.mask,
                       program_.ptxPlace(*group.pc).text(), what);
  }

  Launch& launch_;
  const Program& program_;
  Counters& counters_;
  ClusterQueue& queue_;
  ClusterQueue::Chunk chunk_;           ///< what this thread starts next
  std::uint64_t counted_ = 0;           ///< instructions that the queue knows of
  std::uint64_t mostInstructions_ = 0;  ///< up to which this thread may run, with a limit
  bool brokeOff_ = false;               ///< the fault is that the run takes too long
  std::unique_ptr<Cluster> spare_;
  bool isSeeded_ = false;
  Dice dice_;
  std::vector<std::uint32_t> ctaOrder_;
  std::vector<std::uint32_t> warpOrder_;
  std::size_t stuck_ = 0;
  std::uint64_t lastState_ = 0;  ///< a fingerprint, when waits were ended last
};

}  // namespace

std::uint64_t clustersOf(const LaunchConfig& config) {
  std::uint64_t clusters = 1;
  for (unsigned i = 0; i < 3; ++i) clusters *= config.grid[i] / config.cluster[i];
  return clusters;
}

ClusterQueue::Chunk ClusterQueue::take() {
  std::uint64_t begin = taken_.load(std::memory_order_relaxed);
  std::uint64_t end = 0;
  do {
    const std::uint64_t left = clusters_ - begin;
    end = begin + (threads_ == 1 ? left : (left + 2 * threads_ - 1) / (2 * threads_));
  } while (!taken_.compare_exchange_weak(begin, end, std::memory_order_relaxed));
  return {begin, end};
}

void runClusters(Launch& launch, Counters& counters, ClusterQueue& queue,
                 ClusterQueue::Chunk first) {
  Runner(launch, counters, queue, first).run();
}

void runLaunch(Launch& launch, Counters& counters) {
  ClusterQueue queue(clustersOf(launch.config), 1);
  runClusters(launch, counters, queue, queue.take());
}

}  // namespace cutwork::sim
