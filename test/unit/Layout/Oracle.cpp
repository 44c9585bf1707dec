// Oracle.cpp -- evaluation of layouts by their definitions.
#include "Oracle.h"

#include <algorithm>
#include <stdexcept>
#include <variant>

namespace cutwork::oracle {

namespace {

// Numbers beyond 64 bits are mutants'; they wrap, and sizes saturate.
Number times(Number a, Number b) {
  return static_cast<Number>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
Number plus(Number a, Number b) {
  return static_cast<Number>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
Number sizeTimes(Number a, Number b) {
  Number r = 0;
  return __builtin_mul_overflow(a, b, &r) ? INT64_MAX : r;
}

}  // namespace

int Tree::depth() const {
  if (!isTuple()) return 0;
  int deepest = 0;
  for (const Tree& mode : modes) deepest = std::max(deepest, mode.depth());
  return deepest + 1;
}

Number Tree::product() const {
  if (!isTuple()) return isHole() ? 1 : value;
  Number p = 1;
  for (const Tree& mode : modes) p = sizeTimes(p, mode.product());
  return p;
}

std::string Tree::text() const {
  if (isHole()) return "_";
  if (isInteger()) {
    std::string out = std::to_string(value);
    for (std::size_t i = path.size(); i-- > 0;) out += "@" + std::to_string(path[i]);
    return out;
  }
  std::string out = "(";
  for (const Tree& mode : modes) out += (out.size() > 1 ? "," : "") + mode.text();
  return out + ")";
}

Tree read(cute::IntTupleView tuple) {
  if (tuple.isHole()) return Tree::hole();
  if (tuple.isLeaf()) {
    Tree leaf = Tree::integer(tuple.value().value());
    for (int i = 0; i < tuple.basis().depth(); ++i) leaf.path.push_back(tuple.basis()[i]);
    return leaf;
  }
  Tree out;
  for (cute::IntTupleView mode : tuple) out.modes.push_back(read(mode));
  return out;
}

std::vector<Tree> leaves(const Tree& tree) {
  if (!tree.isTuple()) return {tree};
  std::vector<Tree> out;
  for (const Tree& mode : tree.modes) {
    for (Tree& leaf : leaves(mode)) out.push_back(std::move(leaf));
  }
  return out;
}

bool congruent(const Tree& a, const Tree& b) {
  if (a.isTuple() != b.isTuple()) return false;
  if (!a.isTuple()) return true;
  return std::equal(a.modes.begin(), a.modes.end(), b.modes.begin(), b.modes.end(), congruent);
}

void Value::add(const Path& path, Number n) {
  if (path.empty()) {
    plain = plus(plain, n);
    return;
  }
  auto at = std::find_if(terms.begin(), terms.end(),
                         [&](const auto& term) { return term.first >= path; });
  if (at == terms.end() || at->first != path) at = terms.insert(at, {path, 0});
  at->second = plus(at->second, n);
  if (at->second == 0) terms.erase(at);
}

Value operator+(const Value& a, const Value& b) {
  Value sum = a;
  sum.plain = plus(sum.plain, b.plain);
  for (const auto& [path, n] : b.terms) sum.add(path, n);
  return sum;
}

std::string Value::text() const {
  if (terms.empty()) return std::to_string(plain);
  std::string out = plain == 0 ? "" : std::to_string(plain);
  for (const auto& [path, n] : terms) {
    Tree leaf = Tree::integer(n);
    leaf.path = path;
    out += (out.empty() ? "" : " + ") + leaf.text();
  }
  return out;
}

namespace {

void addLeaves(Value& sum, const Tree& tree, const Path& path) {
  if (!tree.isTuple()) return sum.add(path, tree.value);
  for (std::size_t i = 0; i < tree.modes.size(); ++i) {
    Path inner = path;
    inner.push_back(static_cast<int>(i));
    addLeaves(sum, tree.modes[i], inner);
  }
}

bool bit(Number x, int i) { return i < 63 ? ((x >> i) & 1) != 0 : x < 0; }

}  // namespace

Value valueOf(const Tree& tree) {
  Value sum;
  addLeaves(sum, tree, {});
  return sum;
}

Number Xor::operator()(Number x) const {
  Number out = x;
  for (int i = 0; i < bits; ++i) {
    int from = shift >= 0 ? base + shift + i : base + i;
    int to = shift >= 0 ? base + i : base - shift + i;
    if (bit(x, from)) out ^= Number{1} << to;
  }
  return out;
}

void Function::flatten() {
  std::vector<Tree> extents = oracle::leaves(shape_);
  std::vector<Tree> strides = oracle::leaves(stride_);
  for (std::size_t i = 0; i < extents.size(); ++i) {
    leaves_.push_back({extents[i].value, strides[i].value, strides[i].path});
  }
}

Function Function::of(cute::LayoutView layout) { return {read(layout.shape), read(layout.stride)}; }

Function Function::of(const cute::AnyLayout& layout) {
  Function f = of(cute::LayoutView(layout.outer()));
  if (layout.plain() != nullptr) return f;
  const cute::ComposedLayout& composed = *layout.composed();
  f.offset_ = valueOf(read(composed.offset()));
  if (const cute::Swizzle* s = composed.swizzle()) {
    f.swizzle_ = Xor{s->bits(), s->base(), s->shift()};
  } else {
    f.inner_ =
        std::make_shared<Function>(of(cute::LayoutView(std::get<cute::Layout>(composed.inner()))));
  }
  return f;
}

Value Function::finish(const Value& outer) const {
  if (!isComposed()) return outer;
  Value inside = offset_ + outer;
  if (swizzle_) return (*swizzle_)(inside.plain);
  return inner_->at(inside);
}

Value Function::at(Number linear) const {
  Value sum;
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    const Leaf& leaf = leaves_[i];
    Number c = linear;
    if (i + 1 < leaves_.size()) {
      c = linear % leaf.extent;
      if (c < 0) c += leaf.extent;
      linear = (linear - c) / leaf.extent;
    }
    sum.add(leaf.path, times(c, leaf.stride));
  }
  return finish(sum);
}

Value Function::at(const Tree& coordinate) const {
  if (isComposed()) {
    return finish(outer().at(coordinate));
  }
  if (coordinate.isHole()) return Value(0);
  if (coordinate.isInteger()) return at(coordinate.value);
  if (!shape_.isTuple() || shape_.rank() != coordinate.rank())
    throw std::domain_error("the coordinate does not fit " + text());
  Value sum;
  for (std::size_t i = 0; i < coordinate.rank(); ++i) {
    sum = sum + mode(i).at(coordinate.modes[i]);
  }
  return sum;
}

Value Function::at(const Value& value) const {
  if (value.terms.empty()) return at(value.plain);
  if (value.plain != 0 || isComposed())
    throw std::domain_error("the coordinate does not fit " + text());
  Value sum;
  for (const auto& [path, n] : value.terms) {
    Function target = *this;
    for (int step : path) {
      if (!target.shape_.isTuple() || step >= static_cast<int>(target.rank()))
        throw std::domain_error("the coordinate does not fit " + text());
      target = target.mode(static_cast<std::size_t>(step));
    }
    sum = sum + target.at(n);
  }
  return sum;
}

Function Function::shifted(const Value& more) const {
  Function f = *this;
  f.offset_ = f.offset_ + more;
  return f;
}

std::vector<Number> points(Number size) {
  constexpr Number kAll = 1000;
  std::vector<Number> out;
  out.reserve(static_cast<std::size_t>(kAll));
  for (Number i = 0; i < std::min(size, kAll); ++i) out.push_back(i);
  Number x = 1;
  for (int i = 0; size > kAll && i < 100; ++i) {
    x = (x * 48271 + i) % 2147483647;
    out.push_back(static_cast<Number>(static_cast<std::uint64_t>(times(x, size / 2147483647 + 1)) %
                                      static_cast<std::uint64_t>(size)));
    out.push_back(size - 1 - i);
  }
  return out;
}

std::string difference(const Function& got, const Function& want) {
  for (Number i : points(std::min(got.size(), want.size()))) {
    Value g = got.at(i);
    Value w = want.at(i);
    if (g != w) return "at " + std::to_string(i) + " it is " + g.text() + ", not " + w.text();
  }
  return "";
}

std::vector<Value> values(const Function& f) {
  std::vector<Value> out;
  out.reserve(static_cast<std::size_t>(f.size()));
  for (Number i = 0; i < f.size(); ++i) out.push_back(f.at(i));
  return out;
}

namespace {

template <class Keep>
Function flatLeaves(const Function& f, Keep&& keep) {
  Tree shape;
  Tree stride;
  for (const Function::Leaf& leaf : f.leaves()) {
    if (!keep(leaf)) continue;
    shape.modes.push_back(Tree::integer(leaf.extent));
    stride.modes.push_back(Tree::integer(leaf.stride));
    stride.modes.back().path = leaf.path;
  }
  return {shape, stride};
}

}  // namespace

Function withoutZeros(const Function& f) {
  return flatLeaves(f, [](const Function::Leaf& leaf) { return leaf.stride != 0; });
}

Function alongPath(const Function& f, const Path& path) {
  Function of = flatLeaves(f, [&](const Function::Leaf& leaf) { return leaf.path == path; });
  Tree stride = of.stride();
  for (Tree& leaf : stride.modes) leaf.path.clear();
  return {of.shape(), stride};
}

bool isInjective(const Function& f) {
  std::vector<Value> all = values(f);
  std::sort(all.begin(), all.end());
  return std::adjacent_find(all.begin(), all.end()) == all.end();
}

bool isRegular(const Function& f, bool withOnes) {
  std::vector<std::pair<Number, Number>> modes;
  for (const auto& leaf : f.leaves()) {
    if (leaf.extent > 1 || withOnes) modes.emplace_back(leaf.stride, leaf.extent);
  }
  std::sort(modes.begin(), modes.end());
  Number end = 1;
  for (const auto& [stride, extent] : modes) {
    if (stride % end != 0) return false;
    end = stride * extent;
  }
  return true;
}

std::vector<Number> freePlaces(const Function& f, std::size_t count) {
  std::set<Number> shape;
  for (const Value& v : values(f)) shape.insert(v.plain);
  std::set<Number> taken;
  std::vector<Number> places;
  for (Number next = 0; places.size() < count; ++next) {
    if (taken.contains(next)) continue;
    for (Number x : shape) {
      if (!taken.insert(x + next).second) return {};
    }
    places.push_back(next);
  }
  return places;
}

}  // namespace cutwork::oracle
