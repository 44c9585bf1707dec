// atomics.mlir -- cute.atomic_rmw and cute.atomic_cas: kinds, orders, scopes, spaces.
// RUN: cutwork-opt %s | cutwork-opt | FileCheck %s --check-prefix=TEXT
// RUN: cutwork-opt --emit-ptx=sm_90a %s | FileCheck %s

gpu.module @atomics {
  // TEXT-LABEL: gpu.func @integers
  // TEXT: cute.atomic_rmw "add" "relaxed" "gpu" %{{.*}}, %{{.*}} : <i32, gmem, align<4>>, i32
  // CHECK-LABEL: .entry integers
  // CHECK: atom{{.*}}global.add.u32
  // CHECK: atom{{.*}}global.max.s32
  // CHECK: atom{{.*}}global.min.u32
  // CHECK: atom{{.*}}global.and.b32
  // CHECK: atom{{.*}}global.or.b32
  // CHECK: atom{{.*}}global.xor.b32
  // CHECK: atom{{.*}}global.exch.b32
  gpu.func @integers(%p: !cute.ptr<i32, gmem, align<4>>, %v: i32) kernel {
    %0 = cute.atomic_rmw "add" "relaxed" "gpu" %p, %v : !cute.ptr<i32, gmem, align<4>>, i32
    %1 = cute.atomic_rmw "max" "relaxed" "gpu" %p, %0 : !cute.ptr<i32, gmem, align<4>>, i32
    %2 = cute.atomic_rmw "umin" "relaxed" "gpu" %p, %1 : !cute.ptr<i32, gmem, align<4>>, i32
    %3 = cute.atomic_rmw "and" "relaxed" "gpu" %p, %2 : !cute.ptr<i32, gmem, align<4>>, i32
    %4 = cute.atomic_rmw "or" "relaxed" "gpu" %p, %3 : !cute.ptr<i32, gmem, align<4>>, i32
    %5 = cute.atomic_rmw "xor" "relaxed" "gpu" %p, %4 : !cute.ptr<i32, gmem, align<4>>, i32
    %6 = cute.atomic_rmw "xchg" "relaxed" "gpu" %p, %5 : !cute.ptr<i32, gmem, align<4>>, i32
    gpu.return
  }

  // CHECK-LABEL: .entry floats
  // CHECK: atom{{.*}}global.add.f32
  // CHECK: atom{{.*}}global.add.f64
  gpu.func @floats(%p: !cute.ptr<f32, gmem, align<4>>, %q: !cute.ptr<f64, gmem, align<8>>, %v: f32, %w: f64) kernel {
    %0 = cute.atomic_rmw "fadd" "relaxed" "gpu" %p, %v : !cute.ptr<f32, gmem, align<4>>, f32
    %1 = cute.atomic_rmw "fadd" "relaxed" "gpu" %q, %w : !cute.ptr<f64, gmem, align<8>>, f64
    gpu.return
  }

  // Orders and scopes.
  // CHECK-LABEL: .entry ordered
  // CHECK: atom.acquire.cta.global.add.u32
  // CHECK: atom.release.cluster.global.add.u32
  // CHECK: atom.acq_rel.sys.global.exch.b32
  // CHECK: atom.relaxed.sys.global.max.s32
  // CHECK: atom.acquire.gpu.global.min.u32
  gpu.func @ordered(%p: !cute.ptr<i32, gmem, align<4>>, %v: i32) kernel {
    %0 = cute.atomic_rmw "add" "acquire" "cta" %p, %v : !cute.ptr<i32, gmem, align<4>>, i32
    %1 = cute.atomic_rmw "add" "release" "cluster" %p, %0 : !cute.ptr<i32, gmem, align<4>>, i32
    %2 = cute.atomic_rmw "xchg" "acq_rel" "sys" %p, %1 : !cute.ptr<i32, gmem, align<4>>, i32
    %3 = cute.atomic_rmw "max" "relaxed" "sys" %p, %2 : !cute.ptr<i32, gmem, align<4>>, i32
    %4 = cute.atomic_rmw "umin" "acquire" "gpu" %p, %3 : !cute.ptr<i32, gmem, align<4>>, i32
    gpu.return
  }

  // CHECK-LABEL: .entry ordered_floats
  // CHECK: atom.acq_rel.cta.shared.add.f32
  // CHECK: atom.acq_rel.cta.shared.exch.b32
  // CHECK: atom.release.gpu.global.add.noftz.f16
  // A maximum of floats is a loop, which keeps both; the sum of bf16 stands between fences.
  // CHECK: atom.acq_rel.cluster.shared.cas.b32
  // CHECK: fence.acq_rel.gpu
  // CHECK: atom{{.*}}global.add.noftz.bf16
  // CHECK: fence.acq_rel.gpu
  gpu.func @ordered_floats(%h: !cute.ptr<f16, gmem, align<2>>, %b: !cute.ptr<bf16, gmem, align<2>>, %v: f32, %w: f16, %x: bf16) kernel {
    %bytes = cute.smem_base : !cute.ptr<i8, smem, align<1024>>
    %p = cute.recast %bytes : !cute.ptr<i8, smem, align<1024>> to !cute.ptr<f32, smem, align<4>>
    %0 = cute.atomic_rmw "fadd" "acq_rel" "cta" %p, %v : !cute.ptr<f32, smem, align<4>>, f32
    %1 = cute.atomic_rmw "xchg" "acq_rel" "cta" %p, %0 : !cute.ptr<f32, smem, align<4>>, f32
    %2 = cute.atomic_rmw "fadd" "release" "gpu" %h, %w : !cute.ptr<f16, gmem, align<2>>, f16
    %3 = cute.atomic_rmw "fmax" "acq_rel" "cluster" %p, %1 : !cute.ptr<f32, smem, align<4>>, f32
    %4 = cute.atomic_rmw "fadd" "acq_rel" "gpu" %b, %x : !cute.ptr<bf16, gmem, align<2>>, bf16
    gpu.return
  }

  // TEXT-LABEL: gpu.func @compared
  // TEXT: cute.atomic_cas "acq_rel" "gpu" %{{.*}}, %{{.*}}, %{{.*}} : <i64, gmem, align<8>>, i64
  // CHECK-LABEL: .entry compared
  // CHECK: atom{{.*}}acq_rel{{.*}}.global.cas.b64
  gpu.func @compared(%p: !cute.ptr<i64, gmem, align<8>>, %expected: i64, %v: i64) kernel {
    %0 = cute.atomic_cas "acq_rel" "gpu" %p, %expected, %v : !cute.ptr<i64, gmem, align<8>>, i64
    gpu.return
  }

  // In swizzled shared memory at the swizzled address.
  // CHECK-LABEL: .entry swizzled
  // CHECK: xor.b64 [[AT:%rd[0-9]+]]
  // CHECK: atom{{.*}}shared.add.u32 {{%r[0-9]+}}, {{\[}}[[AT]]]
  // CHECK: atom{{.*}}shared.cas.b32 {{%r[0-9]+}}, {{\[}}[[AT]]]
  gpu.func @swizzled(%i: i32) kernel {
    %bytes = cute.smem_base : !cute.ptr<i8, smem, align<1024>>
    %s = cute.recast %bytes : !cute.ptr<i8, smem, align<1024>> to !cute.ptr<i32, smem, align<128>, S<3, 4, 3>>
    %p = cute.add_offset %s, %i : i32, !cute.ptr<i32, smem, align<128>, S<3, 4, 3>> to !cute.ptr<i32, smem, align<4>, S<3, 4, 3>>
    %0 = cute.atomic_rmw "add" "relaxed" "cta" %p, %i : !cute.ptr<i32, smem, align<4>, S<3, 4, 3>>, i32
    %1 = cute.atomic_cas "relaxed" "cta" %p, %0, %i : !cute.ptr<i32, smem, align<4>, S<3, 4, 3>>, i32
    gpu.return
  }
}
