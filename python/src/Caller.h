// Caller.h -- calls from Python that encode their arguments straight into the slots of a launch.
#pragma once

#include "Convert.h"
#include "cutwork/Compiler/Compile.h"

namespace cutwork::python {

/// What must still hold for a trace to be the one that would be made now: an item of a dict, a
/// cell, an attribute, a length, an element of a list, an item of a class, the
/// keys of a dict in order. Compared by identity, or as equal numbers and texts of one type.
struct Guard {
  enum Kind : int { Item, Cell, Attribute, Length, Index, Mapping, Keys };
  Kind kind = Item;
  nb::object holder;
  nb::object key;
  nb::object expected;  ///< null: there is none
  [[nodiscard]] bool holds() const;
};

/// How one argument of a call is taken.
struct Parameter {
  enum Kind : int { Tensor, Number, Pointer, Stream, Constant };
  Kind kind = Constant;
  nb::object name;
  std::size_t spec = 0;  ///< its number among the specs
  std::size_t slot = 0;  ///< where its slots begin
  /// Of an exact match: the type of the argument, or, of a constant, its value.
  nb::object like;
  bool exact = false;  ///< would be compiled to the same, not only served by it
  bool written =
      false;  ///< the number's class is written in the signature, not found from its value
};

/// One compiled function with the calls that it serves.
struct Variant {
  Variant(CompiledFunction f) : function(std::move(f)) {}
  CompiledFunction function;
  std::vector<Parameter> parameters;  ///< of the call, positional ones first
  std::size_t positional = 0;
  std::size_t slots = 0;
  bool anyKeywords = false;  ///< keywords may name any parameter
  bool hasStream = false;
  std::vector<std::size_t> streams;                       ///< slots that get the current stream
  std::vector<std::pair<std::size_t, std::size_t>> ties;  ///< slots that must be equal
  std::vector<Guard> guards;
  nb::object result;
  std::optional<Device> device;     ///< else that of the first array
  std::optional<Device> otherwise;  ///< of calls without arrays
};

/// What the arguments of a call say besides their slots.
struct CallPlace {
  const Device* device = nullptr;
  int index = -1;  ///< of a CUDA device
  void* stream = nullptr;
};

/// Puts one argument into its slots. False: not this way, or it does not fit.
bool encode(const Parameter& parameter, const ArgumentSpec& spec, PyObject* value,
            std::uint64_t* slots, CallPlace& place);

/// The class of prepared tensors, cutwork.cute.runtime.Tensor.
void setPreparedClass(nb::object kind);

/// Sets the Python exception of a C++ one.
void setPythonError(const std::exception_ptr& thrown);

void bindCaller(nb::module_& m);
void bindTvmFfi(nb::module_& m);

}  // namespace cutwork::python
