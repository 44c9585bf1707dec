// host_function_errors.mlir -- what arguments and launches refuse.
// RUN: cutwork-opt %s -split-input-file -verify-diagnostics

func.func @no_host() {
  // expected-error @+1 {{stands in a host function, which has a context and its slots}}
  %n = cute.argument 0 : i32
  return
}

// -----

gpu.module @kernels {
  gpu.func @kernel(%a: i32, %b: i32) kernel {
    // expected-error @+1 {{stands in a host function, which has a context and its slots}}
    %n = cute.argument 0 : i32
    gpu.return
  }
}

// -----

func.func @negative(%context: !llvm.ptr, %slots: !llvm.ptr) {
  // expected-error @+1 {{a slot is counted from 0, not -1}}
  %n = cute.argument -1 : i32
  return
}

// -----

func.func @extents(%context: !llvm.ptr, %slots: !llvm.ptr, %n: i64) {
  // expected-error @+1 {{stands in a host function, which has a context and its slots}}
  %status = cute.launch @kernels::@k 0 extents(%n, %n, %n, %n, %n, %n, %n, %n, %n) smem(%n)
  return
}

// -----

func.func @three_extents(%context: !llvm.ptr, %slots: !llvm.ptr) {
  %n = arith.constant 1 : i64
  // expected-error @+1 {{a launch has nine extents, not 3}}
  %status = cute.launch @kernels::@k 0 extents(%n, %n, %n) smem(%n)
  return
}
