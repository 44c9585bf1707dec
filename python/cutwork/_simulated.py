# _simulated.py -- calls on the simulated device: arrays that live on the host are copied in and out.
"""A tensor that says it is on a GPU has its data on the host (cutwork.simulated_torch). For the time
of a call its memory has a place on the device; tensors that share memory share that too."""

import weakref

from . import _core


class Memory:
    """Bytes of the host with a place on the simulated device: [start, start + size)."""

    def __init__(self, device, start, size):
        self.start, self.size = start, size
        self.array = _core.Array.empty(device, "Uint8", [max(size, 1)])

    def copy_in(self, device):
        if self.size:
            device.copy_to_device(self.array.address, self.start, self.size)

    def copy_out(self, device):
        if self.size:
            device.copy_to_host(self.start, self.array.address, self.size)


class HostTensor:
    """A tensor argument whose data is on the host though it stands for one on a GPU."""

    __slots__ = ("pointer", "start", "size", "dtype", "shape", "strides", "owner")

    def __init__(self, pointer, start, size, dtype, shape, strides, owner):
        self.pointer, self.start, self.size = pointer, start, size
        self.dtype, self.shape, self.strides, self.owner = dtype, shape, strides, owner


_known = {}  # (device, start, size): Memory; the last few, so that a loop of calls makes none anew
_KEPT = 64
_live = weakref.WeakValueDictionary()  # address of a storage: its owner


def remember(owner, start):
    """Lets raw addresses inside this storage be passed as pointers."""
    _live[start] = owner


def _memory(device, start, size):
    key = (device.name, start, size)
    found = _known.pop(key, None) or Memory(device, start, size)
    _known[key] = found
    while len(_known) > _KEPT:
        _known.pop(next(iter(_known)))
    return found


class PointerLeaf:
    """An address of the host that a pointer argument passes."""

    __slots__ = ("address",)

    def __init__(self, address):
        self.address = address


def _of_address(device, address):
    """(memory, address on the device) of a raw address in a storage that is known, else None."""
    for start, owner in list(_live.items()):
        size = owner.nbytes()
        if start <= address < start + max(size, 1):
            memory = _memory(device, start, size)
            return memory, memory.array.address + (address - start)
    return None


def call(core, device, leaves):
    used = {}
    passed = []
    for leaf in leaves:
        if isinstance(leaf, HostTensor):
            memory = used.setdefault((leaf.start, leaf.size), _memory(device, leaf.start, leaf.size))
            passed.append(memory.array.reinterpret(leaf.pointer - leaf.start, leaf.dtype, leaf.shape, leaf.strides))
        elif isinstance(leaf, PointerLeaf):
            found = _of_address(device, leaf.address)
            if found is not None:
                used.setdefault((found[0].start, found[0].size), found[0])
            passed.append(found[1] if found else leaf.address)
        else:
            passed.append(leaf)
    for memory in used.values():
        memory.copy_in(device)
    try:
        core.call(device, passed)
        device.synchronize()
    finally:
        for memory in used.values():
            memory.copy_out(device)
