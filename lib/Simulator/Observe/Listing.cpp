// Listing.cpp -- joins a profile's lines with the text of their files.
#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "cutwork/Simulator/ProfileText.h"

namespace cutwork::sim {
namespace {

constexpr std::uint32_t kContext = 2;  ///< lines shown around one with counts

std::vector<std::string> linesOf(std::istream& in) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> sourceOf(const std::string& file, bool isPtx, const std::string& ptx) {
  if (isPtx) {
    std::istringstream in(ptx);
    return linesOf(in);
  }
  std::ifstream in(file);
  return linesOf(in);
}

Listing listing(const std::string& file, const std::vector<std::string>& source,
                const std::map<std::uint32_t, ProfileCounts>& counts) {
  Listing result;
  result.file = file;
  result.readable = !source.empty();
  const std::uint32_t last = counts.rbegin()->first;
  std::uint32_t previous = 0;
  for (std::uint32_t number = counts.begin()->first; number <= last; ++number) {
    const auto nearest = counts.lower_bound(number > kContext ? number - kContext : 0);
    const bool shown = nearest != counts.end() && nearest->first <= number + kContext;
    const auto found = counts.find(number);
    if (!shown || (found == counts.end() && number > source.size())) continue;
    ListedLine& line = result.lines.emplace_back();
    line.number = number;
    if (number <= source.size()) line.text = source[number - 1];
    if (found != counts.end()) line.counts = found->second;
    line.gap = previous != 0 && number != previous + 1;
    previous = number;
  }
  return result;
}

}  // namespace

std::vector<Listing> listings(const Profile& profile, const std::string& ptx) {
  std::map<std::string, std::map<std::uint32_t, ProfileCounts>> files;
  std::map<std::string, bool> isPtx;
  for (const InstructionProfile& one : profile.instructions) {
    const SourcePlace& place = one.user.known() ? one.user : one.ptx;
    files[place.file][place.line].add(one.counts);
    isPtx[place.file] = !one.user.known();
  }
  std::vector<Listing> result;
  result.reserve(files.size());
  for (const auto& [file, counts] : files) {
    result.push_back(listing(file, sourceOf(file, isPtx[file], ptx), counts));
  }
  return result;
}

}  // namespace cutwork::sim
