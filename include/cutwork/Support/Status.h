// cutwork/Support/Status.h -- the result of what can be refused but gives nothing.
#pragma once

#include "cutwork/Support/Error.h"

#pragma GCC visibility push(default)

namespace cutwork {

struct Success {};

/// `return Success{};` or an Error.
using Status = Expected<Success>;

/// For the library's edge: throws the error, if there is one.
inline void orThrow(const Status& status) {
  if (!status.ok()) status.error().raise();
}

}  // namespace cutwork

#pragma GCC visibility pop

/// CW_DO(expr): goes on if the Status `expr` is a success; or else the enclosing function returns
/// its error.
#define CW_DO(...) CW_DO_(CW_CONCAT(cwDo, __COUNTER__), __VA_ARGS__)
#define CW_DO_(temporary, ...)                                          \
  do {                                                                  \
    if (auto temporary = (__VA_ARGS__); !temporary.ok()) [[unlikely]] { \
      return std::move(temporary).takeError();                          \
    }                                                                   \
  } while (false)
