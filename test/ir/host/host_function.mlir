// host_function.mlir -- cute.argument and cute.launch: slots, and the runtime's launch.
// RUN: cutwork-opt %s | cutwork-opt | FileCheck %s --check-prefix=TEXT
// RUN: cutwork-opt --cutwork-lower-cute %s | FileCheck %s

// A host pointer is a plain one, whatever its space.
// TEXT: cute.argument 0 : !cute.ptr<f32, gmem, align<16>>
// TEXT: cute.launch @kernels::@relu 0 extents(%{{.*}}, %{{.*}}) smem(%{{.*}}) stream(%{{.*}} : !llvm.ptr) cooperative programmatic args(%{{.*}}, %{{.*}} : !cute.ptr<f32, gmem, align<16>>, i32)
// CHECK-LABEL: func.func @host
// CHECK-SAME: (%[[CONTEXT:.*]]: !llvm.ptr, %[[SLOTS:.*]]: !llvm.ptr) -> i32
// The array of the parameters' addresses and the struct of the launch.
// CHECK-DAG: llvm.alloca %{{.*}} x !llvm.ptr {alignment = 16 : i64}
// CHECK-DAG: llvm.alloca %{{.*}} x i8 {alignment = 16 : i64}
// CHECK: llvm.getelementptr %[[SLOTS]][0]
// CHECK-NEXT: llvm.load %{{.*}} -> !llvm.ptr
// CHECK: llvm.getelementptr %[[SLOTS]][8]
// CHECK-NEXT: llvm.load %{{.*}} -> i32
// CHECK: llvm.getelementptr %[[SLOTS]][16]
// CHECK-NEXT: llvm.load %{{.*}} -> !llvm.ptr
// Grid, block, cluster; no preferred cluster; shared memory, stream, flags, no carveout.
// CHECK: llvm.getelementptr %[[CONFIG:.*]][0]
// CHECK: llvm.getelementptr %[[CONFIG]][64]
// CHECK: llvm.getelementptr %[[CONFIG]][72]
// CHECK: llvm.getelementptr %[[CONFIG]][96]
// CHECK: llvm.getelementptr %[[CONFIG]][104]
// CHECK: llvm.getelementptr %[[CONFIG]][112]
// CHECK: llvm.getelementptr %[[CONFIG]][116]
// CHECK: llvm.getelementptr %[[CONFIG]][120]
// Arguments of the host function are passed where they stand.
// CHECK: %[[FIRST:.*]] = llvm.getelementptr %[[SLOTS]][0]
// CHECK: llvm.store %[[FIRST]]
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[SLOTS]][8]
// CHECK: llvm.store %[[SECOND]]
// The kernel by its index among the context's; the table's launch, whose status is the result.
// CHECK: llvm.getelementptr %[[CONTEXT]][8]
// CHECK: llvm.getelementptr %[[CONTEXT]][0]
// CHECK: llvm.getelementptr %{{.*}}[88]
// CHECK: %[[STATUS:.*]] = llvm.call %{{.*}}(%{{.*}}, %[[CONFIG]], %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
// CHECK: return %[[STATUS]] : i32
func.func @host(%context: !llvm.ptr, %slots: !llvm.ptr) -> i32 {
  %p = cute.argument 0 : !cute.ptr<f32, gmem, align<16>>
  %n = cute.argument 1 : i32
  %stream = cute.argument 2 : !llvm.ptr
  %one = arith.constant 1 : i64
  %many = arith.constant 128 : i64
  %none = arith.constant 0 : i64
  %status = cute.launch @kernels::@relu 0 extents(%many, %one, %one, %many, %one, %one, %one, %one, %one)
      smem(%none) stream(%stream : !llvm.ptr) cooperative programmatic args(%p, %n : !cute.ptr<f32, gmem, align<16>>, i32)
  return %status : i32
}

// Other values are put into slots of the function.
// CHECK-LABEL: func.func @computed
// CHECK: llvm.alloca %{{.*}} x i32 {alignment = 16 : i64}
// CHECK: arith.addi
// CHECK: llvm.call
func.func @computed(%context: !llvm.ptr, %slots: !llvm.ptr) -> i32 {
  %n = cute.argument 0 : i32
  %more = arith.addi %n, %n : i32
  %one = arith.constant 1 : i64
  %status = cute.launch @kernels::@k 0 extents(%one, %one, %one, %one, %one, %one, %one, %one, %one) smem(%one) args(%more : i32)
  return %status : i32
}

// Without a stream and arguments: null, and no parameters.
// CHECK-LABEL: func.func @bare
// CHECK: llvm.mlir.zero : !llvm.ptr
// CHECK: llvm.call
func.func @bare(%context: !llvm.ptr, %slots: !llvm.ptr) -> i32 {
  %one = arith.constant 1 : i64
  %status = cute.launch @kernels::@bare 1 extents(%one, %one, %one, %one, %one, %one, %one, %one, %one) smem(%one)
  return %status : i32
}
