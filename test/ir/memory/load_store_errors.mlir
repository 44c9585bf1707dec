// load_store_errors.mlir -- what the memory ops refuse.
// RUN: cutwork-opt %s -split-input-file -verify-diagnostics

func.func @size(%p: !cute.ptr<f16, gmem, align<16>>) {
  // expected-error @+1 {{layout "(8):(1)" has 8 elements, the vector is 'vector<4xf16>'}}
  %v = cute.load %p, "(8):(1)" : !cute.ptr<f16, gmem, align<16>> -> vector<4xf16>
  return
}

// -----

func.func @element(%p: !cute.ptr<f16, gmem, align<16>>) {
  // expected-error @+1 {{the vector's elements are 'f32', the pointer's 'f16'}}
  %v = cute.load %p, "(8):(1)" : !cute.ptr<f16, gmem, align<16>> -> vector<8xf32>
  return
}

// -----

func.func @operands(%p: !cute.ptr<f16, gmem, align<16>>, %v: vector<8xf16>) {
  // expected-error @+1 {{layout "(4,2):(1,?)" has 1 dynamic leaves, but there are 0 operands for them}}
  cute.store %v, %p, "(4,2):(1,?)" : vector<8xf16>, !cute.ptr<f16, gmem, align<16>>
  return
}

// -----

func.func @shape(%p: !cute.ptr<f16, gmem, align<16>>, %n: i32) {
  // expected-error @+1 {{layout "(?):(1)": the shape is not static}}
  %v = cute.load %p, "(?):(1)"[%n : i32] : !cute.ptr<f16, gmem, align<16>> -> vector<8xf16>
  return
}

// -----

func.func @text(%p: !cute.ptr<f16, gmem, align<16>>) {
  // expected-error @+1 {{layout "(8:1": column 3: expected ',', found ':1'}}
  %v = cute.load %p, "(8:1" : !cute.ptr<f16, gmem, align<16>> -> vector<8xf16>
  return
}

// -----

func.func @coordinates(%p: !cute.ptr<f16, gmem, align<16>>) {
  // expected-error @+1 {{the strides are coordinates}}
  %v = cute.load %p, "(8):(1@0)" : !cute.ptr<f16, gmem, align<16>> -> vector<8xf16>
  return
}

// -----

func.func @gain(%p: !cute.ptr<f16, gmem, align<2>>, %i: i32) {
  // expected-error @+1 {{an offset adds no alignment: 2 became 16}}
  %q = cute.add_offset %p, %i : i32, !cute.ptr<f16, gmem, align<2>> to !cute.ptr<f16, gmem, align<16>>
  return
}

// -----

func.func @space() {
  // expected-error @+1 {{a slot is in rmem, not gmem}}
  %s = cute.alloca 4 : !cute.ptr<f32, gmem, align<16>>
  return
}

// -----

// expected-error @+1 {{an alignment is a power of two, not 12}}
func.func private @alignment(!cute.ptr<f32, gmem, align<12>>)
