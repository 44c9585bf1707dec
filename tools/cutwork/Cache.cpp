// Cache.cpp -- `cutwork cache list|stats|clear|verify` over the kernel store.
#include "Cache.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cutwork/Cache/Store.h"

namespace cutwork::tool {
namespace {

using nlohmann::ordered_json;

constexpr const char* kCacheHelp = R"(
The kernel store keeps what was compiled for all processes of this user. CUTE_DSL_CACHE_DIR says
where it is, CUTWORK_CACHE_SIZE how much it may hold.

Example:
  cutwork cache stats
)";

// The store, or the code after reporting that there is none.
cache::Store* theStore(ExitCode& code) {
  cache::Store* store = cache::Store::ofProcess();
  if (store == nullptr) {
    code = fail(ExitCode::Refused,
                "there is no kernel store: CUTE_DSL_NO_CACHE or CUTE_DSL_DISABLE_FILE_CACHING is "
                "set, or none of CUTE_DSL_CACHE_DIR, XDG_CACHE_HOME and HOME is");
  }
  return store;
}

std::string timeText(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

ordered_json asJson(const cache::EntryInfo& entry) {
  ordered_json row{{"key", entry.key},
                   {"bytes", entry.bytes},
                   {"used", timeText(entry.used)},
                   {"about", entry.about}};
  if (!entry.problem.empty()) row["problem"] = entry.problem;
  return row;
}

ExitCode list(bool json) {
  ExitCode code = ExitCode::Done;
  cache::Store* store = theStore(code);
  if (store == nullptr) return code;
  const std::vector<cache::EntryInfo> all = store->list(true).value();
  if (json) {
    ordered_json rows = ordered_json::array();
    for (const cache::EntryInfo& entry : all) rows.push_back(asJson(entry));
    return finish(rows.dump(2) + "\n");
  }
  std::string text;
  for (const cache::EntryInfo& entry : all) {
    text += fmt::format("{}  {:>9}  {}  {}\n", entry.key.substr(0, 12), entry.bytes,
                        timeText(entry.used),
                        entry.problem.empty() ? entry.about : "damaged: " + entry.problem);
  }
  return finish(text);
}

ExitCode stats(bool json) {
  ExitCode code = ExitCode::Done;
  cache::Store* store = theStore(code);
  if (store == nullptr) return code;
  const cache::StoreStatistics found = store->statistics().value();
  if (json) {
    return finish(ordered_json{{"folder", store->folder().string()},
                               {"entries", found.entries},
                               {"bytes", found.bytes},
                               {"most_bytes", store->mostBytes()}}
                      .dump(2) +
                  "\n");
  }
  return finish(fmt::format("folder   {}\nentries  {}\nbytes    {} of {}\n",
                            store->folder().string(), found.entries, found.bytes,
                            store->mostBytes()));
}

ExitCode clear(bool json) {
  ExitCode code = ExitCode::Done;
  cache::Store* store = theStore(code);
  if (store == nullptr) return code;
  const std::uint64_t count = store->clear().value();
  if (json) return finish(ordered_json{{"deleted", count}}.dump() + "\n");
  return finish(fmt::format("{} {} deleted\n", count, count == 1 ? "entry" : "entries"));
}

ExitCode verify(bool json) {
  ExitCode code = ExitCode::Done;
  cache::Store* store = theStore(code);
  if (store == nullptr) return code;
  std::vector<cache::EntryInfo> bad;
  std::size_t good = 0;
  for (cache::EntryInfo& entry : store->list(true).value()) {
    if (entry.problem.empty()) {
      ++good;
    } else {
      bad.push_back(std::move(entry));
    }
  }
  code = bad.empty() ? ExitCode::Done : ExitCode::WrongResult;
  if (json) {
    ordered_json rows = ordered_json::array();
    for (const cache::EntryInfo& entry : bad) rows.push_back(asJson(entry));
    return finish(ordered_json{{"good", good}, {"damaged", rows}}.dump(2) + "\n", code);
  }
  std::string text = fmt::format("{} good, {} damaged\n", good, bad.size());
  for (const cache::EntryInfo& entry : bad)
    text += fmt::format("{}: {}\n", entry.key, entry.problem);
  return finish(text, code);
}

}  // namespace

void addCacheCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* cache = app.add_subcommand("cache", "What was compiled and kept: list, clear, check");
  cache->footer(kCacheHelp);
  cache->require_subcommand(1);
  const auto add = [&](const char* name, const char* help, ExitCode (*run)(bool)) {
    CLI::App* command = cache->add_subcommand(name, help);
    command->add_flag("--json", invocation.json, "Print results as JSON");
    command->callback([&invocation, run] {
      invocation.run = [&invocation, run] { return run(invocation.json); };
    });
  };
  add("list", "The entries, most recently used first", list);
  add("stats", "Where it is and how much it holds", stats);
  add("clear", "Delete all entries", clear);
  add("verify", "Compare the checksum of each entry; exit code 1 if one is damaged", verify);
}

}  // namespace cutwork::tool
