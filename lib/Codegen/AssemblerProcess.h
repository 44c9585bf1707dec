// AssemblerProcess.h -- running a program on files in a folder of our own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cutwork::assembler {

/// A new folder of our own, removed with what is in it.
class ScopedFolder {
 public:
  ScopedFolder();
  ~ScopedFolder();
  ScopedFolder(const ScopedFolder&) = delete;
  ScopedFolder& operator=(const ScopedFolder&) = delete;

  /// Empty if it could not be made.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// All of a file; empty if it cannot be read.
std::string contents(const std::filesystem::path& path);

struct Exit {
  int error = 0;    ///< errno if it could not be started
  int status = -1;  ///< its exit status; 128 and the signal if a signal ended it
};

/// Runs a program (looked for in PATH if it has no slash), its standard output into `output` and
/// its errors into `errors`, or, if that is empty, into `output` too.
Exit spawn(const std::vector<std::string>& command, const std::filesystem::path& output,
           const std::filesystem::path& errors = {});

}  // namespace cutwork::assembler
