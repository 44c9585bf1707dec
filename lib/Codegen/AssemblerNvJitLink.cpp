// AssemblerNvJitLink.cpp -- assembling in this process with NVIDIA's nvJitLink library.
//
// Its binary interface, in our own words, from the nvJitLink documentation: a handle is made with
// options, given the PTX, completed, and asked for the cubin and the logs. Safe from any thread.
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "AssemblerParts.h"

namespace cutwork::assembler {

namespace {

constexpr int kSuccess = 0;
constexpr int kInputPtx = 2;

struct Library {
  int (*create)(void** handle, std::uint32_t count, const char** options) = nullptr;
  int (*destroy)(void** handle) = nullptr;
  int (*addData)(void* handle, int type, const void* data, std::size_t bytes,
                 const char* name) = nullptr;
  int (*complete)(void* handle) = nullptr;
  int (*cubinSize)(void* handle, std::size_t* bytes) = nullptr;
  int (*cubin)(void* handle, void* to) = nullptr;
  int (*errorLogSize)(void* handle, std::size_t* bytes) = nullptr;
  int (*errorLog)(void* handle, char* to) = nullptr;
  int (*infoLogSize)(void* handle, std::size_t* bytes) = nullptr;
  int (*infoLog)(void* handle, char* to) = nullptr;
  int (*version)(unsigned* major, unsigned* minor) = nullptr;  ///< may be null
  std::string name;                                            ///< with version and path
  std::string release;                                         ///< `13.0`, or empty
  std::string file;                                            ///< what the loader opened
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

/// The library, or why not.
Expected<std::shared_ptr<const Library>> open(const std::string& path) {
  void* opened = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    const char* reason = dlerror();
    return deviceError(reason == nullptr ? path : reason);
  }
  auto library = std::make_shared<Library>();
  const bool whole = find(opened, "nvJitLinkCreate", library->create) &&
                     find(opened, "nvJitLinkDestroy", library->destroy) &&
                     find(opened, "nvJitLinkAddData", library->addData) &&
                     find(opened, "nvJitLinkComplete", library->complete) &&
                     find(opened, "nvJitLinkGetLinkedCubinSize", library->cubinSize) &&
                     find(opened, "nvJitLinkGetLinkedCubin", library->cubin) &&
                     find(opened, "nvJitLinkGetErrorLogSize", library->errorLogSize) &&
                     find(opened, "nvJitLinkGetErrorLog", library->errorLog) &&
                     find(opened, "nvJitLinkGetInfoLogSize", library->infoLogSize) &&
                     find(opened, "nvJitLinkGetInfoLog", library->infoLog);
  if (!whole) return deviceError(path + ": this library is no nvJitLink");
  unsigned major = 0;
  unsigned minor = 0;
  if (find(opened, "nvJitLinkVersion", library->version) &&
      library->version(&major, &minor) == kSuccess) {
    library->release = fmt::format("{}.{}", major, minor);
    library->name = fmt::format("nvJitLink {} ({})", library->release, path);
  } else {
    library->name = fmt::format("nvJitLink ({})", path);
  }
  Dl_info where{};
  const bool known = dladdr(reinterpret_cast<void*>(library->create), &where) != 0;
  library->file = known && where.dli_fname != nullptr ? where.dli_fname : path;
  return std::shared_ptr<const Library>(std::move(library));
}

/// Opened once per path, for as long as the process lives.
Expected<std::shared_ptr<const Library>> remembered(const std::string& path) {
  struct Opened {
    std::mutex mutex;
    std::map<std::string, Expected<std::shared_ptr<const Library>>> byPath;
  };
  static auto* const opened = new Opened;
  const std::lock_guard lock(opened->mutex);
  auto found = opened->byPath.find(path);
  if (found == opened->byPath.end()) found = opened->byPath.emplace(path, open(path)).first;
  return found->second;
}

/// A link that is destroyed on every path.
class Link {
 public:
  explicit Link(const Library& library) : library_(library) {}
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link() {
    if (handle_ != nullptr) library_.destroy(&handle_);
  }
  int create(const std::vector<std::string>& options) {
    std::vector<const char*> texts;
    texts.reserve(options.size());
    for (const std::string& option : options) texts.push_back(option.c_str());
    return library_.create(&handle_, static_cast<std::uint32_t>(texts.size()), texts.data());
  }
  [[nodiscard]] void* get() const { return handle_; }
  [[nodiscard]] std::string log(bool errors) const {
    std::size_t bytes = 0;
    const auto size = errors ? library_.errorLogSize : library_.infoLogSize;
    if (size(handle_, &bytes) != kSuccess || bytes == 0) return {};
    std::vector<char> text(bytes + 1);
    const auto get = errors ? library_.errorLog : library_.infoLog;
    if (get(handle_, text.data()) != kSuccess) return {};
    return text.data();
  }

 private:
  const Library& library_;
  void* handle_ = nullptr;
};

std::vector<std::string> optionsFor(const Target& target, const AssembleOptions& options) {
  std::vector<std::string> texts = {"-arch=" + target.name(), "-Xptxas=-v"};
  // -O1 and -O2 are refused as options of its own.
  const int level = options.optimizationLevel;
  texts.push_back(level == 0 || level == 3 ? fmt::format("-O{}", level)
                                           : fmt::format("-Xptxas=-O{}", level));
  if (options.lineInfo) texts.emplace_back("-lineinfo");
  if (options.maxRegisters > 0) {
    texts.push_back(fmt::format("-maxrregcount={}", options.maxRegisters));
  }
  for (const std::string& option : options.ptxasOptions) texts.push_back("-Xptxas=" + option);
  return texts;
}

Outcome run(const Library& library, const std::string& ptx, const Target& target,
            const AssembleOptions& options) {
  Link link(library);
  const std::vector<std::string> texts = optionsFor(target, options);
  if (const int result = link.create(texts); result != kSuccess) {
    return Unusable{fmt::format("{}: refuses the options {} (error {})", library.name,
                                fmt::join(texts, " "), result)};
  }
  int result = library.addData(link.get(), kInputPtx, ptx.c_str(), ptx.size() + 1, "ptx");
  if (result == kSuccess) result = library.complete(link.get());
  if (result != kSuccess) {
    std::string log = link.log(true);
    if (log.empty()) log = fmt::format("error {}", result);
    return Refused{std::move(log), library.name};
  }
  std::size_t bytes = 0;
  if (library.cubinSize(link.get(), &bytes) != kSuccess || bytes == 0) {
    return Unusable{library.name + ": gives no cubin"};
  }
  Done done{std::vector<std::byte>(bytes), link.log(false), library.name};
  if (library.cubin(link.get(), done.cubin.data()) != kSuccess) {
    return Unusable{library.name + ": gives no cubin"};
  }
  return done;
}

/// The first library that opens. Error (Device): the reasons why none does.
Expected<std::shared_ptr<const Library>> firstLibrary(const AssembleOptions& options) {
  const std::vector<std::string> names = nvJitLinkNames(options);
  if (names.empty()) return deviceError("CUTWORK_NVJITLINK=none");
  std::string reasons;
  for (const std::string& name : names) {
    auto library = remembered(name);
    if (library.ok()) return library;
    reasons += (reasons.empty() ? "" : "; ") + library.error().message();
  }
  return deviceError(std::move(reasons));
}

}  // namespace

Outcome runNvJitLink(const std::string& ptx, const Target& target, const AssembleOptions& options) {
  const auto library = firstLibrary(options);
  if (!library.ok()) return Unusable{"nvJitLink: " + library.error().message()};
  return run(**library, ptx, target, options);
}

AssemblerTool findNvJitLink(const AssembleOptions& options) {
  const auto library = firstLibrary(options);
  if (!library.ok()) return {"nvJitLink", {}, {}, library.error().message()};
  return {"nvJitLink", (*library)->release, (*library)->file, {}};
}

}  // namespace cutwork::assembler
