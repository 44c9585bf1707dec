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

// What one element prints as, and the conversion for it.
std::pair<const char*, Printed> shown(const Tensor& t, const IntTuple& coord, Where where) {
  if (t.isCoordinate()) return {"{}", Printed(Element(t, coord, where).coordinate(where))};
  Numeric value = Element(t, coord, where).load(where);
  DType type = isFloat(value.type()) ? value.type() : passedAs(value.type());
  const char* conversion = isFloat(type) ? "% f" : isSigned(type) ? "%d" : "%u";
  return {conversion, Printed(value.to(type, where))};
}

// A shape need not be a tuple: its only coordinate is then none either.
IntTuple joined(const std::vector<IntTuple>& coord) {
  return coord.size() == 1 ? coord[0] : IntTuple(std::span<const IntTuple>(coord));
}

// Rows of two modes, each [..., ], between brackets for every mode further out.
class Rows {
 public:
  Rows(const Tensor& tensor, Where where) : t_(tensor), where_(where), coord_(rank(tensor)) {}

  void print() {
    if (rank(t_) == 1) {
      each(0, ",\n", [&] {
        text("       [");
        cell();
        text("]");
      });
    } else {
      text("       ");
      level(rank(t_) - 1);
    }
    text(")\n");
  }

 private:
  void text(const std::string& words) { detail::printFormat(Format(words.c_str(), where_), {}); }

  void cell() {
    auto [conversion, value] = shown(t_, joined(coord_), where_);
    detail::printFormat(Format((conversion + std::string(", ")).c_str(), where_), {value});
  }

  // The body for each coordinate of a mode, with a text between two.
  template <class Body>
  void each(int mode, const std::string& between, Body body) {
    for_(Arg(0, where_), Arg(size(t_, mode), where_), [&](const Numeric& i) {
      if (!between.empty()) {
        if_(Arg(Arg(i, where_) > Arg(0, where_), where_), [&] { text(between); });
      }
      coord_[mode] = IntTuple(i.toInt(where_));
      body();
    });
  }

  // Modes further out, the last first; at mode 1, the rows of a matrix.
  void level(int mode) {
    std::size_t depth = 7 + rank(t_) - mode;
    text("[");
    if (mode >= 2) {
      each(mode, ",\n\n" + std::string(depth, ' '), [&] { level(mode - 1); });
    } else {
      each(0, ",\n" + std::string(depth, ' '), [&] {
        text("[");
        each(1, "", [&] { cell(); });
        text("]");
      });
    }
    text("]");
  }

  const Tensor& t_;
  Where where_;
  std::vector<IntTuple> coord_;
};

// One element a line, with its coordinate; the last mode is the fastest.
void printLines(const Tensor& t, Where where) {
  for_(Arg(0, where), Arg(size(t), where), [&](const Numeric& i) {
    std::vector<IntTuple> coord(rank(t));
    Int rest = i.toInt(where);
    for (int mode = rank(t) - 1; mode >= 0; --mode) {
      Int index = mode > 0 ? floorMod(rest, size(t, mode)) : rest;
      rest = floorDiv(rest, size(t, mode));
      coord[mode] = orRefuse(
          idx2crd(IntTuple(index), coord.size() == 1 ? t.shape() : IntTuple(t.shape()[mode])),
          where);
    }
    IntTuple at = joined(coord);
    auto [conversion, value] = shown(t, at, where);
    if (conversion[0] == '%' && conversion[1] == ' ') conversion = "%f";
    detail::printFormat(Format(fmt::format("\t{{}}= {}\n", conversion).c_str(), where),
                        {Printed(at), value});
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
  if (verbose) return printLines(t, where);
  Rows(t, where).print();
}

}  // namespace

void print_tensor(const TensorSSA& vector, bool verbose, Where where) {
  Trace& trace = Trace::at(where);
  Built header;
  header.format = fmt::format("tensor({}, data={}\n", vector.text(), verbose ? " (" : "");
  Tensor registers = make_rmem_tensor(vector.shape(), vector.type(), where);
  registers.store(VectorOperand(vector, where));
  emit(trace, header, where);
  printElements(registers, verbose, where);
}

void print_tensor(const Tensor& t, bool verbose, Where where) {
  Trace& trace = Trace::at(where);
  Built header;
  if (t.isCoordinate()) {
    Printed start(t.start());
    header.format = "tensor(" + withConversions(start.text(), start.values()) + " o ";
    for (const Numeric& value : start.values()) header.values.push_back(value);
  } else {
    const Pointer& p = t.iterator();
    header.format = fmt::format("tensor(raw_ptr(0x%016llx: {}, {}, align<{}>) o ",
                                shortName(p.type()), name(p.space()), p.alignment());
    header.values.push_back(p.toint(where).to(DType::Int64, where));
  }
  Printed layout(t.layout().outer());
  header.format += withConversions(layout.text(), layout.values());
  for (const Numeric& value : layout.values()) header.values.push_back(value);
  header.format += verbose ? ", data= (\n" : ", data=\n";
  emit(trace, header, where);
  printElements(t, verbose, where);
}

}  // namespace cutwork::cute
