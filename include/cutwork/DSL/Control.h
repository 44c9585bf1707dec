// cutwork/DSL/Control.h -- run-time control flow and mutable variables.
//
//     Var<Float32> sum(0);
//     for_(0, n, [&](Int32 k) { sum += x(k); });
//     if_(sum > 1, [&] { y(0) = sum; }).else_([&] { y(0) = 0; });
//     return_if(tid >= n);                       // the thread leaves the kernel, from any depth
//
// C++ `if`, `for` and recursion run while tracing: they choose and repeat code. A condition that is
// a constant while tracing chooses the body then, and no branch is made.
#pragma once

#include <functional>
#include <utility>

#include "cutwork/DSL/Numeric.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

/// An if_ that has been traced, for else_ or else_if, once, and in the same trace. Errors (User)
/// otherwise.
class If {
 public:
  void else_(const std::function<void()>& body) const;
  If else_if(const Arg& condition,
             const std::function<void()>& body) const;  // NOLINT

 private:
  friend If if_(const Arg& condition, const std::function<void()>& body);
  enum class Known { No, True, False };
  If(Known known, void* op, void* chain, std::uint64_t trace, Where where)
      : known_(known), op_(op), chain_(chain), trace_(trace), where_(where) {}
  void checkOpen() const;
  Known known_;
  void* op_;     ///< the scf.if; null where the condition is known
  void* chain_;  ///< the scf.if that the chain of else_if began with
  std::uint64_t trace_;
  Where where_;
};
If if_(const Arg& condition, const std::function<void()>& body);

/// The bounds of a loop, and how it is unrolled. Any sign of step, static or not.
struct Range {
  Arg start;
  Arg stop;
  Arg step = 1;
  int unroll = 0;            ///< times; 1 forbids it, 0 leaves it to the compiler
  bool unroll_full = false;  ///< needs static bounds
};
namespace detail {
void forLoop(const Range& range, const std::function<void(const Numeric&)>& body);
}
/// body(k) for k from start, by step, before stop; one IR loop. Its type is the promoted one. A
/// run-time step of 0 runs nothing. Errors (User): a constant step of 0; bounds that are no
/// integers.
template <std::invocable<Numeric> F>
void for_(const Range& range, F&& body) {
  detail::forLoop(range, [&](const Numeric& k) { body(k); });
}
template <std::invocable<Numeric> F>
void for_(const Arg& start, const Arg& stop, F&& body) {
  for_(Range{start, stop}, std::forward<F>(body));
}
template <std::invocable<Numeric> F>
void for_(const Arg& start, const Arg& stop, const Arg& step, F&& body) {
  for_(Range{start, stop, step}, std::forward<F>(body));
}

/// body() as long as condition() holds; both are traced once.
void while_(const std::function<Boolean()>& condition, const std::function<void()>& body,
            Where where = Where::current());

/// The thread leaves the kernel if the condition holds. Error (User): in a host function.
void return_if(const Arg& condition);

/// A variable of the kernel, of a type known without its template argument.
class VarBase {
 public:
  VarBase(DType type, const Arg& initial);
  VarBase(const VarBase&) = delete;
  ~VarBase() = default;
  [[nodiscard]] DType type() const { return type_; }
  [[nodiscard]] Numeric load(Where where = Where::current()) const;
  /// Converts to the variable's type. Error (User): a literal that it cannot hold.
  void store(const Arg& value);
  VarBase& operator=(const Arg& value) {
    store(value);
    return *this;
  }
  VarBase& operator=(const VarBase& value);  // NOLINT: has no place but the last one
  VarBase& operator+=(const Arg& v) { return *this = Arg(Arg(*this, v.where()) + v, v.where()); }
  VarBase& operator-=(const Arg& v) { return *this = Arg(Arg(*this, v.where()) - v, v.where()); }
  VarBase& operator*=(const Arg& v) { return *this = Arg(Arg(*this, v.where()) * v, v.where()); }
  operator IntTuple() const;

 protected:
  /// For conversions, which have no place of their own: that of the operation before.
  [[nodiscard]] Numeric read() const;

 private:
  DType type_;
  Value slot_;
};

/// A variable: a slot that LLVM turns into a register. Reading gives its value at that point.
template <class T>
class Var : public VarBase {
 public:
  // Explicit, so that an assignment is VarBase's: there a number becomes an Arg with its place.
  explicit Var(const Arg& initial) : VarBase(T::kType, initial) {}
  Var(const Var&) = delete;
  ~Var() = default;
  // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method): the same, but gives a Var
  Var& operator=(const Arg& value) {
    store(value);
    return *this;
  }
  // Never chosen: x = y is an assignment of an Arg, which has its place.
  Var& operator=(const Var&)
    requires(sizeof(T) == 0);
  operator T() const { return T(read()); }
};

}  // namespace cutwork::cute

#pragma GCC visibility pop
