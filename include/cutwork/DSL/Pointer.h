// cutwork/DSL/Pointer.h -- a typed address: element type, memory space, known alignment, swizzle.
#pragma once

#include "cutwork/DSL/Numeric.h"
#include "cutwork/Layout/Swizzle.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

/// dsmem is the shared memory of the cluster's blocks (PTX's .shared::cluster).
enum class AddressSpace { generic, gmem, smem, rmem, dsmem };
std::string_view name(AddressSpace space);

/// Offsets count elements. The swizzle is applied to the byte address of each access, after all
/// offsets; accesses are then no wider than 2^base bytes.
class Pointer {
 public:
  Pointer(Value value, DType type, AddressSpace space, std::int64_t alignment, Swizzle swizzle = {})
      : value_(value), type_(type), space_(space), alignment_(alignment), swizzle_(swizzle) {}

  [[nodiscard]] Value value() const { return value_; }
  [[nodiscard]] DType type() const { return type_; }
  [[nodiscard]] AddressSpace space() const { return space_; }
  /// Bytes that are known to divide the address, before the swizzle.
  [[nodiscard]] std::int64_t alignment() const { return alignment_; }
  [[nodiscard]] const Swizzle& swizzle() const { return swizzle_; }

  /// The caller promises that the address is a multiple of `bytes`, a power of two.
  [[nodiscard]] Pointer align(std::int64_t bytes, Where where = Where::current()) const;
  /// The same address as elements of another type, or with another swizzle.
  [[nodiscard]] Pointer recast(DType type, Where where = Where::current()) const;
  [[nodiscard]] Pointer withSwizzle(Swizzle swizzle, Where where = Where::current()) const;
  /// The element; and writing it. Types of the same kind widen, narrowing is refused.
  [[nodiscard]] Numeric load(Where where = Where::current()) const;
  void store(const Arg& value) const;
  /// The address: Int64 for generic and gmem, Int32 for smem, dsmem and rmem.
  [[nodiscard]] Numeric toint(Where where = Where::current()) const;
  /// `ptr<f16, gmem, align<16>>`.
  [[nodiscard]] std::string text() const;

 private:
  Value value_;
  DType type_;
  AddressSpace space_;
  std::int64_t alignment_;
  Swizzle swizzle_;
};

Pointer operator+(const Pointer& pointer, const Arg& elements);
Pointer operator-(const Pointer& pointer, const Arg& elements);
/// A pointer from an address: Int64, or Int32 in shared memory. Alignment 0: the element's.
Pointer make_ptr(DType type, const Arg& address, AddressSpace space, std::int64_t alignment = 0);

}  // namespace cutwork::cute

#pragma GCC visibility pop
