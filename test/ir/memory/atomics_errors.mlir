// atomics_errors.mlir -- what the atomics refuse.
// RUN: cutwork-opt %s -split-input-file -verify-diagnostics

func.func @kind(%p: !cute.ptr<i32, gmem, align<4>>, %v: i32) {
  // expected-error @+1 {{a kind is one of add, fadd, and, or, xor, xchg, max, min, umax, umin, fmax, fmin, not sub}}
  %0 = cute.atomic_rmw "sub" "relaxed" "gpu" %p, %v : !cute.ptr<i32, gmem, align<4>>, i32
  return
}

// -----

func.func @order(%p: !cute.ptr<i32, gmem, align<4>>, %v: i32) {
  // expected-error @+1 {{an order is one of relaxed, acquire, release, acq_rel, not seq_cst}}
  %0 = cute.atomic_rmw "add" "seq_cst" "gpu" %p, %v : !cute.ptr<i32, gmem, align<4>>, i32
  return
}

// -----

func.func @scope(%p: !cute.ptr<i32, gmem, align<4>>, %v: i32) {
  // expected-error @+1 {{a scope is one of cta, cluster, gpu, sys, not warp}}
  %0 = cute.atomic_rmw "add" "relaxed" "warp" %p, %v : !cute.ptr<i32, gmem, align<4>>, i32
  return
}

// -----

func.func @element(%p: !cute.ptr<i32, gmem, align<4>>, %v: i64) {
  // expected-error @+1 {{the value is 'i64', the pointer's elements are 'i32'}}
  %0 = cute.atomic_rmw "add" "relaxed" "gpu" %p, %v : !cute.ptr<i32, gmem, align<4>>, i64
  return
}

// -----

func.func @float_kind(%p: !cute.ptr<f32, gmem, align<4>>, %v: f32) {
  // expected-error @+1 {{add is for integers, not 'f32'}}
  %0 = cute.atomic_rmw "add" "relaxed" "gpu" %p, %v : !cute.ptr<f32, gmem, align<4>>, f32
  return
}

// -----

func.func @integer_kind(%p: !cute.ptr<i32, gmem, align<4>>, %v: i32) {
  // expected-error @+1 {{fmax is for floats, not 'i32'}}
  %0 = cute.atomic_rmw "fmax" "relaxed" "gpu" %p, %v : !cute.ptr<i32, gmem, align<4>>, i32
  return
}

// -----

func.func @registers(%p: !cute.ptr<i32, rmem, align<4>>, %v: i32) {
  // expected-error @+1 {{registers are of one thread: there are no atomics on rmem}}
  %0 = cute.atomic_rmw "add" "relaxed" "gpu" %p, %v : !cute.ptr<i32, rmem, align<4>>, i32
  return
}

// -----

func.func @compared(%p: !cute.ptr<i32, gmem, align<4>>, %v: i64) {
  // expected-error @+1 {{the value is 'i64', the pointer's elements are 'i32'}}
  %0 = cute.atomic_cas "relaxed" "gpu" %p, %v, %v : !cute.ptr<i32, gmem, align<4>>, i64
  return
}

// -----

func.func @compared_floats(%p: !cute.ptr<f32, gmem, align<4>>, %v: f32) {
  // expected-error @+1 {{compares integers, not 'f32'}}
  %0 = cute.atomic_cas "relaxed" "gpu" %p, %v, %v : !cute.ptr<f32, gmem, align<4>>, f32
  return
}

// -----

func.func @compared_order(%p: !cute.ptr<i32, gmem, align<4>>, %v: i32) {
  // expected-error @+1 {{an order is one of relaxed, acquire, release, acq_rel, not weak}}
  %0 = cute.atomic_cas "weak" "gpu" %p, %v, %v : !cute.ptr<i32, gmem, align<4>>, i32
  return
}
