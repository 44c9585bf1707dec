// cutwork/Compiler/Compile.h -- from a function of traced values to one that can be called.
//
//     auto host = cutwork::jit("relu", [](cute::Tensor a, cute::Tensor c, cute::Stream s) {
//       cutwork::launch(relu, {.grid = {...}, .block = {128}, .stream = s}, a, c);
//     });
//     auto f = cutwork::compile(host, A, C, stream);      // Arrays, and a Stream
//     f(A, C, stream);                                    // as often as wanted
//
// Parameters of traced types (Tensor, Numeric and its types, Stream) are run-time arguments; others
// are values at compile time, and left out when the result is called.
#pragma once

#include <array>
#include <memory>
#include <tuple>
#include <type_traits>
#include <vector>

#include "cutwork/Codegen/Assembler.h"
#include "cutwork/Compiler/Arguments.h"
#include "cutwork/Compiler/CompileOptions.h"
#include "cutwork/DSL/Host.h"
#include "cutwork/Runtime/Occupancy.h"

#pragma GCC visibility push(default)

namespace cutwork {

/// A compiled host function with its kernels. Copies are the same function; any thread may call it.
class CompiledFunction {
 public:
  /// Runs the host function on the device of the first array, or else Device::best. Throws what it
  /// meets: arguments that do not fit, launches that the device refuses.
  template <class... A>
  void operator()(const A&... arguments) const {
    const std::array<CallArgument, sizeof...(A)> all{CallArgument(arguments)...};
    orThrow(call(all));
  }
  [[nodiscard]] Status call(std::span<const CallArgument> arguments) const;
  /// The same on a device that is named.
  [[nodiscard]] Status callOn(const Device& device, std::span<const CallArgument> arguments) const;
  /// The same with the call's slots, `slotsOf(specs())` of them, checked and filled by the caller.
  [[nodiscard]] Status callSlots(const Device& device, const std::uint64_t* slots) const;
  [[nodiscard]] const std::vector<ArgumentSpec>& specs() const;  ///< what it was compiled for
  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const Target& target() const;
  /// The IR as traced; after the passes; LLVM's after its optimiser; the PTX (empty: no kernel).
  [[nodiscard]] const std::string& mlir() const;
  [[nodiscard]] const std::string& loweredMlir() const;
  [[nodiscard]] const std::string& llvm() const;
  [[nodiscard]] const std::string& ptx() const;
  /// Assembled at the first question: the cubin, what the kernels use, what the assembler said.
  [[nodiscard]] Expected<std::vector<std::byte>> cubin() const;
  [[nodiscard]] Expected<std::vector<EntryResources>> resources() const;
  /// Things that cost speed, `file:line: text`: of the trace, and of the assembler.
  [[nodiscard]] std::vector<std::string> remarks() const;
  /// What of a kernel's blocks, with so much dynamic shared memory, a multiprocessor of the target
  /// holds, by the architecture's rules. Errors (User): there is no such kernel, or no assembler.
  [[nodiscard]] Expected<Occupancy> occupancy(const std::string& kernel, std::int64_t threads,
                                              std::int64_t dynamicShared = 0) const;
  /// How many blocks it is on a device: on a GPU its driver says it.
  [[nodiscard]] Expected<int> activeBlocks(const Device& device, const std::string& kernel,
                                           std::int64_t threads,
                                           std::int64_t dynamicShared = 0) const;
  /// SASS with line numbers; `options` go to nvdisasm. Error (User): that is not found.
  [[nodiscard]] Expected<std::string> sass(const std::vector<std::string>& options = {}) const;
  /// The kernels' names, in the order of their launches.
  [[nodiscard]] const std::vector<std::string>& kernels() const;
  // No moves: what is moved from would be no function.
  CompiledFunction(const CompiledFunction&) = default;
  CompiledFunction& operator=(const CompiledFunction&) = default;
  ~CompiledFunction() = default;
  struct Impl;
  explicit CompiledFunction(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<Impl> impl_;
};

/// Finishes the trace and compiles it.
Expected<CompiledFunction> compileTrace(HostTrace& trace, std::vector<ArgumentSpec> specs,
                                        const CompileOptions& options);
/// The target that options and knobs say, or else the device's.
Expected<Target> targetFor(const CompileOptions& options, const Device* device);

template <class F>
struct JitFunction {
  std::string name;
  F function;
  cute::Where where;  ///< of what has no other place
};
template <class F>
JitFunction<std::decay_t<F>> jit(std::string name, F&& function,
                                 cute::Where where = cute::Where::current()) {
  return {std::move(name), std::forward<F>(function), where};
}

namespace detail {

template <class F>
struct Parameters : Parameters<decltype(&F::operator())> {};
template <class C, class R, class... P>
struct Parameters<R (C::*)(P...) const> {
  using Tuple = std::tuple<std::remove_cvref_t<P>...>;
};
template <class R, class... P>
struct Parameters<R (*)(P...)> {
  using Tuple = std::tuple<std::remove_cvref_t<P>...>;
};

template <class T>
inline constexpr bool kIsScalar = std::is_base_of_v<cute::Numeric, T>;
template <class T>
inline constexpr bool kIsTraced =
    kIsScalar<T> || std::is_same_v<T, cute::Tensor> || std::is_same_v<T, cute::Stream>;

template <class P, class A>
ArgumentSpec specOf(const A& argument) {
  if constexpr (std::is_same_v<P, cute::Stream>) {
    return StreamSpec{};
  } else if constexpr (std::is_same_v<P, cute::Tensor>) {
    if constexpr (std::is_same_v<A, TensorArgument>) {
      return argument.spec();
    } else if constexpr (std::is_same_v<A, TensorSpec>) {
      return argument;
    } else {
      return dynamic(argument).spec();
    }
  } else if constexpr (std::is_same_v<P, cute::Numeric>) {
    static_assert(std::is_arithmetic_v<A>, "a Numeric parameter takes a C++ number");
    return ScalarSpec{std::is_same_v<A, bool>       ? cute::DType::Boolean
                      : std::is_floating_point_v<A> ? cute::DType::Float32
                      : sizeof(A) > 4               ? cute::DType::Int64
                                                    : cute::DType::Int32};
  } else {
    return ScalarSpec{P::kType};
  }
}

template <class P>
P tracedArgument(HostTrace& trace, const ArgumentSpec& spec) {
  if constexpr (std::is_same_v<P, cute::Tensor>) {
    return trace.tensor(std::get<TensorSpec>(spec));
  } else if constexpr (std::is_same_v<P, cute::Stream>) {
    return trace.stream();
  } else {
    return P(trace.scalar(std::get<ScalarSpec>(spec).type));
  }
}

template <class A>
const Device* deviceOf(const A& argument) {
  if constexpr (std::is_convertible_v<const A&, CallArgument>) {
    return CallArgument(argument).device();
  } else {
    return nullptr;
  }
}

template <class P, class A>
P bindArgument(HostTrace& trace, std::vector<ArgumentSpec>& specs, const A& argument) {
  if constexpr (kIsTraced<P>) {
    specs.push_back(specOf<P>(argument));
    return tracedArgument<P>(trace, specs.back());
  } else {
    return P(argument);
  }
}

}  // namespace detail

/// Traces and compiles a function for arguments like these. Throws UserError where the program is
/// wrong, at the place where it was written.
template <class F, class... A>
CompiledFunction compile(const CompileOptions& options, const JitFunction<F>& host,
                         const A&... arguments) {
  using Tuple = detail::Parameters<F>::Tuple;
  static_assert(std::tuple_size_v<Tuple> == sizeof...(A),
                "compile takes one argument for each parameter of the function");
  const Device* device = nullptr;
  ((device = device != nullptr ? device : detail::deviceOf(arguments)), ...);
  HostTrace trace(host.name, targetFor(options, device).value(), host.where);
  std::vector<ArgumentSpec> specs;
  specs.reserve(sizeof...(A));
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    // Braces evaluate from left to right, so that slots come in the order of the parameters.
    Tuple traced{detail::bindArgument<std::tuple_element_t<I, Tuple>>(trace, specs, arguments)...};
    trace.run([&] { std::apply(host.function, traced); });
  }(std::index_sequence_for<A...>());
  return compileTrace(trace, std::move(specs), options).value();
}
template <class F, class... A>
CompiledFunction compile(const JitFunction<F>& host, const A&... arguments) {
  return compile(CompileOptions{}, host, arguments...);
}

}  // namespace cutwork

#pragma GCC visibility pop
