// Matrix.cpp -- ldmatrix, stmatrix and movmatrix: 8 x 8 matrices of 16 bits, spread over a warp.
//
// Lane 4i + j holds the elements (i, 2j) and (i, 2j + 1) of a matrix; transposed (2j, i) and
// (2j + 1, i). A row of a matrix in shared memory is 16 bytes, at the address of one lane.
#include <fmt/format.h>

#include <cstring>

#include "Access.h"
#include "Misc.h"
#include "RaceExec.h"

namespace cutwork::sim {
namespace {

struct Matrix {
  std::uint8_t bytes[8][16];
  bool undefined[8][16];
};

/// Where byte `k` of lane `i`'s register is in the matrix.
struct Place {
  unsigned row;
  unsigned byte;
};
Place placeOf(unsigned lane, unsigned k, bool transposed) {
  const unsigned major = lane / 4;
  const unsigned minor = 2 * (lane % 4) + k / 2;
  return transposed ? Place{minor, 2 * major + k % 2} : Place{major, 2 * minor + k % 2};
}

void toRegisters(Warp& w, std::uint32_t row, const Matrix& matrix, bool transposed) {
  auto* to = reinterpret_cast<std::uint8_t*>(rowAt<std::uint32_t>(w, row));
  std::uint32_t masks[4] = {};
  for (unsigned i = 0; i < 32; ++i) {
    for (unsigned k = 0; k < 4; ++k) {
      const Place at = placeOf(i, k, transposed);
      to[4 * i + k] = matrix.bytes[at.row][at.byte];
      masks[k] |= (matrix.undefined[at.row][at.byte] ? 1U : 0U) << i;
    }
  }
  if (w.undefined != nullptr) std::memcpy(undefinedAt(w, row), masks, sizeof masks);
}

Matrix fromRegisters(Warp& w, std::uint32_t row, bool transposed) {
  const auto* from = reinterpret_cast<const std::uint8_t*>(rowAt<std::uint32_t>(w, row));
  Matrix matrix{};
  for (unsigned i = 0; i < 32; ++i) {
    for (unsigned k = 0; k < 4; ++k) {
      const Place at = placeOf(i, k, transposed);
      matrix.bytes[at.row][at.byte] = from[4 * i + k];
      if (w.undefined != nullptr) {
        matrix.undefined[at.row][at.byte] = (undefinedAt(w, row)[k] >> i & 1) != 0;
      }
    }
  }
  return matrix;
}

/// These instructions are the whole warp's.
const Record* needsAllLanes(Warp& w, const Record& r) {
  if (w.mask == kAllLanes) return &r;
  return raise(w, r, ExitCode::SyncMask, static_cast<unsigned>(__builtin_ctz(w.mask)),
               fmt::format("this instruction needs all 32 lanes of the warp, and the lanes that "
                           "execute it are {:#010x}",
                           w.mask));
}

/// The row of a matrix at the address of `lane`; false after a fault.
bool accessRow(Warp& w, const Record& r, unsigned lane, bool store, Matrix& matrix, unsigned row) {
  const bool checked = w.undefined != nullptr;
  const bool wide = (r.flags & kMatrixWide) != 0;
  if (checked) {
    if (const std::uint32_t bad = undefinedLanes(w, r.a, wide ? 8 : 4) & 1U << lane; bad != 0) {
      refuseUndefined(w, r, bad, "the address of a row of this matrix");
      return false;
    }
  }
  const std::uint64_t base =
      wide ? rowAt<std::uint64_t>(w, r.a)[lane] : std::uint64_t{rowAt<std::uint32_t>(w, r.a)[lane]};
  const Space space = (r.flags & kMatrixGeneric) != 0 ? Space::Generic : Space::Shared;
  const Spot spot =
      locate(w, r, space, base + static_cast<std::uint64_t>(r.imm), 16, lane, checked, store);
  if (spot.bytes == nullptr) return false;
  if (spot.cta == nullptr) {
    raiseAt(w, r, ExitCode::Bounds, lane, base, "the row of a matrix is not in shared memory");
    return false;
  }
  if (w.launch->race != nullptr &&
      !raceShared(w, r, spot.cta->race.plane, spot.offset, 16, store, true)) {
    return false;
  }
  std::uint32_t masks[16] = {};
  if (store) {
    std::memcpy(spot.bytes, matrix.bytes[row], 16);
    for (unsigned k = 0; k < 16; ++k) masks[k] = (matrix.undefined[row][k] ? 1U : 0U) << lane;
    if (checked) markWritten(spot, 16, lane, masks);
  } else {
    std::memcpy(matrix.bytes[row], spot.bytes, 16);
    if (checked) noteUndefined(spot, 16, lane, masks);
    for (unsigned k = 0; k < 16; ++k) matrix.undefined[row][k] = masks[k] != 0;
  }
  return true;
}

}  // namespace

const Record* matrixLoad(Warp& w, const Record& r) {
  if (needsAllLanes(w, r) == nullptr) return nullptr;
  ++w.counters.sharedLoads;
  const unsigned count = r.flags & 15;
  Matrix matrices[4];
  for (unsigned lane = 0; lane < 8 * count; ++lane) {
    if (!accessRow(w, r, lane, false, matrices[lane / 8], lane % 8)) return nullptr;
  }
  for (unsigned m = 0; m < count; ++m) {
    const std::uint32_t row = (&r)[1 + m].d;
    if (row != 0) toRegisters(w, row, matrices[m], (r.flags & kMatrixTransposed) != 0);
  }
  return &r + 1;
}

const Record* matrixStore(Warp& w, const Record& r) {
  if (needsAllLanes(w, r) == nullptr) return nullptr;
  ++w.counters.sharedStores;
  const unsigned count = r.flags & 15;
  for (unsigned m = 0; m < count; ++m) {
    Matrix matrix = fromRegisters(w, (&r)[1 + m].b, (r.flags & kMatrixTransposed) != 0);
    for (unsigned row = 0; row < 8; ++row) {
      if (!accessRow(w, r, 8 * m + row, true, matrix, row)) return nullptr;
    }
  }
  return &r + 1;
}

const Record* matrixMove(Warp& w, const Record& r) {
  if (needsAllLanes(w, r) == nullptr) return nullptr;
  toRegisters(w, r.d, fromRegisters(w, r.a, false), true);
  return &r + 1;
}

}  // namespace cutwork::sim
