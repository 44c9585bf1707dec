// LayoutEval.cpp -- JSON lines to operations of the algebra and back.
#include "LayoutEval.h"

#include <fmt/format.h>

#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <vector>

#include "cutwork/Layout/Operations.h"
#include "cutwork/Layout/Recording.h"

namespace cutwork::tool {

namespace {

using Json = nlohmann::json;

struct Request {
  std::string operation;
  std::vector<std::string> operands;
};

Expected<Request> readRequest(std::string_view line) {
  // Nesting is bounded by the callback, so that no input can exhaust the stack.
  constexpr int kDeepest = 8;
  bool tooDeep = false;
  auto shallow = [&](int depth, Json::parse_event_t, Json&) {
    tooDeep = tooDeep || depth > kDeepest;
    return depth <= kDeepest;
  };
  Json json = Json::parse(line, shallow, /*allow_exceptions=*/false);
  if (json.is_discarded() || tooDeep) return userError("the line is not JSON");
  if (!json.is_object())
    return userError("the line is not a JSON object {\"op\":..., \"args\":[...]}");
  if (!json.contains("op") || !json["op"].is_string()) return userError("\"op\" is not a string");
  if (!json.contains("args") || !json["args"].is_array())
    return userError("\"args\" is not a list");
  Request request{json["op"].get<std::string>(), {}};
  for (const Json& operand : json["args"]) {
    if (!operand.is_string()) return userError("\"args\" holds something that is not a string");
    request.operands.push_back(operand.get<std::string>());
  }
  return request;
}

Expected<std::string> answer(std::string_view line) {
  CW_TRY(Request request, readRequest(line));
  cute::RecordingEvaluator evaluator;
  auto dynamic = [&](cute::Width width, std::int64_t divisor) {
    return evaluator.input(width, divisor);
  };
  return cute::evaluateOperation(request.operation, request.operands, dynamic);
}

}  // namespace

std::string answerLine(std::string_view line) {
  auto result = answer(line);
  Json json;
  if (result) {
    json["result"] = *result;
  } else {
    json["error"] = result.error().message();
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool layoutEval(std::istream& in, std::ostream& out) {
  std::string line;
  while (std::getline(in, line)) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    // A line that throws is a bug; the other lines are answered all the same.
    try {
      out << answerLine(line) << '\n';
    } catch (const std::exception& fault) {
      out << Json{{"error", fault.what()}}.dump(-1, ' ', false, Json::error_handler_t::replace)
          << '\n';
    }
  }
  out.flush();
  return static_cast<bool>(out);
}

}  // namespace cutwork::tool
