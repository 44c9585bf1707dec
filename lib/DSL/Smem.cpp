// Smem.cpp -- shared memory: offsets are known while tracing.
#include "cutwork/DSL/Smem.h"

#include <fmt/format.h>

#include <bit>

#include "DSL/Pointers.h"
#include "DSL/Trace.h"

namespace cutwork::cute {

namespace {

constexpr std::int64_t kBaseAlignment = 1024;  // of cute.smem_base

void checkAlignment(std::int64_t alignment, Where where) {
  if (alignment < 1 || alignment > kBaseAlignment ||
      !std::has_single_bit(static_cast<std::uint64_t>(alignment))) {
    refuse(fmt::format("shared memory is aligned to a power of two up to {}, not to {}",
                       kBaseAlignment, alignment),
           where);
  }
}

std::int64_t roundUp(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
std::int64_t capacityOf(const Target& target) {
  switch (target.capability) {
    case 80:
    case 87: return std::int64_t{163} * 1024;
    case 86:
    case 89:
    case 120:
    case 121: return std::int64_t{99} * 1024;
    default: return std::int64_t{227} * 1024;
  }
}

Trace& begin(Where where) {
  Trace& trace = Trace::current(where);
  if (trace.kernel() == nullptr) refuse("shared memory is of kernels", where);
  trace.locate(where);
  return trace;
}

Pointer pointerAt(Trace& trace, std::int64_t offset, DType type, std::int64_t alignment,
                  Where where) {
  mlir::Type bytes = pointerType(trace, DType::Uint8, AddressSpace::smem, kBaseAlignment, {});
  mlir::Value base = ir::SmemBase::create(trace.builder(), trace.here(), bytes);
  Pointer start(trace.wrap(base), DType::Uint8, AddressSpace::smem, kBaseAlignment);
  Pointer moved = advance(trace, start, offset, where);
  mlir::Value value = trace.use(moved.value(), where);
  mlir::Type to = pointerType(trace, type, AddressSpace::smem, alignment, {});
  if (to != value.getType()) value = ir::Recast::create(trace.builder(), trace.here(), to, value);
  return {trace.wrap(value), type, AddressSpace::smem, alignment};
}

// count elements as bytes; refused beyond what any block has, so that nothing overflows.
std::int64_t bytesOf(DType type, std::int64_t count, Where where) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  if (count < 0 || count > kMost) {
    refuse(fmt::format("{} elements of shared memory: 0 to 2^40 can be asked for", count), where);
  }
  return count * elementBytes(type);
}

Pointer take(std::int64_t bytes, DType type, std::int64_t alignment, Where where) {
  Trace& trace = begin(where);
  if (alignment == 0) alignment = elementBytes(type);
  checkAlignment(alignment, where);
  if (bytes < 0) refuse(fmt::format("{} bytes of shared memory", bytes), where);
  KernelState& kernel = *trace.kernel();
  std::int64_t offset = roundUp(kernel.sharedBytes, alignment);
  std::int64_t capacity = capacityOf(trace.target);
  if (bytes > capacity - offset) {
    refuse(fmt::format("{} bytes of shared memory behind {} others; a block of {} has {}", bytes,
                       offset, trace.target.name(), capacity),
           where);
  }
  kernel.sharedBytes = offset + bytes;
  return pointerAt(trace, offset, type, alignment, where);
}

}  // namespace

SmemStruct::Field SmemStruct::field(DType type, std::int64_t count, std::int64_t alignment,
                                    Where where) {
  if (alignment == 0) alignment = elementBytes(type);
  checkAlignment(alignment, where);
  if (count < 0) refuse(fmt::format("a field of {} elements", count), where);
  Field field{type, roundUp(end_, alignment), count, alignment};
  end_ = field.offset + bytesOf(type, count, where);
  alignment_ = std::max(alignment_, alignment);
  return field;
}

std::int64_t SmemStruct::size_in_bytes() const { return roundUp(end_, alignment_); }

Pointer SmemStruct::at(const Pointer& base, const Field& field, Where where) const {
  Trace& trace = begin(where);
  Pointer bytes = base.recast(DType::Uint8, where);
  return advance(trace, bytes, field.offset, where).recast(field.type, where);
}

SmemAllocator::SmemAllocator(Where where) { begin(where); }

Pointer SmemAllocator::allocate(std::int64_t bytes, std::int64_t alignment, Where where) {
  return take(bytes, DType::Uint8, alignment, where);
}

Pointer SmemAllocator::allocate(const SmemStruct& storage, std::int64_t alignment, Where where) {
  return take(storage.size_in_bytes(), DType::Uint8, std::max(alignment, storage.alignment()),
              where);
}

Pointer SmemAllocator::allocate_array(DType type, std::int64_t count, std::int64_t alignment,
                                      Where where) {
  if (count < 0) refuse(fmt::format("an array of {} elements", count), where);
  return take(bytesOf(type, count, where), type, std::max(alignment, elementBytes(type)), where);
}

Tensor SmemAllocator::allocate_tensor(DType type, const AnyLayout& layout, std::int64_t alignment,
                                      Swizzle swizzle, Where where) {
  LayoutView view = layout;
  if (!isStatic(view)) {
    refuse(fmt::format("allocate_tensor: shared memory has a static layout, not {}", layout.text()),
           where);
  }
  if (!swizzle.isIdentity() && layout.composed() != nullptr && layout.composed()->swizzle()) {
    refuse(fmt::format("allocate_tensor: a swizzle both in the layout {} and on the pointer, {}",
                       layout.text(), swizzle.text()),
           where);
  }
  // Where a swizzle permutes beyond the outer layout's end, it stays within its period.
  std::int64_t count = orRefuse(cosize(view), where).value();
  if (const auto* composed = layout.composed(); composed != nullptr && composed->swizzle()) {
    std::int64_t last = composed->swizzle()->readBits() | composed->swizzle()->writtenBits();
    if (last > 0)
      count = roundUp(count,
                      static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(last))));
  }
  for (const Node& node : layout.outer().stride().view().nodes()) {
    if (node.kind == NodeKind::Tuple || node.integer.value() >= 0) continue;
    refuse(fmt::format("allocate_tensor: the layout {} has elements before its first: shared "
                       "memory takes strides that are not negative",
                       layout.text()),
           where);
  }
  std::int64_t bytes = bytesOf(type, count, where);
  std::int64_t period = swizzle.readBits() | swizzle.writtenBits();
  if (period > 0) {
    auto size = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(period)));
    bytes = roundUp(bytes, size);
    alignment = std::max(alignment, std::min(size, kBaseAlignment));
  }
  Pointer pointer = take(bytes, type, std::max(alignment, elementBytes(type)), where);
  if (!swizzle.isIdentity()) return {pointer.withSwizzle(swizzle, where), layout};
  return {pointer, layout};
}

Tensor SmemAllocator::allocate_tensor(DType type, const Layout& layout, std::int64_t alignment,
                                      Swizzle swizzle, Where where) {
  return allocate_tensor(type, AnyLayout(layout), alignment, swizzle, where);
}
Tensor SmemAllocator::allocate_tensor(DType type, const ComposedLayout& layout,
                                      std::int64_t alignment, Where where) {
  return allocate_tensor(type, AnyLayout(layout), alignment, Swizzle(), where);
}

std::int64_t smem_size(Where where) { return begin(where).kernel()->sharedBytes; }

Pointer get_dyn_smem(DType type, std::int64_t alignment, Where where) {
  Trace& trace = begin(where);
  checkAlignment(alignment, where);
  std::int64_t offset = roundUp(trace.kernel()->sharedBytes, alignment);
  return pointerAt(trace, offset, type, std::max(alignment, elementBytes(type)), where);
}

}  // namespace cutwork::cute
