// convergent.mlir -- spike: warp-synchronous instructions stay as written through LLVM's O3.
// RUN: cutwork-opt --emit-ptx=sm_90a %s | FileCheck %s

// Two elect.sync in the arms of a lane-dependent branch are not merged, and the one in each arm stays
// in its arm; a barrier in a loop under a branch is neither copied (unrolled) nor moved.

gpu.module @spike {
  // CHECK-LABEL: .entry arms
  // CHECK: @%p{{[0-9]+}} bra [[ELSE:\$L__BB[0-9_]+]];
  // CHECK-NOT: {{^\$L__BB}}
  // CHECK: elect.sync
  // CHECK: [[ELSE]]:
  // CHECK-NOT: {{^\$L__BB}}
  // CHECK: elect.sync
  // CHECK-NOT: elect.sync
  gpu.func @arms(%out: !llvm.ptr<1>, %n: i32) kernel {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %low = arith.cmpi slt, %tid, %n : i32
    scf.if %low {
      %e = nvvm.elect.sync -> i1
      scf.if %e {
        %one = arith.constant 1 : i32
        llvm.store %one, %out : i32, !llvm.ptr<1>
        scf.yield
      }
      scf.yield
    } else {
      %e = nvvm.elect.sync -> i1
      scf.if %e {
        %two = arith.constant 2 : i32
        llvm.store %two, %out : i32, !llvm.ptr<1>
        scf.yield
      }
      scf.yield
    }
    gpu.return
  }

  // The same by inline assembly, which LLVM knows nothing about.
  // CHECK-LABEL: .entry asm_arms
  // CHECK: @%p{{[0-9]+}} bra [[OTHER:\$L__BB[0-9_]+]];
  // CHECK-NOT: {{^\$L__BB}}
  // CHECK: elect.sync
  // CHECK: [[OTHER]]:
  // CHECK-NOT: {{^\$L__BB}}
  // CHECK: elect.sync
  // CHECK-NOT: elect.sync
  gpu.func @asm_arms(%out: !llvm.ptr<1>, %n: i32) kernel {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %low = arith.cmpi slt, %tid, %n : i32
    scf.if %low {
      %e = llvm.inline_asm has_side_effects "{ .reg .pred p; elect.sync _|p, -1; selp.s32 $0, 1, 0, p; }", "=r" : () -> i32
      llvm.store %e, %out : i32, !llvm.ptr<1>
      scf.yield
    } else {
      %e = llvm.inline_asm has_side_effects "{ .reg .pred p; elect.sync _|p, -1; selp.s32 $0, 1, 0, p; }", "=r" : () -> i32
      llvm.store %e, %out : i32, !llvm.ptr<1>
      scf.yield
    }
    gpu.return
  }

  // CHECK-LABEL: .entry barrier_loop
  // CHECK: @%p{{[0-9]+}} bra [[END:\$L__BB[0-9_]+]];
  // CHECK: [[LOOP:\$L__BB[0-9_]+]]:
  // CHECK-NOT: {{^\$L__BB}}
  // CHECK: {{bar(rier)?(\.cta)?\.sync}}
  // CHECK: @%p{{[0-9]+}} bra [[LOOP]];
  // CHECK-NOT: {{bar(rier)?(\.cta)?\.sync}}
  gpu.func @barrier_loop(%out: !llvm.ptr<1>, %n: i32, %go: i32) kernel {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %enter = arith.cmpi sgt, %go, %zero : i32
    scf.if %enter {
      scf.for %i = %zero to %go step %one : i32 {
        nvvm.barrier0
        %address = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
        llvm.store %n, %address : i32, !llvm.ptr<1>
      }
    }
    gpu.return
  }
}
