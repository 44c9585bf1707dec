// cutwork/Support/ExitCode.h -- what the exit status of a Cutwork program means; the one table.
#pragma once

#include <array>
#include <string_view>

#pragma GCC visibility push(default)

namespace cutwork {

// X(enumerator, number, name, meaning). docs/exit-codes.md has the same rows (a test compares
// them). A number is a promise to scripts: it is never reused for another meaning.
#define CW_EXIT_CODES(X)                                                                      \
  X(Done, 0, "done", "Everything that was asked for was done.")                               \
  X(WrongResult, 1, "wrong_result", "It ran, and the result is wrong (a check or `verify`).") \
  X(Usage, 2, "usage", "The command line or an input is malformed.")                          \
  X(Refused, 3, "refused", "The user's program is refused; the message says why.")            \
  X(Race, 10, "race", "Two accesses to the same memory are not ordered.")                     \
  X(Bounds, 11, "bounds", "An access is outside its allocation.")                             \
  X(Lifetime, 12, "lifetime", "Memory is used after it was freed or before it exists.")       \
  X(Alignment, 13, "alignment", "An address is not aligned as its instruction requires.")     \
  X(Uninitialised, 14, "uninitialised", "A value is read that nothing has written.")          \
  X(Barrier, 15, "barrier", "A barrier is used against its rules.")                           \
  X(SyncMask, 16, "sync_mask", "A `sync` instruction's mask does not fit the lanes there.")   \
  X(Deadlock, 17, "deadlock", "Nothing can go on, and not everything has ended.")             \
  X(Limit, 18, "limit", "A limit of steps, time or memory was reached.")                      \
  X(Unsupported, 19, "unsupported", "An instruction is not known to the simulated device.")   \
  X(Trap, 20, "trap", "The kernel executed `trap`: an assertion of its own failed.")          \
  X(Internal, 70, "internal", "A bug in Cutwork; please report it with the message.")

enum class ExitCode : int {
#define CW_ENUMERATOR(enumerator, number, name, meaning) enumerator = number,
  CW_EXIT_CODES(CW_ENUMERATOR)
#undef CW_ENUMERATOR
};

/// One row of the table.
struct ExitCodeInfo {
  ExitCode code;
  std::string_view name;     ///< as reports and tests spell it
  std::string_view meaning;  ///< one sentence
};

/// The table, in the order of the numbers.
inline constexpr std::array kExitCodes = {
#define CW_ROW(enumerator, number, name, meaning) ExitCodeInfo{ExitCode::enumerator, name, meaning},
    CW_EXIT_CODES(CW_ROW)
#undef CW_ROW
};

/// For `return` in main.
constexpr int asInt(ExitCode code) { return static_cast<int>(code); }

}  // namespace cutwork

#pragma GCC visibility pop
