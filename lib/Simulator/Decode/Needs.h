// Needs.h -- which target and which PTX version an instruction needs.
#pragma once

#include <string>

#include "Reader/Ast.h"
#include "Targets.h"

namespace cutwork::sim {

/// What a module may use, by its .target and .version.
class Available {
 public:
  explicit Available(const Module& module);
  /// Why the statement is not for this module; empty if it is.
  [[nodiscard]] std::string missing(const Statement& statement) const;
  /// The same of something that needs a compute capability and a version (88: 8.8).
  [[nodiscard]] std::string missing(int capability, unsigned version) const;

 private:
  std::string_view name_;
  Target target_;
  unsigned version_;
};

}  // namespace cutwork::sim
