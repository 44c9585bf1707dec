// MathTest.cpp -- every function of the language's Math.h, scalar and vector, against libm.
#include <cmath>

#include "Harness.h"

namespace cutwork::test {
namespace {

using namespace cute;

struct Function {
  const char* name;
  Numeric (*scalar)(const Arg&, bool);
  TensorSSA (*vector)(const VectorOperand&, bool);
  double (*exact)(double);
  double ulp;   ///< of docs/math.md, rounded up; sigmoid and rcp are of several operations
  double fast;  ///< relative or absolute error with fastmath
};

#define CW_ROW(name, exact, ulp, fast)                                                   \
  Function {                                                                             \
    #name, &cute::name, &cute::name, [](double x) -> double { return exact; }, ulp, fast \
  }
const Function kFunctions[] = {
    CW_ROW(exp, std::exp(x), 1, 1e-5),
    CW_ROW(exp2, std::exp2(x), 1, 1e-5),
    CW_ROW(log, std::log(x), 1.2, 1e-4),
    CW_ROW(log2, std::log2(x), 1, 1e-4),
    CW_ROW(log10, std::log10(x), 1, 1e-4),
    CW_ROW(sqrt, std::sqrt(x), 0.5, 1e-6),
    CW_ROW(rsqrt, 1 / std::sqrt(x), 0.6, 1e-6),
    CW_ROW(sin, std::sin(x), 1, 1e-4),
    CW_ROW(cos, std::cos(x), 1, 1e-4),
    CW_ROW(tan, std::tan(x), 1.1, 1e-4),
    CW_ROW(asin, std::asin(x), 0.7, 1e-6),
    CW_ROW(acos, std::acos(x), 0.7, 1e-6),
    CW_ROW(atan, std::atan(x), 1.5, 1e-6),
    CW_ROW(tanh, std::tanh(x), 1.5, 1e-3),
    CW_ROW(erf, std::erf(x), 1.2, 1e-6),
    CW_ROW(floor, std::floor(x), 0, 0),
    CW_ROW(ceil, std::ceil(x), 0, 0),
    CW_ROW(absf, std::abs(x), 0, 0),
    CW_ROW(rcp, 1 / x, 0.5, 1e-6),
    CW_ROW(sigmoid, 1 / (1 + std::exp(-x)), 3, 1e-5),
};
#undef CW_ROW

const std::vector<float> kOperands{0.1F,   0.5F,   1,     1.5F, 2,      3.5F, 7.25F, 20,
                                   0.001F, 1e-30F, -0.5F, -1,   -3.25F, -20,  5,     11};

double unitsOf(float got, double exact) {
  auto nearest = static_cast<float>(exact);
  if (std::isnan(exact)) return std::isnan(got) ? 0 : 1e9;
  if (got == nearest) return 0.5;
  double unit = std::nextafter(std::abs(nearest), 1e38F) - std::abs(nearest);
  return std::abs(got - exact) / unit;
}

TEST(Math, EveryFunctionAgainstLibm) {
  auto count = static_cast<std::int64_t>(kOperands.size());
  for (const Function& f : kFunctions) {
    Array x = arrayOf(kOperands);
    Array y = arrayOf(std::vector<float>(kOperands.size() * 4));
    auto host = jit("math", [&](Tensor in, Tensor out) {
      auto body = [&](Tensor u, Tensor v) {
        auto part = [&](std::int64_t k) {
          return make_tensor(v.iterator() + k * count, make_layout({count}));
        };
        Tensor source = make_tensor(u.iterator(), make_layout({count}));
        for (std::int64_t i = 0; i < count; ++i) {
          part(0)(i) = f.scalar(source(i), false);
          part(1)(i) = f.scalar(source(i), true);
        }
        part(2).store(f.vector(source.load(), false));
        part(3).store(f.vector(source.load(), true));
      };
      launch(body, {}, in, out);
    });
    compile(host, x, y)(x, y);
    auto got = valuesOf<float>(y);
    for (std::size_t i = 0; i < kOperands.size(); ++i) {
      double exact = f.exact(static_cast<double>(kOperands[i]));
      std::size_t at = i;
      EXPECT_LE(unitsOf(got[at], exact), std::max(f.ulp, 0.5)) << f.name << " " << kOperands[i];
      EXPECT_TRUE(got[at] == got[at + 2 * kOperands.size()] || std::isnan(exact))
          << f.name << ": a vector's element is the scalar";
      auto fast = static_cast<double>(got[at + kOperands.size()]);
      if (std::isnan(exact)) {
        EXPECT_TRUE(std::isnan(fast)) << f.name;
      } else if (std::isfinite(static_cast<float>(exact))) {
        EXPECT_NEAR(fast, exact, f.fast * std::max(1.0, std::abs(exact)))
            << f.name << " " << kOperands[i];
      }
      EXPECT_TRUE(got[at + kOperands.size()] == got[at + 3 * kOperands.size()] || std::isnan(exact))
          << f.name;
    }
  }
}

// Rounded once, where a product and a sum would round twice.
TEST(Math, FusedMultiplyAdd) {
  float a = 1 + 0x1p-12F;
  float want = std::fma(a, a, -1.0F);
  float product = a * a;
  float twice = product - 1.0F;
  ASSERT_NE(want, twice);
  auto got = run<float>({a, 0, 0, 0, 0}, [](Tensor t) {
    Float32 x = t(0);
    t(1) = cute::fma(x, x, -1.0f);
    Tensor one = make_tensor(t.iterator(), make_layout({1}));
    TensorSSA v = one.load();
    make_tensor(t.iterator() + 2, make_layout({1}))
        .store(cute::fma(v, v, full(IntTuple{1}, -1.0f, DType::Float32)));
    // What is written apart stays apart.
    t(3) = x * x - 1.0f;
    t(4) = cute::fma(Float32(3), Float32(4), Float32(5));
  });
  EXPECT_EQ(got[1], want);
  EXPECT_EQ(got[2], want);
  EXPECT_EQ(got[3], twice);
  EXPECT_EQ(got[4], 17);
}

}  // namespace
}  // namespace cutwork::test
