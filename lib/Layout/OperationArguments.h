// OperationArguments.h -- the operands of an operation given by name, read from text when asked
// for.
#pragma once

#include <span>
#include <vector>

#include "cutwork/Layout/Operations.h"
#include "cutwork/Layout/Text.h"

namespace cutwork::cute {

/// Reads operand i as what the operation wants; an error names the operation and the operand.
class OperationArguments {
 public:
  OperationArguments(std::string_view operation, std::span<const std::string> texts,
                     const DynamicFactory& dynamic)
      : operation_(operation), texts_(texts), dynamic_(dynamic) {}

  [[nodiscard]] std::string_view name() const { return operation_; }
  [[nodiscard]] const std::string& text(std::size_t i) const { return texts_[i]; }
  [[nodiscard]] std::size_t count() const { return texts_.size(); }
  /// Whether operand i is written as a layout or a composed one.
  [[nodiscard]] bool isLayout(std::size_t i) const;
  [[nodiscard]] bool isComposed(std::size_t i) const;
  /// Whether operand i holds layouts in a tiler.
  [[nodiscard]] bool isTiler(std::size_t i) const;

  Expected<IntTuple> tuple(std::size_t i) const;
  /// A tuple of extents, which are positive where they are known.
  Expected<IntTuple> shape(std::size_t i) const;
  Expected<Layout> layout(std::size_t i) const;
  Expected<AnyLayout> anyLayout(std::size_t i) const;
  Expected<Tiler> tiler(std::size_t i) const;
  Expected<Swizzle> swizzle(std::size_t i) const;
  Expected<std::int64_t> integer(std::size_t i) const;
  /// A tuple of mode numbers, or one.
  Expected<std::vector<int>> modes(std::size_t i) const;

 private:
  template <class T>
  Expected<T> at(std::size_t i, Expected<T> read, std::string_view what) const;
  std::string_view operation_;
  std::span<const std::string> texts_;
  const DynamicFactory& dynamic_;
};

/// The refusal of a name that is no operation, with the nearest ones.
Error unknownOperation(std::string_view name, std::span<const OperationInfo> known);

}  // namespace cutwork::cute
