# _simulated_cuda.py -- cuda.bindings where no driver loads: its driver and runtime on the simulated device.

import ctypes
import sys
import types

NVRTC = ("cuda.bindings.nvrtc is not there on the simulated device: it compiles CUDA C++, which needs NVIDIA's library. Load PTX with "
         "cuModuleLoadData, or write the kernel with cutlass.cute")


def driver_loads():
    """Whether there is a CUDA driver on this machine."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


def _module(name, members, why=None):
    module = types.ModuleType(name)
    module.__doc__ = "Stands in for cuda.bindings on the simulated device."
    module.__cutwork_stand_in__ = True
    module.__dict__.update(members)

    def missing(asked):
        if why is not None and not asked.startswith("__"):
            raise AttributeError(f"{name}.{asked}: {why}")
        raise AttributeError(f"{name} has no '{asked}': it stands in for cuda.bindings on the simulated device, and does not have all "
                             "of it (docs/python.md, Without a GPU)")

    module.__getattr__ = missing
    return module


def is_active():
    return hasattr(sys.modules.get("cuda.bindings.driver"), "__cutwork_stand_in__")


def activate():
    """Puts the stand-ins in place where no driver loads; the old names cuda.cuda, cuda.cudart and cuda.nvrtc too."""
    if is_active() or driver_loads():
        return
    from ._simcuda import driver, runtime

    bindings, package = types.ModuleType("cuda.bindings"), types.ModuleType("cuda")
    parts = {"driver": _module("cuda.bindings.driver", driver.members()), "runtime": _module("cuda.bindings.runtime", runtime.members()),
             "nvrtc": _module("cuda.bindings.nvrtc", {}, NVRTC)}
    old = {"cuda": parts["driver"], "cudart": parts["runtime"], "nvrtc": parts["nvrtc"]}
    bindings.__path__, package.__path__ = [], []
    bindings.__version__ = package.__version__ = "13.0.0"
    package.bindings = bindings
    sys.modules.update({"cuda": package, "cuda.bindings": bindings})
    for place, names, prefix in ((bindings, parts, "cuda.bindings"), (package, old, "cuda")):
        for name, module in names.items():
            setattr(place, name, module)
            sys.modules[f"{prefix}.{name}"] = module
