# simulated_torch.py -- torch on a machine without a GPU: tensors that say cuda:0 and live on the host.
"""`activate()` is called where the device is a simulated one, and nowhere else. After it

  - functions with device="cuda" make tensors of the class Tensor here, whose data is on the host and
    whose `device` is cuda:0; results of operations on them are such tensors too;
  - torch.cuda answers for one GPU: streams and events are there, and everything is done at once.

Kernels see such tensors as memory of the simulated device (cutwork._simulated)."""

import contextlib
import threading
import time

import torch
from torch.overrides import TorchFunctionMode

from ._device import best
from ._simulated import remember

_CUDA = torch.device("cuda", 0)
_active = False


def _is_cuda(device):
    if device is None:
        return False
    if isinstance(device, int):
        return True
    return torch.device(device).type == "cuda" if isinstance(device, str) else getattr(device, "type", "") == "cuda"


class Tensor(torch.Tensor):
    """A tensor that says that it is on cuda:0."""

    @property
    def device(self):
        return _CUDA

    @property
    def is_cuda(self):
        return True

    def get_device(self):
        return 0

    def cpu(self, *arguments, **keywords):
        return self.as_subclass(torch.Tensor).clone()

    def cuda(self, *arguments, **keywords):
        return self

    def to(self, *arguments, **keywords):
        """As torch's; to a CPU it is a copy that is an ordinary tensor."""
        plain, arguments, keywords, device = self.as_subclass(torch.Tensor), list(arguments), dict(keywords), None
        if "device" in keywords:
            device = keywords.pop("device")
        elif arguments and isinstance(arguments[0], (str, torch.device, int)) and not isinstance(arguments[0], bool):
            device = arguments.pop(0)
        if isinstance(keywords.get("other", arguments[0] if arguments else None), torch.Tensor):
            other = keywords.get("other", arguments[0] if arguments else None)
            device, arguments, keywords = other.device, [other.dtype], {}
        moved = plain.to(*arguments, **keywords) if arguments or keywords else plain
        if device is not None and not _is_cuda(device):
            return moved.clone() if moved is plain else moved
        return moved.as_subclass(Tensor)

    def numpy(self, *arguments, **keywords):
        raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host "
                        "memory first.")

    def __dlpack_device__(self):
        return (2, 0)

    def data_ptr(self):
        """The address; pointers made of it reach this tensor's storage while that lives."""
        storage = self.as_subclass(torch.Tensor).untyped_storage()
        remember(storage, storage.data_ptr())
        return self.as_subclass(torch.Tensor).data_ptr()

    def record_stream(self, stream):
        pass

    def pin_memory(self, *arguments):
        return self


class _Mode(TorchFunctionMode):
    """Makes tensors of the GPU on the host."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if _tensors_are_fake():  # they have a device of their own and no data
            return function(*args, **kwargs)
        if _is_cuda(kwargs.get("device")):
            kwargs["device"] = "cpu"
            if isinstance(kwargs.get("generator"), _Generator):
                kwargs["generator"] = kwargs["generator"].inner
            return _wrapped(function(*args, **kwargs))
        if function in _MOVES:
            return _MOVES[function](*args, **kwargs)
        return function(*args, **kwargs)


def _tensors_are_fake():
    """Whether torch traces with fake tensors (torch.compile, Inductor)."""
    return torch._C._get_dispatch_mode(torch._C._TorchDispatchModeKey.FAKE) is not None


def _wrapped(made):
    return made.as_subclass(Tensor) if isinstance(made, torch.Tensor) else made


def _to(tensor, *arguments, **keywords):
    if isinstance(tensor, Tensor):
        return Tensor.to(tensor, *arguments, **keywords)
    device = keywords.get("device", arguments[0] if arguments else None)
    if isinstance(device, torch.Tensor):
        return _TO(tensor, device.dtype).as_subclass(Tensor) if isinstance(device, Tensor) else _TO(tensor, device)
    if isinstance(device, (str, torch.device, int)) and not isinstance(device, bool) and _is_cuda(device):
        rest = list(arguments[1:]) if "device" not in keywords else list(arguments)
        keywords = {k: v for k, v in keywords.items() if k != "device"}
        moved = _TO(tensor, *rest, **keywords) if rest or keywords else tensor
        return (moved.clone() if moved is tensor else moved).as_subclass(Tensor)
    return _TO(tensor, *arguments, **keywords)


def _cuda(tensor, *arguments, **keywords):
    return tensor if isinstance(tensor, Tensor) else tensor.clone().as_subclass(Tensor)


def _copied(tensor, source, *arguments, **keywords):
    plain = source.as_subclass(torch.Tensor) if isinstance(source, Tensor) else source
    _COPY(tensor.as_subclass(torch.Tensor), plain, *arguments, **keywords)
    return tensor


_TO, _COPY = torch.Tensor.to, torch.Tensor.copy_
_MOVES = {torch.Tensor.to: _to, torch.Tensor.cuda: _cuda}


class Stream:
    """A stream: all work is done at once."""

    cuda_stream = 0
    device = _CUDA
    device_index = 0

    def __init__(self, *arguments, **keywords):
        self.cuda_stream = int(keywords.get("stream_ptr", 0))

    def synchronize(self):
        best().synchronize()

    def wait_stream(self, stream):
        pass

    def wait_event(self, event):
        pass

    def record_event(self, event=None):
        event = event or Event()
        event.record(self)
        return event

    def query(self):
        return True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def __eq__(self, other):
        return isinstance(other, Stream) and self.cuda_stream == other.cuda_stream

    def __hash__(self):
        return hash(self.cuda_stream)


class Event:
    """An event: the host's clock where it is recorded."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        self._time = None

    def record(self, stream=None):
        self._time = time.perf_counter()

    def synchronize(self):
        pass

    wait = record

    def query(self):
        return True

    def elapsed_time(self, end):
        return (end._time - self._time) * 1e3


class _Generator:
    def __init__(self, device=None):
        self.inner = torch.Generator("cpu")

    def manual_seed(self, seed):
        self.inner.manual_seed(seed)
        return self


class _Properties:
    """Of the simulated GPU."""

    total_memory, L2_cache_size = 64 << 30, 60 << 20
    warp_size, max_threads_per_multi_processor, shared_memory_per_block_optin = 32, 2048, 232448
    shared_memory_per_multiprocessor, regs_per_multiprocessor, is_integrated = 233472, 65536, False

    def __init__(self):
        number = int(best().target.removeprefix("sm_").rstrip("af"))
        self.multi_processor_count = best().multiprocessors
        self.major, self.minor, self.name = number // 10, number % 10, f"Cutwork simulated GPU ({best().target})"


class Graph:
    """A CUDA graph: the calls that were made while it was captured are made once, and not again."""

    def __init__(self, *arguments, **keywords):
        pass

    def replay(self):
        raise NotImplementedError("replaying a CUDA graph is not possible on the simulated device")


@contextlib.contextmanager
def _stream_context(stream):
    yield stream


def _capability(device=None):
    p = _Properties()
    return (p.major, p.minor)


def _seed(seed):
    """The device's numbers are the host's. (torch.manual_seed calls this for every GPU.)"""
    torch.default_generator.manual_seed(int(seed))


def activate():
    """From here on torch has one GPU, which is simulated. Calling it again changes nothing."""
    global _active
    if _active:
        return
    _active = True
    cuda, default = torch.cuda, Stream()
    answers = {"is_available": lambda: True, "device_count": lambda: 1, "current_device": lambda: 0,
               "set_device": lambda device: None, "synchronize": lambda device=None: best().synchronize(),
               "current_stream": lambda device=None: default, "default_stream": lambda device=None: default,
               "stream": _stream_context, "Stream": Stream, "ExternalStream": Stream, "Event": Event,
               "init": lambda: None, "is_initialized": lambda: True, "empty_cache": lambda: None,
               "get_device_properties": lambda device=None: _Properties(), "get_device_capability": _capability,
               "get_device_name": lambda device=None: _Properties().name, "manual_seed": _seed, "manual_seed_all": _seed, "is_current_stream_capturing": lambda: False,
               "memory_allocated": lambda device=None: 0, "max_memory_allocated": lambda device=None: 0,
               "reset_peak_memory_stats": lambda device=None: None, "CUDAGraph": Graph, "device": _DeviceContext,
               "mem_get_info": lambda device=None: (64 << 30, 64 << 30), "get_arch_list": lambda: [best().target],
               "get_rng_state": lambda device=None: torch.random.get_rng_state(),
               "set_rng_state": lambda state, device=None: torch.random.set_rng_state(state),
               "_exchange_device": lambda index: 0, "_maybe_exchange_device": lambda index: 0}
    for name, answer in answers.items():
        setattr(cuda, name, answer)
    # What programs that Inductor makes take from torch's C parts.
    torch._C._cuda_getCurrentRawStream = lambda index: default.cuda_stream
    torch._C._dynamo.guards._empty_strided_cuda = _empty_strided
    torch.Tensor.copy_ = _copy_method
    _Mode().__enter__()
    threading.Thread.start = _start_of_thread
    # The first fake tensor of a GPU makes a real one below the modes, where no simulated one is made; here it is above.
    for device in (_CUDA, torch.device("cuda")):
        torch._subclasses.fake_tensor.init_gpu_context(device)


_START = threading.Thread.start


def _start_of_thread(thread):
    """A mode is its thread's: threads that start from here on have one too."""
    run = thread.run

    def run_in_mode():
        with _Mode():
            run()

    thread.run = run_in_mode
    _START(thread)


def _empty_strided(size, stride, dtype):
    return torch.empty_strided(size, stride, dtype=dtype).as_subclass(Tensor)


def _copy_method(self, source, *arguments, **keywords):
    if isinstance(self, Tensor) or isinstance(source, Tensor):
        return _copied(self, source, *arguments, **keywords)
    return _COPY(self, source, *arguments, **keywords)


class _DeviceContext(contextlib.nullcontext):
    def __init__(self, device=None):
        super().__init__()
