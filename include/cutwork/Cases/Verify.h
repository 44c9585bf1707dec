// cutwork/Cases/Verify.h -- running a case and comparing what it wrote with the exact values.
#pragma once

#include <optional>

#include "cutwork/Cases/Case.h"
#include "cutwork/Support/ExitCode.h"

#pragma GCC visibility push(default)

namespace cutwork {

// Initialised in words, for designated initialisers that leave members out.
// NOLINTBEGIN(readability-redundant-member-init)

/// One element that is wrong.
struct WrongElement {
  CaseShape coordinate = {};
  double got = 0;
  double expected = 0;
  double absolute = 0;     ///< |got - expected|
  double relative = 0;     ///< the same over |expected|
  bool unwritten = false;  ///< holds the poison that it had before the run
};

/// How an output differs from the exact values. An infinity is right where that very infinity is
/// expected, a NaN where a NaN is.
struct OutputReport {
  std::string name = {};
  cute::DType type = cute::DType::Float32;
  CaseShape shape = {};
  std::int64_t elements = 0;
  std::int64_t wrong = 0;
  std::int64_t nan = 0;        ///< of the wrong ones: NaN where none is expected
  std::int64_t unwritten = 0;  ///< of the wrong ones
  double maxAbsolute = 0;      ///< over elements that are finite and expected so
  double maxRelative = 0;      ///< the same; elements expected to be 0 are left out
  std::vector<WrongElement> worst =
      {};                       ///< the worst first: unwritten, NaN, then by error / tolerance
  std::int64_t guardBytes = 0;  ///< bytes beside the output that the kernel changed
  std::optional<std::int64_t> differing = {};  ///< elements with other bits than on `against`
  [[nodiscard]] bool passed() const {
    return wrong == 0 && guardBytes == 0 && differing.value_or(0) == 0;
  }
};

/// Compares an output with the exact values. `worst` is the number of elements to name.
OutputReport compareOutput(const HostArray& output, std::span<const double> expected, double rtol,
                           double atol, int worst = 5);

/// What outputs hold before a run: NaNs with a payload for floats, 0xcc bytes for integers.
std::uint64_t poisonBits(cute::DType type);

struct ShapeReport {
  CaseShape shape = {};
  std::vector<OutputReport> outputs;
  std::vector<std::string> changedInputs;  ///< inputs that the kernel wrote to
  [[nodiscard]] bool passed() const;
};

struct VerifyOptions {
  std::optional<double> rtol = {};  ///< else the case's
  std::optional<double> atol = {};
  std::uint64_t seed = 0;
  CompileOptions compile = {};
  /// Another device, on which the same is run: each bit of the outputs has to be the same there.
  std::optional<Device> against = {};
};

/// Runs the case for one shape and compares. On a device that is not simulated 1,024 bytes on
/// either side of each output are watched (the simulated one reports such writes itself). Errors:
/// what the case's functions throw; a fault of the device (Device).
Expected<ShapeReport> verifyShape(const Case& which, const CaseShape& shape, const Device& device,
                                  const VerifyOptions& options = {});

/// A line for each output, `1024x512: y 1024x512 Float16: right; max error ...`, with its worst
/// elements below it.
std::string reportText(const ShapeReport& report);

/// The reports of several shapes. An error ends them.
struct VerifyReport {
  std::vector<ShapeReport> shapes;
  std::optional<Error> error = {};  ///< of the shape after these
  ExitCode code = ExitCode::Done;   ///< as exitCodeOf says, or WrongResult
};
// NOLINTEND(readability-redundant-member-init)

VerifyReport verifyCase(const Case& which, const std::vector<CaseShape>& shapes,
                        const Device& device, const VerifyOptions& options,
                        const std::function<void(const CaseShape&)>& begins,
                        const std::function<void(const ShapeReport&)>& done);
/// The case's shape, then its odd ones.
std::vector<CaseShape> shapesOf(const Case& which);

/// The exit code for an error met on a device: Refused for the user's; for the device's the fault
/// that its simulation reported, or else WrongResult; Internal.
ExitCode exitCodeOf(const Error& error, const Device& device);

}  // namespace cutwork

#pragma GCC visibility pop
