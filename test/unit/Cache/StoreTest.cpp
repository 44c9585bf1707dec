// StoreTest.cpp -- the kernel store: entries, damage, writers, full disks, the bound.
#include "cutwork/Cache/Store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <thread>

namespace cutwork::cache {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::uint64_t kMost = 1 << 30;

class StoreTest : public ::testing::Test {
 protected:
  StoreTest() : folder(fs::path(::testing::TempDir()) / fmt::format("store.{}", getpid())) {
    fs::remove_all(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  static Key key(int i) { return KeyMaker().add("number", i).key(); }
  static Parts parts(int i) {
    return {{"ptx", fmt::format("ptx {}", i)}, {"host", std::string("\0\1", 2)}};
  }
  [[nodiscard]] fs::path only() const {
    for (const auto& at : fs::recursive_directory_iterator(folder)) {
      if (at.path().extension() == ".entry") return at.path();
    }
    return {};
  }
  static std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void write(const fs::path& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
  }

  fs::path folder;
};

TEST(Sha256Test, KnownDigests) {
  auto of = [](std::string_view text) {
    Sha256 hash;
    hash.add(text);
    return Key{hash.finish()}.text();
  };
  EXPECT_EQ(of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(of(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  Sha256 pieces;
  for (int i = 0; i < 1000; ++i) pieces.add(std::string(1000, 'a'));
  EXPECT_EQ(Key{pieces.finish()}.text(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(KeyTest, PartsDoNotRunTogether) {
  EXPECT_NE(KeyMaker().add("a", "bc").key(), KeyMaker().add("ab", "c").key());
  EXPECT_NE(KeyMaker().add("a", "b").add("c", "").key(),
            KeyMaker().add("a", "").add("c", "b").key());
  EXPECT_EQ(buildId(), buildId());
  EXPECT_THAT(buildId(), Not(IsEmpty()));
}

TEST_F(StoreTest, GivesBackWhatWasPut) {
  Store store(folder, kMost);
  EXPECT_EQ(store.get(key(1)), std::nullopt);
  store.put(key(1), "relu for sm_90a", parts(1));
  EXPECT_EQ(store.get(key(1)), parts(1));
  EXPECT_EQ(store.get(key(2)), std::nullopt);
  EXPECT_EQ(Store(folder, kMost).get(key(1)), parts(1));
  const auto list = store.list(true).value();
  ASSERT_THAT(list, SizeIs(1));
  EXPECT_EQ(list[0].about, "relu for sm_90a");
  EXPECT_EQ(list[0].key, key(1).text());
  EXPECT_EQ(list[0].problem, "");
}

TEST_F(StoreTest, TheFirstEntryStays) {
  Store store(folder, kMost);
  store.put(key(1), "first", parts(1));
  store.put(key(1), "second", parts(2));
  EXPECT_EQ(store.get(key(1)), parts(1));
  EXPECT_TRUE(fs::is_empty(folder / "writing"));
}

TEST_F(StoreTest, EveryDamageIsFoundAndTheEntryDeleted) {
  Store store(folder, kMost);
  store.put(key(1), "", parts(1));
  const std::string good = read(only());
  const fs::path path = only();
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ (1 << i % 8));
    write(path, bad);
    EXPECT_EQ(store.get(key(1)), std::nullopt) << "byte " << i;
    EXPECT_FALSE(fs::exists(path)) << "byte " << i;
    write(path, good.substr(0, i));
    EXPECT_EQ(store.get(key(1)), std::nullopt) << "cut at " << i;
    EXPECT_FALSE(fs::exists(path)) << "cut at " << i;
  }
  write(path, good + "x");
  EXPECT_EQ(store.get(key(1)), std::nullopt);
  store.put(key(1), "", parts(1));
  EXPECT_EQ(store.get(key(1)), parts(1));
}

TEST_F(StoreTest, AnEntryUnderAnotherNameIsNoEntry) {
  Store store(folder, kMost);
  store.put(key(1), "", parts(1));
  const std::string other = key(2).text();
  fs::create_directories(folder / other.substr(0, 2));
  fs::copy(only(), folder / other.substr(0, 2) / (other.substr(2) + ".entry"));
  EXPECT_EQ(store.get(key(2)), std::nullopt);
  EXPECT_EQ(store.get(key(1)), parts(1));
}

TEST_F(StoreTest, AnErrorOfTheFileSystemDeletesNothing) {
  Store store(folder, kMost);
  store.put(key(1), "", parts(1));
  const fs::path path = only();
  const fs::path aside = path.string() + ".aside";
  fs::rename(path, aside);
  fs::create_directory(path);  // reading it fails with EISDIR
  EXPECT_EQ(store.get(key(1)), std::nullopt);
  EXPECT_TRUE(fs::exists(path));
  fs::remove(path);
  fs::rename(aside, path);
  EXPECT_EQ(store.get(key(1)), parts(1));
}

TEST_F(StoreTest, AFolderThatCannotBeWrittenIsWarnedOfOnceOnly) {
  write(folder, "a file where the folder should be");
  Store store(folder, kMost);
  ::testing::internal::CaptureStderr();
  store.put(key(1), "", parts(1));
  store.put(key(2), "", parts(2));
  EXPECT_EQ(store.get(key(1)), std::nullopt);
  const Lock lock = store.lock(key(1));
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("compiling goes on without it"));
  EXPECT_EQ(said.find("compiling goes on"), said.rfind("compiling goes on"));
  EXPECT_EQ(read(folder), "a file where the folder should be");
}

TEST_F(StoreTest, AFullDiskLeavesNoPart) {
  // A limit on the size of files stands for the disk's: writing ends in the middle of the entry.
  Store store(folder, kMost);
  store.put(key(1), "", parts(1));
  pid_t child = fork();
  if (child == 0) {
    // This process may write files of 100 bytes: what is written beyond is EFBIG.
    rlimit limit{100, 100};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    Store full(folder, kMost);
    full.put(key(2), "", {{"ptx", std::string(10000, 'x')}});
    const bool good = full.get(key(2)) == std::nullopt && full.get(key(1)) == parts(1);
    _exit(good ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(fs::is_empty(folder / "writing"));
  EXPECT_EQ(store.get(key(2)), std::nullopt);
}

TEST_F(StoreTest, AThousandEntriesAndTheBound) {
  Store store(folder, kMost);
  for (int i = 0; i < 1000; ++i) store.put(key(i), "", parts(i));
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(store.get(key(i)), parts(i)) << i;
  const StoreStatistics all = store.statistics().value();
  EXPECT_EQ(all.entries, 1000U);
  EXPECT_THAT(store.list(false).value(), SizeIs(1000));
  // Half of it: those that were used last stay.
  for (int i = 0; i < 1000; ++i) {
    const timespec then[2] = {{1000 + i, 0}, {1000 + i, 0}};
    const std::string text = key(i).text();
    const fs::path path = folder / text.substr(0, 2) / (text.substr(2) + ".entry");
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), then, 0), 0);
  }
  ASSERT_NE(store.get(key(3)), std::nullopt);  // used now
  Store bounded(folder, all.bytes / 2);
  bounded.trim();
  const StoreStatistics rest = bounded.statistics().value();
  EXPECT_LE(rest.bytes, all.bytes / 2);
  EXPECT_GT(rest.bytes, all.bytes / 3);
  EXPECT_NE(bounded.get(key(3)), std::nullopt);
  EXPECT_EQ(bounded.get(key(4)), std::nullopt);
  EXPECT_NE(bounded.get(key(999)), std::nullopt);
  EXPECT_EQ(bounded.clear().value(), rest.entries);
  EXPECT_EQ(bounded.statistics().value().entries, 0U);
}

TEST_F(StoreTest, PuttingKeepsTheBound) {
  const std::string content(1000, 'x');
  Store store(folder, 20'000);
  for (int i = 0; i < 200; ++i) store.put(key(i), "", {{"ptx", content}});
  EXPECT_LE(store.statistics().value().bytes, 20'000U + 20'000U / 16 + 1200U);
  EXPECT_EQ(store.get(key(199)), (Parts{{"ptx", content}}));
  store.put(key(200), "", {{"ptx", std::string(30'000, 'x')}});  // larger than the store
  EXPECT_EQ(store.get(key(200)), std::nullopt);
}

TEST_F(StoreTest, ReadersSeeWholeEntriesWhileOthersWrite) {
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Store store(folder, kMost);
      for (int i = 0; i < 100; ++i) {
        const int n = i % 10;
        if (t < 2) store.put(key(n), "", parts(n));
        const auto got = store.get(key(n));
        if (got && *got != parts(n)) ++wrong;
        if (t == 0 && i % 20 == 19 && !store.clear().ok()) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(StoreTest, OneAtATimeHoldsAKey) {
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      Store store(folder, kMost);
      for (int i = 0; i < 20; ++i) {
        const Lock lock = store.lock(key(7));
        most = std::max(most.load(), ++inside);
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(most, 1);
}

TEST_F(StoreTest, AKilledProcessHoldsNothing) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    Store store(folder, kMost);
    const Lock lock = store.lock(key(1));
    // Half an entry, as a writer leaves it that is killed.
    fs::create_directories(folder / "writing");
    write(folder / "writing" / "half", "CUTWORK1");
    if (::write(ready[1], "x", 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  std::atomic<bool> got = false;
  std::thread waiter([&] {
    Store store(folder, kMost);
    const Lock lock = store.lock(key(1));
    got = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(got);
  kill(child, SIGKILL);
  waiter.join();
  EXPECT_TRUE(got);
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
  Store store(folder, kMost);
  EXPECT_EQ(store.get(key(1)), std::nullopt);
  store.put(key(1), "", parts(1));
  EXPECT_EQ(store.get(key(1)), parts(1));
  // It is swept away when it is old.
  const timespec then[2] = {{1000, 0}, {1000, 0}};
  utimensat(AT_FDCWD, (folder / "writing" / "half").c_str(), then, 0);
  store.trim();
  EXPECT_FALSE(fs::exists(folder / "writing" / "half"));
}

}  // namespace
}  // namespace cutwork::cache
