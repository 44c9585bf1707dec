// Convert.h -- Python objects as operands of the kernel language, and back.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "cutwork/Cute.h"
#include "cutwork/DSL/Staging.h"

namespace nb = nanobind;

namespace cutwork::python {

namespace cute = cutwork::cute;

/// What an instance of a Python number class (cutwork.cute.Int32 ...) holds: a scalar, and, of one
/// that comes from the layout algebra, the leaf with what is known to divide it.
struct Scalar {
  cute::Numeric numeric;
  std::optional<cute::Int> leaf;
};

/// Python's class of each element type, and the other classes that Python defines.
struct Classes {
  nb::object numbers[cute::kDTypes];
  nb::object basis;      ///< ScaledBasis(value, path)
  nb::object userError;  ///< raised for UserError, ...
  nb::object internalError;
  nb::object deviceError;
};
/// Lives as long as the interpreter.
Classes& classes();

/// A number as an operand: bool, int, float, or an instance of a number class. Raises TypeError.
cute::Arg toArg(nb::handle object);
bool isNumber(nb::handle object);
/// A Scalar as an instance of its number class.
nb::object wrap(Scalar scalar);
nb::object wrap(const cute::Numeric& numeric);
nb::object wrap(cute::Int leaf);
/// The Scalar of an instance of a number class, or null.
const Scalar* scalarOf(nb::handle object);

/// Integers, None, tuples and lists of them, ScaledBasis.
cute::IntTuple toTuple(nb::handle object);
nb::object fromTuple(cute::IntTupleView tuple);
/// A layout or composed layout.
cute::AnyLayout toAnyLayout(nb::handle object);
const cute::Layout& toLayout(nb::handle object);
nb::object fromLayout(const cute::AnyLayout& layout);
/// An integer, None, a layout, or a tuple of those.
cute::Tiler toTiler(nb::handle object);
/// An element type: a number class, or its name.
cute::DType toDType(nb::handle object);
nb::object fromDType(cute::DType type);
std::vector<int> toModes(nb::handle object);

[[noreturn]] void raiseTypeError(const std::string& expected, nb::handle object);
/// Python would iterate by [0], [1], ... and never end.
[[noreturn]] void refuseIteration(const char* what, const char* count);

void bindNumbers(nb::module_& m);
void bindLayouts(nb::module_& m);
void bindTensors(nb::module_& m);
void bindVectors(nb::module_& m);
void bindStaging(nb::module_& m);
void bindCopies(nb::module_& m);
void bindMmas(nb::module_& m);
void bindArch(nb::module_& m);
void bindCompile(nb::module_& m);
void bindRuntime(nb::module_& m);
void bindSimulated(nb::module_& m);

}  // namespace cutwork::python
