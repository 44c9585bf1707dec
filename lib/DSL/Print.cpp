// Print.cpp -- formats with traced values to the print op.
#include "cutwork/DSL/Print.h"

#include <fmt/format.h>

#include "DSL/Arithmetic.h"
#include "DSL/Trace.h"
#include "IR/Cute.h"
#include "IR/FormatText.h"
#include "cutwork/DSL/Control.h"
#include "cutwork/Layout/Coordinates.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::cute {

namespace {

// What a number is passed as, and C's conversion for it: `%lld` of an Int64.
DType passedAs(DType type) {
  if (isFloat(type)) return DType::Float64;
  if (type == DType::Boolean) return DType::Int32;
  if (width(type) == 64) return isSigned(type) ? DType::Int64 : DType::Uint64;
  return isSigned(type) ? DType::Int32 : DType::Uint32;
}

std::string conversionOf(DType type) {
  switch (passedAs(type)) {
    case DType::Float64: return "%f";
    case DType::Int64: return "%lld";
    case DType::Uint64: return "%llu";
    case DType::Uint32: return "%u";
    default: return "%d";
  }
}

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) out += c == '%' ? "%%" : std::string(1, c);
  return out;
}

// The leaves of a text that are `?`, with a knowledge in braces or without, become conversions. A
// text without values is the user's, whose question marks are his.
std::string withConversions(std::string_view text, const std::vector<Numeric>& values) {
  std::string out;
  std::size_t used = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '?' || used == values.size()) {
      out += escaped(text.substr(i, 1));
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == '{') i = text.find('}', i);
    out += conversionOf(values[used++].type());
  }
  return out;
}

struct Built {
  std::string format;
  std::vector<Numeric> values;
};

// A conversion of the user's, for the value it takes; 64-bit numbers need `ll`.
void convert(Built& built, std::string spec, const Printed& printed, Where where) {
  if (printed.values().size() != 1 || printed.text() != "?") {
    refuse(fmt::format("printf: {} takes a number, not {}; use {{}}", spec, printed.text()), where);
  }
  const Numeric& value = printed.values().front();
  bool wantsFloat = ir::kindOf(spec) == ir::Converted::Float;
  char kind = spec.back();
  DType type = wantsFloat    ? DType::Float64
               : kind == 'p' ? DType::Uint64
               : kind == 'c' ? DType::Int32
                             : passedAs(value.type());
  if (!wantsFloat && isFloat(value.type())) {
    refuse(fmt::format("printf: {} takes an integer, not a {}", spec, name(value.type())), where);
  }
  spec.pop_back();
  std::erase_if(spec, [](char c) { return c == 'l' || c == 'h' || c == 'z'; });
  if (!wantsFloat && width(type) == 64 && kind != 'p') spec += "ll";
  built.format += spec + kind;
  built.values.push_back(value.to(type, where));
}

Built build(const Format& format, const std::vector<Printed>& values) {
  Built built;
  Where where = format.where();
  const std::string& text = format.text();
  std::size_t used = 0;
  auto next = [&]() -> const Printed& {
    if (used == values.size()) {
      refuse(fmt::format("printf: the format takes more than the {} values given", values.size()),
             where);
    }
    return values[used++];
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "{}") == 0) {
      const Printed& value = next();
      built.format += withConversions(value.text(), value.values());
      for (const Numeric& n : value.values()) built.values.push_back(n);
      ++i;
    } else if (text.compare(i, 2, "{{") == 0 || text.compare(i, 2, "}}") == 0) {
      built.format += text[i++];
    } else if (text.compare(i, 2, "%%") == 0) {
      built.format += "%%";
      ++i;
    } else if (text[i] == '%') {
      std::string spec(ir::conversionsOf(text.substr(i)).front());
      if (ir::kindOf(spec) == ir::Converted::Nothing) {
        refuse(fmt::format("printf: '{}' is no conversion; a percent sign is written %%", spec),
               where);
      }
      i += spec.size() - 1;
      convert(built, std::move(spec), next(), where);
    } else {
      built.format += text[i];
    }
  }
  if (used != values.size()) {
    refuse(fmt::format("printf: {} values were given, the format takes {}", values.size(), used),
           where);
  }
  return built;
}

void emit(Trace& trace, const Built& built, Where where) {
  llvm::SmallVector<mlir::Value> operands;
  for (const Numeric& value : built.values) {
    operands.push_back(trace.use(value.to(passedAs(value.type()), where), where));
  }
  ir::Print::create(trace.builder(), trace.here(), built.format, operands);
}

void gather(IntTupleView tuple, std::vector<Numeric>& values) {
  for (const Node& node : tuple.nodes()) {
    if (node.kind == NodeKind::Tuple || !node.integer.isDynamic()) continue;
    values.push_back(Arg(node.integer, lastPlace()).value());
  }
}

void gather(const Layout& layout, std::vector<Numeric>& values) {
  gather(layout.shape().view(), values);
  gather(layout.stride().view(), values);
}

// In the order in which the text has them.
void gather(const AnyLayout& layout, std::vector<Numeric>& values) {
  if (const ComposedLayout* composed = layout.composed()) {
    if (const auto* inner = std::get_if<Layout>(&composed->inner())) gather(*inner, values);
    gather(composed->offset().view(), values);
  }
  gather(layout.outer(), values);
}

// Rows and columns of two modes, with those further out fixed.
void printRows(const Tensor& t, Where where) {
  auto number = [&](const Numeric& value) {
    DType type = isFloat(value.type()) ? value.type() : passedAs(value.type());
    return Printed(value.to(type, where));
  };
  DType kind = passedAs(t.element_type());
  const char* cell = isFloat(kind) ? "% f, " : isSigned(kind) ? "%d, " : "%u, ";
  if (rank(t) == 1) {
    detail::printFormat(Format("       [", where), {});
    for_(Arg(0, where), Arg(size(t), where), [&](const Numeric& i) {
      detail::printFormat(Format(cell, where),
                          {number(Element(t, IntTuple(i.toInt(where)), where).load(where))});
      detail::printFormat(Format("\n        ", where), {});
    });
    detail::printFormat(Format("])\n", where), {});
    return;
  }
  Int rows = size(t.layout().outer()[0]);
  Int columns = size(t.layout().outer()[1]);
  detail::printFormat(Format("       [", where), {});
  for_(Arg(0, where), Arg(rows, where), [&](const Numeric& i) {
    if_(Arg(Arg(i, where) > Arg(0, where), where),
        [&] { detail::printFormat(Format("        ", where), {}); });
    detail::printFormat(Format("[", where), {});
    for_(Arg(0, where), Arg(columns, where), [&](const Numeric& j) {
      IntTuple coord{IntTuple(i.toInt(where)), IntTuple(j.toInt(where))};
      detail::printFormat(Format(cell, where), {number(Element(t, coord, where).load(where))});
    });
    if_(Arg(Arg(i, where) < Arg(Arg(rows, where) - Arg(1, where), where), where), [&] {
      detail::printFormat(Format("],\n", where), {});
    }).else_([&] { detail::printFormat(Format("]])\n", where), {}); });
  });
}

// One element a line, with its coordinate.
void printLines(const Tensor& t, Where where) {
  for_(Arg(0, where), Arg(size(t), where), [&](const Numeric& i) {
    IntTuple index(i.toInt(where));
    IntTuple coord = orRefuse(idx2crd(index, t.shape()), where);
    Numeric value = Element(t, index, where).load(where);
    DType type = isFloat(value.type()) ? value.type() : passedAs(value.type());
    detail::printFormat(Format(isFloat(type) ? "\t{}= % f\n" : "\t{}= {}\n", where),
                        {Printed(coord), Printed(value.to(type, where))});
  });
  detail::printFormat(Format(")\n", where), {});
}

}  // namespace

Printed::Printed(const IntTuple& tuple) : text_(tuple.text()) { gather(tuple.view(), values_); }

Printed::Printed(const Layout& layout) : text_(layout.text()) { gather(layout, values_); }

Printed::Printed(const Pointer& pointer) : text_(pointer.text()) {}

Printed::Printed(const Tensor& tensor) : text_(tensor.text()) {
  if (tensor.isCoordinate()) gather(tensor.start().view(), values_);
  gather(tensor.layout(), values_);
}

void detail::printFormat(const Format& format, const std::vector<Printed>& values) {
  Trace& trace = Trace::at(format.where());
  emit(trace, build(format, values), format.where());
}

namespace {

// The rows, or lines, of a tensor of any rank behind its header.
void printElements(const Tensor& t, bool verbose, Where where) {
  // A tensor of rank 0 has one element.
  if (rank(t) == 0)
    return printElements({t.iterator(), Layout::leaf(1, IntTuple(0))}, verbose, where);
  verbose ? printLines(t, where) : printRows(t, where);
}

}  // namespace

void print_tensor(const TensorSSA& vector, bool verbose, Where where) {
  Trace& trace = Trace::at(where);
  Built header;
  header.format = fmt::format("tensor({}, data={}\n", vector.text(), verbose ? " (" : "");
  Tensor registers = make_rmem_tensor(vector.shape(), vector.type(), where);
  registers.store(VectorOperand(vector, where));
  if (rank(registers) > 2 && !verbose) return print_tensor(registers, verbose, where);
  emit(trace, header, where);
  printElements(registers, verbose, where);
}

void print_tensor(const Tensor& t, bool verbose, Where where) {
  Trace& trace = Trace::at(where);
  if (t.isCoordinate()) refuse("print_tensor: a coordinate tensor has no elements", where);
  if (rank(t) > 2 && !verbose) {
    Int outer = 1;
    for (int i = 2; i < rank(t); ++i) outer = outer * size(t, i);
    for_(Arg(0, where), Arg(outer, where), [&](const Numeric& k) {
      std::vector<IntTuple> coord{IntTuple::hole(), IntTuple::hole()};
      Int rest = k.toInt(where);
      for (int i = 2; i < rank(t); ++i) {
        coord.emplace_back(i + 1 < rank(t) ? floorMod(rest, size(t, i)) : rest);
        rest = floorDiv(rest, size(t, i));
      }
      print_tensor(t.slice(IntTuple(std::span<const IntTuple>(coord)), where), false, where);
    });
    return;
  }
  Built header;
  const Pointer& p = t.iterator();
  header.format = fmt::format("tensor(raw_ptr(0x%016llx: {}, {}, align<{}>) o ",
                              shortName(p.type()), name(p.space()), p.alignment());
  header.values.push_back(p.toint(where).to(DType::Int64, where));
  Printed layout(t.layout().outer());
  header.format += withConversions(layout.text(), layout.values());
  for (const Numeric& value : layout.values()) header.values.push_back(value);
  header.format += verbose ? ", data= (\n" : ", data=\n";
  emit(trace, header, where);
  printElements(t, verbose, where);
}

}  // namespace cutwork::cute
