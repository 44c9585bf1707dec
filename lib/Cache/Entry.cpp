// Entry.cpp -- the bytes of an entry: mark, checksum of the rest, key, description, parts.
#include <fmt/format.h>

#include <algorithm>

#include "cutwork/Cache/Store.h"

namespace cutwork::cache {

namespace {

// The digit is the version of the format: another one is another key's build in any case.
constexpr std::string_view kMark = "CUTWORK1";
constexpr std::size_t kDigest = 32;

std::string_view bytesOf(const Sha256::Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

void putText(std::string& to, std::string_view text) {
  const std::uint64_t size = text.size();
  for (int shift = 0; shift < 64; shift += 8) to += static_cast<char>(size >> shift & 0xff);
  to += text;
}

// Takes a text with its length off the front. False: there is less.
bool takeText(std::string_view& from, std::string_view& text) {
  if (from.size() < 8) return false;
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    size |= std::uint64_t{static_cast<std::uint8_t>(from[i])} << (8 * i);
  }
  from.remove_prefix(8);
  if (size > from.size()) return false;
  text = from.substr(0, size);
  from.remove_prefix(size);
  return true;
}

}  // namespace

const std::string* find(const Parts& parts, std::string_view name) {
  const auto found = std::ranges::find(parts, name, &Parts::value_type::first);
  return found == parts.end() ? nullptr : &found->second;
}

std::string encodeEntry(const Key& key, std::string_view about, const Parts& parts) {
  std::string rest(bytesOf(key.digest));
  putText(rest, about);
  for (const auto& [name, content] : parts) {
    putText(rest, name);
    putText(rest, content);
  }
  Sha256 hash;
  hash.add(rest);
  return std::string(kMark) + std::string(bytesOf(hash.finish())) + rest;
}

Expected<Decoded> decodeEntry(std::string_view content) {
  const std::size_t least = kMark.size() + 2 * kDigest;
  if (content.size() < least) {
    return userError(fmt::format("{} bytes; an entry has {} and more", content.size(), least));
  }
  if (!content.starts_with(kMark)) return userError("it does not begin as an entry does");
  content.remove_prefix(kMark.size());
  const std::string_view checksum = content.substr(0, kDigest);
  content.remove_prefix(kDigest);
  Sha256 hash;
  hash.add(content);
  const Sha256::Digest digest = hash.finish();
  if (checksum != bytesOf(digest)) return userError("its checksum is another");
  Decoded made;
  Key key;
  std::copy_n(content.begin(), kDigest, key.digest.begin());
  made.key = key.text();
  content.remove_prefix(kDigest);
  std::string_view text;
  if (!takeText(content, text)) return userError("its description is cut");
  made.about = text;
  while (!content.empty()) {
    std::string_view name;
    if (!takeText(content, name) || !takeText(content, text)) return userError("a part is cut");
    made.parts.emplace_back(name, text);
  }
  return made;
}

}  // namespace cutwork::cache
