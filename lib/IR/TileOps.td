// TileOps.td -- ops on tiles: asynchronous copies and matrix products.
#ifndef CUTWORK_IR_TILE_OPS
#define CUTWORK_IR_TILE_OPS

include "CuteDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Cute_TileOp<string name, list<Trait> traits = []> : Op<Cute_Dialect, name, traits>;

def Cute_CopyAsync : Cute_TileOp<"copy_async", [MemoryEffects<[MemRead, MemWrite]>, AttrSizedOperandSegments]> {
  let summary = "elements of global memory to shared memory by cp.async, in vectors";
  let description = [{
    As cute.copy, but under way until the thread waits for it, and each vector is one instruction, of 4, 8 or
    16 bytes. `cache` is `ca`, all levels, or `cg`, past L1, which takes 16 bytes. Where a predicate is false
    nothing is read; `zero_fill` then writes zeros, without it shared memory keeps what it has there.

    Example: `cute.copy_async "cg" zero_fill 4 %s "(4,2):(1,64)", %d "(4,2):(1,8)" if %p "(2):(1)" : !cute.ptr<...>, !cute.ptr<...>, !cute.ptr<...>`
    Errors: those of cute.copy; other spaces than gmem and smem; vectors of another width; another cache.
  }];
  let arguments = (ins StrAttr:$cache, UnitAttr:$zeroFill, I64Attr:$vector, Cute_Ptr:$source, StrAttr:$sourceLayout,
                       Variadic<AnySignlessInteger>:$sourceDynamic, Cute_Ptr:$target, StrAttr:$targetLayout,
                       Variadic<AnySignlessInteger>:$targetDynamic, Optional<Cute_Ptr>:$predicate,
                       OptionalAttr<StrAttr>:$predicateLayout);
  let assemblyFormat = [{
    $cache (`zero_fill` $zeroFill^)? $vector
    $source $sourceLayout (`[` $sourceDynamic^ `:` type($sourceDynamic) `]`)? `,`
    $target $targetLayout (`[` $targetDynamic^ `:` type($targetDynamic) `]`)?
    (`if` $predicate^ $predicateLayout `:` type($predicate))? attr-dict `:` type($source) `,` type($target)
  }];
  let hasVerifier = 1;
}

def Cute_Gemm : Cute_TileOp<"gemm", [MemoryEffects<[MemRead, MemWrite]>, AttrSizedOperandSegments]> {
  let summary = "a thread's part of a matrix product, d = a * b + c, over atoms";
  let description = [{
    Layouts are (V,M,K) of a, (V,N,K) of b, (V,M,N) of c and d. `kind` names the atom; `universal` is a
    multiply-add of one element each, V being 1: `d(0,m,n) = a(0,m,0) * b(0,n,0) + ... + c(0,m,n)`, k in order,
    each step rounded once. d may be c.

    Example: `cute.gemm "universal" %d "(1,8,8):(0,1,8)", %a "(1,8,1):(0,1,0)", %b "(1,8,1):(0,1,0)", %c "(1,8,8):(0,1,8)" : !cute.ptr<...>, ...`
    Errors: another kind; other ranks; extents that do not fit each other or the atom; element types that
    differ; accumulators that are not in registers.
  }];
  let arguments = (ins StrAttr:$kind, Cute_Ptr:$d, StrAttr:$dLayout, Cute_Ptr:$a, StrAttr:$aLayout,
                       Variadic<AnySignlessInteger>:$aDynamic, Cute_Ptr:$b, StrAttr:$bLayout,
                       Variadic<AnySignlessInteger>:$bDynamic, Cute_Ptr:$c, StrAttr:$cLayout);
  let assemblyFormat = [{
    $kind $d $dLayout `,` $a $aLayout (`[` $aDynamic^ `:` type($aDynamic) `]`)? `,`
    $b $bLayout (`[` $bDynamic^ `:` type($bDynamic) `]`)? `,` $c $cLayout attr-dict
    `:` type($d) `,` type($a) `,` type($b) `,` type($c)
  }];
  let hasVerifier = 1;
}

#endif
