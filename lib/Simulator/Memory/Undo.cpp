// Undo.cpp -- saving pages on first write, and putting them back.
#include "Undo.h"

#include <cstring>
#include <thread>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace cutwork::sim {
namespace {

/// Past the caches: what is saved is seldom looked at again.
void copyPage(std::byte* to, const std::byte* from) {
#ifdef __SSE2__
  for (std::size_t i = 0; i < kPageBytes; i += sizeof(__m128i)) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_load_si128(reinterpret_cast<const __m128i*>(from + i)));
  }
#else
  std::memcpy(to, from, kPageBytes);
#endif
}

/// What a page was, from its copy or from the one byte that it had everywhere.
void write(std::byte* to, const std::byte* from, std::byte all) {
  if (from != nullptr) {
    std::memcpy(to, from, kPageBytes);
  } else {
    std::memset(to, static_cast<int>(all), kPageBytes);
  }
}

}  // namespace

/// For a page and its shadow.
void UndoLog::makeRoom() {
  if (pages_.size() == pages_.capacity()) pages_.reserve(2 * pages_.size() + 64);
  while (used_ + 2 > blocks_.size() * kPagesOfBlock) {
    blocks_.push_back(std::make_unique_for_overwrite<Block>());
  }
}

UndoLog::Content UndoLog::copyOf(const std::byte* from) {
  if (std::memcmp(from, from + 1, kPageBytes - 1) == 0) return {nullptr, *from};
  std::byte* to = blocks_[used_ / kPagesOfBlock]->pages[used_ % kPagesOfBlock].data();
  ++used_;
  copyPage(to, from);
  return {to, {}};
}

void UndoLog::close() {
#ifdef __SSE2__
  _mm_sfence();  // copyPage's stores are not ordered with others
#endif
}

void UndoLog::save(std::uint64_t page) {
  makeRoom();  // may throw, so before others wait for this thread
  const std::atomic_ref<std::uint8_t> state = stateOf(page);
  std::uint8_t seen = kUntouched;
  if (!state.compare_exchange_strong(seen, kSaving, std::memory_order_acquire)) {
    while (state.load(std::memory_order_acquire) != kSaved) std::this_thread::yield();
    return;
  }
  const std::uint64_t offset = page << kPageShift;
  Page& saved = pages_.emplace_back();
  saved.number = page;
  saved.data = copyOf(data_ + offset);
  if (shadow_ != nullptr) saved.shadow = copyOf(shadow_ + offset);
  state.store(kSaved, std::memory_order_release);
}

void UndoLog::putBack() {
  for (const Page& page : pages_) {
    const std::uint64_t offset = page.number << kPageShift;
    write(data_ + offset, page.data.bytes, page.data.all);
    if (shadow_ != nullptr) write(shadow_ + offset, page.shadow.bytes, page.shadow.all);
  }
}

void UndoLog::forget() {
  for (const Page& page : pages_) states_[page.number] = kUntouched;
  pages_.clear();
  used_ = 0;
}

void Undo::start(std::size_t threads, std::byte* data, std::uint8_t* shadow, std::uint64_t extent) {
  const std::size_t pages = (extent >> kPageShift) + 1;
  if (pages > states_.size()) states_.resize(pages);
  if (threads > logs_.size()) logs_.resize(threads);
  for (UndoLog& log : logs_) {
    log.states_ = states_.data();
    log.data_ = data;
    log.shadow_ = reinterpret_cast<std::byte*>(shadow);
  }
}

void Undo::putBack() {
  for (UndoLog& log : logs_) log.putBack();
  forget();
}

void Undo::forget() {
  for (UndoLog& log : logs_) log.forget();
}

}  // namespace cutwork::sim
