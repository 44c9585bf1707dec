// Bench.cpp -- time and heap allocations of the algebra's operations on the cases of cases.jsonl.
//
// Floor: a result is written once, a few dozen nodes of 40 bytes, so tens of nanoseconds; anything
// above that is the algorithm. Operands are parsed before the clock starts; destroying the result
// is timed.
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <new>
#include <nlohmann/json.hpp>

#include "cutwork/Layout/Coalesce.h"
#include "cutwork/Layout/Complement.h"
#include "cutwork/Layout/Composition.h"
#include "cutwork/Layout/Divide.h"
#include "cutwork/Layout/Inverse.h"
#include "cutwork/Layout/Product.h"
#include "cutwork/Layout/Text.h"

namespace {

std::atomic<std::uint64_t> allocations{0};

}  // namespace

void* operator new(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }

namespace cutwork::cute {
namespace {

// One call of the operation; false if it refuses.
using Call = std::function<bool()>;

template <class T>
bool keep(cutwork::Expected<T> result) {
  benchmark::DoNotOptimize(result);
  return result.ok();
}

using WithTiler = cutwork::Expected<AnyLayout> (*)(const AnyLayout&, const Tiler&);

Call withTiler(WithTiler f, const std::vector<std::string>& args) {
  AnyLayout layout = *parseAnyLayout(args[0]);
  Tiler tiler = *parseTiler(args[1]);
  return [=] { return keep(f(layout, tiler)); };
}

Call withPlainTiler(cutwork::Expected<Layout> (*f)(const Layout&, const Tiler&),
                    const std::vector<std::string>& args) {
  Layout layout = *parseLayout(args[0]);
  Tiler tiler = *parseTiler(args[1]);
  return [=] { return keep(f(layout, tiler)); };
}

Call onPair(const std::string& op, const std::vector<std::string>& args) {
  bool composed = args[0].find('o') != std::string::npos;
  if (op == "logical_divide")
    return composed ? withTiler(logical_divide, args) : withPlainTiler(logical_divide, args);
  if (op == "zipped_divide")
    return composed ? withTiler(zipped_divide, args) : withPlainTiler(zipped_divide, args);
  if (op == "logical_product") return withPlainTiler(logical_product, args);
  if (op == "composition") return withPlainTiler(composition, args);
  if (op == "raked_product") {
    Layout block = *parseLayout(args[0]);
    Layout tiler = *parseLayout(args[1]);
    return [=] { return keep(raked_product(block, tiler)); };
  }
  AnyLayout layout = *parseAnyLayout(args[0]);
  IntTuple tuple = *parseTuple(args[1]);
  if (op == "tile_to_shape" && composed) return [=] { return keep(tile_to_shape(layout, tuple)); };
  const Layout& plain = layout.outer();
  if (op == "tile_to_shape") return [=] { return keep(tile_to_shape(plain, tuple)); };
  if (op == "complement") return [=] { return keep(complement(plain, tuple)); };
  return {};
}

Call callOf(const std::string& op, const std::vector<std::string>& args) {
  if (args.size() > 1) return onPair(op, args);
  Layout layout = *parseLayout(args[0]);
  if (op == "coalesce") return [=] { return keep(coalesce(layout)); };
  if (op == "right_inverse") return [=] { return keep(right_inverse(layout)); };
  if (op == "left_inverse") return [=] { return keep(left_inverse(layout)); };
  return {};
}

void run(benchmark::State& state, const Call& call) {
  if (!call()) return state.SkipWithError("the operation refuses its operands");
  std::uint64_t before = allocations.load();
  call();
  std::uint64_t perCall = allocations.load() - before;
  for (auto _ : state) call();
  state.counters["allocations"] = static_cast<double>(perCall);
}

// Registers every case; false, with a message, if the file cannot be read.
bool registerCases(const char* path) {
  std::ifstream file(path);
  if (!file) {
    std::cerr << "bench_layout: cannot read " << path << '\n';
    return false;
  }
  for (std::string line; std::getline(file, line);) {
    auto json = nlohmann::json::parse(line);
    std::string op = json["op"];
    Call call = callOf(op, json["args"].get<std::vector<std::string>>());
    if (!call) {
      std::cerr << "bench_layout: no operation " << op << '\n';
      return false;
    }
    std::string name = op + "/" + json["name"].get<std::string>();
    benchmark::RegisterBenchmark(name.c_str(),
                                 [call](benchmark::State& state) { run(state, call); });
  }
  return true;
}

}  // namespace
}  // namespace cutwork::cute

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  try {
    if (!cutwork::cute::registerCases(argc > 1 ? argv[1] : CUTWORK_BENCH_CASES)) return 2;
  } catch (const std::exception& fault) {
    std::cerr << "bench_layout: " << fault.what() << '\n';
    return 2;
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
