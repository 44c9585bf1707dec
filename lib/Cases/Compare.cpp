// Compare.cpp -- an output against the exact values: statistics, and the worst elements.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cutwork/Cases/Verify.h"

namespace cutwork {

namespace {

// One wrong element on the way; a larger weight is worse.
struct Candidate {
  std::int64_t index;
  double weight;
};

CaseShape coordinateOf(std::int64_t index, const CaseShape& shape) {
  CaseShape coordinate(shape.size());
  for (std::size_t mode = shape.size(); mode-- > 0;) {
    coordinate[mode] = index % shape[mode];
    index /= shape[mode];
  }
  return coordinate;
}

bool sameSpecial(double got, double expected) {
  return std::isnan(expected) ? std::isnan(got) : got == expected;
}

// The `count` worst, those that come first in the array before others as bad.
class Worst {
 public:
  explicit Worst(int count) : count_(static_cast<std::size_t>(std::max(count, 0))) {}
  void add(const Candidate& c) {
    if (kept_.size() == count_ && (count_ == 0 || !worse(c, kept_.back()))) return;
    if (kept_.size() == count_) kept_.pop_back();
    kept_.insert(std::ranges::upper_bound(kept_, c, worse), c);
  }
  [[nodiscard]] const std::vector<Candidate>& kept() const { return kept_; }

 private:
  static bool worse(const Candidate& a, const Candidate& b) { return a.weight > b.weight; }
  std::size_t count_;
  std::vector<Candidate> kept_;
};

std::string coordinateText(const CaseShape& coordinate) {
  std::string text;
  for (const std::int64_t c : coordinate) text += (text.empty() ? "" : ",") + std::to_string(c);
  return "(" + text + ")";
}

}  // namespace

std::uint64_t poisonBits(cute::DType type) {
  switch (type) {
    case cute::DType::Float16: return 0x7ecc;
    case cute::DType::BFloat16: return 0x7fcc;
    case cute::DType::Float32:
    case cute::DType::TFloat32: return 0x7fcccccc;
    case cute::DType::Float64: return 0x7ffccccccccccccc;
    case cute::DType::Float8E4M3FN: return 0x7f;
    case cute::DType::Float8E5M2: return 0x7e;
    default: return 0xcccccccccccccccc >> (64 - cute::storageBits(type));
  }
}

OutputReport compareOutput(const HostArray& output, std::span<const double> expected, double rtol,
                           double atol, int worst) {
  OutputReport report{.name = output.name(), .type = output.type(), .shape = output.shape()};
  report.elements = output.size();
  const std::uint64_t poison = poisonBits(output.type());
  Worst found(worst);
  for (std::int64_t i = 0; i < report.elements; ++i) {
    const double got = output[i];
    const double exact = expected[static_cast<std::size_t>(i)];
    const double tolerance = atol + rtol * std::fabs(exact);
    double weight = 0;
    if (std::isfinite(got) && std::isfinite(exact)) {
      const double error = std::fabs(got - exact);
      report.maxAbsolute = std::max(report.maxAbsolute, error);
      if (exact != 0) report.maxRelative = std::max(report.maxRelative, error / std::fabs(exact));
      if (error <= tolerance) continue;
      weight = tolerance > 0 ? error / tolerance : error;
    } else if (sameSpecial(got, exact)) {
      continue;
    } else {
      weight = INFINITY;
    }
    report.wrong += 1;
    report.nan += std::isnan(got) ? 1 : 0;
    report.unwritten += output.bits(i) == poison ? 1 : 0;
    found.add({i, weight});
  }
  for (const Candidate& c : found.kept()) {
    WrongElement element{.coordinate = coordinateOf(c.index, report.shape), .got = output[c.index]};
    element.expected = expected[static_cast<std::size_t>(c.index)];
    element.absolute = std::fabs(element.got - element.expected);
    element.relative = element.absolute / std::fabs(element.expected);
    element.unwritten = output.bits(c.index) == poison;
    report.worst.push_back(std::move(element));
  }
  return report;
}

bool ShapeReport::passed() const {
  return changedInputs.empty() && std::ranges::all_of(outputs, &OutputReport::passed);
}

std::string reportText(const ShapeReport& report) {
  std::string text;
  for (const OutputReport& o : report.outputs) {
    text += fmt::format("{}: {} {} {}: ", shapeText(report.shape), o.name, shapeText(o.shape),
                        cute::name(o.type));
    text += o.wrong == 0 ? "right" : fmt::format("{} of {} wrong", o.wrong, o.elements);
    if (o.unwritten != 0) text += fmt::format(", {} not written", o.unwritten);
    if (o.nan != o.unwritten && o.nan != 0) text += fmt::format(", {} NaN", o.nan);
    text +=
        fmt::format("; max error {:.3g} absolute, {:.3g} relative", o.maxAbsolute, o.maxRelative);
    if (o.differing && *o.differing == 0) text += "; the same bits on both devices";
    if (o.differing.value_or(0) != 0) {
      text +=
          fmt::format("; {} of {} have other bits on the other device", *o.differing, o.elements);
    }
    text += '\n';
    for (const WrongElement& w : o.worst) {
      text += fmt::format("  {}{}: ", o.name, coordinateText(w.coordinate));
      text += w.unwritten ? fmt::format("not written, expected {:.9g}\n", w.expected)
                          : fmt::format("{:.9g}, expected {:.9g} (error {:.3g}, relative {:.3g})\n",
                                        w.got, w.expected, w.absolute, w.relative);
    }
    if (o.guardBytes != 0) {
      text += fmt::format("  {} bytes beside {} were written\n", o.guardBytes, o.name);
    }
  }
  for (const std::string& input : report.changedInputs) {
    text += fmt::format("{}: the input {} was written to\n", shapeText(report.shape), input);
  }
  return text;
}

}  // namespace cutwork
