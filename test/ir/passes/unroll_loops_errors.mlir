// unroll_loops_errors.mlir -- loops that ask to be unrolled and cannot be.
// RUN: cutwork-opt %s -split-input-file -cutwork-unroll-loops -verify-diagnostics

func.func @dynamic(%n: i32) {
  %low = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  // expected-error @+1 {{a loop that is to be unrolled fully has bounds that are not known}}
  scf.for %i = %low to %n step %step : i32 {
  } {cute.unroll_full}
  return
}

// -----

func.func @endless(%p: !cute.ptr<i32, gmem, align<4>>) {
  %low = arith.constant 0 : i64
  %high = arith.constant 9223372036854775807 : i64
  %step = arith.constant 1 : i64
  // expected-error @+1 {{a loop of 9223372036854775807 iterations is to be unrolled fully; at most 65536 can be}}
  scf.for %i = %low to %high step %step : i64 {
    %v = vector.broadcast %i : i64 to vector<1xi64>
  } {cute.unroll_full}
  return
}
