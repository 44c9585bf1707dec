// MmaTiling.cpp -- matrix instructions over tiles: the layout algebra of thread-value partitions.
#include "cutwork/Atoms/MmaTiling.h"

#include <fmt/format.h>

#include "cutwork/Layout/Composition.h"
#include "cutwork/Layout/Construct.h"
#include "cutwork/Layout/Coordinates.h"
#include "cutwork/Layout/Divide.h"
#include "cutwork/Layout/Inverse.h"
#include "cutwork/Layout/Product.h"
#include "cutwork/Layout/Slice.h"

namespace cutwork::cute {

namespace {

constexpr std::string_view kModes = "MNK";

const Layout& atomLayout(const MmaLayouts& atom, MmaOperand which) {
  switch (which) {
    case MmaOperand::A: return atom.a;
    case MmaOperand::B: return atom.b;
    default: return atom.c;
  }
}

std::size_t at(int mode) { return static_cast<std::size_t>(mode); }

// The atoms with a mode for each of M, N, K.
Expected<Layout> threeModes(const Layout& atoms) {
  if (atoms.rank() > 3) {
    return userError(
        fmt::format("make_tiled_mma: atoms are laid out over M, N and K, not by {}", atoms.text()));
  }
  if (!isStatic(atoms.view())) {
    return userError(
        fmt::format("make_tiled_mma: the layout of the atoms, {}, is not static", atoms.text()));
  }
  LayoutBuilder builder;
  builder.open();
  builder.appendModes(atoms.view());
  for (int i = atoms.rank(); i < 3; ++i) builder.leaf(1, 0);
  builder.close();
  return builder.finish();
}

// Whether the threads are 0, 1, ... once each.
Status checkThreads(const Layout& threads) {
  CW_TRY(Layout inverse, right_inverse(threads));
  if (size(inverse).value() == size(threads.view()).value()) return Success{};
  return userError(
      fmt::format("make_tiled_mma: the threads {} do not take every number below {} once",
                  threads.text(), size(threads.view()).text()));
}

Status checkPermutation(const Tiler& permutation, int mode, std::int64_t covered) {
  if (permutation.isHole()) return Success{};
  if (!permutation.isLayout() || !isStatic(permutation.layout().view())) {
    return userError(
        fmt::format("make_tiled_mma: a permutation of {} is an extent or a static layout, not {}",
                    kModes[at(mode)], permutation.text()));
  }
  const Layout& layout = permutation.layout();
  std::int64_t extent = size(layout.view()).value();
  if (extent % covered != 0) {
    return userError(
        fmt::format("make_tiled_mma: the permutation {} of {} has {} elements, no multiple of the "
                    "{} that the atoms cover",
                    permutation.text(), kModes[at(mode)], extent, covered));
  }
  CW_TRY(Layout inverse, right_inverse(layout));
  if (size(inverse.view()).value() == extent) return Success{};
  return userError(fmt::format(
      "make_tiled_mma: the permutation {} of {} does not take every position below {} once",
      permutation.text(), kModes[at(mode)], extent));
}

}  // namespace

std::array<int, 2> operandModes(MmaOperand operand) {
  switch (operand) {
    case MmaOperand::A: return {0, 2};
    case MmaOperand::B: return {1, 2};
    default: return {0, 1};
  }
}

std::string_view name(MmaOperand operand) {
  constexpr std::string_view kNames[] = {"A", "B", "C"};
  return kNames[static_cast<std::size_t>(operand)];
}

Expected<MmaTiling> MmaTiling::make(MmaLayouts atom, const Layout& atoms,
                                    const std::vector<Tiler>& permutation) {
  if (permutation.size() > 3) {
    return userError(
        fmt::format("make_tiled_mma: permutations are for M, N and K, not for {} "
                    "modes",
                    permutation.size()));
  }
  MmaTiling made;
  CW_TRY(Layout three, threeModes(atoms));
  CW_TRY(made.threads_, tiled_product(atom.threads, Tiler(three)));
  CW_DO(checkThreads(made.threads_));
  for (int mode = 0; mode < static_cast<int>(permutation.size()); ++mode) {
    std::int64_t covered = atom.mnk[at(mode)] * size(made.threads_[mode + 1]).value();
    CW_DO(checkPermutation(permutation[at(mode)], mode, covered));
    made.permutation_[at(mode)] = permutation[at(mode)];
  }
  made.atom_ = std::move(atom);
  return made;
}

std::int64_t MmaTiling::tileSize(int mode) const {
  const Tiler& permuted = permutation(mode);
  if (!permuted.isHole()) return size(permuted.layout().view()).value();
  return atom_.mnk[at(mode)] * size(threads_[mode + 1]).value();
}

Expected<Layout> MmaTiling::threadFragments(const Layout& operand, MmaOperand which) const {
  auto [first, second] = operandModes(which);
  if (operand.rank() < 2) {
    return userError(fmt::format("operand {} has modes ({},{},...), not the layout {}", name(which),
                                 kModes[at(first)], kModes[at(second)], operand.text()));
  }
  std::vector<Tiler> order;
  std::vector<Tiler> atom;
  std::vector<Tiler> threads;
  int position = 0;
  for (int mode : {first, second}) {
    Int extent = size(operand[position++]);
    if (divides(Int(tileSize(mode)), extent) == Truth::No) {
      return userError(fmt::format(
          "operand {} of shape {}: {} elements in {} are no multiple of the tiled MMA's {}",
          name(which), operand.shape().text(), extent.text(), kModes[at(mode)], tileSize(mode)));
    }
    order.push_back(permutation(mode).isHole() ? Tiler(tileSize(mode)) : permutation(mode));
    atom.emplace_back(atom_.mnk[at(mode)]);
    threads.emplace_back(size(threads_[mode + 1]));
  }
  CW_TRY(Layout ordered, logical_divide(operand, Tiler::byMode(std::move(order))));
  CW_TRY(Layout tiled, zipped_divide(ordered, Tiler::byMode(std::move(atom))));
  Tiler values = Tiler::byMode({Tiler(atomLayout(atom_, which)), Tiler::hole()});
  CW_TRY(Layout dealt, composition(tiled, values));
  Tiler each = Tiler::byMode({Tiler::hole(), Tiler::byMode(std::move(threads))});
  return zipped_divide(dealt, each);
}

Expected<IntTuple> MmaTiling::coordinateOf(Int thread) const {
  CW_TRY(IntTuple natural, idx2crd(IntTuple(thread), threads_.shape(), threads_.stride()));
  IntTupleBuilder flat;
  flat.open();
  for (int mode = 0; mode < threads_.rank(); ++mode) {
    CW_TRY(IntTuple linear, crd2idx(IntTuple(natural[mode]), IntTuple(threads_.shape()[mode])));
    flat.append(linear);
  }
  flat.close();
  return flat.finish();
}

Expected<Layout> MmaTiling::threadValues(MmaOperand which) const {
  auto [first, second] = operandModes(which);
  CW_TRY(Layout tile, make_layout(IntTuple{tileSize(first), tileSize(second)}));
  CW_TRY(Layout fragments, threadFragments(tile, which));
  // All threads, in the operand's modes: those that differ only in the third mode share.
  LayoutBuilder builder;
  builder.open();
  builder.append(fragments[0][0]);
  for (int mode = 0, used = 0; mode < 3; ++mode) {
    if (mode == first || mode == second) {
      builder.append(fragments[0][1][used++]);
    } else {
      builder.leaf(size(threads_[mode + 1]), 0);
    }
  }
  builder.close();
  CW_TRY(Layout ofThreads, builder.finish());
  CW_TRY(Layout inverse, right_inverse(threads_));
  CW_TRY(Layout linear, composition(ofThreads, inverse));
  return make_layout({linear.view(), fragments[1]});
}

Expected<IntTuple> MmaTiling::partitionShape(const IntTuple& shape, MmaOperand which) const {
  CW_TRY(Layout whole, make_layout(shape));
  CW_TRY(Layout fragments, threadFragments(whole, which));
  IntTupleBuilder builder;
  builder.open();
  builder.append(fragments[1].shape[0]);
  builder.appendModes(fragments[1].shape[1]);
  builder.close();
  return builder.finish();
}

}  // namespace cutwork::cute
