// cutwork/DSL/Mma.h -- matrix products: atoms, tiled over threads; fragments; gemm.
//
//     TiledMma mma = make_tiled_mma(MmaUniversalOp{DType::Float32}, make_layout({16, 16, 1}),
//                                   {make_layout({16, 4}, {4, 1}), make_layout({16, 4}, {4, 1})});
//     ThrMma mine = mma.get_slice(tid);
//     Tensor tCsA = mine.partition_A(sA);        // (value, rest_m, rest_k, ...) of (M,K,...)
//     Tensor tCrA = mma.make_fragment_A(tCsA(_, _, _, 0));
//     Tensor tCrC = mma.make_fragment_C(mine.partition_C(gC));
//     gemm(mma, tCrC, tCrA(_, _, k), tCrB(_, _, k), tCrC);          // D = A * B + C
//
// A is (M,K), B is (N,K), C and D are (M,N).
#pragma once

#include "cutwork/Atoms/MmaTiling.h"
#include "cutwork/DSL/Copy.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

/// One multiply-add of a thread, for Float16, BFloat16, Float32, Float64 and Int32: `fma`, rounded
/// once; integers wrap.
struct MmaUniversalOp {
  DType type = DType::Float32;
};

/// An instruction for matrices of these element types.
class MmaAtom {
 public:
  MmaAtom(MmaKind kind, DType a, DType b, DType c) : kind_(kind), a_(a), b_(b), c_(c) {}
  [[nodiscard]] MmaKind kind() const { return kind_; }
  [[nodiscard]] DType type(MmaOperand operand) const {
    return operand == MmaOperand::A ? a_ : operand == MmaOperand::B ? b_ : c_;
  }
  /// (M,N,K) of one execution.
  [[nodiscard]] IntTuple shape_mnk() const;
  [[nodiscard]] MmaLayouts layouts() const { return mmaLayouts(kind_); }

 private:
  MmaKind kind_;
  DType a_;
  DType b_;
  DType c_;
};
/// Error (User): a type that has no multiply-add.
MmaAtom make_mma_atom(MmaUniversalOp op, Where where = Where::current());

class ThrMma;

/// An atom over a tile of threads and values.
class TiledMma {
 public:
  TiledMma(MmaAtom atom, MmaTiling tiling) : atom_(atom), tiling_(std::move(tiling)) {}
  [[nodiscard]] const MmaAtom& atom() const { return atom_; }
  [[nodiscard]] const MmaTiling& tiling() const { return tiling_; }
  /// Threads.
  [[nodiscard]] Int size() const { return cute::size(tiling_.threads()); }
  /// (V,M,N,K) -> thread.
  [[nodiscard]] const Layout& thr_layout_vmnk() const { return tiling_.threads(); }
  /// The extent of the tile in mode 0 (M), 1 (N) or 2 (K).
  [[nodiscard]] std::int64_t tile_size_mnk(int mode) const { return tiling_.tileSize(mode); }
  /// (thread, value) -> index in the operand's tile, colexicographic.
  [[nodiscard]] Layout tv_layout(MmaOperand operand, Where where = Where::current()) const;
  [[nodiscard]] ThrMma get_slice(const Arg& thread) const;

  /// What a thread has of an operand of this shape: (value, rest, rest).
  [[nodiscard]] IntTuple partition_shape_A(const IntTuple& shape_mk,
                                           Where where = Where::current()) const;
  [[nodiscard]] IntTuple partition_shape_B(const IntTuple& shape_nk,
                                           Where where = Where::current()) const;
  [[nodiscard]] IntTuple partition_shape_C(const IntTuple& shape_mn,
                                           Where where = Where::current()) const;
  /// Registers for a partition of the operand, not initialised; of A and B in the order of its
  /// strides. Errors (User): another element type than the atom's, a shape that is not static.
  [[nodiscard]] Tensor make_fragment_A(const Tensor& part, Where where = Where::current()) const;
  [[nodiscard]] Tensor make_fragment_B(const Tensor& part, Where where = Where::current()) const;
  [[nodiscard]] Tensor make_fragment_C(const Tensor& part, Where where = Where::current()) const;
  [[nodiscard]] Tensor make_fragment_C(const IntTuple& shape, Where where = Where::current()) const;

 private:
  [[nodiscard]] Tensor fragment(const Tensor& part, MmaOperand operand, Where where) const;
  MmaAtom atom_;
  MmaTiling tiling_;
};
/// `atoms`: over M, N, K. `permutation`: for M, N and K an extent or a layout of the tile, or
/// Tiler::hole(). Errors (User): those of MmaTiling::make.
TiledMma make_tiled_mma(const MmaAtom& atom, const Layout& atoms = Layout::leaf(1, IntTuple(0)),
                        const std::vector<Tiler>& permutation = {}, Where where = Where::current());
TiledMma make_tiled_mma(MmaUniversalOp op, const Layout& atoms = Layout::leaf(1, IntTuple(0)),
                        const std::vector<Tiler>& permutation = {}, Where where = Where::current());

/// One thread's part of a tiled product.
class ThrMma {
 public:
  ThrMma(TiledMma mma, IntTuple thread) : mma_(std::move(mma)), thread_(std::move(thread)) {}
  [[nodiscard]] const TiledMma& mma() const { return mma_; }
  /// (value, rest_m, rest_k, ...) of a tensor (M,K,...), B of (N,K,...), C of (M,N,...). Error
  /// (User): extents that the tile does not divide.
  [[nodiscard]] Tensor partition_A(const Tensor& a, Where where = Where::current()) const;
  [[nodiscard]] Tensor partition_B(const Tensor& b, Where where = Where::current()) const;
  [[nodiscard]] Tensor partition_C(const Tensor& c, Where where = Where::current()) const;

 private:
  [[nodiscard]] Tensor partition(const Tensor& t, MmaOperand operand, Where where) const;
  TiledMma mma_;
  IntTuple thread_;
};

/// d = a * b + c, by rank: (V) x (V) -> (V); (V,M) x (V,N) -> (V,M,N); (V,M,K) x (V,N,K) ->
/// (V,M,N). d and c are registers and may be the same; a and b are registers, shared or global
/// memory, read in accesses as wide as strides and alignment allow. Errors (User): other ranks,
/// extents that do not fit each other or the atom, element types that are not the atom's.
void gemm(const MmaAtom& atom, const Tensor& d, const Tensor& a, const Tensor& b, const Tensor& c,
          Where where = Where::current());
void gemm(const TiledMma& mma, const Tensor& d, const Tensor& a, const Tensor& b, const Tensor& c,
          Where where = Where::current());

/// A tiled copy whose threads have the values that they have of the operand in the product.
TiledCopy make_tiled_copy_A(const CopyAtom& atom, const TiledMma& mma,
                            Where where = Where::current());
TiledCopy make_tiled_copy_B(const CopyAtom& atom, const TiledMma& mma,
                            Where where = Where::current());
TiledCopy make_tiled_copy_C(const CopyAtom& atom, const TiledMma& mma,
                            Where where = Where::current());

}  // namespace cutwork::cute

#pragma GCC visibility pop
