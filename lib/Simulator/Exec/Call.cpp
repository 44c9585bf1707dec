// Call.cpp -- calls, returns, frames in local memory, alloca, and vprintf.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "Access.h"
#include "Decode/Program.h"
#include "Misc.h"

namespace cutwork::sim {
namespace {

/// What a thread's local memory is at most (CUDA's technical limit).
constexpr std::uint32_t kMaxLocal = 512 * 1024;
constexpr std::uint32_t kMaxDepth = 20'000;

template <class Body>
void forLanes(std::uint32_t mask, Body body) {
  for (; mask != 0; mask &= mask - 1) body(static_cast<unsigned>(__builtin_ctz(mask)));
}

std::byte* localAt(Warp& w, unsigned lane, std::uint32_t offset) {
  return reinterpret_cast<std::byte*>(w.local.data()) + std::size_t{lane} * w.localBytes + offset;
}
std::uint8_t* localShadow(Warp& w, unsigned lane, std::uint32_t offset) {
  return w.localUndefined.data() + std::size_t{lane} * w.localBytes + offset;
}

void copyLocal(Warp& w, unsigned lane, std::uint32_t from, std::uint32_t to, std::uint32_t bytes) {
  if (bytes == 0) return;
  std::memmove(localAt(w, lane, to), localAt(w, lane, from), bytes);
  if (w.undefined != nullptr)
    std::memmove(localShadow(w, lane, to), localShadow(w, lane, from), bytes);
}

/// One lane's part of rows [begin, end): 4 bytes of every 128, or for wider rows as many; every row
/// is a multiple of 128 bytes or a predicate of 32, so lanes are taken from 32-byte pieces alike.
struct RowSaver {
  Warp& w;
  const CodeFunction& callee;

  [[nodiscard]] std::shared_ptr<std::vector<std::uint8_t>> save() const {
    const std::size_t bytes = callee.rowsEnd - callee.rowsBegin;
    auto saved = std::make_shared<std::vector<std::uint8_t>>(w.file + callee.rowsBegin,
                                                             w.file + callee.rowsEnd);
    if (w.undefined != nullptr) {
      saved->insert(saved->end(), w.undefined + callee.rowsBegin / 8,
                    w.undefined + callee.rowsBegin / 8 + bytes / 8);
    }
    return saved;
  }
};

}  // namespace

/// Restores one lane's registers of a function from what was saved. Defined by the decoder's
/// layout: Program::wideTables[0...] lists (offset, kind) of all rows; kind 0 predicate, 4, 8, 16
/// bytes.
static void restoreLane(Warp& w, const CodeFunction& callee, const std::vector<std::uint8_t>& saved,
                        unsigned lane) {
  const auto& table = w.launch->program->wideTables;
  const std::size_t bytes = callee.rowsEnd - callee.rowsBegin;
  for (std::size_t i = 0; i + 1 < table.size(); i += 2) {
    const std::uint32_t offset = table[i];
    const std::uint32_t width = table[i + 1];
    if (offset < callee.rowsBegin || offset >= callee.rowsEnd) continue;
    const std::uint8_t* from = saved.data() + (offset - callee.rowsBegin);
    if (width == 0) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, from, 4);
      std::uint32_t& to = predAt(w, offset);
      to = (to & ~(1U << lane)) | (bits & (1U << lane));
    } else {
      std::memcpy(w.file + offset + std::size_t{lane} * width, from + std::size_t{lane} * width,
                  width);
    }
    if (w.undefined == nullptr) continue;
    const std::uint8_t* shadow = saved.data() + bytes + (offset - callee.rowsBegin) / 8;
    for (std::uint32_t k = 0; k < std::max(width, 1U); ++k) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, shadow + std::size_t{k} * 4, 4);
      std::uint32_t& to = undefinedAt(w, offset)[k];
      to = (to & ~(1U << lane)) | (bits & (1U << lane));
    }
  }
}

bool growLocal(Warp& w, std::uint32_t bytes) {
  if (bytes <= w.localBytes) return true;
  if (bytes > kMaxLocal) return false;
  std::uint32_t grown = std::max(w.localBytes, 1024U);
  while (grown < bytes) grown *= 2;
  std::vector<std::uint8_t> local(std::size_t{grown} * 32);
  std::vector<std::uint8_t> undefined(w.undefined != nullptr ? std::size_t{grown} * 32 : 0,
                                      w.launch->program->checks.init ? 1 : 0);
  for (std::size_t i = 0; i < 32 && w.localBytes != 0; ++i) {
    std::memcpy(&local[i * grown], &w.local[i * w.localBytes], w.localBytes);
    if (w.undefined != nullptr) {
      std::memcpy(&undefined[i * grown], &w.localUndefined[i * w.localBytes], w.localBytes);
    }
  }
  w.local = std::move(local);
  w.localUndefined = std::move(undefined);
  w.localBytes = grown;
  return true;
}

const Record* callRecord(Warp& w, const Record& r) {
  const Program& program = *w.launch->program;
  const CallSite& site = program.calls[static_cast<std::size_t>(r.imm)];
  const auto firstLane = static_cast<unsigned>(__builtin_ctz(w.mask));
  // The record after the call is the join where its lanes meet again.
  const Record* back = &r + 1;
  Group* group = &w.groups[w.current];
  const Join* join = group->join == kNoJoin ? nullptr : &w.joins[group->join];
  const bool again = join != nullptr && join->at == back && join->depth == group->depth;
  if (!again) group->join = newJoin(w, back, group->mask);

  std::int64_t target = site.target;
  if (target < 0) {
    const auto* pointers = rowAt<std::uint64_t>(w, site.pointer);
    if (w.undefined != nullptr) {
      if (const std::uint32_t bad = undefinedLanes(w, site.pointer, 8); bad != 0) {
        return refuseUndefined(w, r, bad, "the function pointer of this call");
      }
    }
    const std::uint64_t pointer = pointers[firstLane];
    target = static_cast<std::int64_t>((pointer - kCodeWindow) / 16);
    if (pointer < kCodeWindow || pointer % 16 != 0 ||
        target >= static_cast<std::int64_t>(program.functions.size()) ||
        !program.functions[static_cast<std::size_t>(target)].decoded) {
      return raise(w, r, ExitCode::Bounds, firstLane,
                   fmt::format("a call through {:#x}, which is no function", pointer));
    }
    std::uint32_t same = 0;
    forLanes(w.mask, [&](unsigned i) { same |= pointers[i] == pointer ? 1U << i : 0; });
    if (same != w.mask) {  // the others call for themselves, next
      Group others = *group;
      others.mask &= ~same;
      others.pc = &r;
      group->mask = same;
      w.mask = same;
      w.groups.push_back(others);
      group = &w.groups[w.current];
      ++w.counters.divergentBranches;
    }
  }
  const CodeFunction& callee = program.functions[static_cast<std::size_t>(target)];
  const std::size_t arguments = std::max(site.argumentOffsets.size(), site.argumentRows.size());
  if (callee.formalOffsets.size() != arguments) {
    return raise(w, r, ExitCode::Bounds, firstLane,
                 fmt::format("{} takes {} arguments, and the call has {}", callee.name,
                             callee.formalOffsets.size(), arguments));
  }
  if (group->depth >= kMaxDepth) {
    return raise(w, r, ExitCode::Limit, firstLane,
                 fmt::format("calls nested more than {} deep", kMaxDepth));
  }
  std::uint32_t needed = 0;
  forLanes(w.mask, [&](unsigned i) {
    needed = std::max(needed, (w.localTop[i] + 15) / 16 * 16 + callee.frameBytes);
  });
  if (!growLocal(w, needed)) {
    return raise(w, r, ExitCode::Limit, firstLane,
                 fmt::format("the stack of a thread would exceed {} bytes", kMaxLocal));
  }
  if (w.frames.size() <= group->depth) w.frames.resize(group->depth + 1);
  Frame& frame = w.frames[group->depth];
  // Registers passed by value are read before the callee's rows may be overwritten by saving.
  std::shared_ptr<std::vector<std::uint8_t>> saved;
  if (callee.recursive) saved = RowSaver{w, callee}.save();
  forLanes(w.mask, [&](unsigned i) {
    frame.back[i] = back;
    frame.base[i] = w.localBase[i];
    frame.top[i] = w.localTop[i];
    frame.call[i] = static_cast<std::uint32_t>(r.imm);
    frame.rows[i] = saved;
    const std::uint32_t base = (w.localTop[i] + 15) / 16 * 16;
    for (std::size_t k = 0; k < arguments; ++k) {
      if (callee.formalRows[k] != 0) continue;
      const std::uint32_t bytes = std::min(site.argumentBytes[k], callee.formalBytes[k]);
      copyLocal(w, i, w.localBase[i] + site.argumentOffsets[k], base + callee.formalOffsets[k],
                bytes);
    }
    w.localBase[i] = base;
    w.localTop[i] = base + callee.frameBytes;
    if (w.undefined != nullptr) {
      // A new frame's variables are not written, whatever was there; its parameters were, above.
      std::uint32_t used = 0;
      for (std::size_t k = 0; k < arguments; ++k) {
        if (callee.formalRows[k] != 0) continue;
        used = std::max(used, callee.formalOffsets[k] + callee.formalBytes[k]);
      }
      if (callee.frameBytes > used)
        std::memset(localShadow(w, i, base + used), 1, callee.frameBytes - used);
    }
  });
  for (std::size_t k = 0; k < arguments; ++k) {
    if (callee.formalRows[k] == 0 || site.argumentRows.size() <= k || site.argumentRows[k] == 0)
      continue;
    const std::uint32_t width = callee.formalBytes[k];
    const std::uint32_t lane = width <= 4 ? 4 : 8;
    forLanes(w.mask, [&](unsigned i) {
      std::memcpy(w.file + callee.formalRows[k] + std::size_t{i} * lane,
                  w.file + site.argumentRows[k] + std::size_t{i} * lane, lane);
    });
    if (w.undefined == nullptr) continue;
    for (std::uint32_t b = 0; b < lane; ++b) {
      std::uint32_t& to = undefinedAt(w, callee.formalRows[k])[b];
      to = (to & ~w.mask) | (undefinedAt(w, site.argumentRows[k])[b] & w.mask);
    }
  }
  ++group->depth;
  return jump(w, program.records.data() + callee.entry);
}

const Record* returnRecord(Warp& w, const Record& r) {
  const std::uint32_t depth = w.groups[w.current].depth;
  if (depth == 0) return exitLanes(w, w.mask, &r + 1);
  const Program& program = *w.launch->program;
  const CodeFunction& callee = program.functions[static_cast<std::size_t>(r.imm)];
  Frame& frame = w.frames[depth - 1];
  const auto lane = static_cast<unsigned>(__builtin_ctz(w.mask));
  const Record* back = frame.back[lane];
  std::uint32_t same = 0;
  forLanes(w.mask, [&](unsigned i) { same |= frame.back[i] == back ? 1U << i : 0; });
  if (same != w.mask) {
    Group others = w.groups[w.current];
    others.mask &= ~same;
    others.pc = &r;
    w.groups.push_back(others);
    w.groups[w.current].mask = same;
    w.mask = same;
  }
  const CallSite& site = program.calls[frame.call[lane]];
  // Results that are registers are taken before a recursive caller's registers come back.
  struct Result {
    std::uint64_t value;
    std::uint32_t undefined;
  };
  std::vector<std::array<Result, 32>> results(site.resultRows.size());
  for (std::size_t k = 0; k < site.resultRows.size(); ++k) {
    if (k >= callee.resultRows.size() || callee.resultRows[k] == 0) continue;
    const std::uint32_t bytes = callee.resultBytes[k] <= 4 ? 4 : 8;
    forLanes(w.mask, [&](unsigned i) {
      results[k][i] = {};
      std::memcpy(&results[k][i].value, w.file + callee.resultRows[k] + std::size_t{i} * bytes,
                  bytes);
      for (unsigned b = 0; b < bytes && w.undefined != nullptr; ++b) {
        results[k][i].undefined |= (undefinedAt(w, callee.resultRows[k])[b] >> i & 1) << b;
      }
    });
  }
  forLanes(w.mask, [&](unsigned i) {
    for (std::size_t k = 0; k < std::min(site.resultOffsets.size(), callee.resultOffsets.size());
         ++k) {
      if (callee.resultRows[k] != 0 || site.resultBytes[k] == 0) continue;
      copyLocal(w, i, w.localBase[i] + callee.resultOffsets[k],
                frame.base[i] + site.resultOffsets[k],
                std::min(site.resultBytes[k], callee.resultBytes[k]));
    }
    w.localBase[i] = frame.base[i];
    w.localTop[i] = frame.top[i];
    if (frame.rows[i] != nullptr) {
      restoreLane(w, callee, *frame.rows[i], i);
      frame.rows[i].reset();
    }
  });
  for (std::size_t k = 0; k < site.resultRows.size(); ++k) {
    if (site.resultRows[k] == 0 || k >= callee.resultRows.size() || callee.resultRows[k] == 0)
      continue;
    const std::uint32_t bytes = callee.resultBytes[k] <= 4 ? 4 : 8;
    forLanes(w.mask, [&](unsigned i) {
      std::memcpy(w.file + site.resultRows[k] + std::size_t{i} * bytes, &results[k][i].value,
                  bytes);
      for (unsigned b = 0; b < bytes && w.undefined != nullptr; ++b) {
        std::uint32_t& to = undefinedAt(w, site.resultRows[k])[b];
        to = (to & ~(1U << i)) | (results[k][i].undefined >> b & 1) << i;
      }
    });
  }
  --w.groups[w.current].depth;
  return back;
}

const Record* allocaRecord(Warp& w, const Record& r) {
  const auto* sizes = rowAt<std::uint64_t>(w, r.a);
  const auto align = static_cast<std::uint32_t>(r.imm);
  std::uint32_t needed = 0;
  bool good = true;
  forLanes(w.mask, [&](unsigned i) {
    good = good && sizes[i] <= kMaxLocal;
    needed = std::max(needed,
                      (w.localTop[i] + align - 1) / align * align +
                          static_cast<std::uint32_t>(std::min<std::uint64_t>(sizes[i], kMaxLocal)));
  });
  if (!good || !growLocal(w, needed)) {
    return raise(w, r, ExitCode::Limit, static_cast<unsigned>(__builtin_ctz(w.mask)),
                 fmt::format("the stack of a thread would exceed {} bytes", kMaxLocal));
  }
  std::uint64_t addresses[32] = {};
  forLanes(w.mask, [&](unsigned i) {
    const std::uint32_t start = (w.localTop[i] + align - 1) / align * align;
    addresses[i] = start;
    w.localTop[i] = start + static_cast<std::uint32_t>(sizes[i]);
    if (w.undefined != nullptr && sizes[i] != 0) {
      std::memset(localShadow(w, i, start), 1, sizes[i]);
    }
  });
  commit(w, r.d, addresses);
  return &r + 1;
}

const Record* stackSave(Warp& w, const Record& r) {
  std::uint64_t tops[32];
  for (unsigned i = 0; i < 32; ++i) tops[i] = w.localTop[i];
  commit(w, r.d, tops);
  return &r + 1;
}

const Record* stackRestore(Warp& w, const Record& r) {
  const auto* tops = rowAt<std::uint64_t>(w, r.a);
  const Record* next = &r + 1;
  forLanes(w.mask, [&](unsigned i) {
    if (tops[i] > w.localTop[i] || tops[i] < w.localBase[i]) {
      next = raise(w, r, ExitCode::Bounds, i, fmt::format("{:#x} is no saved stack", tops[i]));
    } else {
      w.localTop[i] = static_cast<std::uint32_t>(tops[i]);
    }
  });
  return next;
}

const Record* localAddress64(Warp& w, const Record& r) {
  std::uint64_t values[32];
  for (unsigned i = 0; i < 32; ++i) values[i] = w.localBase[i] + static_cast<std::uint64_t>(r.imm);
  commit(w, r.d, values);
  return &r + 1;
}
const Record* localAddress32(Warp& w, const Record& r) {
  std::uint32_t values[32];
  for (unsigned i = 0; i < 32; ++i) values[i] = w.localBase[i] + static_cast<std::uint32_t>(r.imm);
  commit(w, r.d, values);
  return &r + 1;
}

}  // namespace cutwork::sim
