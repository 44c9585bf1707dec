// print_host.mlir -- cute.print in a host function: 8-byte values and the runtime's print_format.
// RUN: cutwork-opt --cutwork-lower-cute %s | FileCheck %s

// CHECK: llvm.mlir.global internal constant @cutwork_text_0("%d %u %x %lld %f%%\0A\00")
// CHECK-LABEL: func.func @host
// CHECK-SAME: (%[[CONTEXT:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK: llvm.alloca %{{.*}} x i64
// Signed conversions get the sign, the others zeros.
// CHECK: arith.extsi %{{.*}} : i32 to i64
// CHECK: arith.extui %{{.*}} : i32 to i64
// CHECK: arith.extui %{{.*}} : i32 to i64
// CHECK-NOT: arith.ext
// The table stands first in the context, print_format at its 160th byte.
// CHECK: llvm.getelementptr %[[CONTEXT]][0]
// CHECK: llvm.getelementptr %{{.*}}[160]
// CHECK: llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, i64) -> ()
func.func @host(%context: !llvm.ptr, %slots: !llvm.ptr) -> i32 {
  %x = cute.argument 0 : i32
  %y = cute.argument 1 : i64
  %z = cute.argument 2 : f64
  cute.print "%d %u %x %lld %f%%\n" (%x, %x, %x, %y, %z : i32, i32, i32, i64, f64)
  %zero = arith.constant 0 : i32
  return %zero : i32
}
