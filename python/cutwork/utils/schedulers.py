# schedulers.py -- which tile a persistent block works on next: cutlass.utils.StaticPersistentTileScheduler.
"""The grid is (cluster m, cluster n, clusters); cluster z of it takes the tiles number z, z + clusters, ... of the problem. Numbers run
over m first (raster_along_m), then n, then l; with swizzle_size s, over s neighbours of n before m goes on."""

import dataclasses

from .. import _core
from .._errors import UserError
from .._numbers import Boolean, Int32, Numeric


@dataclasses.dataclass(frozen=True)
class WorkTileInfo:
    """The (m, n, l) of a tile, and whether there is one."""

    tile_idx: tuple
    is_valid_tile: Boolean


def _ceil_div(a, b):
    return (a + (b - 1)) // b


def _order(params):
    """The extents in clusters: (inner, swizzled outer, l), the first the fastest without a swizzle."""
    m, n, batches = params.problem_shape_ncluster_mnl
    inner, outer = (m, n) if params.raster_along_m else (n, m)
    return inner, _ceil_div(outer, params.swizzle_size) * params.swizzle_size, batches


@dataclasses.dataclass(frozen=True)
class PersistentTileSchedulerParams:
    """A problem of (m, n, l) tiles, taken by clusters of (m, n, 1) blocks."""

    problem_shape_ntile_mnl: tuple
    cluster_shape_mnk: tuple
    swizzle_size: int = 1
    raster_along_m: bool = True

    def __post_init__(self):
        if len(self.problem_shape_ntile_mnl) != 3 or len(self.cluster_shape_mnk) != 3:
            raise UserError("PersistentTileSchedulerParams: a problem (m, n, l) and a cluster (m, n, k) were expected, not "
                            f"{self.problem_shape_ntile_mnl} and {self.cluster_shape_mnk}")
        if self.cluster_shape_mnk[2] != 1:
            raise UserError(f"PersistentTileSchedulerParams: the k of a cluster is 1, not {self.cluster_shape_mnk[2]}")
        if not isinstance(self.swizzle_size, int) or self.swizzle_size < 1:
            raise UserError(f"PersistentTileSchedulerParams: swizzle_size is a positive int, not {self.swizzle_size!r}")

    @property
    def cluster_shape_mn(self):
        return self.cluster_shape_mnk[:2]

    @property
    def problem_shape_ncluster_mnl(self):
        m, n, batches = self.problem_shape_ntile_mnl
        return _ceil_div(m, self.cluster_shape_mnk[0]), _ceil_div(n, self.cluster_shape_mnk[1]), batches

    @property
    def number_of_clusters(self):
        inner, outer, batches = _order(self)
        return inner * outer * batches

    def get_grid_shape(self, max_active_clusters, *, loc=None, ip=None):
        """Blocks of the launch: one for each tile, or as many clusters as run at once."""
        wanted, limit = self.number_of_clusters, max_active_clusters
        both = isinstance(wanted, Numeric) or isinstance(limit, Numeric)
        count = _core.min(Int32(wanted), Int32(limit)) if both else min(wanted, limit)
        return (*self.cluster_shape_mn, count)


class StaticPersistentTileScheduler:
    """The tiles of one block, one after the other."""

    def __init__(self, params, first, step, block_in_cluster, executed):
        self.params, self._current, self._step = params, first, step
        self._block, self._executed = block_in_cluster, executed

    @staticmethod
    def get_grid_shape(params, max_active_clusters, *, loc=None, ip=None):
        return params.get_grid_shape(max_active_clusters)

    @classmethod
    def create(cls, params, block_idx, grid_dim, *, loc=None, ip=None):
        """In the kernel, with cute.arch.block_idx() and cute.arch.grid_dim()."""
        m, n = params.cluster_shape_mn
        return cls(params, Int32(block_idx[2]), Int32(grid_dim[2]), (Int32(block_idx[0]) % m, Int32(block_idx[1]) % n), Int32(0))

    @property
    def num_tiles_executed(self):
        return self._executed

    def _work(self, number):
        params = self.params
        inner_extent, outer_extent, _ = _order(params)
        batch, rest = number // (inner_extent * outer_extent), number % (inner_extent * outer_extent)
        band, rest = rest // (inner_extent * params.swizzle_size), rest % (inner_extent * params.swizzle_size)
        inner, outer = rest // params.swizzle_size, band * params.swizzle_size + rest % params.swizzle_size
        m, n = (inner, outer) if params.raster_along_m else (outer, inner)
        shape = params.cluster_shape_mn
        tile = (Int32(m * shape[0] + self._block[0]), Int32(n * shape[1] + self._block[1]), Int32(batch))
        return WorkTileInfo(tile, Boolean(number < params.number_of_clusters))

    def get_current_work(self, *, loc=None, ip=None):
        return self._work(self._current)

    def initial_work_tile_info(self, *, loc=None, ip=None):
        return self.get_current_work()

    def advance_to_next_work(self, *, advance_count=1, loc=None, ip=None):
        self._current = self._current + self._step * advance_count
        self._executed = self._executed + 1

    def __extract_mlir_values__(self):
        return [self._current, self._executed]

    def __new_from_mlir_values__(self, values):
        return StaticPersistentTileScheduler(self.params, values[0], self._step, self._block, values[1])


__all__ = ["PersistentTileSchedulerParams", "StaticPersistentTileScheduler", "WorkTileInfo"]
