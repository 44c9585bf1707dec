// Dwarf.h -- debug information of a module: the entries of .debug_info, with what of them variables
// need.
//
// PTX has DWARF as text, with labels of the code for addresses and names of variables for theirs.
// Versions 2 to 5 are read as far as they are understood; whatever stops it is kept as `problem`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "Reader/Ast.h"

namespace cutwork::sim {

/// Reads a section. Past its end everything is zero, and `good` false.
class SectionReader {
 public:
  SectionReader(const Section& section, std::uint64_t at, std::uint64_t end);

  std::uint64_t number(unsigned bytes);
  std::uint64_t uleb();
  std::int64_t sleb();
  std::string_view text();  ///< up to a zero, which is passed
  /// What a word stands for, if it is no number; the word is passed in any case.
  const SectionReference* reference(unsigned bytes);
  void skip(std::uint64_t bytes);
  [[nodiscard]] bool atEnd() const { return at_ >= end_; }
  [[nodiscard]] std::uint32_t at() const { return static_cast<std::uint32_t>(at_); }
  bool good = true;

 private:
  const Section& section_;
  std::uint64_t at_;
  std::uint64_t end_;
};

/// A label of the code, or a number.
struct DwarfAddress {
  bool known = false;
  std::string_view label;
  std::uint64_t number = 0;
};

/// An expression: bytes of a section.
struct DwarfExpression {
  const Section* section = nullptr;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

inline constexpr std::uint32_t kNoEntry = 0xffffffffU;

struct DwarfEntry {
  std::uint32_t tag = 0;
  std::uint32_t parent = kNoEntry;
  std::string_view name;
  std::uint32_t type = kNoEntry;    ///< an entry
  std::uint32_t origin = kNoEntry;  ///< the entry that says what is missing here
  DwarfAddress low;
  DwarfAddress high;
  bool hasRanges = false;
  bool isDeclaration = false;
  bool isBitField = false;
  DwarfExpression location;
  std::optional<std::uint32_t> list;  ///< of locations: an offset in .debug_loc
  std::optional<std::uint64_t> bytes;
  std::optional<std::uint64_t> count;       ///< of a subrange
  std::optional<std::uint64_t> upperBound;  ///< the same less one
  std::optional<std::int64_t> constant;
  std::uint64_t member = 0;  ///< offset in its structure
  std::uint32_t encoding = 0;
};

/// Tags that are looked at.
namespace dwtag {
inline constexpr std::uint32_t kArray = 0x01, kClass = 0x02, kEnumeration = 0x04, kParameter = 0x05,
                               kBlock = 0x0b, kMember = 0x0d, kPointer = 0x0f, kReference = 0x10,
                               kUnit = 0x11, kStructure = 0x13, kSubroutine = 0x15, kTypedef = 0x16,
                               kUnion = 0x17, kInlined = 0x1d, kSubrange = 0x21, kBase = 0x24,
                               kConst = 0x26, kEnumerator = 0x28, kSubprogram = 0x2e,
                               kVariable = 0x34, kVolatile = 0x35, kRestrict = 0x37,
                               kRvalueReference = 0x42, kAtomic = 0x47;
}  // namespace dwtag

struct Dwarf {
  std::vector<DwarfEntry> entries;                   ///< parents before children
  std::vector<std::vector<std::uint32_t>> children;  ///< by entry
  const Section* locations = nullptr;                ///< .debug_loc
  std::string problem;                               ///< what was not understood, or empty

  /// The entry or the one that it refers to for what `has` finds missing.
  [[nodiscard]] std::string_view nameOf(std::uint32_t entry) const;
  [[nodiscard]] std::uint32_t typeOf(std::uint32_t entry) const;
};

Dwarf readDwarf(const Module& module);

// --- types (DwarfTypes.cpp); none of these recurs for ever, whatever the entries say -------------

/// As C writes it: `const float*`, `int[4]`, `struct Pair`; kNoEntry is void.
std::string typeText(const Dwarf& dwarf, std::uint32_t type);
/// Bytes of a value. Nothing: not known.
std::optional<std::uint64_t> typeBytes(const Dwarf& dwarf, std::uint32_t type);
/// A value as C would write it; `written` (if not empty) says of each byte whether it ever was.
std::string typedText(const Dwarf& dwarf, std::uint32_t type, std::string_view bytes,
                      const std::vector<bool>& written);

}  // namespace cutwork::sim
