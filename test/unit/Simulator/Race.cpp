// Race.cpp -- the race checker without a simulator: clocks, words of four bytes, what orders.
#include "Checker/Race.h"

#include <gtest/gtest.h>

namespace cutwork::sim {
namespace {

TEST(Clock, KnowsBlocksAndLanes) {
  Clock clock;
  clock.addBlock(3, 10);
  clock.addLanes(7, 0b101, 20);
  EXPECT_EQ(clock.of(3, 1, 0), 10U);
  EXPECT_EQ(clock.of(0, 7, 0), 20U);
  EXPECT_EQ(clock.of(0, 7, 1), 0U);
  EXPECT_EQ(clock.of(3, 7, 1), 10U);
  EXPECT_EQ(clock.most(0, 7), 20U);
  clock.addBlock(3, 5);  // never less
  EXPECT_EQ(clock.of(3, 1, 0), 10U);
}

TEST(Clock, JoinsShareWhatHasAll) {
  auto small = std::make_shared<Clock>();
  small->addLanes(1, 1, 5);
  auto large = std::make_shared<Clock>(*small);
  large->addBlock(0, 9);
  const ClockRef a = small;
  const ClockRef b = large;
  EXPECT_EQ(joined(a, b), b);
  EXPECT_EQ(joined(b, a), b);
  EXPECT_EQ(joined(nullptr, a), a);
  EXPECT_EQ(joined(a, nullptr), a);
  auto other = std::make_shared<Clock>();
  other->addLanes(1, 2, 6);
  const ClockRef both = joined(a, other);
  EXPECT_EQ(both->of(9, 1, 0), 5U);
  EXPECT_EQ(both->of(9, 1, 1), 6U);
}

/// Two warps of a block, and memory of 64 bytes.
class Race : public testing::Test {
 protected:
  Race() {
    EXPECT_TRUE(checker.startLaunch(64, 1, false));
    checker.startCta(cta, 64);
    for (RaceWarp& warp : warps) checker.startWarp(warp, cta);
  }
  bool touch(unsigned warp, unsigned lane, std::uint64_t offset, unsigned bytes, bool write,
             Strength strength = Strength::Weak) {
    const Toucher who{&warps[warp], whoWord(1U << lane), 1, strength};
    return checker.touch(cta.plane, offset, bytes, write, who, conflict);
  }
  RaceChecker checker;
  RaceCta cta;
  RaceWarp warps[2];
  Conflict conflict;
};

TEST_F(Race, ReadsNeverConflict) {
  EXPECT_TRUE(touch(0, 0, 0, 4, false));
  EXPECT_TRUE(touch(0, 1, 0, 4, false));
  EXPECT_TRUE(touch(1, 0, 0, 4, false));
  EXPECT_FALSE(touch(1, 1, 0, 4, true));
  EXPECT_FALSE(conflict.wrote);
}

TEST_F(Race, WordsNameTwoReaders) {
  EXPECT_EQ(laneOf(whoWord(1U << 7), 7), 7U);
  EXPECT_EQ(laneOf(whoWord(0x60), 5), 6U);
  EXPECT_EQ(laneOf(whoWord(0x60), 6), 5U);
  std::uint64_t word = whoWord(1U << 3);
  for (const unsigned lane : {3U, 4U, 4U, 9U}) word = withReader(word, whoWord(1U << lane));
  EXPECT_EQ(laneOf(word, 32), 4U);
  EXPECT_EQ(laneOf(word, 4), 3U);
  // What is weak races with more: it stays.
  const std::uint64_t strong = whoWord(1U << 3) | std::uint64_t{2} << kStrengthShift;
  EXPECT_EQ(withReader(strong, whoWord(1U << 3)), whoWord(1U << 3));
  EXPECT_EQ(withReader(whoWord(1U << 3), strong), whoWord(1U << 3));
  EXPECT_EQ(whoOf(withReader(whoWord(1), std::uint64_t{kCollective} << kWhoShift)) & kSeveral,
            kSeveral);
}

TEST_F(Race, BytesCountForThemselves) {
  EXPECT_TRUE(touch(0, 0, 0, 1, true));
  EXPECT_TRUE(touch(0, 1, 1, 1, true));
  EXPECT_TRUE(touch(1, 0, 2, 2, true));
  EXPECT_FALSE(touch(0, 0, 0, 2, false));
  EXPECT_EQ(whoOf(conflict.word), 1U);
  EXPECT_TRUE(conflict.wrote);
}

TEST_F(Race, BarrierOfTheBlockOrders) {
  EXPECT_TRUE(touch(0, 0, 0, 4, true));
  EXPECT_FALSE(touch(1, 0, 0, 4, false));
  checker.barrierOfAll(cta, {&warps[0], &warps[1]});
  EXPECT_TRUE(touch(1, 0, 0, 4, false));
}

TEST_F(Race, BarrierOfTheWarpOrdersItsLanesOnly) {
  EXPECT_TRUE(touch(0, 0, 0, 4, true));
  checker.warpBarrier(warps[0], 0b11, false);
  EXPECT_TRUE(touch(0, 1, 0, 4, false));
  EXPECT_FALSE(touch(0, 2, 0, 4, false));
  EXPECT_FALSE(touch(1, 1, 0, 4, false));
  checker.warpBarrier(warps[0], 0xffffffff, true);
  EXPECT_TRUE(touch(0, 2, 0, 4, false));
}

TEST_F(Race, ReleaseAndAcquire) {
  EXPECT_TRUE(touch(0, 3, 0, 4, true));
  ClockRef clock;
  checker.release(warps[0], 1U << 3, clock);
  EXPECT_TRUE(touch(0, 3, 4, 4, true));  // behind the release
  checker.acquire(warps[1], 1U << 5, clock);
  EXPECT_TRUE(touch(1, 5, 0, 4, false));
  EXPECT_FALSE(touch(1, 6, 0, 4, false));
  EXPECT_FALSE(touch(1, 5, 4, 4, false));
}

TEST_F(Race, StrongAccessesInScope) {
  EXPECT_TRUE(touch(0, 0, 0, 4, true, Strength::Cta));
  EXPECT_TRUE(touch(1, 0, 0, 4, true, Strength::Gpu));
  EXPECT_FALSE(touch(0, 0, 0, 4, false));
}

TEST_F(Race, FencesPublishThroughStrongAccesses) {
  EXPECT_TRUE(touch(0, 0, 0, 4, true));
  checker.strongWrite(warps[0], 0, cta.plane, 8, Strength::Gpu, false, false);
  checker.strongRead(warps[1], 0, cta.plane, 8, Strength::Gpu, true);
  EXPECT_FALSE(touch(1, 0, 0, 4, false));  // no fence yet
  checker.fence(warps[0], 1);
  checker.strongWrite(warps[0], 0, cta.plane, 8, Strength::Gpu, false, false);
  checker.strongRead(warps[1], 0, cta.plane, 8, Strength::Gpu, false);
  EXPECT_FALSE(touch(1, 0, 0, 4, false));  // not behind a fence
  checker.fence(warps[1], 1);
  EXPECT_TRUE(touch(1, 0, 0, 4, false));
}

TEST_F(Race, StrongWritesDoNotHideWeakOnes) {
  EXPECT_TRUE(touch(0, 0, 0, 4, true));
  EXPECT_TRUE(touch(0, 0, 0, 4, true, Strength::Gpu));
  EXPECT_TRUE(touch(0, 0, 0, 4, true, Strength::Gpu));
  EXPECT_TRUE(touch(0, 0, 0, 4, false));
  EXPECT_FALSE(touch(1, 0, 0, 4, false, Strength::Gpu));
  EXPECT_TRUE(conflict.wrote);
  EXPECT_TRUE(conflict.covered);
  EXPECT_EQ(strengthOf(conflict.word), 0U);
  EXPECT_FALSE(touch(0, 1, 0, 4, true, Strength::Gpu));
  checker.barrierOfAll(cta, {&warps[0], &warps[1]});
  EXPECT_TRUE(touch(0, 0, 0, 4, true, Strength::Gpu));
  EXPECT_TRUE(touch(1, 0, 0, 4, true, Strength::Gpu));
}

TEST_F(Race, StrongWritesDoNotHideWhatOthersWroteBeforeThem) {
  EXPECT_TRUE(touch(0, 3, 0, 4, true));
  ClockRef clock;
  checker.release(warps[0], 1U << 3, clock);
  checker.acquire(warps[1], 0b11, clock);
  EXPECT_TRUE(touch(1, 0, 0, 4, true, Strength::Gpu));
  EXPECT_TRUE(touch(1, 1, 0, 4, true, Strength::Gpu));
  EXPECT_FALSE(touch(1, 2, 0, 4, true, Strength::Gpu));
  EXPECT_EQ(whoOf(conflict.word), 3U);
}

TEST_F(Race, StrongAccessesDoNotHideWeakReads) {
  EXPECT_TRUE(touch(0, 0, 0, 4, false));
  EXPECT_TRUE(touch(0, 0, 0, 4, true, Strength::Gpu));
  EXPECT_TRUE(touch(1, 0, 0, 4, false, Strength::Gpu));  // both read
  EXPECT_FALSE(touch(1, 0, 0, 4, true, Strength::Gpu));
  EXPECT_FALSE(conflict.wrote);
  EXPECT_TRUE(touch(0, 0, 8, 4, false));
  checker.tick(warps[0]);
  EXPECT_TRUE(touch(0, 0, 8, 4, false, Strength::Gpu));
  EXPECT_FALSE(touch(1, 0, 8, 4, true, Strength::Gpu));
}

TEST_F(Race, WeakWritesOfBytesStayBelowStrongOnes) {
  EXPECT_TRUE(touch(0, 0, 1, 1, true));
  EXPECT_TRUE(touch(0, 0, 0, 4, true, Strength::Gpu));
  EXPECT_TRUE(touch(1, 0, 2, 2, true, Strength::Gpu));
  EXPECT_FALSE(touch(1, 0, 0, 4, true, Strength::Gpu));
  EXPECT_EQ(conflict.offset, 1U);
}

TEST_F(Race, LaunchesAreInOrder) {
  EXPECT_TRUE(touch(0, 0, 0, 4, true));
  const Toucher before{&warps[0], 0, 1, Strength::Weak, false, false};
  EXPECT_TRUE(checker.touch(checker.global(), 16, 4, true, before, conflict));
  EXPECT_TRUE(checker.startLaunch(64, 1, false));
  checker.startCta(cta, 64);
  for (RaceWarp& warp : warps) checker.startWarp(warp, cta);
  EXPECT_TRUE(touch(1, 0, 0, 4, true));
  const Toucher after{&warps[1], 0, 1, Strength::Weak, false, false};
  EXPECT_TRUE(checker.touch(checker.global(), 16, 4, true, after, conflict));
}

}  // namespace
}  // namespace cutwork::sim
