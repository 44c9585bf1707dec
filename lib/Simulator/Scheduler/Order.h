// Order.h -- the order of blocks and warps by a seed; with seed 0 they go as they are numbered.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace cutwork::sim {

/// Takes a cluster that has not started out of a launch; false: none is left, or none is given.
using ClusterSource = std::function<bool(std::array<std::uint32_t, 3>&)>;

/// Numbers that follow from the seed (splitmix64).
class Dice {
 public:
  explicit Dice(std::uint64_t seed = 0) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15U;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
    x = (x ^ x >> 27) * 0x94d049bb133111ebU;
    return x ^ x >> 31;
  }
  /// Below `most`, which is not 0.
  std::uint64_t below(std::uint64_t most) { return next() % most; }

 private:
  std::uint64_t state_;
};

/// A permutation of 0 ... count - 1 that needs no memory.
class BlockOrder {
 public:
  BlockOrder() = default;
  BlockOrder(std::uint64_t count, std::uint64_t seed) : count_(count) {
    if (seed == 0) return;
    while (bits_ < 63 && (std::uint64_t{1} << bits_) < count) ++bits_;
    Dice dice(seed);
    for (std::uint64_t& key : keys_) key = dice.next() | 1;
    permutes_ = bits_ > 0;
  }
  [[nodiscard]] std::uint64_t at(std::uint64_t i) const {
    if (!permutes_) return i;
    do i = mixed(i);
    while (i >= count_);  // each number below 2^bits has one image: this ends
    return i;
  }

 private:
  [[nodiscard]] std::uint64_t mixed(std::uint64_t x) const {
    const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1;
    for (const std::uint64_t key : keys_) {
      x = (x * key + (key >> 32)) & mask;
      x ^= x >> (bits_ / 2 + 1);
    }
    return x;
  }

  std::uint64_t count_ = 0;
  unsigned bits_ = 0;
  bool permutes_ = false;
  std::uint64_t keys_[3]{};
};

/// Puts 0 ... count - 1 in an order that the dice choose.
inline void shuffle(std::vector<std::uint32_t>& order, std::size_t count, Dice& dice) {
  order.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    order[i] = static_cast<std::uint32_t>(i);
    std::swap(order[i], order[dice.below(i + 1)]);
  }
}

}  // namespace cutwork::sim
