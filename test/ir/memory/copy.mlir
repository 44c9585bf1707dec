// copy.mlir -- cute.copy: vectors, predicates, run-time strides, executions that no access crosses.
// RUN: cutwork-opt %s | cutwork-opt | FileCheck %s --check-prefix=TEXT
// RUN: cutwork-opt --emit-ptx=sm_90a %s | FileCheck %s

gpu.module @copies {
  // Four rows of eight halves: an access of 128 bits each; all loads before all stores.
  // TEXT-LABEL: gpu.func @plain
  // TEXT: cute.copy 8 %{{.*}} "(8,4):(1,64)", %{{.*}} "(8,4):(1,8)" : <f16, gmem, align<16>>, <f16, gmem, align<16>>
  // CHECK-LABEL: .entry plain
  // CHECK-COUNT-4: ld.global.v4.b32
  // CHECK-NOT: ld.global
  // CHECK-COUNT-4: st.global.v4.b32
  // CHECK-NOT: st.global
  gpu.func @plain(%s: !cute.ptr<f16, gmem, align<16>>, %d: !cute.ptr<f16, gmem, align<16>>) kernel {
    cute.copy 8 %s "(8,4):(1,64)", %d "(8,4):(1,8)" : !cute.ptr<f16, gmem, align<16>>, !cute.ptr<f16, gmem, align<16>>
    gpu.return
  }

  // Each side has the accesses that it allows: the target is only aligned to 4 bytes.
  // CHECK-LABEL: .entry uneven
  // CHECK: ld.global.v4.b32
  // CHECK-NOT: ld.global
  // CHECK-COUNT-4: st.global.b32
  // CHECK-NOT: st.global
  gpu.func @uneven(%s: !cute.ptr<f32, gmem, align<16>>, %d: !cute.ptr<f32, gmem, align<4>>) kernel {
    cute.copy 4 %s "(4):(1)", %d "(4):(1)" : !cute.ptr<f32, gmem, align<16>>, !cute.ptr<f32, gmem, align<4>>
    gpu.return
  }

  // Each execution behind its own predicate, a byte of a register slot.
  // TEXT-LABEL: gpu.func @predicated
  // TEXT: if %{{.*}} "(2):(1)" : !cute.ptr<i8, rmem, align<1>> : <f32
  // CHECK-LABEL: .entry predicated
  // CHECK-NOT: .local
  // CHECK: @{{.*}} bra
  // CHECK: ld.global.v4.b32
  // CHECK: st.global.v4.b32
  // CHECK: @{{.*}} bra
  // CHECK: ld.global.v4.b32
  // CHECK: st.global.v4.b32
  gpu.func @predicated(%s: !cute.ptr<f32, gmem, align<16>>, %d: !cute.ptr<f32, gmem, align<16>>, %x: i8, %y: i8) kernel {
    %p = cute.alloca 2 : !cute.ptr<i8, rmem, align<1>>
    %xy = vector.from_elements %x, %y : vector<2xi8>
    cute.store %xy, %p, "(2):(1)" : vector<2xi8>, !cute.ptr<i8, rmem, align<1>>
    cute.copy 4 %s "(4,2):(1,16)", %d "(4,2):(1,4)" if %p "(2):(1)" : !cute.ptr<i8, rmem, align<1>> : !cute.ptr<f32, gmem, align<16>>, !cute.ptr<f32, gmem, align<16>>
    gpu.return
  }

  // A run-time stride that is a multiple of 4 keeps the accesses wide.
  // TEXT-LABEL: gpu.func @divisible
  // TEXT: cute.copy 4 %{{.*}} "(4,2):(1,?{div=4})"[%{{.*}} : i32], %{{.*}} "(4,2):(1,4)" :
  // CHECK-LABEL: .entry divisible
  // CHECK-COUNT-2: ld.global.v4.b32
  // CHECK-NOT: ld.global
  gpu.func @divisible(%s: !cute.ptr<f32, gmem, align<16>>, %d: !cute.ptr<f32, gmem, align<16>>, %n: i32) kernel {
    cute.copy 4 %s "(4,2):(1,?{div=4})"[%n : i32], %d "(4,2):(1,4)" : !cute.ptr<f32, gmem, align<16>>, !cute.ptr<f32, gmem, align<16>>
    gpu.return
  }

  // One of 64 bits does not; the offset is computed in 64 bits without widening.
  // CHECK-LABEL: .entry anywhere
  // CHECK: ld.global.v4.b32
  // CHECK-COUNT-4: ld.global.b32
  // CHECK-NOT: ld.global
  gpu.func @anywhere(%s: !cute.ptr<f32, gmem, align<16>>, %d: !cute.ptr<f32, gmem, align<16>>, %n: i64) kernel {
    cute.copy 4 %s "(4,2):(1,?{i64})"[%n : i64], %d "(4,2):(1,4)" : !cute.ptr<f32, gmem, align<16>>, !cute.ptr<f32, gmem, align<16>>
    gpu.return
  }

  // Sixteen contiguous bytes in executions of 4: no access crosses an execution, which a predicate
  // could leave out.
  // CHECK-LABEL: .entry period
  // CHECK: ld.shared.b32
  // CHECK: st.global.b32
  // CHECK: ld.shared.b32
  // CHECK: st.global.b32
  // CHECK: ret;
  gpu.func @period(%d: !cute.ptr<i8, gmem, align<16>>, %x: i8, %y: i8) kernel {
    %s = cute.smem_base : !cute.ptr<i8, smem, align<1024>>
    %p = cute.alloca 2 : !cute.ptr<i8, rmem, align<1>>
    %xy = vector.from_elements %x, %y : vector<2xi8>
    cute.store %xy, %p, "(2):(1)" : vector<2xi8>, !cute.ptr<i8, rmem, align<1>>
    cute.copy 4 %s "(8):(1)", %d "(8):(1)" if %p "(2):(1)" : !cute.ptr<i8, rmem, align<1>> : !cute.ptr<i8, smem, align<1024>>, !cute.ptr<i8, gmem, align<16>>
    gpu.return
  }

  // Executions of three elements, as two and one.
  // CHECK-LABEL: .entry three
  // CHECK: ld.global.v2.b32
  // CHECK: ld.global.b32
  // CHECK: ret;
  gpu.func @three(%s: !cute.ptr<f32, gmem, align<8>>, %d: !cute.ptr<f32, gmem, align<4>>) kernel {
    cute.copy 3 %s "(3):(1)", %d "(3):(1)" : !cute.ptr<f32, gmem, align<8>>, !cute.ptr<f32, gmem, align<4>>
    gpu.return
  }
}
