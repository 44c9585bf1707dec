// print.mlir -- cute.print in kernels (vprintf) and in host functions (the runtime's table).
// RUN: cutwork-opt %s | cutwork-opt | FileCheck %s --check-prefix=TEXT
// RUN: cutwork-opt --pass-pipeline='builtin.module(gpu.module(cutwork-lower-cute))' %s | FileCheck %s --check-prefix=DEVICE
// RUN: cutwork-opt --emit-ptx=sm_90a %s | FileCheck %s --check-prefix=PTX

// DEVICE-LABEL: gpu.module @kernels
// One text for equal formats, zero-terminated; one declaration.
// DEVICE-DAG: llvm.mlir.global internal constant @cutwork_text_0("x = %d, %f\0A\00")
// DEVICE-DAG: llvm.mlir.global internal constant @cutwork_text_1("none\00")
// DEVICE-NOT: cutwork_text_2
// DEVICE: llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
gpu.module @kernels {
  // TEXT-LABEL: gpu.func @prints
  // TEXT: cute.print "x = %d, %f\0A"(%{{.*}}, %{{.*}} : i32, f64)
  // TEXT: cute.print "none"
  // The values packed as C passes them, in a slot of the entry block.
  // DEVICE-LABEL: gpu.func @prints
  // DEVICE: llvm.alloca %{{.*}} x !llvm.struct<(i32, f64)>
  // DEVICE: llvm.store %{{.*}} : i32
  // DEVICE: llvm.store %{{.*}} : f64
  // DEVICE: llvm.call @vprintf
  // Without values the buffer is null.
  // DEVICE: llvm.mlir.zero
  // DEVICE: llvm.call @vprintf
  // PTX-LABEL: .entry prints
  // PTX: vprintf
  gpu.func @prints(%x: i32, %y: f64) kernel {
    cute.print "x = %d, %f\n" (%x, %y : i32, f64)
    cute.print "x = %d, %f\n" (%x, %y : i32, f64)
    cute.print "none"
    gpu.return
  }
}
