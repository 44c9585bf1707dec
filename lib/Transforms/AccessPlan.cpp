// AccessPlan.cpp -- grouping the elements of a layout into vector accesses.
#include "Transforms/AccessPlan.h"

#include <algorithm>
#include <numeric>

#include "IR/LayoutText.h"

namespace cutwork::transforms {

namespace {

// A layout's offsets as sums of a static part and multiples of its dynamic strides.
class Offsets {
 public:
  explicit Offsets(cute::Layout layout) : layout_(std::move(layout)) {
    std::span<const cute::Node> shape = layout_.shape().view().nodes();
    std::span<const cute::Node> stride = layout_.stride().view().nodes();
    std::int64_t place = 1;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i].kind != cute::NodeKind::Integer) continue;
      Leaf leaf{shape[i].integer.value(), place, stride[i].integer, -1};
      if (leaf.stride.isDynamic())
        leaf.operand = static_cast<int>(divisors_.size()),
        divisors_.push_back(leaf.stride.divisor());
      leaves_.push_back(leaf);
      place *= leaf.extent;
    }
    size_ = place;
  }
  [[nodiscard]] std::int64_t size() const { return size_; }

  [[nodiscard]] Access at(std::int64_t index) const {
    Access access;
    access.first = index;
    access.factors.assign(divisors_.size(), 0);
    for (const Leaf& leaf : leaves_) {
      std::int64_t coordinate = index / leaf.place % leaf.extent;
      if (leaf.operand < 0) {
        access.offset += coordinate * leaf.stride.value();
      } else {
        access.factors[static_cast<std::size_t>(leaf.operand)] += coordinate;
      }
    }
    return access;
  }

  /// Bytes that an access at this offset is aligned to.
  [[nodiscard]] std::int64_t alignment(const Access& access, std::int64_t bytes,
                                       std::int64_t pointer) const {
    std::int64_t common = std::gcd(pointer, access.offset * bytes);
    for (std::size_t j = 0; j < divisors_.size(); ++j) {
      common = std::gcd(common, access.factors[j] * divisors_[j] * bytes);
    }
    return common & -common;  // the largest power of two that divides it
  }

 private:
  struct Leaf {
    std::int64_t extent;
    std::int64_t place;
    cute::Int stride;
    int operand;
  };
  cute::Layout layout_;
  std::vector<Leaf> leaves_;
  std::vector<std::int64_t> divisors_;
  std::int64_t size_ = 0;
};

}  // namespace

Expected<std::vector<Access>> planAccesses(std::string_view text, int bits, std::int64_t alignment,
                                           int widest, std::int64_t period) {
  cute::RecordingEvaluator placeholders;
  CW_TRY(cute::Layout layout, ir::parseLayoutText(text, placeholders));
  if (bits % 8 != 0)
    return userError("elements of " + std::to_string(bits) + " bits have no address");
  std::int64_t bytes = bits / 8;
  Offsets offsets(layout);
  std::vector<Access> plan;
  for (std::int64_t i = 0; i < offsets.size();) {
    Access access = offsets.at(i);
    access.alignment = offsets.alignment(access, bytes, alignment);
    std::int64_t limit =
        std::min<std::int64_t>({access.alignment / bytes, widest / bits, offsets.size() - i});
    if (period > 0) limit = std::min(limit, period - i % period);
    std::int64_t run = 1;
    while (run < limit) {
      Access next = offsets.at(i + run);
      if (next.offset != access.offset + run || next.factors != access.factors) break;
      ++run;
    }
    access.count = std::int64_t{1} << (63 - __builtin_clzll(static_cast<unsigned long long>(run)));
    i += access.count;
    plan.push_back(std::move(access));
  }
  return plan;
}

}  // namespace cutwork::transforms
