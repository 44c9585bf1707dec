// Simulated.cpp -- what cutwork.simulated_torch and the stand-in of cuda.bindings need of a device.
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>

#include <cstring>

#include "Convert.h"
#include "Interrupt.h"
#include "cutwork/Runtime/Buffer.h"
#include "cutwork/Runtime/Module.h"
#include "cutwork/Simulator/HostMemory.h"

namespace cutwork::python {

namespace {

// Memory of the simulated device as a DLPack tensor of bytes of the host, for torch.
struct HostBytes {
  dlpack::ManagedTensor managed{};
  Buffer buffer;
  std::int64_t extent;
  std::int64_t stride = 1;
};

void dropCapsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor") == 0) return;  // a tensor has it
  auto* managed = static_cast<dlpack::ManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
  managed->deleter(managed);
}

nb::object allocateBytes(const Device& device, std::int64_t bytes) {
  const SimulatedMemory memory = simulatedMemory().value();
  // An empty tensor has a place too: that is how it is known to be on the device.
  Buffer buffer = device.allocate(std::max<std::int64_t>(bytes, 1)).value();
  auto* made = new HostBytes{{}, std::move(buffer), bytes};
  dlpack::Tensor& tensor = made->managed.tensor;
  tensor.data = static_cast<std::byte*>(memory.host) + (made->buffer.address() - memory.device);
  tensor.device = {dlpack::kCpu, 0};
  tensor.rank = 1;
  tensor.type = *DataType::parse("uint8");
  tensor.shape = &made->extent;
  tensor.strides = &made->stride;
  made->managed.context = made;
  made->managed.deleter = [](dlpack::ManagedTensor* self) {
    delete static_cast<HostBytes*>(self->context);
  };
  PyObject* capsule = PyCapsule_New(&made->managed, "dltensor", dropCapsule);
  if (capsule == nullptr) throw nb::python_error();
  return nb::steal(capsule);
}

// An array at an address of a device; the memory is the caller's to keep.
Array arrayAt(const Device& device, std::uint64_t address, nb::handle type,
              std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) {
  return Array::at(device, address, dataType(toDType(type)), std::move(shape), std::move(strides))
      .value();
}

Dim3 dim3(const std::array<std::int64_t, 3>& values) { return {values[0], values[1], values[2]}; }

void launch(const Function& function, const std::array<std::int64_t, 3>& grid,
            const std::array<std::int64_t, 3>& block, const std::array<std::int64_t, 3>& cluster,
            std::int64_t sharedMemory, std::uintptr_t stream, const std::vector<nb::bytes>& values,
            bool cooperative) {
  LaunchConfig config;
  config.grid = dim3(grid);
  config.block = dim3(block);
  config.cluster = dim3(cluster);
  config.sharedMemory = sharedMemory;
  config.stream = reinterpret_cast<StreamHandle>(stream);
  config.cooperative = cooperative;
  std::vector<const void*> parameters;
  const auto& known = function.properties().parameters;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i < known.size() && static_cast<std::int64_t>(values[i].size()) < known[i].size) {
      throw nb::value_error("a kernel's parameter is larger than the value that is given");
    }
    parameters.push_back(values[i].c_str());
  }
  runInterruptibly(true, [&] { return function.launch(config, parameters); });
}

void bindModules(nb::module_& m) {
  nb::class_<Function>(m, "DeviceFunction")
      .def_prop_ro("name", [](const Function& f) { return f.name(); })
      .def_prop_ro("static_shared_memory",
                   [](const Function& f) { return f.properties().staticSharedMemory; })
      .def_prop_ro("local_memory", [](const Function& f) { return f.properties().localMemory; })
      .def_prop_ro("registers", [](const Function& f) { return f.properties().registers; })
      .def_prop_ro("max_threads",
                   [](const Function& f) { return f.properties().maxThreadsPerBlock; })
      .def_prop_ro("parameters",
                   [](const Function& f) {
                     nb::list all;
                     for (const KernelParameter& p : f.properties().parameters) {
                       all.append(nb::make_tuple(p.offset, p.size));
                     }
                     return all;
                   })
      .def("active_blocks",
           [](const Function& f, std::int64_t threads, std::int64_t sharedMemory) {
             LaunchConfig config;
             config.block = {threads, 1, 1};
             config.sharedMemory = sharedMemory;
             return f.activeBlocks(config).value();
           })
      .def("launch", &launch);
  nb::class_<Module>(m, "DeviceModule")
      .def("function", [](const Module& module,
                          const std::string& name) { return module.function(name).value(); })
      .def("variable", [](const Module& module, const std::string& name) {
        const GlobalVariable found = module.global(name).value();
        return std::pair{found.address, found.bytes};
      });
  m.def("load_ptx", [](const Device& device, const std::string& ptx) {
    return device.loadModule(Image::fromPtx(ptx)).value();
  });
}

void bindMemory(nb::module_& m) {
  nb::class_<Buffer>(m, "DeviceBuffer")
      .def_prop_ro("address", &Buffer::address)
      .def_prop_ro("bytes", &Buffer::bytes);
  m.def("allocate", [](const Device& d, std::int64_t bytes) { return d.allocate(bytes).value(); });
  // (free, total) bytes.
  m.def("memory_info", [](const Device& d) {
    const MemoryInfo info = d.memoryInfo().value();
    return std::pair{info.freeBytes, info.totalBytes};
  });
  m.def("properties", [](const Device& d) {
    const DeviceProperties& p = d.properties();
    nb::dict all;
    all["name"] = p.card;
    all["memory"] = p.memoryBytes;
    all["multiprocessors"] = p.multiprocessors;
    all["shared_memory_per_block"] = p.limits.staticSharedMemory;
    all["shared_memory_per_block_optin"] = p.limits.sharedMemoryPerBlock;
    all["shared_memory_per_multiprocessor"] = p.limits.sharedMemoryPerMultiprocessor;
    all["threads_per_multiprocessor"] = p.limits.threadsPerMultiprocessor;
    all["blocks_per_multiprocessor"] = p.limits.blocksPerMultiprocessor;
    all["registers_per_multiprocessor"] = p.limits.registersPerMultiprocessor;
    all["l2"] = p.l2Bytes;
    all["clock_khz"] = p.clockKHz;
    all["memory_clock_khz"] = p.memoryClockKHz;
    all["memory_bus_bits"] = p.memoryBusBits;
    return all;
  });
  m.def("fill", [](const Device& d, std::uint64_t to, std::uint32_t value, int width,
                   std::int64_t count) { orThrow(d.fill(to, value, width, count)); });
  m.def("copy_on_device", [](const Device& d, std::uint64_t to, std::uint64_t from,
                             std::int64_t bytes) { orThrow(d.copyOnDevice(to, from, bytes)); });
  m.def("allocate_bytes", &allocateBytes);
  m.def("array_at", &arrayAt);
  // (where the host sees it, what kernels call it, bytes) of simulated memory.
  m.def("simulated_memory", [] {
    const SimulatedMemory memory = simulatedMemory().value();
    return nb::make_tuple(reinterpret_cast<std::uintptr_t>(memory.host), memory.device,
                          memory.bytes);
  });
  // What kernels call this place of the host; 0 if it is not in simulated memory.
  m.def("simulated_address",
        [](std::uintptr_t host) { return simulatedAddress(reinterpret_cast<const void*>(host)); });
  m.def("mark_written", [](std::uint64_t address, std::int64_t bytes) {
    orThrow(markSimulatedWritten(address, bytes));
  });
}

}  // namespace

void bindSimulated(nb::module_& m) {
  bindMemory(m);
  bindModules(m);
  nb::class_<SimulatedLaunches>(m, "SimulatedLaunches")
      .def(nb::init<>())
      .def("keep_from",
           [](SimulatedLaunches& launches, const Device& device, std::uintptr_t stream) {
             orThrow(launches.keepFrom(device, reinterpret_cast<StreamHandle>(stream)));
           })
      .def_static(
          "stop",
          [](const Device& device, std::uintptr_t stream) {
            orThrow(SimulatedLaunches::stop(device, reinterpret_cast<StreamHandle>(stream)));
          })
      .def("__len__", &SimulatedLaunches::size)
      .def("run", [](const SimulatedLaunches& launches, std::size_t begin, std::size_t end) {
        runInterruptibly(true, [&] { return launches.run(begin, end); });
      });
}

}  // namespace cutwork::python
