# streams.py -- streams and events of the simulated GPU: all work is done when it is asked for, but what a capture keeps.

import itertools
import threading
import time

import torch

from .. import _core
from .._captures import captures, join
from .._device import best
from . import graphs
from .memory import CUDA, fresh

_handles = itertools.count(0x5000_0000_0010, 16)
_lock = threading.Lock()


class _OfThread(threading.local):
    stream = None


_of_thread = _OfThread()


class Stream:
    """A stream. Its handle is a number that host functions and cuda.bindings take."""

    def __new__(cls, device=None, priority=0, *, stream_id=None, device_index=None, device_type=None, stream_ptr=None, **_):
        made = super().__new__(cls)
        if isinstance(device, str | torch.device | int) and not isinstance(device, bool):
            fresh(torch.device("cuda", device) if isinstance(device, int) else device)
        given = stream_ptr if stream_ptr is not None else stream_id
        with _lock:
            made.cuda_stream = next(_handles) if given is None else int(given)
        made.priority = priority
        return made

    device, device_index, device_type = CUDA, 0, 1

    @property
    def stream_id(self):
        return self.cuda_stream

    @property
    def native_handle(self):
        return self.cuda_stream

    def synchronize(self):
        if self.cuda_stream in captures:
            graphs.refuse()
        best().synchronize()

    def wait_stream(self, stream):
        join(self.cuda_stream, captures.get(stream.cuda_stream))

    def wait_event(self, event):
        join(self.cuda_stream, event._capture)

    def record_event(self, event=None):
        event = event if event is not None else Event()
        event.record(self)
        return event

    def query(self):
        return True

    def priority_range(self):
        return 0, -5

    def __enter__(self):
        self._context = getattr(self, "_context", [])
        self._context.append(StreamContext(self))
        self._context[-1].__enter__()
        return self

    def __exit__(self, *error):
        self._context.pop().__exit__(*error)

    def __eq__(self, other):
        return isinstance(other, Stream) and self.cuda_stream == other.cuda_stream

    def __hash__(self):
        return hash((self.cuda_stream, 0))

    def __repr__(self):
        return f"<torch.cuda.Stream device={CUDA} cuda_stream={self.cuda_stream:#x}>"

    @property
    def _as_parameter_(self):
        import ctypes

        return ctypes.c_void_p(self.cuda_stream)


class ExternalStream(Stream):
    """A stream of somebody else, by its handle."""

    def __new__(cls, stream_ptr, device=None, **_):
        return super().__new__(cls, device, stream_ptr=stream_ptr)


class Event:
    """An event: the host's clock where it is recorded."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False, external=False, **_):
        self._time, self._timing, self._capture = None, enable_timing, None
        self.cuda_event = id(self)
        self.device = CUDA

    def record(self, stream=None):
        stream = current_stream() if stream is None else stream
        self._capture = captures.get(stream.cuda_stream)
        self._time = time.perf_counter()

    def wait(self, stream=None):
        (current_stream() if stream is None else stream).wait_event(self)

    def synchronize(self):
        if self._capture is not None and not self._capture.done:
            graphs.refuse()

    def query(self):
        return True

    def elapsed_time(self, end_event):
        if not (self._timing and end_event._timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._time is None or end_event._time is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return (end_event._time - self._time) * 1e3

    def ipc_handle(self):
        raise NotImplementedError("simulated GPU: events of other processes are not there")

    def __repr__(self):
        return f"<torch.cuda.Event {'uninitialized' if self._time is None else hex(self.cuda_event)}>"


DEFAULT = Stream(stream_ptr=0)


def current_stream(device=None):
    return _of_thread.stream or DEFAULT


def default_stream(device=None):
    return DEFAULT


def set_stream(stream):
    """The stream of this thread: of torch's operations, and of host functions that take none."""
    if stream is not None:
        _of_thread.stream = stream
        _core.set_host_stream(stream.cuda_stream)


class StreamContext:
    """`with torch.cuda.stream(s)`."""

    def __init__(self, stream):
        self.stream, self._before = stream, []

    def __enter__(self):
        self._before.append(current_stream())
        set_stream(self.stream)

    def __exit__(self, *_):
        set_stream(self._before.pop())
