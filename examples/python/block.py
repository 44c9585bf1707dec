# block.py -- what the examples of rows share: rows in registers, sixteen bytes at a time, and reductions over a row's threads.
"""A row is a warp's, a block's, or, if it is long, a cluster's. Long rows are read ahead: while the blocks compute with a row and write
it, the next comes by cp.async."""
import operator

import cutlass
import cutlass.cute as cute
import torch

WARP = 32
LOG2_E = 1.4426950408889634
LEAST = -1e38  # of exponents: below every finite one, and no infinity, whose difference with itself is no number


class Rows:
    """How rows of `columns` elements are shared out: `vector` elements are loaded at a time, `threads` have a row, in `cluster`
    blocks, each thread `per_thread` vectors of it. `at_once` blocks run persistently over rows that are read ahead; 0: a block
    for each row, or four. Passed as a Constexpr."""

    def __init__(self, columns, bits, aligned=True, multiprocessors=0):
        """multiprocessors: of a device that has clusters, else 0."""
        self.columns = columns
        self.vector = next(v for v in (128 // bits, 64 // bits, 32 // bits, 1) if v == 1 or (aligned and v > 1 and columns % v == 0))
        vectors = columns // self.vector
        # Two vectors a thread, four of longer rows, eight where they are read ahead: what was best on an H200
        # (bench/gpu/python/norms.py).
        self.threads, self.cluster, self.at_once = WARP, 1, 0
        while self.threads < 1024 and self.threads * (2 if self.threads < 256 else 4) < vectors:
            self.threads *= 2
        if multiprocessors and self.threads * 4 < vectors and self.vector * bits >= 32:
            block = 512 if vectors <= 8 * 512 * 8 else 1024  # of 1024 two rows of parameters do not fit shared memory
            while self.threads < 8 * block and self.threads * 8 < vectors:
                self.threads *= 2
            self.cluster = self.threads // block
            if block == 512:
                self.at_once = multiprocessors // self.cluster * self.cluster
        self.per_thread = -(-vectors // self.threads)
        self.full = vectors % self.threads == 0  # no thread's last vector is behind the end
        self.in_block = 4 if self.threads == WARP else 1  # short rows: a warp each, four in a block
        self.rounds = -(-self.threads // WARP**2)  # of a warp over the row's warps

    @classmethod
    def of(cls, *tensors):
        """For contiguous tensors whose last mode is the row."""
        assert all(t.is_contiguous() for t in tensors), "rows are contiguous"
        aligned = all(t.data_ptr() % 16 == 0 for t in tensors)
        device = torch.cuda.get_device_properties(tensors[0].device)
        return cls(tensors[0].shape[-1], 8 * max(t.element_size() for t in tensors), aligned,
                   device.multi_processor_count if device.major >= 9 else 0)

    def _state(self):
        return self.columns, self.vector, self.threads, self.cluster, self.at_once, self.in_block

    def __eq__(self, other):
        return isinstance(other, Rows) and self._state() == other._state()

    def __hash__(self):
        return hash(self._state())

    def launch(self, kernel, count):
        """Launches it for `count` rows."""
        grid = cute.ceil_div(count, self.in_block) * self.cluster
        kernel.launch(grid=cutlass.min(grid, self.at_once) if self.at_once else grid, block=self.threads * self.in_block // self.cluster,
                      cluster=(self.cluster, 1, 1) if self.cluster > 1 else None)


def thread_of_row(rows):
    """The number of this thread among those of its row."""
    thread = cute.arch.thread_idx()[0]
    if rows.cluster > 1:
        return cute.arch.block_idx_in_cluster() * (rows.threads // rows.cluster) + thread
    return thread % rows.threads


def vectors(tensor, rows, count=1):
    """A contiguous tensor of `count` rows as ((1, vector), (row, vector of the row)): its strides are known, so are alignments."""
    layout = cute.make_layout((count, rows.columns), stride=(rows.columns, 1))
    return cute.zipped_divide(cute.make_tensor(tensor.iterator, layout), (1, rows.vector))


def shared_row(tensor, rows):
    """Room in shared memory for this thread's vectors of a row, (vector, per_thread)."""
    threads = rows.threads // rows.cluster
    layout = cute.make_layout((rows.vector, rows.per_thread, threads), stride=(1, rows.vector * threads, rows.vector))
    return cutlass.utils.SmemAllocator().allocate_tensor(tensor.element_type, layout, 16)[None, None, thread_of_row(rows) % threads]


@cute.jit
def copy_row(tensor: cute.Tensor, row, mine: cute.Tensor, rows: cutlass.Constexpr):
    """This thread's vectors of a row."""
    for i in cutlass.range_constexpr(rows.per_thread):
        at = i * rows.threads + thread_of_row(rows)
        if rows.full or at < rows.columns // rows.vector:
            cute.autovec_copy(tensor[None, (row, at)], mine[None, i])


@cute.jit
def begin_row(tensor: cute.Tensor, row, mine: cute.Tensor, rows: cutlass.Constexpr):
    """Begins to copy this thread's vectors of a row into shared memory, as a group of cp.async."""
    atom = cute.make_copy_atom(cute.nvgpu.cpasync.CopyG2SOp(), tensor.element_type, num_bits_per_copy=rows.vector * tensor.element_type.width)
    for i in cutlass.range_constexpr(rows.per_thread):
        at = i * rows.threads + thread_of_row(rows)
        if rows.full or at < rows.columns // rows.vector:
            start = tensor[None, (row, at)].iterator
            cute.copy(atom, cute.make_tensor(start, cute.make_layout(rows.vector)), mine[None, i])
    cute.arch.cp_async_commit_group()


def parameters(tensor, rows):
    """A tensor of one row, which all rows need, as a function: this thread's i-th vector, vector `at` of the row, as Float32. Where
    rows are read ahead it is read once, into shared memory."""
    tensor = vectors(tensor, rows)
    if not rows.at_once:
        return lambda i, at: flat(tensor[None, (0, at)])
    mine = shared_row(tensor, rows)
    begin_row(tensor, 0, mine, rows)
    return lambda i, at: flat(mine[None, i])


def flat(tensor):
    """The elements of a tensor as a vector of Float32."""
    return tensor.load().to(cutlass.Float32).reshape(cute.size(tensor.shape))


@cute.jit
def fold(mine: cute.Tensor, rows: cutlass.Constexpr, of, how: cutlass.Constexpr, neutral: cutlass.Constexpr):
    """of(vector as Float32) of this thread's vectors, combined into a number: how is ADD or MAX."""
    result = cutlass.Float32(neutral)
    for i in cutlass.range_constexpr(rows.per_thread):
        if rows.full or i * rows.threads + thread_of_row(rows) < rows.columns // rows.vector:
            part = of(flat(mine[None, i])).reduce(how, neutral, 0)
            result = result + part if cutlass.const_expr(how == cute.ReductionOp.ADD) else cute.arch.fmax(result, part)
    return result


@cute.jit
def write_row(tensor: cute.Tensor, row, mine: cute.Tensor, rows: cutlass.Constexpr, of: cutlass.Constexpr):
    """of(vector as Float32, its number of this thread, its number in the row) of this thread's vectors to a row, as the tensor's type."""
    for i in cutlass.range_constexpr(rows.per_thread):
        at = i * rows.threads + thread_of_row(rows)
        if rows.full or at < rows.columns // rows.vector:
            value = of(flat(mine[None, i]), i, at)
            tensor[None, (row, at)] = value.to(tensor.element_type).reshape((1, rows.vector))


@cute.jit
def each_row(gX: cute.Tensor, gY: cute.Tensor, rows: cutlass.Constexpr, work: cutlass.Constexpr):
    """Writes rows of gY, made of gX's: work(this thread's vectors, (vector, per_thread); which of its rows this is) gives what
    write_row takes."""
    count, block = gX.shape[0], cute.arch.block_idx()[0]
    x, y = vectors(gX, rows, count), vectors(gY, rows, count)
    if cutlass.const_expr(rows.cluster > 1):
        cute.arch.cluster_arrive_relaxed()
        cute.arch.cluster_wait()  # the others' shared memory is there
    if cutlass.const_expr(rows.at_once > 0):
        step = cute.arch.grid_dim()[0] // rows.cluster
        coming = shared_row(x, rows)
        begin_row(x, block // rows.cluster, coming, rows)
        for row in cutlass.range(block // rows.cluster, count, step):
            mine = cute.make_rmem_tensor((rows.vector, rows.per_thread), gX.element_type)
            cute.arch.cp_async_wait_group(0)
            cute.autovec_copy(coming, mine)
            if row + step < count:
                begin_row(x, row + step, coming, rows)
            write_row(y, row, mine, rows, work(mine, row // step))
    else:
        row = block // rows.cluster * rows.in_block + cute.arch.thread_idx()[0] // rows.threads
        if row < count:
            if cutlass.const_expr(rows.vector * rows.per_thread <= 32):
                mine = cute.make_rmem_tensor((rows.vector, rows.per_thread), gX.element_type)
            else:
                mine = shared_row(x, rows)
            copy_row(x, row, mine, rows)
            write_row(y, row, mine, rows, work(mine, 0))


@cute.jit
def exchange(values: cutlass.Constexpr, rows: cutlass.Constexpr, turn):
    """What the warps of a row have, told to all of its threads: a tensor of (values, warps) in shared memory, which the turn after
    the next writes again."""
    lane, warp, warps = cute.arch.lane_idx(), cute.arch.warp_idx(), rows.threads // WARP
    layout = cute.make_layout((len(values), warps, 2))
    told = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Float32, layout)[None, None, turn % 2]
    if cutlass.const_expr(rows.cluster == 1):
        if lane == 0:
            for i in cutlass.range_constexpr(len(values)):
                told[i, warp] = values[i]
        cute.arch.sync_threads()
    else:
        if lane < rows.cluster:  # each warp tells every block
            there = cute.make_tensor(cute.arch.map_dsmem_ptr(told.iterator, lane), told.layout)
            for i in cutlass.range_constexpr(len(values)):
                there[i, cute.arch.block_idx_in_cluster() * (warps // rows.cluster) + warp] = values[i]
        cute.arch.cluster_arrive()
        cute.arch.cluster_wait()
    return told


@cute.jit
def over_warps(values: cute.Tensor, rows: cutlass.Constexpr, op: cutlass.Constexpr, neutral: cutlass.Constexpr, of: cutlass.Constexpr):
    """of(values, i) of all warps i of a row, combined, in each thread."""
    result = cutlass.Float32(neutral)
    for i in cutlass.range_constexpr(rows.rounds):
        at = i * WARP + cute.arch.lane_idx()
        if at < rows.threads // WARP:
            result = op(result, of(values, at))
    return cute.arch.warp_reduction(result, op)


@cute.jit
def row_sum(mine: cute.Tensor, rows: cutlass.Constexpr, of: cutlass.Constexpr, turn=0):
    """The sum of of(x) over the row, in each of its threads."""
    total = cute.arch.warp_reduction(fold(mine, rows, of, cute.ReductionOp.ADD, 0.0), operator.add)
    if cutlass.const_expr(rows.threads > WARP):
        told = exchange([total], rows, turn)
        total = over_warps(told, rows, operator.add, 0.0, lambda told, i: told[0, i])
    return total


def exp2(x):
    return cute.math.exp2(x, fastmath=True)


@cute.jit
def row_softmax(mine: cute.Tensor, rows: cutlass.Constexpr, turn=0):
    """(m, f) of each warp, so that the softmax of x is exp2(x log2(e) - m) f. Warps have maxima of their own, so that one exchange
    does and each power is taken once."""
    own = cute.arch.warp_reduction(fold(mine, rows, lambda x: x, cute.ReductionOp.MAX, LEAST), cute.arch.fmax) * LOG2_E
    total = cute.arch.warp_reduction(fold(mine, rows, lambda x: exp2(x * LOG2_E - own), cute.ReductionOp.ADD, 0.0), operator.add)
    factor = 1.0 / total
    if cutlass.const_expr(rows.threads > WARP):
        told = exchange([own, total], rows, turn)
        largest = over_warps(told, rows, cute.arch.fmax, LEAST, lambda told, i: told[0, i])
        total = over_warps(told, rows, operator.add, 0.0, lambda told, i: told[1, i] * exp2(told[0, i] - largest))
        factor = exp2(own - largest) / total
    return own, factor
