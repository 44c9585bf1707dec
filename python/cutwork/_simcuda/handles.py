# handles.py -- types of cuda.bindings: handles, status codes, attributes, structures.

import enum

# Codes that the stand-in gives, with the driver's names; the runtime's follow from them.
CODES = {0: ("SUCCESS", "no error"), 1: ("INVALID_VALUE", "invalid argument"), 2: ("OUT_OF_MEMORY", "out of memory"),
         3: ("NOT_INITIALIZED", "initialization error"), 100: ("NO_DEVICE", "no CUDA-capable device is detected"),
         101: ("INVALID_DEVICE", "invalid device ordinal"), 200: ("INVALID_IMAGE", "device kernel image is invalid"),
         201: ("INVALID_CONTEXT", "invalid device context"), 209: ("NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"),
         218: ("INVALID_PTX", "a PTX JIT compilation failed"), 301: ("FILE_NOT_FOUND", "file not found"),
         400: ("INVALID_HANDLE", "invalid resource handle"), 500: ("NOT_FOUND", "named symbol not found"),
         600: ("NOT_READY", "device not ready"), 719: ("LAUNCH_FAILED", "unspecified launch failure"),
         801: ("NOT_SUPPORTED", "operation not supported"),
         900: ("STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing")}
_RUNTIME = {"SUCCESS": "cudaSuccess", "OUT_OF_MEMORY": "cudaErrorMemoryAllocation", "NOT_INITIALIZED": "cudaErrorInitializationError",
            "INVALID_IMAGE": "cudaErrorInvalidKernelImage", "INVALID_CONTEXT": "cudaErrorDeviceUninitialized",
            "NO_BINARY_FOR_GPU": "cudaErrorNoKernelImageForDevice", "INVALID_HANDLE": "cudaErrorInvalidResourceHandle",
            "NOT_FOUND": "cudaErrorSymbolNotFound", "LAUNCH_FAILED": "cudaErrorLaunchFailure"}


def _runtime_name(name):
    return _RUNTIME.get(name) or "cudaError" + "".join(part.capitalize() for part in name.split("_"))


CUresult = enum.IntEnum("CUresult", {f"CUDA_{'' if code == 0 else 'ERROR_'}{name}": code for code, (name, _) in CODES.items()})
cudaError_t = enum.IntEnum("cudaError_t", {_runtime_name(name): code for code, (name, _) in CODES.items()})

ATTRIBUTES = {  # the driver's name: (number, the runtime's name)
    "MAX_THREADS_PER_BLOCK": (1, "MaxThreadsPerBlock"), "MAX_BLOCK_DIM_X": (2, "MaxBlockDimX"), "MAX_BLOCK_DIM_Y": (3, "MaxBlockDimY"),
    "MAX_BLOCK_DIM_Z": (4, "MaxBlockDimZ"), "MAX_GRID_DIM_X": (5, "MaxGridDimX"), "MAX_GRID_DIM_Y": (6, "MaxGridDimY"),
    "MAX_GRID_DIM_Z": (7, "MaxGridDimZ"), "MAX_SHARED_MEMORY_PER_BLOCK": (8, "MaxSharedMemoryPerBlock"), "WARP_SIZE": (10, "WarpSize"),
    "MAX_REGISTERS_PER_BLOCK": (12, "MaxRegistersPerBlock"), "CLOCK_RATE": (13, "ClockRate"),
    "MULTIPROCESSOR_COUNT": (16, "MultiProcessorCount"), "INTEGRATED": (18, "Integrated"), "CONCURRENT_KERNELS": (31, "ConcurrentKernels"),
    "MEMORY_CLOCK_RATE": (36, "MemoryClockRate"), "GLOBAL_MEMORY_BUS_WIDTH": (37, "GlobalMemoryBusWidth"), "L2_CACHE_SIZE": (38, "L2CacheSize"),
    "MAX_THREADS_PER_MULTIPROCESSOR": (39, "MaxThreadsPerMultiProcessor"), "UNIFIED_ADDRESSING": (41, "UnifiedAddressing"),
    "COMPUTE_CAPABILITY_MAJOR": (75, "ComputeCapabilityMajor"), "COMPUTE_CAPABILITY_MINOR": (76, "ComputeCapabilityMinor"),
    "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": (81, "MaxSharedMemoryPerMultiprocessor"),
    "MAX_REGISTERS_PER_MULTIPROCESSOR": (82, "MaxRegistersPerMultiprocessor"), "COOPERATIVE_LAUNCH": (95, "CooperativeLaunch"),
    "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": (97, "MaxSharedMemoryPerBlockOptin"),
    "MAX_BLOCKS_PER_MULTIPROCESSOR": (106, "MaxBlocksPerMultiprocessor"),
    "RESERVED_SHARED_MEMORY_PER_BLOCK": (111, "ReservedSharedMemoryPerBlock"), "CLUSTER_LAUNCH": (120, None)}
CUdevice_attribute = enum.IntEnum("CUdevice_attribute", {f"CU_DEVICE_ATTRIBUTE_{k}": n for k, (n, _) in ATTRIBUTES.items()})
cudaDeviceAttr = enum.IntEnum("cudaDeviceAttr", {f"cudaDevAttr{r}": n for n, r in ATTRIBUTES.values() if r})
CUfunction_attribute = enum.IntEnum("CUfunction_attribute", {f"CU_FUNC_ATTRIBUTE_{name}": n for n, name in enumerate(
    ("MAX_THREADS_PER_BLOCK", "SHARED_SIZE_BYTES", "CONST_SIZE_BYTES", "LOCAL_SIZE_BYTES", "NUM_REGS", "PTX_VERSION", "BINARY_VERSION",
     "CACHE_MODE_CA", "MAX_DYNAMIC_SHARED_SIZE_BYTES", "PREFERRED_SHARED_MEMORY_CARVEOUT", "CLUSTER_SIZE_MUST_BE_SET",
     "REQUIRED_CLUSTER_WIDTH", "REQUIRED_CLUSTER_HEIGHT", "REQUIRED_CLUSTER_DEPTH", "NON_PORTABLE_CLUSTER_SIZE_ALLOWED"))})
CUstream_flags = enum.IntEnum("CUstream_flags", {"CU_STREAM_DEFAULT": 0, "CU_STREAM_NON_BLOCKING": 1})
CUevent_flags = enum.IntEnum("CUevent_flags", {"CU_EVENT_DEFAULT": 0, "CU_EVENT_BLOCKING_SYNC": 1, "CU_EVENT_DISABLE_TIMING": 2,
                                               "CU_EVENT_INTERPROCESS": 4})
CUctx_flags = enum.IntEnum("CUctx_flags", {"CU_CTX_SCHED_AUTO": 0, "CU_CTX_SCHED_SPIN": 1, "CU_CTX_SCHED_YIELD": 2})
CUstreamCaptureMode = enum.IntEnum("CUstreamCaptureMode", {f"CU_STREAM_CAPTURE_MODE_{m}": i for i, m in enumerate(
    ("GLOBAL", "THREAD_LOCAL", "RELAXED"))})
CUstreamCaptureStatus = enum.IntEnum("CUstreamCaptureStatus", {f"CU_STREAM_CAPTURE_STATUS_{m}": i for i, m in enumerate(
    ("NONE", "ACTIVE", "INVALIDATED"))})
CUlaunchAttributeID = enum.IntEnum("CUlaunchAttributeID", {"CU_LAUNCH_ATTRIBUTE_IGNORE": 0, "CU_LAUNCH_ATTRIBUTE_COOPERATIVE": 2,
                                                           "CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION": 4,
                                                           "CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION": 6})
cudaMemcpyKind = enum.IntEnum("cudaMemcpyKind", {f"cudaMemcpy{m}": i for i, m in enumerate(
    ("HostToHost", "HostToDevice", "DeviceToHost", "DeviceToDevice", "Default"))})
cudaStreamCaptureMode = enum.IntEnum("cudaStreamCaptureMode", {f"cudaStreamCaptureMode{m}": i for i, m in enumerate(
    ("Global", "ThreadLocal", "Relaxed"))})
cudaStreamCaptureStatus = enum.IntEnum("cudaStreamCaptureStatus", {f"cudaStreamCaptureStatus{m}": i for i, m in enumerate(
    ("None", "Active", "Invalidated"))})


class Handle:
    """A handle of the driver: a number, and what the stand-in has for it."""

    def __init__(self, init_value=0, held=None, **_):
        self.value, self.held = int(init_value), held

    def __int__(self):
        return self.value

    __index__ = __int__

    def getPtr(self):  # noqa: N802  (cuda.bindings' name)
        import ctypes

        self._place = ctypes.c_void_p(self.value)
        return ctypes.addressof(self._place)

    def __eq__(self, other):
        try:
            return int(self) == int(other)
        except (TypeError, ValueError):
            return NotImplemented

    def __hash__(self):
        return hash(self.value)

    def __repr__(self):
        return f"<{type(self).__name__} {self.value:#x}>"


def _handles(*names):
    return {name: type(name, (Handle,), {}) for name in names}


DRIVER = _handles("CUstream", "CUcontext", "CUdevice", "CUevent", "CUdeviceptr", "CUmodule", "CUfunction", "CUlibrary", "CUkernel", "CUgraph",
                  "CUgraphExec")
RUNTIME = _handles("cudaStream_t", "cudaEvent_t", "cudaGraph_t", "cudaGraphExec_t")


class Dim3:
    def __init__(self, x=1, y=1, z=1):
        self.x, self.y, self.z = x, y, z


class CUlaunchAttributeValue:
    def __init__(self):
        self.clusterDim, self.cooperative, self.programmaticStreamSerializationAllowed = Dim3(), 0, 0


class CUlaunchAttribute:
    def __init__(self):
        self.id, self.value = CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_IGNORE, CUlaunchAttributeValue()


class CUlaunchConfig:
    def __init__(self):
        for axis in "XYZ":
            setattr(self, f"gridDim{axis}", 1)
            setattr(self, f"blockDim{axis}", 1)
        self.sharedMemBytes, self.hStream, self.attrs, self.numAttrs = 0, 0, [], 0
