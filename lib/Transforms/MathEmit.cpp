// MathEmit.cpp -- the operators of MathEmit.h as arith, scf and LLVM ops.
#include "Transforms/MathEmit.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/SymbolTable.h>

namespace cutwork::transforms::math {

namespace {

namespace ar = mlir::arith;
namespace llvmd = mlir::LLVM;

template <class Op>
Num binary(Num a, Num b) {
  return {a.emit, Op::create(a.emit->builder(), a.emit->where(), a.value, b.value)};
}
template <class Real, class Integer>
Num byType(Num a, Num b) {
  return a.isReal() ? binary<Real>(a, b) : binary<Integer>(a, b);
}
template <class Op>
Num unary(Num a) {
  return {a.emit, Op::create(a.emit->builder(), a.emit->where(), a.type(), a.value)};
}
template <class Op>
Num cast(Num a, mlir::Type to) {
  if (a.type() == to) return a;
  return {a.emit, Op::create(a.emit->builder(), a.emit->where(), to, a.value)};
}

llvm::SmallVector<mlir::Value> valuesOf(std::span<const Num> numbers) {
  llvm::SmallVector<mlir::Value> values;
  for (const Num& number : numbers) values.push_back(number.value);
  return values;
}

ar::CmpIPredicate integerPredicate(Compare how, bool isSigned) {
  switch (how) {
    case Compare::Equal: return ar::CmpIPredicate::eq;
    case Compare::NotEqual: return ar::CmpIPredicate::ne;
    case Compare::Less: return isSigned ? ar::CmpIPredicate::slt : ar::CmpIPredicate::ult;
    case Compare::LessEqual: return isSigned ? ar::CmpIPredicate::sle : ar::CmpIPredicate::ule;
    case Compare::Greater: return isSigned ? ar::CmpIPredicate::sgt : ar::CmpIPredicate::ugt;
    case Compare::GreaterEqual: return isSigned ? ar::CmpIPredicate::sge : ar::CmpIPredicate::uge;
  }
  return ar::CmpIPredicate::eq;
}

ar::CmpFPredicate realPredicate(Compare how) {
  switch (how) {
    case Compare::Equal: return ar::CmpFPredicate::OEQ;
    case Compare::NotEqual: return ar::CmpFPredicate::UNE;
    case Compare::Less: return ar::CmpFPredicate::OLT;
    case Compare::LessEqual: return ar::CmpFPredicate::OLE;
    case Compare::Greater: return ar::CmpFPredicate::OGT;
    case Compare::GreaterEqual: return ar::CmpFPredicate::OGE;
  }
  return ar::CmpFPredicate::OEQ;
}

Num compareReals(ar::CmpFPredicate how, Num a, Num b) {
  return {a.emit, ar::CmpFOp::create(a.emit->builder(), a.emit->where(), how, a.value, b.value)};
}
Num compareIntegers(ar::CmpIPredicate how, Num a, Num b) {
  return {a.emit, ar::CmpIOp::create(a.emit->builder(), a.emit->where(), how, a.value, b.value)};
}

}  // namespace

Num Emit::constant(mlir::Type type, double number) {
  return of(ar::ConstantOp::create(builder_, where_, builder_.getFloatAttr(type, number)));
}
Num Emit::constant(mlir::Type type, std::int64_t number) {
  // Masks are written as unsigned numbers; the attribute wants them to fit.
  const llvm::APInt bits(type.isIndex() ? 64 : type.getIntOrFloatBitWidth(),
                         static_cast<std::uint64_t>(number), true,
                         /*implicitTrunc=*/true);
  return of(ar::ConstantOp::create(builder_, where_, builder_.getIntegerAttr(type, bits)));
}

Num Emit::assembly(std::string_view text, std::string_view constraints, mlir::Type result,
                   std::span<const Num> operands) {
  auto made = llvmd::InlineAsmOp::create(
      builder_, where_, result, valuesOf(operands), llvm::StringRef(text.data(), text.size()),
      llvm::StringRef(constraints.data(), constraints.size()), /*has_side_effects=*/false,
      /*is_align_stack=*/false, llvmd::TailCallKind::None, llvmd::AsmDialectAttr(),
      mlir::ArrayAttr());
  return of(made.getResult(0));
}

Num Emit::intrinsic(std::string_view name, mlir::Type result, std::span<const Num> operands) {
  auto call = llvmd::CallIntrinsicOp::create(
      builder_, where_, result, builder_.getStringAttr(llvm::StringRef(name.data(), name.size())),
      valuesOf(operands));
  return of(call.getResult(0));
}

Num Emit::external(std::string_view name, mlir::Type result, std::span<const Num> operands) {
  const llvm::StringRef symbol(name.data(), name.size());
  auto* found = mlir::SymbolTable::lookupSymbolIn(module_, symbol);
  auto function = llvm::dyn_cast_or_null<llvmd::LLVMFuncOp>(found);
  if (!function) {
    mlir::OpBuilder outside = mlir::OpBuilder::atBlockBegin(&module_->getRegion(0).front());
    llvm::SmallVector<mlir::Type> arguments;
    for (const Num& operand : operands) arguments.push_back(operand.type());
    function = llvmd::LLVMFuncOp::create(outside, where_, symbol,
                                         llvmd::LLVMFunctionType::get(result, arguments));
  }
  return of(llvmd::CallOp::create(builder_, where_, function, valuesOf(operands)).getResult());
}

std::vector<Num> Emit::call(std::string_view name, std::span<const mlir::Type> results,
                            std::span<const Num> operands, bool outline,
                            const std::function<std::vector<Num>(std::span<const Num>)>& body) {
  const llvm::StringRef symbol(name.data(), name.size());
  llvm::SmallVector<mlir::Type> types(results.begin(), results.end());
  mlir::Type result = types.size() == 1
                          ? types[0]
                          : llvmd::LLVMStructType::getLiteral(builder_.getContext(), types);
  auto* found = mlir::SymbolTable::lookupSymbolIn(module_, symbol);
  auto function = llvm::dyn_cast_or_null<llvmd::LLVMFuncOp>(found);
  if (!function) {
    // Its lines are the library's: it stands for the calls of many places.
    mlir::Location library = mlir::FileLineColLoc::get(builder_.getContext(), "cutwork-math", 1, 1);
    mlir::OpBuilder outside = mlir::OpBuilder::atBlockEnd(&module_->getRegion(0).front());
    llvm::SmallVector<mlir::Type> arguments;
    for (const Num& operand : operands) arguments.push_back(operand.type());
    function = llvmd::LLVMFuncOp::create(outside, library, symbol,
                                         llvmd::LLVMFunctionType::get(result, arguments),
                                         llvmd::Linkage::Internal);
    if (outline) function.setNoInline(true);
    mlir::OpBuilder inside = mlir::OpBuilder::atBlockBegin(function.addEntryBlock(outside));
    Emit emit(inside, library, module_);
    std::vector<Num> given;
    for (mlir::Value argument : function.getArguments()) given.push_back(emit.of(argument));
    const std::vector<Num> answers = body(given);
    mlir::Value answer = answers[0].value;
    if (types.size() > 1) {
      answer = llvmd::UndefOp::create(inside, library, result);
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(answers.size()); ++i) {
        answer = llvmd::InsertValueOp::create(inside, library, answer,
                                              answers[static_cast<std::size_t>(i)].value, i);
      }
    }
    llvmd::ReturnOp::create(inside, library, answer);
  }
  auto made = llvmd::CallOp::create(builder_, where_, function, valuesOf(operands));
  if (types.size() == 1) return {of(made.getResult())};
  std::vector<Num> answers;
  answers.reserve(types.size());
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(types.size()); ++i) {
    answers.push_back(of(llvmd::ExtractValueOp::create(builder_, where_, made.getResult(), i)));
  }
  return answers;
}

std::vector<Num> Emit::branch(Num condition, const Body& yes, const Body& no) {
  // The bodies build at this builder's place, so it visits both blocks.
  auto build = [&](mlir::Block& block, const Body& body) {
    builder_.setInsertionPointToStart(&block);
    const std::vector<Num> answers = body();
    mlir::scf::YieldOp::create(builder_, where_, valuesOf(answers));
    llvm::SmallVector<mlir::Type> types;
    for (const Num& answer : answers) types.push_back(answer.type());
    return types;
  };
  const mlir::OpBuilder::InsertPoint here = builder_.saveInsertionPoint();
  mlir::Region first;
  mlir::Region second;
  const auto types = build(first.emplaceBlock(), yes);
  build(second.emplaceBlock(), no);
  builder_.restoreInsertionPoint(here);
  auto made = mlir::scf::IfOp::create(builder_, where_, types, condition.value,
                                      /*addThenBlock=*/false, /*addElseBlock=*/false);
  made.getThenRegion().takeBody(first);
  made.getElseRegion().takeBody(second);
  std::vector<Num> answers;
  for (mlir::Value value : made.getResults()) answers.push_back(of(value));
  return answers;
}

std::vector<Num> Emit::loop(std::span<const Num> start,
                            const std::function<Num(std::span<const Num>)>& condition,
                            const std::function<std::vector<Num>(std::span<const Num>)>& step) {
  const llvm::SmallVector<mlir::Value> first = valuesOf(start);
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Value value : first) types.push_back(value.getType());
  auto numbers = [&](mlir::ValueRange values) {
    std::vector<Num> all;
    for (mlir::Value value : values) all.push_back(of(value));
    return all;
  };
  const mlir::OpBuilder::InsertPoint here = builder_.saveInsertionPoint();
  auto made = mlir::scf::WhileOp::create(
      builder_, where_, types, first,
      [&](mlir::OpBuilder& inner, mlir::Location where, mlir::ValueRange values) {
        builder_.setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
        const Num again = condition(numbers(values));
        mlir::scf::ConditionOp::create(builder_, where, again.value, values);
      },
      [&](mlir::OpBuilder& inner, mlir::Location where, mlir::ValueRange values) {
        builder_.setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
        const std::vector<Num> next = step(numbers(values));
        mlir::scf::YieldOp::create(builder_, where, valuesOf(next));
      });
  builder_.restoreInsertionPoint(here);
  return numbers(made.getResults());
}

Num Emit::lookUp(std::string_view name, std::span<const std::uint64_t> table, Num index) {
  constexpr unsigned kGlobal = 1;
  const llvm::StringRef symbol(name.data(), name.size());
  auto pointer = llvmd::LLVMPointerType::get(builder_.getContext(), kGlobal);
  mlir::Type element = integer(64);
  auto* found = mlir::SymbolTable::lookupSymbolIn(module_, symbol);
  auto global = llvm::dyn_cast_or_null<llvmd::GlobalOp>(found);
  if (!global) {
    mlir::OpBuilder outside = mlir::OpBuilder::atBlockBegin(&module_->getRegion(0).front());
    const llvm::ArrayRef<std::uint64_t> values(table.data(), table.size());
    auto shaped = mlir::RankedTensorType::get({static_cast<std::int64_t>(table.size())}, element);
    global = llvmd::GlobalOp::create(
        outside, where_, llvmd::LLVMArrayType::get(element, table.size()), /*isConstant=*/true,
        llvmd::Linkage::Internal, symbol, mlir::DenseElementsAttr::get(shaped, values),
        /*alignment=*/8, kGlobal);
  }
  mlir::Value base = llvmd::AddressOfOp::create(builder_, where_, pointer, global.getSymName());
  mlir::Value address =
      llvmd::GEPOp::create(builder_, where_, pointer, element, base, mlir::ValueRange{index.value});
  return of(llvmd::LoadOp::create(builder_, where_, element, address, /*alignment=*/8,
                                  /*isVolatile=*/false, /*isNonTemporal=*/false,
                                  /*isInvariant=*/true));
}

Num operator+(Num a, Num b) { return byType<ar::AddFOp, ar::AddIOp>(a, b); }
Num operator-(Num a, Num b) { return byType<ar::SubFOp, ar::SubIOp>(a, b); }
Num operator*(Num a, Num b) { return byType<ar::MulFOp, ar::MulIOp>(a, b); }
Num operator/(Num a, Num b) { return binary<ar::DivFOp>(a, b); }
Num operator-(Num a) { return a.isReal() ? unary<ar::NegFOp>(a) : a.like(0) - a; }
Num operator&(Num a, Num b) { return binary<ar::AndIOp>(a, b); }
Num operator|(Num a, Num b) { return binary<ar::OrIOp>(a, b); }
Num operator^(Num a, Num b) { return binary<ar::XOrIOp>(a, b); }
Num operator<<(Num a, int bits) { return binary<ar::ShLIOp>(a, a.like(bits)); }
Num shiftLeft(Num a, Num bits) { return binary<ar::ShLIOp>(a, bits); }
Num logicalRight(Num a, int bits) { return binary<ar::ShRUIOp>(a, a.like(bits)); }
Num logicalRight(Num a, Num bits) { return binary<ar::ShRUIOp>(a, bits); }
Num arithmeticRight(Num a, int bits) { return binary<ar::ShRSIOp>(a, a.like(bits)); }
Num quotient(Num a, Num b, bool isSigned) {
  return isSigned ? binary<ar::DivSIOp>(a, b) : binary<ar::DivUIOp>(a, b);
}
Num remainderOf(Num a, Num b) { return binary<ar::RemSIOp>(a, b); }
Num leadingZeros(Num a) {
  return {a.emit, llvmd::CountLeadingZerosOp::create(a.emit->builder(), a.emit->where(), a.type(),
                                                     a.value, /*is_zero_poison=*/false)};
}

Num compare(Compare how, Num a, Num b) {
  return a.isReal() ? compareReals(realPredicate(how), a, b)
                    : compareIntegers(integerPredicate(how, true), a, b);
}
Num compareUnsigned(Compare how, Num a, Num b) {
  return compareIntegers(integerPredicate(how, false), a, b);
}
Num isNan(Num a) { return compareReals(ar::CmpFPredicate::UNO, a, a); }
Num select(Num condition, Num a, Num b) {
  return {a.emit, ar::SelectOp::create(a.emit->builder(), a.emit->where(), condition.value, a.value,
                                       b.value)};
}

Num fma(Num a, Num b, Num c) {
  return {a.emit,
          llvmd::FMAOp::create(a.emit->builder(), a.emit->where(), a.value, b.value, c.value)};
}
Num magnitude(Num a) { return unary<llvmd::FAbsOp>(a); }
Num withSign(Num magnitude, Num sign) { return binary<llvmd::CopySignOp>(magnitude, sign); }
Num squareRoot(Num a) { return unary<llvmd::SqrtOp>(a); }
Num floor(Num a) { return unary<llvmd::FFloorOp>(a); }
Num ceil(Num a) { return unary<llvmd::FCeilOp>(a); }
Num truncate(Num a) { return unary<llvmd::FTruncOp>(a); }
Num roundEven(Num a) { return unary<llvmd::RoundEvenOp>(a); }
Num larger(Num a, Num b) { return binary<ar::MaximumFOp>(a, b); }
Num smaller(Num a, Num b) { return binary<ar::MinimumFOp>(a, b); }

Num polynomial(Num x, std::span<const double> coefficients) {
  Num sum = x.like(coefficients.back());
  for (std::size_t i = coefficients.size() - 1; i-- > 0;)
    sum = fma(sum, x, x.like(coefficients[i]));
  return sum;
}

Num bits(Num real) { return cast<ar::BitcastOp>(real, real.emit->integer(real.width())); }
Num element(Num vector, std::int64_t i) {
  return {vector.emit, mlir::vector::ExtractOp::create(vector.emit->builder(), vector.emit->where(),
                                                       vector.value, i)};
}
Num asType(Num number, mlir::Type type) { return cast<ar::BitcastOp>(number, type); }
Num fromBits(Num integer) {
  mlir::OpBuilder& builder = integer.emit->builder();
  const unsigned width = integer.width();
  return cast<ar::BitcastOp>(integer, width == 64   ? mlir::Type(builder.getF64Type())
                                      : width == 32 ? mlir::Type(builder.getF32Type())
                                                    : mlir::Type(builder.getF16Type()));
}
Num resized(Num integer, unsigned width, bool isSigned) {
  mlir::Type to = integer.emit->integer(width);
  if (width < integer.width()) return cast<ar::TruncIOp>(integer, to);
  return isSigned ? cast<ar::ExtSIOp>(integer, to) : cast<ar::ExtUIOp>(integer, to);
}
Num toReal(Num integer, mlir::Type type, bool isSigned) {
  return isSigned ? cast<ar::SIToFPOp>(integer, type) : cast<ar::UIToFPOp>(integer, type);
}
Num toInteger(Num real, unsigned width) {
  return cast<ar::FPToSIOp>(real, real.emit->integer(width));
}
Num widened(Num real, mlir::Type type) { return cast<ar::ExtFOp>(real, type); }
Num narrowed(Num real, mlir::Type type) { return cast<ar::TruncFOp>(real, type); }

}  // namespace cutwork::transforms::math
