// StoredPlaces.h -- the places of a trace, and PTX that follows them when they move.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace mlir {
class ModuleOp;
}

namespace cutwork::compiler {

using Place = std::tuple<std::string, unsigned, unsigned>;
/// In the order of the operations. Two traces of one IR text have as many, each of the same
/// operation.
using Places = std::vector<Place>;

Places placesOf(mlir::ModuleOp module);
std::string encodePlaces(const Places& places);
/// Empty for a text that is none.
Places decodePlaces(const std::string& text);

struct PlaceMap {
  std::map<Place, Place> places;
  std::map<std::pair<std::string, unsigned>, std::pair<std::string, unsigned>> lines;
};
/// From the places of one trace to those of another of the same IR. Nothing: one place became two,
/// so that a line table cannot follow.
std::optional<PlaceMap> mapPlaces(const Places& from, const Places& to);
/// PTX whose .file and .loc directives name the new places.
std::string movePtx(const std::string& ptx, const PlaceMap& map);
/// A remark `file:line: text` with the new place.
std::string moveRemark(const std::string& remark, const PlaceMap& map);

}  // namespace cutwork::compiler
