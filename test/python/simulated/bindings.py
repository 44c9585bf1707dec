# bindings.py -- checks: cuda.bindings' driver and runtime on the simulated device, without torch.
import ctypes
import inspect
import sys

import checks
import cuda.bindings.driver as driver
import cuda.bindings.runtime as runtime
import cutlass
import cutlass.cute as cute
import numpy
from checks import raises, scale_kernel

PTX = """
.version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 counter;
.visible .entry add_n(.param .u64 p, .param .u32 n, .param .f32 value) {
  .reg .b64 %a, %o; .reg .b32 %i, %n, %b, %t; .reg .f32 %v, %w; .reg .pred %c;
  ld.param.u64 %a, [p];
  ld.param.u32 %n, [n];
  ld.param.f32 %v, [value];
  mov.u32 %b, %ctaid.x;
  mov.u32 %t, %tid.x;
  mad.lo.u32 %i, %b, 32, %t;
  setp.ge.u32 %c, %i, %n;
  @%c ret;
  mul.wide.u32 %o, %i, 4;
  add.u64 %a, %a, %o;
  ld.global.f32 %w, [%a];
  add.f32 %w, %w, %v;
  st.global.f32 [%a], %w;
  ret;
}
"""


def done(answer):
    """The values behind a status that is success."""
    status, *values = answer
    assert int(status) == 0, status
    return values[0] if len(values) == 1 else tuple(values)


def loaded():
    module = done(driver.cuModuleLoadData(PTX.encode() + b"\0"))
    return module, done(driver.cuModuleGetFunction(module, b"add_n"))


def check_device_and_context():
    assert "torch" not in sys.modules
    assert driver.cuInit(0) == (driver.CUresult.CUDA_SUCCESS,) and done(driver.cuDeviceGetCount()) == 1
    device = done(driver.cuDeviceGet(0))
    assert driver.cuDeviceGet(1)[0] == driver.CUresult.CUDA_ERROR_INVALID_DEVICE
    attributes = driver.CUdevice_attribute
    major = done(driver.cuDeviceGetAttribute(attributes.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device))
    assert major == 9 and done(driver.cuDeviceComputeCapability(device)) == (9, 0)
    assert done(driver.cuDeviceGetAttribute(attributes.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device)) > 0
    assert b"simulated" in done(driver.cuDeviceGetName(64, device)) and done(driver.cuDeviceTotalMem(device)) > 1 << 30
    context = done(driver.cuDevicePrimaryCtxRetain(device))
    done(driver.cuCtxSetCurrent(context)), done(driver.cuCtxSynchronize())
    assert int(done(driver.cuCtxGetCurrent())) == int(context) and done(driver.cuDriverGetVersion()) >= 12000
    assert done(driver.cuGetErrorString(driver.CUresult.CUDA_ERROR_INVALID_VALUE)) == b"invalid argument"
    assert done(driver.cuGetErrorName(driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY)) == b"CUDA_ERROR_OUT_OF_MEMORY"


def check_memory():
    free, _ = done(driver.cuMemGetInfo())
    x = numpy.arange(8, dtype=numpy.float32)
    p, q = done(driver.cuMemAlloc(x.nbytes)), done(driver.cuMemAlloc(x.nbytes))
    assert done(driver.cuMemGetInfo())[0] == free - 2 * x.nbytes
    done(driver.cuMemcpyHtoD(p, x.ctypes.data, x.nbytes)), done(driver.cuMemcpyDtoD(q, p, x.nbytes))
    done(driver.cuMemsetD32(int(p) + 16, 0x3F800000, 2))
    y, z = numpy.zeros_like(x), numpy.zeros_like(x)
    done(driver.cuMemcpyDtoH(y.ctypes.data, p, x.nbytes)), done(driver.cuMemcpyDtoH(z, q, x.nbytes))
    assert y.tolist() == [0, 1, 2, 3, 1, 1, 6, 7] and z.tolist() == x.tolist()
    assert driver.cuMemcpyDtoH(y.ctypes.data, int(p) + 16, 32) == (driver.CUresult.CUDA_ERROR_INVALID_VALUE,)
    done(driver.cuMemFree(p)), done(driver.cuMemFree(q))
    assert driver.cuMemFree(p)[0] == driver.CUresult.CUDA_ERROR_INVALID_VALUE
    assert driver.cuMemAlloc(1 << 45)[0] == driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY


def check_modules_and_launches():
    module, function = loaded()
    n, p = 100, done(driver.cuMemAlloc(400))
    done(driver.cuMemsetD32(p, 0, n))
    stream = done(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING))
    types = (ctypes.c_void_p, ctypes.c_uint32, ctypes.c_float)
    done(driver.cuLaunchKernel(function, 4, 1, 1, 32, 1, 1, 0, stream, ((int(p), n, 1.5), types), 0))
    done(driver.cuLaunchKernel(function, 4, 1, 1, 32, 1, 1, 0, stream, ((p, n, 1.0), (None, *types[1:])), 0))
    values = [ctypes.c_void_p(int(p)), ctypes.c_uint32(50), ctypes.c_float(4.0)]  # the C way
    pointers = (ctypes.c_void_p * 3)(*[ctypes.addressof(v) for v in values])
    done(driver.cuLaunchKernel(function, 4, 1, 1, 32, 1, 1, 0, stream, ctypes.addressof(pointers), 0))
    config = driver.CUlaunchConfig()
    config.gridDimX, config.blockDimX, config.hStream = 4, 32, stream
    done(driver.cuLaunchKernelEx(config, function, ((int(p), n, 0.5), types), 0))
    done(driver.cuStreamSynchronize(stream))
    out = numpy.zeros(n, numpy.float32)
    done(driver.cuMemcpyDtoH(out, p, out.nbytes))
    assert (out[:50] == 7).all() and (out[50:] == 3).all()
    assert driver.cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, 0, ((int(p), n, 0.0), types), 0)[0] == driver.CUresult.CUDA_ERROR_INVALID_VALUE
    with raises(Exception, "bounds"):
        driver.cuLaunchKernel(function, 8, 1, 1, 32, 1, 1, 0, 0, ((int(p), 200, 0.0), types), 0)
    assert done(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(function, 256, 0)) > 0
    assert done(driver.cuOccupancyMaxPotentialBlockSize(function, None, 0, 0))[1] == 1024
    assert done(driver.cuFuncGetAttribute(driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function)) == 1024
    assert done(driver.cuModuleGetGlobal(module, b"counter"))[1] == 4
    assert driver.cuModuleGetFunction(module, b"nothing")[0] == driver.CUresult.CUDA_ERROR_NOT_FOUND
    assert driver.cuModuleLoadData(b".version 8.0\n.target sm_80\nnonsense")[0] == driver.CUresult.CUDA_ERROR_INVALID_PTX
    with raises(NotImplementedError, "PTX text"):
        driver.cuModuleLoadData(b"\x7fELF")
    library = done(driver.cuLibraryLoadData(PTX.encode(), None, None, 0, None, None, 0))
    assert done(driver.cuKernelGetFunction(done(driver.cuLibraryGetKernel(library, b"add_n")))).held.name == "add_n"
    done(driver.cuModuleUnload(module))


def check_ptx_of_compiled_functions():
    @cute.jit
    def host(x: cute.Tensor, y: cute.Tensor, factor: cutlass.Float32):
        scale_kernel(x, y, factor).launch(grid=1, block=128)

    fake = cute.runtime.make_fake_compact_tensor(cutlass.Float32, (8,))
    compiled = cute.compile(host, fake, fake, cutlass.Float32(1.0))
    module = done(driver.cuModuleLoadData(compiled.__ptx__.encode()))
    name = compiled.__ptx__.partition(".entry ")[2].partition("(")[0].strip()
    assert len(done(driver.cuModuleGetFunction(module, name.encode())).held.parameters) == 3


def check_events_and_graphs():
    _, function = loaded()
    p, stream, other = done(driver.cuMemAlloc(128)), done(driver.cuStreamCreate(0)), done(driver.cuStreamCreate(0))
    done(driver.cuMemsetD32(p, 0, 32))
    begin, end = done(driver.cuEventCreate(0)), done(driver.cuEventCreate(0))
    types, out = (ctypes.c_void_p, ctypes.c_uint32, ctypes.c_float), numpy.zeros(32, numpy.float32)
    done(driver.cuStreamBeginCapture(stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL))
    assert done(driver.cuStreamIsCapturing(stream)) == driver.CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_ACTIVE
    done(driver.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, ((int(p), 32, 1.0), types), 0))
    done(driver.cuEventRecord(begin, stream)), done(driver.cuStreamWaitEvent(other, begin, 0))
    done(driver.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, other, ((int(p), 16, 1.0), types), 0))
    done(driver.cuMemcpyDtoHAsync(out.ctypes.data, p, 128, stream))
    assert driver.cuStreamSynchronize(stream)[0] == driver.CUresult.CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
    graph = done(driver.cuStreamEndCapture(stream))
    executable = done(driver.cuGraphInstantiate(graph, 0))
    assert out.sum() == 0
    done(driver.cuEventRecord(begin, stream))
    for _ in range(3):
        done(driver.cuGraphLaunch(executable, stream))
    done(driver.cuEventRecord(end, stream)), done(driver.cuEventSynchronize(end))
    assert out.tolist() == [6.0] * 16 + [3.0] * 16 and done(driver.cuEventElapsedTime(begin, end)) > 0
    done(driver.cuEventDestroy(end)), done(driver.cuStreamDestroy(stream))
    assert driver.cuStreamDestroy(stream)[0] == driver.CUresult.CUDA_ERROR_INVALID_HANDLE


def check_runtime():
    kinds = runtime.cudaMemcpyKind
    assert runtime.cudaSetDevice(0) == (runtime.cudaError_t.cudaSuccess,) and done(runtime.cudaGetDeviceCount()) == 1
    assert done(runtime.cudaGetDeviceProperties(0)).major == 9
    assert runtime.cudaSetDevice(3)[0] == runtime.cudaError_t.cudaErrorInvalidDevice
    x, out = numpy.arange(16, dtype=numpy.int32), numpy.zeros(16, numpy.int32)
    p = done(runtime.cudaMalloc(64))
    stream = done(runtime.cudaStreamCreateWithFlags(runtime.cudaStreamNonBlocking))
    done(runtime.cudaMemcpyAsync(p, x.ctypes.data, 64, kinds.cudaMemcpyHostToDevice, stream))
    done(runtime.cudaMemset(p + 32, 0, 16))
    done(runtime.cudaMemcpy(out.ctypes.data, p, 64, kinds.cudaMemcpyDeviceToHost)), done(runtime.cudaStreamSynchronize(stream))
    assert out.tolist() == [*range(8), 0, 0, 0, 0, 12, 13, 14, 15]
    event = done(runtime.cudaEventCreate())
    done(runtime.cudaEventRecord(event, stream)), done(runtime.cudaEventSynchronize(event)), done(runtime.cudaFree(p))
    assert done(runtime.cudaMemGetInfo())[1] > 0 and done(runtime.cudaDeviceGetAttribute(runtime.cudaDeviceAttr.cudaDevAttrWarpSize, 0)) == 32
    assert done(runtime.cudaGetErrorString(runtime.cudaError_t.cudaErrorInvalidValue)) == b"invalid argument"
    assert runtime.cudaGetLastError()[0] == runtime.cudaError_t.cudaSuccess


def every_function():
    for module in (driver, runtime):
        for name, function in vars(module).items():
            if hasattr(function, "__wrapped__"):
                kinds = [p.kind for p in inspect.signature(function).parameters.values() if p.default is p.empty]
                yield module, function, name, sum(kind == inspect.Parameter.POSITIONAL_OR_KEYWORD for kind in kinds)


def check_null_handles_and_addresses_give_a_status():
    asked = set()
    for module, function, name, count in every_function():
        status = driver.CUresult if module is driver else runtime.cudaError_t
        for null in (0, None):
            got = function(*[null] * count)
            asked.add(name)
            assert isinstance(got, tuple) and (isinstance(got[0], status) or name.startswith("cudaGetError")), (name, null, got)
    assert len(asked) > 90
    invalid, none = driver.CUresult.CUDA_ERROR_INVALID_VALUE, driver.CUresult.CUDA_ERROR_INVALID_HANDLE
    for function, *arguments in ((driver.cuModuleLoadData, 0), (driver.cuModuleLoadData, None), (driver.cuModuleLoadData, 5),
                                 (driver.cuModuleLoad, 0), (driver.cuMemcpyDtoD, 0, 0, 4), (driver.cuMemcpyDtoDAsync, 0, 0, 4, 0),
                                 (driver.cuMemcpyDtoH, 0, 0, 16), (driver.cuMemcpyHtoD, None, b"1234", 4), (driver.cuMemsetD8, 0, 1, 4),
                                 (runtime.cudaMemcpy, 0, 0, 16, 1), (runtime.cudaMemset, None, 0, 4)):
        assert int(function(*arguments)[0]) == invalid, (function.__name__, arguments)
    for function, *arguments in ((driver.cuGraphLaunch, 0, 0), (driver.cuGraphInstantiate, 0, 0), (driver.cuModuleGetFunction, 0, b"x"),
                                 (driver.cuModuleGetGlobal, None, b"x"), (driver.cuFuncGetAttribute, 0, 0), (driver.cuFuncGetName, 0),
                                 (driver.cuKernelGetFunction, 0), (driver.cuLibraryGetKernel, 0, b"x"), (driver.cuEventQuery, 0),
                                 (driver.cuLaunchKernel, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0), (runtime.cudaGraphLaunch, None, None)):
        assert int(function(*arguments)[0]) == none, (function.__name__, arguments)
    module, add_n = loaded()
    assert driver.cuModuleGetFunction(module, None)[0] == invalid
    assert driver.cuLaunchKernel(add_n, 1, 1, 1, 1, 1, 1, 0, 0, 5)[0] == invalid  # no address of parameters
    assert driver.cuMemcpyDtoH(0, 0, 0)[0] == driver.CUresult.CUDA_SUCCESS


def check_unknown_names_and_old_ones():
    from cuda import cuda, cudart
    from cuda.bindings import nvrtc

    assert cuda.cuInit is driver.cuInit and cudart.cudaMalloc is runtime.cudaMalloc
    with raises(AttributeError, "stands in for cuda.bindings on the simulated device"):
        driver.cuTexObjectCreate(None)
    with raises(AttributeError, "compiles CUDA C++"):
        nvrtc.nvrtcCreateProgram(b"", b"", 0, [], [])
    assert not hasattr(runtime, "cudaGreenCtxCreate")


if __name__ == "__main__":
    checks.main(globals())
