// copy_async_lower_errors.mlir -- vectors that are no one aligned access.
// RUN: cutwork-opt -cutwork-lower-cute -verify-diagnostics -split-input-file %s

gpu.module @apart {
  gpu.func @apart(%s: !cute.ptr<f32, gmem, align<16>>, %d: !cute.ptr<f32, smem, align<16>>) kernel {
    // expected-error @+2 {{4 elements of "(4):(2)" behind}}
    // expected-error @+1 {{failed to legalize}}
    cute.copy_async "ca" 4 %s "(4):(2)", %d "(4):(1)" : !cute.ptr<f32, gmem, align<16>>, !cute.ptr<f32, smem, align<16>>
    gpu.return
  }
}
