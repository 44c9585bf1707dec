# _calls.py -- calls again: what of a call C++ takes over, and the table of the traces of a @jit function.
"""A JitFunction has a table {key of the arguments: entries}. An entry is a trace's compiled function with guards, what
the trace read from Python's variables; while they hold, the trace would come out the same and is not made. Entries
whose arguments are tensors, numbers, streams and constants are also given to C++ (python/src/Caller.cpp), which
compares and calls without Python."""

import threading

from . import _core, _guards
from ._arguments import ENV_STREAM, Constant, Leaf, constants_of

_MOST_ENTRIES = 64
_MOST_FAILURES = 3
_lock = threading.Lock()
_RESULTS = (type(None), bool, int, float, str)


def _row(name, item, value, spec, exact, written):
    if isinstance(item, Constant):
        return {"kind": "constant", "name": name, "spec": 0, "like": item.value, "exact": exact, "written": False}
    return {"kind": item.key[0], "name": name, "spec": spec, "like": type(value), "exact": exact, "written": written}


def accept(caller, core, plans, passed, device, pinned, ties):
    """Lets C++ take the calls of a compiled function whose arguments are no structures."""
    if not all(isinstance(item, (Leaf, Constant)) for item in plans.values()):
        return
    specs = [name for name, item in plans.items() if isinstance(item, Leaf)]
    rows = [_row(name, plans[name], None, specs.index(name), False, True) for name in passed]
    streams = [i for i, name in enumerate(specs) if plans[name] is ENV_STREAM]
    _core.caller_add(caller, core, rows, positional=len(rows), any_keywords=True, guards=[], result=None, streams=streams,
                     device=device if pinned or device.simulated else None, otherwise=device, ties=[(a.slot, b.slot) for a, b, _ in ties])


class Entry:
    __slots__ = ("core", "constants", "device", "guards", "result")

    def __init__(self, core, result, guards, constants, device):
        self.core, self.result, self.guards, self.constants, self.device = core, result, guards, constants, device


class Traces:
    """What a @jit function was compiled to, by arguments."""

    def __init__(self, function):
        self.function, self.entries, self.failures, self.reason = function, {}, 0, None

    def find(self, key):
        for entry in self.entries.get(key, ()):
            if _core.guards_hold(entry.guards):
                return entry
        return None

    def watch(self, binding):
        """Before a trace: what must not change; None if it cannot be known."""
        if self.failures >= _MOST_FAILURES:
            return None
        constants = constants_of(binding.plans.values())
        if constants is None:
            return self._failed("an argument is an object with __extract_mlir_values__")
        try:
            return _guards.collect(self.function, constants), constants
        except _guards.Unguardable as reason:
            return self._failed(reason)

    def _failed(self, reason):
        self.failures += 1
        if str(reason) != self.reason:
            self.reason = str(reason)
            _core.log_info(f"{self.function.__qualname__} is traced at each call: {reason}")

    def remember(self, key, watched, core, result, device):
        """After a trace: keeps it, if tracing changed nothing that it had read."""
        if not isinstance(result, _RESULTS):
            return self._failed("its result is no number or text")
        guards, constants = watched
        if not _core.guards_hold(guards):
            return self._failed("its trace changes what it reads")
        entry = Entry(core, result, guards, constants, device)
        with _lock:
            if len(self.entries) >= _MOST_ENTRIES:
                self.entries.pop(next(iter(self.entries)))
            self.entries.setdefault(key, []).insert(0, entry)
            del self.entries[key][4:]
        return entry

    def clear(self):
        self.entries.clear()


def accept_again(caller, entry, binding, arguments, keywords):
    """Lets C++ take calls like this one: the same arguments given by position and by name, the rest constants."""
    plans = binding.plans
    if not all(isinstance(item, (Leaf, Constant)) for item in plans.values()):
        return
    names = list(plans)
    given = [*names[:len(arguments)], *keywords]
    if len(given) != len(arguments) + len(keywords) or any(name not in plans for name in given):
        return  # *args
    if any(isinstance(plans[name], Leaf) for name in names if name not in given):
        return  # a default that is passed at run time
    specs = [name for name in names if isinstance(plans[name], Leaf)]
    rows = [_row(name, plans[name], binding.bound.arguments[name], specs.index(name) if name in specs else 0, True,
                 binding.written[name]) for name in given]
    _core.caller_add(caller, entry.core, rows, positional=len(arguments), any_keywords=False, guards=entry.guards,
                     streams=[], result=entry.result, device=entry.device, otherwise=entry.device, ties=[])
