// pointers_errors.mlir -- what pointer types, casts and shared memory refuse.
// RUN: cutwork-opt %s -split-input-file -verify-diagnostics

func.func @recast(%p: !cute.ptr<f16, gmem, align<16>>) {
  // expected-error @+1 {{a recast keeps the memory space: '!cute.ptr<f16, gmem, align<16>>' became '!cute.ptr<f16, smem, align<16>>'}}
  %q = cute.recast %p : !cute.ptr<f16, gmem, align<16>> to !cute.ptr<f16, smem, align<16>>
  return
}

// -----

func.func @narrow(%p: !cute.ptr<f16, gmem, align<16>>) {
  // expected-error @+1 {{an address in gmem has 64 bits, not 32}}
  %q = cute.ptr_to_int %p : !cute.ptr<f16, gmem, align<16>> to i32
  return
}

// -----

func.func @narrow_shared(%p: !cute.ptr<f16, smem, align<16>>) {
  // expected-error @+1 {{an address in smem has 32 or 64 bits, not 16}}
  %q = cute.ptr_to_int %p : !cute.ptr<f16, smem, align<16>> to i16
  return
}

// -----

func.func @from_narrow(%n: i32) {
  // expected-error @+1 {{an address in generic has 64 bits, not 32}}
  %q = cute.int_to_ptr %n : i32 to !cute.ptr<f16, generic, align<2>>
  return
}

// -----

func.func @registers(%n: i64) {
  // expected-error @+1 {{registers have no address}}
  %q = cute.int_to_ptr %n : i64 to !cute.ptr<f16, rmem, align<2>>
  return
}

// -----

func.func @base_space() {
  // expected-error @+1 {{dynamic shared memory is in smem, not gmem}}
  %s = cute.smem_base : !cute.ptr<i8, gmem, align<1024>>
  return
}

// -----

func.func @base_alignment() {
  // expected-error @+1 {{dynamic shared memory is aligned to 1024 bytes, not to 2048}}
  %s = cute.smem_base : !cute.ptr<i8, smem, align<2048>>
  return
}

// -----

// expected-error @+1 {{a pointer points to numbers, not to 'vector<4xf32>'}}
func.func private @element(!cute.ptr<vector<4xf32>, gmem, align<16>>)

// -----

// expected-error @+1 {{an alignment is a power of two, not 0}}
func.func private @no_alignment(!cute.ptr<f32, gmem, align<0>>)

// -----

// expected-error @+1 {{shift}}
func.func private @overlap(!cute.ptr<f32, smem, align<16>, S<3, 4, 2>>)

// -----

// expected-error @+1 {{bits}}
func.func private @negative(!cute.ptr<f32, smem, align<16>, S<-1, 4, 3>>)

// -----

func.func @keeps_swizzle(%p: !cute.ptr<f32, smem, align<16>, S<3, 4, 3>>, %i: i32) {
  // expected-error @+1 {{an offset keeps element, space and swizzle}}
  %q = cute.add_offset %p, %i : i32, !cute.ptr<f32, smem, align<16>, S<3, 4, 3>> to !cute.ptr<f32, smem, align<4>>
  return
}
