// DecodeMatrix.cpp -- ldmatrix, stmatrix and movmatrix.
#include <fmt/format.h>

#include "Decoder.h"

namespace cutwork::sim {

bool Decoder::matrices() {
  const Statement& s = *statement_;
  const bool move = s.name == "movmatrix";
  const bool store = s.name == "stmatrix";
  if (!move && !store && s.name != "ldmatrix") return false;
  Words words(s);
  if (!words.take("sync") || !words.take("aligned") || !words.take("m8n8")) return unknown({});
  const unsigned count = words.take("x1") || move ? 1
                         : words.take("x2")       ? 2
                         : words.take("x4")       ? 4
                                                  : 0;
  const bool transposed = words.take("trans");
  const bool shared = words.take("shared") || words.take("shared::cta");
  if (count == 0 || !words.take("b16") || !words.empty()) return unknown({});
  if (s.operands.size() != 2) return wrong(fmt::format("{} has two operands", s.name));
  if (move) {
    if (!transposed || shared) return unknown({});
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
    record.flags = count | (transposed ? kMatrixTransposed : 0) | (at.wide ? kMatrixWide : 0) |
                   (at.space == Space::Shared ? 0 : kMatrixGeneric);
    noteAccess(at, 16).lanes = count == 4 ? kAllLanes : (1U << (8 * count)) - 1;  // of the rows
    for (const std::uint32_t row : rows) emitElement(store ? 0 : row, 0, store ? row : 0, 0, 0);
    return true;
  });
}

}  // namespace cutwork::sim
