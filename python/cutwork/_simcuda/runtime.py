# runtime.py -- cuda.bindings.runtime on the simulated device: each function gives (status, values...), as there.

from .. import _core
from . import handles as h
from . import work
from .driver import answer


class cudaDeviceProp:  # noqa: N801  (CUDA's name)
    """Of the simulated GPU."""

    def __init__(self):
        p = work.properties()
        self.name = f"Cutwork {p['name']}".encode()
        self.major, self.minor = work.capability()
        self.totalGlobalMem, self.multiProcessorCount, self.l2CacheSize = p["memory"], p["multiprocessors"], p["l2"]
        self.sharedMemPerBlock, self.sharedMemPerBlockOptin = p["shared_memory_per_block"], p["shared_memory_per_block_optin"]
        self.sharedMemPerMultiprocessor, self.regsPerMultiprocessor = p["shared_memory_per_multiprocessor"], p["registers_per_multiprocessor"]
        self.maxThreadsPerMultiProcessor, self.maxBlocksPerMultiProcessor = p["threads_per_multiprocessor"], p["blocks_per_multiprocessor"]
        self.maxThreadsPerBlock, self.warpSize, self.regsPerBlock = 1024, 32, 65536
        self.maxThreadsDim, self.maxGridSize = (1024, 1024, 64), (2**31 - 1, 65535, 65535)
        self.integrated, self.concurrentKernels, self.cooperativeLaunch, self.unifiedAddressing = 0, 1, 1, 1


def _fill(address, value, size, stream=None):
    work.fill(address, value, 1, size, stream)


def _instantiate(graph, *_):
    return graph.held


def _held(kind):
    return lambda made: h.RUNTIME[kind](id(made), made)


def _text(error):
    return h.CODES[int(error)][1].encode() if int(error) in h.CODES else b"unrecognized error code"


def functions():
    made, r = {}, h.RUNTIME

    def add(names, function, *kinds):
        for name in names.split():
            made[name] = answer(h.cudaError_t, function, *kinds)

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
    add("cudaStreamCreate", work.make_stream, r["cudaStream_t"])
    add("cudaStreamCreateWithFlags", work.make_stream, r["cudaStream_t"])
    add("cudaStreamCreateWithPriority", lambda flags, priority: work.make_stream(flags), r["cudaStream_t"])
    add("cudaStreamDestroy", work.end_stream)
    add("cudaStreamSynchronize", work.synchronize)
    add("cudaStreamQuery", lambda stream: None)
    add("cudaStreamWaitEvent", work.wait)
    add("cudaStreamBeginCapture", work.begin_capture)
    add("cudaStreamEndCapture", work.end_capture, _held("cudaGraph_t"))
    add("cudaStreamIsCapturing", work.capturing, h.cudaStreamCaptureStatus)
    add("cudaGraphInstantiate", _instantiate, _held("cudaGraphExec_t"))
    add("cudaGraphLaunch", lambda graph, stream: work.launch_graph(graph.held, stream))
    add("cudaEventCreate", lambda: work.make_event(), r["cudaEvent_t"])
    add("cudaEventCreateWithFlags", work.make_event, r["cudaEvent_t"])
    add("cudaEventRecord", work.record)
    add("cudaEventSynchronize cudaEventQuery", work.event_done)
    add("cudaEventElapsedTime", work.elapsed, None)
    add("cudaEventDestroy", work.end_event)
    add("cudaRuntimeGetVersion cudaDriverGetVersion", lambda: work.VERSION, None)
    add("cudaGetErrorString", _text, None)
    add("cudaGetErrorName", lambda error: h.cudaError_t(int(error)).name.encode(), None)
    return made


def members():
    types = {name: getattr(h, name) for name in ("cudaError_t", "cudaDeviceAttr", "cudaMemcpyKind", "cudaStreamCaptureMode",
                                                 "cudaStreamCaptureStatus")}
    return {**types, **h.RUNTIME, **functions(), "cudaDeviceProp": cudaDeviceProp, "cudaStreamDefault": 0, "cudaStreamNonBlocking": 1,
            "cudaEventDefault": 0, "cudaEventBlockingSync": 1, "cudaEventDisableTiming": 2, "cudaStreamLegacy": 0, "cudaStreamPerThread": 0}
