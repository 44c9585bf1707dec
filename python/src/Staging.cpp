// Staging.cpp -- traces for Python: places, regions, variables, host functions, launches.
#include <fmt/format.h>
#include <nanobind/stl/function.h>

#include <memory>

#include "Convert.h"
#include "cutwork/Compiler/Places.h"

namespace cutwork::python {

namespace {

using cute::Region;
using cute::Remap;

// Asks Python for (file, line), at most once for each line that runs: the frame says which.
class PythonPlaces final : public cute::PlaceSource {
 public:
  explicit PythonPlaces(nb::object ask) : ask_(std::move(ask)) {}
  SourcePlace place() override {
    nb::gil_scoped_acquire lock;  // outside traces any thread may ask
    nb::tuple place = nb::cast<nb::tuple>(ask_());
    return {nb::cast<std::string>(place[0]), nb::cast<std::uint32_t>(place[1]),
            nb::cast<std::uint32_t>(place[2]), nb::cast<std::string>(place[3])};
  }

 private:
  nb::object ask_;
};

// A trace with its places, from __init__ to close.
class PyTrace {
 public:
  PyTrace(const std::string& name, const std::string& target, nb::object ask) : places_(ask) {
    with_ = std::make_unique<cute::WithPlaces>(places_);
    trace_ = std::make_unique<HostTrace>(name, Target::parse(target).value());
  }
  HostTrace& get() {
    if (!trace_) throw nb::value_error("this trace is closed");
    return *trace_;
  }
  void close() {
    trace_.reset();
    with_.reset();
  }

 private:
  PythonPlaces places_;
  std::unique_ptr<cute::WithPlaces> with_;
  std::unique_ptr<HostTrace> trace_;
};

// The other leaves are walked by Python; these are the objects of C++.
nb::object remapped(Remap& r, nb::handle x) {
  if (const Scalar* scalar = scalarOf(x)) {
    if (scalar->leaf && !scalar->numeric.isConstant()) return wrap(remap(r, *scalar->leaf));
    return wrap(remap(r, scalar->numeric));
  }
  if (nb::isinstance<cute::Tensor>(x)) return nb::cast(remap(r, nb::cast<const cute::Tensor&>(x)));
  if (nb::isinstance<cute::Pointer>(x)) {
    return nb::cast(remap(r, nb::cast<const cute::Pointer&>(x)));
  }
  if (nb::isinstance<cute::Layout>(x)) return nb::cast(remap(r, nb::cast<const cute::Layout&>(x)));
  if (nb::isinstance<cute::ComposedLayout>(x)) {
    return nb::cast(remap(r, nb::cast<const cute::ComposedLayout&>(x)));
  }
  if (nb::isinstance<cute::TiledCopy>(x)) {
    return nb::cast(remap(r, nb::cast<const cute::TiledCopy&>(x)));
  }
  return nb::none();
}

LaunchOptions optionsOf(nb::dict given) {
  LaunchOptions options;
  options.raise_smem = true;
  for (auto [key, value] : given) {
    auto name = nb::cast<std::string>(key);
    if (name == "grid") options.grid = toTuple(value);
    if (name == "block") options.block = toTuple(value);
    if (name == "cluster") options.cluster = toTuple(value);
    if (name == "smem") options.smem.emplace(toArg(value));
    if (name == "stream") options.stream.emplace(nb::cast<cute::Stream>(value));
    if (name == "max_threads") options.max_threads = nb::cast<int>(value);
    if (name == "min_blocks") options.min_blocks = nb::cast<int>(value);
    if (name == "cooperative") options.cooperative = nb::cast<bool>(value);
    if (name == "use_pdl") options.use_pdl = nb::cast<bool>(value);
    if (name == "name") options.name = nb::cast<std::string>(value);
  }
  return options;
}

struct Slot {
  std::unique_ptr<cute::VarBase> variable;
};

/// Of a number, vector, tensor or pointer; anything else, and what is known, can be seen.
bool isVisible(nb::handle object) {
  if (const Scalar* scalar = scalarOf(object)) {
    return scalar->numeric.isConstant() || cute::isVisible(scalar->numeric.value());
  }
  if (nb::isinstance<cute::TensorSSA>(object)) {
    return cute::isVisible(nb::inst_ptr<cute::TensorSSA>(object)->value());
  }
  if (nb::isinstance<cute::Tensor>(object)) {
    return cute::isVisible(nb::inst_ptr<cute::Tensor>(object)->iterator().value());
  }
  if (nb::isinstance<cute::Pointer>(object)) {
    return cute::isVisible(nb::inst_ptr<cute::Pointer>(object)->value());
  }
  return true;
}

void bindRegions(nb::module_& m) {
  nb::class_<Region>(m, "Region")
      .def_prop_ro("index", [](const Region& r) { return wrap(r.index()); })
      .def("or_else", &Region::orElse)
      .def("condition", [](Region& r, nb::handle c) { r.condition(toArg(c)); })
      .def("close", &Region::close)
      .def("discard", &Region::discard);
  m.def("open_if", [](nb::handle c) { return Region::branch(toArg(c)); });
  m.def("open_for", [](nb::handle start, nb::handle stop, nb::handle step, int unroll, bool full) {
    return Region::loop({toArg(start), toArg(stop), toArg(step), unroll, full});
  });
  m.def("open_while", [] { return Region::whileLoop(); });
  m.def("return_if", [](nb::handle c) { cute::return_if(toArg(c)); });
  m.def("is_tracing", &cute::isTracing);
  m.def("is_tracing_kernel", &cute::isTracingKernel);
  m.def("is_visible", &isVisible);
  nb::class_<Slot>(m, "Slot")
      .def("__init__",
           [](Slot* self, nb::handle type, nb::handle initial) {
             new (self) Slot{cute::variableOfFunction(toDType(type))};
             self->variable->store(toArg(initial));
           })
      .def_prop_ro("dtype", [](const Slot& s) { return fromDType(s.variable->type()); })
      .def("load", [](const Slot& s) { return wrap(s.variable->load()); })
      .def("store", [](Slot& s, nb::handle x) { s.variable->store(toArg(x)); });
}

}  // namespace

HostTrace& traceOf(nb::handle object) { return nb::cast<PyTrace&>(object).get(); }

void bindStaging(nb::module_& m) {
  bindRegions(m);
  nb::class_<Remap>(m, "Remap").def("__call__", [](Remap& r, nb::handle x) {
    return remapped(r, x);
  });
  nb::class_<cute::Stream>(m, "Stream");
  m.def("set_places", [](nb::object ask) {
    cute::setPlaces(new PythonPlaces(std::move(ask)));  // NOLINT: for as long as the process lives
  });
  nb::class_<PyTrace>(m, "Trace")
      .def(nb::init<const std::string&, const std::string&, nb::object>())
      .def("tensor", [](PyTrace& t, const TensorSpec& spec) { return t.get().tensor(spec); })
      .def("scalar",
           [](PyTrace& t, nb::handle type) { return wrap(t.get().scalar(toDType(type))); })
      .def("pointer",
           [](PyTrace& t, nb::handle type, cute::AddressSpace space, std::int64_t alignment) {
             return t.get().pointer(toDType(type), space, alignment);
           })
      .def("stream", [](PyTrace& t) { return t.get().stream(); })
      .def("text", [](PyTrace& t) { return t.get().text(); })
      .def("places", [](PyTrace& t) { return placesOfTrace(t.get()); })
      .def("close", &PyTrace::close);
  m.def("launch", [](nb::dict options, nb::object collect, nb::object run) {
    detail::launchTraced(
        optionsOf(options), [&](Remap& r) { collect(nb::cast(&r, nb::rv_policy::reference)); },
        [&](Remap& r) { run(nb::cast(&r, nb::rv_policy::reference)); });
  });
  // Leaves of a tensor or pointer as numbers and back, for slots.
  m.def("pointer_from_int", [](nb::handle like, nb::handle address, std::int64_t alignment) {
    const auto& p = nb::cast<const cute::Pointer&>(like);
    cute::Pointer made = cute::make_ptr(p.type(), toArg(address), p.space(), alignment);
    return p.swizzle().isIdentity() ? made : made.withSwizzle(p.swizzle());
  });
}

}  // namespace cutwork::python
