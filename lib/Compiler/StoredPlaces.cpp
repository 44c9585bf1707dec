// StoredPlaces.cpp -- places of a trace, and the line tables that follow them.
#include "Compiler/StoredPlaces.h"

#include <fmt/format.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/Location.h>

#include <charconv>

namespace cutwork::compiler {

namespace {

void add(mlir::Location location, Places& places) {
  location->walk([&](mlir::Location inner) {
    if (auto at = mlir::dyn_cast<mlir::FileLineColLoc>(inner)) {
      places.emplace_back(at.getFilename().str(), at.getLine(), at.getColumn());
    }
    return mlir::WalkResult::advance();
  });
}

bool number(std::string_view& text, unsigned& value) {
  const std::size_t start = text.find_first_not_of(" \t");
  if (start == std::string_view::npos) return false;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data() + start, end, value);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(at - text.data()));
  return true;
}

// What follows a directive at the start of a line; nothing: it is another line.
std::optional<std::string_view> behind(std::string_view line, std::string_view directive) {
  const std::size_t start = line.find_first_not_of(" \t");
  if (start == std::string_view::npos) return std::nullopt;
  line.remove_prefix(start);
  if (!line.starts_with(directive)) return std::nullopt;
  line.remove_prefix(directive.size());
  if (line.empty() || (line[0] != ' ' && line[0] != '\t')) return std::nullopt;
  return line;
}

template <class Visit>
void eachLine(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// The files of a PTX text by number.
std::map<unsigned, std::string> filesOf(const std::string& ptx) {
  std::map<unsigned, std::string> files;
  eachLine(ptx, [&](std::string_view line) {
    auto rest = behind(line, ".file");
    unsigned index = 0;
    if (!rest || !number(*rest, index)) return;
    const std::size_t open = rest->find('"');
    const std::size_t close = rest->rfind('"');
    if (open == std::string_view::npos || close <= open) return;
    files[index] = std::string(rest->substr(open + 1, close - open - 1));
  });
  return files;
}

// Numbers of the files that a moved text names; those of before keep theirs.
class Files {
 public:
  explicit Files(std::map<unsigned, std::string> known) : known_(std::move(known)) {}
  [[nodiscard]] const std::string& name(unsigned index) const {
    static const std::string kNone;
    const auto found = known_.find(index);
    return found == known_.end() ? kNone : found->second;
  }
  unsigned index(const std::string& name) {
    for (const auto& [index, known] : moved_) {
      if (known == name) return index;
    }
    const unsigned fresh = static_cast<unsigned>(moved_.size()) + 1;
    moved_.emplace(fresh, name);
    return fresh;
  }
  [[nodiscard]] const std::map<unsigned, std::string>& moved() const { return moved_; }

 private:
  std::map<unsigned, std::string> known_;
  std::map<unsigned, std::string> moved_;
};

// FILE LINE COLUMN at the front of `rest`, moved; `rest` is what follows.
std::optional<std::string> movedNumbers(std::string_view& rest, const PlaceMap& map, Files& files) {
  unsigned file = 0;
  unsigned line = 0;
  unsigned column = 0;
  if (!number(rest, file) || !number(rest, line) || !number(rest, column)) return std::nullopt;
  std::string name = files.name(file);
  if (const auto exact = map.places.find({name, line, column}); exact != map.places.end()) {
    std::tie(name, line, column) = exact->second;
  } else if (const auto near = map.lines.find({name, line}); near != map.lines.end()) {
    std::tie(name, line) = near->second;
  }
  return fmt::format("{} {} {}", files.index(name), line, column);
}

std::string movedLoc(std::string_view rest, const PlaceMap& map, Files& files) {
  constexpr std::string_view kInlined = "inlined_at";
  const std::string_view whole = rest;
  auto first = movedNumbers(rest, map, files);
  if (!first) return "\t.loc" + std::string(whole);
  const std::size_t inlined = rest.find(kInlined);
  if (inlined == std::string_view::npos) return "\t.loc\t" + *first + std::string(rest);
  std::string_view behindIt = rest.substr(inlined + kInlined.size());
  auto second = movedNumbers(behindIt, map, files);
  const std::string before(rest.substr(0, inlined + kInlined.size()));
  return "\t.loc\t" + *first + before + " " + second.value_or("") + std::string(behindIt);
}

}  // namespace

Places placesOf(mlir::ModuleOp module) {
  Places places;
  module->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* op) { add(op->getLoc(), places); });
  return places;
}

std::string encodePlaces(const Places& places) {
  // Most follow another in the same file, whose name is left out then.
  std::string text;
  const std::string* last = nullptr;
  for (const auto& [file, line, column] : places) {
    const bool same = last != nullptr && *last == file;
    text += fmt::format("{} {} {}\n", line, column, same ? "" : file);
    last = &file;
  }
  return text;
}

Places decodePlaces(const std::string& text) {
  Places places;
  std::string file;
  eachLine(text, [&](std::string_view row) {
    unsigned line = 0;
    unsigned column = 0;
    if (!number(row, line) || !number(row, column)) return;
    if (row.size() > 1) file = std::string(row.substr(1));
    places.emplace_back(file, line, column);
  });
  return places;
}

std::optional<PlaceMap> mapPlaces(const Places& from, const Places& to) {
  if (from.size() != to.size()) return std::nullopt;
  PlaceMap map;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto& [file, line, column] = from[i];
    const auto [at, fresh] = map.places.emplace(from[i], to[i]);
    if (!fresh && at->second != to[i]) return std::nullopt;
    map.lines.emplace(std::pair(file, line), std::pair(std::get<0>(to[i]), std::get<1>(to[i])));
  }
  return map;
}

std::string movePtx(const std::string& ptx, const PlaceMap& map) {
  Files files(filesOf(ptx));
  std::string made;
  eachLine(ptx, [&](std::string_view line) {
    if (behind(line, ".file")) return;  // written anew below
    if (const auto rest = behind(line, ".loc")) {
      made += movedLoc(*rest, map, files);
    } else {
      made += line;
    }
    made += '\n';
  });
  for (const auto& [index, name] : files.moved())
    made += fmt::format("\t.file\t{} \"{}\"\n", index, name);
  return made;
}

std::string moveRemark(const std::string& remark, const PlaceMap& map) {
  const std::size_t colon = remark.find(": ");
  const std::size_t before = colon == std::string::npos ? colon : remark.rfind(':', colon - 1);
  if (before == std::string::npos) return remark;
  std::string_view digits = std::string_view(remark).substr(before + 1, colon - before - 1);
  unsigned line = 0;
  if (!number(digits, line) || !digits.empty()) return remark;
  const auto found = map.lines.find({remark.substr(0, before), line});
  if (found == map.lines.end()) return remark;
  return fmt::format("{}:{}{}", found->second.first, found->second.second, remark.substr(colon));
}

}  // namespace cutwork::compiler
