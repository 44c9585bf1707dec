// copy_async.mlir -- cute.copy_async: widths, caches, predicates that fill and that keep.
// RUN: cutwork-opt %s | cutwork-opt | FileCheck %s --check-prefix=TEXT
// RUN: cutwork-opt --emit-ptx=sm_80 %s | FileCheck %s

gpu.module @copies {
  // Each vector is one instruction.
  // TEXT-LABEL: gpu.func @plain
  // TEXT: cute.copy_async "ca" 2 %{{.*}} "(2,3):(1,8)", %{{.*}} "(2,3):(1,2)" : <f32, gmem, align<16>>, <f32, smem, align<16>>
  // CHECK-LABEL: .entry plain
  // CHECK-COUNT-3: cp.async.ca.shared.global [{{.*}}], [{{.*}}], 8;
  // CHECK-NOT: cp.async
  gpu.func @plain(%s: !cute.ptr<f32, gmem, align<16>>, %d: !cute.ptr<f32, smem, align<16>>) kernel {
    cute.copy_async "ca" 2 %s "(2,3):(1,8)", %d "(2,3):(1,2)" : !cute.ptr<f32, gmem, align<16>>, !cute.ptr<f32, smem, align<16>>
    gpu.return
  }

  // Past L1 16 bytes; a run-time stride that keeps the alignment.
  // TEXT-LABEL: gpu.func @past
  // TEXT: cute.copy_async "cg" 4 %{{.*}} "(4,2):(1,?{div=4})"[%{{.*}} : i64]
  // CHECK-LABEL: .entry past
  // CHECK-COUNT-2: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16;
  // CHECK-NOT: cp.async
  gpu.func @past(%s: !cute.ptr<f32, gmem, align<16>>, %d: !cute.ptr<f32, smem, align<16>>, %n: i64) kernel {
    cute.copy_async "cg" 4 %s "(4,2):(1,?{div=4})"[%n : i64], %d "(4,2):(1,4)" : !cute.ptr<f32, gmem, align<16>>, !cute.ptr<f32, smem, align<16>>
    gpu.return
  }

  // Zeros where the predicate is false: the size that is read is 0 there; no branch.
  // TEXT-LABEL: gpu.func @fills
  // TEXT: cute.copy_async "ca" zero_fill 4 {{.*}} if %{{.*}} "(1):(1)" : !cute.ptr<i8, rmem, align<1>>
  // CHECK-LABEL: .entry fills
  // CHECK-NOT: bra
  // CHECK: selp.b32 [[SIZE:%r[0-9]+]], {{0, 16|16, 0}}
  // CHECK: cp.async.ca.shared.global [{{.*}}], [{{.*}}], 16, [[SIZE]];
  // CHECK: ret;
  gpu.func @fills(%s: !cute.ptr<f32, gmem, align<16>>, %d: !cute.ptr<f32, smem, align<16>>, %x: i8) kernel {
    %p = cute.alloca 1 : !cute.ptr<i8, rmem, align<1>>
    %v = vector.from_elements %x : vector<1xi8>
    cute.store %v, %p, "(1):(1)" : vector<1xi8>, !cute.ptr<i8, rmem, align<1>>
    cute.copy_async "ca" zero_fill 4 %s "(4):(1)", %d "(4):(1)" if %p "(1):(1)" : !cute.ptr<i8, rmem, align<1>> : !cute.ptr<f32, gmem, align<16>>, !cute.ptr<f32, smem, align<16>>
    gpu.return
  }

  // Without it nothing happens there.
  // CHECK-LABEL: .entry keeps
  // CHECK: @{{.*}} bra
  // CHECK: cp.async.ca.shared.global [{{.*}}], [{{.*}}], 4;
  gpu.func @keeps(%s: !cute.ptr<f32, gmem, align<16>>, %d: !cute.ptr<f32, smem, align<16>>, %x: i8) kernel {
    %p = cute.alloca 1 : !cute.ptr<i8, rmem, align<1>>
    %v = vector.from_elements %x : vector<1xi8>
    cute.store %v, %p, "(1):(1)" : vector<1xi8>, !cute.ptr<i8, rmem, align<1>>
    cute.copy_async "ca" 1 %s "(1):(1)", %d "(1):(1)" if %p "(1):(1)" : !cute.ptr<i8, rmem, align<1>> : !cute.ptr<f32, gmem, align<16>>, !cute.ptr<f32, smem, align<16>>
    gpu.return
  }

  // A swizzled target: the address is XORed.
  // CHECK-LABEL: .entry swizzled
  // CHECK: xor.b{{32|64}}
  // CHECK: cp.async.ca.shared.global
  gpu.func @swizzled(%s: !cute.ptr<f32, gmem, align<16>>, %d: !cute.ptr<f32, smem, align<16>, S<3,4,3>>) kernel {
    cute.copy_async "ca" 4 %s "(4):(1)", %d "(4):(1)" : !cute.ptr<f32, gmem, align<16>>, !cute.ptr<f32, smem, align<16>, S<3,4,3>>
    gpu.return
  }
}
