// unroll_loops.mlir -- cutwork-unroll-loops: loops that ask for it, and loops that index registers.
// RUN: cutwork-opt --cutwork-unroll-loops %s | FileCheck %s

// Asked: three copies of the body, the counter a constant in each.
// CHECK-LABEL: func.func @asked
// CHECK-NOT: scf.for
// CHECK-COUNT-3: cute.store
// CHECK-NOT: cute.store
func.func @asked(%p: !cute.ptr<i32, gmem, align<4>>) {
  %low = arith.constant 1 : i32
  %high = arith.constant 6 : i32
  %step = arith.constant 2 : i32
  scf.for %i = %low to %high step %step : i32 {
    %v = vector.broadcast %i : i32 to vector<1xi32>
    cute.store %v, %p, "1:0" : vector<1xi32>, !cute.ptr<i32, gmem, align<4>>
  } {cute.unroll_full}
  return
}

// A loop that asks for nothing and touches no registers stays.
// CHECK-LABEL: func.func @plain
// CHECK: scf.for
// CHECK: cute.store
func.func @plain(%p: !cute.ptr<i32, gmem, align<4>>) {
  %low = arith.constant 0 : i32
  %high = arith.constant 8 : i32
  %step = arith.constant 1 : i32
  scf.for %i = %low to %high step %step : i32 {
    %q = cute.add_offset %p, %i : i32, !cute.ptr<i32, gmem, align<4>> to !cute.ptr<i32, gmem, align<4>>
    %v = vector.broadcast %i : i32 to vector<1xi32>
    cute.store %v, %q, "1:0" : vector<1xi32>, !cute.ptr<i32, gmem, align<4>>
  }
  return
}

// Registers indexed by the counter, through arithmetic: unrolled without asking.
// CHECK-LABEL: func.func @registers
// CHECK-NOT: scf.for
// CHECK-COUNT-4: cute.store
// CHECK-NOT: cute.store
func.func @registers(%v: vector<1xf32>) {
  %r = cute.alloca 8 : !cute.ptr<f32, rmem, align<4>>
  %low = arith.constant 0 : i32
  %high = arith.constant 4 : i32
  %step = arith.constant 1 : i32
  scf.for %i = %low to %high step %step : i32 {
    %last = arith.subi %high, %i : i32
    %q = cute.add_offset %r, %last : i32, !cute.ptr<f32, rmem, align<4>> to !cute.ptr<f32, rmem, align<4>>
    cute.store %v, %q, "1:0" : vector<1xf32>, !cute.ptr<f32, rmem, align<4>>
  }
  return
}

// Both loops of a nest.
// CHECK-LABEL: func.func @nested
// CHECK-NOT: scf.for
// CHECK-COUNT-6: cute.store
// CHECK-NOT: cute.store
func.func @nested(%v: vector<1xf32>) {
  %r = cute.alloca 8 : !cute.ptr<f32, rmem, align<4>>
  %low = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %step = arith.constant 1 : i32
  scf.for %i = %low to %three step %step : i32 {
    scf.for %j = %low to %two step %step : i32 {
      %row = arith.muli %i, %two : i32
      %at = arith.addi %row, %j : i32
      %q = cute.add_offset %r, %at : i32, !cute.ptr<f32, rmem, align<4>> to !cute.ptr<f32, rmem, align<4>>
      cute.store %v, %q, "1:0" : vector<1xf32>, !cute.ptr<f32, rmem, align<4>>
    }
  }
  return
}

// A register slot read at a place that does not follow the counter is no reason.
// CHECK-LABEL: func.func @unrelated
// CHECK: scf.for
func.func @unrelated(%p: !cute.ptr<f32, gmem, align<4>>) {
  %r = cute.alloca 1 : !cute.ptr<f32, rmem, align<4>>
  %low = arith.constant 0 : i32
  %high = arith.constant 4 : i32
  %step = arith.constant 1 : i32
  scf.for %i = %low to %high step %step : i32 {
    %v = cute.load %r, "1:0" : !cute.ptr<f32, rmem, align<4>> -> vector<1xf32>
    %q = cute.add_offset %p, %i : i32, !cute.ptr<f32, gmem, align<4>> to !cute.ptr<f32, gmem, align<4>>
    cute.store %v, %q, "1:0" : vector<1xf32>, !cute.ptr<f32, gmem, align<4>>
  }
  return
}

// No iterations: nothing is left, and results are what the loop began with.
// CHECK-LABEL: func.func @empty
// CHECK-SAME: (%[[N:.*]]: i32)
// CHECK-NOT: scf.for
// CHECK: return %[[N]]
func.func @empty(%n: i32) -> i32 {
  %low = arith.constant 4 : i32
  %high = arith.constant 4 : i32
  %step = arith.constant 1 : i32
  %sum = scf.for %i = %low to %high step %step iter_args(%s = %n) -> i32 : i32 {
    %t = arith.addi %s, %i : i32
    scf.yield %t : i32
  } {cute.unroll_full}
  return %sum : i32
}

// Bounds of run time: stays, even where it indexes registers.
// CHECK-LABEL: func.func @dynamic
// CHECK: scf.for
func.func @dynamic(%n: i32, %v: vector<1xf32>) {
  %r = cute.alloca 8 : !cute.ptr<f32, rmem, align<4>>
  %low = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  scf.for %i = %low to %n step %step : i32 {
    %q = cute.add_offset %r, %i : i32, !cute.ptr<f32, rmem, align<4>> to !cute.ptr<f32, rmem, align<4>>
    cute.store %v, %q, "1:0" : vector<1xf32>, !cute.ptr<f32, rmem, align<4>>
  }
  return
}

// More iterations than there could be registers: stays.
// CHECK-LABEL: func.func @many
// CHECK: scf.for
func.func @many(%v: vector<1xf32>) {
  %r = cute.alloca 1024 : !cute.ptr<f32, rmem, align<4>>
  %low = arith.constant 0 : i32
  %high = arith.constant 1024 : i32
  %step = arith.constant 1 : i32
  scf.for %i = %low to %high step %step : i32 {
    %q = cute.add_offset %r, %i : i32, !cute.ptr<f32, rmem, align<4>> to !cute.ptr<f32, rmem, align<4>>
    cute.store %v, %q, "1:0" : vector<1xf32>, !cute.ptr<f32, rmem, align<4>>
  }
  return
}

// More iterations than the signed type has, or so few that none is left: by unsigned comparison.
// CHECK-LABEL: func.func @unsigned
// CHECK: scf.for unsigned
// CHECK-NOT: scf.for
// CHECK-COUNT-2: cute.store
func.func @unsigned(%p: !cute.ptr<i32, gmem, align<4>>) {
  %low = arith.constant 0 : i32
  %high = arith.constant -1 : i32
  %near = arith.constant -3 : i32
  %step = arith.constant 1 : i32
  scf.for unsigned %i = %low to %high step %step : i32 {
    %v = vector.broadcast %i : i32 to vector<1xi32>
    cute.store %v, %p, "1:0" : vector<1xi32>, !cute.ptr<i32, gmem, align<4>>
  }
  scf.for unsigned %i = %near to %high step %step : i32 {
    %v = vector.broadcast %i : i32 to vector<1xi32>
    cute.store %v, %p, "1:0" : vector<1xi32>, !cute.ptr<i32, gmem, align<4>>
  } {cute.unroll_full}
  return
}
