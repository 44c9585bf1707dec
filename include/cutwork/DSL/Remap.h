// cutwork/DSL/Remap.h -- the one protocol that carries objects into a kernel: their run-time leaves
// out, the object back.
//
// remap(r, x) is x with each run-time leaf replaced by what r says: a pointer, a scalar, a dynamic
// integer of a layout. Leaves come in the same order each time. What is static (C++ numbers, enums,
// lambdas, static layouts) stays as it is. A struct of the user's takes part by
//
//     struct Problem { cute::Tensor a; cute::Int32 n; };
//     auto fields(Problem& p) { return std::tie(p.a, p.n); }     // beside it, found by its type
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "cutwork/DSL/Tensor.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

class Remap {
 public:
  Remap() = default;
  Remap(const Remap&) = delete;
  Remap& operator=(const Remap&) = delete;
  virtual ~Remap() = default;
  virtual Numeric numeric(const Numeric& value) = 0;
  virtual Int integer(Int value) = 0;
  virtual Pointer pointer(const Pointer& value) = 0;
};

Numeric remap(Remap& r, const Numeric& x);
Pointer remap(Remap& r, const Pointer& x);
Int remap(Remap& r, Int x);
IntTuple remap(Remap& r, const IntTuple& x);
Layout remap(Remap& r, const Layout& x);
ComposedLayout remap(Remap& r, const ComposedLayout& x);
AnyLayout remap(Remap& r, const AnyLayout& x);
Tensor remap(Remap& r, const Tensor& x);
Tiler remap(Remap& r, const Tiler& x);

template <DType D>
Scalar<D> remap(Remap& r, const Scalar<D>& x) {
  return remap(r, static_cast<const Numeric&>(x));
}
template <class T>
std::vector<T> remap(Remap& r, const std::vector<T>& x);
template <class T, std::size_t N>
std::array<T, N> remap(Remap& r, const std::array<T, N>& x);
template <class... T>
std::tuple<T...> remap(Remap& r, const std::tuple<T...>& x);
template <class T>
std::optional<T> remap(Remap& r, const std::optional<T>& x);

template <class T>
concept HasFields = requires(T& x) { fields(x); };

template <class T>
  requires(!std::convertible_to<T, Numeric>)
T remap(Remap& r, const T& x) {
  if constexpr (HasFields<T>) {
    T copy(x);
    // Traced values are not assigned to: each field is made anew in its place.
    std::apply(
        [&](auto&... field) {
          auto renew = [&](auto& f) {
            auto fresh = remap(r, f);
            std::destroy_at(&f);
            std::construct_at(&f, std::move(fresh));
          };
          (renew(field), ...);
        },
        fields(copy));
    return copy;
  } else {
    return x;
  }
}

template <class T>
std::vector<T> remap(Remap& r, const std::vector<T>& x) {
  std::vector<T> out;
  out.reserve(x.size());
  for (const T& element : x) out.push_back(remap(r, element));
  return out;
}
template <class T, std::size_t N>
std::array<T, N> remap(Remap& r, const std::array<T, N>& x) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<T, N>{remap(r, x[I])...};
  }(std::make_index_sequence<N>());
}
template <class... T>
std::tuple<T...> remap(Remap& r, const std::tuple<T...>& x) {
  return std::apply([&](const T&... e) { return std::tuple<T...>{remap(r, e)...}; }, x);
}
template <class T>
std::optional<T> remap(Remap& r, const std::optional<T>& x) {
  if (!x) return std::nullopt;
  return std::optional<T>(remap(r, *x));
}

}  // namespace cutwork::cute

#pragma GCC visibility pop
