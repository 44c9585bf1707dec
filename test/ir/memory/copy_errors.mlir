// copy_errors.mlir -- what cute.copy refuses.
// RUN: cutwork-opt %s -split-input-file -verify-diagnostics

func.func @sizes(%s: !cute.ptr<f32, gmem, align<16>>, %d: !cute.ptr<f32, gmem, align<16>>) {
  // expected-error @+1 {{copies 8 elements to 4}}
  cute.copy 4 %s "(8):(1)", %d "(4):(1)" : !cute.ptr<f32, gmem, align<16>>, !cute.ptr<f32, gmem, align<16>>
  return
}

// -----

func.func @vectors(%s: !cute.ptr<f32, gmem, align<16>>, %d: !cute.ptr<f32, gmem, align<16>>) {
  // expected-error @+1 {{vectors of 3 do not make up 8 elements}}
  cute.copy 3 %s "(8):(1)", %d "(8):(1)" : !cute.ptr<f32, gmem, align<16>>, !cute.ptr<f32, gmem, align<16>>
  return
}

// -----

func.func @no_vector(%s: !cute.ptr<f32, gmem, align<16>>, %d: !cute.ptr<f32, gmem, align<16>>) {
  // expected-error @+1 {{vectors of 0 do not make up 8 elements}}
  cute.copy 0 %s "(8):(1)", %d "(8):(1)" : !cute.ptr<f32, gmem, align<16>>, !cute.ptr<f32, gmem, align<16>>
  return
}

// -----

func.func @empty(%s: !cute.ptr<f32, gmem, align<16>>, %d: !cute.ptr<f32, gmem, align<16>>) {
  // expected-error @+1 {{0}}
  cute.copy 1 %s "(0):(1)", %d "(0):(1)" : !cute.ptr<f32, gmem, align<16>>, !cute.ptr<f32, gmem, align<16>>
  return
}

// -----

func.func @elements(%s: !cute.ptr<f16, gmem, align<16>>, %d: !cute.ptr<bf16, gmem, align<16>>) {
  // expected-error @+1 {{copies 'f16' to 'bf16'}}
  cute.copy 4 %s "(8):(1)", %d "(8):(1)" : !cute.ptr<f16, gmem, align<16>>, !cute.ptr<bf16, gmem, align<16>>
  return
}

// -----

func.func @operands(%s: !cute.ptr<f32, gmem, align<16>>, %d: !cute.ptr<f32, gmem, align<16>>) {
  // expected-error @+1 {{layout "(4,2):(1,?)" has 1 dynamic leaves, but there are 0 operands for them}}
  cute.copy 4 %s "(4,2):(1,?)", %d "(8):(1)" : !cute.ptr<f32, gmem, align<16>>, !cute.ptr<f32, gmem, align<16>>
  return
}

// -----

func.func @shape(%s: !cute.ptr<f32, gmem, align<16>>, %d: !cute.ptr<f32, gmem, align<16>>, %n: i32) {
  // expected-error @+1 {{layout "(?):(1)": the shape is not static}}
  cute.copy 1 %s "(?):(1)"[%n : i32], %d "(8):(1)" : !cute.ptr<f32, gmem, align<16>>, !cute.ptr<f32, gmem, align<16>>
  return
}

// -----

func.func @predicates(%s: !cute.ptr<f32, gmem, align<16>>, %d: !cute.ptr<f32, gmem, align<16>>, %p: !cute.ptr<i8, rmem, align<1>>) {
  // expected-error @+1 {{3 predicates for 2 executions}}
  cute.copy 4 %s "(8):(1)", %d "(8):(1)" if %p "(3):(1)" : !cute.ptr<i8, rmem, align<1>> : !cute.ptr<f32, gmem, align<16>>, !cute.ptr<f32, gmem, align<16>>
  return
}

// -----

func.func @predicate_type(%s: !cute.ptr<f32, gmem, align<16>>, %d: !cute.ptr<f32, gmem, align<16>>, %p: !cute.ptr<f32, rmem, align<4>>) {
  // expected-error @+1 {{predicates are bytes, not 'f32'}}
  cute.copy 4 %s "(8):(1)", %d "(8):(1)" if %p "(2):(1)" : !cute.ptr<f32, rmem, align<4>> : !cute.ptr<f32, gmem, align<16>>, !cute.ptr<f32, gmem, align<16>>
  return
}

// -----

func.func @predicate_layout(%s: !cute.ptr<f32, gmem, align<16>>, %p: !cute.ptr<i8, rmem, align<1>>) {
  // expected-error @+1 {{a predicate has a layout}}
  "cute.copy"(%s, %s, %p) <{vector = 4 : i64, sourceLayout = "(8):(1)", targetLayout = "(8):(1)",
      operandSegmentSizes = array<i32: 1, 0, 1, 0, 1>}>
      : (!cute.ptr<f32, gmem, align<16>>, !cute.ptr<f32, gmem, align<16>>, !cute.ptr<i8, rmem, align<1>>) -> ()
  return
}
