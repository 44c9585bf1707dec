// Compile.cpp -- argument specifications, compilation and compiled functions for Python.
#include <fmt/format.h>

#include "Convert.h"
#include "Interrupt.h"
#include "cutwork/Support/Knobs.h"

namespace cutwork::python {

HostTrace& traceOf(nb::handle object);

namespace {

LeafSpec leafOf(nb::handle object) {
  if (PyLong_Check(object.ptr()))
    return {true, nb::cast<std::int64_t>(object), cute::Width::I32, 1};
  // (bits, divisor)
  nb::tuple dynamic = nb::cast<nb::tuple>(object);
  bool wide = nb::cast<int>(dynamic[0]) == 64;
  return {false, 0, wide ? cute::Width::I64 : cute::Width::I32, nb::cast<std::int64_t>(dynamic[1])};
}

nb::object fromLeaf(const LeafSpec& leaf) {
  if (leaf.known) return nb::int_(leaf.value);
  return nb::make_tuple(static_cast<int>(leaf.width), leaf.divisor);
}

std::vector<LeafSpec> leavesOf(nb::handle list) {
  std::vector<LeafSpec> leaves;
  for (nb::handle item : nb::borrow<nb::iterable>(list)) leaves.push_back(leafOf(item));
  return leaves;
}
nb::tuple fromLeaves(const std::vector<LeafSpec>& leaves) {
  nb::list out;
  for (const LeafSpec& leaf : leaves) out.append(fromLeaf(leaf));
  return nb::tuple(out);
}

void bindSpecs(nb::module_& m) {
  nb::class_<TensorSpec>(m, "TensorSpec")
      .def("__init__",
           [](TensorSpec* self, nb::handle type, cute::AddressSpace space, std::int64_t alignment,
              nb::handle shape, nb::handle stride) {
             new (self)
                 TensorSpec{toDType(type), space, alignment, leavesOf(shape), leavesOf(stride)};
           })
      .def_prop_rw(
          "dtype", [](const TensorSpec& s) { return fromDType(s.type); },
          [](TensorSpec& s, nb::handle type) { s.type = toDType(type); })
      .def_rw("space", &TensorSpec::space)
      .def_rw("alignment", &TensorSpec::alignment)
      .def_prop_rw(
          "shape", [](const TensorSpec& s) { return fromLeaves(s.shape); },
          [](TensorSpec& s, nb::handle x) { s.shape = leavesOf(x); })
      .def_prop_rw(
          "stride", [](const TensorSpec& s) { return fromLeaves(s.stride); },
          [](TensorSpec& s, nb::handle x) { s.stride = leavesOf(x); })
      .def(
          "__eq__",
          [](const TensorSpec& a, nb::handle b) {
            return nb::isinstance<TensorSpec>(b) && a == nb::cast<const TensorSpec&>(b);
          },
          nb::arg().none());
  nb::class_<ScalarSpec>(m, "ScalarSpec").def("__init__", [](ScalarSpec* self, nb::handle type) {
    new (self) ScalarSpec{toDType(type)};
  });
  nb::class_<PointerSpec>(m, "PointerSpec")
      .def("__init__",
           [](PointerSpec* self, nb::handle type, cute::AddressSpace space,
              std::int64_t alignment) { new (self) PointerSpec{toDType(type), space, alignment}; });
  nb::class_<StreamSpec>(m, "StreamSpec").def(nb::init<>());
  nb::class_<TensorArgument>(m, "TensorArgument")
      .def(nb::init<Array, TensorSpec>())
      .def_static("from_array",
                  [](const Array& a, std::int64_t alignment) { return from_dlpack(a, alignment); })
      .def_static("dynamic", [](const Array& a) { return dynamic(a); })
      .def_prop_ro("array", &TensorArgument::array)
      .def_prop_ro("spec", [](const TensorArgument& t) { return t.spec(); })
      .def("mark_layout_dynamic",
           [](TensorArgument& t, int leading) { t.mark_layout_dynamic(leading); })
      .def("mark_compact_shape_dynamic",
           [](TensorArgument& t, int mode, std::vector<int> order, std::int64_t divisibility) {
             t.mark_compact_shape_dynamic(mode, std::move(order), divisibility);
           });
}

ArgumentSpec specOf(nb::handle object) {
  if (nb::isinstance<TensorSpec>(object)) return nb::cast<const TensorSpec&>(object);
  if (nb::isinstance<ScalarSpec>(object)) return nb::cast<const ScalarSpec&>(object);
  if (nb::isinstance<PointerSpec>(object)) return nb::cast<const PointerSpec&>(object);
  return StreamSpec{};
}

struct StreamArgument {
  std::uintptr_t handle;
};

CallArgument argumentOf(nb::handle object) {
  PyObject* p = object.ptr();
  if (PyBool_Check(p)) return {std::int64_t{p == Py_True}};
  if (PyLong_Check(p)) {
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(p, &overflow);
    // An address or a Uint64 with its highest bit: the same bits.
    if (overflow != 0) value = static_cast<long long>(PyLong_AsUnsignedLongLong(p));
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    return {static_cast<std::int64_t>(value)};
  }
  if (PyFloat_Check(p)) return {PyFloat_AS_DOUBLE(p)};
  if (nb::isinstance<Array>(object)) return {*nb::inst_ptr<Array>(object)};
  if (nb::isinstance<TensorArgument>(object)) return {*nb::inst_ptr<TensorArgument>(object)};
  if (nb::isinstance<StreamArgument>(object)) {
    return {reinterpret_cast<StreamHandle>(nb::inst_ptr<StreamArgument>(object)->handle)};
  }
  raiseTypeError("an array, a number or a stream", object);
}

void call(const CompiledFunction& f, nb::handle device, nb::list arguments) {
  std::vector<CallArgument> all;
  all.reserve(arguments.size());
  for (nb::handle argument : arguments) all.push_back(argumentOf(argument));
  const Device* on = device.is_none() ? nullptr : nb::inst_ptr<Device>(device);
  runInterruptibly(on == nullptr || on->properties().simulated,
                   [&] { return on == nullptr ? f.call(all) : f.callOn(*on, all); });
}

nb::list resourcesOf(const CompiledFunction& f) {
  nb::list out;
  const std::vector<EntryResources> found = f.resources().value();
  for (const EntryResources& r : found) {
    nb::dict entry;
    entry["name"] = r.name;
    entry["registers"] = r.registers;
    entry["barriers"] = r.barriers;
    entry["stack"] = r.stack;
    entry["spill_stores"] = r.spillStores;
    entry["spill_loads"] = r.spillLoads;
    entry["shared_memory"] = r.sharedMemory;
    out.append(entry);
  }
  return out;
}

// What fits on a multiprocessor at once; the blocks as the device says, if one is named.
nb::dict occupancyOf(const CompiledFunction& f, nb::handle device, const std::string& kernel,
                     std::int64_t threads, std::int64_t dynamicSharedMemory) {
  const Occupancy found = f.occupancy(kernel, threads, dynamicSharedMemory).value();
  std::int64_t blocks = found.blocks;
  if (!device.is_none()) {
    const auto& on = *nb::inst_ptr<Device>(device);
    blocks = f.activeBlocks(on, kernel, threads, dynamicSharedMemory).value();
  }
  const std::int64_t warps = found.blocks == 0 ? 0 : found.warps / found.blocks * blocks;
  nb::dict out;
  out["blocks"] = blocks;
  out["warps"] = warps;
  out["occupancy"] = found.mostWarps == 0
                         ? 0.0
                         : static_cast<double>(warps) / static_cast<double>(found.mostWarps);
  out["limited_by"] = std::string(found.limitedBy);
  return out;
}

void bindCompiled(nb::module_& m) {
  nb::class_<StreamArgument>(m, "StreamArgument")
      .def("__init__", [](StreamArgument* s, std::uintptr_t h) { new (s) StreamArgument{h}; });
  nb::class_<CompiledFunction>(m, "CompiledFunction")
      .def("call", &call, nb::arg("device").none(), nb::arg("arguments"))
      .def_prop_ro("name", [](const CompiledFunction& f) { return f.name(); })
      .def_prop_ro("target", [](const CompiledFunction& f) { return f.target().name(); })
      .def_prop_ro("mlir", [](const CompiledFunction& f) { return f.mlir(); })
      .def_prop_ro("lowered_mlir", [](const CompiledFunction& f) { return f.loweredMlir(); })
      .def_prop_ro("llvm", [](const CompiledFunction& f) { return f.llvm(); })
      .def_prop_ro("ptx", [](const CompiledFunction& f) { return f.ptx(); })
      .def_prop_ro("kernels", [](const CompiledFunction& f) { return f.kernels(); })
      .def("remarks", [](const CompiledFunction& f) { return f.remarks(); })
      .def("resources", &resourcesOf)
      .def(
          "sass",
          [](const CompiledFunction& f, const std::vector<std::string>& options) {
            return f.sass(options).value();
          },
          nb::arg("options"))
      .def("occupancy", &occupancyOf, nb::arg("device").none(), nb::arg("kernel"),
           nb::arg("threads"), nb::arg("dynamic_smem"))
      .def("cubin", [](const CompiledFunction& f) {
        std::vector<std::byte> bytes = f.cubin().value();
        return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      });
}

CompiledFunction compile(nb::handle trace, nb::list specs, nb::dict given) {
  std::vector<ArgumentSpec> all;
  for (nb::handle spec : specs) all.push_back(specOf(spec));
  CompileOptions options;
  if (given.contains("optimisation")) options.optimisation = nb::cast<int>(given["optimisation"]);
  if (given.contains("store")) options.store = nb::cast<bool>(given["store"]);
  if (given.contains("max_registers")) options.maxRegisters = nb::cast<int>(given["max_registers"]);
  if (given.contains("ptxas_options")) {
    options.ptxasOptions = nb::cast<std::vector<std::string>>(given["ptxas_options"]);
  }
  if (given.contains("argument_names")) {
    options.argumentNames = nb::cast<std::vector<std::string>>(given["argument_names"]);
  }
  HostTrace& host = traceOf(trace);
  nb::gil_scoped_release nogil;
  return compileTrace(host, std::move(all), options).value();
}

}  // namespace

void bindCompile(nb::module_& m) {
  bindSpecs(m);
  bindCompiled(m);
  m.def("compile", &compile);
  m.def("remembers", [] { return !knobs().noCache; });
  m.def("most_compiled", [] { return knobs().jitCacheMost; });
  m.def(
      "target_for",
      [](nb::handle device) {
        const Device* on = device.is_none() ? nullptr : nb::inst_ptr<Device>(device);
        return targetFor({}, on).value().name();
      },
      nb::arg("device").none());
}

}  // namespace cutwork::python
