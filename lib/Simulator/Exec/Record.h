// Record.h -- one decoded instruction: what the execution loop reads.
#pragma once

#include <cstdint>

namespace cutwork::sim {

struct Warp;
struct Record;

/// Executes a record for the warp's current lanes and returns the next one, or null if the group of
/// lanes stops here (it waits, has ended, or faulted).
using Handler = const Record* (*)(Warp&, const Record&);

/// Offsets are into the warp's row file. `run` is what the loop calls; a guard calls `op`, a check
/// of definedness calls `inner`, where there are such.
struct Record {
  Handler run = nullptr;
  Handler op = nullptr;
  Handler inner = nullptr;
  std::uint32_t d = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  std::int64_t imm = 0;
  std::uint32_t guard = 0;   ///< the predicate's offset; bit 0: negated
  std::uint32_t extra = 0;   ///< a fourth source, or an index into a table of the program
  std::uint32_t source = 0;  ///< Program::sources; the top bit: part of another instruction
  std::uint32_t flags = 0;   ///< the handler's own
};
static_assert(sizeof(Record) == 64);

inline constexpr std::uint32_t kPartOfAnother = 0x80000000U;

/// Layout of `flags` for elementwise records: how many bytes of each operand the shadow follows, as
/// a code of 4 bits (0 none, 1 predicate, 2 four, 3 eight, 4 sixteen): d, a, b, c, extra.
constexpr std::uint32_t shadowCode(unsigned bytes, bool predicate) {
  if (predicate) return 1;
  return bytes == 0 ? 0 : bytes <= 4 ? 2 : bytes == 8 ? 3 : 4;
}
constexpr unsigned shadowMasks(std::uint32_t code) { return code <= 1 ? code : 2U << (code - 1); }

/// Flags of memory records.
inline constexpr std::uint32_t kWideRegister = 1;  ///< the register has 64 bits
inline constexpr std::uint32_t kSignExtend = 2;
inline constexpr std::uint32_t kCountShift = 4;           ///< bits 4..7: elements
inline constexpr std::uint32_t kSizeShift = 8;            ///< bits 8..15: bytes of an element
inline constexpr std::uint32_t kHugeRegister = 1U << 16;  ///< the register has 128 bits
inline constexpr std::uint32_t kVolatile =
    1U << 17;  ///< others may write it: a loop around it may be waiting

}  // namespace cutwork::sim
