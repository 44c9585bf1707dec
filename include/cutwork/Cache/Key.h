// cutwork/Cache/Key.h -- keys of the kernel store: SHA-256 of what an entry was made from.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)

namespace cutwork::cache {

/// SHA-256 (FIPS 180-4) of bytes that come in pieces.
class Sha256 {
 public:
  using Digest = std::array<std::uint8_t, 32>;
  Sha256();
  void add(std::string_view bytes);
  /// Ends it.
  Digest finish();

 private:
  void block(const std::uint8_t* bytes);
  std::array<std::uint32_t, 8> state_;
  std::array<std::uint8_t, 64> pending_{};
  std::uint64_t length_ = 0;
};

/// The key of an entry.
struct Key {
  Sha256::Digest digest{};
  /// 64 digits, lower case.
  [[nodiscard]] std::string text() const;
  friend bool operator==(const Key&, const Key&) = default;
};

/// Makes a key of named parts; each goes in with its length, so that no two lists of parts are one.
class KeyMaker {
 public:
  KeyMaker& add(std::string_view name, std::string_view value);
  KeyMaker& add(std::string_view name, std::int64_t value);
  Key key() { return {hash_.finish()}; }

 private:
  Sha256 hash_;
};

/// What identifies the build of the compiler that runs: the linker's build id of the library or
/// program that this code is in, or else its file's size and time.
const std::string& buildId();

}  // namespace cutwork::cache

#pragma GCC visibility pop
