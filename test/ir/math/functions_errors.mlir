// functions_errors.mlir -- math ops that device code does not have.
// RUN: cutwork-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(gpu.module(cutwork-lower-math))'

gpu.module @unknown {
  gpu.func @k(%x: f32) kernel {
    // expected-error @+1 {{'math.acosh' op has no lowering on 'f32' (docs/math.md)}}
    %r = math.acosh %x : f32
    gpu.return
  }
}

// -----

gpu.module @rank {
  gpu.func @k(%x: vector<2x2xf32>) kernel {
    // expected-error @+1 {{'math.exp' op has no lowering on 'vector<2x2xf32>': vectors of one dimension have}}
    %r = math.exp %x : vector<2x2xf32>
    gpu.return
  }
}

// -----

gpu.module @type {
  gpu.func @k(%x: f80) kernel {
    // expected-error @+1 {{'math.exp' op has no lowering on 'f80' (docs/math.md)}}
    %r = math.exp %x : f80
    gpu.return
  }
}
