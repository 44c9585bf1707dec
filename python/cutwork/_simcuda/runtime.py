# runtime.py -- cuda.bindings.runtime on the simulated device: each function gives (status, values...), as there.

from .. import _core
from .._device import capability
from . import handles as h
from . import work
from .driver import add_streams, adder


class cudaDeviceProp:  # noqa: N801  (CUDA's name)
    """Of the simulated GPU."""

    def __init__(self):
        p = work.properties()
        self.name = f"Cutwork {p['name']}".encode()
        self.major, self.minor = capability()
        self.totalGlobalMem, self.multiProcessorCount, self.l2CacheSize = p["memory"], p["multiprocessors"], p["l2"]
        self.sharedMemPerBlock, self.sharedMemPerBlockOptin = p["shared_memory_per_block"], p["shared_memory_per_block_optin"]
        self.sharedMemPerMultiprocessor, self.regsPerMultiprocessor = p["shared_memory_per_multiprocessor"], p["registers_per_multiprocessor"]
        self.maxThreadsPerMultiProcessor, self.maxBlocksPerMultiProcessor = p["threads_per_multiprocessor"], p["blocks_per_multiprocessor"]
        self.maxThreadsPerBlock, self.warpSize, self.regsPerBlock = 1024, 32, 65536
        self.maxThreadsDim, self.maxGridSize = (1024, 1024, 64), (2**31 - 1, 65535, 65535)
        self.integrated, self.concurrentKernels, self.cooperativeLaunch, self.unifiedAddressing = 0, 1, 1, 1


def _fill(address, value, size, stream=None):
    work.fill(address, value, 1, size, stream)


def _text(of):
    return lambda error: of(int(error)).encode() if int(error) in h.CODES else b"unrecognized error code"


def functions():
    made, r = {}, h.RUNTIME
    add = adder(h.cudaError_t, made)
    add("cudaFree cudaFreeAsync", lambda address, *a: work.release(address))
    add("cudaMalloc cudaMallocAsync", lambda size, *a: work.allocate(size), None)
    add("cudaMallocHost cudaHostAlloc", lambda size, *a: work.allocate_host(size), None)
    add("cudaFreeHost", work.release_host)
    add("cudaMemcpy cudaMemcpyAsync", lambda to, source, size, kind, stream=None: work.copy(to, source, size, stream))
    add("cudaMemset cudaMemsetAsync", _fill)
    add("cudaMemGetInfo", lambda: _core.memory_info(work.best()), None, None)
    add("cudaGetDeviceCount", lambda: 1, None)
    add("cudaGetDevice", lambda: 0, None)
    add("cudaSetDevice", lambda device: work.device_index(device) and None)
    add("cudaGetDeviceProperties", lambda device: (work.device_index(device), cudaDeviceProp())[1], None)
    add("cudaDeviceGetAttribute", work.attribute, None)
    add("cudaDeviceSynchronize", lambda: work.synchronize())
    add("cudaDeviceReset cudaProfilerStart cudaProfilerStop cudaGetLastError cudaPeekAtLastError cudaGraphDestroy cudaGraphExecDestroy",
        lambda *a: None)
    add("cudaStreamCreate cudaStreamCreateWithFlags", work.make_stream, r["cudaStream_t"])
    add("cudaEventCreate", lambda: work.make_event(), r["cudaEvent_t"])
    add("cudaEventCreateWithFlags", work.make_event, r["cudaEvent_t"])
    add_streams(add, "cuda", (r["cudaStream_t"], r["cudaEvent_t"], r["cudaGraph_t"], r["cudaGraphExec_t"]), h.cudaStreamCaptureStatus)
    add("cudaRuntimeGetVersion cudaDriverGetVersion", lambda: work.VERSION, None)
    add("cudaGetErrorString", _text(lambda code: h.CODES[code][1]), None)
    add("cudaGetErrorName", _text(lambda code: h.cudaError_t(code).name), None)
    return made


def members():
    types = {name: getattr(h, name) for name in ("cudaError_t", "cudaDeviceAttr", "cudaMemcpyKind", "cudaStreamCaptureMode",
                                                 "cudaStreamCaptureStatus")}
    return {**types, **h.RUNTIME, **functions(), "cudaDeviceProp": cudaDeviceProp, "cudaStreamDefault": 0, "cudaStreamNonBlocking": 1,
            "cudaEventDefault": 0, "cudaEventBlockingSync": 1, "cudaEventDisableTiming": 2, "cudaStreamLegacy": 0, "cudaStreamPerThread": 0}
