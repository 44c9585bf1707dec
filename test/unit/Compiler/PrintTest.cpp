// PrintTest.cpp -- printing: conversions, texts, composed layouts, in kernels and host functions.
#include "Harness.h"

namespace cutwork::test {
namespace {

using namespace cute;
using ::testing::HasSubstr;

// What a host function prints.
template <class Body>
std::string printedBy(Body body, std::int32_t n) {
  std::string printed;
  setHostPrinter([&](std::string_view text) { printed += text; });
  auto f = compile(jit("prints", body), n);
  orThrow(f.callOn(simulated(), std::array{CallArgument(n)}));
  setHostPrinter({});
  return printed;
}

TEST(Print, NumbersOfEveryKind) {
  auto text = printedBy(
      [](Int32 n) {
        cute::printf("{} {} {} {}\n", Uint32(n), Uint64(Int64(n)), Int8(n), Boolean(n));
        cute::printf("%u %x %d %lld|%5d|%-5d|%05.1f\n", Uint32(n), n, n, Int64(n), 7, 7, 2.25);
        cute::printf("%c%c %p %g\n", 65, Int64(66), Int32(16), Float16(0.5));
      },
      -1);
  EXPECT_EQ(text,
            "4294967295 18446744073709551615 -1 1\n"
            "4294967295 ffffffff -1 -1|    7|7    |002.2\n"
            "AB 0x10 0.5\n");
}

TEST(Print, TextsAndTheirSigns) {
  auto text = printedBy(
      [](Int32 n) {
        cute::printf("{} {} 100%% {{}} {}?\n", "what?", std::string("5% of ?{x}"), n);
      },
      3);
  EXPECT_EQ(text, "what? 5% of ?{x} 100% {} 3?\n");
}

TEST(Print, RunTimeLeavesOfTuplesLayoutsAndTensors) {
  auto text = printedBy(
      [](Int32 n) {
        Layout layout = make_layout({n, 4}, {4, 1});
        cute::printf("{} {}\n", layout, IntTuple{n, IntTuple{n + 1, 7}});
        Tensor crd = make_identity_tensor(IntTuple{n, 8});
        cute::printf("{}\n", crd);
        cute::printf("{}\n", domain_offset(IntTuple{n, 2}, crd));
        Pointer p = make_ptr(DType::Float32, Int64(0), AddressSpace::generic);
        ComposedLayout composed = make_composed_layout(make_layout({n, 2}, {2, 1}), 0, layout);
        cute::printf("{}\n", make_tensor(p, composed));
      },
      5);
  EXPECT_EQ(text,
            "(5,4):(4,1) (5,(6,7))\n"
            "tensor<(0,0) o (5,8):(1@0,1@1)>\n"
            "tensor<(5,2) o (5,8):(1@0,1@1)>\n"
            "tensor<ptr<f32, generic> o (5,2):(2,1) o 0 o (5,4):(4,1)>\n");
}

TEST(Print, Refusals) {
  auto refused = [](auto body) { return refusalOf([&] { printedBy(body, 1); }); };
  EXPECT_THAT(refused([](Int32) { cute::printf("%s\n", "text"); }),
              HasSubstr("'%s' is no conversion; a percent sign is written %%"));
  EXPECT_THAT(refused([](Int32 n) { cute::printf("50% more {}\n", n); }),
              HasSubstr("'% m' is no conversion"));
  EXPECT_THAT(refused([](Int32) { cute::printf("100%"); }), HasSubstr("'%' is no conversion"));
  EXPECT_THAT(refused([](Int32 n) { cute::printf("%d\n", Float32(n)); }),
              HasSubstr("%d takes an integer, not a Float32"));
  EXPECT_THAT(refused([](Int32) { cute::printf("%d\n", make_layout({4}).value()); }),
              HasSubstr("%d takes a number, not (4):(1); use {}"));
  EXPECT_THAT(refused([](Int32 n) { cute::printf("{}\n", n, n); }),
              HasSubstr("2 values were given, the format takes 1"));
}

}  // namespace
}  // namespace cutwork::test
