// ErrorTest.cpp -- errors as values, the exceptions they become, Expected and CW_TRY.
#include "cutwork/Support/Error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <type_traits>
#include <vector>

namespace cutwork {
namespace {

using ::testing::HasSubstr;

const SourcePlace kPlace{"kernel.py", 12, 4, "relu"};

TEST(Error, KeepsKindMessageAndPlace) {
  const Error error = userError("rank 2 expected, rank 3 came", kPlace);
  EXPECT_EQ(error.kind(), ErrorKind::User);
  EXPECT_EQ(error.message(), "rank 2 expected, rank 3 came");
  EXPECT_EQ(error.place(), kPlace);
  EXPECT_EQ(deviceError("launch failed").kind(), ErrorKind::Device);
  EXPECT_FALSE(deviceError("launch failed").place().known());
}

TEST(Error, InternalErrorKnowsWhoMadeIt) {
  const Error error = internalError("unreachable");
  EXPECT_EQ(error.place().file, "test/unit/Support/ErrorTest.cpp");
  EXPECT_EQ(error.place().line, static_cast<unsigned>(__LINE__) - 2);
}

TEST(Error, TextHasThePlaceFirst) {
  EXPECT_EQ(userError("no such mode", kPlace).text(), "kernel.py:12:4: no such mode");
  EXPECT_EQ(userError("no such mode").text(), "no such mode");
}

TEST(Error, TextOfAnInternalErrorSaysHowToReportIt) {
  EXPECT_THAT(internalError("lost").text(), HasSubstr("please report it"));
  EXPECT_THAT(userError("lost").text(), Not(HasSubstr("report")));
  EXPECT_THAT(deviceError("lost").text(), Not(HasSubstr("report")));
}

TEST(Error, AtGivesAPlaceOnlyToWhatHasNone) {
  EXPECT_EQ(userError("a").at(kPlace).place(), kPlace);
  EXPECT_EQ(userError("a", kPlace).at({"other.py", 1, 1, "f"}).place(), kPlace);
}

TEST(Error, WithinPutsThePrefixBeforeTheMessage) {
  const Error error = userError("4 does not divide 6").within("b: ").within("zipped_divide: ");
  EXPECT_EQ(error.message(), "zipped_divide: b: 4 does not divide 6");
}

TEST(Error, CopiesAreIndependent) {
  const Error first = userError("first");
  Error second = first;
  second = std::move(second).within("not ");
  EXPECT_EQ(first.message(), "first");
  EXPECT_EQ(second.message(), "not first");
  second = first;
  EXPECT_EQ(second.message(), "first");
}

TEST(Error, RaiseThrowsTheClassOfTheKind) {
  EXPECT_THROW(userError("u").raise(), UserError);
  EXPECT_THROW(internalError("i").raise(), InternalError);
  EXPECT_THROW(deviceError("d").raise(), DeviceError);
}

TEST(Error, ExceptionsCarryTheErrorAndItsText) {
  try {
    userError("no such mode", kPlace).raise();
    FAIL() << "nothing thrown";
  } catch (const Exception& exception) {
    EXPECT_STREQ(exception.what(), "kernel.py:12:4: no such mode");
    EXPECT_EQ(exception.error().message(), "no such mode");
  }
  EXPECT_THROW(userError("u").raise(), std::exception)
      << "code that knows nothing of us catches it";
}

Expected<int> half(int value) {
  if (value % 2 != 0) return userError("odd: " + std::to_string(value));
  return value / 2;
}

TEST(Expected, HoldsAValue) {
  const Expected<int> four = half(8);
  EXPECT_TRUE(four.ok());
  EXPECT_TRUE(static_cast<bool>(four));
  EXPECT_EQ(four.value(), 4);
  EXPECT_EQ(*four, 4);
}

TEST(Expected, HoldsAnError) {
  Expected<int> none = half(7);
  EXPECT_FALSE(none.ok());
  EXPECT_EQ(none.error().message(), "odd: 7");
  EXPECT_EQ(std::move(none).takeError().message(), "odd: 7");
}

TEST(Expected, ReadingAnErrorThrowsIt) {
  const Expected<int> none = half(7);
  EXPECT_THROW((void)none.value(), UserError);
  EXPECT_THROW((void)*none, UserError);
  const Expected<std::string> broken = internalError("lost");
  EXPECT_THROW((void)broken->size(), InternalError);
}

TEST(Expected, ConvertsToItsValueOrThrows) {
  EXPECT_THROW([[maybe_unused]] std::string none = Expected<std::string>(userError("no")),
               UserError);
  Expected<std::string> kept = std::string("text");
  const std::string& same = kept;
  EXPECT_EQ(&same, &kept.value()) << "an lvalue converts to a reference, without a copy";
  std::string assigned;
  assigned = Expected<std::string>(std::string("other"));
  EXPECT_EQ(assigned, "other") << "assigning from an operation's result is not ambiguous";
}

Expected<std::vector<int>> list() { return std::vector<int>{1, 2, 3}; }

TEST(Expected, ATemporarysValueOutlivesItInARangeFor) {
  int sum = 0;
  for (int element : list().value()) sum += element;
  for (int element : *list()) sum += element;
  EXPECT_EQ(sum, 12);
}

TEST(Expected, AskedAsAConditionItNeverReadsTheValue) {
  Expected<bool> no = false;
  EXPECT_TRUE(static_cast<bool>(no));
  EXPECT_FALSE(no.value());
  Expected<std::int64_t> zero = std::int64_t{0};
  EXPECT_TRUE(static_cast<bool>(zero));
  Expected<std::int64_t> refused = userError("no");
  EXPECT_FALSE(static_cast<bool>(refused));
  EXPECT_FALSE(static_cast<bool>(half(7)));
  Expected<int*> null = static_cast<int*>(nullptr);
  EXPECT_TRUE(static_cast<bool>(null));
  static_assert(!std::is_convertible_v<Expected<int>, bool> &&
                !std::is_convertible_v<Expected<int>&, int>);
}

Expected<std::unique_ptr<int>> owned(bool ok) {
  if (!ok) return userError("none");
  return std::make_unique<int>(7);
}

TEST(Expected, MovesValuesThatCannotBeCopied) {
  const std::unique_ptr<int> seven = owned(true);
  EXPECT_EQ(*seven, 7);
  EXPECT_EQ(**owned(true), 7);
  EXPECT_THROW(const std::unique_ptr<int> none = owned(false), UserError);
}

TEST(Expected, ArrowAndAssignmentReachTheValue) {
  Expected<std::vector<int>> values = std::vector{1, 2};
  values->push_back(3);
  EXPECT_EQ(values->size(), 3U);
  *values = {9};
  EXPECT_EQ(values.value().front(), 9);
}

Expected<int> eighth(int value, int& reached) {
  CW_TRY(const int first, half(value));
  reached = 1;
  CW_TRY(const int second, half(first));
  reached = 2;
  CW_TRY(const int third, half(second));
  reached = 3;
  return third;
}

TEST(CwTry, BindsTheValue) {
  int reached = 0;
  EXPECT_EQ(eighth(40, reached).value(), 5);
  EXPECT_EQ(reached, 3);
}

TEST(CwTry, ReturnsTheFirstError) {
  int reached = 0;
  const Expected<int> none = eighth(12, reached);  // 12, 6, 3: the third step fails
  EXPECT_EQ(none.error().message(), "odd: 3");
  EXPECT_EQ(reached, 2);
}

Expected<std::string> describe(int value) {
  std::string text = "half is ";
  int result = 0;
  CW_TRY(result, half(value));  // assigns to what is there; the error passes to another Expected
  return text + std::to_string(result);
}

TEST(CwTry, PassesErrorsBetweenTypes) {
  EXPECT_EQ(describe(6).value(), "half is 3");
  EXPECT_EQ(describe(5).error().message(), "odd: 5");
}

Expected<int> deref(bool ok) {
  CW_TRY(const std::unique_ptr<int> pointer, owned(ok));
  return *pointer;
}

TEST(CwTry, MovesTheValue) {
  EXPECT_EQ(deref(true).value(), 7);
  EXPECT_FALSE(deref(false).ok());
}

}  // namespace
}  // namespace cutwork
