// IntTuple.cpp -- building, walking, comparing and printing nested tuples.
#include "cutwork/Layout/IntTuple.h"

namespace cutwork::cute {

int IntTupleView::depth() const {
  if (isLeaf()) return 0;
  int deepest = 0;
  for (IntTupleView mode : *this) deepest = std::max(deepest, mode.depth());
  return deepest + 1;
}

IntTupleView IntTupleView::operator[](int i) const {
  const Node* end = node_ + node_->span;
  const Node* node = isTuple() ? node_ + 1 : node_;
  for (int left = i; left > 0 && node != end; --left) node += node->span;
  if (i < 0 || node == end) {
    userError("mode " + std::to_string(i) + " of " + text() + ", which has " +
              std::to_string(rank()) + (rank() == 1 ? " mode" : " modes"))
        .raise();
  }
  return IntTupleView(node);
}

IntTupleView::Iterator IntTupleView::begin() const {
  return Iterator(isTuple() ? node_ + 1 : node_);
}
IntTupleView::Iterator IntTupleView::end() const { return Iterator(node_ + node_->span); }

bool operator==(IntTupleView a, IntTupleView b) {
  auto equalNodes = [](const Node& x, const Node& y) {
    if (x.kind != y.kind || x.span != y.span) return false;
    if (x.kind != NodeKind::Integer) return x.count == y.count;
    return x.basis == y.basis && same(x.integer, y.integer);
  };
  std::span<const Node> left = a.nodes();
  std::span<const Node> right = b.nodes();
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), equalNodes);
}

namespace {

void print(std::string& out, IntTupleView view) {
  if (view.isHole()) {
    out += '_';
  } else if (view.isLeaf()) {
    out += view.value().text();
    for (int i = view.basis().depth(); i-- > 0;) out += "@" + std::to_string(view.basis()[i]);
  } else {
    char separator = '(';
    for (IntTupleView mode : view) {
      out += separator;
      print(out, mode);
      separator = ',';
    }
    out += separator == '(' ? "()" : ")";
  }
}

}  // namespace

std::string IntTupleView::text() const {
  std::string out;
  print(out, *this);
  return out;
}

IntTuple::IntTuple(std::initializer_list<IntTuple> modes)
    : IntTuple(std::span<const IntTuple>(modes.begin(), modes.size())) {}

IntTuple::IntTuple(std::span<const IntTuple> modes) {
  Node tuple;
  tuple.kind = NodeKind::Tuple;
  tuple.count = static_cast<std::uint32_t>(modes.size());
  nodes_.push(tuple);
  for (const IntTuple& mode : modes) nodes_.append(mode.nodes_.data(), mode.nodes_.size());
  nodes_[0].span = static_cast<std::uint32_t>(nodes_.size());
}

IntTuple::IntTuple(IntTupleView view) {
  std::span<const Node> nodes = view.nodes();
  nodes_.append(nodes.data(), nodes.size());
}

IntTuple IntTuple::hole() {
  IntTuple t(0);
  t.nodes_[0].kind = NodeKind::Hole;
  return t;
}

IntTuple IntTuple::basis(Int value, BasisPath path) {
  IntTuple t(value);
  t.nodes_[0].basis = path;
  return t;
}

void IntTupleBuilder::push(const Node& node) {
  if (nodes_.size() >= kMaxNodes) {
    full_ = true;
    return;
  }
  if (depth_ > 0 && depth_ <= kMaxDepth) ++nodes_[open_[depth_ - 1]].count;
  nodes_.push(node);
}

void IntTupleBuilder::open() {
  Node tuple;
  tuple.kind = NodeKind::Tuple;
  if (depth_ >= kMaxDepth || nodes_.size() >= kMaxNodes) {
    full_ = true;
    ++depth_;
    return;
  }
  push(tuple);
  open_[depth_++] = static_cast<std::uint32_t>(nodes_.size() - 1);
}

void IntTupleBuilder::close() {
  if (--depth_ >= kMaxDepth || full_) return;
  std::uint32_t begin = open_[depth_];
  nodes_[begin].span = static_cast<std::uint32_t>(nodes_.size() - begin);
}

void IntTupleBuilder::leaf(Int value, BasisPath basis) {
  Node node = Node::leaf(value);
  node.basis = basis;
  push(node);
}

void IntTupleBuilder::hole() {
  Node node;
  node.kind = NodeKind::Hole;
  push(node);
}

void IntTupleBuilder::append(IntTupleView view) {
  std::span<const Node> nodes = view.nodes();
  if (nodes_.size() + nodes.size() > kMaxNodes || depth_ + view.depth() > kMaxDepth) {
    full_ = true;
    return;
  }
  if (depth_ > 0) ++nodes_[open_[depth_ - 1]].count;
  nodes_.append(nodes.data(), nodes.size());
}

void IntTupleBuilder::appendModes(IntTupleView view) {
  for (IntTupleView mode : view) append(mode);
}

IntTuple IntTupleBuilder::take() {
  IntTuple tuple;
  tuple.nodes_ = std::move(nodes_);
  return tuple;
}

Expected<IntTuple> IntTupleBuilder::finish() {
  if (full_) {
    return userError("the result has more than " + std::to_string(kMaxNodes) +
                     " entries or more than " + std::to_string(kMaxDepth) + " levels of nesting");
  }
  return checked(take());
}

Expected<Int> checked(Int value) {
  if (value.isInvalid()) return userError(describe(value.reason()));
  return value;
}

Expected<IntTuple> checked(IntTuple tuple) {
  for (const Node& node : tuple.view().nodes()) {
    if (node.kind != NodeKind::Integer) continue;
    if (auto value = checked(node.integer); !value) return std::move(value).takeError();
  }
  return tuple;
}

}  // namespace cutwork::cute
