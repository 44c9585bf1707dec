// Names.h -- what the names in a function's body mean: nested scopes of registers, variables,
// labels.
#pragma once

#include <deque>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "Reader/Ast.h"

namespace cutwork::sim {

/// One register, or one element of a vector register; its row is given at first use.
struct RegisterName {
  Ty type = Ty::B32;
  std::uint32_t row = 0;
  std::string_view name;
};

struct Meaning {
  enum class Kind : std::uint8_t {
    None,
    Register,
    Vector,
    Local,
    Parameter,
    KernelParameter,
    Shared,
    Global  ///< or constant memory
  };
  Kind kind = Kind::None;
  RegisterName* registers = nullptr;  ///< for Vector: that many
  unsigned vector = 1;
  std::uint64_t offset =
      0;  ///< Local, Parameter: in the frame; KernelParameter: in the parameters;
          ///< Shared, Global: the address
  const Declaration* declaration = nullptr;
};

/// The scopes of one function.
class Names {
 public:
  Names();
  void open();
  void close();
  /// Declares registers: one, a group, or vectors.
  void declareRegisters(const Declaration& declaration);
  void declare(std::string_view name, Meaning meaning);
  /// Whether the innermost scope has a declaration of that name; %p and %p<4> are two names.
  [[nodiscard]] bool declares(const Declaration& declaration) const;
  /// The innermost meaning of a name; Kind::None if it has none here.
  Meaning find(std::string_view name);
  /// The scope that is open now, for labels.
  [[nodiscard]] std::uint32_t scope() const { return stack_.back(); }
  [[nodiscard]] std::uint32_t parent(std::uint32_t scope) const { return scopes_[scope].parent; }
  /// Goes back to before the first statement: scopes are opened again in the same order.
  void rewind();

 private:
  struct Range {
    RegisterName* first;
    std::uint32_t count;
    unsigned vector;
  };
  struct Scope {
    std::uint32_t parent = 0;
    std::unordered_map<std::string_view, Meaning> names;
    std::unordered_map<std::string_view, Range> ranges;
  };
  RegisterName* make(Ty type, std::uint32_t count);

  std::deque<Scope> scopes_;
  std::vector<std::uint32_t> stack_;
  std::uint32_t nextScope_ = 1;
  std::deque<std::vector<RegisterName>> groups_;
};

}  // namespace cutwork::sim
