// Key.cpp -- SHA-256, keys, and the build id of the running library.
#include "cutwork/Cache/Key.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace cutwork::cache {

namespace {

constexpr std::array<std::uint32_t, 64> kRounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t bigEndian(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | std::uint32_t{bytes[3]};
}

std::string hex(const std::uint8_t* bytes, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

// The object of the process that holds an address, and its build id.
struct Search {
  std::uintptr_t address;
  std::string id;
  std::string file;
};

std::string noteOf(const std::uint8_t* at, std::size_t bytes) {
  while (bytes >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof(note));
    const std::size_t name = (note.n_namesz + 3U) & ~3U;
    const std::size_t content = (note.n_descsz + 3U) & ~3U;
    const std::size_t all = sizeof(note) + name + content;
    if (all > bytes) return {};
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(at + sizeof(note), "GNU", 4) == 0) {
      return hex(at + sizeof(note) + name, note.n_descsz);
    }
    at += all;
    bytes -= all;
  }
  return {};
}

int visit(dl_phdr_info* info, std::size_t /*size*/, void* data) {
  auto& search = *static_cast<Search*>(data);
  bool holds = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    const std::uintptr_t start = info->dlpi_addr + part.p_vaddr;
    holds |=
        part.p_type == PT_LOAD && search.address >= start && search.address < start + part.p_memsz;
  }
  if (!holds) return 0;
  search.file = info->dlpi_name[0] != '\0' ? info->dlpi_name : "/proc/self/exe";
  for (int i = 0; i < info->dlpi_phnum && search.id.empty(); ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a segment of this process
    const auto* at = reinterpret_cast<const std::uint8_t*>(info->dlpi_addr + part.p_vaddr);
    search.id = noteOf(at, part.p_memsz);
  }
  return 1;
}

std::string findBuildId() {
  Search search{reinterpret_cast<std::uintptr_t>(&findBuildId), {}, {}};
  dl_iterate_phdr(visit, &search);
  if (!search.id.empty()) return search.id;
  struct stat status{};
  if (stat(search.file.c_str(), &status) != 0) return "unknown";
  return fmt::format("{}-{}.{}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

}  // namespace

Sha256::Sha256()
    : state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {}

void Sha256::block(const std::uint8_t* bytes) {
  std::array<std::uint32_t, 64> w;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled here
  for (std::size_t i = 0; i < 16; ++i) w[i] = bigEndian(bytes + 4 * i);
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t a = w[i - 15];
    const std::uint32_t b = w[i - 2];
    w[i] = w[i - 16] + w[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t t1 = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                             ((e & f) ^ (~e & g)) + kRounds[i] + w[i];
    const std::uint32_t t2 =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> added = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state_[i] += added[i];
}

void Sha256::add(std::string_view bytes) {
  const auto* at = reinterpret_cast<const std::uint8_t*>(bytes.data());
  std::size_t left = bytes.size();
  std::size_t held = length_ % 64;
  length_ += left;
  while (left > 0) {
    if (held == 0 && left >= 64) {
      block(at);
      at += 64, left -= 64;
      continue;
    }
    const std::size_t some = std::min(left, 64 - held);
    std::memcpy(pending_.data() + held, at, some);
    held += some, at += some, left -= some;
    if (held == 64) {
      block(pending_.data());
      held = 0;
    }
  }
}

Sha256::Digest Sha256::finish() {
  const std::uint64_t bits = length_ * 8;
  std::string tail(1, '\x80');
  while ((length_ + tail.size()) % 64 != 56) tail += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) tail += static_cast<char>(bits >> shift & 0xff);
  add(tail);
  Digest digest;
  for (std::size_t i = 0; i < 32; ++i) {
    digest[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

std::string Key::text() const { return hex(digest.data(), digest.size()); }

KeyMaker& KeyMaker::add(std::string_view name, std::string_view value) {
  hash_.add(fmt::format("{}:{}:{}:", name.size(), name, value.size()));
  hash_.add(value);
  return *this;
}

KeyMaker& KeyMaker::add(std::string_view name, std::int64_t value) {
  return add(name, fmt::format("{}", value));
}

const std::string& buildId() {
  static const std::string* const id = new std::string(findBuildId());
  return *id;
}

}  // namespace cutwork::cache
