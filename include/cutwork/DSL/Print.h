// cutwork/DSL/Print.h -- printing at run time, from kernels and host functions.
//
//     cute::printf("thread {} has %8.3f of {}\n", tid, x, layout);
//     cute::print_tensor(sA);
//
// `{}` takes any value; C's conversions take numbers. What is printed while tracing is C++'s
// business: std::cout << layout.
#pragma once

#include <string>
#include <vector>

#include "cutwork/DSL/Tensor.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

/// A format with its place.
class Format {
 public:
  Format(const char* text, Where where = Where::current()) : text_(text), where_(where) {}
  Format(std::string text, Where where = Where::current())
      : text_(std::move(text)), where_(where) {}
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] Where where() const { return where_; }

 private:
  std::string text_;
  Where where_;
};

/// A value to print: its text, in which `?` stands for each run-time number, and those numbers.
class Printed {
 public:
  template <Operand T>
  Printed(const T& value) : Printed(Arg(value).value()) {}
  Printed(const Numeric& value) : text_("?"), values_{value} {}
  Printed(const IntTuple& tuple);
  Printed(const Layout& layout);
  Printed(const Pointer& pointer);
  Printed(const TensorSSA& vector) : text_(vector.text()) {}
  Printed(const Tensor& tensor);
  Printed(const char* text) : text_(text) {}
  Printed(const std::string& text) : text_(text) {}
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::vector<Numeric>& values() const { return values_; }

 private:
  std::string text_;
  std::vector<Numeric> values_;
};

namespace detail {
void printFormat(const Format& format, const std::vector<Printed>& values);
// What is read for it is read where it is printed.
template <class V>
Printed printed(const V& value, Where where) {
  if constexpr (std::same_as<V, Element> || std::derived_from<V, VarBase>) {
    return Arg(value, where).value();
  } else {
    return Printed(value);
  }
}
}  // namespace detail
/// Errors (User): fewer or more values than the format takes, a conversion that does not fit.
template <class... V>
void printf(const Format& format, const V&... values) {
  detail::printFormat(format, {detail::printed(values, format.where())...});
}

/// The tensor's header and its elements, mode 0 as rows and mode 1 as columns; with `verbose` one
/// coordinate and value a line. Numbers that are no Float64 or integer print as floats.
void print_tensor(const Tensor& tensor, bool verbose = false, Where where = Where::current());
void print_tensor(const TensorSSA& vector, bool verbose = false, Where where = Where::current());

}  // namespace cutwork::cute

#pragma GCC visibility pop
