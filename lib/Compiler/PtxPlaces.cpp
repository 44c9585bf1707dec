// PtxPlaces.cpp -- reads .loc and .file of PTX text around a line.
#include "Compiler/PtxPlaces.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

namespace cutwork::compiler {

namespace {

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// The numbers behind a directive: of `.loc 1 25 14` these three.
std::vector<int> numbersAfter(std::string_view line, std::string_view directive) {
  const std::size_t start = line.find_first_not_of(" \t");
  if (start == std::string_view::npos || !line.substr(start).starts_with(directive)) return {};
  line.remove_prefix(start + directive.size());
  std::vector<int> numbers;
  while (true) {
    const std::size_t digit = line.find_first_not_of(" \t");
    if (digit == std::string_view::npos) return numbers;
    int value = 0;
    const auto [end, error] =
        std::from_chars(line.data() + digit, line.data() + line.size(), value);
    if (error != std::errc()) return numbers;
    numbers.push_back(value);
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  }
}

std::string fileName(const std::vector<std::string_view>& lines, int file) {
  for (std::string_view line : lines) {
    const std::vector<int> numbers = numbersAfter(line, ".file");
    if (numbers.empty() || numbers[0] != file) continue;
    const std::size_t open = line.find('"');
    const std::size_t close = line.find('"', open + 1);
    if (close != std::string_view::npos)
      return std::string(line.substr(open + 1, close - open - 1));
  }
  return {};
}

bool beginsFunction(std::string_view line) {
  return line.find(".entry") != std::string_view::npos ||
         line.find(".func") != std::string_view::npos;
}

// The last .loc of the function before the line; or else the first one behind it.
std::vector<int> locNear(const std::vector<std::string_view>& lines, std::size_t line) {
  for (std::size_t i = line; i > 0 && !beginsFunction(lines[i - 1]); --i) {
    if (auto loc = numbersAfter(lines[i - 1], ".loc"); loc.size() >= 2) return loc;
  }
  for (std::size_t i = line; i < lines.size() && !beginsFunction(lines[i]); ++i) {
    if (auto loc = numbersAfter(lines[i], ".loc"); loc.size() >= 2) return loc;
  }
  return {};
}

}  // namespace

Error atUserLine(Error error, const std::string& ptx) {
  const SourcePlace& place = error.place();
  const std::vector<std::string_view> lines = linesOf(ptx);
  if (!place.known() || !place.file.starts_with("PTX of ") || place.line < 1 ||
      static_cast<std::size_t>(place.line) > lines.size()) {
    return error;
  }
  const std::vector<int> loc = locNear(lines, static_cast<std::size_t>(place.line));
  if (loc.empty()) return error;
  SourcePlace user;
  user.file = fileName(lines, loc[0]);
  user.line = static_cast<decltype(user.line)>(loc[1]);
  user.column = static_cast<decltype(user.column)>(loc.size() > 2 ? loc[2] : 0);
  if (user.file.empty()) return error;
  return {error.kind(), fmt::format("line {} of its PTX: {}", place.line, error.message()), user};
}

}  // namespace cutwork::compiler
