// FuzzEval.cpp -- libFuzzer: operations by name on operands, and raw lines for the tool.
//
// The first byte chooses: an operation, its operands separated by newlines; or answerLine of the
// tool on the bytes. No input may crash, hang or throw; each refusal is the user's error and says
// something. Longer by hand, from the build folder of the preset asan:
//     bin/fuzz_FuzzEval -max_total_time=600 -timeout=10 -rss_limit_mb=2048 /tmp/eval
//     ../test/fuzz/corpus/FuzzEval
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

// The tool is no library that a fuzz program could link.
#include "../../tools/cutwork/LayoutEval.cpp"  // NOLINT(bugprone-suspicious-include)

namespace {

using namespace cutwork;  // NOLINT(google-build-using-namespace)

[[noreturn]] void fail(const char* what, const std::string& text) {
  std::fprintf(stderr, "%s: %s\n", what, text.c_str());
  std::abort();
}

std::vector<std::string> lines(std::string_view text) {
  std::vector<std::string> out;
  while (out.size() < 5) {
    std::size_t end = text.find('\n');
    out.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return out;
}

void evaluateOne(std::size_t choice, std::string_view text) {
  cute::RecordingEvaluator evaluator;
  auto dynamic = [&](cute::Width width, std::int64_t divisor) {
    return evaluator.input(width, divisor);
  };
  auto operations = cute::operations();
  std::string_view name = operations[choice % operations.size()].name;
  std::vector<std::string> operands = lines(text);
  auto answer = cute::evaluateOperation(name, operands, dynamic);
  if (answer) return;
  if (answer.error().message().empty()) fail("a refusal says nothing", std::string(name));
  if (answer.error().kind() != ErrorKind::User) fail("not the user's error", answer.error().text());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kLongest = 4096;
  if (size == 0 || size > kLongest) return 0;
  std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 0xff || data[0] == '{') {
    std::string answer =
        tool::answerLine(data[0] == '{' ? "{" + std::string(text) : std::string(text));
    if (answer.empty() || answer.front() != '{') fail("the answer is no object", answer);
    return 0;
  }
  evaluateOne(data[0], text);
  return 0;
}
