// Undo.h -- what global memory held before a launch wrote to it, page by page, so that it can be
// put back.
//
// Several host threads run the launch. Whoever writes to a page first saves it: a byte for each
// page says whether that is done, and who comes meanwhile waits. What was saved is each thread's
// own, so that they share nothing but these bytes.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "Page.h"

namespace cutwork::sim {

/// The pages that one thread saved.
class UndoLog {
 public:
  /// Bytes of global memory are about to be written.
  void keep(std::uint64_t offset, std::uint64_t bytes) {
    const std::uint64_t last = (offset + bytes - 1) >> kPageShift;
    for (std::uint64_t page = offset >> kPageShift; page <= last; ++page) {
      if (stateOf(page).load(std::memory_order_acquire) != kSaved) save(page);
    }
  }
  /// The thread writes no more.
  static void close();

 private:
  friend class Undo;
  // States of a page.
  static constexpr std::uint8_t kUntouched = 0;
  static constexpr std::uint8_t kSaving = 1;
  static constexpr std::uint8_t kSaved = 2;

  /// What a page's data or shadow was: often one byte everywhere, which takes no room.
  struct Content {
    std::byte* bytes = nullptr;  ///< null: `all` everywhere
    std::byte all{};
  };
  static constexpr std::size_t kPagesOfBlock = 64;
  struct alignas(64) Block {
    std::array<std::array<std::byte, kPageBytes>, kPagesOfBlock> pages;
  };
  struct Page {
    std::uint64_t number = 0;
    Content data;
    Content shadow;
  };

  [[nodiscard]] std::atomic_ref<std::uint8_t> stateOf(std::uint64_t page) const {
    return std::atomic_ref(states_[page]);
  }
  void save(std::uint64_t page);
  void makeRoom();
  Content copyOf(const std::byte* from);
  void putBack();
  void forget();

  std::uint8_t* states_ = nullptr;
  std::byte* data_ = nullptr;
  std::byte* shadow_ = nullptr;  ///< null: not kept up to date
  std::vector<Page> pages_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::size_t used_ = 0;  ///< pages of the blocks
};

/// What the threads of a launch saved. Keeps its room for the next launch.
class Undo {
 public:
  /// A launch on so many threads, whose global memory has offsets below `extent`; `shadow` is null
  /// if the launch does not write it.
  void start(std::size_t threads, std::byte* data, std::uint8_t* shadow, std::uint64_t extent);
  [[nodiscard]] UndoLog& log(std::size_t thread) { return logs_[thread]; }
  /// Behind the launch, on one thread: memory is as it was before, or stays as it is.
  void putBack();
  void forget();

 private:
  std::vector<std::uint8_t> states_;  ///< of pages; all untouched between launches
  std::vector<UndoLog> logs_;
};

}  // namespace cutwork::sim
