// Matrix.cpp -- ldmatrix, stmatrix and movmatrix: matrices in shared memory, spread over a warp.
//
// A row is 16 bytes in shared memory, at the address of one lane. Which byte of a row a byte of a
// lane's register is follows from the shape (PTX ISA, figures 104 to 107). Lane 4i + j holds
// m8n8: elements (i, 2j) and (i, 2j + 1) of 16 bits; transposed (2j, i) and (2j + 1, i);
// m8n16: bytes 4j ... 4j + 3 of row i;
// m16n8, m16n16: bytes i and i + 8 of two rows for each register. Of which rows a register of
// m16n16 is was taken from CuTe's layouts of ldmatrix; no hardware was asked.
#include <fmt/format.h>

#include <cstring>

#include "Access.h"
#include "Misc.h"
#include "RaceExec.h"

namespace cutwork::sim {
namespace {

struct Rows {
  std::uint8_t bytes[32][16];
  bool undefined[32][16];
};

/// Where byte `k` of a lane's register `q` is: in the row that a lane addresses.
struct Place {
  unsigned row;
  unsigned byte;
};
template <MatrixShape Shape>
Place placeOf(unsigned lane, unsigned q, unsigned k) {
  const unsigned i = lane / 4;
  const unsigned j = lane % 4;
  switch (Shape) {
    case MatrixShape::M8n8: return {8 * q + i, 4 * j + k};
    case MatrixShape::M8n8Transposed: return {8 * q + 2 * j + k / 2, 2 * i + k % 2};
    case MatrixShape::M8n16: return {8 * q + i, 4 * j + k};
    case MatrixShape::M16n8: return {8 * q + 2 * j + k % 2, i + 8 * (k / 2)};
    case MatrixShape::M16n16: return {16 * (q / 2) + 4 * j + 2 * (q % 2) + k % 2, i + 8 * (k / 2)};
  }
  return {};
}

template <MatrixShape Shape>
void toRegister(Warp& w, std::uint32_t row, unsigned q, const Rows& rows) {
  auto* to = reinterpret_cast<std::uint8_t*>(rowAt<std::uint32_t>(w, row));
  std::uint32_t masks[4] = {};
  for (unsigned i = 0; i < 32; ++i) {
    for (unsigned k = 0; k < 4; ++k) {
      const Place at = placeOf<Shape>(i, q, k);
      to[4 * i + k] = rows.bytes[at.row][at.byte];
      masks[k] |= (rows.undefined[at.row][at.byte] ? 1U : 0U) << i;
    }
  }
  if (w.undefined != nullptr) std::memcpy(undefinedAt(w, row), masks, sizeof masks);
}

template <MatrixShape Shape>
void fromRegister(Warp& w, std::uint32_t row, unsigned q, Rows& rows) {
  const auto* from = reinterpret_cast<const std::uint8_t*>(rowAt<std::uint32_t>(w, row));
  for (unsigned i = 0; i < 32; ++i) {
    for (unsigned k = 0; k < 4; ++k) {
      const Place at = placeOf<Shape>(i, q, k);
      rows.bytes[at.row][at.byte] = from[4 * i + k];
      rows.undefined[at.row][at.byte] =
          w.undefined != nullptr && (undefinedAt(w, row)[k] >> i & 1) != 0;
    }
  }
}

/// Sixteen numbers of `bits` each, behind one another from the row's start, become bytes; what is
/// above a number's bits is 0. A byte is defined if all bytes that it comes from are.
void expand(std::uint8_t (&bytes)[16], bool (&undefined)[16], unsigned bits) {
  std::uint8_t packed[16];
  bool unknown[16];
  std::memcpy(packed, bytes, sizeof packed);
  std::memcpy(unknown, undefined, sizeof unknown);
  for (unsigned i = 0; i < 16; ++i) {
    const unsigned first = i * bits / 8;
    const unsigned last = (i * bits + bits - 1) / 8;
    const unsigned both = packed[first] | static_cast<unsigned>(packed[last]) << 8;
    const unsigned word = first == last ? packed[first] : both;
    bytes[i] = static_cast<std::uint8_t>(word >> i * bits % 8 & ((1U << bits) - 1));
    undefined[i] = unknown[first] || unknown[last];
  }
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
bool accessRow(Warp& w, const Record& r, unsigned lane, bool store, Rows& rows) {
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
    std::memcpy(spot.bytes, rows.bytes[lane], 16);
    for (unsigned k = 0; k < 16; ++k) masks[k] = (rows.undefined[lane][k] ? 1U : 0U) << lane;
    if (checked) markWritten(spot, 16, lane, masks);
  } else {
    std::memcpy(rows.bytes[lane], spot.bytes, 16);
    if (checked) noteUndefined(spot, 16, lane, masks);
    for (unsigned k = 0; k < 16; ++k) rows.undefined[lane][k] = masks[k] != 0;
  }
  return true;
}

/// Calls body.operator()<Shape>() with the record's shape.
template <class Body>
void byShape(const Record& r, const Body& body) {
  switch (static_cast<MatrixShape>(r.flags >> kMatrixShapeShift & 7)) {
    case MatrixShape::M8n8: return body.template operator()<MatrixShape::M8n8>();
    case MatrixShape::M8n8Transposed:
      return body.template operator()<MatrixShape::M8n8Transposed>();
    case MatrixShape::M8n16: return body.template operator()<MatrixShape::M8n16>();
    case MatrixShape::M16n8: return body.template operator()<MatrixShape::M16n8>();
    case MatrixShape::M16n16: return body.template operator()<MatrixShape::M16n16>();
  }
}

}  // namespace

const Record* matrixLoad(Warp& w, const Record& r) {
  if (needsAllLanes(w, r) == nullptr) return nullptr;
  ++w.counters.sharedLoads;
  const unsigned bits = r.flags >> kMatrixBitsShift & 7;
  Rows rows{};
  for (unsigned lane = 0; lane < 8 * (r.flags & 15); ++lane) {
    if (!accessRow(w, r, lane, false, rows)) return nullptr;
    if (bits != 0) expand(rows.bytes[lane], rows.undefined[lane], bits);
  }
  byShape(r, [&]<MatrixShape Shape>() {
    for (unsigned q = 0; q < (r.flags & 15); ++q) {
      const std::uint32_t row = (&r)[1 + q].d;
      if (row != 0) toRegister<Shape>(w, row, q, rows);
    }
  });
  return &r + 1;
}

const Record* matrixStore(Warp& w, const Record& r) {
  if (needsAllLanes(w, r) == nullptr) return nullptr;
  ++w.counters.sharedStores;
  Rows rows{};
  byShape(r, [&]<MatrixShape Shape>() {
    for (unsigned q = 0; q < (r.flags & 15); ++q) fromRegister<Shape>(w, (&r)[1 + q].b, q, rows);
  });
  for (unsigned lane = 0; lane < 8 * (r.flags & 15); ++lane) {
    if (!accessRow(w, r, lane, true, rows)) return nullptr;
  }
  return &r + 1;
}

const Record* matrixMove(Warp& w, const Record& r) {
  if (needsAllLanes(w, r) == nullptr) return nullptr;
  Rows rows{};
  fromRegister<MatrixShape::M8n8>(w, r.a, 0, rows);
  toRegister<MatrixShape::M8n8Transposed>(w, r.d, 0, rows);
  return &r + 1;
}

}  // namespace cutwork::sim
