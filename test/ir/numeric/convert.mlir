// convert.mlir -- cute.convert: the target's instruction where there is one, integers elsewhere.
// RUN: cutwork-opt --emit-ptx=sm_80 %s | FileCheck %s --check-prefixes=CHECK,OLD --implicit-check-not=__nv
// RUN: cutwork-opt --emit-ptx=sm_89 %s | FileCheck %s --check-prefixes=CHECK,F8,SM89 --implicit-check-not=__nv
// RUN: cutwork-opt --emit-ptx=sm_90a %s | FileCheck %s --check-prefixes=CHECK,F8,SM90 --implicit-check-not=__nv
// RUN: cutwork-opt --emit-ptx=sm_120a %s | FileCheck %s --check-prefixes=CHECK,F8,SM90 --implicit-check-not=__nv
// RUN: cutwork-opt %s | cutwork-opt | FileCheck %s --check-prefix=TEXT

// sm_89 has the instructions for f8 from PTX 8.1 on.
// SM89: .version 8.1
gpu.module @convert {
  // Four elements are two instructions, and one word.
  // CHECK-LABEL: .entry to_f8(
  // OLD-NOT: e4m3
  // F8-COUNT-2: cvt.rn.satfinite.e4m3x2.f32
  // F8-NOT: cvt.rn.satfinite
  // CHECK: st.global.b32
  // TEXT: cute.convert %{{.*}} rn saturate : vector<4xf32> to vector<4xf8E4M3FN>
  gpu.func @to_f8(%x: vector<4xf32>, %out: !llvm.ptr<1>) kernel {
    %q = cute.convert %x rn saturate : vector<4xf32> to vector<4xf8E4M3FN>
    %r = arith.bitcast %q : vector<4xf8E4M3FN> to vector<4xi8>
    llvm.store %r, %out {alignment = 4 : i64} : vector<4xi8>, !llvm.ptr<1>
    gpu.return
  }

  // Another rounding, or none into range, has no instruction.
  // CHECK-LABEL: .entry to_f8_in_integers(
  // CHECK-NOT: satfinite
  // CHECK: ret;
  gpu.func @to_f8_in_integers(%x: f32, %out: !llvm.ptr<1>) kernel {
    %q = cute.convert %x rz saturate : f32 to f8E5M2
    %r = arith.bitcast %q : f8E5M2 to i8
    llvm.store volatile %r, %out : i8, !llvm.ptr<1>
    %s = cute.convert %x rn : f32 to f8E5M2
    %t = arith.bitcast %s : f8E5M2 to i8
    llvm.store volatile %t, %out : i8, !llvm.ptr<1>
    gpu.return
  }

  // arith's conversions of f8 go the same way, into range.
  // CHECK-LABEL: .entry arith_of_f8(
  // F8: cvt.rn.f16x2.e5m2x2
  // F8: cvt.rn.satfinite.e4m3x2.f32
  // OLD-NOT: e4m3
  // CHECK: ret;
  gpu.func @arith_of_f8(%x: i8, %out: !llvm.ptr<1>) kernel {
    %f = arith.bitcast %x : i8 to f8E5M2
    %wide = arith.extf %f : f8E5M2 to f32
    %q = arith.truncf %wide : f32 to f8E4M3FN
    %r = arith.bitcast %q : f8E4M3FN to i8
    llvm.store %r, %out : i8, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: .entry tf32(
  // CHECK-DAG: cvt.rna.tf32.f32
  // SM90-DAG: cvt.rn.tf32.f32
  // SM90-DAG: cvt.rz.tf32.f32
  // OLD-NOT: cvt.r{{[nz]}}.tf32
  // SM89-NOT: cvt.r{{[nz]}}.tf32
  // CHECK: ret;
  gpu.func @tf32(%x: f32, %out: !llvm.ptr<1>) kernel {
    %0 = cute.convert %x rna tf32 : f32 to f32
    %1 = cute.convert %x rn tf32 : f32 to f32
    %2 = cute.convert %x rz tf32 : f32 to f32
    %all = vector.from_elements %0, %1, %2, %2 : vector<4xf32>
    llvm.store %all, %out : vector<4xf32>, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: .entry halves(
  // CHECK-DAG: cvt.rn.f16x2.f32
  // CHECK-DAG: cvt.rz.f16.f32
  // CHECK-DAG: cvt.rm.f16.f32
  // CHECK-DAG: cvt.rp.f16.f32
  // CHECK: ret;
  gpu.func @halves(%x: f32, %v: vector<2xf32>, %out: !llvm.ptr<1>) kernel {
    %0 = cute.convert %x rz : f32 to f16
    %1 = cute.convert %x rm : f32 to f16
    %2 = cute.convert %x rp saturate : f32 to f16
    %all = vector.from_elements %0, %1, %2, %2 : vector<4xf16>
    llvm.store volatile %all, %out : vector<4xf16>, !llvm.ptr<1>
    %3 = cute.convert %v rn : vector<2xf32> to vector<2xf16>
    llvm.store volatile %3, %out : vector<2xf16>, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: .entry whole(
  // CHECK-DAG: cvt.rni.s32.f32
  // CHECK-DAG: cvt.rmi.u64.f64
  // CHECK-DAG: cvt.rp.f32.u32
  // CHECK-DAG: cvt.rz.f64.s64
  // CHECK: ret;
  gpu.func @whole(%x: f32, %d: f64, %i: i32, %l: i64, %out: !llvm.ptr<1>) kernel {
    %0 = cute.convert %x rn : f32 to i32
    llvm.store volatile %0, %out : i32, !llvm.ptr<1>
    %1 = cute.convert %d rm unsigned_result : f64 to i64
    llvm.store volatile %1, %out : i64, !llvm.ptr<1>
    %2 = cute.convert %i rp unsigned_source : i32 to f32
    llvm.store volatile %2, %out : f32, !llvm.ptr<1>
    %3 = cute.convert %l rz : i64 to f64
    llvm.store volatile %3, %out : f64, !llvm.ptr<1>
    gpu.return
  }
}
