// SimNpy.cpp -- reading and writing .npy files (numpy.lib.format, versions 1 to 3).
#include "SimNpy.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

namespace cutwork::tool {

namespace {

// What stands behind `'key':`, or nothing.
std::string_view valueOf(std::string_view header, std::string_view key) {
  const std::string quoted = fmt::format("'{}'", key);
  const std::size_t at = header.find(quoted);
  if (at == std::string_view::npos) return {};
  const std::size_t start = header.find_first_not_of(" :", at + quoted.size());
  return start == std::string_view::npos ? std::string_view() : header.substr(start);
}

// Bytes of an element: the number at the end of `'<f4'`; of characters of 4 bytes for U. Nothing of
// a type that is a list of fields.
std::optional<std::uint64_t> elementBytes(std::string_view descr) {
  if (!descr.starts_with("'")) return std::nullopt;
  descr = descr.substr(1, descr.find('\'', 1) - 1);
  const std::size_t digits = descr.find_first_of("0123456789");
  if (digits == std::string_view::npos || digits == 0) return std::nullopt;
  std::uint64_t bytes = 0;
  std::from_chars(descr.data() + digits, descr.data() + descr.size(), bytes);
  return descr[digits - 1] == 'U' ? 4 * bytes : bytes;
}

// The elements of `(4, 8)`; nothing if that is no shape, or has more than there can be.
std::optional<std::uint64_t> elements(std::string_view shape) {
  const std::size_t end = shape.find(')');
  if (!shape.starts_with("(") || end == std::string_view::npos) return std::nullopt;
  std::uint64_t count = 1;
  const char* at = shape.data() + 1;
  const char* const last = shape.data() + end;
  while (at != last) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    std::uint64_t extent = 0;
    const auto [next, error] = std::from_chars(at, last, extent);
    if (error != std::errc() || __builtin_mul_overflow(count, extent, &count)) return std::nullopt;
    at = next;
  }
  return count;
}

// The data against what the header says of it.
Status checkSize(std::string_view header, std::uint64_t bytes, const std::string& path) {
  const std::optional<std::uint64_t> count = elements(valueOf(header, "shape"));
  if (!count) return userError(fmt::format("{}: the shape of its header is none", path));
  const std::optional<std::uint64_t> each = elementBytes(valueOf(header, "descr"));
  std::uint64_t want = 0;
  if (!each) return Success{};
  if (!__builtin_mul_overflow(*count, *each, &want) && want == bytes) return Success{};
  return userError(fmt::format("{}: its header says {} elements of {} bytes, and {} bytes follow",
                               path, *count, *each, bytes));
}

}  // namespace

Expected<Npy> readNpy(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    return userError(fmt::format("cannot read {}", path.string()));
  }
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i]));
  };
  const auto bad = [&] { return userError(fmt::format("{} is not an .npy file", path.string())); };
  if (bytes.size() < 12 || !bytes.starts_with("\x93NUMPY")) return bad();
  const bool longHeader = byte(6) >= 2;
  const std::size_t start = longHeader ? 12 : 10;
  const std::size_t length =
      byte(8) | byte(9) << 8 | (longHeader ? byte(10) << 16 | byte(11) << 24 : 0);
  if (bytes.size() - start < length) return bad();
  const std::string_view text = std::string_view(bytes).substr(start, length);
  if (text.find("'descr'") == std::string_view::npos ||
      text.find("'shape'") == std::string_view::npos) {
    return bad();
  }
  if (text.find("|O") != std::string_view::npos) {
    return userError(fmt::format("{} holds Python objects, which have no bytes", path.string()));
  }
  CW_DO(checkSize(text, bytes.size() - start - length, path.string()));
  Npy array;
  array.header = bytes.substr(0, start + length);
  array.data.assign(bytes.begin() + static_cast<std::ptrdiff_t>(start + length), bytes.end());
  return array;
}

Status writeNpy(const std::filesystem::path& path, const Npy& array) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(array.header.data(), static_cast<std::streamsize>(array.header.size()));
  file.write(reinterpret_cast<const char*>(array.data.data()),
             static_cast<std::streamsize>(array.data.size()));
  file.close();
  if (!file) return userError(fmt::format("cannot write {}", path.string()));
  return Success{};
}

std::string npyHeader(std::uint64_t bytes) {
  std::string text =
      fmt::format("{{'descr': '|u1', 'fortran_order': False, 'shape': ({},), }}", bytes);
  // The data starts at a multiple of 64.
  text.append(63 - (10 + text.size()) % 64, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

}  // namespace cutwork::tool
