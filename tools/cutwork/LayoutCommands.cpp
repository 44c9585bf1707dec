// LayoutCommands.cpp -- `cutwork layout eval`, `show` and `explain`: options and help.
#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <memory>
#include <optional>

#include "Commands.h"
#include "LayoutEval.h"
#include "LayoutExplain.h"
#include "LayoutShow.h"
#include "Output.h"
#include "Render.h"
#include "Window.h"
#include "cutwork/Layout/Operations.h"
#include "cutwork/Layout/Recording.h"
#include "cutwork/Support/Knobs.h"

namespace cutwork::tool {

namespace {

constexpr const char* kExpressionHelp = R"(EXPR is
  a layout           ((2,2),4):((1,8),2)
  a swizzled layout  S<3,4,3> o 0 o (32,8):(1,32), or S<3,4,3> o (32,8):(1,32)
  an operation       composition((6,2):(8,2), (4,3):(3,1)), inside one another as well
  A o B              composition(A, B)
)";

constexpr const char* kShowHelp = R"(
Mode 0 runs downwards, mode 1 to the right; a layout of one mode is one row; of further modes each
coordinate gets a grid of its own. Colours repeat every eight values, threads, or 16 bytes of
banks.

Thread-value layouts (the result of make_layout_tv; --tv; --tile): T3V1 is value 1 of thread 3,
'.' an element that nobody has, +N says how many further owners there are.

Banks (--banks; --bits, --access, --vector): each cell is the bank of its element, '*' the
elements of one access. The rule: shared memory has 32 banks of 4 bytes, and the layout begins at
bank 0. An access of up to 4 bytes a lane is one phase of 32 lanes; of 8 bytes, phases of 16
lanes; of 16 bytes, of 8 lanes. In a phase, the same 4-byte word is broadcast; different words in
one bank wait for one another. A phase takes as many wavefronts as the most words in one bank; one
is free of conflicts.

Examples:
  cutwork layout show '((2,2),4):((1,8),2)'
  cutwork layout show 'make_layout_tv((4,8):(8,1), (2,2):(2,1))'
  cutwork layout show '((4,8),(2,2)):((32,1),(16,8))' --tile '(16,8)'
  cutwork layout show 'S<3,3,3> o (8,64):(64,1)' --bits 16 --access 8:1 --vector 8
)";

constexpr const char* kExplainHelp = R"(
Prints the definition with the operands, every step, the result, and a check by enumeration of up to
65536 coordinates. A check that fails exits with 1.

Example:
  cutwork layout explain 'composition((6,2):(8,2), (4,3):(3,1))'
)";

constexpr const char* kEvalHelp = R"HELP(
Each line of standard input is {"op": NAME, "args": [TEXT, ...]}; its answer, one line, is
{"result": TEXT} or {"error": TEXT}. Empty lines have no answer. Exits with 0 if every line was
answered.

Example:
  echo '{"op":"coalesce","args":["(2,(1,6)):(1,(6,2))"]}' | cutwork layout eval

Operations:
)HELP";

struct ShowCommand {
  std::string expression;
  ShowOptions options;
  std::optional<std::string> tile;
  std::optional<std::string> access;
  std::optional<std::string> svg;
  std::string color;
  int width = -1;
};

bool wantsColor(const std::string& option) {
  if (option == "always") return true;
  if (option == "never") return false;
  return useColor(STDOUT_FILENO);
}

// Reads the texts of options; what is malformed about them, empty if nothing is.
std::string readOptions(const ShowCommand& command, bool json, ShowOptions& options) {
  if (command.svg && command.svg->empty()) {
    return "--svg: expected a file name, or - for standard output, not an empty text";
  }
  if (command.svg && json) {
    return "--svg and --json are two forms of the same picture: give one of them";
  }
  if (command.tile) {
    auto tile = readTile(*command.tile);
    if (!tile) return "--tile: " + tile.error().message();
    options.tile = *std::move(tile);
  }
  std::int64_t bits = options.bits * options.vector;
  if (options.banks && bits != 8 && bits != 16 && bits != 32 && bits != 64 && bits != 128) {
    return fmt::format(
        "--bits {} --vector {}: a lane accesses 1, 2, 4, 8 or 16 bytes, that is --bits times "
        "--vector from 8 to 128",
        options.bits, options.vector);
  }
  if (command.access) {
    auto access = readAccess(*command.access, options.vector);
    if (!access) return "--access: " + access.error().message();
    options.access = *std::move(access);
  }
  return {};
}

ExitCode show(const ShowCommand& command, bool json) {
  ShowOptions options = command.options;
  if (std::string problem = readOptions(command, json, options); !problem.empty())
    return fail(ExitCode::Usage, problem);
  auto expression = parseExpression(command.expression);
  if (!expression) return fail(ExitCode::Usage, expression.error().message());
  cute::RecordingEvaluator evaluator;
  auto dynamic = [&](cute::Width width, std::int64_t divisor) {
    return evaluator.input(width, divisor);
  };
  auto value = evaluateExpression(*expression, dynamic);
  if (!value) return fail(ExitCode::Refused, value.error().message());
  auto shown = shownOf(*expression, *value, dynamic);
  if (!shown) return fail(ExitCode::Usage, shown.error().message());
  auto picture = drawPicture(*shown, options);
  if (!picture) return fail(ExitCode::Refused, picture.error().message());
  if (command.svg && *command.svg != "-") {
    auto written = writeFile(*command.svg, renderSvg(*picture));
    if (!written.ok()) return fail(ExitCode::Usage, written.error().message());
    return finish(fmt::format("wrote {}\n", *command.svg));
  }
  if (json) return finish(renderJson(*picture));
  if (command.svg) return finish(renderSvg(*picture));
  int columns = command.width >= 0 ? command.width : terminalColumns();
  return finish(renderTerminal(*picture, {wantsColor(command.color), columns}));
}

ExitCode explainCommand(const std::string& text, bool json) {
  auto expression = parseExpression(text);
  if (!expression) return fail(ExitCode::Usage, expression.error().message());
  if (expression->kind != Expression::Kind::Call) {
    return fail(ExitCode::Usage,
                fmt::format("expected an operation, such as composition(A, B) or A o B, found {}",
                            expression->source()));
  }
  auto explanation = explain(*expression);
  if (!explanation) {
    if (explanation.error().kind() == ErrorKind::Internal) explanation.error().raise();
    return fail(ExitCode::Refused, explanation.error().message());
  }
  bool wrong = explanation->check && explanation->check->fails;
  ExitCode code = finish(json ? explanationJson(*explanation) : explanationText(*explanation),
                         wrong ? ExitCode::WrongResult : ExitCode::Done);
  if (wrong && code == ExitCode::WrongResult) {
    return fail(code, fmt::format("{}: the check by enumeration failed", explanation->operation));
  }
  return code;
}

ExitCode eval() {
  // Without this, reading errors of standard input look like its end.
  std::ios::sync_with_stdio(false);
  if (!layoutEval(std::cin, std::cout))
    return fail(ExitCode::Usage, "cannot write standard output");
  if (std::cin.bad()) return fail(ExitCode::Usage, "cannot read standard input");
  return ExitCode::Done;
}

std::string operationList() {
  std::string out;
  for (const cute::OperationInfo& info : cute::operations()) {
    out += fmt::format("  {}({}): {}\n", info.name, info.operands, info.summary);
  }
  return out;
}

void addShow(CLI::App& layout, Invocation& invocation) {
  auto* show =
      layout.add_subcommand("show", "Draw a layout: values, threads, or shared-memory banks");
  auto command = std::make_shared<ShowCommand>();
  ShowOptions& options = command->options;
  show->add_option("EXPR", command->expression, "What to draw (below)")->required()->type_name("");
  show->add_option("--svg", command->svg,
                   "Write an SVG document instead; - is standard output;\nnot with --json")
      ->type_name("FILE");
  show->add_flag("--json", invocation.json, "Print the picture as JSON");
  show->add_option("--max-cells", options.maxCells, "Cells that are drawn at most")
      ->check(CLI::Range(std::int64_t{1}, kMostCells))
      ->type_name("N")
      ->capture_default_str();
  show->add_option("--color", command->color,
                   "auto, always or never; by default as CUTWORK_COLOR says")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
  show->add_option("--width", command->width,
                   "Columns of the terminal, where grids are broken; 0: nowhere")
      ->check(CLI::Range(0, 100000))
      ->type_name("N");
  auto* tv =
      show->add_flag("--tv", options.tv, "Draw a thread-value layout: who has which element");
  auto* tile = show->add_option("--tile", command->tile, "The tile of a thread-value layout")
                   ->type_name("(M,N)");
  auto* banks =
      show->add_flag("--banks", options.banks, "Draw the banks of a shared-memory layout");
  auto* bits = show->add_option("--bits", options.bits, "Bits of an element (with --banks)")
                   ->check(CLI::IsMember({1, 2, 4, 8, 16, 32, 64, 128}))
                   ->type_name("N")
                   ->capture_default_str();
  auto* access =
      show->add_option("--access", command->access,
                       "Where the lanes' accesses begin (with --banks): a layout lane ->\n"
                       "linear coordinate, or a number of lanes at consecutive coordinates")
          ->type_name("ACCESS");
  auto* vector =
      show->add_option("--vector", options.vector,
                       "Elements, consecutive in memory, that a lane accesses (with --banks)")
          ->check(CLI::Range(1, 128))
          ->type_name("N")
          ->capture_default_str();
  for (CLI::Option* option : {banks, bits, access, vector}) option->excludes(tv)->excludes(tile);
  show->footer(std::string(kExpressionHelp) + kShowHelp);
  show->callback([=, &invocation] {
    bool banksMeant = bits->count() + access->count() + vector->count() > 0;
    command->options.banks = command->options.banks || banksMeant;
    invocation.run = [=, &invocation] { return tool::show(*command, invocation.json); };
  });
}

void addExplain(CLI::App& layout, Invocation& invocation) {
  auto* explain =
      layout.add_subcommand("explain", "Print the steps of a composition, divide, product, ...");
  auto text = std::make_shared<std::string>();
  explain->add_option("EXPR", *text, "The operation to explain (below)")->required()->type_name("");
  explain->add_flag("--json", invocation.json, "Print the steps as JSON");
  explain->footer(std::string(kExpressionHelp) + kExplainHelp);
  explain->callback([=, &invocation] {
    invocation.run = [=, &invocation] { return explainCommand(*text, invocation.json); };
  });
}

}  // namespace

void addLayoutCommands(CLI::App& app, Invocation& invocation) {
  auto* layout = app.add_subcommand("layout", "The layout algebra: evaluate, draw, explain");
  auto* eval = layout->add_subcommand("eval", "Answer JSON lines on standard input, one line each");
  eval->add_flag("--json", invocation.json, "Answers are JSON in any case");
  eval->footer(kEvalHelp + operationList());
  eval->callback([&invocation] { invocation.run = tool::eval; });
  addShow(*layout, invocation);
  addExplain(*layout, invocation);
  layout->footer(
      "Example:\n  cutwork layout show '(4,8):(1,4)'\n\n`cutwork layout COMMAND --help` has the "
      "options of a command.");
}

}  // namespace cutwork::tool
