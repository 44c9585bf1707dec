// memory.mlir -- cutwork-lower-cute of memory ops in host functions: one address space, no vprintf.
// RUN: cutwork-opt --cutwork-lower-cute %s | FileCheck %s

// CHECK-LABEL: func.func @host
// CHECK-NOT: llvm.ptr<
// A slot, a vector access on host memory, a guarded copy, an atomic.
// CHECK: llvm.alloca
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK: scf.if
// CHECK: llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr
// CHECK: llvm.atomicrmw add
// CHECK-NOT: cute.
// CHECK: return
func.func @host(%context: !llvm.ptr, %slots: !llvm.ptr) -> i32 {
  %a = cute.argument 0 : !cute.ptr<f32, generic, align<16>>
  %b = cute.argument 1 : !cute.ptr<f32, gmem, align<16>>
  %c = cute.argument 2 : !cute.ptr<i32, generic, align<4>>
  %n = cute.argument 3 : i32
  %p = cute.alloca 1 : !cute.ptr<i8, rmem, align<1>>
  %v = cute.load %a, "(4):(1)" : !cute.ptr<f32, generic, align<16>> -> vector<4xf32>
  cute.copy 4 %a "(4):(1)", %b "(4):(1)" if %p "(1):(1)" : !cute.ptr<i8, rmem, align<1>> : !cute.ptr<f32, generic, align<16>>, !cute.ptr<f32, gmem, align<16>>
  %old = cute.atomic_rmw "add" "relaxed" "sys" %c, %n : !cute.ptr<i32, generic, align<4>>, i32
  return %old : i32
}
