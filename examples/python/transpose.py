# transpose.py -- out = x.T through a swizzled tile of shared memory, without bank conflicts. Run: cutwork run transpose.py
import cutlass
import cutlass.cute as cute
import torch

TILE, ROWS = 32, 8


@cute.kernel
def transpose(x: cute.Tensor, out: cute.Tensor):
    thread = cute.arch.thread_idx()[0]
    bx, by, _ = cute.arch.block_idx()
    column, first = thread % TILE, thread // TILE
    smem = cutlass.utils.SmemAllocator()
    layout = cute.make_layout((TILE, TILE), stride=(TILE, 1))
    bank = cute.make_swizzle(5, 2, 5)  # of bytes: word r of row r comes first
    tile = smem.allocate_tensor(x.element_type, layout, byte_alignment=128, swizzle=bank)
    m, n = x.shape
    for i in cutlass.range_constexpr(TILE // ROWS):
        row = first + i * ROWS
        if by * TILE + row < m and bx * TILE + column < n:
            tile[row, column] = x[by * TILE + row, bx * TILE + column]
    cute.arch.sync_threads()
    for i in cutlass.range_constexpr(TILE // ROWS):
        row = first + i * ROWS
        if bx * TILE + row < n and by * TILE + column < m:
            out[bx * TILE + row, by * TILE + column] = tile[column, row]


@cute.jit
def launch(x: cute.Tensor, out: cute.Tensor):
    m, n = x.shape
    transpose(x, out).launch(grid=(cute.ceil_div(n, TILE), cute.ceil_div(m, TILE), 1), block=TILE * ROWS)


def kernel_fn(x):
    out = torch.empty(x.shape[1], x.shape[0], dtype=x.dtype, device=x.device)
    launch(x, out)
    return out


def reference_fn(x):
    return x.t()


def get_inputs(rows=64, columns=32):
    return (torch.randn(rows, columns, device="cuda"),)


odd_shapes = [(1, 1), (45, 70), (33, 31)]
rtol = atol = 0.0


if __name__ == "__main__":
    for m, n in ((64, 32), (45, 70)):
        x = torch.arange(m * n, device="cuda", dtype=torch.float32).reshape(m, n)
        assert torch.equal(kernel_fn(x), x.t())
    print("transpose: equal to torch")
