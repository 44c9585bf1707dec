// StoredTest.cpp -- what the kernel store needs of the compiler: places that follow, slots at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "Compiler/StoredPlaces.h"
#include "Harness.h"
#include "cutwork/Compiler/Arguments.h"

namespace cutwork {
namespace {

using compiler::decodePlaces;
using compiler::encodePlaces;
using compiler::mapPlaces;
using compiler::movePtx;
using compiler::moveRemark;
using compiler::Place;
using compiler::Places;

const Places kThen = {{"/a b/x.py", 3, 1}, {"/a b/x.py", 4, 9}, {"y.py", 7, 2}, {"y.py", 7, 2}};
const Places kNow = {{"/c/z.py", 13, 1}, {"/c/z.py", 15, 8}, {"y.py", 8, 2}, {"y.py", 8, 2}};

TEST(StoredPlaces, ComeBackFromText) {
  EXPECT_EQ(decodePlaces(encodePlaces(kThen)), kThen);
  EXPECT_EQ(decodePlaces(encodePlaces({})), Places{});
  EXPECT_EQ(decodePlaces(encodePlaces({{"", 0, 0}, {"x", 1, 2}})).size(), 2U);
}

TEST(StoredPlaces, OnePlaceThatBecameTwoCannotFollow) {
  EXPECT_TRUE(mapPlaces(kThen, kNow).has_value());
  Places apart = kNow;
  std::get<1>(apart[3]) = 9;
  EXPECT_FALSE(mapPlaces(kThen, apart).has_value());
  EXPECT_FALSE(mapPlaces(kThen, {kNow.begin(), kNow.end() - 1}).has_value());
}

TEST(StoredPlaces, LineTablesFollow) {
  const auto map = mapPlaces(kThen, kNow).value();
  const std::string ptx =
      "\t.file\t1 \"/a b/x.py\"\n\t.file\t2 \"y.py\"\n.entry k() {\n\t.loc\t1 3 0\n"
      "\t.loc\t1 4 9, function_name $L__info, inlined_at 2 7 2\n\tadd.s32 %r1, %r1, 4;\n"
      "\t.loc 2 99 5\n}\n";
  const std::string moved = movePtx(ptx, map);
  EXPECT_THAT(moved, testing::HasSubstr(".entry k() {\n\t.loc\t1 13 0\n"));
  EXPECT_THAT(moved,
              testing::HasSubstr("\t.loc\t1 15 8, function_name $L__info, inlined_at 2 8 2\n"));
  EXPECT_THAT(moved, testing::HasSubstr("\tadd.s32 %r1, %r1, 4;\n\t.loc\t2 99 5\n}\n"));
  EXPECT_THAT(moved, testing::HasSubstr("\t.file\t1 \"/c/z.py\"\n\t.file\t2 \"y.py\"\n"));
  EXPECT_THAT(moved, testing::Not(testing::HasSubstr("x.py")));
}

TEST(StoredPlaces, RemarksFollow) {
  const auto map = mapPlaces(kThen, kNow).value();
  EXPECT_EQ(moveRemark("/a b/x.py:4: slow: very", map), "/c/z.py:15: slow: very");
  EXPECT_EQ(moveRemark("/a b/x.py:5: slow", map), "/a b/x.py:5: slow");
  EXPECT_EQ(moveRemark("no place", map), "no place");
  EXPECT_EQ(moveRemark("a: b", map), "a: b");
}

// What encodeTensorAtOnce takes is what encodeArguments takes, with the same slots.
TEST(SlotsAtOnce, AgreeWithTheChecksThatHaveMessages) {
  std::mt19937 random(7);  // NOLINT: the same cases each time
  const auto upTo = [&](int n) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(n));
  };
  int fitting = 0;
  for (int round = 0; round < 20000; ++round) {
    const auto rank = static_cast<std::size_t>(upTo(4));
    Array base = Array::emptyOnHost({dlpack::kFloat, 32, 1}, {4096}).value();
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides;
    TensorSpec spec;
    spec.space = upTo(10) != 0 ? cute::AddressSpace::generic : cute::AddressSpace::gmem;
    spec.type = upTo(10) != 0 ? cute::DType::Float32 : cute::DType::Int32;
    spec.alignment = 4 << upTo(3);
    const auto leaf = [&](std::int64_t actual) -> LeafSpec {
      if (upTo(2) == 0) return {true, upTo(8) != 0 ? actual : actual + 1, cute::Width::I32, 1};
      return {false, 0, upTo(2) == 0 ? cute::Width::I32 : cute::Width::I64, upTo(3) == 0 ? 2 : 1};
    };
    for (std::size_t i = 0; i < rank; ++i) {
      shape.push_back(1 + upTo(4));
      strides.push_back(upTo(20));
      spec.shape.push_back(leaf(shape.back()));
      spec.stride.push_back(leaf(strides.back()));
    }
    if (upTo(10) == 0) spec.shape.push_back(leaf(1)), spec.stride.push_back(leaf(1));
    const Array array = base.view(upTo(4), shape, strides).value();
    const ArgumentSpec one = spec;
    const CallArgument argument(array);
    std::vector<std::uint64_t> expected(slotsOf(std::span(&one, 1)));
    std::vector<std::uint64_t> slots(expected.size());
    const bool fits = encodeArguments(std::span(&one, 1), std::span(&argument, 1), expected).ok();
    dlpack::Tensor tensor;
    tensor.data = array.hostData();
    tensor.rank = array.rank();
    tensor.type = array.type();
    tensor.shape = shape.data();
    tensor.strides = strides.data();
    ASSERT_EQ(encodeTensorAtOnce(spec, tensor, slots.data()), fits) << round;
    if (fits) ASSERT_EQ(slots, expected) << round;
    fitting += fits ? 1 : 0;
  }
  EXPECT_GT(fitting, 1000);
}

TEST(SlotsAtOnce, NumbersAgreeToo) {
  for (const cute::DType type : {cute::DType::Boolean, cute::DType::Int8, cute::DType::Uint8,
                                 cute::DType::Int16, cute::DType::Int32, cute::DType::Uint32,
                                 cute::DType::Int64, cute::DType::Float32, cute::DType::Float64}) {
    const ArgumentSpec spec = ScalarSpec{type};
    for (const std::int64_t value :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{127}, std::int64_t{128},
          std::int64_t{-128}, std::int64_t{-129}, std::int64_t{255}, std::int64_t{256},
          std::int64_t{1} << 31, -(std::int64_t{1} << 31), std::int64_t{1} << 32}) {
      std::uint64_t expected = 0;
      std::uint64_t slot = 0;
      const CallArgument argument(value);
      const bool fits =
          encodeArguments(std::span(&spec, 1), std::span(&argument, 1), std::span(&expected, 1))
              .ok();
      EXPECT_EQ(encodeNumberAtOnce(type, value, slot), fits) << cute::name(type) << ' ' << value;
      if (fits) EXPECT_EQ(slot, expected) << cute::name(type) << ' ' << value;
    }
  }
}

}  // namespace
}  // namespace cutwork
