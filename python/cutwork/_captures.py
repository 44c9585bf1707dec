# _captures.py -- captures of streams of the simulated device: what a CUDA graph of torch or of cuda.bindings holds.

import threading

from . import _core
from ._device import best

captures = {}  # handle of a stream: the Capture that it belongs to
_lock = threading.Lock()


class Capture:
    """What was asked for on captured streams, in order. The device keeps launches; `add` takes anything else."""

    def __init__(self, stream):
        self.launches = _core.SimulatedLaunches()
        self.steps, self.kept, self.done, self.origin = [], 0, False, stream
        join(stream, self)

    def add(self, step):
        self._launches()
        self.steps.append(step)

    def _launches(self):
        """The launches since the last step become one."""
        now = len(self.launches)
        if now > self.kept:
            begin, self.kept = self.kept, now
            self.steps.append(lambda: self.launches.run(begin, now))

    def end(self):
        self._launches()
        self.done = True
        with _lock:
            for stream in [s for s, one in captures.items() if one is self]:
                del captures[stream]
                _core.SimulatedLaunches.stop(best(), stream)

    def run(self):
        for step in self.steps:
            step()


def join(stream, capture):
    """A stream that waits for one that is captured is captured with it."""
    if capture is None or capture.done:
        return
    with _lock:
        if captures.setdefault(stream, capture) is capture:
            capture.launches.keep_from(best(), stream)
