// gemm_errors.mlir -- what cute.gemm refuses.
// RUN: cutwork-opt %s -split-input-file -verify-diagnostics

func.func @kind(%r: !cute.ptr<f32, rmem, align<32>>) {
  // expected-error @+1 {{no atom is called wgmma}}
  cute.gemm "wgmma" %r "(1,1,1):(0,0,0)", %r "(1,1,1):(0,0,0)", %r "(1,1,1):(0,0,0)", %r "(1,1,1):(0,0,0)" : !cute.ptr<f32, rmem, align<32>>, !cute.ptr<f32, rmem, align<32>>, !cute.ptr<f32, rmem, align<32>>, !cute.ptr<f32, rmem, align<32>>
  return
}

// -----

func.func @rank(%r: !cute.ptr<f32, rmem, align<32>>) {
  // expected-error @+1 {{an operand has three modes, values and two of M, N and K, not "(1,2):(0,1)"}}
  cute.gemm "universal" %r "(1,2,1):(0,1,0)", %r "(1,2):(0,1)", %r "(1,1,1):(0,0,0)", %r "(1,2,1):(0,1,0)" : !cute.ptr<f32, rmem, align<32>>, !cute.ptr<f32, rmem, align<32>>, !cute.ptr<f32, rmem, align<32>>, !cute.ptr<f32, rmem, align<32>>
  return
}

// -----

func.func @values(%r: !cute.ptr<f32, rmem, align<32>>) {
  // expected-error @+1 {{a universal atom has one value of each operand}}
  cute.gemm "universal" %r "(1,1,1):(0,0,0)", %r "(2,1,1):(1,0,0)", %r "(2,1,1):(1,0,0)", %r "(1,1,1):(0,0,0)" : !cute.ptr<f32, rmem, align<32>>, !cute.ptr<f32, rmem, align<32>>, !cute.ptr<f32, rmem, align<32>>, !cute.ptr<f32, rmem, align<32>>
  return
}

// -----

func.func @extents(%r: !cute.ptr<f32, rmem, align<32>>) {
  // expected-error @+1 {{do not fit (V,M,K) "(1,2,3):(0,1,2)" and (V,N,K) "(1,2,2):(0,1,2)"}}
  cute.gemm "universal" %r "(1,2,2):(0,1,2)", %r "(1,2,3):(0,1,2)", %r "(1,2,2):(0,1,2)", %r "(1,2,2):(0,1,2)" : !cute.ptr<f32, rmem, align<32>>, !cute.ptr<f32, rmem, align<32>>, !cute.ptr<f32, rmem, align<32>>, !cute.ptr<f32, rmem, align<32>>
  return
}

// -----

func.func @types(%r: !cute.ptr<f32, rmem, align<32>>, %h: !cute.ptr<f16, rmem, align<32>>) {
  // expected-error @+1 {{elements are 'f32' in d and 'f16' elsewhere}}
  cute.gemm "universal" %r "(1,1,1):(0,0,0)", %h "(1,1,1):(0,0,0)", %r "(1,1,1):(0,0,0)", %r "(1,1,1):(0,0,0)" : !cute.ptr<f32, rmem, align<32>>, !cute.ptr<f16, rmem, align<32>>, !cute.ptr<f32, rmem, align<32>>, !cute.ptr<f32, rmem, align<32>>
  return
}

// -----

func.func @space(%s: !cute.ptr<f32, smem, align<16>>) {
  // expected-error @+1 {{accumulators are in rmem, not smem}}
  cute.gemm "universal" %s "(1,1,1):(0,0,0)", %s "(1,1,1):(0,0,0)", %s "(1,1,1):(0,0,0)", %s "(1,1,1):(0,0,0)" : !cute.ptr<f32, smem, align<16>>, !cute.ptr<f32, smem, align<16>>, !cute.ptr<f32, smem, align<16>>, !cute.ptr<f32, smem, align<16>>
  return
}

// -----

func.func @operands(%r: !cute.ptr<f32, rmem, align<32>>, %s: !cute.ptr<f32, smem, align<16>>) {
  // expected-error @+1 {{has 1 dynamic leaves, but there are 0 operands for them}}
  cute.gemm "universal" %r "(1,1,2):(0,0,1)", %s "(1,1,2):(0,0,?)", %r "(1,2,2):(0,1,2)", %r "(1,1,2):(0,0,1)" : !cute.ptr<f32, rmem, align<32>>, !cute.ptr<f32, smem, align<16>>, !cute.ptr<f32, rmem, align<32>>, !cute.ptr<f32, rmem, align<32>>
  return
}
