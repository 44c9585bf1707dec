// cutwork/Cases/HostArray.h -- a named array of a case on the host, its elements as doubles.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cutwork/Compiler/Arguments.h"

#pragma GCC visibility push(default)

namespace cutwork {

/// Extents, outermost first: {1024, 512}.
using CaseShape = std::vector<std::int64_t>;
/// `1024x512`; `1` for no extent.
std::string shapeText(const CaseShape& shape);
/// The reverse. Error (User): not `N` or `MxN...` of positive extents.
Expected<CaseShape> parseShape(std::string_view text);

/// The bits of an element for a value, rounded to nearest even; and the value of an element's bits,
/// exactly. Integers wrap. Float8E4M3FN saturates, the other floats overflow to infinity.
std::uint64_t encodeElement(cute::DType type, double value);
double decodeElement(cute::DType type, std::uint64_t bits);

/// An argument of a kernel: compact, the last mode contiguous.
class HostArray {
 public:
  HostArray(std::string name, cute::DType type, const CaseShape& shape, bool output);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] cute::DType type() const { return type_; }
  [[nodiscard]] const CaseShape& shape() const { return data_.shape(); }
  [[nodiscard]] bool isOutput() const { return output_; }
  [[nodiscard]] const Array& data() const { return data_; }
  [[nodiscard]] std::int64_t size() const { return data_.size(); }
  [[nodiscard]] std::int64_t bytes() const { return size() * elementBytes(type_); }

  /// Element i in the order of memory.
  double operator[](std::int64_t i) const { return decodeElement(type_, bits(i)); }
  [[nodiscard]] std::uint64_t bits(std::int64_t i) const;
  void set(std::int64_t i, double value) { setBits(i, encodeElement(type_, value)); }
  void setBits(std::int64_t i, std::uint64_t bits);
  /// Values from [low, high): the same for the same seed and name on every machine. They repeat
  /// after 1,000,003 elements, a prime number, so that a tile in a wrong place is seen.
  HostArray& uniform(std::uint64_t seed, double low, double high);
  /// The kernel is to be compiled for any extents of this array, not for these; the last one is
  /// known to be a multiple of `divisibility`.
  HostArray& dynamic(std::int64_t divisibility = 1) { return divisor_ = divisibility, *this; }
  /// What the kernel is compiled for: 16-byte alignment; all extents and strides unless dynamic().
  /// Error (thrown, User): an extent that is not divisible.
  [[nodiscard]] TensorSpec spec() const;

 private:
  std::string name_;
  cute::DType type_;
  bool output_;
  std::int64_t divisor_ = 0;  ///< 0: extents are known
  Array data_;
};

/// The arrays of one run of a case, in the order of the kernel's arguments.
class CaseArrays {
 public:
  explicit CaseArrays(std::uint64_t seed) : seed_(seed) {}
  /// Adds an input of values in [low, high), or an output.
  HostArray& input(std::string name, cute::DType type, const CaseShape& shape, double low = -1,
                   double high = 1);
  HostArray& output(std::string name, cute::DType type, const CaseShape& shape);

  [[nodiscard]] const std::vector<HostArray>& all() const { return arrays_; }
  /// Error (thrown, Internal): there is none of that name.
  const HostArray& operator[](std::string_view name) const;
  [[nodiscard]] std::vector<TensorSpec> specs() const;
  /// Bytes of all arrays: each read or written once.
  [[nodiscard]] std::int64_t bytes() const;

 private:
  std::uint64_t seed_;
  std::vector<HostArray> arrays_;
};

}  // namespace cutwork

#pragma GCC visibility pop
