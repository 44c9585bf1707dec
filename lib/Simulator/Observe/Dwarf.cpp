// Dwarf.cpp -- reads .debug_info and .debug_abbrev into entries.
#include "Dwarf.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace cutwork::sim {
namespace {

constexpr std::size_t kLongestName = 4096;
constexpr unsigned kMostUnits = 256;  ///< each reads a table of abbreviations

const Section* find(const Module& module, std::string_view name) {
  for (const Section& one : module.sections) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

struct Attribute {
  std::uint64_t name = 0;
  std::uint64_t form = 0;
  std::int64_t implicit = 0;  ///< DW_FORM_implicit_const: the value
};

struct Abbreviation {
  std::uint32_t tag = 0;
  bool children = false;
  std::vector<Attribute> attributes;
};
using Abbreviations = std::map<std::uint64_t, Abbreviation>;

/// What an attribute holds.
struct Value {
  std::uint64_t number = 0;
  const SectionReference* reference = nullptr;
  std::string_view text;
  DwarfExpression block;
  bool isBlock = false;
  bool isEntry = false;   ///< `number` is an offset in .debug_info
  bool isOffset = false;  ///< or a word of four bytes or more, which may be one in another section
};

class Reader {
 public:
  explicit Reader(const Module& module) : module_(module) {}

  Dwarf run() {
    dwarf_.locations = find(module_, "debug_loc");
    const Section* info = find(module_, "debug_info");
    const Section* abbreviations = find(module_, "debug_abbrev");
    if (info == nullptr || abbreviations == nullptr) return std::move(dwarf_);
    info_ = info;
    abbreviations_ = abbreviations;
    for (const Section* one : {info, abbreviations}) {
      if (one->strange != 0) stop(fmt::format("line {} is no data", one->strange));
    }
    std::uint64_t at = 0;
    unsigned units = 0;
    while (at + 11 <= info->bytes.size() && ++units <= kMostUnits) at = unit(at);
    if (units > kMostUnits) stop(fmt::format("there are more than {} units", kMostUnits));
    resolve();
    return std::move(dwarf_);
  }

 private:
  /// Of several problems the first is told.
  void stop(std::string why) {
    if (dwarf_.problem.empty()) dwarf_.problem = std::move(why);
  }

  /// Reads a unit; where the next one begins.
  std::uint64_t unit(std::uint64_t at) {
    const std::uint64_t all = info_->bytes.size();
    SectionReader head(*info_, at, all);
    const std::uint64_t length = head.number(4);
    if (length == 0) {
      stop("a unit without a length");
      return all;
    }
    const std::uint64_t end = std::min(at + 4 + length, all);
    const std::uint64_t version = head.number(2);
    if (version < 2 || version > 5) {
      stop(fmt::format("DWARF version {} is not understood", version));
      return end;
    }
    if (version == 5 && head.number(1) != 1) {  // types, partial units
      stop("a unit that is no compilation unit is not understood");
      return end;
    }
    if (version == 5) addressBytes_ = static_cast<unsigned>(head.number(1));
    const std::uint64_t table = offsetIn(head, 4, abbreviations_);
    if (version != 5) addressBytes_ = static_cast<unsigned>(head.number(1));
    if (addressBytes_ != 4 && addressBytes_ != 8) {
      stop(fmt::format("addresses of {} bytes are not understood", addressBytes_));
      return end;
    }
    version_ = version;
    unit_ = at;
    entries(head.at(), end, abbreviations(table));
    return end;
  }

  /// A word that is an offset in a section: a number, or the section or a label in it.
  static std::uint64_t offsetIn(SectionReader& from, unsigned bytes, const Section* section) {
    SectionReader copy = from;
    const std::uint64_t number = from.number(bytes);
    const SectionReference* symbol = copy.reference(bytes);
    return symbol == nullptr ? number : offsetOf(*symbol, section);
  }

  static std::uint64_t offsetOf(const SectionReference& symbol, const Section* section) {
    const auto addend = static_cast<std::uint64_t>(symbol.addend);
    if (section == nullptr || symbol.symbol == section->name) return addend;
    const auto label = section->labels.find(symbol.symbol);
    return label == section->labels.end() ? addend : label->second + addend;
  }

  Abbreviations abbreviations(std::uint64_t at) {
    Abbreviations table;
    SectionReader in(*abbreviations_, at, abbreviations_->bytes.size());
    while (!in.atEnd()) {
      const std::uint64_t code = in.uleb();
      if (code == 0) break;
      Abbreviation& one = table[code];
      one = {};
      one.tag = static_cast<std::uint32_t>(in.uleb());
      one.children = in.number(1) != 0;
      while (!in.atEnd()) {
        Attribute attribute{in.uleb(), in.uleb(), 0};
        if (attribute.form == 0x21) attribute.implicit = in.sleb();
        if (attribute.name == 0 && attribute.form == 0) break;
        one.attributes.push_back(attribute);
      }
    }
    return table;
  }

  void entries(std::uint64_t at, std::uint64_t end, const Abbreviations& table) {
    SectionReader in(*info_, at, end);
    std::vector<std::uint32_t> parents;
    while (!in.atEnd()) {
      const std::uint32_t offset = in.at();
      const std::uint64_t code = in.uleb();
      if (code == 0) {
        if (parents.size() <= 1) return;
        parents.pop_back();
        continue;
      }
      const auto found = table.find(code);
      if (found == table.end()) return stop(fmt::format("abbreviation {} is missing", code));
      const auto index = static_cast<std::uint32_t>(dwarf_.entries.size());
      at_[offset] = index;
      DwarfEntry& entry = dwarf_.entries.emplace_back();
      entry.tag = found->second.tag;
      if (!parents.empty()) entry.parent = parents.back();
      for (const Attribute& attribute : found->second.attributes) {
        Value value;
        if (!read(in, attribute, value)) {
          return stop(fmt::format("form {:#x} of an attribute is not understood", attribute.form));
        }
        keep(entry, attribute.name, value);
      }
      if (!in.good) return stop("an entry goes beyond its unit");
      if (found->second.children) parents.push_back(index);
      if (parents.empty()) return;
    }
  }

  void block(SectionReader& in, std::uint64_t bytes, Value& value) const {
    value.isBlock = true;
    value.block.section = info_;
    value.block.begin = in.at();
    in.skip(bytes);
    value.block.end = in.at();
  }

  void word(SectionReader& in, unsigned bytes, Value& value) const {
    SectionReader copy = in;
    value.number = in.number(bytes);
    value.reference = copy.reference(bytes);
    value.isOffset = bytes >= 4;
  }

  void entryAt(std::uint64_t offset, Value& value) const {
    value.number = unit_ + offset;
    value.isEntry = true;
  }

  /// The forms of DWARF 5's table 7.6 that are not of other files.
  bool read(SectionReader& in, const Attribute& attribute, Value& value) const {
    switch (attribute.form) {
      case 0x01: word(in, addressBytes_, value); return true;
      case 0x03: block(in, in.number(2), value); return true;
      case 0x04: block(in, in.number(4), value); return true;
      case 0x05: word(in, 2, value); return true;
      case 0x06: word(in, 4, value); return true;
      case 0x07: word(in, 8, value); return true;
      case 0x08: value.text = in.text(); return true;
      case 0x09:
      case 0x18: block(in, in.uleb(), value); return true;
      case 0x0a: block(in, in.number(1), value); return true;
      case 0x0b:
      case 0x0c: word(in, 1, value); return true;
      case 0x0d: value.number = static_cast<std::uint64_t>(in.sleb()); return true;
      case 0x0e: value.text = pooled(in, "debug_str"); return true;
      case 0x0f: value.number = in.uleb(); return true;
      case 0x10:
        value.number = offsetIn(in, version_ == 2 ? addressBytes_ : 4, info_);
        value.isEntry = true;
        return true;
      case 0x11: entryAt(in.number(1), value); return true;
      case 0x12: entryAt(in.number(2), value); return true;
      case 0x13: entryAt(in.number(4), value); return true;
      case 0x14: entryAt(in.number(8), value); return true;
      case 0x15: entryAt(in.uleb(), value); return true;
      case 0x17: word(in, 4, value); return true;
      case 0x19: value.number = 1; return true;
      case 0x1f: value.text = pooled(in, "debug_line_str"); return true;
      case 0x20: in.skip(8); return true;
      case 0x21: value.number = static_cast<std::uint64_t>(attribute.implicit); return true;
      default: return false;
    }
  }

  std::string_view pooled(SectionReader& in, std::string_view name) const {
    const Section* strings = find(module_, name);
    const std::uint64_t at = offsetIn(in, 4, strings);
    if (strings == nullptr || at >= strings->bytes.size()) return {};
    return SectionReader(*strings, at, at + kLongestName).text();
  }

  static DwarfAddress address(const Value& value) {
    DwarfAddress result;
    result.known = true;
    result.number = value.number;
    if (value.reference != nullptr) result.label = value.reference->symbol;
    return result;
  }

  void keep(DwarfEntry& entry, std::uint64_t name, const Value& value) const {
    switch (name) {
      case 0x02: location(entry, value); break;
      case 0x03: entry.name = value.text; break;
      case 0x0b: entry.bytes = value.number; break;
      case 0x0d:  // the size in bits, or (data) their place
      case 0x6b: entry.isBitField = true; break;
      case 0x11: entry.low = address(value); break;
      case 0x12: entry.high = address(value); break;
      case 0x1c:
        if (!value.isBlock) entry.constant = static_cast<std::int64_t>(value.number);
        break;
      case 0x2f:
        if (!value.isBlock && !value.isEntry) entry.upperBound = value.number;
        break;
      case 0x31:
      case 0x47: entry.origin = reference(value); break;
      case 0x37:
        if (!value.isBlock && !value.isEntry) entry.count = value.number;
        break;
      case 0x38: entry.member = memberOffset(value); break;
      case 0x3c: entry.isDeclaration = value.number != 0; break;
      case 0x3e: entry.encoding = static_cast<std::uint32_t>(value.number); break;
      case 0x49: entry.type = reference(value); break;
      case 0x55: entry.hasRanges = true; break;
      default: break;
    }
  }

  void location(DwarfEntry& entry, const Value& value) const {
    if (value.isBlock) {
      entry.location = value.block;
    } else if (value.isOffset) {
      const std::uint64_t offset =
          value.reference != nullptr ? offsetOf(*value.reference, dwarf_.locations) : value.number;
      entry.list = static_cast<std::uint32_t>(std::min<std::uint64_t>(offset, 0xffffffffU));
    }
  }

  /// A number, or (version 2) DW_OP_plus_uconst with one.
  static std::uint64_t memberOffset(const Value& value) {
    if (!value.isBlock) return value.number;
    SectionReader in(*value.block.section, value.block.begin, value.block.end);
    return in.number(1) == 0x23 ? in.uleb() : 0;
  }

  /// An offset for now; `resolve` makes it an entry.
  static std::uint32_t reference(const Value& value) {
    return value.isEntry && value.number < kNoEntry ? static_cast<std::uint32_t>(value.number)
                                                    : kNoEntry;
  }

  void resolve() {
    const auto entryOf = [&](std::uint32_t offset) {
      const auto found = at_.find(offset);
      return found == at_.end() ? kNoEntry : found->second;
    };
    dwarf_.children.resize(dwarf_.entries.size());
    for (std::uint32_t i = 0; i < dwarf_.entries.size(); ++i) {
      DwarfEntry& entry = dwarf_.entries[i];
      entry.type = entryOf(entry.type);
      entry.origin = entryOf(entry.origin);
      if (entry.parent != kNoEntry) dwarf_.children[entry.parent].push_back(i);
    }
  }

  const Module& module_;
  Dwarf dwarf_;
  const Section* info_ = nullptr;
  const Section* abbreviations_ = nullptr;
  std::unordered_map<std::uint32_t, std::uint32_t> at_;  ///< entries by offset
  std::uint64_t unit_ = 0;
  std::uint64_t version_ = 0;
  unsigned addressBytes_ = 8;
};

}  // namespace

SectionReader::SectionReader(const Section& section, std::uint64_t at, std::uint64_t end)
    : section_(section), at_(at), end_(std::min<std::uint64_t>(end, section.bytes.size())) {}

void SectionReader::skip(std::uint64_t bytes) {
  const std::uint64_t left = at_ < end_ ? end_ - at_ : 0;
  good = good && bytes <= left;
  at_ += std::min(bytes, left);
}

std::uint64_t SectionReader::number(unsigned bytes) {
  std::uint64_t value = 0;
  const std::uint64_t from = at_;
  skip(bytes);
  for (unsigned i = 0; i < bytes && from + i < at_; ++i) {
    value |= std::uint64_t{section_.bytes[from + i]} << (8 * i);
  }
  return value;
}

std::uint64_t SectionReader::uleb() {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint64_t byte = number(1);
    if (shift < 64) value |= (byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
}

std::int64_t SectionReader::sleb() {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint64_t byte = number(1);
    if (shift < 64) value |= (byte & 0x7f) << shift;
    if ((byte & 0x80) != 0) continue;
    if (shift + 7 < 64 && (byte & 0x40) != 0) value |= ~std::uint64_t{0} << (shift + 7);
    return static_cast<std::int64_t>(value);
  }
}

std::string_view SectionReader::text() {
  const char* from = reinterpret_cast<const char*>(section_.bytes.data()) + at_;
  const std::uint64_t left = at_ < end_ ? end_ - at_ : 0;
  std::uint64_t length = 0;
  while (length < left && from[length] != '\0') ++length;
  skip(length + 1);
  return {from, std::min<std::size_t>(length, kLongestName)};
}

const SectionReference* SectionReader::reference(unsigned bytes) {
  const auto found = std::lower_bound(
      section_.references.begin(), section_.references.end(), at_,
      [](const SectionReference& one, std::uint64_t at) { return one.offset < at; });
  const bool here = found != section_.references.end() && found->offset == at_ && at_ < end_;
  skip(bytes);
  return here ? &*found : nullptr;
}

std::string_view Dwarf::nameOf(std::uint32_t entry) const {
  for (unsigned steps = 0; entry != kNoEntry && steps < 8; ++steps) {
    if (!entries[entry].name.empty()) return entries[entry].name;
    entry = entries[entry].origin;
  }
  return {};
}

std::uint32_t Dwarf::typeOf(std::uint32_t entry) const {
  for (unsigned steps = 0; entry != kNoEntry && steps < 8; ++steps) {
    if (entries[entry].type != kNoEntry) return entries[entry].type;
    entry = entries[entry].origin;
  }
  return kNoEntry;
}

Dwarf readDwarf(const Module& module) { return Reader(module).run(); }

}  // namespace cutwork::sim
