// Verify.cpp -- one run of a case, compared with the exact values.
#include "cutwork/Cases/Verify.h"

#include <cstring>

#include "Prepared.h"
#include "cutwork/Simulator/Runs.h"

namespace cutwork {

namespace {

bool sameBytes(const HostArray& a, const HostArray& b) {
  return a.bytes() == 0 || std::memcmp(a.data().hostData(), b.data().hostData(),
                                       static_cast<std::size_t>(a.bytes())) == 0;
}

Expected<ShapeReport> compareRun(const Case& which, const CaseArrays& arrays, const DeviceRun& run,
                                 const VerifyOptions& options) {
  CaseResults exact(arrays);
  which.reference_fn(arrays, exact);
  ShapeReport report;
  for (std::size_t i = 0; i < arrays.all().size(); ++i) {
    const HostArray& array = arrays.all()[i];
    const HostArray after(array.name(), array.type(), array.shape(), array.isOutput());
    CW_DO(run.fetch(i, after));
    if (!array.isOutput()) {
      if (!sameBytes(array, after)) report.changedInputs.push_back(array.name());
      continue;
    }
    OutputReport output =
        compareOutput(after, exact[array.name()], options.rtol.value_or(which.rtol),
                      options.atol.value_or(which.atol));
    CW_TRY(output.guardBytes, run.changedGuardBytes(i));
    report.outputs.push_back(std::move(output));
  }
  return report;
}

// How many elements of each output have other bits on the other device.
Status compareBits(const Case& which, const CaseShape& shape, const DeviceRun& run,
                   const VerifyOptions& options, ShapeReport& report) {
  CW_TRY(const PreparedCase other,
         prepareCase(which, shape, *options.against, options.compile, options.seed));
  CW_DO(other.run.call(other.function));
  CW_DO(options.against->synchronize());
  std::size_t output = 0;
  for (std::size_t i = 0; i < other.arrays.all().size(); ++i) {
    const HostArray& array = other.arrays.all()[i];
    if (!array.isOutput()) continue;
    const HostArray here(array.name(), array.type(), array.shape(), true);
    const HostArray there(array.name(), array.type(), array.shape(), true);
    CW_DO(run.fetch(i, here));
    CW_DO(other.run.fetch(i, there));
    const auto* a = static_cast<const std::byte*>(here.data().hostData());
    const auto* b = static_cast<const std::byte*>(there.data().hostData());
    const auto width = static_cast<std::size_t>(cute::elementBytes(array.type()));
    std::int64_t differing = 0;
    for (std::size_t at = 0; at < static_cast<std::size_t>(here.bytes()); at += width) {
      differing += std::memcmp(a + at, b + at, width) != 0 ? 1 : 0;
    }
    report.outputs[output++].differing = differing;
  }
  return Success{};
}

Expected<ShapeReport> verified(const Case& which, const CaseShape& shape, const Device& device,
                               const VerifyOptions& options) {
  CW_TRY(const PreparedCase prepared,
         prepareCase(which, shape, device, options.compile, options.seed));
  CW_DO(prepared.run.call(prepared.function));
  CW_DO(device.synchronize());
  CW_TRY(ShapeReport report, compareRun(which, prepared.arrays, prepared.run, options));
  report.shape = shape;
  if (options.against) CW_DO(compareBits(which, shape, prepared.run, options, report));
  return report;
}

}  // namespace

Expected<ShapeReport> verifyShape(const Case& which, const CaseShape& shape, const Device& device,
                                  const VerifyOptions& options) {
  try {
    return verified(which, shape, device, options);
  } catch (const Exception& thrown) {
    return thrown.error();
  }
}

std::vector<CaseShape> shapesOf(const Case& which) {
  std::vector<CaseShape> shapes{which.shape};
  shapes.insert(shapes.end(), which.oddShapes.begin(), which.oddShapes.end());
  return shapes;
}

ExitCode exitCodeOf(const Error& error, const Device& device) {
  switch (error.kind()) {
    case ErrorKind::User: return ExitCode::Refused;
    case ErrorKind::Internal: return ExitCode::Internal;
    case ErrorKind::Device: break;
  }
  const std::optional<SimulatedRuns> runs = takeSimulatedRuns(device);
  if (runs && runs->fault) return runs->fault->code;
  // No memory, of the host or the device; what a GPU reports of a kernel is a failed check.
  bool memory = runs || error.message().find("out of memory") != std::string::npos;
  return memory ? ExitCode::Limit : ExitCode::WrongResult;
}

VerifyReport verifyCase(const Case& which, const std::vector<CaseShape>& shapes,
                        const Device& device, const VerifyOptions& options,
                        const std::function<void(const CaseShape&)>& begins,
                        const std::function<void(const ShapeReport&)>& done) {
  VerifyReport report;
  for (const CaseShape& shape : shapes) {
    begins(shape);
    Expected<ShapeReport> one = verifyShape(which, shape, device, options);
    if (!one.ok()) {
      report.code = exitCodeOf(one.error(), device);
      report.error = std::move(one).takeError().within(shapeText(shape) + ": ");
      return report;
    }
    if (!one->passed()) report.code = ExitCode::WrongResult;
    done(*one);
    report.shapes.push_back(*std::move(one));
  }
  return report;
}

}  // namespace cutwork
