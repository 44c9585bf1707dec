// ShowBanks.cpp -- the picture of a shared-memory layout: the bank of every element, one access.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "Banks.h"
#include "LayoutShow.h"
#include "Window.h"
#include "cutwork/Layout/Coordinates.h"

namespace cutwork::tool {

using cute::Int;
using cute::IntTuple;

namespace {

constexpr std::int64_t kLargestOffset = std::int64_t{1} << 54;  // times 128 bits fits 62 bits

// The value as an offset into shared memory.
Expected<std::int64_t> offsetAt(const Shown& shown, const IntTuple& coordinate) {
  CW_TRY(IntTuple value, valueAt(shown, coordinate));
  std::int64_t offset = value.isInt() ? value.value().value() : -1;
  if (offset >= 0 && offset < kLargestOffset) return offset;
  return userError(fmt::format("the element {} has the offset {}; a bank needs one from 0 to 2^54",
                               coordinate.text(), value.text()));
}

std::vector<std::int64_t> consecutive(std::int64_t count, std::int64_t vector) {
  std::vector<std::int64_t> lanes(static_cast<std::size_t>(count));
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    lanes[lane] = static_cast<std::int64_t>(lane) * vector;
  }
  return lanes;
}

// The linear coordinate at which each lane's access begins.
Expected<std::vector<std::int64_t>> laneCoordinates(const Shown& shown,
                                                    const ShowOptions& options) {
  Int size = cute::size(shown.layout.outer());
  std::int64_t all = size.isStatic() ? size.value() : kLargestOffset;
  if (!options.access) {
    // A layout smaller than the default access is accessed by fewer lanes.
    return consecutive(std::min<std::int64_t>(kLanes, (all + options.vector - 1) / options.vector),
                       options.vector);
  }
  const std::vector<std::int64_t>& lanes = *options.access;
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    if (lanes[lane] < all) continue;
    return userError(fmt::format("lane {} accesses the coordinate {}; the layout has {}", lane,
                                 lanes[lane], size.text()));
  }
  return lanes;
}

std::string plural(std::int64_t n, std::string_view word) {
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

void addReport(Picture& picture, const AccessReport& report, std::size_t lanes,
               const ShowOptions& options) {
  std::int64_t bits = options.bits * options.vector;
  std::vector<std::string>& notes = picture.notes;
  notes.push_back(fmt::format("access (marked): {} of {} each ({} of {} bits), {}",
                              plural(static_cast<std::int64_t>(lanes), "lane"),
                              plural(bits / 8, "byte"), plural(options.vector, "element"),
                              options.bits, plural(report.ideal(), "phase")));
  Json phases = Json::array();
  for (std::size_t i = 0; i < report.phases.size(); ++i) {
    const Phase& phase = report.phases[i];
    notes.push_back(fmt::format("phase {}, lanes {}-{}: {} in {}, at most {} in one bank", i,
                                phase.firstLane, phase.lastLane, plural(phase.words, "word"),
                                plural(phase.banks, "bank"), phase.degree));
    phases.push_back(Json{{"first_lane", phase.firstLane},
                          {"last_lane", phase.lastLane},
                          {"words", phase.words},
                          {"banks", phase.banks},
                          {"degree", phase.degree}});
  }
  int conflicts = report.wavefronts - report.ideal();
  notes.push_back(fmt::format("conflicts: {} ({}); {}, {} would be ideal", conflicts,
                              report.degree == 1 ? "none" : fmt::format("{}-way", report.degree),
                              plural(report.wavefronts, "wavefront"), report.ideal()));
  if (!report.misaligned.empty()) {
    notes.push_back(fmt::format("misaligned: lanes {} do not begin at a multiple of {}",
                                fmt::join(report.misaligned, ","), plural(bits / 8, "byte")));
  }
  picture.data["access"] = Json{{"lanes", lanes},
                                {"bytes_per_lane", bits / 8},
                                {"phases", std::move(phases)},
                                {"degree", report.degree},
                                {"wavefronts", report.wavefronts},
                                {"ideal_wavefronts", report.ideal()},
                                {"conflicts", conflicts},
                                {"misaligned_lanes", report.misaligned}};
}

using LanesOf = std::unordered_map<std::int64_t, std::vector<std::size_t>>;

Expected<LanesOf> addAccess(Picture& picture, const Shown& shown, const ShowOptions& options) {
  CW_TRY(std::vector<std::int64_t> coordinates, laneCoordinates(shown, options));
  std::vector<std::int64_t> addresses;
  LanesOf lanesOf;  // by offset
  for (std::int64_t coordinate : coordinates) {
    CW_TRY(std::int64_t offset, offsetAt(shown, IntTuple(coordinate)));
    for (std::int64_t i = 0; i < options.vector; ++i)
      lanesOf[offset + i].push_back(addresses.size());
    addresses.push_back(offset * options.bits);
  }
  CW_TRY(AccessReport report, analyseAccess(addresses, options.bits * options.vector));
  addReport(picture, report, coordinates.size(), options);
  return lanesOf;
}

}  // namespace

Expected<std::vector<std::int64_t>> readAccess(const std::string& text, std::int64_t vector) {
  if (auto count = cute::parseInt(text)) {
    const std::int64_t n = count->isStatic() ? count->value() : 0;
    if (n >= 1 && n <= kLanes) return consecutive(n, vector);
    return userError(fmt::format("expected 1 to {} lanes, or a layout, not {}", kLanes, text));
  }
  auto layout = cute::parseAnyLayout(text);
  if (!layout) {
    return userError("expected a number of lanes or a layout: " + layout.error().message());
  }
  Int n = cute::size(layout->outer());
  if (!n.isStatic() || n.value() > kLanes) {
    return userError(fmt::format("expected a layout of 1 to {} lanes, but {} has {} lanes", kLanes,
                                 layout->text(), n.text()));
  }
  CW_TRY(std::vector<IntTuple> values, cute::evaluate(*layout));
  std::vector<std::int64_t> lanes;
  for (const IntTuple& value : values) {
    if (!value.isInt()) {
      return userError("expected linear coordinates, but " + layout->text() + " gives coordinates");
    }
    lanes.push_back(value.value().value());
    if (lanes.back() < 0) {
      return userError(fmt::format("expected coordinates from 0 on, but lane {} accesses {}",
                                   lanes.size() - 1, lanes.back()));
    }
  }
  return lanes;
}

Expected<Picture> drawBanks(const Shown& shown, const ShowOptions& options) {
  Picture picture = newPicture(shown, "banks");
  picture.facts.push_back(
      fmt::format("banks of {}-bit elements, 32 banks of 4 bytes{}", options.bits,
                  options.bits > kBankBits ? "; of an element, its first word's" : ""));
  picture.data["bits"] = options.bits;
  CW_TRY(Window window, Window::of(shown.layout.outer().shape(), options.maxCells));
  CW_TRY(LanesOf lanesOf, addAccess(picture, shown, options));
  for (std::int64_t slice = 0; slice < window.slices(); ++slice) {
    Grid grid;
    CW_TRY(grid.title, window.sliceTitle(slice));
    CW_TRY(grid.rows, window.rowLabels());
    CW_TRY(grid.columns, window.columnLabels());
    for (std::int64_t row = 0; row < window.rows(); ++row) {
      for (std::int64_t column = 0; column < window.columns(); ++column) {
        CW_TRY(std::int64_t offset, offsetAt(shown, window.coordinate(row, column, slice)));
        int bank = bankOf(offset * options.bits);
        auto lanes = lanesOf.find(offset);
        bool marked = lanes != lanesOf.end();
        Json data{{"value", offset}, {"bank", bank}};
        data["lanes"] = marked ? Json(lanes->second) : Json::array();
        grid.cells.push_back({std::to_string(bank), bank / 4, marked, std::move(data)});
      }
    }
    picture.grids.push_back(std::move(grid));
  }
  picture.data["shown"] = window.shown();
  if (auto note = window.leftOut()) picture.notes.push_back(*note);
  return picture;
}

}  // namespace cutwork::tool
