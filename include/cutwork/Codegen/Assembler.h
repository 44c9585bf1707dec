// cutwork/Codegen/Assembler.h -- PTX to cubin: nvJitLink, the ptxas program, or the CUDA driver.
//
// None of them is needed to build: they are looked for when the first PTX is assembled. The order
// is nvJitLink (in this process), ptxas, the driver; the next is tried where one is not there or is
// older than the PTX. nvJitLink compiles every PTX as relocatable code and then ignores
// `setmaxnreg` (remark C7504; seen with 12.9, 13.0, 13.5). So does the driver when it is asked for
// a cubin. A PTX that has one goes to ptxas, or else is left to the driver to assemble when it is
// loaded, or else to nvJitLink. The log says at Info which assembled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cutwork/Support/Error.h"
#include "cutwork/Support/SourcePlace.h"
#include "cutwork/Support/Target.h"

#pragma GCC visibility push(default)

namespace cutwork {

/// What the assembler says of a kernel. Sizes are bytes, of one thread or of one block.
struct EntryResources {
  std::string name;
  std::int64_t registers = 0;
  std::int64_t barriers = 0;
  std::int64_t stack = 0;
  std::int64_t spillStores = 0;
  std::int64_t spillLoads = 0;
  std::int64_t sharedMemory = 0;  ///< static
};

/// Something that costs speed, or that was ignored: `Potential Performance Loss: ...`.
struct AssemblerRemark {
  std::string code;  ///< `C7510`; empty if it has none
  std::string text;
  std::string function;  ///< the kernel, if it is named
  int ptxLine = 0;       ///< from 1; 0 if it is not said
  SourcePlace place;     ///< the line of the program that the PTX line came from (`.loc`)
};

struct Assembled {
  std::vector<std::byte> cubin;  ///< empty only if it is left to the driver (above): load the PTX
  std::vector<EntryResources> entries;  ///< in the order of the log
  std::vector<AssemblerRemark> remarks;
  std::string assembler;  ///< `nvJitLink 13.0 (libnvJitLink.so.13)`
  std::string log;        ///< all that it wrote
};

/// A way to assemble that the caller adds, last in the order: Runtime's assembleWithDriver.
struct DriverCubin {
  std::vector<std::byte> cubin;
  std::string log;
};
using DriverAssembler = std::function<Expected<DriverCubin>(const std::string& ptx)>;

struct AssembleOptions {
  int optimizationLevel = 3;  ///< 0 to 3
  bool lineInfo = true;
  int maxRegisters = 0;  ///< 0: no limit
  // Initialised in words: compilers warn of a designated initialiser that leaves out a member that
  // is not. NOLINTBEGIN(readability-redundant-member-init)
  std::vector<std::string> ptxasOptions = {};  ///< further ones, as ptxas takes them
  /// Folders of Python packages (site-packages) to look in, besides those of VIRTUAL_ENV.
  std::vector<std::string> packageFolders = {};
  DriverAssembler driver = {};
  // NOLINTEND(readability-redundant-member-init)
};

/// The options of ptxas that a user gives, a value joined to its option (`-maxrregcount 64` becomes
/// `-maxrregcount=64`). Errors (User): a value without an option; an option that Cutwork sets
/// itself (the target, files, the kind of output).
Expected<std::vector<std::string>> ptxasOptions(const std::vector<std::string>& words);

/// Assembles a PTX text. Errors (User): the PTX is refused, with the assembler's message, the PTX
/// line and the program's line it came from; there is no assembler, with what was tried.
Expected<Assembled> assemble(const std::string& ptx, const Target& target,
                             const AssembleOptions& options = {});

/// A tool that assembles, as it was found; for reports.
struct AssemblerTool {
  std::string kind;     ///< `nvJitLink` or `ptxas`
  std::string version;  ///< `13.0`; empty if it does not tell
  std::string path;     ///< as it was opened or started: a file name, or a name for the loader
  std::string reason;   ///< why it cannot be used; empty if it can
};

/// nvJitLink and ptxas in the order in which they are tried; the first usable one assembles, and
/// where there is none the CUDA driver. Opens the library and starts the program.
std::vector<AssemblerTool> assemblerTools(const AssembleOptions& options = {});

/// The program's place that a PTX line (from 1) came from: the last `.loc` before it in its
/// function.
SourcePlace placeOfPtxLine(std::string_view ptx, int line);

}  // namespace cutwork

#pragma GCC visibility pop
