// Store.cpp -- the files of the kernel store: reading, publishing, locks, the bound on its size.
#include "cutwork/Cache/Store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>
#include <variant>

#include "cutwork/Support/Knobs.h"
#include "cutwork/Support/Log.h"

namespace cutwork::cache {

namespace fs = std::filesystem;

struct Store::State {
  std::atomic<bool> warned = false;
  std::atomic<std::uint64_t> written = 0;  ///< bytes since the store was last measured
  std::atomic<bool> measured = false;
};

namespace {

constexpr std::string_view kEnding = ".entry";
constexpr std::string_view kWriting = "writing";  // the folder of files that are being written
constexpr std::string_view kLocks = "locks";

std::string errorText(int error) {
  return std::error_code(error, std::generic_category()).message();
}

class File {
 public:
  explicit File(int file) : file_(file) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (file_ >= 0) close(file_);
  }
  [[nodiscard]] int get() const { return file_; }
  [[nodiscard]] bool open() const { return file_ >= 0; }
  /// Closes it; 0 or the error, which some file systems tell only now.
  int finish() { return close(std::exchange(file_, -1)) == 0 ? 0 : errno; }

 private:
  int file_;
};

// The content of a file; else errno.
std::variant<std::string, int> readAll(const fs::path& path) {
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) return errno;
  struct stat status{};
  if (fstat(file.get(), &status) != 0) return errno;
  std::string content(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t at = 0;
  while (at < content.size()) {
    const ssize_t got = read(file.get(), content.data() + at, content.size() - at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    at += static_cast<std::size_t>(got);
  }
  content.resize(at);
  return content;
}

int writeAll(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t done = write(file, content.data(), content.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(done));
  }
  return 0;
}

// Entries of a store, without reading them.
template <class Visit>
std::error_code eachEntry(const fs::path& folder, Visit visit) {
  std::error_code failed;
  if (!fs::exists(folder, failed)) return {};
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    std::error_code ignored;  // of a file that another process deletes meanwhile
    if (at->path().extension() != kEnding || !at->is_regular_file(ignored)) continue;
    struct stat status{};
    if (stat(at->path().c_str(), &status) == 0) visit(at->path(), status);
  }
  return failed;
}

struct Measured {
  fs::path path;
  std::uint64_t bytes;
  std::int64_t used;
};

std::uint64_t measure(const fs::path& folder, std::vector<Measured>& entries) {
  std::uint64_t bytes = 0;
  // What cannot be listed does not count.
  [[maybe_unused]] const std::error_code failed = eachEntry(folder, [&](const fs::path& path,
                                                                        const struct stat& status) {
    const auto size = static_cast<std::uint64_t>(status.st_size);
    entries.push_back({path, size, status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec});
    bytes += size;
  });
  return bytes;
}

// What writers that were killed left behind.
void sweep(const fs::path& folder) {
  constexpr std::int64_t kHour = 3600;
  std::error_code failed;
  for (fs::directory_iterator at(folder / kWriting, failed), end; !failed && at != end;
       at.increment(failed)) {
    struct stat status{};
    if (stat(at->path().c_str(), &status) != 0) continue;
    if (time(nullptr) - status.st_mtim.tv_sec > kHour) unlink(at->path().c_str());
  }
}

fs::path defaultFolder(const Knobs& knobs) {
  if (!knobs.cacheDir.empty()) return knobs.cacheDir;
  if (!knobs.xdgCacheHome.empty()) return fs::path(knobs.xdgCacheHome) / "cutwork";
  if (!knobs.home.empty()) return fs::path(knobs.home) / ".cache" / "cutwork";
  return {};
}

}  // namespace

Lock& Lock::operator=(Lock&& other) noexcept {
  if (this != &other) {
    if (file_ >= 0) close(file_);
    file_ = std::exchange(other.file_, -1);
  }
  return *this;
}

Lock::~Lock() {
  if (file_ >= 0) close(file_);
}

Store::Store(fs::path folder, std::uint64_t mostBytes)
    : folder_(std::move(folder)), mostBytes_(mostBytes), state_(std::make_shared<State>()) {}

Store* Store::ofProcess() {
  static std::mutex mutex;
  static std::vector<std::unique_ptr<Store>>* const made = new std::vector<std::unique_ptr<Store>>;
  const Knobs& now = knobs();
  if (now.noCache || now.noFileCache) return nullptr;
  const fs::path folder = defaultFolder(now);
  if (folder.empty()) return nullptr;
  const std::lock_guard lock(mutex);
  // Kept for ever: knobs may be read again, and what was given stays valid.
  for (const auto& store : *made) {
    if (store->folder_ == folder && store->mostBytes_ == now.cacheSize) return store.get();
  }
  made->push_back(std::make_unique<Store>(folder, now.cacheSize));
  return made->back().get();
}

fs::path Store::pathOf(const Key& key) const {
  const std::string text = key.text();
  return folder_ / text.substr(0, 2) / (text.substr(2) + std::string(kEnding));
}

void Store::warnOnce(const std::string& text) {
  if (state_->warned.exchange(true)) return;
  CW_LOG(Warn, fmt::format("the kernel store {}: {}; compiling goes on without it",
                           folder_.string(), text));
}

std::optional<Parts> Store::get(const Key& key) {
  const fs::path path = pathOf(key);
  std::variant<std::string, int> content = readAll(path);
  if (const int* error = std::get_if<int>(&content)) {
    if (*error != ENOENT && *error != ENOTDIR) {
      warnOnce(fmt::format("{} cannot be read ({})", path.string(), errorText(*error)));
    }
    return std::nullopt;
  }
  Expected<Decoded> entry = decodeEntry(std::get<std::string>(content));
  if (entry.ok() && entry->key == key.text()) {
    utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // used now; a store to read only has no say
    return std::move(entry->parts);
  }
  const std::string why = entry.ok() ? "it is the entry of another key" : entry.error().message();
  CW_LOG(Warn, fmt::format("the kernel store: {} is damaged ({}) and deleted", path.string(), why));
  unlink(path.c_str());
  return std::nullopt;
}

Status Store::publish(const fs::path& written, const fs::path& path) {
  if (link(written.c_str(), path.c_str()) == 0 || errno == EEXIST) return Success{};
  // File systems without links have this; some have neither, and there a rename is as good as it
  // gets: whoever comes last wins, with the same content.
  if (renameat2(AT_FDCWD, written.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0) {
    return Success{};
  }
  if (errno == EEXIST) return Success{};
  if (rename(written.c_str(), path.c_str()) == 0) return Success{};
  return userError(fmt::format("{} cannot be made ({})", path.string(), errorText(errno)));
}

Status Store::write(const Key& key, const std::string& content) {
  static std::atomic<std::uint64_t> number = 0;
  const fs::path path = pathOf(key);
  std::error_code failed;
  fs::create_directories(folder_ / kWriting, failed);
  if (!failed) fs::create_directories(path.parent_path(), failed);
  if (failed) return userError(fmt::format("cannot be made ({})", failed.message()));
  const fs::path temporary =
      folder_ / kWriting / fmt::format("{}.{}.{}", key.text().substr(0, 16), getpid(), number++);
  File file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!file.open()) {
    return userError(fmt::format("{} cannot be made ({})", temporary.string(), errorText(errno)));
  }
  int error = writeAll(file.get(), content);
  const int closing = file.finish();
  if (error == 0) error = closing;
  Status done = error == 0
                    ? publish(temporary, path)
                    : Status(userError(fmt::format("cannot be written ({})", errorText(error))));
  unlink(temporary.c_str());
  return done;
}

void Store::put(const Key& key, std::string_view about, const Parts& parts) {
  const std::string content = encodeEntry(key, about, parts);
  if (content.size() > mostBytes_) return;
  Status done = write(key, content);
  if (!done.ok()) return warnOnce(done.error().message());
  const std::uint64_t since = state_->written += content.size();
  // Looking at all files costs; a process does it at its first entry, then now and then.
  if (!state_->measured.exchange(true) || since > mostBytes_ / 16) {
    state_->written = 0;
    trim();
  }
}

Lock Store::lock(const Key& key) {
  // One file for many keys, so that they stay few: two kernels of one file wait for each other.
  std::error_code failed;
  fs::create_directories(folder_ / kLocks, failed);
  const fs::path path = folder_ / kLocks / key.text().substr(0, 3);
  File file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!file.open()) return {};
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return {};
    CW_LOG(Info, fmt::format("store: waiting for another process that compiles {}",
                             key.text().substr(0, 12)));
    while (flock(file.get(), LOCK_EX) != 0) {
      if (errno != EINTR) return {};
    }
  }
  return Lock(fcntl(file.get(), F_DUPFD_CLOEXEC, 0));
}

void Store::trim() {
  std::vector<Measured> entries;
  std::uint64_t bytes = measure(folder_, entries);
  sweep(folder_);
  if (bytes <= mostBytes_) return;
  const std::uint64_t wanted =
      mostBytes_ - mostBytes_ / 8;  // some room, so that it is not at once full
  std::ranges::sort(entries, {}, &Measured::used);
  for (const Measured& entry : entries) {
    if (bytes <= wanted) break;
    if (unlink(entry.path.c_str()) == 0) bytes -= entry.bytes;
  }
}

Expected<std::vector<EntryInfo>> Store::list(bool whole) const {
  std::vector<EntryInfo> all;
  const std::error_code failed =
      eachEntry(folder_, [&](const fs::path& path, const struct stat& status) {
        EntryInfo info;
        info.key = path.parent_path().filename().string() + path.stem().string();
        info.bytes = static_cast<std::uint64_t>(status.st_size);
        info.used = status.st_mtim.tv_sec;
        if (whole) {
          std::variant<std::string, int> content = readAll(path);
          if (const int* error = std::get_if<int>(&content)) {
            info.problem = errorText(*error);
          } else {
            Expected<Decoded> entry = decodeEntry(std::get<std::string>(content));
            if (!entry.ok())
              info.problem = entry.error().message();
            else if (entry->key != info.key)
              info.problem = "it is the entry of another key";
            else
              info.about = entry->about;
          }
        }
        all.push_back(std::move(info));
      });
  if (failed) {
    return userError(fmt::format("{} cannot be read ({})", folder_.string(), failed.message()));
  }
  std::ranges::sort(all, [](const EntryInfo& a, const EntryInfo& b) {
    return a.used != b.used ? a.used > b.used : a.key < b.key;
  });
  return all;
}

Expected<StoreStatistics> Store::statistics() const {
  CW_TRY(std::vector<EntryInfo> all, list(false));
  StoreStatistics found;
  found.entries = all.size();
  for (const EntryInfo& entry : all) found.bytes += entry.bytes;
  return found;
}

Expected<std::uint64_t> Store::clear() {
  std::uint64_t count = 0;
  int error = 0;
  const std::error_code unlisted =
      eachEntry(folder_, [&](const fs::path& path, const struct stat& /*status*/) {
        if (unlink(path.c_str()) == 0)
          ++count;
        else if (errno != ENOENT)
          error = errno;
      });
  if (error != 0)
    return userError(fmt::format("an entry cannot be deleted ({})", errorText(error)));
  if (unlisted) {
    return userError(fmt::format("{} cannot be listed ({})", folder_.string(), unlisted.message()));
  }
  return count;
}

}  // namespace cutwork::cache
