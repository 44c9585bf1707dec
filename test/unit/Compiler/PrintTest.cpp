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

TEST(Print, TensorsOfEveryRankAndSign) {
  auto text = printedBy(
      [](Int32 n) {
        Tensor most = make_rmem_tensor(IntTuple{2}, DType::Uint64);
        most(0) = Uint64(Int64(n));
        most(1) = 1;
        print_tensor(most.load());
        Tensor one = make_rmem_tensor(IntTuple{}, DType::Float32);
        one(IntTuple{}) = 1.5;
        print_tensor(one.load());
        Tensor bytes = make_rmem_tensor(IntTuple{2, 2}, DType::Int8);
        bytes.fill(-3);
        print_tensor(bytes.load() * Int8(2));
        print_tensor(bytes.load(), true);
        cute::printf("{}\n", bytes.load());
      },
      -1);
  EXPECT_EQ(text,
            "tensor(tensor_value<vector<2xu64> o (2)>, data=\n"
            "       [18446744073709551615, ],\n       [1, ])\n"
            "tensor(tensor_value<vector<1xf32> o ()>, data=\n       [ 1.500000, ])\n"
            "tensor(tensor_value<vector<4xi8> o (2, 2)>, data=\n"
            "       [[-6, -6, ],\n        [-6, -6, ]])\n"
            "tensor(tensor_value<vector<4xi8> o (2, 2)>, data= (\n"
            "\t(0,0)= -3\n\t(0,1)= -3\n\t(1,0)= -3\n\t(1,1)= -3\n)\n"
            "tensor_value<vector<4xi8> o (2, 2)>\n");
}

// Over memory of the CPU in the host function itself.
TEST(Print, TensorsOnTheHost) {
  std::vector<float> memory{1, 2, 3, 4, 5, 6};
  TensorSpec spec{.space = AddressSpace::generic,
                  .shape = {{true, 2}, {true, 3}},
                  .stride = {{true, 3}, {true, 1}}};
  std::string printed;
  setHostPrinter([&](std::string_view text) { printed += text; });
  auto f = compile(jit("prints", [](Tensor t) { print_tensor(t); }), spec);
  Array array = Array::emptyOnHost(typeOf<float>(), {2, 3}).value();
  std::memcpy(reinterpret_cast<void*>(array.address()), memory.data(), 24);
  orThrow(f.callOn(simulated(), std::array{CallArgument(array)}));
  setHostPrinter({});
  EXPECT_THAT(printed, HasSubstr(": f32, generic, align<4>) o (2,3):(3,1), data=\n"
                                 "       [[ 1.000000,  2.000000,  3.000000, ],\n"
                                 "        [ 4.000000,  5.000000,  6.000000, ]])\n"));
}

// The device's printf: conversions, and values of several kinds in one line.
TEST(Print, FromKernels) {
  ::testing::internal::CaptureStdout();
  run<std::int32_t>(
      {7, 8},
      [](Tensor t) {
        Int32 i = arch::thread_idx().x;
        cute::printf("{} has %5.1f of {} and {}\n", i, Float32(i) + 0.5f, t(i),
                     make_layout({4}).value());
        if_(i == 1, [&] {
          Tensor r = make_rmem_tensor(IntTuple{2}, DType::Uint64);
          r.fill(Uint64(3));
          print_tensor(r.load());
        });
      },
      2);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "0 has   0.5 of 7 and (4):(1)\n1 has   1.5 of 8 and (4):(1)\n"
            "tensor(tensor_value<vector<2xu64> o (2)>, data=\n       [3, ],\n       [3, ])\n");
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
