// Numbers.cpp -- scalars, their operators, conversions and math for Python.
#include <fmt/format.h>

#include <cmath>

#include "Convert.h"

namespace cutwork::python {

namespace {

using cute::Arg;
using cute::Numeric;

using Binary = Numeric (*)(const Arg&, const Arg&);
using Compare = cute::Boolean (*)(const Arg&, const Arg&);
using Exact = cute::Int (*)(cute::Int, cute::Int);

// The leaf of an operand of the layout algebra's arithmetic: its own, or a Python integer.
std::optional<cute::Int> leafOf(nb::handle object) {
  if (PyLong_Check(object.ptr()) && !PyBool_Check(object.ptr())) {
    return cute::Int(nb::cast<std::int64_t>(object));
  }
  const Scalar* scalar = scalarOf(object);
  if (scalar == nullptr) return std::nullopt;
  if (scalar->leaf) return scalar->leaf;
  cute::DType type = scalar->numeric.type();
  bool fits = type == cute::DType::Int32 || type == cute::DType::Int64;
  if (!fits || scalar->numeric.isConstant()) return std::nullopt;
  return cute::opaque(scalar->numeric);
}

bool hasLeaf(nb::handle object) {
  const Scalar* scalar = scalarOf(object);
  return scalar != nullptr && scalar->leaf.has_value();
}

// Integers that come from layouts stay leaves, so that what divides them stays known.
template <Exact F>
std::optional<nb::object> exactly(nb::handle a, nb::handle b) {
  if (!hasLeaf(a) && !hasLeaf(b)) return std::nullopt;
  std::optional<cute::Int> x = leafOf(a);
  std::optional<cute::Int> y = leafOf(b);
  if (!x || !y) return std::nullopt;
  return wrap(cute::checked(F(*x, *y)).value());
}

cute::Int add(cute::Int a, cute::Int b) { return a + b; }
cute::Int sub(cute::Int a, cute::Int b) { return a - b; }
cute::Int mul(cute::Int a, cute::Int b) { return a * b; }

/// Python's //: between floats the floor of the quotient, too.
Numeric floorQuotient(const Arg& a, const Arg& b) {
  const Numeric quotient = a / b;
  if (!cute::isFloat(quotient.type())) return quotient;
  if (!quotient.isConstant()) return cute::floor(quotient, false);
  return Numeric::constant(quotient.type(), std::floor(quotient.floating()));
}

template <Binary F>
void define(nb::module_& m, const char* name) {
  m.def(name, [](nb::handle a, nb::handle b) { return wrap(F(toArg(a), toArg(b))); });
}
template <Binary F, Exact G>
void define(nb::module_& m, const char* name) {
  m.def(name, [](nb::handle a, nb::handle b) {
    if (auto leaf = exactly<G>(a, b)) return *leaf;
    return wrap(F(toArg(a), toArg(b)));
  });
}
template <Compare F>
void defineComparison(nb::module_& m, const char* name) {
  m.def(name, [](nb::handle a, nb::handle b) -> nb::object { return wrap(F(toArg(a), toArg(b))); });
}

void bindOperators(nb::module_& m) {
  define<cute::operator+, add>(m, "add");
  define<cute::operator-, sub>(m, "sub");
  define<cute::operator*, mul>(m, "mul");
  define<floorQuotient, cute::floorDiv>(m, "floordiv");
  define<cute::operator%, cute::floorMod>(m, "mod");
  define<cute::true_div>(m, "truediv");
  define<cute::operator&>(m, "and_");
  define<cute::operator| >(m, "or_");
  define<cute::operator^ >(m, "xor");
  define<cute::operator<< >(m, "shl");
  define<cute::operator>> >(m, "shr");
  define<cute::min>(m, "min");
  define<cute::max>(m, "max");
  defineComparison < cute::operator<>(m, "lt");
  defineComparison<cute::operator<= >(m, "le");
  defineComparison<cute::operator> >(m, "gt");
  defineComparison<cute::operator>= >(m, "ge");
  defineComparison<cute::operator== >(m, "eq");
  defineComparison<cute::operator!= >(m, "ne");
  m.def("neg", [](nb::handle a) { return wrap(-toArg(a)); });
  m.def("invert", [](nb::handle a) { return wrap(~toArg(a)); });
  m.def("not_", [](nb::handle a) { return wrap(!toArg(a)); });
  m.def("select", [](nb::handle c, nb::handle a, nb::handle b) {
    return wrap(cute::select(toArg(c), toArg(a), toArg(b)));
  });
  m.def("promote", [](nb::handle a, nb::handle b) {
    return fromDType(cute::promote(toDType(a), toDType(b)).value());
  });
}

cute::Rounding roundingOf(const std::string& name) {
  constexpr std::pair<const char*, cute::Rounding> kNames[] = {{"rn", cute::Rounding::rn},
                                                               {"rz", cute::Rounding::rz},
                                                               {"rm", cute::Rounding::rm},
                                                               {"rp", cute::Rounding::rp},
                                                               {"rna", cute::Rounding::rna}};
  for (const auto& [text, rounding] : kNames) {
    if (name == text) return rounding;
  }
  throw nb::value_error(fmt::format("rounding '{}' is none of rn, rz, rm, rp, rna", name).c_str());
}

void bindScalar(nb::module_& m) {
  nb::class_<Scalar>(m, "Scalar")
      .def_prop_ro("is_constant", [](const Scalar& s) { return s.numeric.isConstant(); })
      .def_prop_ro("dtype", [](const Scalar& s) { return fromDType(s.numeric.type()); })
      .def_prop_ro("value",
                   [](const Scalar& s) -> nb::object {
                     if (!s.numeric.isConstant()) return nb::none();
                     if (cute::isFloat(s.numeric.type())) return nb::float_(s.numeric.floating());
                     if (s.numeric.type() == cute::DType::Boolean)
                       return nb::bool_(s.numeric.integer() != 0);
                     if (cute::isSigned(s.numeric.type())) return nb::int_(s.numeric.integer());
                     return nb::int_(static_cast<std::uint64_t>(s.numeric.integer()));
                   })
      .def_prop_ro("leaf_text", [](const Scalar& s) -> nb::object {
        if (!s.leaf) return nb::none();
        return nb::str(s.leaf->text().c_str());
      });
  m.def("convert", [](nb::handle x, nb::handle type) {
    cute::DType to = toDType(type);
    const Scalar* scalar = scalarOf(x);
    if (scalar != nullptr && scalar->numeric.type() == to) return wrap(*scalar);
    return wrap(toArg(x).to(to));
  });
  m.def("convert_rounded",
        [](nb::handle x, nb::handle type, const std::string& rounding, bool saturate) {
          return wrap(toArg(x).value().to(toDType(type), roundingOf(rounding), saturate));
        });
  m.def("bitcast", [](nb::handle x, nb::handle type) {
    return wrap(toArg(x).value().bitcast(toDType(type)));
  });
}

using Unary = Numeric (*)(const Arg&, bool);
using UnaryVector = cute::TensorSSA (*)(const cute::VectorOperand&, bool);

template <Unary F, UnaryVector G>
void defineMath(nb::module_& m, const char* name) {
  m.def(
      name,
      [](nb::handle x, bool fastmath) -> nb::object {
        if (nb::isinstance<cute::TensorSSA>(x)) {
          return nb::cast(G(nb::cast<const cute::TensorSSA&>(x), fastmath));
        }
        return wrap(F(toArg(x), fastmath));
      },
      nb::arg("x"), nb::arg("fastmath") = false);
}

void bindMath(nb::module_& m) {
  nb::module_ math = m.def_submodule("math");
#define CW_MATH(name) defineMath<cute::name, cute::name>(math, #name);
  CW_MATH(exp)
  CW_MATH(exp2)
  CW_MATH(log)
  CW_MATH(log2)
  CW_MATH(log10)
  CW_MATH(sqrt)
  CW_MATH(rsqrt)
  CW_MATH(sin)
  CW_MATH(cos)
  CW_MATH(tan)
  CW_MATH(asin)
  CW_MATH(acos)
  CW_MATH(atan)
  CW_MATH(tanh)
  CW_MATH(erf)
  CW_MATH(floor)
  CW_MATH(ceil)
  CW_MATH(absf)
  CW_MATH(rcp)
  CW_MATH(sigmoid)
#undef CW_MATH
  math.def("fma", [](nb::handle a, nb::handle b, nb::handle c) -> nb::object {
    if (nb::isinstance<cute::TensorSSA>(a)) {
      return nb::cast(cute::fma(nb::cast<const cute::TensorSSA&>(a),
                                nb::cast<const cute::TensorSSA&>(b),
                                nb::cast<const cute::TensorSSA&>(c)));
    }
    return wrap(cute::fma(toArg(a), toArg(b), toArg(c)));
  });
}

}  // namespace

void bindNumbers(nb::module_& m) {
  bindScalar(m);
  bindOperators(m);
  bindMath(m);
}

}  // namespace cutwork::python
