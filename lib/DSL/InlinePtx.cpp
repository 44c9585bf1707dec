// InlinePtx.cpp -- PTX text in a kernel.
#include <fmt/format.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>

#include <charconv>

#include "DSL/Arithmetic.h"
#include "DSL/Trace.h"
#include "cutwork/DSL/Arch.h"

namespace cutwork::cute::arch {

namespace {

namespace llvmd = mlir::LLVM;

// LLVM's letter for the register that a value of the type is in.
char registerOf(DType type, Where where) {
  if (type == DType::Boolean) return 'b';
  switch (width(type)) {
    case 16: return 'h';
    case 32: return isFloat(type) ? 'f' : 'r';
    case 64: return isFloat(type) ? 'd' : 'l';
    default:
      refuse(fmt::format("inline_ptx: a {} has no register; convert it to 16 bits or more",
                         name(type)),
             where);
  }
}

// Halves are in 16-bit registers, which LLVM takes integers for.
mlir::Type registerType(Trace& trace, DType type) {
  if (width(type) == 16) return trace.builder().getI16Type();
  return trace.typeOf(type);
}

mlir::Value bitcast(Trace& trace, mlir::Value value, mlir::Type type) {
  if (value.getType() == type) return value;
  return mlir::arith::BitcastOp::create(trace.builder(), trace.here(), type, value);
}

void checkNumbers(std::string_view text, std::size_t count, Where where) {
  for (std::size_t at = text.find('$'); at != std::string_view::npos; at = text.find('$', at + 1)) {
    if (at + 1 < text.size() && text[at + 1] == '$') {
      ++at;
      continue;
    }
    std::size_t number = 0;
    auto [end, failed] = std::from_chars(text.data() + at + 1, text.data() + text.size(), number);
    bool isNumber = failed == std::errc();
    if (!isNumber || number >= count) {
      refuse(
          fmt::format("inline_ptx: '{}' names no operand; there are $0 to ${}, and a dollar sign "
                      "is written $$",
                      text.substr(at, 4), count == 0 ? 0 : count - 1),
          where);
    }
  }
}

}  // namespace

std::vector<Numeric> inline_ptx(std::string_view text, const std::vector<DType>& results,
                                const std::vector<Arg>& operands, Where where) {
  Trace& trace = Trace::current(where);
  if (trace.kernel() == nullptr) refuse("inline_ptx is for kernels", where);
  trace.locate(where);
  checkNumbers(text, results.size() + operands.size(), where);
  std::string constraints;
  llvm::SmallVector<mlir::Type> types;
  for (DType type : results) {
    constraints += fmt::format("{}={}", constraints.empty() ? "" : ",", registerOf(type, where));
    types.push_back(registerType(trace, type));
  }
  llvm::SmallVector<mlir::Value> values;
  for (const Arg& operand : operands) {
    DType type = operand.type();
    constraints += fmt::format("{}{}", constraints.empty() ? "" : ",", registerOf(type, where));
    mlir::Value value = trace.use(operand.value(), operand.where());
    values.push_back(bitcast(trace, value, registerType(trace, type)));
  }
  constraints += constraints.empty() ? "~{memory}" : ",~{memory}";
  mlir::OpBuilder& b = trace.builder();
  mlir::Type result = types.empty() ? mlir::Type(llvmd::LLVMVoidType::get(&trace.context()))
                      : types.size() == 1
                          ? types.front()
                          : llvmd::LLVMStructType::getLiteral(&trace.context(), types);
  auto op = llvmd::InlineAsmOp::create(
      b, trace.here(), types.empty() ? mlir::TypeRange() : mlir::TypeRange(result), values,
      b.getStringAttr(llvm::StringRef(text.data(), text.size())), b.getStringAttr(constraints),
      /*has_side_effects=*/b.getUnitAttr(), /*is_align_stack=*/mlir::UnitAttr(),
      llvmd::TailCallKindAttr::get(&trace.context(), llvmd::TailCallKind::None),
      llvmd::AsmDialectAttr::get(&trace.context(), llvmd::AsmDialect::AD_ATT), mlir::ArrayAttr());
  std::vector<Numeric> out;
  for (std::size_t i = 0; i < results.size(); ++i) {
    mlir::Value value = op.getRes();
    if (results.size() > 1) {
      value = llvmd::ExtractValueOp::create(b, trace.here(), value, static_cast<std::int64_t>(i));
    }
    out.emplace_back(results[i], trace.wrap(bitcast(trace, value, trace.typeOf(results[i]))));
  }
  return out;
}

}  // namespace cutwork::cute::arch
