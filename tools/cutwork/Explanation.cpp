// Explanation.cpp -- explanations as text and as JSON.
#include "Explanation.h"

#include <fmt/format.h>

namespace cutwork::tool {

std::string explanationText(const Explanation& explanation) {
  std::string out = explanation.expression + "\n\n";
  out += "definition: " + explanation.definition + "\n";
  for (const auto& [letter, text] : explanation.operands)
    out += fmt::format("  {} = {}\n", letter, text);
  int number = 1;
  for (const Step& step : explanation.steps) {
    out += fmt::format("\n{}. {}\n", number++, step.title);
    for (const std::string& detail : step.details) out += fmt::format("   {}\n", detail);
  }
  out += fmt::format("\nresult: {}\n", explanation.result);
  if (!explanation.check) {
    if (!explanation.unchecked.empty())
      out += fmt::format("not checked: {}\n", explanation.unchecked);
  } else if (explanation.check->fails) {
    out += fmt::format("check FAILED: {}: {}\n", explanation.check->statement,
                       *explanation.check->fails);
  } else {
    out += fmt::format("checked: {}\n", explanation.check->statement);
  }
  return out;
}

std::string explanationJson(const Explanation& explanation) {
  using Json = nlohmann::ordered_json;
  Json json;
  json["expression"] = explanation.expression;
  json["operation"] = explanation.operation;
  json["definition"] = explanation.definition;
  json["operands"] = Json::object();
  for (const auto& [letter, text] : explanation.operands) json["operands"][letter] = text;
  json["steps"] = Json::array();
  for (const Step& step : explanation.steps) {
    json["steps"].push_back(Json{{"title", step.title}, {"details", step.details}});
  }
  json["result"] = explanation.result;
  json["check"] = nullptr;
  if (explanation.check) {
    json["check"] = Json{{"statement", explanation.check->statement},
                         {"holds", !explanation.check->fails.has_value()}};
    if (explanation.check->fails) json["check"]["fails"] = *explanation.check->fails;
  } else if (!explanation.unchecked.empty()) {
    json["unchecked"] = explanation.unchecked;
  }
  return json.dump() + "\n";
}

}  // namespace cutwork::tool
