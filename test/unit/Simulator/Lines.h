// Lines.h -- the lines of a gzip file.
#pragma once

#include <zlib.h>

#include <string>
#include <vector>

namespace cutwork::sim {

inline std::vector<std::string> readLines(const std::string& path) {
  std::vector<std::string> lines;
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return lines;
  std::string text;
  std::vector<char> buffer(1 << 16);
  for (int n = 0; (n = gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()))) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  gzclose(file);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end == std::string::npos ? text.size() : end + 1;
  }
  return lines;
}

}  // namespace cutwork::sim
