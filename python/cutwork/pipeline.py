# pipeline.py -- cutlass.pipeline: named barriers, and pipelines of threads over mbarriers (those of TMA are not there yet).
"""A pipeline is a ring of stages. Of each stage a full barrier says that there is data, and an empty barrier that there is room;
they lie side by side in shared memory, first all full ones. Producers begin with phase 1, for which an empty barrier that was
never used is ready."""

import enum

from . import _core
from ._absent import absent
from ._errors import UserError
from ._numbers import Boolean, Int32, Int64, Numeric
from .cute import barriers


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


# -- who takes part -----------------------------------------------------------------------------


class Agent(enum.Enum):
    """What one arrival stands for."""

    Thread = enum.auto()
    Warp = enum.auto()
    ThreadBlock = enum.auto()
    ThreadBlockCluster = enum.auto()


class CooperativeGroup:
    """`size` agents that arrive together: so many threads, or warps of 32."""

    def __init__(self, agent, size=1, alignment=None):
        if not isinstance(agent, Agent):
            raise UserError(f"CooperativeGroup: an Agent was expected, not {agent!r}")
        if not isinstance(size, int) or size < 1:
            raise UserError(f"CooperativeGroup: the size is a positive int, not {size!r}")
        self.agent, self.size = agent, size

    @property
    def arrivals(self):
        return self.size * (32 if self.agent is Agent.Warp else 1)


class PipelineUserType(enum.Enum):
    Producer = enum.auto()
    Consumer = enum.auto()
    ProducerConsumer = enum.auto()


class PipelineOp(enum.Enum):
    """What makes and takes the data of a stage."""

    AsyncThread = enum.auto()
    TCGen05Mma = enum.auto()
    TmaLoad = enum.auto()
    TmaStore = enum.auto()
    Composite = enum.auto()
    AsyncLoad = enum.auto()


# -- where one is in the ring -------------------------------------------------------------------


class PipelineState:
    """The stage, the phase of its barriers, and how many stages have been passed. Crosses run-time loops and branches."""

    def __init__(self, stages, count, index, phase):
        self._stages, self._count, self._index, self._phase = stages, count, index, phase

    stages = property(lambda self: self._stages)
    count = property(lambda self: self._count)
    index = property(lambda self: self._index)
    phase = property(lambda self: self._phase)

    def advance(self, *, loc=None, ip=None):
        index = Int32(self._index) + 1
        wraps = index == self._stages
        self._count = Int32(self._count) + 1
        self._phase = _core.select(wraps, Int32(self._phase) ^ 1, Int32(self._phase))
        self._index = _core.select(wraps, Int32(0), index)

    def reset_count(self, *, loc=None, ip=None):
        self._count = Int32(0)

    def clone(self):
        return PipelineState(self._stages, self._count, self._index, self._phase)

    def __extract_mlir_values__(self):
        return [Int32(self._count), Int32(self._index), Int32(self._phase)]

    def __new_from_mlir_values__(self, values):
        return PipelineState(self._stages, *values)


def make_pipeline_state(type, stages, *, loc=None, ip=None):  # noqa: A002
    """The state that a producer, or a consumer, begins with."""
    if type not in (PipelineUserType.Producer, PipelineUserType.Consumer):
        raise UserError(f"make_pipeline_state: PipelineUserType.Producer or Consumer was expected, not {type!r}")
    return PipelineState(stages, Int32(0), Int32(0), Int32(1 if type is PipelineUserType.Producer else 0))


# -- pipelines of threads -----------------------------------------------------------------------


class PipelineAsync:
    """Threads make the data of a stage, and threads take it; both arrive at its barriers."""

    def __init__(self, full, empty, num_stages):
        self._full, self._empty, self.num_stages = full, empty, num_stages

    @classmethod
    def create(cls, *, num_stages, producer_group, consumer_group, barrier_storage=None, producer_mask=None, consumer_mask=None,
               defer_sync=False, name="", loc=None, ip=None):
        """All threads of the block call it; 2 * num_stages mbarriers of 8 bytes are at barrier_storage, or allocated."""
        if producer_mask is not None or consumer_mask is not None:
            raise UserError(f"{cls.__name__}.create: masks are of pipelines over clusters, which are not supported yet (docs/support.md)")
        if barrier_storage is None:
            from .utils import SmemAllocator

            barrier_storage = SmemAllocator().allocate_array(Int64, 2 * num_stages)
        first = _core.recast_ptr(barrier_storage, None, Int64)
        full, empty = first, first + num_stages
        region = _core.open_if(_first_lane())
        for i in range(num_stages):
            barriers.mbarrier_init(full + i, producer_group.arrivals)
            barriers.mbarrier_init(empty + i, consumer_group.arrivals)
        region.close()
        if not defer_sync:
            pipeline_init_arrive()
            pipeline_init_wait()
        return cls(full, empty, num_stages)

    # The state names the stage and the phase; a token is what try_acquire or try_wait gave.

    def producer_acquire(self, state, try_acquire_token=None, *, loc=None, ip=None):
        """Waits until the stage is empty."""
        _wait(self._empty + state.index, state.phase, try_acquire_token)

    def producer_try_acquire(self, state, *, loc=None, ip=None):
        return barriers.mbarrier_try_wait(self._empty + state.index, state.phase)

    def producer_commit(self, state, *, loc=None, ip=None):
        """Says that the stage is full."""
        barriers.mbarrier_arrive(self._full + state.index)

    def producer_get_barrier(self, state, *, loc=None, ip=None):
        return self._full + state.index

    def producer_tail(self, state, *, loc=None, ip=None):
        """Waits until every stage that this producer filled has been emptied."""
        state = state.clone()
        for _ in range(self.num_stages):
            self.producer_acquire(state)
            state.advance()

    def consumer_wait(self, state, try_wait_token=None, *, loc=None, ip=None):
        """Waits until the stage is full."""
        _wait(self._full + state.index, state.phase, try_wait_token)

    def consumer_try_wait(self, state, *, loc=None, ip=None):
        return barriers.mbarrier_try_wait(self._full + state.index, state.phase)

    def consumer_release(self, state, *, loc=None, ip=None):
        """Says that the stage is empty."""
        barriers.mbarrier_arrive(self._empty + state.index)

    def make_producer(self, *, loc=None, ip=None):
        return PipelineProducer(self, make_pipeline_state(PipelineUserType.Producer, self.num_stages))

    def make_consumer(self, *, loc=None, ip=None):
        return PipelineConsumer(self, make_pipeline_state(PipelineUserType.Consumer, self.num_stages))

    def make_participants(self, *, loc=None, ip=None):
        return self.make_producer(), self.make_consumer()


class PipelineCpAsync(PipelineAsync):
    """Producers fill a stage by cp.async: what they have issued arrives at its barrier by itself when it is there.

    PTX ISA, section 9.7.13.15.15 (cp.async.mbarrier.arrive.noinc); each thread of the producer group commits once a stage."""

    def producer_commit(self, state, *, loc=None, ip=None):
        """The stage is full when the cp.async copies that this thread issued before have been done."""
        barriers.cp_async_mbarrier_arrive_noinc(self._full + state.index)


def _first_lane():
    """One thread of the block."""
    index = Int32(0)
    for i in _core.arch.thread_idx():
        index = index | i
    return index == 0


def _wait(barrier, phase, token):
    if token is None:
        return barriers.mbarrier_wait(barrier, phase)
    region = _core.open_if(Boolean(token) ^ True)
    barriers.mbarrier_wait(barrier, phase)
    return region.close()


def pipeline_init_arrive(cluster_shape_mn=None, is_relaxed=False, *, loc=None, ip=None):
    """Behind the creation of deferred pipelines: makes their barriers visible; pipeline_init_wait waits for all threads."""
    barriers.mbarrier_init_fence()
    if _has_cluster(cluster_shape_mn):
        (_core.arch.cluster_arrive_relaxed if is_relaxed else _core.arch.cluster_arrive)()


def pipeline_init_wait(cluster_shape_mn=None, *, loc=None, ip=None):
    if _has_cluster(cluster_shape_mn):
        _core.arch.cluster_wait()
    else:
        _core.arch.sync_threads()


def _has_cluster(shape):
    if shape is None:
        return False
    layout = getattr(shape, "shape", shape)
    return _core.product(layout if isinstance(layout, tuple) else (layout,)) > 1


class _Handle:
    """One stage that a participant holds."""

    def __init__(self, pipeline, state):
        self._pipeline, self._state = pipeline, state

    index = property(lambda self: self._state.index)
    count = property(lambda self: self._state.count)
    barrier = property(lambda self: self._pipeline.producer_get_barrier(self._state))

    def __extract_mlir_values__(self):
        return self._state.__extract_mlir_values__()

    def __new_from_mlir_values__(self, values):
        return type(self)(self._pipeline, self._state.__new_from_mlir_values__(values))


class _ProducerHandle(_Handle):
    def commit(self, *, loc=None, ip=None):
        self._pipeline.producer_commit(self._state)


class _ConsumerHandle(_Handle):
    def release(self, *, loc=None, ip=None):
        self._pipeline.consumer_release(self._state)


class _Participant:
    """A pipeline with the place of one side in it."""

    def __init__(self, pipeline, state, group=None):
        self._pipeline, self._state, self._group = pipeline, state, group

    def advance(self, *, loc=None, ip=None):
        self._state.advance()

    def reset(self, *, loc=None, ip=None):
        """The count begins at 0 again; the place in the ring stays."""
        self._state.reset_count()

    def clone(self):
        return type(self)(self._pipeline, self._state.clone(), self._group)

    def __extract_mlir_values__(self):
        return self._state.__extract_mlir_values__()

    def __new_from_mlir_values__(self, values):
        return type(self)(self._pipeline, self._state.__new_from_mlir_values__(values), self._group)


class PipelineProducer(_Participant):
    ImmutableResourceHandle = _ProducerHandle

    def acquire(self, try_acquire_token=None, *, loc=None, ip=None):
        """Waits for room; the handle's commit() says that it is filled."""
        self._pipeline.producer_acquire(self._state, try_acquire_token)
        return _ProducerHandle(self._pipeline, self._state.clone())

    def acquire_and_advance(self, try_acquire_token=None, *, loc=None, ip=None):
        handle = self.acquire(try_acquire_token)
        self.advance()
        return handle

    def try_acquire(self, *, loc=None, ip=None):
        return self._pipeline.producer_try_acquire(self._state)

    def commit(self, handle=None, *, loc=None, ip=None):
        self._pipeline.producer_commit(self._state if handle is None else handle._state)

    def tail(self, *, loc=None, ip=None):
        self._pipeline.producer_tail(self._state)


class PipelineConsumer(_Participant):
    ImmutableResourceHandle = _ConsumerHandle

    def wait(self, try_wait_token=None, *, loc=None, ip=None):
        """Waits for data; the handle's release() says that it has been read."""
        self._pipeline.consumer_wait(self._state, try_wait_token)
        return _ConsumerHandle(self._pipeline, self._state.clone())

    def wait_and_advance(self, try_wait_token=None, *, loc=None, ip=None):
        handle = self.wait(try_wait_token)
        self.advance()
        return handle

    def try_wait(self, *, loc=None, ip=None):
        return self._pipeline.consumer_try_wait(self._state)

    def release(self, handle=None, *, loc=None, ip=None):
        self._pipeline.consumer_release(self._state if handle is None else handle._state)


class PipelineOrder:
    """Groups of threads that take turns, `depth` stages each: group 0 first, then 1, ..., `length` groups in a ring."""

    def __init__(self, storage, depth, length, group_id, state):
        self._storage, self._depth, self._length = storage, depth, length
        self._group, self._state = group_id, state

    @classmethod
    def create(cls, *, depth, length, group_id, producer_group, barrier_storage=None, defer_sync=False, name="", loc=None, ip=None):
        if barrier_storage is None:
            from .utils import SmemAllocator

            barrier_storage = SmemAllocator().allocate_array(Int64, depth * length)
        first = _core.recast_ptr(barrier_storage, None, Int64)
        region = _core.open_if(_first_lane())
        for i in range(depth * length):
            barriers.mbarrier_init(first + i, producer_group.arrivals)
        region.close()
        if not defer_sync:
            pipeline_init_arrive()
            pipeline_init_wait()
        # Group 0 need not wait for anyone at first: an unused barrier is ready for phase 1.
        first_phase = Int32(group_id == 0) if isinstance(group_id, Numeric) else Int32(1 if group_id == 0 else 0)
        return cls(first, depth, length, group_id, PipelineState(depth, Int32(0), Int32(0), first_phase))

    def _barrier(self, group):
        return self._storage + (Int32(self._state.index) * self._length + group)

    def wait(self, *, loc=None, ip=None):
        """Waits for this group's turn."""
        barriers.mbarrier_wait(self._barrier(Int32(self._group)), self._state.phase)

    def arrive(self, *, loc=None, ip=None):
        """The next group's turn."""
        barriers.mbarrier_arrive(self._barrier((Int32(self._group) + 1) % self._length))
        self._state.advance()

    def __extract_mlir_values__(self):
        return self._state.__extract_mlir_values__()

    def __new_from_mlir_values__(self, values):
        return PipelineOrder(self._storage, self._depth, self._length, self._group,
                             self._state.__new_from_mlir_values__(values))


__getattr__ = absent("cutlass.pipeline", "PipelineAsyncUmma PipelineClcFetchAsync PipelineTmaAsync PipelineTmaMultiConsumersAsync "
                     "PipelineTmaStore PipelineTmaUmma PipelineUmmaAsync TmaStoreFence",
                     "of pipelines those of threads are, PipelineAsync and PipelineCpAsync")


__all__ = ["Agent", "CooperativeGroup", "NamedBarrier", "PipelineAsync", "PipelineConsumer", "PipelineCpAsync", "PipelineOp", "PipelineOrder",
           "PipelineProducer", "PipelineState", "PipelineUserType", "arrive_and_wait", "make_pipeline_state",
           "pipeline_init_arrive", "pipeline_init_wait", "sync"]
