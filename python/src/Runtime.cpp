// Runtime.cpp -- devices, arrays (DLPack) and streams for Python.
#include <fmt/format.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>

#include "Convert.h"
#include "cutwork/Runtime/HostTable.h"
#include "cutwork/Runtime/Occupancy.h"
#include "cutwork/Simulator/ProfileText.h"
#include "cutwork/Simulator/Register.h"
#include "cutwork/Simulator/Runs.h"
#include "cutwork/Support/Knobs.h"
#include "cutwork/Support/Log.h"

namespace cutwork::python {

namespace {

// The array behind an object with __dlpack__; the capsule is used up.
Array arrayOf(nb::handle object) {
  nb::object capsule;
  try {
    capsule = object.attr("__dlpack__")(nb::arg("max_version") = nb::make_tuple(1, 1));
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
    capsule = object.attr("__dlpack__")();
  }
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned") != 0) {
    auto* tensor = static_cast<dlpack::ManagedTensorVersioned*>(
        PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    Array array = Array::fromDLPack(tensor).value();
    PyCapsule_SetName(capsule.ptr(), "used_dltensor_versioned");
    return array;
  }
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor") == 0) {
    raiseTypeError("an object whose __dlpack__ gives a DLPack capsule", object);
  }
  auto* tensor =
      static_cast<dlpack::ManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  Array array = Array::fromDLPack(tensor).value();
  PyCapsule_SetName(capsule.ptr(), "used_dltensor");
  return array;
}

void bindDevice(nb::module_& m) {
  nb::class_<Device>(m, "Device")
      .def_static("open", [](const std::string& name) { return Device::open(name).value(); })
      .def_static("best", [] { return Device::best().value(); })
      .def_prop_ro("name", [](const Device& d) { return d.name(); })
      .def_prop_ro("target", [](const Device& d) { return d.target().name(); })
      .def_prop_ro("multiprocessors",
                   [](const Device& d) { return d.properties().multiprocessors; })
      .def_prop_ro("l2_bytes", [](const Device& d) { return d.properties().l2Bytes; })
      .def_prop_ro("simulated", [](const Device& d) { return d.properties().simulated; })
      .def("synchronize",
           [](const Device& d) {
             nb::gil_scoped_release nogil;
             orThrow(d.synchronize());
           })
      .def("copy_to_device",
           [](const Device& d, std::uint64_t to, std::uintptr_t from, std::int64_t bytes) {
             orThrow(d.copyToDevice(to, reinterpret_cast<const void*>(from), bytes));
           })
      .def("copy_to_host",
           [](const Device& d, std::uintptr_t to, std::uint64_t from, std::int64_t bytes) {
             orThrow(d.copyToHost(reinterpret_cast<void*>(to), from, bytes));
           })
      .def(
          "__eq__",
          [](const Device& a, nb::handle b) {
            return nb::isinstance<Device>(b) && a == nb::cast<const Device&>(b);
          },
          nb::arg().none())
      .def("__repr__", [](const Device& d) { return fmt::format("Device({})", d.name()); });
  m.def("cuda_device_count", [] {
    Expected<int> count = cudaDeviceCount();
    return count.ok() ? count.value() : 0;
  });
  m.def("most_active_clusters", [](const Device& device, std::int64_t blocks) {
    return mostActiveClusters(device, blocks).value();
  });
  m.def("known_targets", [] {
    nb::list names;
    for (std::string_view name : knownTargets()) names.append(nb::str(name.data(), name.size()));
    return names;
  });
}

void bindArray(nb::module_& m) {
  nb::class_<Array>(m, "Array")
      .def_static("from_dlpack", &arrayOf)
      .def_static("empty",
                  [](const Device& d, nb::handle type, std::vector<std::int64_t> shape) {
                    return Array::empty(d, dataType(toDType(type)), std::move(shape)).value();
                  })
      .def("view",
           [](const Array& a, std::int64_t offset, std::vector<std::int64_t> shape,
              std::vector<std::int64_t> strides) {
             return a.view(offset, std::move(shape), std::move(strides)).value();
           })
      .def("reinterpret",
           [](const Array& a, std::int64_t byte, nb::handle type, std::vector<std::int64_t> shape,
              std::vector<std::int64_t> strides) {
             return a.view(dataType(toDType(type)), byte, std::move(shape), std::move(strides))
                 .value();
           })
      .def_prop_ro("address", &Array::address)
      .def_prop_ro("shape", [](const Array& a) { return nb::tuple(nb::cast(a.shape())); })
      .def_prop_ro("strides", [](const Array& a) { return nb::tuple(nb::cast(a.strides())); })
      .def_prop_ro("on_host", &Array::isOnHost)
      .def_prop_ro("dtype", [](const Array& a) { return fromDType(elementType(a.type()).value()); })
      .def_prop_ro("device",
                   [](const Array& a) -> nb::object {
                     return a.device() ? nb::cast(*a.device()) : nb::none();
                   })
      .def("__repr__", &Array::text);
}

nb::dict countsOf(const sim::ProfileCounts& counts) {
  nb::dict result;
  for (const auto& [name, value] : sim::namedCounts(counts)) {
    result[nb::str(name.data(), name.size())] = value;
  }
  return result;
}

// A kernel's profile as `cutwork verify --counters --json` has it, as text, and as part of a page.
nb::dict profileOf(const ProfiledKernel& one) {
  nb::dict classes;
  const auto sums = one.profile.byClass();
  for (unsigned i = 0; i < sim::kInstructionClasses; ++i) {
    const std::string_view name = sim::name(static_cast<sim::InstructionClass>(i));
    if (sums[i].issued != 0) classes[nb::str(name.data(), name.size())] = sums[i].issued;
  }
  nb::list instructions;
  for (const sim::InstructionProfile& instruction : one.profile.instructions) {
    nb::dict row;
    row["ptx_line"] = instruction.ptx.line;
    row["text"] = instruction.text;
    row["class"] = std::string(sim::name(instruction.kind));
    row["fidelity"] = std::string(sim::name(instruction.fidelity));
    if (instruction.user.known()) {
      row["file"] = instruction.user.file;
      row["line"] = instruction.user.line;
    }
    row.update(countsOf(instruction.counts));
    instructions.append(row);
  }
  nb::dict result;
  result["kernel"] = one.profile.kernel;
  result["launches"] = one.launches;
  result["total"] = countsOf(one.profile.total());
  result["classes"] = classes;
  result["instructions"] = instructions;
  result["text"] = sim::profileText(one.profile, one.ptx);
  result["html"] = sim::profileHtml(one.profile, one.ptx);
  return result;
}

// What launches did since this was last asked, as a dictionary; None on a device that is not
// simulated. `fault` is the exit code of the last one that had one.
nb::object takeRuns(const Device& device) {
  const std::optional<SimulatedRuns> runs = takeSimulatedRuns(device);
  if (!runs) return nb::none();
  const sim::Counters& c = runs->counters;
  nb::dict counters;
  counters["blocks"] = c.blocks;
  counters["warp_instructions"] = c.warpInstructions;
  counters["lane_instructions"] = c.laneInstructions;
  counters["global_loads"] = c.globalLoads;
  counters["global_stores"] = c.globalStores;
  counters["global_bytes_loaded"] = c.globalBytesLoaded;
  counters["global_bytes_stored"] = c.globalBytesStored;
  counters["shared_loads"] = c.sharedLoads;
  counters["shared_stores"] = c.sharedStores;
  counters["atomics"] = c.atomics;
  counters["barriers"] = c.barriers;
  counters["divergent_branches"] = c.divergentBranches;
  nb::list profiles;
  for (const ProfiledKernel& one : runs->profiles) profiles.append(profileOf(one));
  nb::dict all;
  all["launches"] = runs->launches;
  all["profiles"] = profiles;
  all["counters"] = counters;
  all["fault"] = runs->fault ? nb::cast(asInt(runs->fault->code)) : nb::none();
  return all;
}

}  // namespace

void bindRuntime(nb::module_& m) {
  registerSimulatedDevices();
  bindDevice(m);
  bindArray(m);
  m.def("take_simulated_runs", &takeRuns);
  m.def("profile_simulated_runs", &profileSimulatedRuns, nb::arg("on"));
  // A page of (heading, HTML) pairs.
  m.def("profile_page", &sim::profilePage, nb::arg("title"), nb::arg("sections"));
  // What the environment says to the parts that are Python's; a value that is refused throws.
  m.def("knobs", [] {
    nb::dict all;
    const Knobs& now = knobs();
    all["print_after_preprocessor"] = now.printPython;
    all["log_autotune"] = now.logAutotune;
    all["device"] = now.device;
    all["sim_empty"] = now.simEmpty;
    all["dump_dir"] = now.dumpDir;
    all["compat_force"] = now.compatForce;
    all["enable_assertions"] = now.assertions;
    all["enable_tvm_ffi"] = now.tvmFfi;
    all["compiler_options"] = now.compilerOptions;
    all["warnings_ignore"] = now.warningsIgnore;
    all["whole_stacktrace"] = now.showStacktrace || !now.filterStacktrace;
    // What is to be said of variables is said now, not at the first line that is logged.
    static_cast<void>(logEnabled(LogLevel::Error));
    return all;
  });
  // What host functions and simulated kernels print goes where Python's print goes.
  m.def("set_printer", [](nb::object print) {
    auto kept = std::make_shared<nb::object>(std::move(print));
    setHostPrinter([kept](std::string_view text) {
      nb::gil_scoped_acquire gil;
      (*kept)(nb::str(text.data(), text.size()));
    });
  });
  m.def("reset_printer", [] { setHostPrinter({}); });
}

}  // namespace cutwork::python
