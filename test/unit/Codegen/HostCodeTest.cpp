// HostCodeTest.cpp -- spike: a host function with a run-time if, a loop and prints of CPU memory,
// by LLJIT.
#include "Codegen/HostCode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/Parser/Parser.h>
#include <mlir/Pass/PassManager.h>

#include <bit>
#include <cmath>
#include <vector>

#include "Codegen/Ptx.h"

namespace {

using namespace cutwork;
using codegen::HostCode;

std::vector<double> printed;
extern "C" void testPrint(double value) { printed.push_back(value); }

// Prints twice each of n floats if n is positive, else one -1. Returns the sum.
constexpr const char* kProgram = R"(
  llvm.func @print(f64)
  llvm.func @host(%data: !llvm.ptr, %n: i64) -> f32 {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %two = arith.constant 2.0 : f32
    %none = arith.constant 0.0 : f32
    %minus = arith.constant -1.0 : f64
    %some = arith.cmpi sgt, %n, %zero : i64
    %total = scf.if %some -> f32 {
      %sum = scf.for %i = %zero to %n step %one iter_args(%s = %none) -> f32 : i64 {
        %address = llvm.getelementptr %data[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %x = llvm.load %address : !llvm.ptr -> f32
        %twice = arith.mulf %x, %two : f32
        %wide = arith.extf %twice : f32 to f64
        llvm.call @print(%wide) : (f64) -> ()
        %next = arith.addf %s, %x : f32
        scf.yield %next : f32
      }
      scf.yield %sum : f32
    } else {
      llvm.call @print(%minus) : (f64) -> ()
      scf.yield %none : f32
    }
    llvm.return %total : f32
  }
)";

class HostCodeTest : public testing::Test {
 protected:
  HostCodeTest() {
    mlir::DialectRegistry registry;
    codegen::registerDeviceDialects(registry);
    context_.appendDialectRegistry(registry);
    printed.clear();
  }
  mlir::OwningOpRef<mlir::ModuleOp> lowered(const char* text) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context_);
    mlir::PassManager passes(&context_);
    codegen::addHostPasses(passes);
    EXPECT_TRUE(module && mlir::succeeded(passes.run(*module)));
    return module;
  }
  mlir::MLIRContext context_;
};

TEST_F(HostCodeTest, RunsBranchesLoopsAndCallsBack) {
  auto module = lowered(kProgram);
  codegen::HostSymbol print{"print", reinterpret_cast<void*>(&testPrint)};
  HostCode code = HostCode::compile(*module, {&print, 1}).value();
  auto host = reinterpret_cast<float (*)(const float*, std::int64_t)>(*code.lookup("host"));
  std::vector<float> data{1.5F, -2.0F, 4.0F};
  EXPECT_EQ(host(data.data(), 3), 3.5F);
  EXPECT_THAT(printed, testing::ElementsAre(3.0, -4.0, 8.0));
  EXPECT_EQ(host(data.data(), 0), 0.0F);
  EXPECT_EQ(printed.back(), -1.0);
}

// Math ops, and conversions of small floats, are calls of libm and of the library's own functions.
constexpr const char* kMath = R"(
  llvm.func @math(%x: f64, %y: f64) -> f64 {
    %a = math.exp %x : f64
    %b = math.powf %a, %y : f64
    %c = math.tanh %b : f64
    %d = math.floor %y : f64
    %e = arith.remf %y, %x : f64
    %f = math.rsqrt %y : f64
    %g = math.erf %f : f64
    %h = arith.addf %c, %d : f64
    %i = arith.addf %h, %e : f64
    %j = arith.addf %i, %g : f64
    llvm.return %j : f64
  }
  llvm.func @single(%x: f32) -> f32 {
    %v = vector.broadcast %x : f32 to vector<4xf32>
    %s = math.sin %v : vector<4xf32>
    %r = vector.extract %s[3] : f32 from vector<4xf32>
    %q = math.roundeven %x : f32
    %t = math.round %x : f32
    %u = arith.addf %r, %q : f32
    %w = arith.addf %u, %t : f32
    llvm.return %w : f32
  }
  llvm.func @small(%x: f64, %out: !llvm.ptr) {
    %h = arith.truncf %x : f64 to f16
    %b = arith.truncf %x : f64 to bf16
    %r = math.exp2 %b : bf16
    %wide = arith.extf %r : bf16 to f32
    llvm.store %h, %out : f16, !llvm.ptr
    %next = llvm.getelementptr %out[1] : (!llvm.ptr) -> !llvm.ptr, f16
    llvm.store %b, %next : bf16, !llvm.ptr
    %last = llvm.getelementptr %out[2] : (!llvm.ptr) -> !llvm.ptr, f16
    llvm.store %wide, %last : f32, !llvm.ptr
    llvm.return
  }
  llvm.func @integers(%a: i32, %b: i32) -> i32 {
    %f = arith.floordivsi %a, %b : i32
    %n = math.absi %f : i32
    %c = math.ctpop %n : i32
    %r = arith.subi %f, %c : i32
    llvm.return %r : i32
  }
)";

TEST_F(HostCodeTest, MathIsLibm) {
  auto module = lowered(kMath);
  HostCode code = HostCode::compile(*module, {}).value();
  auto math = reinterpret_cast<double (*)(double, double)>(*code.lookup("math"));
  EXPECT_EQ(math(0.75, 5.5), std::tanh(std::pow(std::exp(0.75), 5.5)) + std::floor(5.5) +
                                 std::fmod(5.5, 0.75) + std::erf(1 / std::sqrt(5.5)));
  auto single = reinterpret_cast<float (*)(float)>(*code.lookup("single"));
  EXPECT_EQ(single(2.5F), std::sin(2.5F) + 2.0F + 3.0F);
  auto small = reinterpret_cast<void (*)(double, void*)>(*code.lookup("small"));
  struct {
    std::uint16_t half, bf16;
    float power;
  } result{};
  small(1.0 + 0x1p-8 + 0x1p-40, &result);  // just above the middle of two bf16: up to 1 + 2^-7
  EXPECT_EQ(result.half, 0x3c04);
  EXPECT_EQ(result.bf16, 0x3f81);
  EXPECT_EQ(result.power, 2.015625F);
  auto integers =
      reinterpret_cast<std::int32_t (*)(std::int32_t, std::int32_t)>(*code.lookup("integers"));
  EXPECT_EQ(integers(-7, 2), -4 - 1);
}

// Conversions of every processor: those that have instructions for them do not call these.
TEST_F(HostCodeTest, SmallFloatsWithoutInstructions) {
  const auto find = [](std::string_view name) {
    for (const codegen::HostSymbol& symbol : codegen::mathSymbols())
      if (symbol.name == name) return symbol.address;
    return static_cast<void*>(nullptr);
  };
  auto extend = reinterpret_cast<float (*)(float)>(find("__extendhfsf2"));
  auto truncate = reinterpret_cast<float (*)(float)>(find("__truncsfhf2"));
  auto fromDouble = reinterpret_cast<float (*)(double)>(find("__truncdfhf2"));
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const float wide = extend(std::bit_cast<float>(i));
    const auto known = static_cast<float>(std::bit_cast<_Float16>(static_cast<std::uint16_t>(i)));
    if (std::isnan(known)) {
      EXPECT_TRUE(std::isnan(wide));
      continue;
    }
    EXPECT_EQ(std::bit_cast<std::uint32_t>(wide), std::bit_cast<std::uint32_t>(known));
    EXPECT_EQ(std::bit_cast<std::uint32_t>(truncate(wide)), i);
    // Around the middle to the next.
    const double middle = wide * (1 + 0x1p-11);
    for (const double x : {middle, std::nextafter(middle, 0.0), std::nextafter(middle, 1e9)}) {
      const auto expected = std::bit_cast<std::uint16_t>(static_cast<_Float16>(x));
      EXPECT_EQ(std::bit_cast<std::uint32_t>(fromDouble(x)), expected) << x;
    }
  }
}

TEST_F(HostCodeTest, AnUndefinedCallAndAnUnknownNameAreErrors) {
  auto module = lowered(kProgram);
  auto withoutPrint = HostCode::compile(*module, {});
  ASSERT_TRUE(withoutPrint.ok());
  EXPECT_FALSE(withoutPrint->lookup("host").ok());
  EXPECT_FALSE(withoutPrint->lookup("nothing").ok());
}

}  // namespace
