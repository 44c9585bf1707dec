// Image.cpp -- what PTX texts and cubins say of their target, and which part of an image a device
// runs.
#include "cutwork/Runtime/Image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace cutwork {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::optional<Target> known(std::string_view name) {
  Expected<Target> target = Target::parse(name);
  if (!target.ok()) return std::nullopt;
  return *target;
}

std::string capabilityText(int capability) {
  return fmt::format("{}.{}", capability / 10, capability % 10);
}

Error wrongTarget(std::string_view what, std::string_view target, const DeviceProperties& device) {
  return userError(fmt::format(
      "a module for another architecture: the {} is for {}, and {} has compute capability "
      "{}",
      what, target, device.name, capabilityText(device.target.capability)));
}

bool isFatbin(std::span<const std::byte> bytes) {
  constexpr std::uint32_t kMagic = 0xBA55ED50;
  std::uint32_t word = 0;
  if (bytes.size() < sizeof word) return false;
  std::memcpy(&word, bytes.data(), sizeof word);
  return word == kMagic;
}

Status checkCubin(const Image& image, const DeviceProperties& device) {
  if (isFatbin(image.cubin)) return Success{};  // has parts for several devices: the driver chooses
  const std::optional<int> capability = cubinCapability(image.cubin);
  if (!capability) return userError("these bytes are no cubin: they have no ELF header for CUDA");
  const Target header{*capability, Target::Suffix::None};
  if (!header.cubinRunsOn(device.target.capability)) {
    return wrongTarget("cubin", image.target ? image.target->name() : header.name(), device);
  }
  if (image.target && !image.target->cubinRunsOn(device.target.capability)) {
    return wrongTarget("cubin", image.target->name(), device);
  }
  return Success{};
}

Status checkPtx(const Image& image, const DeviceProperties& device) {
  const std::optional<std::string> name = ptxTargetName(image.ptx);
  if (!name) return userError("this PTX names no target: `.target sm_NN` is missing");
  // A target that is not in our table is for the device to judge.
  const std::optional<Target> target = known(*name);
  if (target && !target->ptxRunsOn(device.target.capability)) {
    return wrongTarget("PTX", *name, device);
  }
  return Success{};
}

}  // namespace

std::optional<std::string> ptxTargetName(std::string_view ptx) {
  constexpr std::string_view kDirective = ".target";
  while (!ptx.empty()) {
    const std::size_t end = ptx.find('\n');
    std::string_view line = trimmed(ptx.substr(0, end));
    ptx.remove_prefix(end == std::string_view::npos ? ptx.size() : end + 1);
    line = trimmed(line.substr(0, line.find("//")));
    if (!line.starts_with(kDirective)) continue;
    line.remove_prefix(kDirective.size());
    return std::string(trimmed(line.substr(0, line.find(','))));
  }
  return std::nullopt;
}

namespace {

/// The words of a PTX text one by one; punctuation is a word, comments and strings are none.
class PtxWords {
 public:
  explicit PtxWords(std::string_view text) : rest_(text) {}

  /// Empty: the end.
  std::string_view next() {
    while (!rest_.empty()) {
      if (rest_.starts_with("//")) {
        skip(rest_.find('\n'));
      } else if (rest_.starts_with("/*")) {
        const std::size_t end = rest_.find("*/", 2);
        skip(end == std::string_view::npos ? end : end + 2);
      } else if (rest_.front() == '"') {
        const std::size_t end = rest_.find('"', 1);
        skip(end == std::string_view::npos ? end : end + 1);
      } else if (isSpace(rest_.front())) {
        skip(1);
      } else {
        return take();
      }
    }
    return {};
  }

 private:
  static bool isSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
  static bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '%' || c == '.';
  }
  void skip(std::size_t letters) { rest_.remove_prefix(std::min(letters, rest_.size())); }
  std::string_view take() {
    std::size_t length = 0;
    while (length < rest_.size() && isLetter(rest_[length])) ++length;
    const std::string_view word = rest_.substr(0, std::max<std::size_t>(length, 1));
    skip(word.size());
    return word;
  }

  std::string_view rest_;
};

}  // namespace

std::optional<std::size_t> ptxParameterCount(std::string_view ptx, std::string_view kernel) {
  PtxWords words(ptx);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (word != ".entry" || words.next() != kernel) continue;
    std::size_t count = 0;
    if (words.next() != "(") return count;
    for (word = words.next(); !word.empty() && word != ")"; word = words.next()) {
      if (word == ".param") ++count;
    }
    return count;
  }
  return std::nullopt;
}

std::optional<int> cubinCapability(std::span<const std::byte> cubin) {
  // ELF64 header: the magic, ABI version at 8, machine at 18, flags at 48. Flags have the
  // capability in their low byte, from ABI version 8 on (CUDA 13) in the next one.
  constexpr std::size_t kHeaderBytes = 64;
  constexpr std::uint16_t kMachineCuda = 190;
  if (cubin.size() < kHeaderBytes || std::memcmp(cubin.data(),
                                                 "\x7f"
                                                 "ELF",
                                                 4) != 0)
    return {};
  std::uint16_t machine = 0;
  std::uint32_t flags = 0;
  std::memcpy(&machine, cubin.data() + 18, sizeof machine);
  std::memcpy(&flags, cubin.data() + 48, sizeof flags);
  if (machine != kMachineCuda) return {};
  const bool newLayout = std::to_integer<int>(cubin[8]) >= 8;
  return static_cast<int>((newLayout ? flags >> 8 : flags) & 0xff);
}

Expected<ImagePart> choosePart(const Image& image, const DeviceProperties& device) {
  if (image.ptx.empty() && image.cubin.empty())
    return userError("an empty image: no PTX, no cubin");
  if (device.simulated) {
    if (image.ptx.empty()) {
      return userError(fmt::format("{} reads PTX, and this image has a cubin only", device.name));
    }
    CW_DO(checkPtx(image, device));
    return ImagePart::Ptx;
  }
  if (image.cubin.empty()) {
    CW_DO(checkPtx(image, device));
    return ImagePart::Ptx;
  }
  Status cubin = checkCubin(image, device);
  if (cubin.ok()) return ImagePart::Cubin;
  if (!image.ptx.empty() && checkPtx(image, device).ok()) return ImagePart::Ptx;
  return std::move(cubin).takeError();
}

}  // namespace cutwork
