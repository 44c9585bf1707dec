# dlpack_check.py -- torch's tensors through the runtime and back, on a GPU: no copies, the right stream.
"""Usage: dlpack_check.py libdlpack_check.so. Needs torch with CUDA; prints one line a check."""
import ctypes
import sys

import torch

lib = ctypes.CDLL(sys.argv[1])
api = ctypes.pythonapi
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
for name in ("check_import", "check_import_versioned", "check_export"):
    getattr(lib, name).restype = ctypes.c_void_p
    getattr(lib, name).argtypes = [ctypes.c_void_p]
lib.check_text.restype = lib.check_describe.restype = ctypes.c_char_p
lib.check_describe.argtypes = lib.check_release.argtypes = [ctypes.c_void_p]
lib.check_add.argtypes = [ctypes.c_void_p] * 4

failed = 0
USED = []  # names of capsules must outlive them


def check(holds, what):
    global failed
    failed += not holds
    print("ok    " if holds else "FAILED", what)


def take(tensor, versioned=False):
    """The tensor as an array of the runtime; the capsule counts as used, as DLPack asks."""
    capsule = tensor.__dlpack__(max_version=(1, 1)) if versioned else tensor.__dlpack__()
    name = b"dltensor_versioned" if versioned else b"dltensor"
    pointer = api.PyCapsule_GetPointer(capsule, name)
    array = (lib.check_import_versioned if versioned else lib.check_import)(pointer)
    if array:
        USED.append(b"used_" + name)
        api.PyCapsule_SetName(capsule, USED[-1])
    return array


def describe(array):
    return lib.check_describe(array).decode()


device = torch.device("cuda:0")
base = torch.arange(120, dtype=torch.float32, device=device).reshape(10, 12)
view = base[2:8:2, 1:9]
for versioned in (False, True):
    array = take(view, versioned)
    check(describe(array) == f"float32 (3,8):(24,1) on cuda:0 at {view.data_ptr()}", describe(array))
    lib.check_release(array)
for dtype, text in ((torch.bfloat16, "bfloat16"), (torch.int8, "int8"), (torch.bool, "bool"),
                    (torch.float16, "float16"), (torch.int64, "int64"), (torch.complex64, "complex64")):
    array = take(torch.zeros(4, 2, dtype=dtype, device=device).t())
    check(describe(array).startswith(text + " (2,4):(1,2) on cuda:0"), describe(array))
    lib.check_release(array)
array = take(torch.zeros(3, 5))
check(" on the host at " in describe(array), describe(array))
lib.check_release(array)

# The memory goes when the last owner goes.
before = torch.cuda.memory_allocated()
array = take(torch.zeros(1 << 20, device=device))
check(torch.cuda.memory_allocated() - before == 4 << 20, "a tensor lives as long as its array")
lib.check_release(array)
check(torch.cuda.memory_allocated() == before, "and no longer")

# Back to torch, and work on torch's current stream.
x = torch.rand(100_000, device=device)
out = torch.zeros_like(x)
stream = torch.cuda.Stream()
arrays = [take(t) for t in (x, x, out)]
with torch.cuda.stream(stream):
    x.mul_(2.0)
    status = lib.check_add(*arrays, stream.cuda_stream)
    check(status == 0, "launched on torch's stream: " + lib.check_text().decode())
    result = out * 1.0
stream.synchronize()
check(torch.equal(result, x + x), "the order of the stream was kept")
capsule = api.PyCapsule_New(lib.check_export(arrays[2]), b"dltensor", None)
again = torch.utils.dlpack.from_dlpack(capsule)
check(again.data_ptr() == out.data_ptr() and again.shape == out.shape, "back to torch without a copy")
for array in arrays:
    lib.check_release(array)
del out
check(torch.equal(again, x + x), "torch keeps what it was given")
check(torch.cuda.current_device() == 0, "torch's current device")
print("torch", torch.__version__, "failed", failed)
sys.exit(failed != 0)
