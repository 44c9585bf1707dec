// Printf.cpp -- vprintf: formats as C does, from a format string and a buffer of arguments.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

#include "Access.h"
#include "Decode/Program.h"
#include "Misc.h"

namespace cutwork::sim {
namespace {

/// Reads a lane's memory through generic addresses; stops at the first fault.
class LaneReader {
 public:
  LaneReader(Warp& w, const Record& r, unsigned lane) : w_(w), r_(r), lane_(lane) {}

  [[nodiscard]] bool good() const { return good_; }
  template <class T>
  T get(std::uint64_t address) {
    T value{};
    const Spot spot = good_ ? locate(w_, r_, Space::Generic, address, sizeof(T), lane_,
                                     w_.undefined != nullptr, false)
                            : Spot{};
    if (spot.bytes == nullptr) {
      good_ = false;
      return value;
    }
    std::memcpy(&value, spot.bytes, sizeof(T));
    return value;
  }
  std::string text(std::uint64_t address) {
    std::string out;
    for (std::size_t i = 0; i < 65536; ++i) {
      const char c = get<char>(address + i);
      if (!good_ || c == '\0') break;
      out += c;
    }
    return out;
  }

 private:
  Warp& w_;
  const Record& r_;
  unsigned lane_;
  bool good_ = true;
};

/// One conversion `%...c` with its argument, through the host's snprintf.
template <class T>
std::string formatted(const std::string& spec, T value) {
  char buffer[512];
  // The specification was checked by the caller: flags, width, precision and one conversion.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
#pragma clang diagnostic ignored "-Wformat-security"
  const int length = std::snprintf(buffer, sizeof buffer, spec.c_str(), value);
#pragma clang diagnostic pop
  return {buffer, static_cast<std::size_t>(std::clamp(length, 0, 511))};
}

/// Formats `format` with the arguments at `buffer`, aligned as C lays them out.
std::string format(LaneReader& reader, const std::string& format, std::uint64_t buffer) {
  std::string out;
  std::uint64_t offset = 0;
  const auto argument = [&](unsigned bytes) {
    offset = (offset + bytes - 1) / bytes * bytes;
    const std::uint64_t at = buffer + offset;
    offset += bytes;
    return bytes == 8 ? reader.get<std::uint64_t>(at)
                      : std::uint64_t{reader.get<std::uint32_t>(at)};
  };
  for (std::size_t i = 0; i < format.size() && reader.good(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    std::size_t end = format.find_first_not_of("-+ #0123456789.*", i + 1);
    if (end == std::string::npos) break;
    std::string spec;
    for (const char c : format.substr(i, end - i)) {
      if (c == '*') {
        spec += std::to_string(static_cast<std::int32_t>(argument(4)) % 256);
      } else {
        spec += c;
      }
    }
    if (spec.size() > 16) spec = "%";  // a width that no column has
    unsigned longs = 0;
    unsigned shorts = 0;
    for (; end < format.size() && std::strchr("lhzjt", format[end]) != nullptr; ++end) {
      if (format[end] == 'h')
        ++shorts;
      else
        ++longs;
    }
    if (end >= format.size()) break;
    const char conversion = format[end];
    i = end;
    switch (conversion) {
      case '%': out += '%'; break;
      case 'd':
      case 'i': {
        std::uint64_t bits = argument(longs != 0 ? 8 : 4);
        auto value = longs != 0 ? static_cast<long long>(bits)
                                : static_cast<long long>(static_cast<std::int32_t>(bits));
        if (shorts == 1) value = static_cast<std::int16_t>(value);
        if (shorts == 2) value = static_cast<std::int64_t>(bits << 56) >> 56;
        out += formatted(spec + "lld", value);
        break;
      }
      case 'u':
      case 'o':
      case 'x':
      case 'X': {
        std::uint64_t bits = argument(longs != 0 ? 8 : 4);
        if (shorts == 1) bits &= 0xffff;
        if (shorts == 2) bits &= 0xff;
        out += formatted(spec + "ll" + conversion, static_cast<unsigned long long>(bits));
        break;
      }
      case 'c': out += formatted(spec + "c", static_cast<int>(argument(4))); break;
      case 'p': out += fmt::format("{:#x}", argument(8)); break;
      case 's': out += formatted(spec + "s", reader.text(argument(8)).c_str()); break;
      case 'f':
      case 'F':
      case 'e':
      case 'E':
      case 'g':
      case 'G':
      case 'a':
      case 'A': out += formatted(spec + conversion, std::bit_cast<double>(argument(8))); break;
      default: out += spec + conversion; break;
    }
  }
  return out;
}

}  // namespace

const Record* vprintfRecord(Warp& w, const Record& r) {
  // a, b: rows of the two pointers; d: the result.
  std::uint32_t results[32] = {};
  for (unsigned i = 0; i < 32; ++i) {
    if ((w.mask >> i & 1) == 0) continue;
    LaneReader reader(w, r, i);
    const std::string pattern = reader.text(rowAt<std::uint64_t>(w, r.a)[i]);
    std::string line = format(reader, pattern, rowAt<std::uint64_t>(w, r.b)[i]);
    if (!reader.good()) return nullptr;
    results[i] = static_cast<std::uint32_t>(line.size());
    // A kernel that prints for ever keeps what a GPU's buffer would hold, and more.
    if (w.launch->output.size() < (std::size_t{64} << 20)) w.launch->output += line;
  }
  commit(w, r.d, results);
  return &r + 1;
}

const Record* assertRecord(Warp& w, const Record& r) {
  // a, b, d: rows of the pointers to message, file, function; c: the line.
  const auto lane = static_cast<unsigned>(__builtin_ctz(w.mask));
  LaneReader reader(w, r, lane);
  const std::string message = reader.text(rowAt<std::uint64_t>(w, r.a)[lane]);
  const std::string file = reader.text(rowAt<std::uint64_t>(w, r.b)[lane]);
  const std::string function = reader.text(rowAt<std::uint64_t>(w, r.d)[lane]);
  if (!reader.good()) return nullptr;
  return raise(w, r, ExitCode::Trap, lane,
               fmt::format("the assertion '{}' failed at {}:{}, in {}", message, file,
                           rowAt<std::uint32_t>(w, r.c)[lane], function));
}

}  // namespace cutwork::sim
