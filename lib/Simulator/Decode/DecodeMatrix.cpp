// DecodeMatrix.cpp -- ldmatrix, stmatrix and movmatrix.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "Decoder.h"

namespace cutwork::sim {
namespace {

/// One line of the ISA's syntax, without .x1, .x2, .x4 and .shared.
struct MatrixForm {
  std::string_view name;
  std::array<std::string_view, 4> words;
  MatrixShape shape;
  unsigned bits = 0;  ///< of packed numbers
  unsigned rows = 8;  ///< of a matrix: a register for each eight
};
constexpr std::array kForms = {
    MatrixForm{"movmatrix", {"m8n8", "trans", "b16"}, MatrixShape::M8n8Transposed},
    MatrixForm{"ldmatrix", {"m8n8", "b16"}, MatrixShape::M8n8},
    MatrixForm{"ldmatrix", {"m8n8", "trans", "b16"}, MatrixShape::M8n8Transposed},
    MatrixForm{"stmatrix", {"m8n8", "b16"}, MatrixShape::M8n8},
    MatrixForm{"stmatrix", {"m8n8", "trans", "b16"}, MatrixShape::M8n8Transposed},
    MatrixForm{"ldmatrix", {"m16n16", "trans", "b8"}, MatrixShape::M16n16, 0, 16},
    MatrixForm{"ldmatrix", {"m16n16", "trans", "b8x16", "b6x16_p32"}, MatrixShape::M16n16, 6, 16},
    MatrixForm{"ldmatrix", {"m16n16", "trans", "b8x16", "b4x16_p64"}, MatrixShape::M16n16, 4, 16},
    MatrixForm{"ldmatrix", {"m8n16", "b8x16", "b6x16_p32"}, MatrixShape::M8n16, 6, 8},
    MatrixForm{"ldmatrix", {"m8n16", "b8x16", "b4x16_p64"}, MatrixShape::M8n16, 4, 8},
    MatrixForm{"stmatrix", {"m16n8", "trans", "b8"}, MatrixShape::M16n8},
};

const MatrixForm* formOf(std::string_view name, const Words& words) {
  const auto fits = [&](const MatrixForm& form) {
    Words rest = words;
    for (const std::string_view word : form.words) {
      if (!word.empty() && !rest.take(word)) return false;
    }
    return form.name == name && rest.empty();
  };
  const auto* found = std::find_if(kForms.begin(), kForms.end(), fits);
  return found == kForms.end() ? nullptr : found;
}

}  // namespace

bool Decoder::matrices() {
  const Statement& s = *statement_;
  const bool move = s.name == "movmatrix";
  const bool store = s.name == "stmatrix";
  if (!move && !store && s.name != "ldmatrix") return false;
  Words words(s);
  if (!words.take("sync") || !words.take("aligned")) return unknown({});
  const bool shared = !move && (words.take("shared") || words.take("shared::cta"));
  const unsigned matrices = move || words.take("x1") ? 1
                            : words.take("x2")       ? 2
                            : words.take("x4")       ? 4
                                                     : 0;
  const MatrixForm* form = formOf(s.name, words);
  if (form == nullptr || matrices == 0) return unknown({});
  const unsigned count = matrices * form->rows / 8;
  if (count > 4) return unknown(".m16n16 has .x1 and .x2");
  if (s.operands.size() != 2) return wrong(fmt::format("{} has two operands", s.name));
  if (move) {
    const std::uint32_t a = source(s.operands[1], Ty::B32);
    const std::uint32_t d = failed_ ? 0 : destination(s.operands[0], Ty::B32);
    if (failed_) return false;
    return aroundGuard([&] {
      Record& record = emitPlain(syncHandler(sync_));
      record.op = matrixMove;
      record.a = a;
      record.d = d;
      return true;
    });
  }
  Address at;
  if (!address(s.operands[store ? 0 : 1], shared ? Space::Shared : Space::Generic, at))
    return false;
  const Operand& list = s.operands[store ? 1 : 0];
  if (list.kind != Operand::Kind::Vector || list.parts.size() != count) {
    return wrong(
        fmt::format("a vector of {} register{} is expected", count, count == 1 ? "" : "s"));
  }
  std::vector<std::uint32_t> rows;
  for (const Operand& element : list.parts) {
    const bool sink = !store && element.kind == Operand::Kind::Sink;
    rows.push_back(sink ? 0 : store ? source(element, Ty::B32) : destination(element, Ty::B32));
    if (failed_) return false;
  }
  return aroundGuard([&] {
    Record& record = emitPlain(syncHandler(sync_));
    record.op = store ? matrixStore : matrixLoad;
    record.a = at.row;
    record.imm = at.offset;
    record.flags = count | static_cast<std::uint32_t>(form->shape) << kMatrixShapeShift |
                   form->bits << kMatrixBitsShift | (at.wide ? kMatrixWide : 0) |
                   (at.space == Space::Shared ? 0 : kMatrixGeneric);
    noteAccess(at, 16).lanes = count == 4 ? kAllLanes : (1U << (8 * count)) - 1;  // of the rows
    for (const std::uint32_t row : rows) emitElement(store ? 0 : row, 0, store ? row : 0, 0, 0);
    return true;
  });
}

}  // namespace cutwork::sim
