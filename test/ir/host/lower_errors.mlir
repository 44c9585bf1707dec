// lower_errors.mlir -- what cutwork-lower-cute refuses outside kernels.
// RUN: cutwork-opt %s -split-input-file -cutwork-lower-cute -verify-diagnostics

func.func @shared(%context: !llvm.ptr, %slots: !llvm.ptr) {
  // expected-error @+2 {{shared memory is of kernels}}
  // expected-error @+1 {{failed to legalize operation 'cute.smem_base'}}
  %s = cute.smem_base : !cute.ptr<i8, smem, align<1024>>
  return
}

// -----

func.func @prints() {
  // expected-error @+2 {{prints in a host function, which has a context, or in a kernel}}
  // expected-error @+1 {{failed to legalize operation 'cute.print'}}
  cute.print "nowhere"
  return
}
