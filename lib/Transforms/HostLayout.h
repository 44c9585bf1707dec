// HostLayout.h -- where things are in the structs that host code shares with the runtime.
//
// lib/Compiler asserts that these are the offsets of HostTable, HostLaunch and HostContext; the
// compiler leg does not include the runtime's headers.
#pragma once

#include <mlir/IR/Value.h>

#include <cstdint>

namespace mlir {
class ConversionPatternRewriter;
class Operation;
}  // namespace mlir

namespace cutwork::transforms {

inline constexpr std::int64_t kSlotBytes = 8;
// HostContext
inline constexpr std::int64_t kContextTable = 0;
inline constexpr std::int64_t kContextKernels = 8;
inline constexpr std::int64_t kContextDevice = 16;
// HostTable
inline constexpr std::int64_t kTableLaunch = 88;
inline constexpr std::int64_t kTablePrintFormat = 160;
// HostLaunch
inline constexpr std::int64_t kLaunchPreferred = 72;
inline constexpr std::int64_t kLaunchShared = 96;
inline constexpr std::int64_t kLaunchStream = 104;
inline constexpr std::int64_t kLaunchCooperative = 112;
inline constexpr std::int64_t kLaunchProgrammatic = 116;
inline constexpr std::int64_t kLaunchCarveout = 120;
inline constexpr std::int64_t kLaunchBytes = 128;

/// The address of a zero-terminated constant text, made beside the functions of `module`.
mlir::Value stringGlobal(mlir::ConversionPatternRewriter& rewriter, mlir::Operation* op,
                         mlir::Operation* module, llvm::StringRef text);

}  // namespace cutwork::transforms
