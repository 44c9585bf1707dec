// StreamTest.cpp -- streams and events: their order, their lives, and what is refused.
#include "cutwork/Runtime/Stream.h"

#include "Fake.h"
#include "StubDevice.h"

namespace cutwork {
namespace {

using test::fakeCuda;
using test::refusalOf;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StreamTest : public test::WithFakeCuda {
 protected:
  Device device_ = *Device::open("cuda:0");

  /// The calls that were made, but for those that make a device current.
  static std::vector<std::string> work() {
    std::vector<std::string> calls;
    for (const std::string& call : fakeCuda().calls) {
      if (!call.starts_with("cuCtxP")) calls.push_back(call);
    }
    return calls;
  }
};

TEST_F(StreamTest, WorkIsAskedForInOrder) {
  {
    const Stream a = device_.createStream();
    const Stream b = device_.createStream({.nonBlocking = false, .priority = -1});
    const Event done = device_.createEvent(false);
    EXPECT_TRUE(done.record(a).ok());
    EXPECT_TRUE(b.waitFor(done).ok());
    EXPECT_TRUE(b.synchronize().ok());
    EXPECT_TRUE(*b.isIdle());
  }
  EXPECT_THAT(work(), ElementsAre("cuStreamCreateWithPriority", "cuStreamCreateWithPriority",
                                  "cuEventCreate", "cuEventRecord", "cuStreamWaitEvent",
                                  "cuStreamSynchronize", "cuStreamQuery", "cuEventDestroy_v2",
                                  "cuStreamDestroy_v2", "cuStreamDestroy_v2"));
}

TEST_F(StreamTest, TimeBetweenEvents) {
  const Stream stream = device_.createStream();
  const Event start = device_.createEvent();
  const Event end = device_.createEvent();
  EXPECT_TRUE(start.record(stream).ok());
  EXPECT_TRUE(end.record(stream).ok());
  EXPECT_TRUE(end.synchronize().ok());
  EXPECT_FLOAT_EQ(*start.millisecondsTo(end), 1.5F);
  const Event untimed = device_.createEvent(false);
  EXPECT_THAT(refusalOf(start.millisecondsTo(untimed)), HasSubstr("without timing"));
}

TEST_F(StreamTest, NotReadyIsNoError) {
  const Stream stream = device_.createStream();
  const Event event = device_.createEvent();
  fakeCuda().failing["cuStreamQuery"] = 600;
  EXPECT_FALSE(*stream.isIdle());
  fakeCuda().failing["cuEventQuery"] = 600;
  EXPECT_FALSE(*event.isDone());
  EXPECT_TRUE(*event.isDone());
  fakeCuda().failing["cuStreamQuery"] = 700;
  EXPECT_THAT(refusalOf(stream.isIdle(), ErrorKind::Device), HasSubstr("ILLEGAL_ADDRESS"));
}

TEST_F(StreamTest, AFaultOfAKernelIsReportedWhereOneWaits) {
  const Stream stream = device_.createStream();
  fakeCuda().failing["cuStreamSynchronize"] = 700;
  EXPECT_THAT(refusalOf(stream.synchronize(), ErrorKind::Device),
              AllOf(HasSubstr("waiting for a stream: CUDA_ERROR_ILLEGAL_ADDRESS (700)"),
                    HasSubstr("no more work from this process")));
}

TEST_F(StreamTest, BorrowedStreamsAreNotDestroyed) {
  const Stream own = device_.createStream();
  forget();
  {
    const Stream borrowed = Stream::borrowed(device_, own.handle());
    EXPECT_EQ(borrowed.handle(), own.handle());
    EXPECT_EQ(Stream::borrowed(device_, nullptr).handle(), nullptr);
  }
  EXPECT_EQ(fakeCuda().count("cuStreamDestroy_v2"), 0);
}

TEST_F(StreamTest, DevicesAreNotMixed) {
  const Device other = Device::open("cuda:1");
  const Stream there = other.createStream();
  const Event here = device_.createEvent();
  EXPECT_THAT(refusalOf(here.record(there)), HasSubstr("cuda:1"));
  EXPECT_THAT(refusalOf(here.millisecondsTo(*other.createEvent())), HasSubstr("cuda:1"));
  EXPECT_TRUE(there.waitFor(here).ok()) << "CUDA devices wait for each other";
  const Device stub = Device::over(std::make_shared<test::StubDevice>("stub:x"));
  EXPECT_THAT(refusalOf(Stream::borrowed(stub, nullptr).waitFor(here)), HasSubstr("stub:x"));
}

TEST_F(StreamTest, TheDriverGoingAwayIsNoFailure) {
  {
    const Stream stream = device_.createStream();
    fakeCuda().failing["cuStreamDestroy_v2"] = 4;
    EXPECT_TRUE(device_.implementation().destroyStream(stream.handle()).ok());
  }
  EXPECT_EQ(fakeCuda().count("cuStreamDestroy_v2"), 2);
}

}  // namespace
}  // namespace cutwork
