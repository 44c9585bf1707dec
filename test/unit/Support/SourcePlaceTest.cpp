// SourcePlaceTest.cpp -- the text of a place, and the caller's place.
#include "cutwork/Support/SourcePlace.h"

#include <gtest/gtest.h>

namespace cutwork {
namespace {

TEST(SourcePlace, UnknownHasNoText) {
  EXPECT_FALSE(SourcePlace().known());
  EXPECT_EQ(SourcePlace().text(), "");
}

TEST(SourcePlace, TextLeavesOutWhatIsUnknown) {
  EXPECT_EQ((SourcePlace{"a.cpp", 7, 3, "f"}.text()), "a.cpp:7:3");
  EXPECT_EQ((SourcePlace{"a.cpp", 7, 0, "f"}.text()), "a.cpp:7");
  EXPECT_EQ((SourcePlace{"a.cpp", 0, 0, ""}.text()), "a.cpp");
  EXPECT_EQ((SourcePlace{"a.cpp", 0, 3, ""}.text()), "a.cpp") << "a column alone says nothing";
}

TEST(SourcePlace, CurrentIsTheCaller) {
  const SourcePlace here = SourcePlace::current();
  EXPECT_EQ(here.line, static_cast<unsigned>(__LINE__) - 1);
  EXPECT_NE(here.column, 0U);
  // From the project's root, so that messages are the same on every machine.
  EXPECT_EQ(here.file, "test/unit/Support/SourcePlaceTest.cpp");
  EXPECT_NE(here.function.find("TestBody"), std::string::npos);
}

TEST(SourcePlace, EqualWhenAllPartsAre) {
  const SourcePlace place{"a.cpp", 7, 3, "f"};
  EXPECT_EQ(place, (SourcePlace{"a.cpp", 7, 3, "f"}));
  EXPECT_NE(place, (SourcePlace{"a.cpp", 7, 4, "f"}));
}

}  // namespace
}  // namespace cutwork
