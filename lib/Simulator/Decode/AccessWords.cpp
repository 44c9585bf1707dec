// AccessWords.cpp -- the table of words of ld, ldu, st, atom and red, and the rules between them.
//
// Source: the syntax of these instructions in the PTX ISA; where it is silent, what ptxas 13.0
// takes.
#include "AccessWords.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "Types.h"

namespace cutwork::sim {
namespace {

/// Of each group an access has at most one word.
enum class Group : std::uint8_t {
  Order,
  Mmio,
  Scope,
  Space,
  Cached,
  Constant,
  Near,
  Far,
  Hint,
  Prefetch,
  Vector,
  Operation,
  Subnormals
};

constexpr unsigned kLd = 1;
constexpr unsigned kSt = 2;
constexpr unsigned kAtom = 4;
constexpr unsigned kRed = 8;
constexpr unsigned kLdu = 16;
constexpr unsigned kMoves = kLd | kSt;
constexpr unsigned kAtomics = kAtom | kRed;
constexpr unsigned kAll = kMoves | kAtomics;

struct Word {
  std::string_view word;
  Group group;
  unsigned of;  ///< instructions
};
constexpr std::array kWords = {
    Word{"weak", Group::Order, kMoves},
    Word{"volatile", Group::Order, kMoves},
    Word{"relaxed", Group::Order, kAll},
    Word{"acquire", Group::Order, kLd | kAtom},
    Word{"release", Group::Order, kSt | kAtomics},
    Word{"acq_rel", Group::Order, kAtom},
    Word{"mmio", Group::Mmio, kMoves},
    Word{"cta", Group::Scope, kAll},
    Word{"cluster", Group::Scope, kAll},
    Word{"gpu", Group::Scope, kAll},
    Word{"sys", Group::Scope, kAll},
    Word{"global", Group::Space, kAll | kLdu},
    Word{"shared", Group::Space, kAll},
    Word{"shared::cta", Group::Space, kAll},
    Word{"shared::cluster", Group::Space, kAll},
    Word{"local", Group::Space, kMoves},
    Word{"const", Group::Space, kLd},
    Word{"param", Group::Space, kMoves},
    Word{"param::entry", Group::Space, kLd},
    Word{"param::func", Group::Space, kMoves},
    Word{"ca", Group::Cached, kLd},
    Word{"cg", Group::Cached, kMoves},
    Word{"cs", Group::Cached, kMoves},
    Word{"lu", Group::Cached, kLd},
    Word{"cv", Group::Cached, kLd},
    Word{"wb", Group::Cached, kSt},
    Word{"wt", Group::Cached, kSt},
    Word{"nc", Group::Constant, kLd},
    Word{"L1::evict_normal", Group::Near, kMoves},
    Word{"L1::evict_unchanged", Group::Near, kMoves},
    Word{"L1::evict_first", Group::Near, kMoves},
    Word{"L1::evict_last", Group::Near, kMoves},
    Word{"L1::no_allocate", Group::Near, kMoves},
    Word{"L2::evict_normal", Group::Far, kMoves},
    Word{"L2::evict_first", Group::Far, kMoves},
    Word{"L2::evict_last", Group::Far, kMoves},
    Word{"L2::cache_hint", Group::Hint, kAll},
    Word{"L2::64B", Group::Prefetch, kLd},
    Word{"L2::128B", Group::Prefetch, kLd},
    Word{"L2::256B", Group::Prefetch, kLd},
    Word{"v2", Group::Vector, kAll | kLdu},
    Word{"v4", Group::Vector, kAll | kLdu},
    Word{"v8", Group::Vector, kAll},
    Word{"noftz", Group::Subnormals, kAtomics},
    Word{"and", Group::Operation, kAtomics},
    Word{"or", Group::Operation, kAtomics},
    Word{"xor", Group::Operation, kAtomics},
    Word{"exch", Group::Operation, kAtom},
    Word{"cas", Group::Operation, kAtom},
    Word{"add", Group::Operation, kAtomics},
    Word{"inc", Group::Operation, kAtomics},
    Word{"dec", Group::Operation, kAtomics},
    Word{"min", Group::Operation, kAtomics},
    Word{"max", Group::Operation, kAtomics},
};

const Word* rowOf(std::string_view word) {
  const auto* found =
      std::find_if(kWords.begin(), kWords.end(), [&](const Word& row) { return row.word == word; });
  return found == kWords.end() ? nullptr : found;
}

bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The words of one access, by group.
struct Access {
  std::string_view name;
  std::array<std::string_view, 13> words{};
  Ty type = Ty::None;

  [[nodiscard]] std::string_view operator[](Group group) const {
    return words.at(static_cast<std::size_t>(group));
  }
  [[nodiscard]] bool has(Group group) const { return !(*this)[group].empty(); }
  [[nodiscard]] bool isIn(std::initializer_list<std::string_view> spaces) const {
    return isOneOf((*this)[Group::Space], spaces);
  }
};

/// Sorts the words; what is wrong with one alone.
std::string sorted(const Statement& s, unsigned of, Access& access) {
  access.name = s.name;
  for (const std::string_view word : s.words) {
    if (const auto type = typeNamed(word)) {
      if (access.type != Ty::None) return fmt::format(".{} is a second type", word);
      access.type = *type;
      continue;
    }
    const Word* row = rowOf(word);
    if (row == nullptr || (row->of & of) == 0) return fmt::format("{} has no .{}", s.name, word);
    std::string_view& to = access.words.at(static_cast<std::size_t>(row->group));
    if (!to.empty()) return fmt::format(".{} and .{} do not go together", to, word);
    to = word;
  }
  return {};
}

std::string orderProblem(const Access& a) {
  const std::string_view order = a[Group::Order];
  const bool ordered = isOneOf(order, {"relaxed", "acquire", "release", "acq_rel"});
  const bool atomic = a.name == "atom" || a.name == "red";
  if (a.has(Group::Mmio)) {
    const bool fits = order == "relaxed" && a[Group::Scope] == "sys" && !a.has(Group::Vector);
    if (!fits) return ".mmio is with .relaxed.sys, and without a vector";
    if (!a.isIn({"", "global"})) return ".mmio is of global memory";
  }
  if (!atomic && ordered && !a.has(Group::Scope)) {
    return fmt::format(".{} needs a scope: .cta, .cluster, .gpu or .sys", order);
  }
  if (!atomic && a.has(Group::Scope) && !ordered) {
    return fmt::format(".{} needs an order such as .relaxed", a[Group::Scope]);
  }
  const bool strong = ordered || order == "volatile";
  if (strong && a.has(Group::Cached)) {
    return fmt::format(".{} and .{} do not go together", order, a[Group::Cached]);
  }
  if (strong && a.isIn({"local", "const"})) {
    return fmt::format(".{} is not of .{} memory", order, a[Group::Space]);
  }
  if (a.has(Group::Constant) && a[Group::Space] != "global") return ".nc is of .global memory";
  if (a.has(Group::Constant) && strong) {
    return fmt::format(".nc and .{} do not go together", order);
  }
  return {};
}

std::string cacheProblem(const Access& a, std::size_t operands, std::size_t plain) {
  for (const Group group : {Group::Near, Group::Far, Group::Prefetch, Group::Hint}) {
    if (a.has(group) && !a.isIn({"", "global"})) {
      return fmt::format(".{} is of global memory", a[group]);
    }
  }
  const std::string_view vector = a[Group::Vector];
  const unsigned wide = vector == "v8" ? 32 : vector == "v4" ? 64 : 0;
  if (a.has(Group::Far) && bitsOf(a.type) != wide) {
    return fmt::format(".{} is of accesses of 32 bytes", a[Group::Far]);
  }
  if (vector == "v8" && !a.has(Group::Operation) && bitsOf(a.type) != 32) {
    return fmt::format(".v8 is of types of 32 bits, not .{}", spelling(a.type));
  }
  if (a.has(Group::Hint) && a[Group::Operation] == "cas") return "cas has no .L2::cache_hint";
  const std::size_t expected = plain + (a.has(Group::Hint) ? 1 : 0);
  if (operands == expected) return {};
  return fmt::format("{} operands are expected{}, not {}", expected,
                     a.has(Group::Hint) ? ", the last one a policy" : "", operands);
}

std::string atomicProblem(const Access& a) {
  const std::string_view op = a[Group::Operation];
  const std::string_view vector = a[Group::Vector];
  const bool small = a.type == Ty::F16 || a.type == Ty::BF16;
  const bool pairs = a.type == Ty::F16x2 || a.type == Ty::BF16x2;
  if (op.empty()) return "an operation such as .add is expected";
  if ((small || pairs) != a.has(Group::Subnormals)) {
    return small || pairs ? fmt::format(".{} needs .noftz", spelling(a.type))
                          : ".noftz is of f16 and bf16";
  }
  if ((small || pairs) && op != "add" && vector.empty()) {
    return fmt::format(".{}.{} is of vectors", op, spelling(a.type));
  }
  if (vector.empty()) return {};
  if (!a.isIn({"", "global"})) return "vectors are of global memory";
  const bool fits = small ? isOneOf(op, {"add", "min", "max"})
                          : vector != "v8" && (pairs ? isOneOf(op, {"add", "min", "max"})
                                                     : a.type == Ty::F32 && op == "add");
  return fits ? std::string() : fmt::format(".{}.{} has no .{}", op, spelling(a.type), vector);
}

}  // namespace

bool isAccessWord(std::string_view word) {
  const Word* row = rowOf(word);
  return row != nullptr && row->group != Group::Operation;
}

std::string accessProblem(const Statement& statement) {
  static constexpr std::pair<std::string_view, unsigned> kNames[] = {
      {"ld", kLd}, {"st", kSt}, {"atom", kAtom}, {"red", kRed}, {"ldu", kLdu}};
  unsigned of = 0;
  for (const auto& [name, bit] : kNames) of |= name == statement.name ? bit : 0;
  Access access;
  std::string problem = sorted(statement, of, access);
  if (problem.empty()) problem = orderProblem(access);
  std::size_t operands = 2;
  if ((of & kAtomics) != 0) {
    if (problem.empty()) problem = atomicProblem(access);
    operands = (of == kAtom ? 3 : 2) + (access[Group::Operation] == "cas" ? 1 : 0);
  } else if (problem.empty()) {
    const Kind kind = kindOf(access.type);
    const bool isType = kind != Kind::Packed && kind != Kind::Pred && bitsOf(access.type) >= 8;
    const bool half = kind == Kind::Float && access.type != Ty::F32 && access.type != Ty::F64;
    if (!isType || half) {
      problem = access.type == Ty::None
                    ? "a type is expected"
                    : fmt::format("{} has no .{}; of that width it has .b{}", statement.name,
                                  spelling(access.type), bitsOf(access.type));
    }
  }
  return problem.empty() ? cacheProblem(access, statement.operands.size(), operands) : problem;
}

}  // namespace cutwork::sim
