// convert_target_errors.mlir -- what the lowering of conversions refuses.
// RUN: cutwork-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(gpu.module(cutwork-lower-convert{target=sm_90a}))'

gpu.module @away {
  gpu.func @k(%x: f32) kernel {
    // expected-error @+1 {{rounds to nearest with ties away from zero, which no conversion to 'f8E5M2' does}}
    %r = arith.truncf %x to_nearest_away : f32 to f8E5M2
    gpu.return
  }
}

// -----

gpu.module @rank {
  gpu.func @k(%x: vector<2x2xf32>) kernel {
    // expected-error @+1 {{has no lowering on 'vector<2x2xf32>': vectors of one dimension have}}
    %r = arith.truncf %x : vector<2x2xf32> to vector<2x2xf8E5M2>
    gpu.return
  }
}
