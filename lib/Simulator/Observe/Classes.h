// Classes.h -- what kind of instruction a mnemonic with its words is.
#pragma once

#include <span>
#include <string_view>

#include "cutwork/Simulator/Profile.h"

namespace cutwork::sim {

InstructionClass classOf(std::string_view mnemonic, std::span<const std::string_view> words);
/// `text`: of the whole instruction, for the special registers in it.
Fidelity fidelityOf(std::string_view mnemonic, std::span<const std::string_view> words,
                    std::string_view text);

}  // namespace cutwork::sim
