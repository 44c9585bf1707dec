// Classes.cpp -- the classes of instructions: by mnemonic, and for arithmetic by type.
#include "Classes.h"

#include <algorithm>
#include <array>

#include "Types.h"

namespace cutwork::sim {
namespace {

using Class = InstructionClass;

struct Row {
  std::string_view mnemonic;
  Class kind;
};
constexpr std::array kRows = {
    Row{"and", Class::Logic},
    Row{"or", Class::Logic},
    Row{"xor", Class::Logic},
    Row{"not", Class::Logic},
    Row{"cnot", Class::Logic},
    Row{"lop3", Class::Logic},
    Row{"shl", Class::Logic},
    Row{"shr", Class::Logic},
    Row{"shf", Class::Logic},
    Row{"bfe", Class::Logic},
    Row{"bfi", Class::Logic},
    Row{"bfind", Class::Logic},
    Row{"bmsk", Class::Logic},
    Row{"fns", Class::Logic},
    Row{"brev", Class::Logic},
    Row{"clz", Class::Logic},
    Row{"fns", Class::Logic},
    Row{"popc", Class::Logic},
    Row{"prmt", Class::Logic},
    Row{"szext", Class::Logic},
    Row{"cvt", Class::Convert},
    Row{"set", Class::Compare},
    Row{"setp", Class::Compare},
    Row{"selp", Class::Compare},
    Row{"slct", Class::Compare},
    Row{"testp", Class::Compare},
    Row{"mov", Class::Move},
    Row{"cvta", Class::Move},
    Row{"mapa", Class::Move},
    Row{"getctarank", Class::Move},
    Row{"isspacep", Class::Compare},
    Row{"atom", Class::Atomic},
    Row{"red", Class::Atomic},
    Row{"cp", Class::Async},
    Row{"ldmatrix", Class::Matrix},
    Row{"stmatrix", Class::Matrix},
    Row{"movmatrix", Class::Matrix},
    Row{"shfl", Class::Warp},
    Row{"vote", Class::Warp},
    Row{"match", Class::Warp},
    Row{"redux", Class::Warp},
    Row{"elect", Class::Warp},
    Row{"activemask", Class::Warp},
    Row{"bar", Class::Barrier},
    Row{"barrier", Class::Barrier},
    Row{"mbarrier", Class::Barrier},
    Row{"clusterlaunchcontrol", Class::Async},
    Row{"fence", Class::Barrier},
    Row{"membar", Class::Barrier},
    Row{"bra", Class::Control},
    Row{"brx", Class::Control},
    Row{"call", Class::Control},
    Row{"ret", Class::Control},
    Row{"exit", Class::Control},
    Row{"trap", Class::Control},
    Row{"brkpt", Class::Control},
    Row{"sin", Class::Special},
    Row{"cos", Class::Special},
    Row{"lg2", Class::Special},
    Row{"ex2", Class::Special},
    Row{"tanh", Class::Special},
    Row{"rcp", Class::Special},
    Row{"rsqrt", Class::Special},
    Row{"sqrt", Class::Special},
    Row{"nanosleep", Class::Other},
    Row{"prefetch", Class::Other},
    Row{"prefetchu", Class::Other},
    Row{"discard", Class::Other},
    Row{"applypriority", Class::Other},
    Row{"createpolicy", Class::Other},
    Row{"alloca", Class::Other},
    Row{"stacksave", Class::Other},
    Row{"stackrestore", Class::Other},
    Row{"griddepcontrol", Class::Other},
};

constexpr std::array<std::pair<std::string_view, Class>, 7> kSpaces = {{
    {"shared", Class::Shared},
    {"shared::cta", Class::Shared},
    {"shared::cluster", Class::Shared},
    {"local", Class::Local},
    {"const", Class::Constant},
    {"param", Class::Constant},
    {"param::entry", Class::Constant},
}};

Class classOfAccess(std::span<const std::string_view> words) {
  for (const std::string_view word : words) {
    for (const auto& [name, kind] : kSpaces) {
      if (word == name) return kind;
    }
  }
  return Class::Global;
}

Class classOfType(Ty type) {
  switch (type) {
    case Ty::F16:
    case Ty::BF16:
    case Ty::F16x2:
    case Ty::BF16x2: return Class::Half;
    case Ty::F32:
    case Ty::F32x2: return Class::Single;
    case Ty::F64: return Class::Double;
    default: return Class::Integer;
  }
}

}  // namespace

Class classOf(std::string_view mnemonic, std::span<const std::string_view> words) {
  if (mnemonic == "ld" || mnemonic == "st" || mnemonic == "ldu") return classOfAccess(words);
  for (const Row& row : kRows) {
    if (row.mnemonic == mnemonic) return row.kind;
  }
  for (const std::string_view word : words) {
    const auto type = typeNamed(word);
    if (!type) continue;
    const Class kind = classOfType(*type);
    return mnemonic == "div" && kind != Class::Integer ? Class::Special : kind;
  }
  return Class::Other;
}

namespace {

bool hasWord(std::span<const std::string_view> words,
             std::initializer_list<std::string_view> wanted) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return std::find(wanted.begin(), wanted.end(), word) != wanted.end();
  });
}

bool isFloatWord(std::string_view word) {
  const auto type = typeNamed(word);
  return type && classOfType(*type) != Class::Integer;
}

/// Of the special registers those that are the simulator's own.
bool isInvented(std::string_view text) {
  static constexpr std::array<std::string_view, 7> kInvented = {
      "%clock", "%globaltimer", "%smid", "%nsmid", "%gridid", "%warpid", "%pm"};
  return std::any_of(kInvented.begin(), kInvented.end(), [&](std::string_view one) {
    return text.find(one) != std::string_view::npos;
  });
}

}  // namespace

Fidelity fidelityOf(std::string_view mnemonic, std::span<const std::string_view> words,
                    std::string_view text) {
  static constexpr std::array<std::string_view, 10> kNoEffect = {
      "fence",   "membar",        "prefetch",     "prefetchu",      "nanosleep",
      "discard", "applypriority", "createpolicy", "griddepcontrol", "pmevent"};
  if (std::find(kNoEffect.begin(), kNoEffect.end(), mnemonic) != kNoEffect.end()) {
    return Fidelity::NoEffect;
  }
  if (hasWord(words, {"approx", "full"})) return Fidelity::Approximated;
  const bool ownBits = mnemonic == "mbarrier" && hasWord(words, {"init", "arrive", "arrive_drop"});
  if (ownBits || isInvented(text)) return Fidelity::Invented;
  const bool sums = (mnemonic == "atom" || mnemonic == "red") && hasWord(words, {"add"}) &&
                    std::any_of(words.begin(), words.end(), isFloatWord);
  return sums || mnemonic == "activemask" ? Fidelity::Order : Fidelity::Exact;
}

std::string_view name(Fidelity fidelity) {
  static constexpr std::array<std::string_view, kFidelities> kNames = {
      "exact", "approximated", "no effect", "invented", "order"};
  return kNames[static_cast<std::size_t>(fidelity)];
}

std::string_view name(Class kind) {
  static constexpr std::array<std::string_view, kInstructionClasses> kNames = {
      "integer", "logic",  "half",   "single",  "double",  "special",  "convert",
      "compare", "move",   "global", "shared",  "local",   "constant", "atomic",
      "async",   "matrix", "warp",   "barrier", "control", "other"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace cutwork::sim
