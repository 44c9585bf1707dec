// cutwork/Compiler/Arguments.h -- what a compiled function is called with, and what it is compiled
// for.
#pragma once

#include <concepts>
#include <span>
#include <variant>

#include "cutwork/DSL/Host.h"
#include "cutwork/Runtime/Array.h"
#include "cutwork/Runtime/Stream.h"

#pragma GCC visibility push(default)

namespace cutwork {

/// An array as a tensor argument, with what is to be known of it when the function is compiled. A
/// bare Array is `dynamic(array)`.
///
///     compile(host, from_dlpack(a));                                   // all extents and strides
///     compile(host, from_dlpack(a).mark_layout_dynamic());             // none but the stride of 1
///     compile(host, from_dlpack(a).mark_compact_shape_dynamic(0));     // all but extent 0
class TensorArgument {
 public:
  TensorArgument(Array array, TensorSpec spec) : array_(std::move(array)), spec_(std::move(spec)) {}
  [[nodiscard]] const Array& array() const { return array_; }
  [[nodiscard]] const TensorSpec& spec() const { return spec_; }
  /// Every extent and stride becomes a run-time value, but the leading stride of 1 and strides of
  /// 0. Leading is the only mode of stride 1, or the only one of them of extent above 1; `leading`
  /// names it otherwise. Error (User): it is not of stride 1.
  TensorArgument& mark_layout_dynamic(int leading = -1);
  /// The extent of `mode` becomes a run-time value, a multiple of `divisibility`, and the strides
  /// of the modes outside it with it. `order` lists the modes from outermost to innermost; empty:
  /// from the strides. Errors (User): no such mode; an order that is none, or that the strides
  /// contradict; an extent that is not divisible.
  TensorArgument& mark_compact_shape_dynamic(int mode, std::vector<int> order = {},
                                             std::int64_t divisibility = 1);

 private:
  Array array_;
  TensorSpec spec_;
};

/// All extents and strides known. `alignment` in bytes is promised, and checked at each call; 0:
/// the element's.
TensorArgument from_dlpack(const Array& array, std::int64_t alignment = 0);
/// Run-time extents have 64 bits where the array has more than 2^31 - 1 elements, else 32: then
/// calls with so many are refused.
/// Nothing known but the rank, the leading stride of 1, strides of 0, and an alignment of up to 16
/// bytes that the array has.
TensorArgument dynamic(const Array& array);

/// One argument of a call, whatever its type.
class CallArgument {
 public:
  CallArgument(const Array& array) : value_(&array) {}                     // NOLINT
  CallArgument(const TensorArgument& tensor) : value_(&tensor.array()) {}  // NOLINT
  template <std::integral T>
  CallArgument(T value) : value_(static_cast<std::int64_t>(value)) {}  // NOLINT
  template <std::floating_point T>
  CallArgument(T value) : value_(static_cast<double>(value)) {}    // NOLINT
  CallArgument(const Stream& stream) : value_(stream.handle()) {}  // NOLINT
  CallArgument(StreamHandle stream) : value_(stream) {}            // NOLINT

  using Value = std::variant<const Array*, std::int64_t, double, StreamHandle>;
  [[nodiscard]] const Value& value() const { return value_; }
  /// Where an array or a stream is; null for others.
  [[nodiscard]] const Device* device() const {
    if (const auto* array = std::get_if<const Array*>(&value_)) {
      return (*array)->device() ? &*(*array)->device() : nullptr;
    }
    return device_;
  }

 private:
  Value value_;
  const Device* device_ = nullptr;
};

struct ScalarSpec {
  cute::DType type;
};
/// An address, as Int64.
struct PointerSpec {
  cute::DType type;
  cute::AddressSpace space;
  std::int64_t alignment;
};
struct StreamSpec {};
/// What an argument was compiled for.
using ArgumentSpec = std::variant<TensorSpec, ScalarSpec, PointerSpec, StreamSpec>;

/// The stride that a mode of `extent` is given. That of a mode of extent 1 is used by no element:
/// it is what the specification knows, or 0 if it does not hold the array's.
std::int64_t strideOf(const LeafSpec& spec, std::int64_t extent, std::int64_t stride);

/// What messages call argument `i`: `argument x`, or `argument 3` where it has no name.
std::string argumentText(std::span<const std::string> names, std::size_t i);
/// Checks `arguments` against `specs` and puts their leaves into slots, in order. Errors (User): a
/// wrong number, type, rank, extent, stride or alignment, with the argument's name.
Status encodeArguments(std::span<const ArgumentSpec> specs, std::span<const CallArgument> arguments,
                       std::span<std::uint64_t> slots, std::span<const std::string> names = {});
/// The slots of one tensor, number or address without the making of results, for callers that
/// count nanoseconds. False: it does not fit, and encodeArguments says why; some slots may be
/// written then.
bool encodeTensorAtOnce(const TensorSpec& spec, const dlpack::Tensor& tensor, std::uint64_t* slots);
bool encodeNumberAtOnce(cute::DType type, std::int64_t value, std::uint64_t& slot);
bool encodeNumberAtOnce(cute::DType type, double value, std::uint64_t& slot);
/// How many slots the arguments take.
std::size_t slotsOf(std::span<const ArgumentSpec> specs);
/// The element type of the language for one of DLPack, and back. Error (User): there is none.
Expected<cute::DType> elementType(DataType type);
DataType dataType(cute::DType type);

}  // namespace cutwork

#pragma GCC visibility pop
