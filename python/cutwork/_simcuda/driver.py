# driver.py -- cuda.bindings.driver on the simulated device: each function gives (status, values...), as there.

import functools

from .. import _core
from . import handles as h
from . import work
from .work import Failure


def answer(status, function, *kinds):
    """A function of the bindings: its values behind the status, as the kinds that are given; alone: the status. None is a null handle
    or address, as 0 is."""
    ok = status(0)

    @functools.wraps(function)
    def call(*arguments, **keywords):
        try:
            made = function(*(0 if value is None else value for value in arguments), **keywords)
        except Failure as failure:
            return (status(failure.code), *(None for _ in kinds))
        if not kinds:
            return (ok,)
        values = made if len(kinds) > 1 else (made,)
        return (ok, *(kind(value) if kind else value for kind, value in zip(kinds, values, strict=True)))

    return call


def handle_with(kind):
    """A handle that keeps the object."""
    return lambda made: kind(id(made), made)


def adder(status, made):
    """add(names, function, kinds...) puts a function into `made`, by each of the names."""

    def add(names, function, *kinds):
        for name in names.split():
            made[name] = answer(status, function, *kinds)

    return add


def add_streams(add, prefix, kinds, capture_status):
    """What driver and runtime have by names that differ in the prefix: streams, events, captures, graphs. kinds: of a stream, an event,
    a graph, a graph to launch."""
    stream, event, graph, launched = kinds
    both = (("StreamCreateWithPriority", lambda flags, priority: work.make_stream(flags), stream), ("StreamDestroy", work.end_stream),
            ("StreamSynchronize", work.synchronize), ("StreamQuery", lambda stream: None), ("StreamWaitEvent", work.wait),
            ("StreamBeginCapture", work.begin_capture), ("StreamEndCapture", work.end_capture, handle_with(graph)),
            ("StreamIsCapturing", work.capturing, capture_status), ("GraphInstantiate", lambda graph, *a: work.held(graph), handle_with(launched)),
            ("GraphLaunch", lambda graph, stream: work.launch_graph(work.held(graph), stream)), ("EventRecord", work.record),
            ("EventSynchronize", work.event_done), ("EventQuery", work.event_done), ("EventElapsedTime", work.elapsed, None),
            ("EventDestroy", work.end_event))
    for name, function, *made in both:
        add(prefix + name, function, *made)


def _launch(f, gx, gy, gz, bx, by, bz, shared, stream, params, extra=0):
    if extra:
        raise NotImplementedError("cuLaunchKernel: `extra` is not there on the simulated device; give the parameters")
    work.launch(work.held(f), (gx, gy, gz), (bx, by, bz), shared, stream, params)


def _launch_cooperative(f, gx, gy, gz, bx, by, bz, shared, stream, params):
    work.launch(work.held(f), (gx, gy, gz), (bx, by, bz), shared, stream, params, cooperative=True)


def _launch_config(config, f, params, extra=0):
    if not isinstance(config, h.CUlaunchConfig):
        raise Failure(1)
    cluster, cooperative = (1, 1, 1), False
    for one in config.attrs[:config.numAttrs or None]:
        if one.id == h.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
            cluster = (one.value.clusterDim.x, one.value.clusterDim.y, one.value.clusterDim.z)
        elif one.id == h.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
            cooperative = bool(one.value.cooperative)
    work.launch(work.held(f), (config.gridDimX, config.gridDimY, config.gridDimZ), (config.blockDimX, config.blockDimY, config.blockDimZ),
                config.sharedMemBytes, config.hStream, params, cluster, cooperative)


def _load_file(name):
    if not isinstance(name, (str, bytes)):
        raise Failure(1)
    try:
        with open(name, "rb") as file:
            return work.load(file.read())
    except OSError as error:
        raise Failure(301) from error


def _text(index):
    def text(error):
        known = h.CODES.get(int(error))
        if known is None:
            raise Failure(1)
        name = "CUDA_" + ("" if int(error) == 0 else "ERROR_") + known[0]
        return (name if index == 0 else known[1]).encode()

    return text


def functions():
    """{name: function} of the driver."""
    p, d = work.properties, h.DRIVER
    made = {}
    add = adder(h.CUresult, made)
    pointer, stream, context = d["CUdeviceptr"], d["CUstream"], d["CUcontext"]
    add("cuInit cuDevicePrimaryCtxRelease cuDevicePrimaryCtxReset cuCtxDestroy cuCtxSetCurrent cuCtxPushCurrent cuModuleUnload "
        "cuLibraryUnload cuFuncSetAttribute cuFuncSetCacheConfig cuKernelSetAttribute cuGraphDestroy cuGraphExecDestroy cuCtxSetLimit",
        lambda *a: None)
    add("cuDriverGetVersion", lambda: work.VERSION, None)
    add("cuDeviceGet", work.device_index, d["CUdevice"])
    add("cuDeviceGetCount", lambda: 1, None)
    add("cuDeviceGetName", lambda size, device: f"Cutwork {p()['name']}".encode()[:max(size - 1, 0)], None)
    add("cuDeviceTotalMem", lambda device: p()["memory"], None)
    add("cuDeviceGetAttribute", work.attribute, None)
    add("cuDeviceComputeCapability", lambda device: work.capability(), None, None)
    add("cuDevicePrimaryCtxGetState", lambda device: (0, 1), None, None)
    add("cuDevicePrimaryCtxRetain cuCtxCreate cuCtxGetCurrent cuCtxPopCurrent", lambda *a: 1, context)
    add("cuCtxGetDevice", lambda: 0, d["CUdevice"])
    add("cuCtxSynchronize", lambda: work.synchronize())
    add("cuMemGetInfo", lambda: _core.memory_info(work.best()), None, None)
    add("cuMemAlloc cuMemAllocAsync", lambda size, *a: work.allocate(size), pointer)
    add("cuMemFree cuMemFreeAsync", lambda address, *a: work.release(address))
    add("cuMemAllocHost cuMemHostAlloc", lambda size, *a: work.allocate_host(size), None)
    add("cuMemFreeHost", work.release_host)
    add("cuMemcpyHtoD cuMemcpyDtoH cuMemcpyDtoD cuMemcpy cuMemcpyHtoDAsync cuMemcpyDtoHAsync cuMemcpyDtoDAsync cuMemcpyAsync", work.copy)
    for bits in (8, 16, 32):
        add(f"cuMemsetD{bits} cuMemsetD{bits}Async",
            lambda to, value, count, stream=None, width=bits // 8: work.fill(to, value, width, count, stream))
    add("cuStreamCreate", work.make_stream, stream)
    add("cuEventCreate", work.make_event, d["CUevent"])
    add_streams(add, "cu", (stream, d["CUevent"], d["CUgraph"], d["CUgraphExec"]), h.CUstreamCaptureStatus)
    made["cuGraphInstantiateWithFlags"], made["cuEventElapsedTime_v2"] = made["cuGraphInstantiate"], made["cuEventElapsedTime"]
    add("cuModuleLoadData cuModuleLoadDataEx cuModuleLoadFatBinary", lambda image, *a: work.load(image), handle_with(d["CUmodule"]))
    add("cuModuleLoad", _load_file, handle_with(d["CUmodule"]))
    add("cuLibraryLoadData", lambda code, *a: work.load(code), handle_with(d["CUlibrary"]))
    add("cuModuleGetFunction", lambda module, name: work.function(work.held(module), name), handle_with(d["CUfunction"]))
    add("cuLibraryGetKernel", lambda library, name: work.function(work.held(library), name), handle_with(d["CUkernel"]))
    add("cuKernelGetFunction", work.held, handle_with(d["CUfunction"]))
    add("cuModuleGetGlobal", lambda module, name: work.variable(work.held(module), name), pointer, None)
    add("cuFuncGetAttribute", lambda which, f: work.function_attribute(which, work.held(f)), None)
    add("cuFuncGetName", lambda f: work.held(f).name.encode(), None)
    add("cuLaunchKernel", _launch)
    add("cuLaunchCooperativeKernel", _launch_cooperative)
    add("cuLaunchKernelEx", _launch_config)
    add("cuOccupancyMaxActiveBlocksPerMultiprocessor cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
        lambda f, threads, shared, *a: work.active_blocks(work.held(f), threads, shared), None)
    add("cuOccupancyMaxPotentialBlockSize", lambda f, *a: work.potential_block(work.held(f)), None, None)
    add("cuGetErrorName", _text(0), None)
    add("cuGetErrorString", _text(1), None)
    return made


def members():
    types = {name: getattr(h, name) for name in ("CUresult", "CUdevice_attribute", "CUfunction_attribute", "CUstream_flags", "CUevent_flags",
                                                 "CUctx_flags", "CUstreamCaptureMode", "CUstreamCaptureStatus", "CUlaunchAttributeID",
                                                 "CUlaunchAttribute", "CUlaunchConfig")}
    return {**types, **h.DRIVER, **functions(), "CUDA_VERSION": work.VERSION, "CU_STREAM_LEGACY": 0, "CU_STREAM_PER_THREAD": 0}
