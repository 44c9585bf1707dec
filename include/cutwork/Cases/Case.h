// cutwork/Cases/Case.h -- a case: a kernel with its inputs, what it has to give, and its cost.
//
//     const RegisterCase kRelu({
//         .name = "relu",
//         .description = "y = max(x, 0), fp16",
//         .shape = {1024, 512},
//         .oddShapes = {{4, 256}, {12, 512}},
//         .get_inputs = [](const CaseShape& shape, std::uint64_t seed) {
//           CaseArrays arrays(seed);
//           arrays.input("x", DType::Float16, shape);
//           arrays.output("y", DType::Float16, shape);
//           return arrays;
//         },
//         .kernel_fn = kernelFn(jit("relu", host)),          // host takes the arrays, in this
//         order .reference_fn = [](const CaseArrays& in, CaseResults& out) {
//           for (std::int64_t i = 0; i < in["x"].size(); ++i) out["y"][i] = std::max(in["x"][i],
//           0.0);
//         },
//     });
//
// `cutwork cases` lists what is registered, `cutwork verify` and `cutwork bench` run it.
#pragma once

#include <span>

#include "cutwork/Cases/HostArray.h"
#include "cutwork/Compiler/Compile.h"

#pragma GCC visibility push(default)

namespace cutwork {

/// The exact values of the outputs, each of the size of its array.
class CaseResults {
 public:
  explicit CaseResults(const CaseArrays& arrays);
  /// Error (thrown, Internal): no output of that name.
  std::vector<double>& operator[](std::string_view name);
  [[nodiscard]] const std::vector<double>& operator[](std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::vector<double>>> values_;
};

/// Compiles the kernel for arguments like these.
using CaseKernel =
    std::function<CompiledFunction(const CompileOptions&, std::span<const TensorSpec>)>;

// Initialised in words, for designated initialisers that leave members out.
// NOLINTBEGIN(readability-redundant-member-init)
struct Case {
  std::string name;
  std::string description = {};           ///< one line
  std::string extents = {};               ///< what the extents are called: `MxNxK`
  CaseShape shape = {};                   ///< that verify and bench run if none is asked for
  std::vector<CaseShape> oddShapes = {};  ///< that verify runs besides
  std::function<CaseArrays(const CaseShape& shape, std::uint64_t seed)> get_inputs = {};
  CaseKernel kernel_fn = {};
  std::function<void(const CaseArrays& inputs, CaseResults& outputs)> reference_fn = {};
  double rtol = 0;  ///< an element is right if |it - exact| <= atol + rtol * |exact|
  double atol = 0;
  /// Bytes of global memory that a run has to move; else those of all arrays.
  std::function<double(const CaseShape& shape)> bytes = {};
  /// Floating-point operations; empty: the kernel is measured in bytes alone.
  std::function<double(const CaseShape& shape)> flops = {};
};
// NOLINTEND(readability-redundant-member-init)

/// A kernel_fn from a function that jit has named: it takes the arrays, in their order.
template <class F>
CaseKernel kernelFn(JitFunction<F> host) {
  return [host](const CompileOptions& options, std::span<const TensorSpec> specs) {
    constexpr std::size_t kCount = std::tuple_size_v<typename detail::Parameters<F>::Tuple>;
    if (specs.size() != kCount) {
      userError("'" + host.name + "' takes " + std::to_string(kCount) + " arrays, the case has " +
                std::to_string(specs.size()))
          .raise();
    }
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return compile(options, host, specs[I]...);
    }(std::make_index_sequence<kCount>());
  };
}

/// Registers a case for as long as the program lives. One that has the name of another, or that
/// lacks a part, is reported by allCases.
class RegisterCase {
 public:
  explicit RegisterCase(Case what);
};

/// The registered cases, by name. Error (Internal): two have one name; a part is missing.
Expected<std::vector<const Case*>> allCases();
/// Error (User): there is no such case, with those that are.
Expected<const Case*> findCase(std::string_view name);

}  // namespace cutwork

#pragma GCC visibility pop
