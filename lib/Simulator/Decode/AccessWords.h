// AccessWords.h -- which words loads, stores and atomics have, and which go together.
#pragma once

#include <string>

#include "Reader/Ast.h"

namespace cutwork::sim {

/// What is wrong with the words of an ld, ldu, st, atom or red; empty if nothing is. Types and
/// operands are looked at as far as words depend on them.
std::string accessProblem(const Statement& statement);
/// Whether a word is in that table: not a type, and no operation.
bool isAccessWord(std::string_view word);

}  // namespace cutwork::sim
