// cutwork/Cache/Store.h -- the kernel store: what was compiled, on disk, for all processes.
//
// An entry is one file, found by its key, with a checksum of all of it. It is written beside the
// store and then linked into it, never over another: readers see whole entries only. Whoever finds
// one damaged deletes it; an error of the file system deletes nothing. Where the store cannot be
// written (a full disk, a folder of someone else) it warns once and compiling goes on without it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cutwork/Cache/Key.h"
#include "cutwork/Support/Error.h"
#include "cutwork/Support/Status.h"

#pragma GCC visibility push(default)

namespace cutwork::cache {

/// What an entry holds: named texts or bytes, in order.
using Parts = std::vector<std::pair<std::string, std::string>>;
/// The part of a name, or null.
const std::string* find(const Parts& parts, std::string_view name);

/// An entry as a listing shows it.
struct EntryInfo {
  std::string key;
  std::uint64_t bytes = 0;
  std::int64_t used = 0;  ///< seconds since 1970 of the last use
  std::string about;      ///< what the writer said of it: `relu for sm_90a`
  std::string problem;    ///< why it cannot be used; empty if it can
};

struct StoreStatistics {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
};

/// One process's work at a key: others wait. Given up when it goes, or when its process dies.
class Lock {
 public:
  Lock() = default;
  explicit Lock(int file) : file_(file) {}
  Lock(Lock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  Lock& operator=(Lock&& other) noexcept;
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock();

 private:
  int file_ = -1;
};

class Store {
 public:
  /// A store in `folder`, made at the first writing; `mostBytes` is what it may hold.
  Store(std::filesystem::path folder, std::uint64_t mostBytes);

  /// The store of this process, as the knobs say; null where they turn it off or no folder is
  /// known.
  static Store* ofProcess();

  /// The entry of a key, or nothing. A damaged one is deleted, with a warning.
  std::optional<Parts> get(const Key& key);
  /// Writes an entry, unless there is one; `about` is for listings. Failing is warned of once.
  void put(const Key& key, std::string_view about, const Parts& parts);
  /// Waits until no other thread or process works at the key. Nothing is locked where that is not
  /// possible.
  Lock lock(const Key& key);

  /// All entries, most recently used first; `whole` reads and checks each. Error (User): the folder
  /// cannot be read.
  [[nodiscard]] Expected<std::vector<EntryInfo>> list(bool whole) const;
  [[nodiscard]] Expected<StoreStatistics> statistics() const;
  /// Deletes all entries; how many. Error (User): one cannot be deleted.
  Expected<std::uint64_t> clear();
  /// Deletes the least recently used entries until the rest is within the bound.
  void trim();

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] std::uint64_t mostBytes() const { return mostBytes_; }

 private:
  [[nodiscard]] std::filesystem::path pathOf(const Key& key) const;
  Status write(const Key& key, const std::string& content);
  Status publish(const std::filesystem::path& written, const std::filesystem::path& path);
  void warnOnce(const std::string& text);

  struct State;
  std::filesystem::path folder_;
  std::uint64_t mostBytes_;
  std::shared_ptr<State> state_;
};

/// The bytes of an entry, and back. Error (User): what is damaged.
std::string encodeEntry(const Key& key, std::string_view about, const Parts& parts);
struct Decoded {
  std::string key;
  std::string about;
  Parts parts;
};
Expected<Decoded> decodeEntry(std::string_view content);

}  // namespace cutwork::cache

#pragma GCC visibility pop
