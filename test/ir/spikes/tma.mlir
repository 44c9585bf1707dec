// tma.mlir -- spike: a TMA tile is loaded and stored through descriptors passed by value.
// RUN: cutwork-opt --emit-ptx=sm_90a %s | FileCheck %s

// The descriptors are kernel parameters of 128 bytes in constant memory, aligned to 64, and are not
// copied to the stack. Each CTA copies the 64x64 f16 tile at its coordinates.

gpu.module @spike {
  llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<8192 x i8>
  llvm.mlir.global internal @arrived() {addr_space = 3 : i32, alignment = 8 : i64} : i64

  // CHECK-LABEL: .entry tma_copy
  // CHECK: .param .align 64 .b8 tma_copy_param_0[128]
  // CHECK: .param .align 64 .b8 tma_copy_param_1[128]
  // CHECK-NOT: .local
  // CHECK: mbarrier.init.shared
  // CHECK: mbarrier.arrive.expect_tx
  // CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
  // CHECK: mbarrier.try_wait.parity
  // CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
  // CHECK: cp.async.bulk.commit_group
  // CHECK: cp.async.bulk.wait_group
  llvm.func @tma_copy(
      %in: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant},
      %out: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}) attributes {nvvm.kernel} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %bytes = arith.constant 8192 : i32
    %ticks = arith.constant 1000000 : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %bx = nvvm.read.ptx.sreg.ctaid.x : i32
    %by = nvvm.read.ptx.sreg.ctaid.y : i32
    %x = arith.muli %bx, %c64 : i32
    %y = arith.muli %by, %c64 : i32
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %barrier = llvm.mlir.addressof @arrived : !llvm.ptr<3>
    %first = arith.cmpi eq, %tid, %zero : i32
    scf.if %first {
      nvvm.mbarrier.init %barrier, %one : !llvm.ptr<3>, i32
      llvm.inline_asm has_side_effects "fence.mbarrier_init.release.cluster;", "~{memory}" : () -> ()
    }
    nvvm.barrier0
    scf.if %first {
      nvvm.mbarrier.arrive.expect_tx %barrier, %bytes : !llvm.ptr<3>, i32
      %mine = llvm.addrspacecast %tile : !llvm.ptr<3> to !llvm.ptr<7>
      nvvm.cp.async.bulk.tensor.shared.cluster.global %mine, %in, %barrier, box [%x, %y] : !llvm.ptr<7>, !llvm.ptr
    }
    nvvm.mbarrier.try_wait.parity %barrier, %zero, %ticks : !llvm.ptr<3>, i32, i32
    scf.if %first {
      nvvm.cp.async.bulk.tensor.global.shared.cta %out, %tile, box [%x, %y] : !llvm.ptr, !llvm.ptr<3>
      nvvm.cp.async.bulk.commit.group
      nvvm.cp.async.bulk.wait_group 0
    }
    llvm.return
  }
}
