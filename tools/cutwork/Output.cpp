// Output.cpp -- standard output and files.
#include "Output.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace cutwork::tool {

namespace {

bool writeAll(std::FILE* file, std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
}

}  // namespace

Status writeStandardOutput(std::string_view text) {
  if (writeAll(stdout, text)) return Success{};
  return userError(fmt::format("cannot write standard output: {}", std::strerror(errno)));
}

Status writeFile(const std::string& path, std::string_view text) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  bool written = file && writeAll(file.get(), text);
  if (written) written = std::fclose(file.release()) == 0;
  if (written) return Success{};
  return userError(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

int terminalColumns() {
  winsize size{};
  if (isatty(STDOUT_FILENO) != 1 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

}  // namespace cutwork::tool
