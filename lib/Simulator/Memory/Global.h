// Global.h -- the simulated device's global memory: one reserved range of host memory, allocations
// in it.
//
// A device address is a fixed base plus an offset into the reserved range, so that translation is
// an addition and any access within the range is harmless. Beside each byte is a shadow byte that
// says whether it is allocated, freed, and written; checked handlers read and keep it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "Heap.h"
#include "Types.h"
#include "cutwork/Support/Status.h"

namespace cutwork::sim {

/// Bits of a shadow byte.
inline constexpr std::uint8_t kLive = 1;
inline constexpr std::uint8_t kWritten = 2;
inline constexpr std::uint8_t kFreed = 4;

struct Allocation {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool freed = false;
  bool constant = false;  ///< a module's .const variables
  bool heap = false;      ///< a kernel's malloc
  std::string name;       ///< for reports: "buffer x.npy", "variable table"
  std::string alias;      ///< instead, if not empty
};

class GlobalMemory {
 public:
  /// No address of the host: systems give low and high ones of the 47 bits, none between them.
  static constexpr std::uint64_t kBase = 0x2000'0000'0000;
  static constexpr std::uint64_t kAlign = 1024;

  GlobalMemory() = default;
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;

  /// Error (Device): the host gives no more memory.
  Expected<std::uint64_t> allocate(std::uint64_t bytes, std::string name, bool constant = false);
  /// New allocations count as written from now on.
  void startWritten() { startsAs_ = kLive | kWritten; }
  /// Error (User): not the start of a live allocation.
  Status free(std::uint64_t address);
  /// Error (User): the range is not within one live allocation.
  Status write(std::uint64_t address, const void* from, std::uint64_t bytes);
  Status read(std::uint64_t address, void* to, std::uint64_t bytes) const;
  /// The bytes count as written: the host did that itself. Error (User): as write.
  Status markWritten(std::uint64_t address, std::uint64_t bytes);

  /// In-kernel malloc and free. startHeap() first: Error (Device): no memory is left for the heap.
  Status startHeap();
  /// 0: the heap is full.
  std::uint64_t heapAllocate(std::uint64_t bytes, std::string name);
  enum class HeapFree : std::uint8_t { Done, Twice, Foreign };
  HeapFree heapFree(std::uint64_t address);

  /// Reserves the range, if that is still to be done; data() does not change from then on. Error
  /// (Device): the host gives no address space.
  Status reserve();
  [[nodiscard]] std::uint64_t reserved() const { return reserved_; }

  /// The allocation that holds `address`, or the one that ends nearest below it; null if none.
  [[nodiscard]] const Allocation* nearest(std::uint64_t address) const;
  /// Reports call the allocation that holds the address so, until clearAliases(); one with several
  /// aliases has all of them. Nothing happens outside live memory.
  void alias(std::uint64_t address, const std::string& name);
  void clearAliases();
  /// One line about where an address is: "4 bytes after the end of buffer x.npy (20000 bytes ...)".
  [[nodiscard]] std::string describe(std::uint64_t address) const;

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::uint8_t* shadow() const { return shadow_; }
  /// Offsets below this are within what was ever allocated.
  [[nodiscard]] std::uint64_t extent() const { return next_; }

 private:
  [[nodiscard]] Status within(std::uint64_t address, std::uint64_t bytes) const;
  /// The offset of a place for so many bytes and the gap behind them; 0: there is none.
  std::uint64_t place(std::uint64_t bytes);
  void recycle();

  std::byte* data_ = nullptr;
  std::uint8_t* shadow_ = nullptr;
  std::uint64_t reserved_ = 0;
  std::uint64_t next_ = 0;
  std::uint8_t startsAs_ = kLive;
  std::map<std::uint64_t, Allocation> allocations_;
  Heap heap_;
  std::uint64_t heapStart_ = 0;                        ///< offset; 0: nobody has used it
  std::map<std::uint64_t, std::uint64_t> room_;        ///< by offset: bytes, of each place in use
  std::deque<std::uint64_t> freed_;                    ///< addresses, in the order of free()
  std::uint64_t freedRoom_ = 0;                        ///< bytes of the places of freed_
  std::vector<std::uint64_t> aliased_;                 ///< addresses of allocations
  std::multimap<std::uint64_t, std::uint64_t> spare_;  ///< by bytes: offset, of places to use again
};

/// Windows of the generic address space that are not global memory.
inline constexpr std::uint64_t kSharedWindow = 0x7a00'0000'0000;
inline constexpr std::uint64_t kLocalWindow = 0x7b00'0000'0000;
inline constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 32;
/// Which of shared, local and global memory a generic address is in.
constexpr Space spaceOfGeneric(std::uint64_t address) {
  if (address - kSharedWindow < kWindowBytes) return Space::Shared;
  return address - kLocalWindow < kWindowBytes ? Space::Local : Space::Global;
}
/// Addresses of functions: not memory.
inline constexpr std::uint64_t kCodeWindow = 0x7c00'0000'0000;
/// Where variables in shared memory start.
inline constexpr std::uint32_t kSharedStart = 1024;
/// Bits above the offset in an address of the cluster's shared memory: the CTA's rank plus one.
inline constexpr unsigned kClusterShift = 24;

}  // namespace cutwork::sim
