// gemm.mlir -- cute.gemm: multiply-adds of registers, shared and global memory.
// RUN: cutwork-opt %s | cutwork-opt | FileCheck %s --check-prefix=TEXT
// RUN: cutwork-opt --emit-ptx=sm_80 %s | FileCheck %s

gpu.module @products {
  // Two k, each operand's column in one access of 128 bits; sums in registers.
  // TEXT-LABEL: gpu.func @shared
  // TEXT: cute.gemm "universal" %{{.*}} "(1,4,4):(0,1,4)", %{{.*}} "(1,4,2):(0,1,128)", %{{.*}} "(1,4,2):(0,1,?{div=4})"[%{{.*}} : i64], %{{.*}} "(1,4,4):(0,1,4)" :
  // CHECK-LABEL: .entry shared
  // CHECK-NOT: .local
  // CHECK-COUNT-2: ld.shared.v4.b32
  // CHECK-COUNT-16: fma.rn.f32
  // CHECK-COUNT-2: ld.shared.v4.b32
  // CHECK-NOT: ld.shared
  // CHECK-COUNT-16: fma.rn.f32
  // CHECK-NOT: fma
  gpu.func @shared(%a: !cute.ptr<f32, smem, align<16>>, %b: !cute.ptr<f32, smem, align<16>>, %n: i64, %out: !cute.ptr<f32, gmem, align<16>>) kernel {
    %d = cute.alloca 16 : !cute.ptr<f32, rmem, align<32>>
    %zero = arith.constant dense<0.0> : vector<16xf32>
    cute.store %zero, %d, "(16):(1)" : vector<16xf32>, !cute.ptr<f32, rmem, align<32>>
    cute.gemm "universal" %d "(1,4,4):(0,1,4)", %a "(1,4,2):(0,1,128)", %b "(1,4,2):(0,1,?{div=4})"[%n : i64], %d "(1,4,4):(0,1,4)" : !cute.ptr<f32, rmem, align<32>>, !cute.ptr<f32, smem, align<16>>, !cute.ptr<f32, smem, align<16>>, !cute.ptr<f32, rmem, align<32>>
    cute.copy 16 %d "(16):(1)", %out "(16):(1)" : !cute.ptr<f32, rmem, align<32>>, !cute.ptr<f32, gmem, align<16>>
    gpu.return
  }

  // Integers: a multiply-add too.
  // CHECK-LABEL: .entry integers
  // CHECK: mad.lo.s32
  // CHECK: ret;
  gpu.func @integers(%a: !cute.ptr<i32, gmem, align<4>>, %out: !cute.ptr<i32, gmem, align<4>>) kernel {
    %d = cute.alloca 1 : !cute.ptr<i32, rmem, align<4>>
    %c = cute.alloca 1 : !cute.ptr<i32, rmem, align<4>>
    cute.copy 1 %a "(1):(1)", %c "(1):(1)" : !cute.ptr<i32, gmem, align<4>>, !cute.ptr<i32, rmem, align<4>>
    cute.gemm "universal" %d "(1,1,1):(0,0,0)", %a "(1,1,1):(0,0,0)", %a "(1,1,1):(0,0,0)", %c "(1,1,1):(0,0,0)" : !cute.ptr<i32, rmem, align<4>>, !cute.ptr<i32, gmem, align<4>>, !cute.ptr<i32, gmem, align<4>>, !cute.ptr<i32, rmem, align<4>>
    cute.copy 1 %d "(1):(1)", %out "(1):(1)" : !cute.ptr<i32, rmem, align<4>>, !cute.ptr<i32, gmem, align<4>>
    gpu.return
  }
}
