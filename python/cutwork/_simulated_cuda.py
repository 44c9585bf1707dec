# _simulated_cuda.py -- cuda.bindings where no driver loads: streams, events, and calls that succeed.

import ctypes
import enum
import sys
import types


def driver_loads():
    """Whether there is a CUDA driver on this machine."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


class CUresult(enum.IntEnum):
    CUDA_SUCCESS = 0
    CUDA_ERROR_INVALID_VALUE = 1


class cudaError_t(enum.IntEnum):  # noqa: N801  (CUDA's name)
    cudaSuccess = 0
    cudaErrorInvalidValue = 1


class CUstream_flags(enum.IntEnum):  # noqa: N801  (CUDA's name)
    CU_STREAM_DEFAULT = 0
    CU_STREAM_NON_BLOCKING = 1


class _Handle:
    """A handle of the driver: a number."""

    def __init__(self, value=0):
        self.value = int(value)

    def __int__(self):
        return self.value

    __index__ = __int__

    def getPtr(self):  # noqa: N802  (cuda.bindings' name)
        return self.value

    def __eq__(self, other):
        return int(self) == int(other)

    def __hash__(self):
        return hash(self.value)

    def __repr__(self):
        return f"<{type(self).__name__} {self.value:#x}>"


CUstream = type("CUstream", (_Handle,), {})
CUcontext = type("CUcontext", (_Handle,), {})
CUdevice = type("CUdevice", (_Handle,), {})
CUevent = type("CUevent", (_Handle,), {})
CUdeviceptr = type("CUdeviceptr", (_Handle,), {})
cudaStream_t = type("cudaStream_t", (_Handle,), {})
cudaEvent_t = type("cudaEvent_t", (_Handle,), {})


def _module(name, **members):
    module = types.ModuleType(name)
    module.__doc__ = "Stands in for cuda.bindings on the simulated device."
    module.__dict__.update(members)

    def missing(function):
        if not function.startswith(("cu", "cuda")):
            raise AttributeError(f"{name} has no '{function}'")
        raise AttributeError(f"{name}.{function} is not there on the simulated device; it has {', '.join(members)}")

    module.__getattr__ = missing
    return module


def _driver():
    ok = CUresult.CUDA_SUCCESS
    return _module("cuda.bindings.driver", CUresult=CUresult, CUstream=CUstream, CUcontext=CUcontext, CUdevice=CUdevice,
                   CUstream_flags=CUstream_flags, CUevent=CUevent, CUdeviceptr=CUdeviceptr, cuInit=lambda flags: (ok,),
                   cuDeviceGet=lambda i: (ok, CUdevice(i)), cuDeviceGetCount=lambda: (ok, 1),
                   cuCtxCreate=lambda *a: (ok, CUcontext(1)), cuCtxGetCurrent=lambda: (ok, CUcontext(1)),
                   cuCtxSetCurrent=lambda c: (ok,), cuCtxSynchronize=lambda: (ok,), cuCtxDestroy=lambda c: (ok,),
                   cuDevicePrimaryCtxRetain=lambda d: (ok, CUcontext(1)), cuStreamCreate=lambda f: (ok, CUstream(0)),
                   cuStreamSynchronize=lambda s: (ok,), cuStreamDestroy=lambda s: (ok,),
                   cuDriverGetVersion=lambda: (ok, 13000), cuGetErrorString=lambda e: (ok, b"no error"))


def _runtime():
    ok = cudaError_t.cudaSuccess
    return _module("cuda.bindings.runtime", cudaError_t=cudaError_t, cudaStream_t=cudaStream_t, cudaEvent_t=cudaEvent_t,
                   cudaDeviceSynchronize=lambda: (ok,), cudaStreamCreate=lambda: (ok, cudaStream_t(0)),
                   cudaStreamSynchronize=lambda s: (ok,), cudaGetDevice=lambda: (ok, 0), cudaSetDevice=lambda d: (ok,),
                   cudaRuntimeGetVersion=lambda: (ok, 13000))


def activate():
    """Puts the stand-ins in place where no driver loads."""
    if driver_loads() or getattr(sys.modules.get("cuda.bindings.driver"), "CUstream", None) is CUstream:
        return
    bindings, package = types.ModuleType("cuda.bindings"), types.ModuleType("cuda")
    bindings.driver, bindings.runtime = _driver(), _runtime()
    bindings.__path__, package.__path__ = [], []
    package.bindings = bindings
    sys.modules.update({"cuda": package, "cuda.bindings": bindings, "cuda.bindings.driver": bindings.driver,
                        "cuda.bindings.runtime": bindings.runtime})
