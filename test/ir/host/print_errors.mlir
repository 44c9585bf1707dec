// print_errors.mlir -- what cute.print refuses.
// RUN: cutwork-opt %s -split-input-file -verify-diagnostics

func.func @type(%x: f32) {
  // expected-error @+1 {{prints values of type i32, i64 and f64, not 'f32'}}
  cute.print "%f" (%x : f32)
  return
}

// -----

func.func @few(%x: i32) {
  // expected-error @+1 {{the format has 2 conversions, but there are 1 values}}
  cute.print "%d %d" (%x : i32)
  return
}

// -----

func.func @many(%x: i32) {
  // expected-error @+1 {{the format has 0 conversions, but there are 1 values}}
  cute.print "100%%" (%x : i32)
  return
}

// -----

func.func @unknown(%x: i32) {
  // expected-error @+1 {{has a conversion that is none, "%s"}}
  cute.print "%s" (%x : i32)
  return
}

// -----

func.func @kind(%x: i32) {
  // expected-error @+1 {{"%f" takes an f64, not 'i32'}}
  cute.print "%f" (%x : i32)
  return
}

// -----

func.func @width(%x: i64) {
  // expected-error @+1 {{"%d" takes an i32, not 'i64'}}
  cute.print "%d" (%x : i64)
  return
}
