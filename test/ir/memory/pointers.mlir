// pointers.mlir -- cute.recast, ptr_to_int, int_to_ptr, smem_base, and swizzled pointers.
// RUN: cutwork-opt %s | cutwork-opt | FileCheck %s --check-prefix=TEXT
// RUN: cutwork-opt --emit-ptx=sm_90a %s | FileCheck %s

gpu.module @pointers {
  // Dynamic shared memory is one external array, aligned as wgmma and TMA want it.
  // CHECK: .extern .shared .align 1024 .b8 cutwork_smem[];

  // A pointer to halves as one to floats, with a promise: one access of 128 bits.
  // TEXT-LABEL: gpu.func @recast
  // TEXT: cute.recast %{{.*}} : <f16, gmem, align<4>> to <f32, gmem, align<16>>
  // CHECK-LABEL: .entry recast
  // CHECK: ld.global.v4.b32
  // CHECK-NOT: ld.global
  gpu.func @recast(%a: !cute.ptr<f16, gmem, align<4>>, %b: !cute.ptr<f32, gmem, align<16>>) kernel {
    %p = cute.recast %a : !cute.ptr<f16, gmem, align<4>> to !cute.ptr<f32, gmem, align<16>>
    %v = cute.load %p, "(4):(1)" : !cute.ptr<f32, gmem, align<16>> -> vector<4xf32>
    cute.store %v, %b, "(4):(1)" : vector<4xf32>, !cute.ptr<f32, gmem, align<16>>
    gpu.return
  }

  // An address and back, in the width that the space has.
  // TEXT-LABEL: gpu.func @numbers
  // TEXT: cute.ptr_to_int %{{.*}} : <i32, gmem, align<4>> to i64
  // TEXT: cute.int_to_ptr %{{.*}} : i64 to <i64, gmem, align<8>>
  // TEXT: cute.smem_base : <i8, smem, align<1024>>
  // TEXT: cute.ptr_to_int %{{.*}} : <i32, smem, align<16>> to i32
  // CHECK-LABEL: .entry numbers
  // CHECK-DAG: cutwork_smem
  // CHECK-DAG: st.global.b64
  // CHECK-DAG: st.global.b32
  // CHECK: ret;
  gpu.func @numbers(%a: !cute.ptr<i32, gmem, align<4>>) kernel {
    %address = cute.ptr_to_int %a : !cute.ptr<i32, gmem, align<4>> to i64
    %eight = arith.constant 8 : i64
    %further = arith.addi %address, %eight : i64
    %p = cute.int_to_ptr %further : i64 to !cute.ptr<i64, gmem, align<8>>
    %v = vector.broadcast %address : i64 to vector<1xi64>
    cute.store %v, %p, "1:0" : vector<1xi64>, !cute.ptr<i64, gmem, align<8>>
    %bytes = cute.smem_base : !cute.ptr<i8, smem, align<1024>>
    %s = cute.recast %bytes : !cute.ptr<i8, smem, align<1024>> to !cute.ptr<i32, smem, align<16>>
    %shared = cute.ptr_to_int %s : !cute.ptr<i32, smem, align<16>> to i32
    %w = vector.broadcast %shared : i32 to vector<1xi32>
    cute.store %w, %a, "1:0" : vector<1xi32>, !cute.ptr<i32, gmem, align<4>>
    gpu.return
  }

  // S<3,4,3>: bits 7 to 9 of the byte address are XORed into bits 4 to 6, after all offsets; 16 bytes
  // stay together. An access is no wider than that.
  // TEXT-LABEL: gpu.func @swizzled
  // TEXT: <f32, smem, align<128>, S<3, 4, 3>>
  // CHECK-LABEL: .entry swizzled
  // CHECK: ld.global.b32 [[VALUE:%r[0-9]+]]
  // CHECK: shr.u64 [[MOVED:%rd[0-9]+]], {{%rd[0-9]+}}, 3
  // CHECK: and.b64 [[READ:%rd[0-9]+]], [[MOVED]], 112
  // CHECK: xor.b64 [[AT:%rd[0-9]+]], [[READ]]
  // CHECK: st.shared.b32 {{\[}}[[AT]]], [[VALUE]]
  gpu.func @swizzled(%a: !cute.ptr<f32, gmem, align<4>>, %i: i32) kernel {
    %bytes = cute.smem_base : !cute.ptr<i8, smem, align<1024>>
    %s = cute.recast %bytes : !cute.ptr<i8, smem, align<1024>> to !cute.ptr<f32, smem, align<128>, S<3, 4, 3>>
    %p = cute.add_offset %s, %i : i32, !cute.ptr<f32, smem, align<128>, S<3, 4, 3>> to !cute.ptr<f32, smem, align<4>, S<3, 4, 3>>
    %v = cute.load %a, "1:0" : !cute.ptr<f32, gmem, align<4>> -> vector<1xf32>
    cute.store %v, %p, "1:0" : vector<1xf32>, !cute.ptr<f32, smem, align<4>, S<3, 4, 3>>
    gpu.return
  }

  // CHECK-LABEL: .entry swizzled_vectors
  // CHECK-COUNT-2: st.shared.v4.b32
  // CHECK-NOT: st.shared
  gpu.func @swizzled_vectors(%a: !cute.ptr<f32, gmem, align<32>>) kernel {
    %bytes = cute.smem_base : !cute.ptr<i8, smem, align<1024>>
    %s = cute.recast %bytes : !cute.ptr<i8, smem, align<1024>> to !cute.ptr<f32, smem, align<128>, S<3, 4, 3>>
    %v = cute.load %a, "(8):(1)" : !cute.ptr<f32, gmem, align<32>> -> vector<8xf32>
    cute.store %v, %s, "(8):(1)" : vector<8xf32>, !cute.ptr<f32, smem, align<128>, S<3, 4, 3>>
    gpu.return
  }

  // A base of 2 keeps only 4 bytes together: four accesses.
  // CHECK-LABEL: .entry swizzled_words
  // CHECK-COUNT-4: st.shared.b32
  // CHECK-NOT: st.shared
  gpu.func @swizzled_words(%a: !cute.ptr<f32, gmem, align<16>>) kernel {
    %bytes = cute.smem_base : !cute.ptr<i8, smem, align<1024>>
    %s = cute.recast %bytes : !cute.ptr<i8, smem, align<1024>> to !cute.ptr<f32, smem, align<128>, S<2, 2, 3>>
    %v = cute.load %a, "(4):(1)" : !cute.ptr<f32, gmem, align<16>> -> vector<4xf32>
    cute.store %v, %s, "(4):(1)" : vector<4xf32>, !cute.ptr<f32, smem, align<128>, S<2, 2, 3>>
    gpu.return
  }
}
