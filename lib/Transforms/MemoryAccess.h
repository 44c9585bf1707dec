// MemoryAccess.h -- reading and writing the elements of a layout as an access plan says.
#pragma once

#include <mlir/IR/Builders.h>

#include <vector>

#include "IR/Cute.h"
#include "Transforms/AccessPlan.h"

namespace cutwork::transforms {

/// A lowered pointer with the type it had, and how the elements behind it are reached.
struct MemorySide {
  mlir::Value pointer;
  ir::PtrType type;
  mlir::ValueRange dynamic;
  const std::vector<Access>& plan;
};

/// Bits of the widest access, to global memory at most `widestGlobal`; none crosses what a swizzle
/// keeps together.
int widestOf(ir::PtrType type, int widestGlobal);

/// What LLVM loads and stores in place of elements that it has no type for: f8 as i8.
mlir::Type storedType(mlir::Type element);

/// The lowered pointer with the swizzle of its type applied: the address of one access.
mlir::Value swizzled(mlir::OpBuilder& builder, mlir::Location where, mlir::Value pointer,
                     ir::PtrType type);

/// The address of one access of the side's plan, swizzled.
mlir::Value addressIn(mlir::OpBuilder& builder, mlir::Location where, const MemorySide& side,
                      const Access& access);

/// Elements first to first + count as a vector. Accesses of the plan do not cross these bounds.
mlir::Value readRange(mlir::OpBuilder& builder, mlir::Location where, const MemorySide& side,
                      std::int64_t first, std::int64_t count);
/// Element i of bytes: whether it is not zero.
mlir::Value readPredicate(mlir::OpBuilder& builder, mlir::Location where, const MemorySide& side,
                          std::int64_t i);
void writeRange(mlir::OpBuilder& builder, mlir::Location where, mlir::Value value,
                const MemorySide& side, std::int64_t first);

}  // namespace cutwork::transforms
