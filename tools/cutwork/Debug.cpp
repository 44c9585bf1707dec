// Debug.cpp -- the debugger's commands, from a terminal or a script.
#include "Debug.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "DebugValues.h"
#include "Output.h"
#include "Sim.h"

namespace cutwork::tool {
namespace {

constexpr const char* kCommands =
    R"(break [FILE:]LINE     stop where a thread comes to that line (b)
breaks, delete N      the breakpoints; remove one
continue              to the next stop (c)
step                  one instruction of this thread (s)
next                  to another line (n)
print NAME            a register, a variable of the source, or where a shared variable is (p)
registers             all that this function uses (r)
variables             those of the source that are in scope, if the PTX says (clang -g) (v)
x SPACE AT [COUNT] [TYPE]   memory: global, shared or local; AT is a number, a register or a
                      shared variable; TYPE is b8 to b64, u8, s16, f32, bf16, ... (b32)
thread BLOCK THREAD   follow one thread, as 1,0,0 5,0,0; 'thread any' ends that
groups                the block's groups of lanes, and where they are (g)
where                 this thread and its place (w)
list                  the source around it (l)
quit                  end the run (q)
)";

constexpr const char* kDebugHelp = R"(
LAUNCH is a file as for `cutwork sim`. The run stops at its first instruction, unless there is a
--break; commands then come from standard input, a line each ('help' lists them). At the end of the
input the run goes on without stops. A fault stops it where it happened, and is reported.

Example:
  printf 'next\nprint %r1\n' | cutwork debug k.ptx l.json --break k.cu:12 --thread 0:33
)";

struct DebugOptions {
  std::vector<std::string> breaks;
  std::string thread;
};

/// Reads commands where the launch stops.
class Debugging : public sim::DebugClient {
 public:
  Debugging(DebugOptions options, bool& quit)
      : options_(std::move(options)), quit_(quit), terminal_(isatty(STDIN_FILENO) == 1) {}

  sim::DebugAction stopped(sim::DebugStop& stop) override {
    stop_ = &stop;
    if (stop.reason() == sim::DebugReason::Start) {
      if (!prepare()) {
        quit_ = true;
        return sim::DebugAction::Quit;
      }
      if (!options_.breaks.empty()) return sim::DebugAction::Continue;
    }
    if (ended_) return sim::DebugAction::Continue;
    if (stop.reason() == sim::DebugReason::Fault) say("fault: " + stop.fault() + "\n");
    where();
    return commands();
  }

  /// What was wrong with the options, known when the kernel is there.
  std::optional<std::string> problem;

 private:
  using Words = std::vector<std::string>;

  static void say(const std::string& text) {
    [[maybe_unused]] const auto s = writeStandardOutput(printable(text));
  }

  bool prepare() {
    for (const std::string& place : options_.breaks) {
      const Status set = addBreak(place);
      if (!set.ok()) problem = "--break: " + set.error().text();
    }
    if (!options_.thread.empty()) {
      const std::size_t comma = options_.thread.find_first_of(":, ");
      const bool pair =
          comma != std::string::npos && options_.thread.find('(') == std::string::npos;
      const Status set =
          pair ? follow(options_.thread.substr(0, comma), options_.thread.substr(comma + 1))
               : followPair(options_.thread);
      if (!set.ok()) problem = "--thread: " + set.error().text();
    }
    return !problem;
  }

  sim::DebugAction commands() {
    for (std::string line;;) {
      if (terminal_) say("(cutwork) ");
      if (!std::getline(std::cin, line)) {
        ended_ = true;
        return sim::DebugAction::Continue;
      }
      std::istringstream in(line);
      Words words;
      for (std::string word; in >> word;) words.push_back(word);
      if (words.empty()) {
        if (!terminal_ || last_.empty()) continue;
        words = last_;
      }
      last_ = words;
      if (const auto action = moves(words[0])) return *action;
      const Status done = command(words);
      if (!done.ok()) say("error: " + done.error().text() + "\n");
    }
  }

  std::optional<sim::DebugAction> moves(const std::string& word) {
    if (word == "c" || word == "continue") return sim::DebugAction::Continue;
    if (word == "s" || word == "step") return sim::DebugAction::Step;
    if (word == "n" || word == "next") return sim::DebugAction::Next;
    if (word != "q" && word != "quit") return {};
    quit_ = true;
    return sim::DebugAction::Quit;
  }

  Status command(const Words& words) {
    struct Row {
      std::string_view name;
      std::string_view letter;
      std::size_t least;  ///< words behind it
      std::size_t most;
      Status (Debugging::*run)(const Words&);
    };
    static constexpr std::array kRows = {
        Row{"break", "b", 1, 1, &Debugging::breakAt},
        Row{"breaks", "", 0, 0, &Debugging::listBreaks},
        Row{"delete", "", 1, 1, &Debugging::deleteBreak},
        Row{"print", "p", 1, 1, &Debugging::print},
        Row{"registers", "r", 0, 0, &Debugging::registers},
        Row{"variables", "v", 0, 0, &Debugging::variables},
        Row{"x", "", 2, 4, &Debugging::examine},
        Row{"thread", "", 1, 2, &Debugging::thread},
        Row{"groups", "g", 0, 0, &Debugging::groups},
        Row{"where", "w", 0, 0, &Debugging::showWhere},
        Row{"list", "l", 0, 0, &Debugging::list},
        Row{"help", "h", 0, 0, &Debugging::help},
    };
    for (const Row& row : kRows) {
      if (words[0] != row.name && (row.letter.empty() || words[0] != row.letter)) continue;
      if (words.size() - 1 < row.least || words.size() - 1 > row.most) {
        return userError(fmt::format("{}: {} words behind it; 'help' has the commands", row.name,
                                     words.size() - 1));
      }
      return (this->*row.run)(words);
    }
    return userError(fmt::format("there is no command '{}'; 'help' has them", words[0]));
  }

  Status addBreak(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    const bool hasFile = colon != std::string::npos;
    CW_TRY(const std::uint64_t line, number(hasFile ? text.substr(colon + 1) : text));
    sim::DebugBreak place{hasFile ? text.substr(0, colon) : std::string(),
                          static_cast<std::uint32_t>(std::min<std::uint64_t>(line, 0xffffffffU))};
    CW_TRY(const sim::DebugBreak set, stop_->addBreak(place));
    (void)set;
    return Success{};
  }
  Status breakAt(const Words& words) {
    CW_DO(addBreak(words[1]));
    say(fmt::format("breakpoint {}\n", stop_->breaks().size()));
    return Success{};
  }
  Status listBreaks(const Words&) {
    for (std::size_t i = 0; i < stop_->breaks().size(); ++i) {
      const sim::DebugBreak& one = stop_->breaks()[i];
      say(fmt::format("{}  {}{}{}\n", i + 1, one.file, one.file.empty() ? "line " : ":", one.line));
    }
    return Success{};
  }
  Status deleteBreak(const Words& words) {
    CW_TRY(const std::uint64_t index, number(words[1]));
    return stop_->removeBreak(index - 1);
  }

  Status print(const Words& words) {
    const auto value = stop_->reg(words[1]);
    if (value.ok()) {
      say(registerText(value.value()) + "\n");
      return Success{};
    }
    const auto variable = stop_->variable(words[1]);
    if (variable.ok()) {
      say(variableText(*variable) + "\n");
      return Success{};
    }
    const auto address = stop_->shared(words[1]);
    // A register begins with %; of another name the variables are what was meant.
    if (!address.ok()) return words[1].starts_with('%') ? value.error() : variable.error();
    say(fmt::format("{} is at {:#x} in shared memory\n", words[1], address.value()));
    return Success{};
  }
  Status variables(const Words&) {
    CW_TRY(const sim::DebugVariables found, stop_->variables());
    std::string out;
    for (const sim::DebugVariable& one : found.all) out += variableText(one) + "\n";
    if (found.all.empty()) out += "no variables are in scope here\n";
    if (!found.problem.empty()) {
      out += fmt::format("and more that is not understood: {}\n", found.problem);
    }
    say(out);
    return Success{};
  }
  Status registers(const Words&) {
    std::string out;
    for (const sim::DebugRegister& one : stop_->registers()) out += registerText(one) + "\n";
    say(out);
    return Success{};
  }

  Expected<std::uint64_t> addressOf(const std::string& word) {
    if (const auto value = stop_->reg(word); value.ok()) {
      if (!value->written) {
        return userError(fmt::format("{} was never written, and is no address", word));
      }
      return value->bits;
    }
    if (const auto address = stop_->shared(word); address.ok()) return address.value();
    const auto value = number(word);
    if (value.ok()) return value.value();
    return userError(fmt::format(
        "expected an address (a number, a register or a shared variable), not '{}'", word));
  }

  Status examine(const Words& words) {
    static constexpr std::array<std::string_view, 3> kSpaces = {"global", "shared", "local"};
    const auto space = std::find(kSpaces.begin(), kSpaces.end(), words[1]);
    if (space == kSpaces.end()) {
      return userError(fmt::format("expected global, shared or local, not '{}'", words[1]));
    }
    CW_TRY(const std::uint64_t address, addressOf(words[2]));
    std::uint64_t count = 1;
    if (words.size() > 3) {
      CW_TRY(count, number(words[3]));
    }
    const std::string type = words.size() > 4 ? words[4] : "b32";
    const unsigned bytes = bytesOfType(type);
    if (bytes == 0) return userError(fmt::format("'{}' is no type; u32 and f16 are", type));
    count = std::min<std::uint64_t>(count, 1024);
    CW_TRY(const auto memory, stop_->memory(static_cast<sim::DebugSpace>(space - kSpaces.begin()),
                                            address, count * bytes));
    const std::span<const std::byte> all(memory);
    const std::uint64_t perLine = std::max(1U, 16 / bytes);
    std::string out;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i % perLine == 0) out += fmt::format("{}{:#x}:", i == 0 ? "" : "\n", address + i * bytes);
      out += " " + valueText(type, all.subspan(i * bytes, bytes));
    }
    say(out + "\n");
    return Success{};
  }

  Status follow(const std::string& block, const std::string& thread) {
    CW_TRY(const auto b, threeNumbers(block));
    CW_TRY(const auto t, threeNumbers(thread));
    return stop_->follow(b, t);
  }
  /// (1,0,0),(5,0,0)
  Status followPair(const std::string& text) {
    const std::size_t end = text.find(')');
    if (end == std::string::npos) return follow("0", text);
    const std::size_t next = text.find_first_not_of(", :", end + 1);
    if (next == std::string::npos) return userError("expected a block and a thread");
    return follow(text.substr(0, end + 1), text.substr(next));
  }
  Status thread(const Words& words) {
    if (words.size() == 2) {
      if (words[1] != "any") return userError("expected a block and a thread, or 'any'");
      stop_->followAny();
      return Success{};
    }
    CW_DO(follow(words[1], words[2]));
    where();
    return Success{};
  }

  Status groups(const Words&) {
    std::string out;
    for (const sim::DebugGroup& one : stop_->groups()) {
      out += fmt::format("warp {} lanes {:#010x} {} at {}\n", one.warp, one.lanes,
                         one.waits ? "waits" : "runs",
                         one.user.known() ? one.user.text() : one.ptx.text());
    }
    say(out);
    return Success{};
  }

  void where() {
    const auto b = stop_->block();
    const auto t = stop_->thread();
    std::string out =
        fmt::format("block ({},{},{}) thread ({},{},{})", b[0], b[1], b[2], t[0], t[1], t[2]);
    if (stop_->user().known()) out += " at " + stop_->user().text();
    say(fmt::format("{} at {}: {}\n", out, stop_->ptx().text(), stop_->text()));
  }
  Status showWhere(const Words&) {
    where();
    return Success{};
  }

  Status list(const Words&) {
    const SourcePlace place = stop_->user().known() ? stop_->user() : stop_->ptx();
    std::ifstream in(place.file);
    if (!in) return userError(fmt::format("cannot read {}", place.file));
    std::string line;
    for (std::uint32_t number = 1; std::getline(in, line) && number <= place.line + 5; ++number) {
      if (number + 5 < place.line) continue;
      say(fmt::format("{} {:>5}  {}\n", number == place.line ? "->" : "  ", number, line));
    }
    return Success{};
  }
  Status help(const Words&) {
    say(kCommands);
    return Success{};
  }

  DebugOptions options_;
  bool& quit_;
  bool terminal_;
  bool ended_ = false;  ///< the commands
  Words last_;
  sim::DebugStop* stop_ = nullptr;
};

ExitCode runDebug(SimOptions& options, const DebugOptions& debug) {
  Debugging client(debug, options.quit);
  options.debug = &client;
  const ExitCode code = runSim(options);
  if (client.problem) return fail(ExitCode::Usage, *client.problem);
  if (options.quit) std::fputs("cutwork: the run was ended before its end\n", stderr);
  return code;
}

}  // namespace

void addDebugCommand(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<SimOptions>();
  auto debug = std::make_shared<DebugOptions>();
  CLI::App* command =
      app.add_subcommand("debug", "Step through a PTX kernel on the simulated device");
  addLaunchOptions(*command, *options);
  command->add_option("--break", debug->breaks, "Stop at a line of the source or of the PTX")
      ->type_name("[FILE:]LINE");
  command
      ->add_option("--thread", debug->thread, "Follow one thread: 'BLOCK:THREAD', (1,0,0),(5,0,0)")
      ->type_name("B:T");
  command->footer(std::string(kDebugHelp) + "\nCommands:\n" + kCommands);
  command->callback([options, debug, &invocation] {
    invocation.run = [options, debug] { return runDebug(*options, *debug); };
  });
}

}  // namespace cutwork::tool
