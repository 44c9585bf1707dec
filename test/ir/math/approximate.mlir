// approximate.mlir -- with the flag afn f32 uses the hardware's approximations, not flushing subnormals.
// RUN: cutwork-opt --emit-ptx=sm_80 %s | FileCheck %s --implicit-check-not=__nv --implicit-check-not=.ftz

gpu.module @approximate {
  // CHECK-LABEL: .entry functions(
  // CHECK-DAG: ex2.approx.f32
  // CHECK-DAG: lg2.approx.f32
  // CHECK-DAG: sin.approx.f32
  // CHECK-DAG: cos.approx.f32
  // CHECK-DAG: tanh.approx.f32
  // CHECK-DAG: sqrt.approx.f32
  // CHECK-DAG: rsqrt.approx.f32
  // CHECK-NOT: call
  // CHECK: ret;
  gpu.func @functions(%x: f32, %y: f32, %out: !llvm.ptr<1>) kernel {
    %0 = math.exp %x fastmath<afn> : f32
    %1 = math.exp2 %x fastmath<fast> : f32
    %2 = math.log %x fastmath<afn> : f32
    %3 = math.log2 %x fastmath<afn> : f32
    %4 = math.log10 %x fastmath<afn> : f32
    %5 = math.sin %x fastmath<afn> : f32
    %6 = math.cos %x fastmath<afn> : f32
    %7 = math.tanh %x fastmath<afn> : f32
    %8 = math.sqrt %x fastmath<afn> : f32
    %9 = math.rsqrt %x fastmath<afn> : f32
    %10 = math.powf %x, %y fastmath<afn> : f32
    %all = vector.from_elements %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %10, %10, %10, %10, %10 : vector<16xf32>
    llvm.store %all, %out : vector<16xf32>, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: .entry quotients(
  // CHECK-DAG: rcp.approx.f32
  // CHECK-DAG: div.approx.f32
  // CHECK: ret;
  gpu.func @quotients(%x: f32, %y: f32, %out: !llvm.ptr<1>) kernel {
    %one = arith.constant 1.0 : f32
    %0 = arith.divf %one, %x fastmath<arcp,afn> : f32
    %1 = arith.divf %x, %y fastmath<afn> : f32
    llvm.store volatile %0, %out : f32, !llvm.ptr<1>
    llvm.store volatile %1, %out : f32, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: .entry exact_quotients(
  // CHECK-DAG: rcp.rn.f32
  // CHECK-DAG: div.rn.f32
  // CHECK: ret;
  gpu.func @exact_quotients(%x: f32, %y: f32, %out: !llvm.ptr<1>) kernel {
    %one = arith.constant 1.0 : f32
    %0 = arith.divf %one, %x : f32
    %1 = arith.divf %x, %y : f32
    llvm.store volatile %0, %out : f32, !llvm.ptr<1>
    llvm.store volatile %1, %out : f32, !llvm.ptr<1>
    gpu.return
  }

  // f64 has none: as without the flag.
  // CHECK-LABEL: .entry twice(
  // CHECK-NOT: approx
  // CHECK: fma.rn.f64
  // CHECK: ret;
  gpu.func @twice(%x: f64, %out: !llvm.ptr<1>) kernel {
    %0 = math.exp %x fastmath<afn> : f64
    llvm.store %0, %out : f64, !llvm.ptr<1>
    gpu.return
  }
}
