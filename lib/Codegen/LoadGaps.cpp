// LoadGaps.cpp -- alignments lowered where neighbouring loads leave a gap.
#include "LoadGaps.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <map>
#include <vector>

namespace cutwork::codegen {

namespace {

constexpr std::int64_t kWidestAccess = 32;  // bytes

// A load at a constant distance from what its block's other loads of this base have too.
struct Placed {
  llvm::LoadInst* load;
  std::int64_t offset;
  std::int64_t bytes;
};

using ByBase = std::map<llvm::Value*, std::vector<Placed>>;

ByBase loadsOf(llvm::BasicBlock& block, const llvm::DataLayout& layout) {
  ByBase found;
  for (llvm::Instruction& instruction : block) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load == nullptr || !load->isSimple()) continue;
    llvm::Value* pointer = load->getPointerOperand();
    llvm::APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
    llvm::Value* base = pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
    auto bytes = static_cast<std::int64_t>(layout.getTypeStoreSize(load->getType()));
    found[base].push_back({load, offset.getSExtValue(), bytes});
  }
  return found;
}

// Bytes of [start, start + window) that some load names.
std::int64_t covered(const std::vector<Placed>& loads, std::int64_t start, std::int64_t window) {
  std::uint64_t named = 0;
  for (const Placed& one : loads) {
    for (std::int64_t i = one.offset; i < one.offset + one.bytes; ++i) {
      if (i >= start && i < start + window) named |= std::uint64_t{1} << (i - start);
    }
  }
  return __builtin_popcountll(named);
}

// Whether LLVM could fill up the window of `alignment` bytes that begins at this load.
bool leavesGap(const std::vector<Placed>& loads, const Placed& first, std::int64_t alignment) {
  std::int64_t named = covered(loads, first.offset, alignment);
  return named > first.bytes && named < alignment;
}

void narrow(const std::vector<Placed>& loads) {
  for (const Placed& one : loads) {
    auto known = static_cast<std::int64_t>(one.load->getAlign().value());
    std::int64_t alignment = std::min(known, kWidestAccess);
    std::int64_t least = static_cast<std::int64_t>(
        one.load->getDataLayout().getABITypeAlign(one.load->getType()->getScalarType()).value());
    // Half as much at a time: the lower half may be complete.
    while (alignment > least && leavesGap(loads, one, alignment)) alignment /= 2;
    if (alignment < std::min(known, kWidestAccess)) {
      // Never below what the load itself is wide, or it would be split.
      std::int64_t needed = std::max(alignment, std::min(one.bytes & -one.bytes, known));
      one.load->setAlignment(llvm::Align(static_cast<std::uint64_t>(needed)));
    }
  }
}

}  // namespace

void keepLoadsWithin(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::BasicBlock& block : function) {
      for (const auto& [base, loads] : loadsOf(block, module.getDataLayout())) {
        if (loads.size() > 1) narrow(loads);
      }
    }
  }
}

}  // namespace cutwork::codegen
