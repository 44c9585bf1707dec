// cutwork/DSL/Copy.h -- copies between tensors: atoms, tiled copies, automatic vectors, predicates.
//
//     CopyAtom atom = make_copy_atom(CopyUniversalOp(), DType::Float16, 128);
//     TiledCopy tiled = make_tiled_copy_tv(atom, make_layout({4, 32}, {32, 1}),
//                                          make_layout({1, 8}));
//     ThrCopy mine = tiled.get_slice(tid);
//     Tensor src = mine.partition_S(gA);                 // ((atom_v, atom_rest), rest_m, rest_n)
//     Tensor frag = make_fragment_like(src);
//     copy(tiled, src, frag, pred);                      // pred: (atom_rest, rest_m, rest_n)
//     autovec_copy(frag, sA);
//
//     CopyAtom async = make_copy_atom(cpasync::CopyG2SOp(), DType::Float32, 128);
//     copy(async, mine.partition_S(gA), mine.partition_D(sA), pred);   // false: zeros
//     arch::cp_async_commit_group();
//     arch::cp_async_wait_group(0);                      // then a barrier, for the others' parts
//
// A copy whose width is given is refused where the accesses cannot have it, with the operand and
// the alignment known and needed. One without is made as wide as is known to be right; what kept it
// from 128 bits is a remark of the compilation.
#pragma once

#include <optional>

#include "cutwork/Atoms/CopyAtoms.h"
#include "cutwork/DSL/Tensor.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

/// Plain loads and stores.
struct CopyUniversalOp {};

/// Which caches a load fills: `always` all levels, `global` L2 only.
enum class LoadCacheMode { always, global };

namespace cpasync {

/// cp.async: 4, 8 or 16 bytes from global to shared memory, without registers between. `global`
/// takes 16 bytes. Where a predicate is false nothing is read, and zeros are written; with
/// `zero_fill` false shared memory keeps what it has there.
struct CopyG2SOp {
  LoadCacheMode cache_mode = LoadCacheMode::always;
  bool zero_fill = true;
};

}  // namespace cpasync

/// An instruction that one thread executes, for elements of a type.
class CopyAtom {
 public:
  CopyAtom(DType type, int bits, CopyKind kind = CopyKind::Universal, bool zeroFill = false)
      : type_(type), bits_(bits), kind_(kind), zeroFill_(zeroFill) {}
  [[nodiscard]] DType type() const { return type_; }
  /// 0: as many as fit.
  [[nodiscard]] int bits() const { return bits_; }
  /// Elements of one execution; 1 if the width is open.
  [[nodiscard]] std::int64_t values() const;
  [[nodiscard]] CopyKind kind() const { return kind_; }
  /// Of cp.async: what a false predicate writes.
  [[nodiscard]] bool zeroFill() const { return zeroFill_; }

 private:
  DType type_;
  int bits_;
  CopyKind kind_;
  bool zeroFill_;
};
/// Errors (User): a width that the target has not, or that is no multiple of the element.
CopyAtom make_copy_atom(CopyUniversalOp op, DType type, int num_bits_per_copy = 0,
                        Where where = Where::current());
/// Errors (User): no width, or one that cp.async has not.
CopyAtom make_copy_atom(cpasync::CopyG2SOp op, DType type, int num_bits_per_copy,
                        Where where = Where::current());

class ThrCopy;

/// An atom over a tile: the layout (thread, value) -> index in the tile (colexicographic), and the
/// tile's extents.
class TiledCopy {
 public:
  TiledCopy(CopyAtom atom, Layout layout_tv, IntTuple tiler_mn)
      : atom_(atom), layout_tv_(std::move(layout_tv)), tiler_mn_(std::move(tiler_mn)) {}
  [[nodiscard]] const CopyAtom& atom() const { return atom_; }
  [[nodiscard]] const Layout& layout_tv() const { return layout_tv_; }
  [[nodiscard]] const IntTuple& tiler_mn() const { return tiler_mn_; }
  /// Threads.
  [[nodiscard]] Int size() const { return cute::size(layout_tv_[0]); }
  [[nodiscard]] ThrCopy get_slice(const Arg& thread) const;

 private:
  CopyAtom atom_;
  Layout layout_tv_;
  IntTuple tiler_mn_;
};
/// Error (User): threads and values that are no compact bijections.
TiledCopy make_tiled_copy_tv(const CopyAtom& atom, const Layout& threads, const Layout& values,
                             Where where = Where::current());
/// Error (User): a TV layout that does not fill the tile.
TiledCopy make_tiled_copy(const CopyAtom& atom, const Layout& layout_tv, const IntTuple& tiler_mn,
                          Where where = Where::current());

/// One thread's part of a tiled copy.
class ThrCopy {
 public:
  ThrCopy(TiledCopy copy, IntTuple thread) : copy_(std::move(copy)), thread_(std::move(thread)) {}
  /// ((atom_v, atom_rest), rest_m, rest_n, ...) of a tensor of at least the tile's rank.
  [[nodiscard]] Tensor partition_S(const Tensor& source, Where where = Where::current()) const;
  [[nodiscard]] Tensor partition_D(const Tensor& target, Where where = Where::current()) const;
  /// A fragment of this thread's values, (values, ...) or ((..), ...), with mode 0 grouped as
  /// (atom_v, atom_rest). Error (User): another number of values in mode 0.
  [[nodiscard]] Tensor retile(const Tensor& fragment, Where where = Where::current()) const;

 private:
  TiledCopy copy_;
  IntTuple thread_;
};

/// Source to destination, (V, Rest...) each with the same extents, V grouped as above or plain. One
/// element of `pred`, of shape (Rest...), decides an execution of the atom. Errors (User): shapes
/// that differ or are not static, element widths that differ, an alignment or stride that the width
/// does not allow, a predicate of another size; of cp.async, other spaces than gmem to smem.
void copy(const CopyAtom& atom, const Tensor& source, const Tensor& target,
          const std::optional<Tensor>& pred = std::nullopt, Where where = Where::current());
void copy(const TiledCopy& tiled, const Tensor& source, const Tensor& target,
          const std::optional<Tensor>& pred = std::nullopt, Where where = Where::current());
/// As wide as strides and alignments of both sides are known to allow.
void autovec_copy(const Tensor& source, const Tensor& target, Where where = Where::current());
/// Element by element.
void basic_copy(const Tensor& source, const Tensor& target, Where where = Where::current());
/// Elements where `pred`, of the same shape, holds.
void basic_copy_if(const Tensor& pred, const Tensor& source, const Tensor& target,
                   Where where = Where::current());

TiledCopy remap(class Remap& r, const TiledCopy& x);

}  // namespace cutwork::cute

#pragma GCC visibility pop
