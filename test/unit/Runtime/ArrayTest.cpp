// ArrayTest.cpp -- arrays: shapes, views, copies, and DLPack in and out without copies.
#include "cutwork/Runtime/Array.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "Fake.h"
#include "StubDevice.h"

namespace cutwork {
namespace {

using test::fakeCuda;
using test::refusalOf;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ArrayTest : public test::WithFakeCuda {
 protected:
  Device device_ = *Device::open("cuda:0");
  const DataType float32_ = *DataType::parse("float32");
};

/// A tensor of another library, that counts how often it is given back.
template <class Managed>
struct Foreign {
  std::vector<float> memory = std::vector<float>(64);
  std::vector<std::int64_t> shape = {2, 3};
  std::vector<std::int64_t> strides = {12, 4};
  int deleted = 0;
  Managed managed;

  Foreign() {
    std::iota(memory.begin(), memory.end(), 0.0F);
    managed.tensor.data = memory.data();
    managed.tensor.rank = 2;
    managed.tensor.shape = shape.data();
    managed.tensor.strides = strides.data();
    managed.context = this;
    managed.deleter = [](Managed* self) { ++static_cast<Foreign*>(self->context)->deleted; };
  }
};
using Old = Foreign<dlpack::ManagedTensor>;
using Versioned = Foreign<dlpack::ManagedTensorVersioned>;

TEST_F(ArrayTest, ElementTypesHaveNames) {
  for (const char* name :
       {"float16", "float32", "float64", "bfloat16", "int4", "int8", "uint8", "int64", "bool",
        "complex64", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float6_e2m3fn",
        "float4_e2m1fn", "int8x4", "float4_e2m1fnx2"}) {
    EXPECT_EQ(DataType::parse(name)->text(), name);
  }
  EXPECT_EQ(DataType::parse("bfloat16")->code, 4);
  EXPECT_EQ(DataType::parse("float4_e2m1fnx2")->elementBits(), 8);
  for (const char* bad : {"", "float", "float0", "float32x", "float32x0", "floatx4", "int999",
                          "float8_e4m3fn8", "Float32", "complex"}) {
    EXPECT_THAT(refusalOf(DataType::parse(bad)), HasSubstr("unknown element type")) << bad;
  }
  EXPECT_EQ((DataType{200, 8, 1}.text()), "type200_8");
}

TEST_F(ArrayTest, NewArraysAreCompact) {
  const Array array = Array::empty(device_, float32_, {4, 8, 2});
  EXPECT_THAT(array.strides(), ElementsAre(16, 2, 1));
  EXPECT_EQ(array.size(), 64);
  EXPECT_EQ(array.text(), "float32 (4,8,2):(16,2,1) on cuda:0");
  EXPECT_TRUE(array.isDense());
  EXPECT_EQ(array.hostData(), nullptr);
  EXPECT_NE(array.address(), 0U);
  const Array host = Array::emptyOnHost(float32_, {});
  EXPECT_EQ(host.size(), 1);
  EXPECT_EQ(host.text(), "float32 ():() on the host");
  EXPECT_NE(host.hostData(), nullptr);
  const Array nothing = Array::empty(device_, float32_, {4, 0});
  EXPECT_EQ(nothing.size(), 0);
  EXPECT_EQ(nothing.address(), 0U);
}

TEST_F(ArrayTest, ShapesThatCannotBe) {
  EXPECT_THAT(refusalOf(Array::emptyOnHost(float32_, {4, -1})), HasSubstr("(4,-1)"));
  EXPECT_THAT(refusalOf(Array::emptyOnHost(float32_, {INT64_MAX, 2})), HasSubstr("2^63-1 bytes"));
  EXPECT_THAT(refusalOf(Array::emptyOnHost(float32_, {INT64_MAX, INT64_MAX, 0})),
              HasSubstr("2^63-1 bytes"));
  EXPECT_THAT(refusalOf(Array::emptyOnHost({0, 0, 1}, {4})), HasSubstr("0 bits"));
  EXPECT_FALSE(Array::emptyOnHost(float32_, {std::int64_t{1} << 58}).ok());
}

TEST_F(ArrayTest, Copies) {
  const Array from = Array::emptyOnHost(float32_, {3, 2});
  auto* values = static_cast<float*>(from.hostData());
  std::iota(values, values + 6, 1.0F);
  const Array there = Array::empty(device_, float32_, {3, 2});
  const Array second = Array::empty(device_, float32_, {3, 2});
  const Array elsewhere = Array::empty(*Device::open("cuda:1"), float32_, {3, 2});
  const Array back = Array::emptyOnHost(float32_, {3, 2});
  ASSERT_TRUE(there.copyFrom(from).ok());
  ASSERT_TRUE(second.copyFrom(there).ok());
  ASSERT_TRUE(elsewhere.copyFrom(second).ok());
  ASSERT_TRUE(back.copyFrom(elsewhere).ok());
  EXPECT_TRUE(std::equal(values, values + 6, static_cast<float*>(back.hostData())));
  const Array again = Array::emptyOnHost(float32_, {3, 2});
  ASSERT_TRUE(again.copyFrom(back).ok());
  EXPECT_EQ(static_cast<float*>(again.hostData())[5], 6.0F);
  EXPECT_THAT(refusalOf(again.copyFrom(Array::emptyOnHost(float32_, {2, 3}))),
              HasSubstr("shapes must be the same"));
  EXPECT_THAT(refusalOf(again.copyFrom(Array::emptyOnHost(*DataType::parse("int32"), {3, 2}))),
              HasSubstr("types and shapes"));
  const Array transposed = Array::emptyOnHost(float32_, {2, 3})->view(0, {3, 2}, {1, 3});
  EXPECT_TRUE(transposed.isDense());
  EXPECT_THAT(refusalOf(again.copyFrom(transposed)), HasSubstr("with the same strides"));
}

TEST_F(ArrayTest, ViewsStayInside) {
  const Array array = Array::emptyOnHost(float32_, {4, 6});
  const Array inner = array.view(7, {2, 3}, {6, 1});
  EXPECT_EQ(inner.byteOffset(), 28);
  EXPECT_EQ(inner.address(), array.address() + 28);
  EXPECT_FALSE(inner.isDense());
  EXPECT_TRUE(array.view(23, {24}, {-1}).ok());
  EXPECT_THAT(refusalOf(array.view(23, {25}, {-1})), HasSubstr("takes bytes -4 to 96"));
  EXPECT_THAT(refusalOf(array.view(1, {4, 6}, {6, 1})),
              AllOf(HasSubstr("4 to 100"), HasSubstr("has 96")));
  EXPECT_THAT(refusalOf(array.view(-1, {1}, {1})), HasSubstr("-4 to 0"));
  EXPECT_THAT(refusalOf(array.view(0, {2}, {1, 1})), HasSubstr("different ranks"));
  EXPECT_FALSE(array.view(INT64_MAX, {1}, {1}).ok());
  EXPECT_FALSE(array.view(0, {3}, {INT64_MAX}).ok());
  EXPECT_TRUE(array.view(0, {0, 100}, {1, 1}).ok()) << "an empty view is inside";
  EXPECT_TRUE(array.view(0, {1000}, {0}).ok()) << "one element, often";
  const Array halves = Array::emptyOnHost(*DataType::parse("int4"), {8});
  EXPECT_TRUE(halves.view(2, {6}, {1}).ok());
  EXPECT_THAT(refusalOf(halves.view(1, {6}, {1})), HasSubstr("no whole number of bytes"));
}

TEST_F(ArrayTest, DLPackInWithoutACopy) {
  Old foreign;
  foreign.managed.tensor.byteOffset = 8;
  {
    const Array array = Array::fromDLPack(&foreign.managed);
    EXPECT_EQ(array.hostData(), foreign.memory.data() + 2);
    EXPECT_EQ(array.byteOffset(), 8);
    EXPECT_THAT(array.shape(), ElementsAre(2, 3));
    EXPECT_THAT(array.strides(), ElementsAre(12, 4));
    EXPECT_TRUE(array.isOnHost());
    const Array copy = array;  // NOLINT(performance-unnecessary-copy-initialization)
    EXPECT_EQ(foreign.deleted, 0);
  }
  EXPECT_EQ(foreign.deleted, 1);
}

TEST_F(ArrayTest, DLPackOnADevice) {
  Versioned foreign;
  foreign.managed.tensor.device = {dlpack::kCuda, 1};
  foreign.managed.tensor.strides = nullptr;
  foreign.managed.flags = dlpack::kReadOnly;
  {
    const Array array = Array::fromDLPack(&foreign.managed);
    EXPECT_EQ(array.device(), std::optional(*Device::open("cuda:1")));
    EXPECT_EQ(array.hostData(), nullptr);
    EXPECT_EQ(array.address(), reinterpret_cast<std::uint64_t>(foreign.memory.data()));
    EXPECT_THAT(array.strides(), ElementsAre(3, 1));
    EXPECT_TRUE(array.isReadOnly());
    EXPECT_THAT(refusalOf(array.copyFrom(array)), HasSubstr("read-only"));
    EXPECT_THAT(refusalOf(array.toDLPack()), HasSubstr("read-only"));
    dlpack::ManagedTensorVersioned* out = array.toDLPackVersioned();
    EXPECT_EQ(out->flags, dlpack::kReadOnly);
    EXPECT_EQ(out->tensor.device, (dlpack::Device{dlpack::kCuda, 1}));
    out->deleter(out);
    EXPECT_EQ(foreign.deleted, 0);
  }
  EXPECT_EQ(foreign.deleted, 1);
}

TEST_F(ArrayTest, DLPackOutKeepsTheMemory) {
  dlpack::ManagedTensor* out = nullptr;
  std::uint64_t address = 0;
  {
    const Array array = Array::empty(device_, float32_, {4, 6})->view(6, {2, 3}, {12, 2});
    address = array.address();
    out = *array.toDLPack();
  }
  EXPECT_EQ(reinterpret_cast<std::uint64_t>(out->tensor.data) + out->tensor.byteOffset, address);
  EXPECT_EQ(out->tensor.byteOffset, 24U);
  EXPECT_EQ(out->tensor.rank, 2);
  EXPECT_EQ(out->tensor.strides[0], 12);
  EXPECT_EQ(out->tensor.shape[1], 3);
  EXPECT_EQ(out->tensor.device, (dlpack::Device{dlpack::kCuda, 0}));
  const Array back = Array::fromDLPack(out);
  EXPECT_EQ(back.address(), address);
  EXPECT_EQ(fakeCuda().count("cuMemcpyDtoDAsync_v2"), 0);
}

TEST_F(ArrayTest, ScalarsAndEmptyArraysTravel) {
  const Array scalar = Array::emptyOnHost(float32_, {});
  dlpack::ManagedTensorVersioned* out = scalar.toDLPackVersioned();
  EXPECT_EQ(out->tensor.rank, 0);
  EXPECT_EQ(Array::fromDLPack(out)->size(), 1);
  Old empty;
  empty.shape = {0, 3};
  empty.managed.tensor.data = nullptr;
  EXPECT_EQ(Array::fromDLPack(&empty.managed)->size(), 0);
}

TEST_F(ArrayTest, ADeviceOfAnotherKindIsFound) {
  registerDeviceKind("ext", [](std::string_view) -> Expected<std::shared_ptr<DeviceInterface>> {
    return std::shared_ptr<DeviceInterface>(std::make_shared<test::StubDevice>("ext:5"));
  });
  Old foreign;
  foreign.managed.tensor.device = {dlpack::kExtension, 5};
  EXPECT_THAT(refusalOf(Array::fromDLPack(&foreign.managed)), HasSubstr("no device of type 12"));
  EXPECT_EQ(foreign.deleted, 0) << "after an error it is still the caller's";
  const Device device = Device::open("ext:5");
  const Array array = Array::fromDLPack(&foreign.managed);
  EXPECT_EQ(array.device(), std::optional(device));
  dlpack::ManagedTensor* out = *array.toDLPack();
  EXPECT_EQ(out->tensor.device, (dlpack::Device{dlpack::kExtension, 5}));
  out->deleter(out);
}

template <class Managed>
std::string importing(const std::function<void(Foreign<Managed>&)>& change) {
  Foreign<Managed> foreign;
  change(foreign);
  const auto result = Array::fromDLPack(&foreign.managed);
  EXPECT_EQ(foreign.deleted, 0);
  return refusalOf(result);
}

TEST_F(ArrayTest, MalformedTensorsAreRefused) {
  EXPECT_EQ(refusalOf(Array::fromDLPack(static_cast<dlpack::ManagedTensor*>(nullptr))),
            "DLPack: no tensor");
  const auto old = importing<dlpack::ManagedTensor>;
  EXPECT_THAT(old([](auto& t) { t.managed.tensor.rank = -1; }), HasSubstr("rank -1"));
  EXPECT_THAT(old([](auto& t) { t.managed.tensor.rank = 1000; }), HasSubstr("rank 1000"));
  EXPECT_THAT(old([](auto& t) { t.managed.tensor.shape = nullptr; }), HasSubstr("no shape"));
  EXPECT_THAT(old([](auto& t) { t.managed.tensor.data = nullptr; }), HasSubstr("no data"));
  EXPECT_THAT(old([](auto& t) { t.shape[0] = -2; }), HasSubstr("(-2,3)"));
  EXPECT_THAT(old([](auto& t) { t.strides[0] = INT64_MAX; }), HasSubstr("2^63-1"));
  EXPECT_THAT(old([](auto& t) { t.managed.tensor.type.lanes = 0; }), HasSubstr("0 lanes"));
  EXPECT_THAT(old([](auto& t) { t.managed.tensor.type.code = 99; }), HasSubstr("type code 99"));
  EXPECT_THAT(old([](auto& t) { t.managed.tensor.byteOffset = 2; }),
              AllOf(HasSubstr("misaligned"), HasSubstr("float32 needs a multiple of 4 bytes")));
  EXPECT_THAT(old([](auto& t) { t.managed.tensor.byteOffset = ~std::uint64_t{0}; }),
              HasSubstr("offset"));
  EXPECT_THAT(old([](auto& t) { t.managed.tensor.device.type = 7; }), HasSubstr("type 7"));
  EXPECT_THAT(old([](auto& t) { t.managed.tensor.device = {dlpack::kCuda, 9}; }),
              HasSubstr("cuda:9"));
  EXPECT_THAT(old([](auto& t) { t.managed.tensor.device = {dlpack::kCuda, -1}; }),
              HasSubstr("cuda:-1"));
  const auto versioned = importing<dlpack::ManagedTensorVersioned>;
  EXPECT_THAT(versioned([](auto& t) { t.managed.version = {2, 0}; }), HasSubstr("version 2.0"));
  EXPECT_THAT(versioned([](auto& t) {
                t.managed.flags = dlpack::kSubBytePadded;
                t.managed.tensor.type = {dlpack::kInt, 4, 1};
              }),
              HasSubstr("int4 with each element padded"));
}

TEST_F(ArrayTest, ATensorWithoutADeleterIsFine) {
  Old foreign;
  foreign.managed.deleter = nullptr;
  EXPECT_TRUE(Array::fromDLPack(&foreign.managed).ok());
  foreign.managed.tensor.device = {dlpack::kCudaHost, 0};
  const Array array = Array::fromDLPack(&foreign.managed);
  EXPECT_TRUE(array.isOnHost());
  dlpack::ManagedTensor* out = *array.toDLPack();
  EXPECT_EQ(out->tensor.device.type, dlpack::kCudaHost);
  out->deleter(out);
}

}  // namespace
}  // namespace cutwork
