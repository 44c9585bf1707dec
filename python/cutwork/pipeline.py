# pipeline.py -- cutlass.pipeline: named barriers (pipelines are not there yet).

from . import _core
from ._errors import UserError


class NamedBarrier:
    """Barrier `barrier_id` (1 to 15) of `num_threads` threads."""

    def __init__(self, barrier_id, num_threads):
        if not 0 <= barrier_id < 16:
            raise UserError(f"NamedBarrier: a block has barriers 0 to 15, not {barrier_id}")
        if num_threads < 1 or num_threads % 32:
            raise UserError(f"NamedBarrier: whole warps meet at a barrier: {num_threads} threads is no multiple of 32")
        self.barrier_id, self.num_threads = barrier_id, num_threads

    def arrive(self, *, loc=None, ip=None):
        _core.arch.barrier_arrive(self.barrier_id, self.num_threads)

    def arrive_and_wait(self, *, loc=None, ip=None):
        _core.arch.barrier(self.barrier_id, self.num_threads)

    sync = wait = arrive_and_wait


def arrive_and_wait(barrier_id, num_threads, *, loc=None, ip=None):
    _core.arch.barrier(barrier_id, num_threads)


def sync(barrier_id=0, *, loc=None, ip=None):
    """All threads of the block meet at a barrier."""
    _core.arch.barrier(barrier_id, 0)


__all__ = ["NamedBarrier", "arrive_and_wait", "sync"]
