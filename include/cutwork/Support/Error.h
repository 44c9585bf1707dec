// cutwork/Support/Error.h -- the three kinds of error; Expected<T>: a value or why there is none.
//
// Inside the library an error is a value: a function that can refuse returns Expected<T>. At the
// library's edge it becomes an exception: reading an Expected that holds an error throws the class
// that belongs to the error's kind. So a user writes
//
//     Layout r = composition(a, b);            // throws UserError, what() says why
//     auto r = composition(a, b);              // or looks first:
//     if (!r) report(r.error());
//
// and the library passes errors on with CW_TRY, which throws nothing.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "cutwork/Support/SourcePlace.h"

#pragma GCC visibility push(default)

namespace cutwork {

/// Whose fault an error is.
enum class ErrorKind {
  User,      ///< the user's program or input is refused
  Internal,  ///< a bug in Cutwork
  Device,    ///< a real or simulated device reported a fault
};

/// One error: its kind, a message (what was expected, what came), and the user's place if known.
/// One pointer wide; empty only after a move, so that Expected<T> costs nothing when all is well.
class [[nodiscard]] Error {
 public:
  Error(ErrorKind kind, std::string message, SourcePlace place = {});
  Error(const Error& other);
  Error(Error&& other) noexcept;
  Error& operator=(const Error& other);
  Error& operator=(Error&& other) noexcept;
  ~Error();

  [[nodiscard]] ErrorKind kind() const;
  /// The message alone, without the place.
  [[nodiscard]] const std::string& message() const;
  /// Where in the user's program; `known()` is false if nobody has said.
  [[nodiscard]] const SourcePlace& place() const;
  /// The same error at `place`, unless it already has one.
  [[nodiscard]] Error at(const SourcePlace& place) &&;
  /// The same error with `prefix` before its message ("zipped_divide: ").
  [[nodiscard]] Error within(std::string_view prefix) &&;
  /// `file:line: message`, and for an internal error how to report it.
  [[nodiscard]] std::string text() const;
  /// Throws the UserError, InternalError or DeviceError that carries this error.
  [[noreturn]] void raise() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

Error userError(std::string message, SourcePlace place = {});
Error internalError(std::string message, SourcePlace place = SourcePlace::current());
Error deviceError(std::string message, SourcePlace place = {});

/// The base of everything Cutwork throws.
class Exception : public std::exception {
 public:
  explicit Exception(Error error);
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }
  [[nodiscard]] const Error& error() const noexcept { return error_; }

 private:
  Error error_;
  std::string text_;
};
class UserError : public Exception {
  using Exception::Exception;
};
class InternalError : public Exception {
  using Exception::Exception;
};
class DeviceError : public Exception {
  using Exception::Exception;
};

/// A T, or the Error that says why there is none.
template <class T>
class [[nodiscard]] Expected {
 public:
  using value_type = T;
  Expected(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Expected(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const& { return ok(); }
  /// Precondition: !ok().
  [[nodiscard]] const Error& error() const { return *std::get_if<1>(&state_); }
  [[nodiscard]] Error takeError() && { return std::move(*std::get_if<1>(&state_)); }

  /// The value; throws the error if there is none.
  [[nodiscard]] const T& value() const& { return check(), *std::get_if<0>(&state_); }
  [[nodiscard]] T& value() & { return check(), *std::get_if<0>(&state_); }
  // From a temporary the value itself: a reference would dangle in `for (x : f().value())`.
  [[nodiscard]] T value() && { return check(), std::move(*std::get_if<0>(&state_)); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }
  // Not for numbers and pointers: they convert to bool themselves, and `if (result)` would read a
  // value that may not be there. Not for const lvalues: that operator would bind rvalues too and
  // make `layout = operation(...)` ambiguous.
  operator const T&() &
    requires(!std::is_scalar_v<T>)
  {
    return value();
  }
  operator T() &&
    requires(!std::is_scalar_v<T>)
  {
    return std::move(*this).value();
  }

 private:
  void check() const {
    if (!ok()) error().raise();
  }
  std::variant<T, Error> state_;
};

}  // namespace cutwork

#pragma GCC visibility pop

#define CW_CONCAT_(a, b) a##b
#define CW_CONCAT(a, b) CW_CONCAT_(a, b)

/// CW_TRY(auto x, expr): x is the value of `expr`, or the enclosing function returns its error.
#define CW_TRY(declaration, ...) CW_TRY_(CW_CONCAT(cwTry, __COUNTER__), declaration, __VA_ARGS__)
#define CW_TRY_(temporary, declaration, ...)                    \
  auto temporary = (__VA_ARGS__);                               \
  if (!temporary.ok()) return std::move(temporary).takeError(); \
  declaration = std::move(temporary).value()
