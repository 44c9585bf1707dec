// LocalMemory.cpp -- finds stack slots that LLVM could not turn into registers.
#include "LocalMemory.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace cutwork::codegen {

namespace {

std::string placeOf(const llvm::Instruction& instruction) {
  const llvm::DILocation* place = instruction.getDebugLoc().get();
  if (place == nullptr || place->getLine() == 0) return {};
  std::string file = place->getFilename().str();
  if (!file.starts_with("/") && !place->getDirectory().empty()) {
    file = place->getDirectory().str() + "/" + file;
  }
  return file + ":" + std::to_string(place->getLine());
}

// What reads or writes a slot at an index of run time, with a place if one has it. Null: nothing
// does; or the slot is passed on, as printf's values are.
const llvm::Instruction* indexedAccess(const llvm::AllocaInst& slot) {
  const llvm::Instruction* found = nullptr;
  llvm::SmallVector<std::pair<const llvm::Value*, bool>> pending{{&slot, false}};
  llvm::SmallPtrSet<const llvm::Value*, 16> seen;
  while (!pending.empty()) {
    auto [pointer, indexed] = pending.pop_back_val();
    for (const llvm::User* user : pointer->users()) {
      if (!seen.insert(user).second) continue;
      const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
      if (instruction == nullptr || llvm::isa<llvm::IntrinsicInst>(instruction)) continue;
      if (llvm::isa<llvm::CallBase>(instruction)) return nullptr;
      const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(instruction);
      bool variable = indexed || (address != nullptr && !address->hasAllConstantIndices());
      if (!llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction)) {
        pending.emplace_back(instruction, variable);
      } else if (variable && (found == nullptr || placeOf(*found).empty())) {
        found = instruction;
      }
    }
  }
  return found;
}

}  // namespace

std::vector<std::string> localMemoryRemarks(llvm::Module& module) {
  std::vector<std::string> remarks;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* slot = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
      if (slot == nullptr) continue;
      const llvm::Instruction* access = indexedAccess(*slot);
      if (access == nullptr) continue;
      std::string place = placeOf(*access);
      if (place.empty()) place = placeOf(*slot);
      auto bytes = slot->getAllocationSize(module.getDataLayout());
      remarks.push_back(place + (place.empty() ? "" : ": ") + "a register tensor of " +
                        std::to_string(bytes ? bytes->getFixedValue() : 0) +
                        " bytes is in local memory, which is slow: its index is known only at run "
                        "time; registers have static indices, as loops of constant bounds give "
                        "them");
    }
  }
  return remarks;
}

}  // namespace cutwork::codegen
