// cutwork/Support/SourcePlace.h -- a place in a program: file, line, column, function.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>

#pragma GCC visibility push(default)

namespace cutwork {

/// A place in the user's program (C++ or Python). An unknown place has an empty file.
struct SourcePlace {
  std::string file;
  std::uint32_t line = 0;    ///< from 1; 0 if unknown
  std::uint32_t column = 0;  ///< from 1; 0 if unknown
  std::string function;

  [[nodiscard]] bool known() const { return !file.empty(); }
  /// `file:line:column`, without what is unknown.
  [[nodiscard]] std::string text() const;
  /// The caller's place.
  static SourcePlace current(const std::source_location& where = std::source_location::current());

  friend bool operator==(const SourcePlace&, const SourcePlace&) = default;
};

}  // namespace cutwork

#pragma GCC visibility pop
