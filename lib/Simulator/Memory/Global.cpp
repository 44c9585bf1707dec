// Global.cpp -- allocations in the reserved range, and their shadow.
#include "Global.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstring>

namespace cutwork::sim {
namespace {

constexpr std::uint64_t kReserve = std::uint64_t{64} << 30;
/// Between allocations: an overrun by less than this is seen.
constexpr std::uint64_t kGap = 4096;
/// So many freed allocations, and so much of the range, are kept apart before they are used again.
constexpr std::size_t kFreedKept = 4096;
constexpr std::uint64_t kFreedPart = 4;

void* mapped(std::uint64_t bytes) {
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

Status GlobalMemory::reserve() {
  if (data_ != nullptr) return Success{};
  // A machine that limits address space gets a smaller device.
  for (reserved_ = kReserve; reserved_ >= (std::uint64_t{1} << 28); reserved_ /= 2) {
    data_ = static_cast<std::byte*>(mapped(reserved_));
    shadow_ = static_cast<std::uint8_t*>(mapped(reserved_));
    if (data_ != nullptr && shadow_ != nullptr) break;
    if (data_ != nullptr) munmap(data_, reserved_);
    if (shadow_ != nullptr) munmap(shadow_, reserved_);
    data_ = nullptr;
    shadow_ = nullptr;
  }
  if (data_ == nullptr)
    return deviceError("the host gives no address space for the device's memory");
  next_ = kGap;
  return Success{};
}

// Programs that allocate again and again, as training loops do, would fill the range: what was
// freed long ago is used again. A pointer to what was freed lately is seen.
void GlobalMemory::recycle() {
  while (!freed_.empty() && (freed_.size() > kFreedKept || freedRoom_ > reserved_ / kFreedPart)) {
    const std::uint64_t offset = freed_.front() - kBase;
    freed_.pop_front();
    const auto gone = allocations_.find(kBase + offset);
    std::memset(shadow_ + offset, 0, gone->second.bytes);
    allocations_.erase(gone);
    const auto room = room_.find(offset);
    freedRoom_ -= room->second;
    spare_.emplace(room->second, offset);
    room_.erase(room);
  }
}

std::uint64_t GlobalMemory::place(std::uint64_t bytes) {
  if (bytes > reserved_) return 0;
  const std::uint64_t wanted = (bytes + kGap + kAlign - 1) / kAlign * kAlign;
  const bool full = next_ + kAlign + wanted > reserved_;
  // Not a place that is much too large, while there is fresh memory.
  const auto spare = spare_.lower_bound(wanted);
  if (spare != spare_.end() && (full || spare->first <= 2 * wanted)) {
    const std::uint64_t start = spare->second;
    room_[start] = spare->first;
    spare_.erase(spare);
    return start;
  }
  if (full) return 0;
  const std::uint64_t start = (next_ + kAlign - 1) / kAlign * kAlign;
  next_ = start + wanted;
  room_[start] = wanted;
  return start;
}

Expected<std::uint64_t> GlobalMemory::allocate(std::uint64_t bytes, std::string name,
                                               bool constant) {
  CW_DO(reserve());
  const std::uint64_t start = place(bytes);
  if (start == 0) {
    return deviceError(fmt::format("out of simulated memory: {} wanted, {} of {} in use",
                                   plural(bytes), next_, reserved_));
  }
  std::memset(shadow_ + start, startsAs_, bytes);
  const std::uint64_t address = kBase + start;
  allocations_[address] = {address, bytes, false, constant, false, std::move(name), {}};
  return address;
}

Status GlobalMemory::startHeap() {
  if (heapStart_ != 0) return Success{};
  CW_DO(reserve());
  heapStart_ = place(Heap::kRange);
  if (heapStart_ == 0) return deviceError("out of simulated memory: the heap of malloc");
  return Success{};
}

std::uint64_t GlobalMemory::heapAllocate(std::uint64_t bytes, std::string name) {
  const std::uint64_t place = heap_.take(bytes);
  if (place == Heap::kRange) return 0;
  const std::uint64_t offset = heapStart_ + place;
  const std::uint64_t end = offset + bytes + Heap::kGap;
  // What was freed here is forgotten.
  allocations_.erase(allocations_.lower_bound(kBase + offset),
                     allocations_.lower_bound(kBase + end));
  std::memset(shadow_ + offset, 0, end - offset);
  std::memset(shadow_ + offset, startsAs_, bytes);
  const std::uint64_t address = kBase + offset;
  allocations_[address] = {address, bytes, false, false, true, std::move(name), {}};
  return address;
}

GlobalMemory::HeapFree GlobalMemory::heapFree(std::uint64_t address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end() || !found->second.heap) return HeapFree::Foreign;
  Allocation& one = found->second;
  if (one.freed) return HeapFree::Twice;
  one.freed = true;
  std::memset(shadow_ + (address - kBase), kFreed, one.bytes);
  heap_.give(address - kBase - heapStart_, one.bytes);
  return HeapFree::Done;
}

Status GlobalMemory::free(std::uint64_t address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end() || found->second.freed) {
    return userError(fmt::format("free of {:#x}, which is not the start of live memory", address));
  }
  if (found->second.heap) {
    return userError(fmt::format(
        "free of {:#x}, which a kernel's malloc gave: its free gives it back", address));
  }
  found->second.freed = true;
  std::memset(shadow_ + (address - kBase), kFreed, found->second.bytes);
  // The pages are given back, the address not yet.
  const std::uint64_t first = (address - kBase + 4095) / 4096 * 4096;
  const std::uint64_t last = (address - kBase + found->second.bytes) / 4096 * 4096;
  if (last > first) madvise(data_ + first, last - first, MADV_DONTNEED);
  freed_.push_back(address);
  freedRoom_ += room_[address - kBase];
  recycle();
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

Status GlobalMemory::markWritten(std::uint64_t address, std::uint64_t bytes) {
  CW_DO(within(address, bytes));
  if (bytes != 0) std::memset(shadow_ + (address - kBase), kLive | kWritten, bytes);
  return Success{};
}

const Allocation* GlobalMemory::nearest(std::uint64_t address) const {
  auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return nullptr;
  return &std::prev(after)->second;
}

void GlobalMemory::alias(std::uint64_t address, const std::string& name) {
  auto found = allocations_.upper_bound(address);
  if (found == allocations_.begin()) return;
  Allocation& one = (--found)->second;
  if (one.freed || address - one.address >= one.bytes) return;
  one.alias += (one.alias.empty() ? "" : " and ") + name;
  aliased_.push_back(one.address);
}

void GlobalMemory::clearAliases() {
  for (const std::uint64_t address : aliased_) {
    const auto found = allocations_.find(address);
    if (found != allocations_.end()) found->second.alias.clear();
  }
  aliased_.clear();
}

std::string GlobalMemory::describe(std::uint64_t address) const {
  if (address < kAlign) return "a null pointer, or nearly";
  const auto about = [](const Allocation& a) {
    return fmt::format("{} ({} at {:#x}{})", a.alias.empty() ? a.name : a.alias, plural(a.bytes),
                       a.address, a.freed ? ", freed" : "");
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
