# block.py -- rows in registers, sixteen bytes at a time, and reductions over a row's threads: what the examples of rows share.
import operator

import cutlass
import cutlass.cute as cute

WARP = 32


class Rows:
    """How rows of `columns` elements are shared out: `vector` elements are loaded at a time, `threads` of a block have a row,
    each `per_thread` vectors of it. Passed as a Constexpr."""

    def __init__(self, columns, bits, aligned=True):
        self.columns = columns
        self.vector = next(v for v in (128 // bits, 64 // bits, 32 // bits, 1) if v == 1 or (aligned and v > 1 and columns % v == 0))
        vectors = columns // self.vector
        self.threads = WARP
        # Two vectors a thread, four of long rows: what was best on an H200 (bench/gpu/python/norms.py).
        while self.threads < 1024 and self.threads * (2 if self.threads < 256 else 4) < vectors:
            self.threads *= 2
        self.per_thread = -(-vectors // self.threads)
        self.full = vectors % self.threads == 0  # no thread's last vector is behind the end
        self.in_block = 4 if self.threads == WARP else 1  # short rows: a warp each, four in a block

    @classmethod
    def of(cls, *tensors):
        """For contiguous tensors whose last mode is the row."""
        assert all(t.is_contiguous() for t in tensors), "rows are contiguous"
        aligned = all(t.data_ptr() % 16 == 0 for t in tensors)
        return cls(tensors[0].shape[-1], 8 * max(t.element_size() for t in tensors), aligned)

    def _state(self):
        return self.columns, self.vector, self.threads, self.in_block

    def __eq__(self, other):
        return isinstance(other, Rows) and self._state() == other._state()

    def __hash__(self):
        return hash(self._state())

    def grid(self, count):
        return cute.ceil_div(count, self.in_block)

    @property
    def block(self):
        return self.threads * self.in_block


def position(rows):
    """The row of this thread, and its number among the row's threads."""
    thread = cute.arch.thread_idx()[0]
    return cute.arch.block_idx()[0] * rows.in_block + thread // rows.threads, thread % rows.threads


def vectors(tensor, rows, count=1):
    """A contiguous tensor of `count` rows as ((1, vector), (row, vector of the row)): its strides are known, so are alignments."""
    layout = cute.make_layout((count, rows.columns), stride=(rows.columns, 1))
    return cute.zipped_divide(cute.make_tensor(tensor.iterator, layout), (1, rows.vector))


def load_row(tensor, row, thread, rows):
    """This thread's vectors of a row, (vector, per_thread), as they are: in registers, or in shared memory if they are many."""
    shape = (rows.vector, rows.per_thread)
    if rows.vector * rows.per_thread <= 32:
        mine = cute.make_rmem_tensor(shape, tensor.element_type)
    else:
        layout = cute.make_layout((*shape, rows.threads), stride=(1, rows.vector * rows.threads, rows.vector))
        mine = cutlass.utils.SmemAllocator().allocate_tensor(tensor.element_type, layout, 16)[None, None, thread]
    copy_row(tensor, row, thread, mine, rows)
    return mine


@cute.jit
def copy_row(tensor: cute.Tensor, row, thread, mine: cute.Tensor, rows: cutlass.Constexpr):
    for i in cutlass.range_constexpr(rows.per_thread):
        at = i * rows.threads + thread
        if rows.full or at < rows.columns // rows.vector:
            cute.autovec_copy(tensor[None, (row, at)], mine[None, i])


@cute.jit
def fold(mine: cute.Tensor, thread, rows: cutlass.Constexpr, of, how: cutlass.Constexpr, neutral: cutlass.Constexpr):
    """of(vector as Float32) of this thread's vectors, combined into a number: how is ADD or MAX."""
    result = cutlass.Float32(neutral)
    for i in cutlass.range_constexpr(rows.per_thread):
        if rows.full or i * rows.threads + thread < rows.columns // rows.vector:
            part = of(mine[None, i].load().to(cutlass.Float32)).reduce(how, neutral, 0)
            result = result + part if cutlass.const_expr(how == cute.ReductionOp.ADD) else cute.arch.fmax(result, part)
    return result


@cute.jit
def write_row(tensor: cute.Tensor, row, thread, mine: cute.Tensor, rows: cutlass.Constexpr, of):
    """of(vector as Float32, its number in the row) of this thread's vectors to a row, as the tensor's type."""
    for i in cutlass.range_constexpr(rows.per_thread):
        at = i * rows.threads + thread
        if rows.full or at < rows.columns // rows.vector:
            value = of(mine[None, i].load().to(cutlass.Float32), at)
            tensor[None, (row, at)] = value.to(tensor.element_type).reshape((1, rows.vector))


def vector_of(tensor, at):
    """Vector `at` of a tensor of one row, as Float32."""
    found = tensor[None, (0, at)].load()
    return found.to(cutlass.Float32).reshape(cute.size(found.shape))


@cute.jit
def row_reduce(value, op, neutral, rows: cutlass.Constexpr):
    """The combination of the values of a row's threads, in each of them."""
    value = cute.arch.warp_reduction(value, op)
    if cutlass.const_expr(rows.threads > WARP):
        partial = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(rows.threads // WARP))
        thread = cute.arch.thread_idx()[0]
        if thread % WARP == 0:
            partial[thread // WARP] = value
        cute.arch.sync_threads()
        value = cutlass.Float32(neutral)
        if thread % WARP < rows.threads // WARP:
            value = partial[thread % WARP]
        value = cute.arch.warp_reduction(value, op)
    return value


def row_sum(mine, thread, rows, of):
    """The sum of of(x) over the row, in each of its threads."""
    return row_reduce(fold(mine, thread, rows, of, cute.ReductionOp.ADD, 0.0), operator.add, 0.0, rows)


def row_max(mine, thread, rows):
    smallest = -float("inf")
    return row_reduce(fold(mine, thread, rows, lambda x: x, cute.ReductionOp.MAX, smallest), cute.arch.fmax, smallest, rows)
