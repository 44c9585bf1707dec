// cutwork/DSL/Smem.h -- shared memory of a block: an allocator, and structs laid over it.
//
//     SmemAllocator smem;
//     Tensor sA = smem.allocate_tensor(DType::Float16, layout, 128);        // byte alignment 128
//     Pointer bars = smem.allocate_array(DType::Int64, 4);
//
//     SmemStruct storage;                                                   // fields as in C
//     auto a = storage.field(DType::Float16, cosize(layout), 1024);
//     auto flag = storage.field(DType::Int32, 1);
//     Pointer base = smem.allocate(storage);
//     Tensor sA = make_tensor(storage.at(base, a), layout);
//
// What a kernel's allocators take adds up, and the launch asks for it. Allocations of all
// allocators of a kernel lie behind each other; nothing is freed.
#pragma once

#include <vector>

#include "cutwork/DSL/Tensor.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

/// Fields in their order, each aligned as it asks, as a C struct has them.
class SmemStruct {
 public:
  struct Field {
    DType type;
    std::int64_t offset;  ///< bytes
    std::int64_t count;
    std::int64_t alignment;
  };
  /// `count` elements (0 is possible: a field with an address and no size); alignment 0 is the
  /// element's. Errors (User): a negative count, an alignment that is no power of two.
  Field field(DType type, std::int64_t count = 1, std::int64_t alignment = 0,
              Where where = Where::current());
  /// Bytes, with the end padded to the alignment.
  [[nodiscard]] std::int64_t size_in_bytes() const;
  [[nodiscard]] std::int64_t alignment() const { return alignment_; }
  /// A field of the struct that lies at `base`.
  [[nodiscard]] Pointer at(const Pointer& base, const Field& field,
                           Where where = Where::current()) const;

 private:
  std::int64_t end_ = 0;
  std::int64_t alignment_ = 1;
};

class SmemAllocator {
 public:
  /// Error (User): outside a kernel.
  explicit SmemAllocator(Where where = Where::current());
  /// Bytes. Errors (User): a negative size, an alignment that is no power of two or above 1024,
  /// more than the target has.
  Pointer allocate(std::int64_t bytes, std::int64_t alignment = 1, Where where = Where::current());
  Pointer allocate(const SmemStruct& storage, std::int64_t alignment = 0,
                   Where where = Where::current());
  Pointer allocate_array(DType type, std::int64_t count = 1, std::int64_t alignment = 0,
                         Where where = Where::current());
  /// A tensor of static layout; `swizzle` goes onto the pointer. A swizzle both here and in the
  /// layout is refused.
  Tensor allocate_tensor(DType type, const AnyLayout& layout, std::int64_t alignment = 0,
                         Swizzle swizzle = {}, Where where = Where::current());
  Tensor allocate_tensor(DType type, const Layout& layout, std::int64_t alignment = 0,
                         Swizzle swizzle = {}, Where where = Where::current());
  Tensor allocate_tensor(DType type, const ComposedLayout& layout, std::int64_t alignment = 0,
                         Where where = Where::current());
};

/// What the kernel's allocators have taken so far, bytes.
std::int64_t smem_size(Where where = Where::current());
/// The shared memory behind what was allocated, when the launch asks for more than that: its start,
/// for elements of `type`.
Pointer get_dyn_smem(DType type, std::int64_t alignment = 16, Where where = Where::current());
}  // namespace cutwork::cute

#pragma GCC visibility pop
