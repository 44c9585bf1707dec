// Words.h -- the words of an instruction: .rn .ftz .f32.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "Reader/Ast.h"

namespace cutwork::sim {

/// The words after a mnemonic, taken one after the other; what is left over is not known.
struct Words {
  explicit Words(const Statement& statement) : words(statement.words) {}
  bool take(std::string_view word);
  /// Takes the first word that is a type.
  std::optional<Ty> type();
  /// Takes one of the words; empty if none is there.
  std::string_view oneOf(std::span<const std::string_view> candidates);
  [[nodiscard]] bool empty() const { return words.empty(); }
  std::vector<std::string_view> words;
};

}  // namespace cutwork::sim
