// Compile.cpp -- `cutwork compile`: what a case is compiled to, at any stage.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "../Output.h"
#include "CaseCommands.h"
#include "CompileLaunch.h"
#include "cutwork/Support/Knobs.h"

namespace cutwork::tool {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCompileHelp = R"(
mlir is the traced program, lowered the same after the passes, llvm and ptx what LLVM made of it,
cubin what the assembler made of that (nvJitLink or ptxas, whichever is found) and sass the same
disassembled. --resources prints registers, spills and shared memory of each kernel and what the
assembler remarks, instead of the artefact; with -o it does both.

Example:
  cutwork compile relu --target sm_90a --emit ptx -o relu.ptx)";

constexpr std::array<std::string_view, 6> kStages{"mlir", "lowered", "llvm",
                                                  "ptx",  "cubin",   "sass"};

struct CompileCommand {
  CaseOptions of;
  std::string target;
  std::string emit;
  std::string file;
  std::string launch;  ///< a file for `cutwork sim`
  CompileOptions options;
  bool resources = false;
  bool json = false;
};

Expected<CompiledFunction> compiled(const Case& which, const CaseShape& shape,
                                    const CompileCommand& command) {
  try {
    const CaseArrays arrays = which.get_inputs(shape, 0);
    CompiledFunction function = which.kernel_fn(command.options, arrays.specs());
    if (!command.launch.empty()) CW_DO(writeLaunch(command.launch, arrays, function));
    return function;
  } catch (const Exception& thrown) {
    return thrown.error();
  }
}

Expected<std::string> artefact(const CompiledFunction& function, std::string_view stage) {
  if (stage == "mlir") return function.mlir();
  if (stage == "lowered") return function.loweredMlir();
  if (stage == "llvm") return function.llvm();
  if (stage == "ptx") return function.ptx();
  if (stage == "sass") return function.sass();
  CW_TRY(const std::vector<std::byte> cubin, function.cubin());
  return std::string(reinterpret_cast<const char*>(cubin.data()), cubin.size());
}

std::string resourcesText(const std::vector<EntryResources>& kernels,
                          const std::vector<std::string>& remarks) {
  std::string text;
  for (const EntryResources& k : kernels) {
    text += fmt::format(
        "{}: {} registers, {} bytes of spills stored and {} loaded, {} of stack, {} of static "
        "shared memory, {} barriers\n",
        k.name, k.registers, k.spillStores, k.spillLoads, k.stack, k.sharedMemory, k.barriers);
  }
  for (const std::string& remark : remarks) text += remark + "\n";
  return text;
}

Json resourcesJson(const std::vector<EntryResources>& kernels) {
  Json all = Json::array();
  for (const EntryResources& k : kernels) {
    all.push_back({{"kernel", k.name},
                   {"registers", k.registers},
                   {"spill_stores", k.spillStores},
                   {"spill_loads", k.spillLoads},
                   {"stack", k.stack},
                   {"shared_memory", k.sharedMemory},
                   {"barriers", k.barriers}});
  }
  return all;
}

struct Made {
  std::string artefact;  ///< of the stage; empty if none was asked for
  std::string text;      ///< for standard output
};

Expected<Made> makeOutput(const CompileCommand& command, const CaseShape& shape,
                          const CompiledFunction& function) {
  const bool toFile = !command.file.empty();
  Made made;
  std::vector<EntryResources> kernels;
  if (!command.emit.empty()) {
    CW_TRY(made.artefact, artefact(function, command.emit));
  }
  if (command.resources) {
    CW_TRY(kernels, function.resources());
  }
  if (!command.json) {
    if (!toFile) made.text = made.artefact;
    if (command.resources) made.text += resourcesText(kernels, function.remarks());
    return made;
  }
  Json all{{"case", command.of.name},
           {"shape", shape},
           {"target", function.target().name()},
           {"kernels", function.kernels()},
           {"remarks", function.remarks()}};
  if (command.resources) all["resources"] = resourcesJson(kernels);
  if (!command.emit.empty() && !toFile) all[command.emit] = made.artefact;
  if (toFile) all["file"] = command.file;
  made.text = all.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  return made;
}

// Empty if the options go together.
std::string conflict(const CompileCommand& command) {
  const bool toFile = !command.file.empty();
  if (command.resources && !command.emit.empty() && !toFile) {
    return "--resources and --emit together need -o FILE for the artefact";
  }
  if (command.emit != "cubin" || toFile) return {};
  if (command.json) return "--emit cubin with --json needs -o FILE";
  return isatty(STDOUT_FILENO) == 1 ? "a cubin is not for a terminal: -o FILE" : "";
}

ExitCode runCompile(CompileCommand& command) {
  if (command.emit.empty() && !command.resources) command.emit = "ptx";
  if (const std::string problem = conflict(command); !problem.empty()) {
    return fail(ExitCode::Usage, problem);
  }
  const auto which = findCase(command.of.name);
  if (!which.ok()) return fail(ExitCode::Usage, which.error().text());
  const auto asked = shapeOf(command.of, **which);
  if (!asked.ok()) return fail(ExitCode::Usage, asked.error().text());
  if (command.target.empty()) command.target = knobs().arch;
  if (command.target.empty()) {
    return fail(ExitCode::Usage, "--target is required, or CUTE_DSL_ARCH in the environment");
  }
  const auto target = Target::parse(command.target);
  if (!target.ok()) return fail(ExitCode::Usage, target.error().text());
  command.options.target = *target;
  const CaseShape shape = asked->value_or((*which)->shape);
  Progress progress;
  progress.say(fmt::format("compiling {} for {} ...", command.of.name, command.target));
  const auto function = compiled(**which, shape, command);
  const auto made =
      function.ok() ? makeOutput(command, shape, *function) : Expected<Made>(function.error());
  progress.clear();
  if (!made.ok()) {
    const bool ours = made.error().kind() == ErrorKind::Internal;
    return fail(ours ? ExitCode::Internal : ExitCode::Refused, made.error().text());
  }
  if (!command.file.empty() && !command.emit.empty()) {
    const Status written = writeFile(command.file, made->artefact);
    if (!written.ok()) return fail(ExitCode::Usage, written.error().text());
  }
  return finish(made->text);
}

}  // namespace

void addCompileCommand(CLI::App& app, Invocation& invocation) {
  auto command = std::make_shared<CompileCommand>();
  CLI::App* compile = app.add_subcommand("compile", "Compile a case and print any stage of it");
  addCaseName(*compile, command->of);
  compile->add_option("--target", command->target, "sm_90a, ...; else CUTE_DSL_ARCH");
  compile->add_option("--emit", command->emit, "What to print: ptx if nothing is said")
      ->check(CLI::IsMember(std::vector<std::string>(kStages.begin(), kStages.end())));
  compile->add_option("-o,--output", command->file, "Write it to a file");
  addShape(*compile, command->of);
  compile->add_option("--opt-level", command->options.optimisation, "LLVM's and the assembler's")
      ->check(CLI::Range(0, 3))
      ->capture_default_str();
  compile
      ->add_option("--launch", command->launch,
                   "Write the case's launch for `cutwork sim`, and its inputs beside it")
      ->type_name("FILE");
  compile->add_flag("--resources", command->resources, "Print what each kernel uses");
  compile->add_flag("--json", command->json, "Print it as JSON");
  compile->footer(kCompileHelp);
  compile->callback([command, &invocation] {
    invocation.run = [command, &invocation] {
      command->json = command->json || invocation.json;
      return runCompile(*command);
    };
  });
}

}  // namespace cutwork::tool
