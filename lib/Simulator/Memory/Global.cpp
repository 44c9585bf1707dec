// Global.cpp -- allocations in the reserved range, and their shadow.
#include "Global.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstring>
#include <new>

namespace cutwork::sim {
namespace {

constexpr std::uint64_t kReserve = std::uint64_t{64} << 30;
/// Between allocations: an overrun by less than this is seen.
constexpr std::uint64_t kGap = 4096;

void* reserve(std::uint64_t bytes) {
  void* range = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return range == MAP_FAILED ? nullptr : range;
}

std::string plural(std::uint64_t bytes) {
  return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

}  // namespace

GlobalMemory::~GlobalMemory() {
  if (data_ != nullptr) munmap(data_, reserved_);
  if (shadow_ != nullptr) munmap(shadow_, reserved_);
}

Expected<std::uint64_t> GlobalMemory::allocate(std::uint64_t bytes, std::string name,
                                               bool constant) {
  if (data_ == nullptr) {
    // A machine that limits address space gets a smaller device.
    for (reserved_ = kReserve; reserved_ >= (std::uint64_t{1} << 28); reserved_ /= 2) {
      data_ = static_cast<std::byte*>(reserve(reserved_));
      shadow_ = static_cast<std::uint8_t*>(reserve(reserved_));
      if (data_ != nullptr && shadow_ != nullptr) break;
      if (data_ != nullptr) munmap(data_, reserved_);
      if (shadow_ != nullptr) munmap(shadow_, reserved_);
      data_ = nullptr;
      shadow_ = nullptr;
    }
    if (data_ == nullptr)
      return deviceError("the host gives no address space for the device's memory");
    next_ = kGap;
  }
  const std::uint64_t start = (next_ + kAlign - 1) / kAlign * kAlign;
  if (bytes > reserved_ || start + bytes + kGap > reserved_) {
    return deviceError(fmt::format("out of simulated memory: {} wanted, {} of {} in use",
                                   plural(bytes), next_, reserved_));
  }
  next_ = start + bytes + kGap;
  std::memset(shadow_ + start, startsAs_, bytes);
  const std::uint64_t address = kBase + start;
  allocations_[address] = {address, bytes, false, constant, std::move(name)};
  return address;
}

Status GlobalMemory::free(std::uint64_t address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end() || found->second.freed) {
    return userError(fmt::format("free of {:#x}, which is not the start of live memory", address));
  }
  found->second.freed = true;
  std::memset(shadow_ + (address - kBase), kFreed, found->second.bytes);
  // Addresses are not used again, so that a stale pointer is always seen; the pages are given back.
  const std::uint64_t first = (address - kBase + 4095) / 4096 * 4096;
  const std::uint64_t last = (address - kBase + found->second.bytes) / 4096 * 4096;
  if (last > first) madvise(data_ + first, last - first, MADV_DONTNEED);
  return Success{};
}

Status GlobalMemory::within(std::uint64_t address, std::uint64_t bytes) const {
  const Allocation* found = nearest(address);
  if (bytes == 0) return Success{};
  if (found == nullptr || found->freed || address - found->address > found->bytes ||
      bytes > found->bytes - (address - found->address)) {
    return userError(fmt::format("{} at {:#x}: {}", plural(bytes), address, describe(address)));
  }
  return Success{};
}

Status GlobalMemory::write(std::uint64_t address, const void* from, std::uint64_t bytes) {
  CW_DO(within(address, bytes));
  if (bytes == 0) return Success{};
  std::memcpy(data_ + (address - kBase), from, bytes);
  std::memset(shadow_ + (address - kBase), kLive | kWritten, bytes);
  return Success{};
}

Status GlobalMemory::read(std::uint64_t address, void* to, std::uint64_t bytes) const {
  CW_DO(within(address, bytes));
  if (bytes != 0) std::memcpy(to, data_ + (address - kBase), bytes);
  return Success{};
}

bool GlobalMemory::save(MemoryCopy& into, bool shadow) const {
  into.ranges.clear();
  std::uint64_t all = 0;
  for (const auto& [address, one] : allocations_) {
    if (one.freed) continue;
    into.ranges.push_back({address - kBase, one.bytes});
    all += one.bytes;
  }
  if (all > into.room) {
    into.room = 0;
    into.data.reset(new (std::nothrow) std::byte[all]);
    into.shadow.reset(new (std::nothrow) std::uint8_t[all]);
    if (into.data == nullptr || into.shadow == nullptr) return false;
    into.room = all;
  }
  std::uint64_t at = 0;
  for (const MemoryCopy::Range& range : into.ranges) {
    std::memcpy(into.data.get() + at, data_ + range.offset, range.bytes);
    if (shadow) std::memcpy(into.shadow.get() + at, shadow_ + range.offset, range.bytes);
    at += range.bytes;
  }
  return true;
}

void GlobalMemory::restore(const MemoryCopy& from, bool shadow) {
  std::uint64_t at = 0;
  for (const MemoryCopy::Range& range : from.ranges) {
    std::memcpy(data_ + range.offset, from.data.get() + at, range.bytes);
    if (shadow) std::memcpy(shadow_ + range.offset, from.shadow.get() + at, range.bytes);
    at += range.bytes;
  }
}

const Allocation* GlobalMemory::nearest(std::uint64_t address) const {
  auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return nullptr;
  return &std::prev(after)->second;
}

std::string GlobalMemory::describe(std::uint64_t address) const {
  if (address < kAlign) return "a null pointer, or nearly";
  const auto about = [](const Allocation& a) {
    return fmt::format("{} ({} at {:#x}{})", a.name, plural(a.bytes), a.address,
                       a.freed ? ", freed" : "");
  };
  const Allocation* below = nearest(address);
  const auto next = allocations_.upper_bound(address);
  if (below != nullptr && address - below->address < below->bytes) {
    return fmt::format("byte {} of {}", address - below->address, about(*below));
  }
  const std::uint64_t after =
      below == nullptr ? ~std::uint64_t{0} : address - (below->address + below->bytes);
  const std::uint64_t before =
      next == allocations_.end() ? ~std::uint64_t{0} : next->second.address - address;
  constexpr std::uint64_t kNear = std::uint64_t{1} << 30;
  if (after < kNear && after <= before) {
    if (after == 0) return fmt::format("just after the end of {}", about(*below));
    return fmt::format("{} after the end of {}", plural(after), about(*below));
  }
  if (before < kNear) return fmt::format("{} before {}", plural(before), about(next->second));
  return "in no allocation";
}

}  // namespace cutwork::sim
