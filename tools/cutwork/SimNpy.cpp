// SimNpy.cpp -- reading and writing .npy files (numpy.lib.format, versions 1 to 3).
#include "SimNpy.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace cutwork::tool {

Expected<Npy> readNpy(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return userError(fmt::format("cannot read {}", path.string()));
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
