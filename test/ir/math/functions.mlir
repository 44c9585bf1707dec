// functions.mlir -- the math functions without flags: IEEE operations, no call of a library.
// RUN: cutwork-opt --emit-ptx=sm_80 %s | FileCheck %s --implicit-check-not=__nv --implicit-check-not=inline_asm
// RUN: cutwork-opt --emit-ptx=sm_120a %s | FileCheck %s --implicit-check-not=__nv

// f32 is computed in place, by fused multiply-adds; nothing is contracted or flushed.
// CHECK-LABEL: .entry exponential(
// CHECK-NOT: approx
// CHECK: fma.rn.f32
// CHECK: mul.rn.f32
// CHECK-NOT: .ftz
// CHECK: ret;
gpu.module @functions {
  gpu.func @exponential(%in: f32, %out: !llvm.ptr<1>) kernel {
    %r = math.exp %in : f32
    llvm.store %r, %out : f32, !llvm.ptr<1>
    gpu.return
  }

  // f16 goes through f32 and is rounded once.
  // CHECK-LABEL: .entry half(
  // CHECK: cvt.f32.f16
  // CHECK-NOT: cvt.rn.f16.f32
  // CHECK: fma.rn.f32
  // CHECK: cvt.rn.f16.f32
  // CHECK-NOT: cvt.rn.f16.f32
  // CHECK: ret;
  gpu.func @half(%in: f16, %out: !llvm.ptr<1>) kernel {
    %r = math.exp2 %in : f16
    llvm.store %r, %out : f16, !llvm.ptr<1>
    gpu.return
  }

  // Vectors are taken apart.
  // CHECK-LABEL: .entry elements(
  // CHECK-COUNT-2: rsqrt.approx.f32
  // CHECK-NOT: rsqrt
  // CHECK: st.global.v2.b32
  gpu.func @elements(%in: vector<2xf32>, %out: !llvm.ptr<1>) kernel {
    %r = math.rsqrt %in : vector<2xf32>
    llvm.store %r, %out {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
    gpu.return
  }

  // Large arguments of sine and cosine are reduced by one function that is not inlined.
  // CHECK-LABEL: .entry angles(
  // CHECK: call.uni {{.*}}cutwork_reduce_angle
  // CHECK: call.uni {{.*}}cutwork_reduce_angle
  // CHECK: ret;
  gpu.func @angles(%x: f32, %y: f64, %out: !llvm.ptr<1>) kernel {
    %s = math.sin %x : f32
    %c = math.cos %y : f64
    llvm.store volatile %s, %out : f32, !llvm.ptr<1>
    llvm.store volatile %c, %out : f64, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: .entry others(
  // CHECK-DAG: sqrt.rn.f32
  // CHECK-DAG: abs.f32
  // CHECK-DAG: copysign.f32
  // CHECK-DAG: cvt.rmi.f32.f32
  // CHECK-DAG: cvt.rpi.f32.f32
  // CHECK-DAG: cvt.rni.f32.f32
  // CHECK-DAG: cvt.rzi.f32.f32
  // CHECK: ret;
  gpu.func @others(%x: f32, %y: f32, %out: !llvm.ptr<1>) kernel {
    %0 = math.sqrt %x : f32
    %1 = math.absf %x : f32
    %2 = math.copysign %x, %y : f32
    %3 = math.floor %x : f32
    %4 = math.ceil %x : f32
    %5 = math.roundeven %x : f32
    %6 = math.trunc %x : f32
    %7 = math.round %x : f32
    %8 = math.log %x : f32
    %9 = math.log2 %x : f32
    %10 = math.log10 %x : f32
    %11 = math.tanh %x : f32
    %12 = math.erf %x : f32
    %13 = math.powf %x, %y : f32
    %14 = math.fma %x, %y, %x : f32
    %all = vector.from_elements %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %14 : vector<16xf32>
    llvm.store %all, %out : vector<16xf32>, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: .entry packed(
  // CHECK-DAG: fma.rn.f16x2
  // CHECK-DAG: abs.f16x2
  // CHECK: ret;
  gpu.func @packed(%x: vector<2xf16>, %y: vector<2xf16>, %out: !llvm.ptr<1>) kernel {
    %0 = math.fma %x, %y, %x : vector<2xf16>
    %1 = math.absf %x : vector<2xf16>
    llvm.store volatile %0, %out : vector<2xf16>, !llvm.ptr<1>
    llvm.store volatile %1, %out : vector<2xf16>, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: .entry integers(
  // CHECK-DAG: abs.s32
  // CHECK-DAG: popc.b32
  // CHECK-DAG: clz.b32
  // CHECK: ret;
  gpu.func @integers(%x: i32, %y: i32, %out: !llvm.ptr<1>) kernel {
    %0 = math.absi %x : i32
    %1 = math.ctpop %x : i32
    %2 = math.ctlz %x : i32
    %3 = math.cttz %x : i32
    %4 = arith.floordivsi %x, %y : i32
    %5 = arith.ceildivsi %x, %y : i32
    %6 = arith.ceildivui %x, %y : i32
    %all = vector.from_elements %0, %1, %2, %3, %4, %5, %6, %6 : vector<8xi32>
    llvm.store %all, %out : vector<8xi32>, !llvm.ptr<1>
    gpu.return
  }

  // A NaN wins in minimumf and maximumf, and loses in minnumf and maxnumf.
  // CHECK-LABEL: .entry extremes(
  // CHECK-DAG: min.NaN.f32
  // CHECK-DAG: max.NaN.f32
  // CHECK-DAG: min.f32
  // CHECK-DAG: max.f32
  // CHECK: ret;
  gpu.func @extremes(%x: f32, %y: f32, %out: !llvm.ptr<1>) kernel {
    %0 = arith.minimumf %x, %y : f32
    %1 = arith.maximumf %x, %y : f32
    %2 = arith.minnumf %x, %y : f32
    %3 = arith.maxnumf %x, %y : f32
    %all = vector.from_elements %0, %1, %2, %3 : vector<4xf32>
    llvm.store %all, %out : vector<4xf32>, !llvm.ptr<1>
    gpu.return
  }
}
