// HostOps.td -- ops of host functions: their arguments, launches, printing.
#ifndef CUTWORK_IR_HOST_OPS
#define CUTWORK_IR_HOST_OPS

include "CuteDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Cute_Argument : Op<Cute_Dialect, "argument", [Pure]> {
  let summary = "an argument of the host function, by its slot";
  let description = [{
    A host function is called with an array of 8-byte slots, in which each value stands at the low end.

    Example: `%p = cute.argument 0 : !cute.ptr<f16, gmem, align<16>>`
    Errors: outside a host function; a negative slot.
  }];
  let arguments = (ins I64Attr:$slot);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$slot attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Cute_Launch : Op<Cute_Dialect, "launch", [MemoryEffects<[MemRead, MemWrite]>, AttrSizedOperandSegments]> {
  let summary = "launches a kernel";
  let description = [{
    Nine extents (grid, block, cluster, each x, y, z), the bytes of dynamic shared memory, the stream (null if
    there is none), the kernel's arguments. `index` counts the kernels of the module. The result is 0, or what
    the runtime returns for a failure.

    Example: `%status = cute.launch @kernels::@relu 0 extents(%gx, ...) smem(%n) args(%p : !cute.ptr<...>)`
    Errors: outside a host function; another number of extents than nine.
  }];
  let arguments = (ins SymbolRefAttr:$kernel, I64Attr:$index, Variadic<I64>:$extents, I64:$smem,
                       Optional<AnyType>:$stream, Variadic<AnyType>:$args, UnitAttr:$cooperative,
                       UnitAttr:$programmatic);
  let results = (outs I32:$status);
  let assemblyFormat = [{
    $kernel $index `extents` `(` $extents `)` `smem` `(` $smem `)` (`stream` `(` $stream^ `:` type($stream) `)`)?
    (`cooperative` $cooperative^)? (`programmatic` $programmatic^)?
    (`args` `(` $args^ `:` type($args) `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def Cute_Print : Op<Cute_Dialect, "print", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "prints text with values in it";
  let description = [{
    `format` has C's conversions; each takes an operand: `%d %i %u %x %X %o %c` an i32, with `ll` and for `%p` an
    i64, `%f %e %g %a` an f64. In kernels vprintf prints it, in host functions the runtime does.

    Example: `cute.print "x = %d\n" (%x : i32)`
    Errors: another number of operands; an operand of another type; other conversions.
  }];
  let arguments = (ins StrAttr:$format, Variadic<AnyType>:$values);
  let assemblyFormat = "$format (`(` $values^ `:` type($values) `)`)? attr-dict";
  let hasVerifier = 1;
}

#endif
