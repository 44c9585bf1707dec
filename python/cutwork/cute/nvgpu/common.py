# common.py -- instructions that every GPU has.

import enum

from ... import _core
from ..._errors import UserError


class LoadCacheMode(enum.Enum):
    """Which caches a load fills."""

    ALWAYS = "ca"
    GLOBAL = "cg"
    STREAMING = "cs"
    LAST_USE = "lu"
    NONE = "cv"


class MemoryOrder(enum.Enum):
    WEAK = "weak"
    RELAXED = "relaxed"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"
    VOLATILE = "volatile"


class MemoryScope(enum.Enum):
    CTA = "cta"
    CLUSTER = "cluster"
    GPU = "gpu"
    SYS = "sys"


class CacheEvictionPriority(enum.Enum):
    EVICT_NORMAL = "evict_normal"
    EVICT_FIRST = "evict_first"
    EVICT_LAST = "evict_last"
    EVICT_UNCHANGED = "evict_unchanged"
    NO_ALLOCATE = "no_allocate"


class CopyUniversalOp:
    """Plain loads and stores."""

    def make_atom(self, dtype, bits):
        return _core.make_copy_atom_universal(dtype, bits)

    def __repr__(self):
        return "CopyUniversalOp()"


class MmaUniversalOp:
    """One multiply-add of a thread, of float, integer or half types."""

    def __init__(self, abacc_dtype):
        self.abacc_dtype = abacc_dtype

    def make_mma_atom(self):
        return _core.make_mma_atom_universal(self.abacc_dtype)

    def __eq__(self, other):
        return isinstance(other, MmaUniversalOp) and self.abacc_dtype is other.abacc_dtype

    def __hash__(self):
        return hash((MmaUniversalOp, self.abacc_dtype))

    def __repr__(self):
        return f"MmaUniversalOp({self.abacc_dtype.__name__})"


def make_atom(op, dtype, bits):
    """The atom of an operation."""
    make = getattr(op, "make_atom", None)
    if make is None:
        raise UserError(f"make_copy_atom: {op!r} is no copy operation such as CopyUniversalOp()")
    return make(dtype, bits or 0)
