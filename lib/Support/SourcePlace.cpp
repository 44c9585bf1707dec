// SourcePlace.cpp -- text form of a place, and the caller's place.
#include "cutwork/Support/SourcePlace.h"

namespace cutwork {

std::string SourcePlace::text() const {
  std::string text = file;
  if (line != 0) text.append(":").append(std::to_string(line));
  if (line != 0 && column != 0) text.append(":").append(std::to_string(column));
  return text;
}

SourcePlace SourcePlace::current(const std::source_location& where) {
  return {where.file_name(), where.line(), where.column(), where.function_name()};
}

}  // namespace cutwork
