// Program.h -- a kernel decoded: records, the image of its row file, and tables for the rarer
// needs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "Exec/Record.h"
#include "Reader/Ast.h"
#include "cutwork/Simulator/Simulator.h"
#include "cutwork/Support/SourcePlace.h"

namespace cutwork::sim {

/// The statement that a record was made from.
struct SourceRef {
  std::uint32_t function = 0;
  std::uint32_t statement = 0;
};

/// An access of memory, for who looks at traffic. Not loads of a kernel's parameters.
struct AccessNote {
  std::uint32_t record = 0;
  std::uint32_t row = 0;  ///< of the address
  std::int64_t offset = 0;
  std::uint32_t bytes = 0;  ///< of a lane
  std::uint32_t lanes = 0xffffffffU;
  Space space = Space::Generic;
  bool wide = true;  ///< the address has 64 bits
  bool atomic = false;
};

/// A register that has a row, for who looks at values. Those of a vector have one name.
struct RegisterNote {
  std::uint32_t function = 0;
  std::string_view name;
  Ty type = Ty::B32;
  std::uint32_t row = 0;
};

/// A variable that has an address, for who looks at values.
struct VariableNote {
  std::string_view name;
  Space space = Space::Global;
  std::uint64_t address = 0;   ///< of a local variable: in its function's frame
  std::uint32_t function = 0;  ///< of a local variable
};

/// A copy between frames in local memory, or between rows, at a call.
struct CallCopy {
  bool inRows = false;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t bytes = 0;
};

/// A call: what goes in and out. Offsets into frames are from the frame's base.
struct CallSite {
  std::int32_t target = -1;  ///< a function; -1: through the pointer in row `pointer`
  std::uint32_t pointer = 0;
  std::uint32_t callerBytes = 0;  ///< the caller's frame
  std::vector<std::uint32_t>
      argumentOffsets;  ///< of a call through a pointer: in the caller's frame
  std::vector<std::uint32_t> argumentBytes;
  std::vector<std::uint32_t> resultOffsets;
  std::vector<std::uint32_t> resultBytes;
  std::vector<std::uint32_t> argumentRows;  ///< .reg parameters (0: in the frame)
  std::vector<std::uint32_t> resultRows;
};

struct CodeFunction {
  std::string name;
  std::uint32_t entry = 0;  ///< record
  bool decoded = false;
  bool recursive = false;
  std::uint32_t frameBytes = 0;  ///< parameters and variables in local memory
  std::uint32_t rowsBegin = 0;   ///< its rows, saved when it is called again
  std::uint32_t rowsEnd = 0;
  std::vector<std::uint32_t> formalOffsets;
  std::vector<std::uint32_t> formalBytes;
  std::vector<std::uint32_t> formalRows;
  std::vector<std::uint32_t> resultOffsets;
  std::vector<std::uint32_t> resultBytes;
  std::vector<std::uint32_t> resultRows;
};

/// Rows that a warp starts with: special registers.
struct SpecialRows {
  std::uint32_t tid[3]{}, ntid[3]{}, ctaid[3]{}, nctaid[3]{};
  std::uint32_t clusterid[3]{}, nclusterid[3]{}, clusterCtaid[3]{}, clusterNctaid[3]{};
  std::uint32_t clusterCtarank = 0, clusterNctarank = 0;
  std::uint32_t isExplicitCluster = 0;  ///< a predicate
  std::uint32_t laneid = 0, warpid = 0, nwarpid = 0, smid = 0, nsmid = 0, gridid = 0;
  std::uint32_t lanemask[5]{};  ///< eq, le, lt, ge, gt
  std::uint32_t dynamicSmem = 0, totalSmem = 0, aggregateSmem = 0, zero = 0;
  std::uint32_t parameterBase = 0;  ///< 64 bits: the parameters' generic address
};

struct Program {
  std::vector<Record> records;
  std::vector<SourceRef> sources;
  std::vector<AccessNote> accesses;
  std::vector<RegisterNote> registers;
  std::vector<VariableNote> variables;
  std::vector<CallSite> calls;
  std::vector<CodeFunction> functions;                  ///< by the module's function index
  std::vector<std::vector<std::int32_t>> branchTables;  ///< displacements from the brx record
  std::vector<std::uint32_t> wideTables;                ///< operand lists of rare instructions
  SpecialRows special;
  std::vector<std::uint8_t> image;      ///< the row file at a warp's start: constants
  std::vector<std::uint8_t> undefined;  ///< its shadow
  std::uint32_t entry = 0;
  std::uint32_t frameBytes = 0;
  std::uint32_t staticShared = 0;  ///< end of static shared variables, from address 0
  std::string dynamicArray;        ///< a shared variable without a size; empty: there is none
  bool checked = false;            ///< for anything
  Checks checks = Checks::none();
  bool usesStack = false;  ///< calls or alloca: local memory grows
  bool usesHeap = false;   ///< malloc or free
  /// The first instruction by which clusters could tell in which order they run: its line and text.
  /// Empty: there is none, and they may run at once.
  std::string ordered;
  std::string kernel;
  const Module* module = nullptr;

  /// The statement of a record; one without a name, if it has none.
  [[nodiscard]] const Statement& statement(const Record& r) const;
  /// The PTX line, the user's line and the text of a record's instruction.
  [[nodiscard]] SourcePlace ptxPlace(const Record& r) const;
  [[nodiscard]] SourcePlace userPlace(const Record& r) const;
  [[nodiscard]] std::string text(const Record& r) const;
};

}  // namespace cutwork::sim
