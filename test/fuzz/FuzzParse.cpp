// FuzzParse.cpp -- libFuzzer: the text form; what is read prints as text that reads back the same.
//
// Longer by hand, from the build folder of the preset asan:
//     bin/fuzz_FuzzParse -max_total_time=600 -timeout=10 /tmp/parse ../test/fuzz/corpus/FuzzParse
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "cutwork/Layout/Recording.h"
#include "cutwork/Layout/Text.h"

namespace {

using namespace cutwork;        // NOLINT(google-build-using-namespace)
using namespace cutwork::cute;  // NOLINT(google-build-using-namespace)

[[noreturn]] void fail(std::string_view what, const std::string& first, const std::string& second) {
  std::fprintf(stderr, "%.*s:\n  %s\n  %s\n", static_cast<int>(what.size()), what.data(),
               first.c_str(), second.c_str());
  std::abort();
}

// text(parse(text(x))) == text(x), with dynamic integers too.
template <class Parse>
void roundTrip(std::string_view what, std::string_view input, Parse&& parse) {
  RecordingEvaluator evaluator;
  DynamicFactory dynamic = [&](Width width, std::int64_t divisor) {
    return evaluator.input(width, divisor);
  };
  auto read = parse(input, dynamic);
  if (!read) {
    if (read.error().message().empty()) fail("a refusal says nothing", std::string(what), "");
    if (read.error().kind() != ErrorKind::User)
      fail("not the user's error", read.error().text(), "");
    return;
  }
  std::string written = read->text();
  auto again = parse(written, dynamic);
  if (!again) fail(what, written, again.error().message());
  if (again->text() != written) fail(what, written, again->text());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  roundTrip("tuple", input, [](const auto& t, const auto& d) { return parseTuple(t, d); });
  roundTrip("integer", input, [](const auto& t, const auto& d) { return parseInt(t, d); });
  roundTrip("layout", input, [](const auto& t, const auto& d) { return parseLayout(t, d); });
  roundTrip("any layout", input, [](const auto& t, const auto& d) { return parseAnyLayout(t, d); });
  roundTrip("swizzle", input, [](const auto& t, const auto& /*d*/) { return parseSwizzle(t); });
  roundTrip("tiler", input, [](const auto& t, const auto& d) { return parseTiler(t, d); });
  return 0;
}
