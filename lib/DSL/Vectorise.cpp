// Vectorise.cpp -- contiguity and alignment of a tensor's elements.
#include "DSL/Vectorise.h"

#include <fmt/format.h>

#include <numeric>

namespace cutwork::cute {

namespace {

struct Leaf {
  Int extent;
  Int stride;
  int mode;  ///< of the tensor, that it belongs to
};

std::vector<Leaf> leavesOf(const Layout& layout) {
  std::vector<Leaf> leaves;
  for (int mode = 0; mode < layout.rank(); ++mode) {
    LayoutView part = layout[mode];
    std::span<const Node> shape = part.shape.nodes();
    std::span<const Node> stride = part.stride.nodes();
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i].kind == NodeKind::Tuple || shape[i].integer.is(1)) continue;
      leaves.push_back({shape[i].integer, stride[i].integer, mode});
    }
  }
  return leaves;
}

std::int64_t powerOfTwoIn(std::int64_t value) { return value & -value; }

}  // namespace

std::optional<std::string> whyNotVector(const Tensor& t, std::int64_t count,
                                        std::string_view side) {
  if (count <= 1 || t.memspace() == AddressSpace::rmem) return std::nullopt;
  const Layout* layout = t.layout().plain();
  if (layout == nullptr) {
    return fmt::format("the {} has the composed layout {}, whose elements are moved one by one",
                       side, t.layout().text());
  }
  std::int64_t bytes = elementBytes(t.element_type());
  std::int64_t needed = count * bytes;
  std::int64_t alignment = t.iterator().alignment();
  const Swizzle& swizzle = t.iterator().swizzle();
  if (!swizzle.isIdentity()) {
    alignment = std::min(alignment, std::int64_t{1} << swizzle.base());
  }
  std::string limit = fmt::format("its pointer, {}", t.iterator().text());
  std::int64_t covered = 1;
  for (const Leaf& leaf : leavesOf(*layout)) {
    if (covered < count) {
      std::int64_t rest = count / covered;
      bool fits = leaf.stride.is(covered) && leaf.extent.isStatic() &&
                  (leaf.extent.value() % rest == 0 || rest % leaf.extent.value() == 0);
      if (!fits) {
        return fmt::format("mode {} of the {} is not contiguous for {} elements: {}:{} in {}",
                           leaf.mode, side, count, leaf.extent.text(), leaf.stride.text(),
                           layout->text());
      }
      covered *= std::min(rest, leaf.extent.value());
      continue;
    }
    if (leaf.stride.divisor() == 0) continue;
    std::int64_t step = powerOfTwoIn(leaf.stride.divisor() * bytes);
    if (step < alignment) {
      alignment = step;
      limit =
          fmt::format("stride {} of mode {} in {}", leaf.stride.text(), leaf.mode, layout->text());
    }
  }
  if (covered < count) {
    return fmt::format("the {} has {} elements, not {}", side, covered, count);
  }
  if (alignment >= needed) return std::nullopt;
  return fmt::format("the {} is known to be aligned to {} bytes, by {}; {} are needed", side,
                     alignment, limit, needed);
}

std::int64_t widestVector(const Tensor& source, const Tensor& target, std::int64_t most) {
  std::int64_t count = 1;
  while (count * 2 <= most && !whyNotVector(source, count * 2, "source") &&
         !whyNotVector(target, count * 2, "target")) {
    count *= 2;
  }
  return count;
}

}  // namespace cutwork::cute
