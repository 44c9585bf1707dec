// MemoryOps.td -- ops that move data: pointers, loads, stores, copies, slots.
#ifndef CUTWORK_IR_MEMORY_OPS
#define CUTWORK_IR_MEMORY_OPS

include "CuteDialect.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Cute_Op<string name, list<Trait> traits = []> : Op<Cute_Dialect, name, traits>;

def Cute_AddOffset : Cute_Op<"add_offset", [Pure]> {
  let summary = "a pointer some elements further";
  let description = [{
    Precondition: the offset counts elements. Postcondition: the result's alignment is at most what the
    source's alignment and the offset's known divisor allow; the builder states it in the result type.

    Example: `%q = cute.add_offset %p, %i : i64, !cute.ptr<f16, gmem, align<16>> to !cute.ptr<f16, gmem, align<2>>`
  }];
  let arguments = (ins Cute_Ptr:$source, AnySignlessInteger:$offset);
  let results = (outs Cute_Ptr:$result);
  let assemblyFormat = "$source `,` $offset attr-dict `:` type($offset) `,` type($source) `to` type($result)";
  let hasVerifier = 1;
}

def Cute_Recast : Cute_Op<"recast", [Pure]> {
  let summary = "the same address as a pointer to other elements, of another alignment or swizzle";
  let description = [{
    A larger alignment is the caller's promise. To the same type it folds away.

    Example: `%q = cute.recast %p : !cute.ptr<f16, smem, align<16>> to !cute.ptr<f32, smem, align<16>>`
    Errors: another memory space.
  }];
  let arguments = (ins Cute_Ptr:$source);
  let results = (outs Cute_Ptr:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Cute_PtrToInt : Cute_Op<"ptr_to_int", [Pure]> {
  let summary = "the address as a number, before any swizzle";
  let description = [{
    Example: `%n = cute.ptr_to_int %p : !cute.ptr<f16, gmem, align<16>> to i64`
    Errors: another width than 64 bits (smem and rmem: 32 or 64).
  }];
  let arguments = (ins Cute_Ptr:$source);
  let results = (outs AnySignlessInteger:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

def Cute_IntToPtr : Cute_Op<"int_to_ptr", [Pure]> {
  let summary = "a pointer to the address that a number is";
  let description = [{
    Example: `%p = cute.int_to_ptr %n : i64 to !cute.ptr<f16, gmem, align<16>>`
    Errors: another width than 64 bits (smem: 32 or 64); rmem, which has no addresses.
  }];
  let arguments = (ins AnySignlessInteger:$source);
  let results = (outs Cute_Ptr:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

def Cute_SmemBase : Cute_Op<"smem_base", [Pure]> {
  let summary = "the start of the block's dynamic shared memory";
  let description = [{
    Its size is the launch's. Aligned to 1024 bytes, as wgmma and TMA want it.

    Example: `%s = cute.smem_base : !cute.ptr<i8, smem, align<1024>>`
    Errors: another space than smem; a larger alignment than 1024.
  }];
  let results = (outs Cute_Ptr:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Cute_Alloca : Cute_Op<"alloca", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a stack slot for register data";
  let description = [{
    A slot of `count` elements in the entry block, which LLVM turns into registers.

    Example: `%r = cute.alloca 8 : !cute.ptr<f32, rmem, align<32>>`
    Errors: another space than rmem; a count that is not positive.
  }];
  let arguments = (ins I64Attr:$count);
  let results = (outs Cute_Ptr:$result);
  let assemblyFormat = "$count attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Cute_Load : Cute_Op<"load", [MemoryEffects<[MemRead]>, AttrSizedOperandSegments]> {
  let summary = "the elements of a layout as a vector, in the order of linear coordinates";
  let description = [{
    Element i of the vector is at `pointer + layout(i)`. With a predicate, elements are not read and the
    vector holds zeros where it is false; one predicate for all.

    Example: `%v = cute.load %p, "(8):(1)" : !cute.ptr<f16, gmem, align<16>> -> vector<8xf16>`
    Errors: a shape that is not static; another number of dynamic operands than the text has `?`; a
    vector of another size or element type.
  }];
  let arguments = (ins Cute_Ptr:$pointer, StrAttr:$layout, Variadic<AnySignlessInteger>:$dynamic,
                       Optional<I1>:$predicate);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = [{
    $pointer `,` $layout (`[` $dynamic^ `:` type($dynamic) `]`)? (`if` $predicate^)? attr-dict
    `:` type($pointer) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Cute_Store : Cute_Op<"store", [MemoryEffects<[MemWrite]>, AttrSizedOperandSegments]> {
  let summary = "a vector to the elements of a layout, in the order of linear coordinates";
  let description = [{
    The counterpart of cute.load. With a predicate nothing is written where it is false.

    Example: `cute.store %v, %p, "(8):(1)" if %ok : vector<8xf16>, !cute.ptr<f16, gmem, align<16>>`
  }];
  let arguments = (ins AnyVectorOfNonZeroRank:$value, Cute_Ptr:$pointer, StrAttr:$layout,
                       Variadic<AnySignlessInteger>:$dynamic, Optional<I1>:$predicate);
  let assemblyFormat = [{
    $value `,` $pointer `,` $layout (`[` $dynamic^ `:` type($dynamic) `]`)? (`if` $predicate^)? attr-dict
    `:` type($value) `,` type($pointer)
  }];
  let hasVerifier = 1;
}

def Cute_Copy : Cute_Op<"copy", [MemoryEffects<[MemRead, MemWrite]>, AttrSizedOperandSegments]> {
  let summary = "elements of one layout to those of another, in vectors";
  let description = [{
    Element i at `source + sourceLayout(i)` goes to `target + targetLayout(i)`. Each `vector` consecutive
    elements are one execution; predicate p of the predicate's layout (bytes, not zero is true) decides
    execution p. A vector is moved in as few accesses as strides and alignment allow.

    Example: `cute.copy 8 %s "(8,4):(1,64)", %d "(8,4):(1,8)" if %p "(4):(1)" : !cute.ptr<...>, !cute.ptr<...>, !cute.ptr<...>`
    Errors: layouts of different size, or without elements; a vector that does not divide it; elements of
    different types; predicates that are no bytes, or for another number of executions.
  }];
  let arguments = (ins I64Attr:$vector, Cute_Ptr:$source, StrAttr:$sourceLayout,
                       Variadic<AnySignlessInteger>:$sourceDynamic, Cute_Ptr:$target, StrAttr:$targetLayout,
                       Variadic<AnySignlessInteger>:$targetDynamic, Optional<Cute_Ptr>:$predicate,
                       OptionalAttr<StrAttr>:$predicateLayout);
  let assemblyFormat = [{
    $vector $source $sourceLayout (`[` $sourceDynamic^ `:` type($sourceDynamic) `]`)? `,`
    $target $targetLayout (`[` $targetDynamic^ `:` type($targetDynamic) `]`)?
    (`if` $predicate^ $predicateLayout `:` type($predicate))? attr-dict `:` type($source) `,` type($target)
  }];
  let hasVerifier = 1;
}

def Cute_AtomicRmw : Cute_Op<"atomic_rmw", [MemoryEffects<[MemRead, MemWrite]>, AllTypesMatch<["value", "result"]>]> {
  let summary = "an element replaced by the result of an operation on it, at once; the old value";
  let description = [{
    `kind` is LLVM's name of the operation: add, fadd, and, or, xor, xchg, max, min, umax, umin, fmax, fmin.
    `order` is relaxed, acquire, release or acq_rel; `scope` is cta, cluster, gpu or sys.

    Example: `%old = cute.atomic_rmw "add" "relaxed" "gpu" %p, %v : !cute.ptr<i32, gmem, align<4>>, i32`
    Errors: a value of another type than the pointer's elements; a name that is none of these; an operation
    that is not for the type; rmem.
  }];
  let arguments = (ins StrAttr:$kind, StrAttr:$order, StrAttr:$scope, Cute_Ptr:$pointer, AnyType:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $kind $order $scope $pointer `,` $value attr-dict `:` type($pointer) `,` type($value)
  }];
  let hasVerifier = 1;
}

def Cute_AtomicCas : Cute_Op<"atomic_cas", [MemoryEffects<[MemRead, MemWrite]>, AllTypesMatch<["expected", "value", "result"]>]> {
  let summary = "an element replaced if it has the expected value; the old value";
  let description = [{
    Example: `%old = cute.atomic_cas "relaxed" "gpu" %p, %expected, %v : !cute.ptr<i32, gmem, align<4>>, i32`
    Errors: those of cute.atomic_rmw; elements that are no integers.
  }];
  let arguments = (ins StrAttr:$order, StrAttr:$scope, Cute_Ptr:$pointer, AnyType:$expected, AnyType:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $order $scope $pointer `,` $expected `,` $value attr-dict `:` type($pointer) `,` type($value)
  }];
  let hasVerifier = 1;
}

def Cute_ReturnIf : Cute_Op<"return_if", [MemoryEffects<[MemWrite]>]> {
  let summary = "the thread leaves the kernel where the condition holds, from any depth";
  let description = [{
    Lowered after scf to cf, to a branch to the exit block. Its memory effect keeps what follows behind it.

    Example: `cute.return_if %outside`
  }];
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
}

#endif
