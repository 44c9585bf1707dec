// DwarfTypes.cpp -- types of debug information by name, and values of them as text.
//
// Entries may say anything, a type that contains itself too: every way down is limited.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "Dwarf.h"

namespace cutwork::sim {
namespace {

constexpr unsigned kDeepest = 12;
constexpr std::uint64_t kMostElements = 16;  ///< of an array that are shown
constexpr std::uint64_t kMostMembers = 32;
constexpr std::size_t kMostExtents = 8;
constexpr std::size_t kLongestText = 2000;

constexpr std::string_view kBroken = "(a type that is not understood)";

/// The type without typedefs and qualifiers.
std::uint32_t plain(const Dwarf& dwarf, std::uint32_t type) {
  for (unsigned depth = 0; type != kNoEntry && depth < kDeepest; ++depth) {
    switch (dwarf.entries[type].tag) {
      case dwtag::kTypedef:
      case dwtag::kConst:
      case dwtag::kVolatile:
      case dwtag::kRestrict:
      case dwtag::kAtomic: type = dwarf.typeOf(type); break;
      default: return type;
    }
  }
  return kNoEntry;
}

bool isStructure(std::uint32_t tag) {
  return tag == dwtag::kStructure || tag == dwtag::kClass || tag == dwtag::kUnion;
}

bool isPointer(std::uint32_t tag) {
  return tag == dwtag::kPointer || tag == dwtag::kReference || tag == dwtag::kRvalueReference;
}

/// The extents of an array; nothing for one that is not known.
std::vector<std::optional<std::uint64_t>> extents(const Dwarf& dwarf, std::uint32_t array) {
  std::vector<std::optional<std::uint64_t>> result;
  for (const std::uint32_t child : dwarf.children[array]) {
    const DwarfEntry& entry = dwarf.entries[child];
    if (entry.tag != dwtag::kSubrange) continue;
    if (entry.count) {
      result.push_back(entry.count);
    } else if (entry.upperBound) {
      result.emplace_back(*entry.upperBound + 1);
    } else {
      result.emplace_back();
    }
  }
  if (result.empty()) result.emplace_back();
  return result;
}

std::string named(const Dwarf& dwarf, std::uint32_t type, std::string_view what) {
  const std::string_view name = dwarf.nameOf(type);
  return name.empty() ? fmt::format("{} (without a name)", what) : fmt::format("{} {}", what, name);
}

std::string textOf(const Dwarf& dwarf, std::uint32_t type, unsigned depth) {
  if (type == kNoEntry) return "void";
  if (depth > kDeepest) return std::string(kBroken);
  const DwarfEntry& entry = dwarf.entries[type];
  const auto inner = [&] { return textOf(dwarf, dwarf.typeOf(type), depth + 1); };
  switch (entry.tag) {
    case dwtag::kBase:
    case dwtag::kTypedef: return std::string(entry.name);
    case dwtag::kPointer: return inner() + "*";
    case dwtag::kReference: return inner() + "&";
    case dwtag::kRvalueReference: return inner() + "&&";
    case dwtag::kConst: {
      const std::uint32_t of = dwarf.typeOf(type);
      const bool behind = of != kNoEntry && isPointer(dwarf.entries[of].tag);
      return behind ? inner() + " const" : "const " + inner();
    }
    case dwtag::kVolatile: return "volatile " + inner();
    case dwtag::kRestrict: return inner() + " restrict";
    case dwtag::kAtomic: return "_Atomic " + inner();
    case dwtag::kEnumeration: return named(dwarf, type, "enum");
    case dwtag::kStructure: return named(dwarf, type, "struct");
    case dwtag::kClass: return named(dwarf, type, "class");
    case dwtag::kUnion: return named(dwarf, type, "union");
    case dwtag::kSubroutine: return "function";
    case dwtag::kArray: {
      std::string text = inner();
      for (const auto& extent : extents(dwarf, type)) {
        text += extent ? fmt::format("[{}]", *extent) : "[]";
        if (text.size() > kLongestText) break;
      }
      return text;
    }
    default: return std::string(kBroken);
  }
}

std::optional<std::uint64_t> bytesOf(const Dwarf& dwarf, std::uint32_t type, unsigned depth) {
  type = plain(dwarf, type);
  if (type == kNoEntry || depth > kDeepest) return std::nullopt;
  const DwarfEntry& entry = dwarf.entries[type];
  if (isPointer(entry.tag)) return entry.bytes.value_or(8);
  if (entry.tag == dwtag::kEnumeration && !entry.bytes) {
    return bytesOf(dwarf, dwarf.typeOf(type), depth + 1);
  }
  if (entry.tag != dwtag::kArray) return entry.bytes;
  auto bytes = bytesOf(dwarf, dwarf.typeOf(type), depth + 1);
  for (const auto& extent : extents(dwarf, type)) {
    if (!bytes || !extent || (*bytes != 0 && *extent > (std::uint64_t{1} << 40) / *bytes)) {
      return std::nullopt;
    }
    bytes = *bytes * *extent;
  }
  return bytes;
}

/// Writes values; stops where the text has become long.
class Writer {
 public:
  Writer(const Dwarf& dwarf, std::string_view all, const std::vector<bool>& written)
      : dwarf_(dwarf), all_(all), written_(written) {}

  std::string text;

  void value(std::uint32_t type, std::uint64_t at, unsigned depth) {
    type = plain(dwarf_, type);
    if (type == kNoEntry || depth > kDeepest) return add(kBroken);
    if (text.size() > kLongestText) return add("...");
    const DwarfEntry& entry = dwarf_.entries[type];
    if (entry.tag == dwtag::kArray) return array(type, at, depth);
    if (isStructure(entry.tag)) return structure(type, at, depth);
    scalar(type, at);
  }

 private:
  void add(std::string_view more) { text += more; }

  void scalar(std::uint32_t type, std::uint64_t at) {
    const DwarfEntry& entry = dwarf_.entries[type];
    const std::uint64_t bytes = bytesOf(dwarf_, type, 0).value_or(0);
    if (bytes == 0 || bytes > 16 || at > all_.size() || bytes > all_.size() - at) {
      return add(kBroken);
    }
    for (std::uint64_t i = at; i < at + bytes; ++i) {
      if (i < written_.size() && !written_[i]) return add("(never written)");
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, all_.data() + at, std::min<std::uint64_t>(bytes, 8));
    if (entry.tag == dwtag::kEnumeration) return enumeration(type, bits, bytes);
    if (isPointer(entry.tag)) return add(fmt::format("{:#x}", bits));
    if (entry.tag == dwtag::kBase && bytes > 8) {
      std::uint64_t upper = 0;
      std::memcpy(&upper, all_.data() + at + 8, bytes - 8);
      return add(fmt::format("{:#x}{:016x}", upper, bits));
    }
    if (entry.tag == dwtag::kBase) return base(entry, bits, bytes);
    add(kBroken);
  }

  static std::int64_t extended(std::uint64_t bits, std::uint64_t bytes) {
    const auto shift = static_cast<unsigned>(64 - 8 * std::min<std::uint64_t>(bytes, 8));
    return static_cast<std::int64_t>(bits << shift) >> shift;
  }

  /// By the encodings of DWARF 5's table 7.11.
  void base(const DwarfEntry& entry, std::uint64_t bits, std::uint64_t bytes) {
    constexpr std::uint32_t kBoolean = 2, kFloat = 4, kSigned = 5, kSignedChar = 6, kUnsigned = 7,
                            kUnsignedChar = 8;
    if (entry.encoding == kFloat) return floating(entry, bits, bytes);
    if (entry.encoding == kBoolean) return add(bits == 0 ? "false" : "true");
    if (entry.encoding == kSigned) return add(fmt::format("{}", extended(bits, bytes)));
    if (entry.encoding == kUnsigned) return add(fmt::format("{}", bits));
    if (entry.encoding != kSignedChar && entry.encoding != kUnsignedChar) {
      return add(fmt::format("{:#x}", bits));
    }
    if (entry.encoding == kSignedChar) {
      add(fmt::format("{}", extended(bits, bytes)));
    } else {
      add(fmt::format("{}", bits));
    }
    if (bits >= 0x20 && bits < 0x7f) add(fmt::format(" '{}'", static_cast<char>(bits)));
  }

  void floating(const DwarfEntry& entry, std::uint64_t bits, std::uint64_t bytes) {
    if (bytes == 8) return add(fmt::format("{}", std::bit_cast<double>(bits)));
    if (bytes == 4) {
      return add(fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
    }
    if (bytes != 2) return add(kBroken);
    const bool brain = entry.name.find("bf16") != std::string_view::npos;
    const auto half = static_cast<std::uint16_t>(bits);
    add(fmt::format("{}", brain ? std::bit_cast<float>(std::uint32_t{half} << 16)
                                : static_cast<float>(std::bit_cast<_Float16>(half))));
  }

  void enumeration(std::uint32_t type, std::uint64_t bits, std::uint64_t bytes) {
    const std::int64_t number = extended(bits, bytes);
    for (const std::uint32_t child : dwarf_.children[type]) {
      const DwarfEntry& entry = dwarf_.entries[child];
      if (entry.tag != dwtag::kEnumerator || !entry.constant) continue;
      const bool is = extended(static_cast<std::uint64_t>(*entry.constant), bytes) == number;
      if (is) return add(entry.name);
    }
    add(fmt::format("{} (no enumerator)", number));
  }

  void array(std::uint32_t type, std::uint64_t at, unsigned depth) {
    const std::uint32_t element = dwarf_.typeOf(type);
    const auto bytes = bytesOf(dwarf_, element, 0);
    const auto all = extents(dwarf_, type);
    if (!bytes || *bytes == 0 || all.size() > kMostExtents) return add(kBroken);
    dimension(element, *bytes, all, 0, at, depth);
  }

  /// `which` of the extents and those behind it.
  void dimension(std::uint32_t element, std::uint64_t bytes,
                 const std::vector<std::optional<std::uint64_t>>& extents, std::size_t which,
                 std::uint64_t at, unsigned depth) {
    if (which == extents.size()) return value(element, at, depth + 1);
    std::uint64_t step = bytes;
    for (std::size_t i = which + 1; i < extents.size(); ++i) step *= extents[i].value_or(0);
    const std::uint64_t count = extents[which].value_or(0);
    add("{");
    for (std::uint64_t i = 0; i < std::min(count, kMostElements); ++i) {
      if (text.size() > kLongestText) break;
      if (i != 0) add(", ");
      dimension(element, bytes, extents, which + 1, at + i * step, depth);
    }
    add(count > kMostElements ? ", ...}" : "}");
  }

  void structure(std::uint32_t type, std::uint64_t at, unsigned depth) {
    add("{");
    std::uint64_t shown = 0;
    for (const std::uint32_t child : dwarf_.children[type]) {
      const DwarfEntry& entry = dwarf_.entries[child];
      if (entry.tag != dwtag::kMember || entry.isDeclaration) continue;
      if (shown != 0) add(", ");
      if (++shown > kMostMembers || text.size() > kLongestText) {
        add("...");
        break;
      }
      add(fmt::format("{} = ", entry.name));
      if (entry.isBitField) {
        add("(a bit field: not shown)");
      } else {
        value(dwarf_.typeOf(child), at + entry.member, depth + 1);
      }
    }
    add("}");
  }

  const Dwarf& dwarf_;
  std::string_view all_;
  const std::vector<bool>& written_;
};

}  // namespace

std::string typeText(const Dwarf& dwarf, std::uint32_t type) { return textOf(dwarf, type, 0); }

std::optional<std::uint64_t> typeBytes(const Dwarf& dwarf, std::uint32_t type) {
  return bytesOf(dwarf, type, 0);
}

std::string typedText(const Dwarf& dwarf, std::uint32_t type, std::string_view bytes,
                      const std::vector<bool>& written) {
  Writer writer(dwarf, bytes, written);
  writer.value(type, 0, 0);
  return std::move(writer.text);
}

}  // namespace cutwork::sim
