// MemoryAccess.cpp -- loads and stores of vectors as their plan says.
#include "Transforms/MemoryAccess.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

#include "cutwork/Layout/Swizzle.h"

namespace cutwork::transforms {

namespace {

namespace llvmd = mlir::LLVM;

constexpr int kWidestAccess = 128;  // bits, but of global memory

mlir::Value constant(mlir::OpBuilder& builder, mlir::Location where, std::int64_t value) {
  return mlir::arith::ConstantOp::create(builder, where, builder.getI64IntegerAttr(value));
}

mlir::Value widened(mlir::OpBuilder& builder, mlir::Location where, mlir::Value value) {
  if (value.getType().isInteger(64)) return value;
  return mlir::arith::ExtSIOp::create(builder, where, builder.getI64Type(), value);
}

// pointer + access.offset + sum factor * operand, in elements, all in 64 bits.
mlir::Value addressOf(mlir::OpBuilder& builder, mlir::Location where, mlir::Value pointer,
                      mlir::Type element, const Access& access, mlir::ValueRange dynamic) {
  mlir::Value variable;
  for (std::size_t j = 0; j < access.factors.size(); ++j) {
    if (access.factors[j] == 0) continue;
    mlir::Value term = widened(builder, where, dynamic[j]);
    if (access.factors[j] != 1) {
      term = mlir::arith::MulIOp::create(builder, where, term,
                                         constant(builder, where, access.factors[j]));
    }
    variable =
        variable ? mlir::arith::AddIOp::create(builder, where, variable, term).getResult() : term;
  }
  if (variable) {
    pointer = llvmd::GEPOp::create(builder, where, pointer.getType(), element, pointer,
                                   mlir::ValueRange{variable});
  }
  if (access.offset == 0) return pointer;
  // A static index of a GEP has 32 bits.
  auto narrow = static_cast<std::int32_t>(access.offset);
  llvmd::GEPArg offset = narrow == access.offset
                             ? llvmd::GEPArg(narrow)
                             : llvmd::GEPArg(constant(builder, where, access.offset));
  return llvmd::GEPOp::create(builder, where, pointer.getType(), element, pointer,
                              llvm::ArrayRef<llvmd::GEPArg>{offset});
}

mlir::Value asType(mlir::OpBuilder& builder, mlir::Location where, mlir::Value value,
                   mlir::Type type) {
  if (value.getType() == type) return value;
  return mlir::arith::BitcastOp::create(builder, where, type, value);
}

mlir::Value readStored(mlir::OpBuilder& builder, mlir::Location where, const MemorySide& side,
                       std::int64_t first, std::int64_t count);
void writeStored(mlir::OpBuilder& builder, mlir::Location where, mlir::Value value,
                 const MemorySide& side, std::int64_t first);

}  // namespace

mlir::Value addressIn(mlir::OpBuilder& builder, mlir::Location where, const MemorySide& side,
                      const Access& access) {
  mlir::Value address = addressOf(builder, where, side.pointer, storedType(side.type.getElement()),
                                  access, side.dynamic);
  return swizzled(builder, where, address, side.type);
}

mlir::Type storedType(mlir::Type element) {
  if (!mlir::isa<mlir::FloatType>(element) || element.getIntOrFloatBitWidth() != 8) return element;
  return mlir::IntegerType::get(element.getContext(), 8);
}

bool inSharedMemory(ir::Space space) {
  return space == ir::Space::Smem || space == ir::Space::Dsmem;
}

// The bits at readBits, shifted onto those at writtenBits and XORed into them; in the width that
// shared memory's addresses have.
mlir::Value swizzled(mlir::OpBuilder& builder, mlir::Location where, mlir::Value pointer,
                     ir::PtrType type) {
  if (type.getBits() == 0) return pointer;
  auto swizzle = cute::Swizzle::make(type.getBits(), type.getBase(), type.getShift()).value();
  mlir::Type integer = builder.getIntegerType(inSharedMemory(type.getSpace()) ? 32 : 64);
  auto number = [&](std::int64_t value) -> mlir::Value {
    return mlir::arith::ConstantOp::create(builder, where, builder.getIntegerAttr(integer, value));
  };
  mlir::Value address = llvmd::PtrToIntOp::create(builder, where, integer, pointer);
  mlir::Value read =
      mlir::arith::AndIOp::create(builder, where, address, number(swizzle.readBits()));
  int shift = swizzle.shift();
  mlir::Value moved =
      shift > 0 ? mlir::arith::ShRUIOp::create(builder, where, read, number(shift)).getResult()
                : mlir::arith::ShLIOp::create(builder, where, read, number(-shift)).getResult();
  mlir::Value result = mlir::arith::XOrIOp::create(builder, where, address, moved);
  return llvmd::IntToPtrOp::create(builder, where, pointer.getType(), result);
}

int widestOf(ir::PtrType type, int widestGlobal) {
  constexpr std::int64_t kSmallBase = 4;
  constexpr unsigned kRegister = 32;
  // Slots of whole registers are accessed register by register, so that SROA makes scalars of them:
  // sums that go round a loop in vectors are packed in pairs, which costs registers (sm_100 on).
  unsigned bits = type.getElement().getIntOrFloatBitWidth();
  if (type.getSpace() == ir::Space::Rmem && bits >= kRegister) return static_cast<int>(bits);
  if (type.getSpace() == ir::Space::Gmem && type.getBits() == 0) return widestGlobal;
  if (type.getBits() == 0 || type.getBase() > kSmallBase) return kWidestAccess;
  return std::min(kWidestAccess, 8 << type.getBase());
}

mlir::Value readRange(mlir::OpBuilder& builder, mlir::Location where, const MemorySide& side,
                      std::int64_t first, std::int64_t count) {
  auto type = mlir::VectorType::get({count}, side.type.getElement());
  return asType(builder, where, readStored(builder, where, side, first, count), type);
}

mlir::Value readPredicate(mlir::OpBuilder& builder, mlir::Location where, const MemorySide& side,
                          std::int64_t i) {
  namespace arith = mlir::arith;
  mlir::Value byte =
      mlir::vector::ExtractOp::create(builder, where, readRange(builder, where, side, i, 1), 0);
  mlir::Value zero = arith::ConstantOp::create(builder, where, builder.getI8IntegerAttr(0));
  return arith::CmpIOp::create(builder, where, arith::CmpIPredicate::ne, byte, zero);
}

void writeRange(mlir::OpBuilder& builder, mlir::Location where, mlir::Value value,
                const MemorySide& side, std::int64_t first) {
  auto count = mlir::cast<mlir::VectorType>(value.getType()).getNumElements();
  auto type = mlir::VectorType::get({count}, storedType(side.type.getElement()));
  writeStored(builder, where, asType(builder, where, value, type), side, first);
}

namespace {

mlir::Value readStored(mlir::OpBuilder& builder, mlir::Location where, const MemorySide& side,
                       std::int64_t first, std::int64_t count) {
  mlir::Type element = storedType(side.type.getElement());
  auto type = mlir::VectorType::get({count}, element);
  mlir::Value result;
  for (const Access& access : side.plan) {
    if (access.first < first || access.first >= first + count) continue;
    mlir::Value address = addressIn(builder, where, side, access);
    auto alignment = static_cast<unsigned>(access.alignment);
    mlir::Type part =
        access.count == 1 ? element : mlir::Type(mlir::VectorType::get({access.count}, element));
    mlir::Value value = llvmd::LoadOp::create(builder, where, part, address, alignment);
    if (part == type) return value;
    if (!result) {
      result = mlir::arith::ConstantOp::create(builder, where, builder.getZeroAttr(type));
    }
    for (std::int64_t i = 0; i < access.count; ++i) {
      mlir::Value one = access.count == 1
                            ? value
                            : mlir::vector::ExtractOp::create(builder, where, value, i).getResult();
      result =
          mlir::vector::InsertOp::create(builder, where, one, result, access.first - first + i);
    }
  }
  return result;
}

void writeStored(mlir::OpBuilder& builder, mlir::Location where, mlir::Value value,
                 const MemorySide& side, std::int64_t first) {
  std::int64_t count = mlir::cast<mlir::VectorType>(value.getType()).getNumElements();
  for (const Access& access : side.plan) {
    if (access.first < first || access.first >= first + count) continue;
    mlir::Value part = value;
    if (access.count == 1) {
      part = mlir::vector::ExtractOp::create(builder, where, value, access.first - first);
    } else if (access.count != count) {
      llvm::SmallVector<std::int32_t> picked;
      for (std::int64_t i = 0; i < access.count; ++i) {
        picked.push_back(static_cast<std::int32_t>(access.first - first + i));
      }
      part = llvmd::ShuffleVectorOp::create(builder, where, value, value, picked);
    }
    llvmd::StoreOp::create(builder, where, part, addressIn(builder, where, side, access),
                           static_cast<unsigned>(access.alignment));
  }
}

}  // namespace

}  // namespace cutwork::transforms
