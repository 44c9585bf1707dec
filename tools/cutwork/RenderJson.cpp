// RenderJson.cpp -- pictures as JSON.
#include "Render.h"

namespace cutwork::tool {

std::string renderJson(const Picture& picture) {
  Json json = picture.data;
  json["grids"] = Json::array();
  for (const Grid& grid : picture.grids) {
    Json rows = Json::array();
    for (std::size_t row = 0; row < grid.rows.size(); ++row) {
      Json cells = Json::array();
      for (std::size_t column = 0; column < grid.columns.size(); ++column) {
        cells.push_back(grid.at(row, column).data);
      }
      rows.push_back(std::move(cells));
    }
    json["grids"].push_back(Json{{"slice", grid.title.empty() ? Json(nullptr) : Json(grid.title)},
                                 {"rows", grid.rows},
                                 {"columns", grid.columns},
                                 {"cells", std::move(rows)}});
  }
  json["notes"] = picture.notes;
  return json.dump() + "\n";
}

}  // namespace cutwork::tool
