// Link.cpp -- memory and initial values for a module's variables.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "Arithmetic/Half.h"
#include "Linked.h"

namespace cutwork::sim {
namespace {

constexpr std::uint64_t kMostConstants = 65536;
constexpr std::uint64_t kMostParameters = 32764;
constexpr std::uint64_t kMostLocal =
    std::uint64_t{512} * 1024;  ///< of a thread: functions pass them there

/// The bits of a constant in a variable of this type.
std::uint64_t encode(const Constant& c, Ty type) {
  if (!c.isFloat) {
    if (type == Ty::F32) {
      return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int64_t>(c.integer)));
    }
    if (type == Ty::F64) {
      return std::bit_cast<std::uint64_t>(
          static_cast<double>(static_cast<std::int64_t>(c.integer)));
    }
    return c.integer;
  }
  if (type == Ty::F64 || bitsOf(type) == 64) {
    if (c.exactBits == 64) return c.integer;
    return std::bit_cast<std::uint64_t>(c.real);
  }
  if (type == Ty::F16) return f32ToHalf(static_cast<float>(c.real));
  if (type == Ty::BF16) return f32ToBf16(static_cast<float>(c.real));
  if (c.exactBits == 32) return c.integer;
  return std::bit_cast<std::uint32_t>(static_cast<float>(c.real));
}

class Linker {
 public:
  Linker(LinkedModule& linked, GlobalMemory& memory) : linked_(linked), memory_(memory) {}

  Status run() {
    Module& module = linked_.module;
    for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
      const Function& function = module.functions[i];
      const auto [at, fresh] = linked_.functions.try_emplace(function.name, i);
      if (fresh || !function.hasBody) continue;
      if (module.functions[at->second].hasBody) {
        return problem(function.line, fmt::format("{} is defined twice", function.name));
      }
      at->second = i;
    }
    for (const auto& [alias, aliased] : module.aliases) {
      const auto found = linked_.functions.find(aliased);
      for (const std::string_view name : {alias, aliased}) {
        if (!linked_.functions.contains(name)) {
          return problem(0, fmt::format(".alias {}, {}: {} is not declared", alias, aliased, name));
        }
      }
      linked_.functions[alias] = found->second;
    }
    CW_DO(limits());
    for (const Declaration& variable : module.variables) {
      CW_DO(place(variable));
    }
    for (const Declaration& variable : module.variables) {
      const bool isMain = linked_.variables[variable.name] == &variable;
      if (isInMemory(variable) && isMain)
        CW_DO(initialise(variable, linked_.addresses[variable.name]));
    }
    for (const Function& function : module.functions) CW_DO(placeThoseOf(function));
    return Success{};
  }

 private:
  /// What no GPU has room for.
  Status limits() const {
    std::uint64_t constants = 0;
    for (const Declaration& variable : linked_.module.variables) {
      if (variable.space == Space::Const) constants += variable.bytes();
    }
    if (constants > kMostConstants) {
      return problem(0, fmt::format("{} bytes of .const variables; there can be {}", constants,
                                    kMostConstants));
    }
    for (const Function& function : linked_.module.functions) {
      std::uint64_t bytes = 0;
      for (const Declaration& parameter : function.parameters) bytes += parameter.bytes();
      for (const Declaration& result : function.results) bytes += result.bytes();
      const std::uint64_t most = function.isEntry ? kMostParameters : kMostLocal;
      if (bytes > most) {
        return problem(function.line, fmt::format("{} bytes of parameters of {}; there can be {}",
                                                  bytes, function.name, most));
      }
    }
    return Success{};
  }

  Error problem(std::uint32_t line, std::string message) const {
    return userError(std::move(message), SourcePlace{linked_.module.name, line, 0, {}});
  }

  Status place(const Declaration& variable) {
    const auto [at, fresh] = linked_.variables.try_emplace(variable.name, &variable);
    if (!fresh) {
      // An extern declaration and its definition may both be there.
      const bool both = at->second->linkage != "extern" && variable.linkage != "extern";
      if (both) return problem(variable.line, fmt::format("{} is defined twice", variable.name));
      if (variable.linkage == "extern") return Success{};
      at->second = &variable;
    }
    if (!isInMemory(variable)) return Success{};
    CW_TRY(const std::uint64_t address, memoryFor(variable));
    linked_.addresses[variable.name] = address;
    return Success{};
  }

  /// Variables in global and constant memory that the function's body declares.
  Status placeThoseOf(const Function& function) {
    for (const Declaration& variable : function.declarations) {
      if (!isInMemory(variable)) continue;
      if (!variable.opaque.empty()) {
        return problem(variable.line, fmt::format("{}: a .{} is declared outside of functions",
                                                  variable.name, variable.opaque));
      }
      CW_TRY(const std::uint64_t address, memoryFor(variable));
      linked_.inBodies[&variable] = address;
      CW_DO(initialise(variable, address));
    }
    return Success{};
  }

  static bool isInMemory(const Declaration& variable) {
    return variable.space == Space::Global || variable.space == Space::Const;
  }

  Expected<std::uint64_t> memoryFor(const Declaration& variable) {
    return memory_.allocate(variable.bytes(), fmt::format("variable {}", variable.name),
                            variable.space == Space::Const);
  }

  Status initialise(const Declaration& variable, std::uint64_t address) {
    // Variables without initial values are zero, as on a GPU.
    std::vector<std::uint8_t> bytes(variable.bytes());
    const std::size_t element = bytesOf(variable.type);
    for (std::size_t i = 0; i < variable.initial.size(); ++i) {
      CW_TRY(const std::uint64_t bits, valueOf(variable, variable.initial[i]));
      std::memcpy(&bytes[i * element], &bits, std::min<std::size_t>(element, 8));
    }
    return memory_.write(address, bytes.data(), bytes.size());
  }

  Expected<std::uint64_t> valueOf(const Declaration& variable, const Initial& initial) {
    std::uint64_t bits = 0;
    const auto named = linked_.variables.find(initial.symbol);
    if (named != linked_.variables.end() && !named->second->opaque.empty()) {
      return problem(variable.line, fmt::format("the address of {}, a .{}, is not known here",
                                                initial.symbol, named->second->opaque));
    }
    if (initial.symbol.empty()) {
      bits = encode(initial.value, variable.type);
    } else if (const auto at = linked_.addresses.find(initial.symbol);
               at != linked_.addresses.end()) {
      bits = at->second + static_cast<std::uint64_t>(initial.addend);
    } else if (const auto code = linked_.functions.find(initial.symbol);
               code != linked_.functions.end()) {
      bits = codeAddress(code->second) + static_cast<std::uint64_t>(initial.addend);
    } else {
      return problem(variable.line, fmt::format("the initial value of {} names {}, which is no "
                                                "variable in memory and no function",
                                                variable.name, initial.symbol));
    }
    if (initial.mask != 0) bits = (bits & initial.mask) >> std::countr_zero(initial.mask);
    return bits;
  }

  LinkedModule& linked_;
  GlobalMemory& memory_;
};

}  // namespace

Expected<std::unique_ptr<LinkedModule>> linkModule(Module module, GlobalMemory& memory) {
  auto linked = std::make_unique<LinkedModule>();
  linked->module = std::move(module);
  CW_DO(Linker(*linked, memory).run());
  return linked;
}

}  // namespace cutwork::sim
