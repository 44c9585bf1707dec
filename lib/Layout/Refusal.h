// Refusal.h -- how the algebra words its refusals: operation, mode, rule broken, operands.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "cutwork/Support/Status.h"

namespace cutwork::cute {

/// The rule that was broken, in words.
template <class... Args>
Error refuse(fmt::format_string<Args...> format, Args&&... args) {
  return userError(fmt::format(format, std::forward<Args>(args)...));
}

/// The same refusal, found in mode `index` of what the caller works on: "mode 1: ...", and
/// "mode 1.0: ..." where it was already in a mode.
inline Error inMode(Error error, int index) {
  constexpr std::string_view kMode = "mode ";
  std::string prefix = fmt::format("mode {}", index);
  const std::string& message = error.message();
  if (!message.starts_with(kMode)) return std::move(error).within(prefix + ": ");
  return userError(prefix + "." + message.substr(kMode.size()), error.place());
}

/// What the user asked for: "composition: <rule> [(4,8):(1,4) and 3:1]". Operands are printed only
/// when there is something to report.
template <class... Operands>
Error named(const Error& error, std::string_view operation, const Operands&... operands) {
  std::string text;
  ((text += (text.empty() ? "" : " and ") + operands.text()), ...);
  return userError(fmt::format("{}: {} [{}]", operation, error.message(), text), error.place());
}

template <class T, class... Operands>
Expected<T> named(Expected<T> result, std::string_view operation, const Operands&... operands) {
  if (result.ok()) return result;
  return named(std::move(result).takeError(), operation, operands...);
}

}  // namespace cutwork::cute
