// OperationArguments.cpp -- reading operands, writing lists, suggesting names.
#include "OperationArguments.h"

#include <algorithm>

#include "Refusal.h"
#include "cutwork/Support/EditDistance.h"

namespace cutwork::cute {

bool OperationArguments::isLayout(std::size_t i) const {
  return texts_[i].find(':') != std::string::npos;
}

bool OperationArguments::isComposed(std::size_t i) const {
  return texts_[i].find('o') != std::string::npos;
}

bool OperationArguments::isTiler(std::size_t i) const {
  return texts_[i].find_first_of("[:_") != std::string::npos;
}

template <class T>
Expected<T> OperationArguments::at(std::size_t i, Expected<T> read, std::string_view what) const {
  if (read) return read;
  return refuse("{}: operand {} is no {}: {}", operation_, i + 1, what, read.error().message());
}

Expected<IntTuple> OperationArguments::tuple(std::size_t i) const {
  return at(i, parseTuple(texts_[i], dynamic_), "tuple");
}
Expected<IntTuple> OperationArguments::shape(std::size_t i) const {
  CW_TRY(IntTuple shape, tuple(i));
  for (const Node& node : shape.view().nodes()) {
    if (node.kind == NodeKind::Tuple) continue;
    const bool known = node.kind == NodeKind::Integer && node.basis.depth() == 0;
    if (!known || (node.integer.isStatic() && node.integer.value() <= 0)) {
      return refuse("{}: operand {} is no shape: extents are positive integers, not {}", operation_,
                    i + 1, shape.text());
    }
  }
  return shape;
}
Expected<Layout> OperationArguments::layout(std::size_t i) const {
  return at(i, parseLayout(texts_[i], dynamic_), "layout");
}
Expected<AnyLayout> OperationArguments::anyLayout(std::size_t i) const {
  return at(i, parseAnyLayout(texts_[i], dynamic_), "layout");
}
Expected<Tiler> OperationArguments::tiler(std::size_t i) const {
  return at(i, parseTiler(texts_[i], dynamic_), "tiler");
}
Expected<Swizzle> OperationArguments::swizzle(std::size_t i) const {
  return at(i, parseSwizzle(texts_[i]), "swizzle");
}

Expected<std::int64_t> OperationArguments::integer(std::size_t i) const {
  auto value = parseInt(texts_[i]);
  if (!value) return at(i, Expected<std::int64_t>(std::move(value).takeError()), "integer");
  return value->value();
}

Expected<std::vector<int>> OperationArguments::modes(std::size_t i) const {
  CW_TRY(IntTuple list, at(i, parseTuple(texts_[i]), "list of modes"));
  std::vector<int> modes;
  for (IntTupleView mode : list) {
    std::int64_t value = mode.isInt() ? mode.value().value() : -1;
    if (value < 0 || value > static_cast<std::int64_t>(kMaxNodes)) {
      return refuse("{}: operand {} is no list of modes: {}", operation_, i + 1, list.text());
    }
    modes.push_back(static_cast<int>(value));
  }
  return modes;
}

Error unknownOperation(std::string_view name, std::span<const OperationInfo> known) {
  constexpr std::size_t kLongest = 64;
  std::string_view shown = name.substr(0, kLongest);
  std::string_view nearest;
  // Two letters, or a third of a long name, may be wrong; of a short one at least one is right.
  std::size_t best = std::min(std::max<std::size_t>(2, shown.size() / 3) + 1, shown.size());
  for (const OperationInfo& info : known) {
    std::size_t d = editDistance(shown, info.name);
    if (d < best) best = d, nearest = info.name;
  }
  std::string hint = nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
  return refuse("there is no operation '{}'{}", shown, hint);
}

}  // namespace cutwork::cute
