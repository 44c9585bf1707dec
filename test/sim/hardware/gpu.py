# gpu.py -- runs a case of a conformance table on an NVIDIA GPU: the CUDA driver by ctypes, and its compiler of PTX.
"""Needs libcuda.so.1 and nothing else. Functions, numbers and layouts are those of the driver API's public documentation."""

import ctypes
import os

import tables

GUARD = 1024  # bytes 0x5A on either side of a buffer, and what addresses of buffers are multiples of
GUARD_BYTE = 0x5A
LOG_BYTES = 16384
# CUjit_option, CUfunction_attribute, CUlaunchAttributeID, CUdevice_attribute
ERROR_LOG, ERROR_LOG_BYTES, LEVEL = 5, 6, 7
DYNAMIC_SHARED, NON_PORTABLE_CLUSTER = 8, 14
CLUSTER = 4
MAJOR, MINOR = 75, 76
OUT_OF_MEMORY, UNKNOWN_FUNCTION = 2, 500

# CUtensorMapDataType and the other enumerations of tensor maps
DATA_TYPES = {name: i for i, name in enumerate("u8 u16 u32 s32 u64 s64 f16 f32 f64 bf16 f32_ftz tf32 tf32_ftz".split())}
INTERLEAVES = {"none": 0, "16B": 1, "32B": 2}
SWIZZLES = {"none": 0, "32B": 1, "64B": 2, "128B": 3}
PROMOTIONS = {"none": 0, "64B": 1, "128B": 2, "256B": 3}
FILLS = {"zero": 0, "nan": 1}


class Error(Exception):
    """The driver cannot do something."""


class Refused(Error):
    """The driver's compiler does not take the PTX; its report."""


class Lost(Error):
    """The kernel ended in a fault: the context is of no more use."""


class LaunchAttribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("padding", ctypes.c_int), ("value", ctypes.c_uint32 * 16)]


class LaunchConfig(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint32 * 3), ("block", ctypes.c_uint32 * 3), ("shared", ctypes.c_uint32),
                ("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(LaunchAttribute)), ("count", ctypes.c_uint32)]


assert ctypes.sizeof(LaunchAttribute) == 72 and ctypes.sizeof(LaunchConfig) == 56


def _array(kind, values):
    return (kind * len(values))(*values)


class Gpu:
    """A device and its primary context, current in the thread that made it."""

    def __init__(self, library="libcuda.so.1", number=0):
        os.environ.setdefault("CUDA_CACHE_DISABLE", "1")  # nothing is left in the user's cache
        try:
            self.cuda = ctypes.CDLL(library)
        except OSError as problem:
            raise Error(f"no CUDA driver: {problem}") from None
        self._call("cuInit", 0)
        device, context, version = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_int()
        count = ctypes.c_int()
        self._call("cuDeviceGetCount", ctypes.byref(count))
        if number >= count.value:
            raise Error(f"there is no device {number}: the driver has {count.value}")
        self._call("cuDeviceGet", ctypes.byref(device), number)
        name = ctypes.create_string_buffer(256)
        self._call("cuDeviceGetName", name, len(name), device)
        self.name = name.value.decode(errors="replace")
        self.capability = 10 * self._attribute(MAJOR, device) + self._attribute(MINOR, device)
        self._call("cuDriverGetVersion", ctypes.byref(version))
        self.version = f"{version.value // 1000}.{version.value % 1000 // 10}"
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self._call("cuCtxPushCurrent_v2", context)

    def _attribute(self, which, device):
        value = ctypes.c_int()
        self._call("cuDeviceGetAttribute", ctypes.byref(value), which, device)
        return value.value

    def _function(self, name):
        try:
            return getattr(self.cuda, name)
        except AttributeError:
            raise Error(f"the CUDA driver has no {name}") from None

    def _error(self, name, result):
        text = ctypes.c_char_p()
        self._function("cuGetErrorName")(result, ctypes.byref(text))
        return f"{name}: {text.value.decode() if text.value else 'error'} ({result})"

    def _call(self, name, *arguments, error=Error):
        result = self._function(name)(*arguments)
        if result != 0:
            raise error(self._error(name, result))

    # -- modules

    def _load(self, ptx, level):
        module, log = ctypes.c_void_p(), ctypes.create_string_buffer(LOG_BYTES)
        options = _array(ctypes.c_int, [ERROR_LOG, ERROR_LOG_BYTES, LEVEL])
        values = _array(ctypes.c_void_p, [ctypes.addressof(log), LOG_BYTES, level])
        text = ctypes.create_string_buffer(ptx.encode())
        result = self._function("cuModuleLoadDataEx")(ctypes.byref(module), text, len(options), options, values)
        if result != 0:
            said = " ".join(line.strip() for line in log.value.decode(errors="replace").splitlines() if line.strip())
            raise Refused(said or self._error("cuModuleLoadDataEx", result))
        return module

    def _kernel(self, module, case):
        function = ctypes.c_void_p()
        self._call("cuModuleGetFunction", ctypes.byref(function), module, case["kernel"].encode())
        if case["dynamic_smem"]:
            self._call("cuFuncSetAttribute", function, DYNAMIC_SHARED, case["dynamic_smem"])
        x, y, z = case.get("cluster", [1, 1, 1])
        if x * y * z > 8:
            self._call("cuFuncSetAttribute", function, NON_PORTABLE_CLUSTER, 1)
        return function

    # -- memory

    def _allocate(self, bytes_, offset):
        """(what to free, address): `bytes_` with guards, at a multiple of GUARD."""
        base = ctypes.c_uint64()
        self._call("cuMemAlloc_v2", ctypes.byref(base), ctypes.c_size_t(len(bytes_) + (4 + offset) * GUARD))
        address = (base.value + GUARD - 1) // GUARD * GUARD + (1 + offset) * GUARD
        held = bytes([GUARD_BYTE]) * GUARD + bytes_ + bytes([GUARD_BYTE]) * GUARD
        try:
            self._call("cuMemcpyHtoDAsync_v2", ctypes.c_uint64(address - GUARD), held, ctypes.c_size_t(len(held)), None)
        except Error:
            self._call("cuMemFree_v2", base)
            raise
        return base, address

    def _read(self, address, size):
        """(the bytes, what is wrong around them)."""
        held = ctypes.create_string_buffer(size + 2 * GUARD)
        self._call("cuMemcpyDtoHAsync_v2", held, ctypes.c_uint64(address - GUARD), ctypes.c_size_t(len(held)), None)
        self._call("cuCtxSynchronize", error=Lost)
        for start, where in ((0, -GUARD), (GUARD + size, 0)):
            guard = held.raw[start:start + GUARD]
            if guard != bytes([GUARD_BYTE]) * GUARD:
                at = next(i for i in range(GUARD) if guard[i] != GUARD_BYTE)
                return held.raw[GUARD:GUARD + size], f"byte {at + where if where else at + size} of it, outside, was written"
        return held.raw[GUARD:GUARD + size], ""

    def _tensor_map(self, p, addresses):
        """The 128 bytes of a map; `p` as the table has it."""
        made = ctypes.create_string_buffer(256)
        at = (ctypes.addressof(made) + 127) // 128 * 128
        rank = len(p["shape"])
        head = (ctypes.c_void_p(at), DATA_TYPES[p["dtype"]], rank, ctypes.c_void_p(addresses[p["buffer"]]),
                _array(ctypes.c_uint64, p["shape"]), _array(ctypes.c_uint64, p["strides_bytes"] or [0]))
        steps = _array(ctypes.c_uint32, p["element_strides"])
        tail = (INTERLEAVES[p["interleave"]], SWIZZLES[p["swizzle"]], PROMOTIONS[p["l2_promotion"]], FILLS[p["oob"]])
        if "box" in p:
            self._call("cuTensorMapEncodeTiled", *head, _array(ctypes.c_uint32, p["box"]), steps, *tail)
        else:
            self._call("cuTensorMapEncodeIm2col", *head, _array(ctypes.c_int, p["lower_corner"]), _array(ctypes.c_int, p["upper_corner"]),
                       p["channels_per_pixel"], p["pixels_per_column"], steps, *tail)
        return ctypes.string_at(at, 128)

    # -- a run

    def run(self, case, level=4, offset=0):
        """(the bytes of each buffer afterwards, None for other arguments; what was written outside). Buffers are `offset` times GUARD
        bytes further than they need be. Error: Refused, Lost, Error."""
        arguments = tables.arguments(case)
        module = self._load(case["ptx"], level)
        held, addresses = [], {}
        try:
            function = self._kernel(module, case)
            for i, one in enumerate(arguments):
                if isinstance(one, tables.Buffer):
                    base, addresses[i] = self._allocate(one.start, offset)
                    held.append(base)
            self._launch(function, case, self._parameters(arguments, addresses))
            got, problem = [], ""
            for i, one in enumerate(arguments):
                if isinstance(one, tables.Buffer):
                    bytes_, outside = self._read(addresses[i], len(one.start))
                    got.append(bytes_)
                    problem = problem or (outside and f"argument {i}: {outside}")
                else:
                    got.append(None)
            return got, problem
        except Lost:
            held, module = [], None  # they are gone with the context
            raise
        finally:
            for base in held:
                self._call("cuMemFree_v2", base, error=Lost)
            if module is not None:
                self._call("cuModuleUnload", module, error=Lost)

    def _parameters(self, arguments, addresses):
        values = []
        for i, one in enumerate(arguments):
            if isinstance(one, tables.Buffer):
                value = addresses[i].to_bytes(8, "little")
            elif isinstance(one, tables.TensorMap):
                value = self._tensor_map(one.parameters, addresses)
            else:
                value = one.bytes
            values.append(ctypes.create_string_buffer(value, len(value)))
        return values

    def _launch(self, function, case, values):
        config = LaunchConfig(_array(ctypes.c_uint32, case["grid"]), _array(ctypes.c_uint32, case["block"]), case["dynamic_smem"])
        cluster = case.get("cluster", [1, 1, 1])
        attribute = LaunchAttribute(CLUSTER)
        if cluster != [1, 1, 1]:
            attribute.value[:3] = cluster
            config.attributes, config.count = ctypes.pointer(attribute), 1
        pointers = _array(ctypes.c_void_p, [ctypes.addressof(value) for value in values] or [None])
        self._call("cuLaunchKernelEx", ctypes.byref(config), function, pointers, None)
        self._call("cuCtxSynchronize", error=Lost)
