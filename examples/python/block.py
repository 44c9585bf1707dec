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
        while self.threads < 1024 and self.threads * 4 < vectors:
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


@cute.jit
def load_row(tensor: cute.Tensor, row, thread, rows: cutlass.Constexpr, fill: cutlass.Constexpr):
    """This thread's vectors of a row as Float32, (vector, per_thread); `fill` behind the end."""
    mine = cute.make_rmem_tensor((rows.vector, rows.per_thread), cutlass.Float32)
    for i in cutlass.range_constexpr(rows.per_thread):
        at = i * rows.threads + thread
        if cutlass.const_expr(rows.full):
            mine[None, i].store(tensor[None, (row, at)].load().to(cutlass.Float32).reshape(rows.vector))
        else:
            mine[None, i].fill(fill)
            if at < rows.columns // rows.vector:
                mine[None, i].store(tensor[None, (row, at)].load().to(cutlass.Float32).reshape(rows.vector))
    return mine


@cute.jit
def fill_behind(mine: cute.Tensor, thread, value, rows: cutlass.Constexpr):
    """Sets what load_row filled, behind the row's end, to a value of the kernel."""
    for i in cutlass.range_constexpr(rows.per_thread):
        if cutlass.const_expr(not rows.full):
            if i * rows.threads + thread >= rows.columns // rows.vector:
                for k in cutlass.range_constexpr(rows.vector):
                    mine[k, i] = value


@cute.jit
def store_row(tensor: cute.Tensor, row, thread, values, rows: cutlass.Constexpr):
    """Writes what load_row read, as the tensor's type."""
    for i in cutlass.range_constexpr(rows.per_thread):
        at = i * rows.threads + thread
        if rows.full or at < rows.columns // rows.vector:
            tensor[None, (row, at)] = values[None, i].load().to(tensor.element_type).reshape((1, rows.vector))


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


def row_sum(value, rows):
    return row_reduce(value, operator.add, 0.0, rows)


def row_max(value, rows):
    return row_reduce(value, cute.arch.fmax, -float("inf"), rows)
