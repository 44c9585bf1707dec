// Environment.h -- for tests: environment variables that are put back, and files that are removed.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "cutwork/Support/Knobs.h"

namespace cutwork::test {

/// Sets (or unsets) a variable and rereads the knobs; puts both back at the end of the scope.
class ScopedVariable {
 public:
  ScopedVariable(std::string name, const std::optional<std::string>& value)
      : name_(std::move(name)) {
    if (const char* old = std::getenv(name_.c_str())) old_ = old;
    assign(value);
  }
  ~ScopedVariable() { assign(old_); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  void assign(const std::optional<std::string>& value) {
    if (value) {
      setenv(name_.c_str(), value->c_str(), 1);
    } else {
      unsetenv(name_.c_str());
    }
    rereadKnobs();
  }
  std::string name_;
  std::optional<std::string> old_;
};

/// The name of a file that does not exist yet, in the temporary folder; removed at the end.
class ScopedFile {
 public:
  explicit ScopedFile(const std::string& name)
      : path_(std::filesystem::temp_directory_path() / (name + "." + std::to_string(::getpid()))) {}
  ~ScopedFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  ScopedFile(const ScopedFile&) = delete;
  ScopedFile& operator=(const ScopedFile&) = delete;

  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// The whole of a file; empty if there is none.
inline std::string readFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace cutwork::test
