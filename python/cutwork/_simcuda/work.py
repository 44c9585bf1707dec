# work.py -- what functions of the CUDA driver and runtime do on the simulated device. A `Failure` is a status code.

import ctypes
import itertools
import time

from .. import _core
from .._captures import Capture, captures, join
from .._device import best, capability
from .._errors import UserError
from . import handles as h

VERSION = 13000
_numbers = itertools.count(0x5000_1000_0000, 16)  # handles; torch's streams have others
_buffers = {}  # address: memory of the device
_pinned = {}  # address: memory of the host
_streams, _events = {}, {}


class Failure(Exception):
    def __init__(self, code):
        super().__init__(h.CODES[code][1])
        self.code = code


def number(value):
    """A handle's number; None is 0."""
    return 0 if value is None else int(value)


def device_index(device):
    if number(device) != 0:
        raise Failure(101)
    return 0


def _require(held, code=400):
    if held is None:
        raise Failure(code)
    return held


def held(handle):
    """What a handle stands for; a null one stands for nothing."""
    return _require(getattr(handle, "held", None))


def _address(value):
    """An address of memory; null, and what lies on the first page, is none."""
    found = number(value)
    if found < 4096:
        raise Failure(1)
    return found


# -- devices


def properties():
    return _core.properties(best())


def attribute(which, device=0):
    device_index(device)
    p, (major, minor) = properties(), capability()
    known = {1: 1024, 2: 1024, 3: 1024, 4: 64, 5: 2**31 - 1, 6: 65535, 7: 65535, 8: p["shared_memory_per_block"], 10: 32, 12: 65536,
             13: p["clock_khz"], 16: p["multiprocessors"], 18: 0, 31: 1, 36: p["memory_clock_khz"], 37: p["memory_bus_bits"], 38: p["l2"],
             39: p["threads_per_multiprocessor"], 41: 1, 75: major, 76: minor, 81: p["shared_memory_per_multiprocessor"],
             82: p["registers_per_multiprocessor"], 95: 1, 97: p["shared_memory_per_block_optin"], 106: p["blocks_per_multiprocessor"],
             111: 1024, 120: int(major >= 9)}
    if int(which) not in known:
        raise Failure(801)
    return known[int(which)]


# -- memory


def allocate(size):
    if size <= 0:
        raise Failure(1)
    try:
        made = _core.allocate(best(), int(size))
    except Exception as error:
        raise Failure(2) from error
    _buffers[made.address] = made
    return made.address


def release(address):
    if number(address) and _buffers.pop(number(address), None) is None:
        raise Failure(1)


def allocate_host(size):
    made = (ctypes.c_char * max(int(size), 1))()
    _pinned[ctypes.addressof(made)] = made
    return ctypes.addressof(made)


def release_host(address):
    if _pinned.pop(number(address), None) is None:
        raise Failure(1)


def on_device(address):
    _, start, size = _core.simulated_memory()
    return start <= number(address) < start + size


def _host(place, size, written):
    """The address of memory of the host: a number, or an object with a buffer of at least so many bytes."""
    if hasattr(place, "__index__") and not getattr(place, "ndim", 0):  # an array of one element is no address
        return _address(place), None
    view = memoryview(place).cast("B")
    if view.nbytes < size or (written and view.readonly):
        raise Failure(1)
    if view.readonly:
        kept = ctypes.create_string_buffer(view.tobytes(), max(view.nbytes, 1))
    else:
        kept = (ctypes.c_char * view.nbytes).from_buffer(view)
    return ctypes.addressof(kept), kept


def copy(to, source, size, stream=None):
    """From anywhere to anywhere: addresses tell which memory they are of."""
    size = int(size)
    if size == 0:
        return

    def now():
        target, keep_target = _host(to, size, True)
        origin, keep_origin = _host(source, size, False)
        try:
            if on_device(target) and on_device(origin):
                _core.copy_on_device(best(), target, origin, size)
            elif on_device(target):
                best().copy_to_device(target, origin, size)
            elif on_device(origin):
                best().copy_to_host(target, origin, size)
            else:
                ctypes.memmove(target, origin, size)
        except UserError as error:
            raise Failure(1) from error
        del keep_target, keep_origin

    in_order(stream, now)


def fill(address, value, width, count, stream=None):
    def now():
        if not int(count):
            return
        try:
            _core.fill(best(), _address(address), int(value) & ((1 << 8 * width) - 1), width, int(count))
        except UserError as error:
            raise Failure(1) from error

    in_order(stream, now)


# -- streams, events, captures


def in_order(stream, work):
    """Does work on a stream: now, or when the graph that captures the stream is launched."""
    capture = captures.get(number(stream))
    if capture is not None:
        capture.add(work)
    else:
        work()


def make_stream(flags=0):
    value = next(_numbers)
    _streams[value] = int(flags)
    return value


def end_stream(stream):
    if _streams.pop(number(stream), None) is None:
        raise Failure(400)


def synchronize(stream=None):
    if stream is not None and number(stream) in captures:
        raise Failure(900)
    best().synchronize()


def make_event(flags=0):
    value = next(_numbers)
    _events[value] = {"time": None, "timing": not int(flags) & 2, "capture": None}
    return value


def end_event(event):
    if _events.pop(number(event), None) is None:
        raise Failure(400)


def record(event, stream=None):
    found = _require(_events.get(number(event)))
    found["time"], found["capture"] = time.perf_counter(), captures.get(number(stream))


def wait(stream, event, flags=0):
    join(number(stream), _require(_events.get(number(event)))["capture"])


def event_done(event):
    _require(_events.get(number(event)))


def elapsed(start, end):
    one, other = _require(_events.get(number(start))), _require(_events.get(number(end)))
    if one["time"] is None or other["time"] is None or not (one["timing"] and other["timing"]):
        raise Failure(400)
    return (other["time"] - one["time"]) * 1e3


def begin_capture(stream, mode=0):
    if number(stream) == 0 or number(stream) in captures:
        raise Failure(900)
    Capture(number(stream))


def end_capture(stream):
    capture = captures.get(number(stream))
    if capture is None or capture.origin != number(stream):  # one that joined ends with the one that began
        raise Failure(1)
    capture.end()
    return capture


def capturing(stream):
    return number(stream) in captures


def launch_graph(held, stream):
    in_order(stream, held.run)


# -- modules and launches


def load(image):
    """A module of PTX text; bytes end at the first zero."""
    if not isinstance(image, (bytes, bytearray, str)):
        image = ctypes.string_at(_address(image))
    text = image.decode(errors="replace") if isinstance(image, (bytes, bytearray)) else image
    text = text.partition("\0")[0]
    if ".version" not in text:
        raise NotImplementedError("cuda.bindings on the simulated device: a module was expected as PTX text (the simulated device reads "
                                  "no cubin)")
    try:
        return _core.load_ptx(best(), text)
    except UserError as error:
        _core.log_info(f"cuModuleLoadData: {error}")
        raise Failure(209 if "does not run" in str(error) or "is for" in str(error) else 218) from error


def _name(name):
    if not isinstance(name, (bytes, str)):
        raise Failure(1)
    return name.decode() if isinstance(name, bytes) else name


def function(module, name):
    name = _name(name)
    try:
        return module.function(name)
    except UserError as error:
        raise Failure(500) from error


def variable(module, name):
    name = _name(name)
    try:
        return module.variable(name)
    except UserError as error:
        raise Failure(500) from error


def function_attribute(which, held):
    known = {0: held.max_threads, 1: held.static_shared_memory, 2: 0, 3: held.local_memory, 4: held.registers,
             8: properties()["shared_memory_per_block_optin"] - held.static_shared_memory}
    return known.get(int(which), 0)


def _packed(value, kind, size):
    """The bytes of one parameter, of a value and its type of ctypes; None: the value knows."""
    if kind is None:
        if hasattr(value, "getPtr"):
            return ctypes.string_at(value.getPtr(), min(size, 8)).ljust(size, b"\0")
        if isinstance(value, ctypes.Structure | ctypes._SimpleCData | ctypes.Array):
            return bytes(value).ljust(size, b"\0")
        raise TypeError(f"cuLaunchKernel: a type was expected for the value {value!r}")
    if kind is ctypes.c_void_p or (isinstance(kind, type) and issubclass(kind, ctypes._Pointer)):
        return int(value or 0).to_bytes(8, "little")
    return bytes(kind(int(value) if hasattr(value, "__index__") else value))


def parameters(held, given):
    """Bytes of each parameter: of (values, types), or of the address of an array of pointers to values."""
    sizes = [size for _, size in held.parameters]
    if given is None or (isinstance(given, int) and given == 0):
        given = ()
    if isinstance(given, tuple):
        values, kinds = given if given else ((), ())
        if len(values) != len(sizes) or len(kinds) != len(sizes):
            raise TypeError(f"cuLaunchKernel: {held.name} takes {len(sizes)} parameters, and {len(values)} values and {len(kinds)} "
                            "types were given")
        return [_packed(value, kind, size) for value, kind, size in zip(values, kinds, sizes, strict=True)]
    pointers = ctypes.cast(_address(given), ctypes.POINTER(ctypes.c_void_p))
    return [ctypes.string_at(_address(pointers[i]), size) for i, size in enumerate(sizes)]


def launch(held, grid, block, shared, stream, given, cluster=(1, 1, 1), cooperative=False):
    """A fault of the kernel is an exception, which names its line; what cannot be launched is a status."""
    values = parameters(held, given)
    try:
        held.launch([int(n) for n in grid], [int(n) for n in block], [int(n) for n in cluster], int(shared), number(stream), values,
                    cooperative)
    except UserError as error:
        _core.log_info(f"cuLaunchKernel: {error}")
        raise Failure(1) from error


def active_blocks(held, threads, shared):
    return held.active_blocks(int(threads), int(shared))


def potential_block(held):
    threads = min(held.max_threads, 1024)
    return held.active_blocks(threads, 0) * properties()["multiprocessors"], threads
