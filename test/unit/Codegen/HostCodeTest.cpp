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

TEST_F(HostCodeTest, AnUndefinedCallAndAnUnknownNameAreErrors) {
  auto module = lowered(kProgram);
  auto withoutPrint = HostCode::compile(*module, {});
  ASSERT_TRUE(withoutPrint.ok());
  EXPECT_FALSE(withoutPrint->lookup("host").ok());
  EXPECT_FALSE(withoutPrint->lookup("nothing").ok());
}

}  // namespace
