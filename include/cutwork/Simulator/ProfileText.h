// cutwork/Simulator/ProfileText.h -- a profile for people: totals, classes, fidelity, and listings
// of the source with what each line did; as text and as a page of HTML.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cutwork/Simulator/Profile.h"

#pragma GCC visibility push(default)

namespace cutwork::sim {

struct ListedLine {
  std::uint32_t number = 0;
  std::string text;                     ///< of the source, if it could be read
  std::optional<ProfileCounts> counts;  ///< none: nothing was compiled from it
  bool gap = false;                     ///< lines before it are left out
};

struct Listing {
  std::string file;
  bool readable = false;
  std::vector<ListedLine> lines;
};

/// A listing for each file that the profile names, from the first line with counts to the last.
/// `ptx` is the text of the module, for lines without .loc.
std::vector<Listing> listings(const Profile& profile, const std::string& ptx);

/// Every count with its name in JSON.
std::vector<std::pair<std::string_view, std::uint64_t>> namedCounts(const ProfileCounts& counts);
/// What there was of, each with a text.
std::vector<std::pair<std::string, std::string>> totalRows(const ProfileCounts& sum);

/// The columns of a listing, and their cells. Local memory and atomics have columns only where a
/// line has some: most kernels have none, and lines stay narrow.
class ProfileColumns {
 public:
  explicit ProfileColumns(const Listing& listing);
  [[nodiscard]] std::vector<std::string_view> names() const;
  /// One for each name: empty where there is nothing of the kind.
  [[nodiscard]] std::vector<std::string> cells(const ListedLine& line) const;

 private:
  bool hasLocal_ = false;
  bool hasAtomics_ = false;
};

/// A line for each class of instructions that ran.
std::string classesText(const Profile& profile);
/// A line for each kind of fidelity, with the lines of the PTX that are not a GPU's bits.
std::string fidelityText(const Profile& profile);
/// All of it, with the listings.
std::string profileText(const Profile& profile, const std::string& ptx);

/// The same as HTML, without what a page has around it.
std::string profileHtml(const Profile& profile, const std::string& ptx);
/// A part of a page: its heading, which may be empty, as text, and its body as HTML.
using PageSection = std::pair<std::string, std::string>;
/// A page that needs nothing else.
std::string profilePage(std::string_view title, const std::vector<PageSection>& sections);

}  // namespace cutwork::sim

#pragma GCC visibility pop
