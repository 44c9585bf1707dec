// CuteDialect.td -- the cute dialect and its types.
#ifndef CUTWORK_IR_CUTE_DIALECT
#define CUTWORK_IR_CUTE_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Cute_Dialect : Dialect {
  let name = "cute";
  let cppNamespace = "::cutwork::ir";
  let summary = "What a CuTe kernel does with data, kept structured";
  let description = [{
    Layouts are written as in the CuTe documentation, "(4,?{div=8}):(1,4)": the text is the static part,
    dynamic leaves are operands in the order of the text. Layout functions are evaluated while tracing;
    here are the operations on data, which passes expand over the layouts.
  }];
  let useDefaultTypePrinterParser = 1;
}

def Cute_Space : I32EnumAttr<"Space", "memory space", [
    I32EnumAttrCase<"Generic", 0, "generic">,
    I32EnumAttrCase<"Gmem", 1, "gmem">,
    I32EnumAttrCase<"Smem", 3, "smem">,
    I32EnumAttrCase<"Rmem", 5, "rmem">,
    I32EnumAttrCase<"Dsmem", 7, "dsmem">
  ]> {
  let cppNamespace = "::cutwork::ir";
}

def Cute_Rounding : I32EnumAttr<"Rounding", "how a result that is not exact is chosen", [
    I32EnumAttrCase<"NearestEven", 0, "rn">,
    I32EnumAttrCase<"TowardZero", 1, "rz">,
    I32EnumAttrCase<"Down", 2, "rm">,
    I32EnumAttrCase<"Up", 3, "rp">,
    I32EnumAttrCase<"NearestAway", 4, "rna">
  ]> {
  let cppNamespace = "::cutwork::ir";
}

class Cute_Type<string name, string keyword> : TypeDef<Cute_Dialect, name> {
  let mnemonic = keyword;
}

def Cute_Ptr : Cute_Type<"Ptr", "ptr"> {
  let summary = "pointer to elements in a memory space, with its known alignment";
  let description = [{
    `!cute.ptr<f16, gmem, align<16>>`. The alignment is in bytes, a power of two. Offsets from a pointer
    count elements. `!cute.ptr<f16, smem, align<16>, S<3, 4, 3>>` is a pointer whose byte addresses are
    swizzled at each access, after all offsets; bits 0 is no swizzle.
  }];
  let parameters = (ins "::mlir::Type":$element, EnumParameter<Cute_Space>:$space, "int64_t":$alignment,
                        DefaultValuedParameter<"int64_t", "0">:$bits, DefaultValuedParameter<"int64_t", "0">:$base,
                        DefaultValuedParameter<"int64_t", "0">:$shift);
  let builders = [TypeBuilder<(ins "::mlir::Type":$element, "Space":$space, "int64_t":$alignment), [{
    return $_get($_ctxt, element, space, alignment, 0, 0, 0);
  }]>];
  let assemblyFormat = [{
    `<` $element `,` $space `,` `align` `<` $alignment `>` (`,` `S` `<` $bits^ `,` $base `,` $shift `>`)? `>`
  }];
  let genVerifyDecl = 1;
}

#endif
