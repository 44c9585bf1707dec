// Banks.cpp -- counting the words of each bank.
#include "cutwork/Support/Banks.h"

#include <array>
#include <vector>

namespace cutwork {

BankUse bankUse(std::span<const std::int64_t> addresses, std::int64_t bits) {
  std::vector<std::int64_t> words;
  for (const std::int64_t address : addresses) {
    const std::int64_t last = (address + bits - 1) / kBankBits;
    for (std::int64_t word = address / kBankBits; word <= last; ++word) words.push_back(word);
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::array<int, kBanks> inBank{};
  for (const std::int64_t word : words) ++inBank[static_cast<std::size_t>(word % kBanks)];
  const auto used = std::count_if(inBank.begin(), inBank.end(), [](int n) { return n > 0; });
  return {static_cast<int>(words.size()), static_cast<int>(used),
          *std::max_element(inBank.begin(), inBank.end())};
}

}  // namespace cutwork
