// TensorSSA.cpp -- vectors of elements: arithmetic, broadcast, reduction.
#include "cutwork/DSL/TensorSSA.h"

#include "cutwork/DSL/Math.h"

#include <fmt/format.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

#include "DSL/Arithmetic.h"
#include "DSL/Trace.h"
#include "DSL/Vectors.h"
#include "cutwork/Layout/Construct.h"
#include "cutwork/Layout/Coordinates.h"
#include "cutwork/Layout/Modes.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::cute {

namespace {

std::int64_t sizeOf(const IntTuple& shape) { return size(shape).value(); }

mlir::Value shuffle(Trace& trace, mlir::Value vector, llvm::ArrayRef<std::int64_t> order) {
  return mlir::vector::ShuffleOp::create(trace.builder(), trace.here(), vector, vector, order);
}

// For each element of `shape` the index of the element of `from` that it is.
std::vector<std::int64_t> broadcastOrder(IntTupleView from, IntTupleView shape, Where where) {
  if (from.isLeaf() && shape.isLeaf()) {
    std::int64_t have = from.value().value();
    std::int64_t want = shape.value().value();
    if (have != want && have != 1) {
      refuse(fmt::format("an extent of {} does not broadcast to {}", have, want), where);
    }
    std::vector<std::int64_t> order;
    order.reserve(static_cast<std::size_t>(want));
    for (std::int64_t i = 0; i < want; ++i) order.push_back(have == 1 ? 0 : i);
    return order;
  }
  if (from.isLeaf() && !from.value().is(1)) {
    refuse(fmt::format("shape {} does not broadcast to {}", from.text(), shape.text()), where);
  }
  if (from.isTuple() && (shape.isLeaf() || from.rank() > shape.rank())) {
    refuse(fmt::format("shape {} does not broadcast to {}", from.text(), shape.text()), where);
  }
  std::vector<std::int64_t> order{0};
  std::int64_t step = 1;
  for (int i = 0; i < shape.rank(); ++i) {
    bool missing = from.isLeaf() || i >= from.rank();
    IntTuple one(1);
    IntTupleView mode = missing ? one.view() : from[i];
    std::vector<std::int64_t> inner = missing && shape[i].isTuple()
                                          ? std::vector<std::int64_t>(sizeOf(shape[i]), 0)
                                          : broadcastOrder(mode, shape[i], where);
    std::vector<std::int64_t> next;
    next.reserve(order.size() * inner.size());
    for (std::int64_t j : inner) {
      for (std::int64_t k : order) next.push_back(k + step * j);
    }
    order = std::move(next);
    step *= sizeOf(mode);
  }
  return order;
}

// The shape that both broadcast to.
IntTuple commonShape(IntTupleView a, IntTupleView b, Where where) {
  if (a.isLeaf() && b.isLeaf()) {
    return IntTuple(std::max(a.value().value(), b.value().value()));
  }
  if (a.isLeaf() && a.value().is(1)) return b;
  if (b.isLeaf() && b.value().is(1)) return a;
  if (a.isLeaf() || b.isLeaf()) {
    refuse(fmt::format("shapes {} and {} do not broadcast to each other", a.text(), b.text()),
           where);
  }
  IntTupleView longer = a.rank() >= b.rank() ? a : b;
  int shared = std::min(a.rank(), b.rank());
  std::vector<IntTuple> modes;
  modes.reserve(static_cast<std::size_t>(longer.rank()));
  for (int i = 0; i < longer.rank(); ++i) {
    modes.push_back(i < shared ? commonShape(a[i], b[i], where) : IntTuple(longer[i]));
  }
  return IntTuple(std::span<const IntTuple>(modes));
}

// A leaf shape n counts as (n) when the other is a tuple.
IntTuple wrapped(const IntTuple& shape) { return shape.isLeaf() ? IntTuple{shape} : shape; }

mlir::Value broadcastValue(Trace& trace, const TensorSSA& x, const IntTuple& shape, Where where) {
  mlir::Value value = trace.use(x.value(), where);
  if (x.shape() == shape) return value;
  IntTuple from = shape.isTuple() ? wrapped(x.shape()) : x.shape();
  if (sizeOf(from) == sizeOf(shape) && from == shape) return value;
  return shuffle(trace, value, broadcastOrder(from, shape, where));
}

IntTuple sharedShape(const TensorSSA& a, const TensorSSA& b, Where where) {
  if (a.shape() == b.shape()) return a.shape();
  bool tuple = a.shape().isTuple() || b.shape().isTuple();
  return commonShape(tuple ? wrapped(a.shape()) : a.shape(), tuple ? wrapped(b.shape()) : b.shape(),
                     where);
}

mlir::Value splat(Trace& trace, const Numeric& value, std::int64_t count, Where where) {
  mlir::Value scalar = trace.use(value, where);
  auto type = mlir::VectorType::get({count}, scalar.getType());
  return mlir::vector::BroadcastOp::create(trace.builder(), trace.here(), type, scalar);
}

struct Operands {
  DType type;
  IntTuple shape;
  mlir::Value a;
  mlir::Value b;
};

Operands align(DType type, const VectorOperand& a, const VectorOperand& b) {
  Where where = a.where();
  Trace& trace = Trace::at(where);
  IntTuple shape = sharedShape(a.value(), b.value(), where);
  mlir::Value left = broadcastValue(trace, a.value(), shape, where);
  mlir::Value right = broadcastValue(trace, b.value(), shape, where);
  return {type, shape, emitCast(trace, left, a.value().type(), type),
          emitCast(trace, right, b.value().type(), type)};
}

TensorSSA splatLike(const VectorOperand& like, const Arg& value, DType type) {
  Trace& trace = Trace::at(like.where());
  const TensorSSA& x = like.value();
  return {type, x.shape(), trace.wrap(splat(trace, value.fit(type), x.size(), like.where()))};
}

// A scalar operand joins with the type it has, a literal too: f16 * 2.0 is Float32.
TensorSSA spread(const VectorOperand& like, const Arg& value) {
  return splatLike(like, value, value.type());
}

TensorSSA binary(Binary op, const VectorOperand& a, const VectorOperand& b) {
  DType type = orRefuse(operandType(op, a.value().type(), b.value().type()), a.where());
  if (op == Binary::FloorDiv && isFloat(type)) op = Binary::TrueDiv;
  Operands x = align(type, a, b);
  Trace& trace = Trace::current(a.where());
  return {type, x.shape, trace.wrap(emitBinary(trace, op, type, x.a, x.b))};
}

TensorSSA compare(Compare op, const VectorOperand& a, const VectorOperand& b) {
  DType left = a.value().type();
  DType right = b.value().type();
  DType type = left == DType::Boolean && right == DType::Boolean
                   ? DType::Boolean
                   : orRefuse(promote(left, right), a.where());
  Operands x = align(type, a, b);
  Trace& trace = Trace::current(a.where());
  return {DType::Boolean, x.shape, trace.wrap(emitCompare(trace, op, type, x.a, x.b))};
}

mlir::Value extract(Trace& trace, mlir::Value vector, std::int64_t index) {
  return mlir::vector::ExtractOp::create(trace.builder(), trace.here(), vector, index);
}

Binary binaryOf(ReductionOp op) {
  switch (op) {
    case ReductionOp::ADD: return Binary::Add;
    case ReductionOp::MUL: return Binary::Mul;
    case ReductionOp::MAX: return Binary::Max;
    case ReductionOp::MIN: return Binary::Min;
  }
  return Binary::Add;
}

// Halves combined until one is left; then with the initial value.
mlir::Value reduceElements(Trace& trace, Binary op, DType type, std::vector<mlir::Value> values,
                           mlir::Value initial) {
  while (values.size() > 1) {
    std::size_t half = (values.size() + 1) / 2;
    for (std::size_t i = 0; i + half < values.size(); ++i) {
      values[i] = emitBinary(trace, op, type, values[i], values[i + half]);
    }
    values.resize(half);
  }
  return emitBinary(trace, op, type, initial, values.front());
}

void checkReduction(ReductionOp op, DType type, Where where) {
  if ((op == ReductionOp::MAX || op == ReductionOp::MIN) && !isFloat(type)) {
    refuse(fmt::format("reduce: MAX and MIN are for floats, not {}", name(type)), where);
  }
  if (type == DType::Boolean) {
    refuse("reduce: convert Booleans to a number first: x.to(DType::Int32)", where);
  }
  orRefuse(promote(type, type), where);
}

// Whether the leaf modes are reduced, in the order of flat leaves of the shape.
void markReduced(IntTupleView shape, IntTupleView profile, std::vector<bool>& marks, Where where) {
  if (profile.isTuple()) {
    if (!shape.isTuple() || profile.rank() != shape.rank()) {
      refuse(fmt::format("reduce: the profile {} does not fit the shape {}", profile.text(),
                         shape.text()),
             where);
    }
    for (int i = 0; i < shape.rank(); ++i) markReduced(shape[i], profile[i], marks, where);
    return;
  }
  if (shape.isTuple()) {
    for (IntTupleView mode : shape) markReduced(mode, profile, marks, where);
    return;
  }
  marks.push_back(!profile.isHole());
}

// The shape of what stays: modes that are reduced whole vanish.
void keptShape(IntTupleView shape, IntTupleView profile, std::vector<IntTuple>& kept) {
  for (int i = 0; i < shape.rank(); ++i) {
    IntTupleView mode = profile[i];
    if (mode.isHole()) kept.emplace_back(shape[i]);
    if (!mode.isTuple()) continue;
    std::vector<IntTuple> inner;
    keptShape(shape[i], mode, inner);
    if (inner.size() == 1) kept.push_back(inner[0]);
    if (inner.size() > 1) kept.emplace_back(std::span<const IntTuple>(inner));
  }
}

std::vector<std::int64_t> flatExtents(IntTupleView shape) {
  std::vector<std::int64_t> extents;
  for (const Node& node : shape.nodes()) {
    if (node.kind != NodeKind::Tuple) extents.push_back(node.integer.value());
  }
  return extents;
}

// Whether every leaf of a static coordinate is an index of its mode.
bool isWithin(IntTupleView coord, IntTupleView shape) {
  if (coord.isLeaf()) {
    return coord.isInt() && coord.value().isStatic() && coord.value().value() >= 0 &&
           coord.value().value() < cute::size(shape).value();
  }
  if (shape.isLeaf()) return coord.rank() == 1 && isWithin(coord[0], shape);
  if (coord.rank() != shape.rank()) return false;
  for (int i = 0; i < coord.rank(); ++i) {
    if (!isWithin(coord[i], shape[i])) return false;
  }
  return true;
}

void checkBooleans(std::string_view what, const VectorOperand& a) {
  if (a.value().type() == DType::Boolean) return;
  refuse(fmt::format("{}: a vector of Booleans was expected, not of {}; compare it: x != 0", what,
                     name(a.value().type())),
         a.where());
}

// `(3, 4)`, as Python has it.
std::string spaced(const IntTuple& shape) {
  std::string text;
  for (char c : shape.text()) text += c == ',' ? ", " : std::string(1, c);
  return text;
}

}  // namespace

mlir::Value makeVector(Trace& trace, llvm::ArrayRef<mlir::Value> elements) {
  auto type = mlir::VectorType::get({static_cast<std::int64_t>(elements.size())},
                                    elements.front().getType());
  return mlir::vector::FromElementsOp::create(trace.builder(), trace.here(), type, elements);
}

void checkVectorShape(std::string_view what, const IntTuple& shape, Where where) {
  for (const Node& node : shape.view().nodes()) {
    bool extent =
        node.kind == NodeKind::Tuple || (node.kind != NodeKind::Hole && node.basis.depth() == 0 &&
                                         node.integer.isStatic() && node.integer.value() > 0);
    if (extent) continue;
    refuse(
        fmt::format("{}: the shape {} is not static and positive; slice or divide the tensor into "
                    "tiles of static shape first",
                    what, shape.text()),
        where);
  }
  Int count = size(shape);
  if (count.isStatic() && count.value() <= kMostVectorElements) return;
  refuse(
      fmt::format("{}: the shape {} has {} elements; a vector has at most {}, which are more than "
                  "the registers of a thread",
                  what, shape.text(), count.text(), kMostVectorElements),
      where);
}

mlir::Value elementOf(Trace& trace, mlir::Value vector, std::int64_t index) {
  return extract(trace, vector, index);
}

std::int64_t TensorSSA::size() const { return sizeOf(shape_); }

TensorSSA TensorSSA::to(DType type, Where where) const {
  if (type == type_) return *this;
  Trace& trace = Trace::at(where);
  return {type, shape_, trace.wrap(emitCast(trace, trace.use(value_, where), type_, type))};
}

TensorSSA TensorSSA::to(DType type, Rounding rounding, bool saturate, Where where) const {
  Trace& trace = Trace::at(where);
  mlir::Value value = trace.use(value_, where);
  value = emitConvert(trace, value, type_, type, rounding, saturate, where);
  return {type, shape_, trace.wrap(value)};
}

TensorSSA TensorSSA::bitcast(DType type, Where where) const {
  if (width(type) != width(type_)) {
    refuse(fmt::format("bitcast: {} has {} bits and {} has {}", name(type_), width(type_),
                       name(type), width(type)),
           where);
  }
  Trace& trace = Trace::at(where);
  mlir::Value value = trace.use(value_, where);
  mlir::Type to = withElement(value.getType(), trace.typeOf(type));
  if (to != value.getType()) {
    value = mlir::arith::BitcastOp::create(trace.builder(), trace.here(), to, value);
  }
  return {type, shape_, trace.wrap(value)};
}

TensorSSA TensorSSA::reshape(const IntTuple& shape, Where where) const {
  if (!isStatic(shape.view()) || sizeOf(shape) != size()) {
    refuse(fmt::format("reshape: {} has {} elements and {} has {}", shape_.text(), size(),
                       shape.text(), cute::size(shape).text()),
           where);
  }
  return {type_, shape, value_};
}

TensorSSA TensorSSA::broadcast_to(const IntTuple& shape, Where where) const {
  checkVectorShape("broadcast_to", shape, where);
  Trace& trace = Trace::at(where);
  return {type_, shape, trace.wrap(broadcastValue(trace, *this, shape, where))};
}

Numeric TensorSSA::reduce(ReductionOp op, const Arg& initial) const {
  Where where = initial.where();
  checkReduction(op, type_, where);
  Trace& trace = Trace::at(where);
  mlir::Value vector = trace.use(value_, where);
  std::vector<mlir::Value> values;
  values.reserve(static_cast<std::size_t>(size()));
  for (std::int64_t i = 0; i < size(); ++i) values.push_back(extract(trace, vector, i));
  mlir::Value start = trace.use(initial.to(type_), where);
  return {type_, trace.wrap(reduceElements(trace, binaryOf(op), type_, std::move(values), start))};
}

TensorSSA TensorSSA::reduce(ReductionOp op, const Arg& initial, const IntTuple& profile) const {
  Where where = initial.where();
  checkReduction(op, type_, where);
  Trace& trace = Trace::at(where);
  std::vector<bool> reduced;
  markReduced(shape_, profile, reduced, where);
  std::vector<IntTuple> kept;
  if (profile.isTuple()) keptShape(shape_, profile, kept);
  if (profile.isHole()) return *this;
  std::vector<std::int64_t> extents = flatExtents(shape_);
  std::vector<std::vector<mlir::Value>> groups;
  mlir::Value vector = trace.use(value_, where);
  for (std::int64_t i = 0; i < size(); ++i) {
    std::int64_t rest = i;
    std::int64_t group = 0;
    std::int64_t step = 1;
    for (std::size_t m = 0; m < extents.size(); ++m) {
      if (!reduced[m]) group += step * (rest % extents[m]), step *= extents[m];
      rest /= extents[m];
    }
    if (static_cast<std::size_t>(group) >= groups.size()) {
      groups.resize(static_cast<std::size_t>(group) + 1);
    }
    groups[static_cast<std::size_t>(group)].push_back(extract(trace, vector, i));
  }
  mlir::Value start = trace.use(initial.to(type_), where);
  std::vector<mlir::Value> results;
  results.reserve(groups.size());
  for (auto& group : groups) {
    results.push_back(reduceElements(trace, binaryOf(op), type_, std::move(group), start));
  }
  IntTuple shape = kept.empty()       ? IntTuple(1)
                   : kept.size() == 1 ? kept[0]
                                      : IntTuple(std::span<const IntTuple>(kept));
  return {type_, shape, trace.wrap(makeVector(trace, results))};
}

std::string TensorSSA::text() const {
  return fmt::format("tensor_value<vector<{}x{}> o {}>", size(), shortName(type_), spaced(shape_));
}

Numeric TensorSSA::operator[](const Coordinate& at) const {
  Where where = at.where();
  const IntTuple& coord = at.value();
  if (!isWithin(coord, shape_)) {
    refuse(fmt::format("a vector of shape {} has no element {}; its coordinates are static",
                       shape_.text(), coord.text()),
           where);
  }
  IntTuple index = orRefuse(crd2idx(coord, shape_), where);
  Trace& trace = Trace::at(where);
  return {type_, trace.wrap(extract(trace, trace.use(value_, where), index.value().value()))};
}

#define CW_DEFINE(function, family, operation)                           \
  TensorSSA function(const VectorOperand& a, const VectorOperand& b) {   \
    return family(operation, a, b);                                      \
  }                                                                      \
  TensorSSA function(const VectorOperand& a, const Arg& b) {             \
    return family(operation, a, VectorOperand(spread(a, b), a.where())); \
  }                                                                      \
  TensorSSA function(const Arg& a, const VectorOperand& b) {             \
    return family(operation, VectorOperand(spread(b, a), a.where()), b); \
  }
CW_DEFINE(operator+, binary, Binary::Add)
CW_DEFINE(operator-, binary, Binary::Sub)
CW_DEFINE(operator*, binary, Binary::Mul)
CW_DEFINE(operator/, binary, Binary::FloorDiv)
CW_DEFINE(operator%, binary, Binary::Mod)
CW_DEFINE(operator&, binary, Binary::And)
CW_DEFINE(operator|, binary, Binary::Or)
CW_DEFINE(operator^, binary, Binary::Xor)
CW_DEFINE(operator<<, binary, Binary::Shl)
CW_DEFINE(operator>>, binary, Binary::Shr)
CW_DEFINE(true_div, binary, Binary::TrueDiv)
CW_DEFINE(min, binary, Binary::Min)
CW_DEFINE(max, binary, Binary::Max)
CW_DEFINE(pow, binary, Binary::Pow)
CW_DEFINE(atan2, binary, Binary::Atan2)
CW_DEFINE(operator<, compare, Compare::Less)
CW_DEFINE(operator<=, compare, Compare::LessEqual)
CW_DEFINE(operator>, compare, Compare::Greater)
CW_DEFINE(operator>=, compare, Compare::GreaterEqual)
CW_DEFINE(operator==, compare, Compare::Equal)
CW_DEFINE(operator!=, compare, Compare::NotEqual)
#undef CW_DEFINE

TensorSSA operator-(const VectorOperand& a) {
  DType type = a.value().type();
  if (type != DType::Boolean && !isFloat(type)) {
    return Arg(Numeric::constant(type, std::int64_t{0}), a.where()) - a;
  }
  if (!isFloat(type)) return Arg(0, a.where()) - a;  // of Booleans: Int32, as everywhere
  orRefuse(promote(type, type), a.where());
  Trace& trace = Trace::at(a.where());
  mlir::Value value = trace.use(a.value().value(), a.where());
  return {type, a.value().shape(),
          trace.wrap(mlir::arith::NegFOp::create(trace.builder(), trace.here(), value))};
}
TensorSSA operator~(const VectorOperand& a) {
  DType type = a.value().type();
  std::int64_t ones = type == DType::Boolean ? 1 : -1;
  return binary(
      Binary::Xor, a,
      VectorOperand(splatLike(a, Arg(Numeric::constant(type, ones), a.where()), type), a.where()));
}
TensorSSA operator!(const VectorOperand& a) {
  checkBooleans("!", a);
  return ~VectorOperand(a.value().to(DType::Boolean, a.where()), a.where());
}

TensorSSA where(const VectorOperand& condition, const VectorOperand& a, const VectorOperand& b) {
  Where place = condition.where();
  checkBooleans("where", condition);
  DType left = a.value().type();
  DType right = b.value().type();
  DType type = left == right ? left : orRefuse(promote(left, right), place);
  Operands x = align(type, VectorOperand(a.value(), place), b);
  Trace& trace = Trace::at(place);
  TensorSSA chosen = condition.value().to(DType::Boolean, place);
  mlir::Value c = broadcastValue(trace, chosen, x.shape, place);
  return {type, x.shape,
          trace.wrap(mlir::arith::SelectOp::create(trace.builder(), trace.here(), c, x.a, x.b))};
}
TensorSSA where(const VectorOperand& condition, const VectorOperand& a, const Arg& b) {
  DType type = b.isWeak() ? a.value().type() : b.type();
  return where(condition, a, VectorOperand(splatLike(a, b, type), b.where()));
}
TensorSSA where(const VectorOperand& condition, const Arg& a, const VectorOperand& b) {
  DType type = a.isWeak() ? b.value().type() : a.type();
  return where(condition, VectorOperand(splatLike(b, a, type), a.where()), b);
}
TensorSSA where(const VectorOperand& condition, const Arg& a, const Arg& b) {
  DType type = a.isWeak() && !b.isWeak() ? b.type() : a.type();
  return where(condition, VectorOperand(splatLike(condition, a, type), a.where()), b);
}

TensorSSA full(const IntTuple& shape, const Arg& value, DType type) {
  checkVectorShape("full", shape, value.where());
  Trace& trace = Trace::at(value.where());
  return {type, shape, trace.wrap(splat(trace, value.fit(type), sizeOf(shape), value.where()))};
}
TensorSSA full_like(const VectorOperand& like, const Arg& value) {
  return splatLike(like, value, like.value().type());
}
TensorSSA zeros_like(const VectorOperand& like) { return full_like(like, Arg(0, like.where())); }

namespace {
Boolean combineAll(Binary op, std::string_view what, const VectorOperand& a) {
  checkBooleans(what, a);
  Trace& trace = Trace::at(a.where());
  mlir::Value vector = trace.use(a.value().to(DType::Boolean, a.where()).value(), a.where());
  std::vector<mlir::Value> values;
  for (std::int64_t i = 1; i < a.value().size(); ++i) values.push_back(extract(trace, vector, i));
  mlir::Value first = extract(trace, vector, 0);
  if (!values.empty()) {
    first = reduceElements(trace, op, DType::Boolean, std::move(values), first);
  }
  return Numeric(DType::Boolean, trace.wrap(first));
}
}  // namespace
Boolean any_(const VectorOperand& a) { return combineAll(Binary::Or, "any_", a); }
Boolean all_(const VectorOperand& a) { return combineAll(Binary::And, "all_", a); }

}  // namespace cutwork::cute
