// load_store.mlir -- cute.load and cute.store: access widths from strides, alignment and divisors.
// RUN: cutwork-opt --emit-ptx=sm_90a %s | FileCheck %s

gpu.module @memory {
  // Eight contiguous halves behind 16 bytes of alignment: one access of 128 bits.
  // CHECK-LABEL: .entry contiguous
  // CHECK: ld.global.v4.b32
  // CHECK-NOT: ld.global
  // CHECK: st.global.v4.b32
  // CHECK-NOT: st.global
  gpu.func @contiguous(%a: !cute.ptr<f16, gmem, align<16>>, %b: !cute.ptr<f16, gmem, align<16>>) kernel {
    %v = cute.load %a, "(8):(1)" : !cute.ptr<f16, gmem, align<16>> -> vector<8xf16>
    cute.store %v, %b, "(8):(1)" : vector<8xf16>, !cute.ptr<f16, gmem, align<16>>
    gpu.return
  }

  // The same with 4 bytes of alignment: four accesses of 32 bits.
  // CHECK-LABEL: .entry aligned_by_four
  // CHECK-COUNT-4: ld.global.b32
  // CHECK-NOT: ld.global
  // CHECK-COUNT-4: st.global.b32
  // CHECK-NOT: st.global
  gpu.func @aligned_by_four(%a: !cute.ptr<f16, gmem, align<4>>, %b: !cute.ptr<f16, gmem, align<4>>) kernel {
    %v = cute.load %a, "(8):(1)" : !cute.ptr<f16, gmem, align<4>> -> vector<8xf16>
    cute.store %v, %b, "(8):(1)" : vector<8xf16>, !cute.ptr<f16, gmem, align<4>>
    gpu.return
  }

  // Rows of four floats with a dynamic stride that is a multiple of four: one 128-bit access a row. The
  // offset is computed in 64 bits.
  // CHECK-LABEL: .entry divisible_rows
  // CHECK: ld.global.v4.b32
  // CHECK: mul.wide.s32
  // CHECK: ld.global.v4.b32
  // CHECK-NOT: ld.global
  gpu.func @divisible_rows(%a: !cute.ptr<f32, gmem, align<16>>, %b: !cute.ptr<f32, gmem, align<16>>, %n: i32) kernel {
    %v = cute.load %a, "(4,2):(1,?{div=4})"[%n : i32] : !cute.ptr<f32, gmem, align<16>> -> vector<8xf32>
    cute.store %v, %b, "(8):(1)" : vector<8xf32>, !cute.ptr<f32, gmem, align<16>>
    gpu.return
  }

  // Without the divisor the second row may lie anywhere: single elements there.
  // CHECK-LABEL: .entry any_rows
  // CHECK-COUNT-1: ld.global.v4.b32
  // CHECK-COUNT-4: ld.global.b32
  // CHECK-NOT: ld.global
  gpu.func @any_rows(%a: !cute.ptr<f32, gmem, align<16>>, %b: !cute.ptr<f32, gmem, align<16>>, %n: i32) kernel {
    %v = cute.load %a, "(4,2):(1,?)"[%n : i32] : !cute.ptr<f32, gmem, align<16>> -> vector<8xf32>
    cute.store %v, %b, "(8):(1)" : vector<8xf32>, !cute.ptr<f32, gmem, align<16>>
    gpu.return
  }

  // A column-major tile read in row order: elements 0, 2, 1, 3 (LLVM reads the four together).
  // CHECK-LABEL: .entry strided
  // CHECK: ld.global.v4.b32 {{.*}}{[[A:%r[0-9]+]], [[B:%r[0-9]+]], [[C:%r[0-9]+]], [[D:%r[0-9]+]]}
  // CHECK: st.global.v4.b32 {{.*}}{[[A]], [[C]], [[B]], [[D]]}
  gpu.func @strided(%a: !cute.ptr<f32, gmem, align<16>>, %b: !cute.ptr<f32, gmem, align<16>>) kernel {
    %v = cute.load %a, "(2,2):(2,1)" : !cute.ptr<f32, gmem, align<16>> -> vector<4xf32>
    cute.store %v, %b, "(4):(1)" : vector<4xf32>, !cute.ptr<f32, gmem, align<16>>
    gpu.return
  }

  // A predicate guards the whole access; a register slot leaves no trace.
  // CHECK-LABEL: .entry guarded
  // CHECK-NOT: .local
  // CHECK: @{{.*}} bra
  // CHECK: ld.global.v4.b32
  // CHECK: st.global.v4.b32
  gpu.func @guarded(%a: !cute.ptr<f32, gmem, align<16>>, %b: !cute.ptr<f32, gmem, align<16>>, %n: i32) kernel {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %ok = arith.cmpi slt, %tid, %n : i32
    %slot = cute.alloca 4 : !cute.ptr<f32, rmem, align<16>>
    %v = cute.load %a, "(4):(1)" if %ok : !cute.ptr<f32, gmem, align<16>> -> vector<4xf32>
    cute.store %v, %slot, "(4):(1)" : vector<4xf32>, !cute.ptr<f32, rmem, align<16>>
    %w = cute.load %slot, "(4):(1)" : !cute.ptr<f32, rmem, align<16>> -> vector<4xf32>
    cute.store %w, %b, "(4):(1)" if %ok : vector<4xf32>, !cute.ptr<f32, gmem, align<16>>
    gpu.return
  }

  // An early return inside a loop inside a branch leaves the kernel.
  // CHECK-LABEL: .entry early
  // CHECK: @%p{{[0-9]+}} bra [[LAST:\$L__BB[0-9_]+]];
  // CHECK-COUNT-2: st.global.b32
  // CHECK: bra.uni [[EXIT:\$L__BB[0-9_]+]];
  // CHECK: [[LAST]]:
  // CHECK: st.global.b32
  // CHECK-NOT: st.global
  // CHECK: [[EXIT]]:
  // CHECK: ret;
  gpu.func @early(%b: !cute.ptr<f32, gmem, align<4>>, %n: i32) kernel {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %enter = arith.cmpi sgt, %n, %one : i32
    %v = arith.constant dense<1.0> : vector<1xf32>
    scf.if %enter {
      scf.for %i = %zero to %n step %one : i32 {
        %p = cute.add_offset %b, %i : i32, !cute.ptr<f32, gmem, align<4>> to !cute.ptr<f32, gmem, align<4>>
        cute.store %v, %p, "1:0" : vector<1xf32>, !cute.ptr<f32, gmem, align<4>>
        %stop = arith.cmpi eq, %i, %one : i32
        cute.return_if %stop
      }
    }
    %last = cute.add_offset %b, %n : i32, !cute.ptr<f32, gmem, align<4>> to !cute.ptr<f32, gmem, align<4>>
    cute.store %v, %last, "1:0" : vector<1xf32>, !cute.ptr<f32, gmem, align<4>>
    gpu.return
  }

  // f8 is bytes in memory.
  // CHECK-LABEL: .entry bytes
  // CHECK: ld.global.v4.b32
  // CHECK: st.global.v2.b32
  // CHECK-COUNT-8: st.global.b8
  // CHECK: ret;
  gpu.func @bytes(%a: !cute.ptr<f32, gmem, align<16>>, %b: !cute.ptr<f8E4M3FN, gmem, align<16>>, %n: i32, %ok: i1) kernel {
    %v = cute.load %a, "(8):(1)" : !cute.ptr<f32, gmem, align<16>> -> vector<8xf32>
    %q = cute.convert %v rn saturate : vector<8xf32> to vector<8xf8E4M3FN>
    %slot = cute.alloca 8 : !cute.ptr<f8E4M3FN, rmem, align<8>>
    cute.store %q, %slot, "(8):(1)" : vector<8xf8E4M3FN>, !cute.ptr<f8E4M3FN, rmem, align<8>>
    %w = cute.load %slot, "(8):(1)" : !cute.ptr<f8E4M3FN, rmem, align<8>> -> vector<8xf8E4M3FN>
    cute.store %w, %b, "(8):(1)" : vector<8xf8E4M3FN>, !cute.ptr<f8E4M3FN, gmem, align<16>>
    %p = cute.add_offset %b, %n : i32, !cute.ptr<f8E4M3FN, gmem, align<16>> to !cute.ptr<f8E4M3FN, gmem, align<1>>
    cute.store %w, %p, "(8):(1)" if %ok : vector<8xf8E4M3FN>, !cute.ptr<f8E4M3FN, gmem, align<1>>
    gpu.return
  }
}
