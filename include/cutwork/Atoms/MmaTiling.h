// cutwork/Atoms/MmaTiling.h -- a matrix instruction over a tile: who holds what of A, B and C.
//
// Definition. Atoms are laid out over the modes M, N, K by `atoms`; the threads of the whole are
// tiled_product(atom's threads, atoms), a layout (V,M,N,K) -> thread. Mode by mode a permutation p
// reorders the tile before the atoms are dealt out: the tile's extent in that mode is size(p), and
// position i of it is the operand's element p(i). An operand of modes (M,N), (M,K) or (N,K) becomes
//
//     threadFragments(L) = ((V,(thread_0,thread_1)), (value,(rest_0,rest_1,...)))
//
// by logical_divide with the permutations, zipped_divide with the atom's extents, composition of
// the atom's tile with its (thread, value) layout, and zipped_divide of the rest by the threads.
//
// Source: media/docs/cpp/cute/0t_mma_atom.md of NVIDIA/cutlass.
#pragma once

#include <array>

#include "cutwork/Atoms/MmaAtoms.h"
#include "cutwork/Layout/Tiler.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

enum class MmaOperand { A, B, C };
/// The modes of an operand among M, N, K: (0,2), (1,2), (0,1).
std::array<int, 2> operandModes(MmaOperand operand);
std::string_view name(MmaOperand operand);

class MmaTiling {
 public:
  /// `atoms` has up to three modes; `permutation` too: none, an extent or a layout for each.
  /// Errors (User): layouts that are not static, more modes, a permutation that does not fill its
  /// extent or is no multiple of what the atoms cover, atoms whose threads are not 0, 1, 2, ...
  static Expected<MmaTiling> make(MmaLayouts atom, const Layout& atoms,
                                  const std::vector<Tiler>& permutation);

  [[nodiscard]] const MmaLayouts& atom() const { return atom_; }
  /// (V,M,N,K) -> thread.
  [[nodiscard]] const Layout& threads() const { return threads_; }
  /// Of mode 0 (M), 1 (N) or 2 (K): what permutes it, a hole where nothing does.
  [[nodiscard]] const Tiler& permutation(int mode) const {
    return permutation_[static_cast<std::size_t>(mode)];
  }
  /// The extent of the tile in mode 0 (M), 1 (N) or 2 (K).
  [[nodiscard]] std::int64_t tileSize(int mode) const;

  /// Error (User): fewer than two modes; extents that the tile does not divide.
  [[nodiscard]] Expected<Layout> threadFragments(const Layout& operand, MmaOperand which) const;
  /// (V,M,N,K) of a thread.
  [[nodiscard]] Expected<IntTuple> coordinateOf(Int thread) const;
  /// (thread, value) -> index in the operand's tile, colexicographic.
  [[nodiscard]] Expected<Layout> threadValues(MmaOperand which) const;
  /// What a thread has of an operand of this shape: (value, rest_0, rest_1).
  [[nodiscard]] Expected<IntTuple> partitionShape(const IntTuple& shape, MmaOperand which) const;

 private:
  MmaLayouts atom_;
  Layout threads_;
  std::array<Tiler, 3> permutation_{Tiler::hole(), Tiler::hole(), Tiler::hole()};
};

}  // namespace cutwork::cute

#pragma GCC visibility pop
