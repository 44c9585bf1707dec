// Parser.h -- PTX text to a Module, and a Module to text.
#pragma once

#include <string>
#include <string_view>

#include "Ast.h"
#include "cutwork/Support/Error.h"

namespace cutwork::sim {

/// Reads a module. `name` is the file's, for messages. Error (User): what was expected and what
/// came, at `name:line`.
Expected<Module> readModule(std::string_view text, std::string name);

/// The module in canonical form: reading it again gives an equal module. Debug sections are left
/// out.
std::string printModule(const Module& module);
/// One statement as it would be written, without the newline: `@%p add.u32 %r1, %r2, 7;`.
std::string printStatement(const Function& function, const Statement& statement);

}  // namespace cutwork::sim
