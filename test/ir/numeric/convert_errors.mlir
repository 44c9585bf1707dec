// convert_errors.mlir -- what cute.convert refuses.
// RUN: cutwork-opt %s -split-input-file -verify-diagnostics

func.func @count(%x: vector<4xf32>) {
  // expected-error @+1 {{keeps the number of elements: 'vector<4xf32>' became 'vector<2xf16>'}}
  %r = cute.convert %x rn : vector<4xf32> to vector<2xf16>
  return
}

// -----

func.func @scalar(%x: f32) {
  // expected-error @+1 {{keeps the number of elements: 'f32' became 'vector<1xf16>'}}
  %r = cute.convert %x rn : f32 to vector<1xf16>
  return
}

// -----

func.func @away(%x: f32) {
  // expected-error @+1 {{rna is for tf32; 'f16' is rounded by rn, rz, rm or rp}}
  %r = cute.convert %x rna : f32 to f16
  return
}

// -----

func.func @tf32_type(%x: f32) {
  // expected-error @+1 {{tf32 is kept in f32, not in 'f16'}}
  %r = cute.convert %x rn tf32 : f32 to f16
  return
}

// -----

func.func @tf32_rounding(%x: f32) {
  // expected-error @+1 {{tf32 is rounded by rn, rz or rna, not by rm}}
  %r = cute.convert %x rm tf32 : f32 to f32
  return
}

// -----

func.func @saturate(%x: f64) {
  // expected-error @+1 {{saturate is for integers, tf32 and types of 8 or 16 bits, not 'f32'}}
  %r = cute.convert %x rn saturate : f64 to f32
  return
}

// -----

func.func @unsigned_source(%x: f64) {
  // expected-error @+1 {{unsigned_source is for integers, not 'f64'}}
  %r = cute.convert %x rn unsigned_source : f64 to i32
  return
}

// -----

func.func @unsigned_result(%x: i32) {
  // expected-error @+1 {{unsigned_result is for integers, not 'f64'}}
  %r = cute.convert %x rn unsigned_result : i32 to f64
  return
}

// -----

func.func @type(%x: i1) {
  // expected-error @+1 {{operand #0 must be number or vector of number values of ranks 1, but got 'i1'}}
  %r = cute.convert %x rn : i1 to f64
  return
}

// -----

func.func @rounding(%x: f32) {
  // expected-error @+1 {{enum values for attribute 'rounding' [rn, rz, rm, rp, rna]}}
  %r = cute.convert %x rs : f32 to f16
  return
}
