// loop_annotations.mlir -- what a loop says about its unrolling reaches LLVM's branches.
// RUN: cutwork-opt --cutwork-device-passes %s | FileCheck %s

#four = #llvm.loop_annotation<unroll = <disable = false, count = 4 : i32>>

// CHECK: #[[UNROLL:.*]] = #llvm.loop_unroll<disable = false, count = 4 : i32>
// CHECK: #[[LOOP:.*]] = #llvm.loop_annotation<unroll = #[[UNROLL]]>
// CHECK-LABEL: llvm.func @asked
// CHECK-NOT: llvm.loop_annotation =
// CHECK: llvm.br ^{{.*}} {loop_annotation = #[[LOOP]]}
// CHECK-NOT: llvm.loop_annotation =
gpu.module @kernels {
  gpu.func @asked(%p: !cute.ptr<i32, gmem, align<4>>, %n: i32) kernel {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    scf.for %i = %zero to %n step %one : i32 {
      %v = vector.broadcast %i : i32 to vector<1xi32>
      cute.store %v, %p, "1:0" : vector<1xi32>, !cute.ptr<i32, gmem, align<4>>
    } {llvm.loop_annotation = #four}
    gpu.return
  }
}
