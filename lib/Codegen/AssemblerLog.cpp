// AssemblerLog.cpp -- what ptxas and nvJitLink write: resources, remarks, errors, and whose line it
// is.
#include <fmt/format.h>

#include <charconv>
#include <map>
#include <optional>

#include "AssemblerParts.h"

namespace cutwork {

namespace {

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// The text after `prefix`, wherever that is; nothing if it is not there.
std::optional<std::string_view> after(std::string_view line, std::string_view prefix) {
  const std::size_t at = line.find(prefix);
  if (at == std::string_view::npos) return std::nullopt;
  return line.substr(at + prefix.size());
}

/// What is between two marks.
std::optional<std::string_view> between(std::string_view line, std::string_view open,
                                        std::string_view close) {
  const auto rest = after(line, open);
  if (!rest) return std::nullopt;
  const std::size_t end = rest->find(close);
  if (end == std::string_view::npos) return std::nullopt;
  return rest->substr(0, end);
}

template <class Number>
std::optional<Number> numberAt(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  Number number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc()) return std::nullopt;
  return number;
}

/// The number before `unit`, as in `16 bytes smem`; 0 if the unit is not there.
std::int64_t numberBefore(std::string_view line, std::string_view unit) {
  const std::size_t at = line.find(unit);
  if (at == std::string_view::npos || at == 0) return 0;
  std::size_t begin = at;
  while (begin > 0 && line[begin - 1] == ' ') --begin;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  return numberAt<std::int64_t>(line.substr(begin)).value_or(0);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

/// The PTX line that a message names: `, line 12;` or `around line 12 `; 0 if none.
int lineIn(std::string_view message) {
  const auto rest = after(message, " line ");
  return rest ? numberAt<int>(*rest).value_or(0) : 0;
}

}  // namespace

SourcePlace placeOfPtxLine(std::string_view ptx, int line) {
  std::map<int, std::string> files;
  struct Loc {
    int file = 0;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
  };
  Loc last;
  int number = 0;
  for (const std::string_view raw : linesOf(ptx)) {
    ++number;
    const std::string_view text = trimmed(raw);
    if (text.starts_with(".file")) {  // these may stand at the end of the text
      const auto file = numberAt<int>(text.substr(5));
      const auto name = between(text, "\"", "\"");
      if (file && name) files.emplace(*file, *name);
    }
    if (number > line) continue;
    if (text.find(".entry ") != std::string_view::npos ||
        text.find(".func ") != std::string_view::npos) {
      last = {};
    }
    if (text.starts_with(".loc")) {
      Loc loc;
      const char* at = text.data() + 4;
      const char* const end = text.data() + text.size();
      const auto next = [&](auto& to) {
        while (at < end && (*at == ' ' || *at == '\t')) ++at;
        at = std::from_chars(at, end, to).ptr;
      };
      next(loc.file);
      next(loc.line);
      next(loc.column);
      last = loc;
    }
  }
  SourcePlace place;
  const auto file = files.find(last.file);
  if (last.line == 0 || file == files.end()) return place;
  place.file = file->second;
  place.line = last.line;
  place.column = last.column;
  return place;
}

namespace assembler {

namespace {

/// The entry of a name, made if it is new.
EntryResources& entryOf(Assembled& assembled, std::string_view name) {
  for (EntryResources& entry : assembled.entries) {
    if (entry.name == name) return entry;
  }
  assembled.entries.emplace_back().name = name;
  return assembled.entries.back();
}

void addRemark(std::string_view ptx, std::string_view message, Assembled& assembled) {
  AssemblerRemark remark;
  message = trimmed(message);
  if (message.starts_with("(C")) {
    if (const auto code = between(message, "(", ")")) {
      remark.code = *code;
      message = trimmed(message.substr(code->size() + 2));
    }
  }
  remark.text = message;
  if (const auto name = between(message, "in function '", "'")) remark.function = *name;
  remark.ptxLine = lineIn(message);
  if (remark.ptxLine > 0) remark.place = placeOfPtxLine(ptx, remark.ptxLine);
  assembled.remarks.push_back(std::move(remark));
}

/// The message of an error line, without the tool's and the input's name; nothing for other lines.
std::optional<std::string_view> errorIn(std::string_view line) {
  for (const std::string_view mark : {"error", "fatal"}) {
    const std::size_t at = line.find(mark);
    if (at == std::string_view::npos || !line.starts_with("ptxas")) continue;
    std::string_view rest = trimmed(line.substr(at + mark.size()));
    if (rest.starts_with(":")) return trimmed(rest.substr(1));
  }
  return std::nullopt;
}

}  // namespace

bool isTooOld(std::string_view log) {
  for (const std::string_view mark :
       {"Unsupported .version", "is not defined for option 'gpu-name'", "UNRECOGNIZED_ARCH",
        "UNSUPPORTED_ARCH"}) {
    if (log.find(mark) != std::string_view::npos) return true;
  }
  return false;
}

void readLog(std::string_view ptx, std::string_view log, Assembled& assembled) {
  std::string properties;  // the function of the lines that follow
  std::string compiling;
  for (const std::string_view line : linesOf(log)) {
    if (const auto name = between(line, "Compiling entry function '", "'")) {
      compiling = *name;
      properties = *name;
      entryOf(assembled, compiling);
    } else if (const auto rest = after(line, "Function properties for ")) {
      properties = trimmed(*rest);
    } else if (line.find("bytes stack frame") != std::string_view::npos) {
      // Functions that are not inlined have such a line too; only kernels are listed.
      if (properties != compiling || compiling.empty()) continue;
      EntryResources& entry = entryOf(assembled, compiling);
      entry.stack = numberBefore(line, "bytes stack frame");
      entry.spillStores = numberBefore(line, "bytes spill stores");
      entry.spillLoads = numberBefore(line, "bytes spill loads");
    } else if (line.find(": Used ") != std::string_view::npos) {
      if (compiling.empty()) continue;
      EntryResources& entry = entryOf(assembled, compiling);
      entry.registers = numberBefore(line, "registers");
      entry.barriers = numberBefore(line, "barriers");
      entry.sharedMemory = numberBefore(line, "bytes smem");
    } else if (const auto warning = after(line, "warning : ")) {
      addRemark(ptx, *warning, assembled);
      // `ptxas input.ptx, line 12; warning : ...` has the line in front.
      AssemblerRemark& remark = assembled.remarks.back();
      const int number = lineIn(line.substr(0, line.find(';')));
      if (remark.ptxLine == 0 && number > 0) {
        remark.ptxLine = number;
        remark.place = placeOfPtxLine(ptx, number);
      }
    } else if (const auto info = after(line, "info    : (C")) {
      addRemark(ptx, line.substr(line.find("(C")), assembled);
    }
  }
}

Error refusal(std::string_view ptx, const Refused& refused) {
  constexpr int kMostErrors = 5;
  const std::vector<std::string_view> lines = linesOf(ptx);
  std::string text;
  SourcePlace place;
  int count = 0;
  for (const std::string_view line : linesOf(refused.log)) {
    const auto message = errorIn(line);
    if (!message || message->starts_with("Ptx assembly aborted")) continue;
    if (++count > kMostErrors) continue;
    const int number = lineIn(line.substr(0, line.find(';')));
    text += fmt::format("\n  {}", *message);
    if (number < 1 || number > static_cast<int>(lines.size())) continue;
    const SourcePlace from = placeOfPtxLine(ptx, number);
    if (!place.known()) place = from;
    text += fmt::format("\n    PTX line {}{}: {}", number, from.known() ? ", " + from.text() : "",
                        trimmed(lines[static_cast<std::size_t>(number - 1)]).substr(0, 200));
  }
  if (count > kMostErrors) text += fmt::format("\n  and {} more", count - kMostErrors);
  if (count == 0) text = "\n" + std::string(trimmed(refused.log));
  return userError(fmt::format("{} refuses the PTX:{}", refused.tool, text), std::move(place));
}

}  // namespace assembler
}  // namespace cutwork
