// Stored.cpp -- compiling by way of the kernel store: keys, entries, places that follow.
#include <fmt/format.h>
#include <mlir/IR/BuiltinOps.h>

#include <charconv>
#include <chrono>
#include <iterator>

#include "Codegen/HostCode.h"
#include "Compiler/Pipeline.h"
#include "Compiler/StoredPlaces.h"
#include "DSL/HostTraceImpl.h"
#include "cutwork/Cache/Store.h"
#include "cutwork/Compiler/Places.h"
#include "cutwork/Runtime/HostTable.h"
#include "cutwork/Support/Knobs.h"
#include "cutwork/Support/Log.h"

namespace cutwork::compiler {

namespace {

std::string textOf(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

// Everything that what is compiled depends on: the IR has no places, paths or addresses.
cache::Key keyOf(std::string_view ir, const Target& target, const CompileOptions& options) {
  return cache::KeyMaker()
      .add("what", "compile")
      .add("build", cache::buildId())
      .add("host", codegen::hostProcessor())
      .add("table", HostTable::kVersion)
      .add("target", target.name())
      .add("optimisation", options.optimisation)
      .add("ir", ir)
      .key();
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + '\0';
  return all;
}

std::vector<std::string> split(std::string_view all) {
  std::vector<std::string> texts;
  while (!all.empty()) {
    const std::size_t end = std::min(all.find('\0'), all.size());
    texts.emplace_back(all.substr(0, end));
    all.remove_prefix(std::min(end + 1, all.size()));
  }
  return texts;
}

// Remarks of the trace come with each trace; the store has those of the code generator.
cache::Parts partsOf(const Artefacts& made, std::size_t traced, const Places& places) {
  const std::vector<std::string> remarks(made.remarks.begin() + static_cast<std::ptrdiff_t>(traced),
                                         made.remarks.end());
  return {
      {"lowered", made.lowered},         {"llvm", made.llvm},          {"ptx", made.ptx},
      {"kernels", joined(made.kernels)}, {"remarks", joined(remarks)}, {"host", made.hostObject},
      {"places", encodePlaces(places)}};
}

// The artefacts of an entry for a trace with these places. False: they cannot be made of it.
bool restore(const cache::Parts& parts, const Places& places, Artefacts& made) {
  for (const char* name : {"lowered", "llvm", "ptx", "kernels", "remarks", "host", "places"}) {
    if (cache::find(parts, name) == nullptr) return false;
  }
  made.ptx = *cache::find(parts, "ptx");
  std::vector<std::string> remarks = split(*cache::find(parts, "remarks"));
  const Places then = decodePlaces(*cache::find(parts, "places"));
  if (then != places) {
    // The program's lines have moved since: what names them follows.
    const std::optional<PlaceMap> moved = mapPlaces(then, places);
    if (!moved) return false;
    made.ptx = movePtx(made.ptx, *moved);
    for (std::string& remark : remarks) remark = moveRemark(remark, *moved);
  }
  made.lowered = *cache::find(parts, "lowered");
  made.llvm = *cache::find(parts, "llvm");
  made.kernels = split(*cache::find(parts, "kernels"));
  std::ranges::move(remarks, std::back_inserter(made.remarks));
  made.hostObject = *cache::find(parts, "host");
  return loadHost(made).ok();
}

std::optional<Artefacts> findIn(cache::Store& store, const cache::Key& key, const Artefacts& begun,
                                const Places& places) {
  const std::optional<cache::Parts> parts = store.get(key);
  if (!parts) return std::nullopt;
  Artefacts made = begun;
  if (!restore(*parts, places, made)) return std::nullopt;
  return made;
}

std::int64_t numberOf(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

cache::Parts partsOf(const Assembled& built) {
  cache::Parts parts{
      {"cubin", {reinterpret_cast<const char*>(built.cubin.data()), built.cubin.size()}},
      {"assembler", built.assembler},
      {"log", built.log}};
  for (const EntryResources& e : built.entries) {
    std::vector<std::string> row{e.name};
    for (std::int64_t number :
         {e.registers, e.barriers, e.stack, e.spillStores, e.spillLoads, e.sharedMemory}) {
      row.push_back(std::to_string(number));
    }
    parts.emplace_back("entry", joined(row));
  }
  for (const AssemblerRemark& r : built.remarks) {
    // A mark before each text, since an empty one would be lost.
    parts.emplace_back("remark", joined({"=" + r.code, "=" + r.text, "=" + r.function,
                                         std::to_string(r.ptxLine)}));
  }
  return parts;
}

std::optional<Assembled> restoreAssembled(const cache::Parts& parts, const std::string& ptx) {
  Assembled built;
  for (const auto& [name, content] : parts) {
    if (name == "cubin") {
      const auto* bytes = reinterpret_cast<const std::byte*>(content.data());
      built.cubin.assign(bytes, bytes + content.size());
    } else if (name == "assembler") {
      built.assembler = content;
    } else if (name == "log") {
      built.log = content;
    } else if (const std::vector<std::string> row = split(content); name == "entry") {
      if (row.size() != 7) return std::nullopt;
      built.entries.push_back({row[0], numberOf(row[1]), numberOf(row[2]), numberOf(row[3]),
                               numberOf(row[4]), numberOf(row[5]), numberOf(row[6])});
    } else if (name == "remark") {
      if (row.size() != 4) return std::nullopt;
      const int line = static_cast<int>(numberOf(row[3]));
      built.remarks.push_back(
          {row[0].substr(1), row[1].substr(1), row[2].substr(1), line, placeOfPtxLine(ptx, line)});
    }
  }
  if (built.cubin.empty()) return std::nullopt;
  return built;
}

}  // namespace
}  // namespace cutwork::compiler

std::string cutwork::placesOfTrace(HostTrace& trace) {
  trace.finish();
  return compiler::encodePlaces(compiler::placesOf(trace.impl().trace.module()));
}

namespace cutwork::compiler {

Expected<Artefacts> lowerOrFind(HostTrace::Impl& impl, const CompileOptions& options) {
  cache::Store* store = options.store ? cache::Store::ofProcess() : nullptr;
  if (store == nullptr) return lower(impl, options);
  Artefacts begun;
  begun.name = impl.trace.name();
  begun.target = impl.trace.target;
  begun.remarks = impl.trace.remarks;
  begun.mlir = textOf(impl.trace.module());
  const cache::Key key = keyOf(begun.mlir, begun.target, options);
  begun.key = key.text();
  const Places places = placesOf(impl.trace.module());
  auto hit = [&]() -> std::optional<Artefacts> {
    const auto start = std::chrono::steady_clock::now();
    std::optional<Artefacts> found = findIn(*store, key, begun, places);
    const std::chrono::duration<double, std::milli> spent =
        std::chrono::steady_clock::now() - start;
    if (found) {
      CW_LOG(Info, fmt::format("store: hit {} {:.1f} ms", begun.key.substr(0, 12), spent.count()));
    }
    return found;
  };
  std::optional<Artefacts> found = hit();
  if (!found) {
    const cache::Lock lock = store->lock(key);
    found = hit();  // of the one that was waited for
    if (!found) {
      CW_LOG(Info, fmt::format("store: miss {}", begun.key.substr(0, 12)));
      CW_TRY(Artefacts made, lower(impl, options));
      made.key = begun.key;
      store->put(key, fmt::format("{} for {}", made.name, made.target.name()),
                 partsOf(made, begun.remarks.size(), places));
      return made;
    }
  }
  CW_DO(show(*found));
  return *std::move(found);
}

Expected<Assembled> assembleOrFind(const Artefacts& made, const AssembleOptions& options) {
  cache::Store* store = made.key.empty() ? nullptr : cache::Store::ofProcess();
  if (store == nullptr) return assemble(made.ptx, made.target, options);
  const cache::Key key = cache::KeyMaker()
                             .add("what", "assemble")
                             .add("of", made.key)
                             .add("optimisation", options.optimizationLevel)
                             .add("registers", options.maxRegisters)
                             .add("options", joined(options.ptxasOptions))
                             .add("nvjitlink", knobs().nvjitlink)
                             .add("ptxas", knobs().ptxas)
                             .key();
  auto hit = [&]() -> std::optional<Assembled> {
    const std::optional<cache::Parts> parts = store->get(key);
    if (!parts) return std::nullopt;
    std::optional<Assembled> built = restoreAssembled(*parts, made.ptx);
    if (built) CW_LOG(Info, fmt::format("store: assembled {}", key.text().substr(0, 12)));
    return built;
  };
  if (std::optional<Assembled> built = hit()) return *std::move(built);
  const cache::Lock lock = store->lock(key);
  if (std::optional<Assembled> built = hit()) return *std::move(built);
  CW_TRY(Assembled built, assemble(made.ptx, made.target, options));
  // What is left to the driver to assemble is nothing to keep.
  if (!built.cubin.empty()) {
    store->put(key, fmt::format("{} for {}, assembled", made.name, made.target.name()),
               partsOf(built));
  }
  return built;
}

}  // namespace cutwork::compiler
