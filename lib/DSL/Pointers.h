// Pointers.h -- pointers as values of the cute dialect.
#pragma once

#include "DSL/Trace.h"
#include "IR/Cute.h"
#include "cutwork/DSL/Pointer.h"
#include "cutwork/Layout/Layout.h"

namespace cutwork::cute {

/// Of an ir::Argument that is the pointer of an array on the host.
inline constexpr std::string_view kHostArray = "cute.host_array";

ir::Space spaceOf(AddressSpace space);
ir::PtrType pointerType(Trace& trace, DType type, AddressSpace space, std::int64_t alignment,
                        const Swizzle& swizzle);
/// What is written of a value to an element of this type. Error (User): another kind of number,
/// or a wider type.
Numeric asElement(const Arg& value, DType type);
Pointer wrapPointer(Trace& trace, mlir::Value value, DType type, AddressSpace space);
/// The pointer `elements` further; its alignment is what the offset's divisor leaves.
Pointer advance(Trace& trace, const Pointer& pointer, Int elements, Where where);
/// Error (User): memory that the function that is traced cannot reach, which is that of a device
/// where host code is traced.
void checkReachable(Trace& trace, const Pointer& pointer, Where where);
/// Reading and writing the elements of a plain layout behind a pointer, all of static shape.
mlir::Value loadVector(Trace& trace, const Pointer& pointer, const Layout& layout, Where where);
void storeVector(Trace& trace, mlir::Value vector, const Pointer& pointer, const Layout& layout,
                 Where where);
/// The dynamic leaves of a layout, in the order of its text.
llvm::SmallVector<mlir::Value> dynamicLeaves(Trace& trace, const Layout& layout, Where where);

}  // namespace cutwork::cute
