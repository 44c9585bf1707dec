// Needs.cpp -- the table of instructions and words that not every target and version has.
//
// Source: the target and version notes of the PTX ISA's instruction pages; where they are silent,
// what ptxas 13.0 takes. What sm_70 and PTX 7.0 have is not in it.
#include "Needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "Words.h"

namespace cutwork::sim {
namespace {

/// Features of an architecture or a family are in modules for targets with `a` or `f` alone.
enum class Only : std::uint8_t {
  Everyone,
  Suffixed,      ///< sm_100a, sm_120f
  SuffixedTens,  ///< of sm_10x
  TensA,         ///< sm_100a, sm_103a
};

struct Need {
  std::string_view name;  ///< empty: any instruction
  std::array<std::string_view, 3> words;
  int capability = 0;
  unsigned version = 0;
  Only only = Only::Everyone;
};
/// All rows that fit a statement count.
constexpr std::array kNeeds = {
    Need{"ld", {"shared::cta"}, 0, 78},
    Need{"st", {"shared::cta"}, 0, 78},
    Need{"atom", {"shared::cta"}, 0, 78},
    Need{"red", {"shared::cta"}, 0, 78},
    Need{"cvta", {"shared::cta"}, 0, 78},
    Need{"isspacep", {"shared::cta"}, 0, 78},
    Need{"mbarrier", {"shared::cta"}, 0, 78},
    Need{"", {"shared::cluster"}, 90, 78},
    Need{"", {"cluster"}, 90, 78},
    Need{"", {"param::entry"}, 0, 83},
    Need{"", {"param::func"}, 0, 83},
    Need{"", {"b128"}, 0, 83},
    Need{"", {"bf16"}, 80},
    Need{"", {"bf16x2"}, 80},
    Need{"", {"L1::evict_normal"}, 0, 74},
    Need{"", {"L1::evict_unchanged"}, 0, 74},
    Need{"", {"L1::evict_first"}, 0, 74},
    Need{"", {"L1::evict_last"}, 0, 74},
    Need{"", {"L1::no_allocate"}, 0, 74},
    Need{"", {"L2::64B"}, 0, 74},
    Need{"", {"L2::128B"}, 0, 74},
    Need{"", {"L2::256B"}, 80, 74},
    Need{"", {"L2::cache_hint"}, 80, 74},
    Need{"", {"mmio"}, 0, 82},
    Need{"", {"oob"}, 90, 81},

    Need{"add", {"u16x2"}, 90, 80},
    Need{"add", {"s16x2"}, 90, 80},
    Need{"min", {"u16x2"}, 90, 80},
    Need{"min", {"s16x2"}, 90, 80},
    Need{"max", {"u16x2"}, 90, 80},
    Need{"max", {"s16x2"}, 90, 80},
    Need{"min", {"relu", "s32"}, 90, 80},
    Need{"max", {"relu", "s32"}, 90, 80},
    Need{"min", {"f16"}, 80},
    Need{"min", {"f16x2"}, 80},
    Need{"max", {"f16"}, 80},
    Need{"max", {"f16x2"}, 80},
    Need{"min", {"NaN"}, 80},
    Need{"max", {"NaN"}, 80},
    Need{"min", {"xorsign"}, 86, 72},
    Need{"max", {"xorsign"}, 86, 72},
    Need{"fma", {"relu"}, 80},
    Need{"add", {"bf16"}, 90, 78},
    Need{"add", {"bf16x2"}, 90, 78},
    Need{"sub", {"bf16"}, 90, 78},
    Need{"sub", {"bf16x2"}, 90, 78},
    Need{"mul", {"bf16"}, 90, 78},
    Need{"mul", {"bf16x2"}, 90, 78},
    Need{"set", {"bf16"}, 90, 78},
    Need{"set", {"bf16x2"}, 90, 78},
    Need{"setp", {"bf16"}, 90, 78},
    Need{"setp", {"bf16x2"}, 90, 78},
    Need{"tanh", {"bf16"}, 90, 78},
    Need{"tanh", {"bf16x2"}, 90, 78},
    Need{"ex2", {"bf16"}, 90, 78},
    Need{"ex2", {"bf16x2"}, 90, 78},
    Need{"add", {"f32", "f16"}, 100, 86},
    Need{"add", {"f32", "bf16"}, 100, 86},
    Need{"sub", {"f32", "f16"}, 100, 86},
    Need{"sub", {"f32", "bf16"}, 100, 86},
    Need{"fma", {"f32", "f16"}, 100, 86},
    Need{"fma", {"f32", "bf16"}, 100, 86},
    Need{"", {"f32x2"}, 100, 86},
    Need{"lop3", {"and"}, 0, 82},
    Need{"lop3", {"or"}, 0, 82},
    Need{"szext", {}, 0, 76},
    Need{"bmsk", {}, 0, 76},

    Need{"cvt", {"f16x2", "f32"}, 80},
    Need{"cvt", {"relu"}, 80},
    Need{"cvt", {"tf32"}, 80},
    Need{"cvt", {"tf32", "rn"}, 90, 78},
    Need{"cvt", {"tf32", "rz"}, 90, 78},
    Need{"cvt", {"tf32", "satfinite"}, 80, 81},
    Need{"cvt", {"tf32", "satfinite", "rn"}, 100, 86},
    Need{"cvt", {"tf32", "satfinite", "rz"}, 100, 86},
    Need{"cvt", {"f16", "f32", "satfinite"}, 80, 81},
    Need{"cvt", {"bf16", "f32", "satfinite"}, 80, 81},
    Need{"cvt", {"f16x2", "f32", "satfinite"}, 80, 81},
    Need{"cvt", {"bf16x2", "f32", "satfinite"}, 80, 81},
    Need{"cvt", {"bf16", "f16"}, 90, 78},
    Need{"cvt", {"bf16", "bf16"}, 90, 78},
    Need{"cvt", {"bf16", "f64"}, 90, 78},
    Need{"cvt", {"bf16", "u8"}, 90, 78},
    Need{"cvt", {"bf16", "s8"}, 90, 78},
    Need{"cvt", {"bf16", "u16"}, 90, 78},
    Need{"cvt", {"bf16", "s16"}, 90, 78},
    Need{"cvt", {"bf16", "u32"}, 90, 78},
    Need{"cvt", {"bf16", "s32"}, 90, 78},
    Need{"cvt", {"bf16", "u64"}, 90, 78},
    Need{"cvt", {"bf16", "s64"}, 90, 78},
    Need{"cvt", {"e4m3x2"}, 89, 78},
    Need{"cvt", {"e5m2x2"}, 89, 78},
    Need{"cvt", {"e2m1x2"}, 100, 86, Only::Suffixed},
    Need{"cvt", {"e2m3x2"}, 100, 86, Only::Suffixed},
    Need{"cvt", {"e3m2x2"}, 100, 86, Only::Suffixed},
    Need{"cvt", {"ue8m0x2"}, 100, 86, Only::Suffixed},
    Need{"cvt", {"rs"}, 100, 87, Only::TensA},

    Need{"atom", {"v2"}, 90, 81},
    Need{"atom", {"v4"}, 90, 81},
    Need{"atom", {"v8"}, 90, 81},
    Need{"red", {"v2"}, 90, 81},
    Need{"red", {"v4"}, 90, 81},
    Need{"red", {"v8"}, 90, 81},
    Need{"atom", {"b128"}, 90, 83},
    Need{"atom", {"bf16"}, 90, 78},
    Need{"atom", {"bf16x2"}, 90, 78},
    Need{"red", {"bf16"}, 90, 78},
    Need{"red", {"bf16x2"}, 90, 78},
    Need{"st", {"bulk"}, 100, 86},
    Need{"cvta", {"param"}, 0, 77},
    Need{"isspacep", {"param"}, 0, 77},
    Need{"mapa", {}, 90, 78},
    Need{"getctarank", {}, 90, 78},

    Need{"redux", {}, 80},
    Need{"redux", {"f32"}, 100, 86, Only::SuffixedTens},
    Need{"elect", {}, 90, 80},
    Need{"movmatrix", {}, 0, 78},
    Need{"stmatrix", {}, 90, 78},
    Need{"ldmatrix", {"m16n16"}, 100, 86, Only::Suffixed},
    Need{"ldmatrix", {"m8n16"}, 100, 86, Only::Suffixed},
    Need{"stmatrix", {"m16n8"}, 100, 86, Only::Suffixed},
    Need{"alloca", {}, 0, 73},
    Need{"stacksave", {}, 0, 73},
    Need{"stackrestore", {}, 0, 73},

    Need{"bar", {"cta"}, 0, 78},
    Need{"barrier", {"cta"}, 0, 78},
    Need{"barrier", {"cluster", "release"}, 90, 80},
    Need{"barrier", {"cluster", "acquire"}, 90, 80},
    Need{"barrier", {"cluster", "relaxed"}, 90, 80},
    Need{"griddepcontrol", {}, 90, 78},
    Need{"membar", {"proxy"}, 0, 75},
    Need{"fence", {"proxy"}, 0, 75},
    Need{"fence", {"proxy", "async"}, 90, 80},
    Need{"fence", {"proxy", "async::generic"}, 90, 86},
    Need{"fence", {"proxy", "tensormap::generic"}, 90, 83},
    Need{"fence", {"mbarrier_init"}, 90, 80},
    Need{"fence", {"sync_restrict::shared::cluster"}, 90, 86},
    Need{"fence", {"sync_restrict::shared::cta"}, 90, 86},
    Need{"prefetch", {"tensormap"}, 90, 80},
    Need{"prefetch", {"L2::evict_last"}, 80, 74},
    Need{"prefetch", {"L2::evict_normal"}, 80, 74},
    Need{"applypriority", {}, 80, 74},
    Need{"discard", {}, 80, 74},
    Need{"createpolicy", {}, 80, 74},

    Need{"cp", {"async"}, 80},
    Need{"cp", {"mbarrier", "shared::cta"}, 80, 78},
    Need{"ldmatrix", {"shared::cta"}, 0, 78},
    Need{"mbarrier", {}, 80},
    Need{"mbarrier", {"parity"}, 80, 71},
    Need{"mbarrier", {"try_wait"}, 90, 78},
    Need{"mbarrier", {"expect_tx"}, 90, 80},
    Need{"mbarrier", {"complete_tx"}, 90, 80},
    Need{"mbarrier", {"acquire"}, 80, 80},
    Need{"mbarrier", {"release"}, 80, 80},
    Need{"mbarrier", {"arrive", "relaxed"}, 90, 86},
    Need{"mbarrier", {"arrive_drop", "relaxed"}, 90, 86},
    Need{"mbarrier", {"test_wait", "relaxed"}, 90, 86},
    Need{"mbarrier", {"try_wait", "relaxed"}, 90, 86},
    Need{"clusterlaunchcontrol", {}, 100, 86},
    Need{"clusterlaunchcontrol", {"multicast::cluster::all"}, 100, 86, Only::Suffixed},
};

struct RegisterNeed {
  std::string_view name;
  int capability;
  unsigned version;
};
constexpr std::array kRegisters = {
    RegisterNeed{"%clusterid", 90, 78},
    RegisterNeed{"%nclusterid", 90, 78},
    RegisterNeed{"%cluster_ctaid", 90, 78},
    RegisterNeed{"%cluster_nctaid", 90, 78},
    RegisterNeed{"%cluster_ctarank", 90, 78},
    RegisterNeed{"%cluster_nctarank", 90, 78},
    RegisterNeed{"%is_explicit_cluster", 90, 78},
    RegisterNeed{"%aggr_smem_size", 90, 81},
    RegisterNeed{"%current_graph_exec", 0, 80},
    RegisterNeed{"%reserved_smem_offset_begin", 80, 76},
    RegisterNeed{"%reserved_smem_offset_end", 80, 76},
    RegisterNeed{"%reserved_smem_offset_cap", 80, 76},
    RegisterNeed{"%reserved_smem_offset_0", 80, 76},
    RegisterNeed{"%reserved_smem_offset_1", 80, 76},
};

/// Whether the statement has each of the words; one that is twice in the row, twice.
bool has(const Statement& s, const Need& need) {
  for (std::size_t i = 0; i < need.words.size() && !need.words[i].empty(); ++i) {
    const auto wanted = std::count(need.words.begin(), need.words.end(), need.words[i]);
    if (std::count(s.words.begin(), s.words.end(), need.words[i]) < wanted) return false;
  }
  return true;
}

bool isFor(Only only, const Target& target) {
  if (only == Only::Everyone) return true;
  if (target.suffix == Target::Suffix::None) return false;
  if (only == Only::Suffixed) return true;
  return target.major() == 10 &&
         (only == Only::SuffixedTens || target.suffix == Target::Suffix::Architecture);
}

std::string_view nameOf(Only only) {
  switch (only) {
    case Only::Suffixed: return "sm_100a, sm_100f or another later target with a or f";
    case Only::SuffixedTens: return "sm_100a, sm_100f or another target of sm_10x with a or f";
    case Only::TensA: return "sm_100a or sm_103a";
    case Only::Everyone: break;
  }
  return {};
}

/// A count that mbarrier.arrive takes by itself: until sm_90 only with .noComplete.
bool countsArrivals(const Statement& s) {
  if (s.name != "mbarrier" || s.words.empty()) return false;
  if (s.words[0] != "arrive" && s.words[0] != "arrive_drop") return false;
  const bool open = std::count(s.words.begin(), s.words.end(), "noComplete") != 0;
  return !open && s.operands.size() > 2;
}

/// cvt from bf16, where the order of the types matters.
bool widensBf16(const Statement& s) {
  return s.name == "cvt" && !s.words.empty() && s.words.back() == "bf16";
}

}  // namespace

Available::Available(const Module& module)
    : name_(module.target),
      target_(targetNamed(module.target).value_or(Target{})),
      version_(module.version) {}

std::string Available::missing(int capability, unsigned version) const {
  if (target_.capability < capability) {
    return fmt::format("it needs sm_{} or later, and the module is for {}", capability, name_);
  }
  if (version_ >= version) return {};
  return fmt::format("it needs PTX {}.{} or later, and the module's .version is {}.{}",
                     version / 10, version % 10, version_ / 10, version_ % 10);
}

std::string Available::missing(const Statement& statement) const {
  std::string problem;
  for (const Need& need : kNeeds) {
    if (!need.name.empty() && need.name != statement.name) continue;
    if (!has(statement, need)) continue;
    if (!isFor(need.only, target_)) {
      return fmt::format("it needs {}, and the module is for {}", nameOf(need.only), name_);
    }
    problem = missing(need.capability, need.version);
    if (!problem.empty()) return problem;
  }
  if (countsArrivals(statement)) return missing(90, 78);
  if (widensBf16(statement)) {
    const bool flushes = std::count(statement.words.begin(), statement.words.end(), "ftz") != 0;
    return flushes ? missing(90, 78) : missing(80, 71);
  }
  visitNames(statement.operands, [&](std::string_view name) {
    if (name.size() < 10 || name[0] != '%') return;
    const auto* found = std::find_if(kRegisters.begin(), kRegisters.end(),
                                     [&](const RegisterNeed& row) { return row.name == name; });
    if (found == kRegisters.end() || !problem.empty()) return;
    problem = missing(found->capability, found->version);
    if (!problem.empty()) problem = fmt::format("of {}: {}", name, problem);
  });
  return problem;
}

}  // namespace cutwork::sim
