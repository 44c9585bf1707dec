// NumericOps.td -- ops on numbers that arith does not have.
#ifndef CUTWORK_IR_NUMERIC_OPS
#define CUTWORK_IR_NUMERIC_OPS

include "CuteDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Cute_NumericOp<string name, list<Trait> traits = []> : Op<Cute_Dialect, name, traits>;

def Cute_Number : AnyTypeOf<[I8, I16, I32, I64, F16, BF16, F32, F64, F8E4M3FN, F8E5M2], "number">;

def Cute_Convert : Cute_NumericOp<"convert", [Pure]> {
  let summary = "a number, or a vector of them, in another type, rounded as said";
  let description = [{
    The result is the exact value rounded once, bit for bit what the PTX instruction `cvt` gives where it has
    the conversion (ISA section 9.7.9.22), on every target.

    - `rn`, `rz`, `rm`, `rp`: nearest even, towards zero, down, up. It says nothing where the result is exact.
    - `rna`: nearest, ties away from zero; for `tf32` only.
    - `saturate`: a result beyond the largest finite number, infinity too, is that number (`.satfinite`). Between
      integers: the nearest number of the result's range; without it they wrap. A real that becomes an integer is
      always brought into its range, and a NaN becomes 0, or the number with only the highest bit set if the source
      is f64 or the result has 64 bits.
    - Without `saturate` overflow gives infinity, NaN in f8E4M3FN, which has none, or the largest finite number
      where the rounding is away from infinity.
    - `unsigned_source`, `unsigned_result`: how integers are read; without it they are signed.
    - `tf32`: the result is an f32 whose 13 lowest bits are zero. tf32 is no type of its own here: what it holds is
      an f32 in 32 bits of storage, and only instructions that read it leave the low bits out.
    - A NaN becomes the result type's canonical NaN, without a sign; from bf16 to f32 it keeps its bits.

    Example: `%q = cute.convert %x rn saturate : vector<4xf32> to vector<4xf8E4M3FN>`
    Errors: another number of elements, or more than one dimension; `rna` or `tf32` elsewhere; `saturate` where the
    result is f32 or f64; a sign of what is no integer.
  }];
  let arguments = (ins AnyTypeOf<[Cute_Number, VectorOfRankAndType<[1], [Cute_Number]>]>:$source,
                       Cute_Rounding:$rounding, UnitAttr:$saturate, UnitAttr:$tf32,
                       UnitAttr:$unsignedSource, UnitAttr:$unsignedResult);
  let results = (outs AnyTypeOf<[Cute_Number, VectorOfRankAndType<[1], [Cute_Number]>]>:$result);
  let assemblyFormat = [{
    $source $rounding (`saturate` $saturate^)? (`tf32` $tf32^)? (`unsigned_source` $unsignedSource^)?
    (`unsigned_result` $unsignedResult^)? attr-dict `:` type($source) `to` type($result)
  }];
  let hasVerifier = 1;
}

#endif
