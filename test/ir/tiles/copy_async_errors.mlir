// copy_async_errors.mlir -- what cute.copy_async refuses.
// RUN: cutwork-opt %s -split-input-file -verify-diagnostics

func.func @sizes(%s: !cute.ptr<f32, gmem, align<16>>, %d: !cute.ptr<f32, smem, align<16>>) {
  // expected-error @+1 {{copies 8 elements to 4}}
  cute.copy_async "ca" 4 %s "(8):(1)", %d "(4):(1)" : !cute.ptr<f32, gmem, align<16>>, !cute.ptr<f32, smem, align<16>>
  return
}

// -----

func.func @spaces(%s: !cute.ptr<f32, gmem, align<16>>, %d: !cute.ptr<f32, rmem, align<32>>) {
  // expected-error @+1 {{cp.async copies gmem to smem, not gmem to rmem}}
  cute.copy_async "ca" 4 %s "(4):(1)", %d "(4):(1)" : !cute.ptr<f32, gmem, align<16>>, !cute.ptr<f32, rmem, align<32>>
  return
}

// -----

func.func @backwards(%s: !cute.ptr<f32, smem, align<16>>, %d: !cute.ptr<f32, gmem, align<16>>) {
  // expected-error @+1 {{not smem to gmem}}
  cute.copy_async "ca" 4 %s "(4):(1)", %d "(4):(1)" : !cute.ptr<f32, smem, align<16>>, !cute.ptr<f32, gmem, align<16>>
  return
}

// -----

func.func @cache(%s: !cute.ptr<f32, gmem, align<16>>, %d: !cute.ptr<f32, smem, align<16>>) {
  // expected-error @+1 {{a cache is ca or cg, not cs}}
  cute.copy_async "cs" 4 %s "(4):(1)", %d "(4):(1)" : !cute.ptr<f32, gmem, align<16>>, !cute.ptr<f32, smem, align<16>>
  return
}

// -----

func.func @width(%s: !cute.ptr<f32, gmem, align<16>>, %d: !cute.ptr<f32, smem, align<16>>) {
  // expected-error @+1 {{cp.async.ca moves 32, 64 or 128 bits, not 256}}
  cute.copy_async "ca" 8 %s "(8):(1)", %d "(8):(1)" : !cute.ptr<f32, gmem, align<16>>, !cute.ptr<f32, smem, align<16>>
  return
}

// -----

func.func @width_past(%s: !cute.ptr<f32, gmem, align<16>>, %d: !cute.ptr<f32, smem, align<16>>) {
  // expected-error @+1 {{cp.async.cg moves 128 bits, not 64}}
  cute.copy_async "cg" 2 %s "(4):(1)", %d "(4):(1)" : !cute.ptr<f32, gmem, align<16>>, !cute.ptr<f32, smem, align<16>>
  return
}

// -----

func.func @predicates(%s: !cute.ptr<f32, gmem, align<16>>, %d: !cute.ptr<f32, smem, align<16>>, %p: !cute.ptr<i8, rmem, align<1>>) {
  // expected-error @+1 {{3 predicates for 2 executions}}
  cute.copy_async "ca" 2 %s "(4):(1)", %d "(4):(1)" if %p "(3):(1)" : !cute.ptr<i8, rmem, align<1>> : !cute.ptr<f32, gmem, align<16>>, !cute.ptr<f32, smem, align<16>>
  return
}
