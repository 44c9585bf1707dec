# sgemm.py -- C = A @ B.T for float32 by cp.async and multiply-adds, edges of any size. Run: cutwork run sgemm.py
import cutlass
import cutlass.cute as cute
import torch

TILE_M, TILE_N, TILE_K, STAGES = 128, 128, 8, 4


def ring(smem, dtype, rows):
    """STAGES tiles (rows, TILE_K), rows together; the padding keeps the writes of a column off one bank."""
    layout = cute.make_layout((rows, TILE_K, STAGES), stride=(1, rows + 4, (rows + 4) * TILE_K))
    return smem.allocate_tensor(dtype, layout, 16)


@cute.jit
def start(copy: cute.TiledCopy, source: cute.Tensor, at: cute.Tensor, target: cute.Tensor, shape: cute.Shape):
    """Tile `source` on its way to shared memory; what is outside the matrix arrives as zeros."""
    pred = cute.make_rmem_tensor((at.shape[0][1], at.shape[1], at.shape[2]), cutlass.Boolean)
    for i in cutlass.range_constexpr(cute.size(at, mode=[0, 1])):
        for m in cutlass.range_constexpr(cute.size(at, mode=[1])):
            for k in cutlass.range_constexpr(cute.size(at, mode=[2])):
                pred[i, m, k] = cute.elem_less(at[(0, i), m, k], shape)
    cute.copy(copy, source, target, pred=pred)


@cute.kernel
def sgemm(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, copy: cute.TiledCopy, mma: cute.TiledMma):
    thread = cute.arch.thread_idx()[0]
    m, n, _ = cute.arch.block_idx()
    mine, product = copy.get_slice(thread), mma.get_slice(thread)
    smem = cutlass.utils.SmemAllocator()
    s_a, s_b = ring(smem, a.element_type, TILE_M), ring(smem, b.element_type, TILE_N)

    # (value, rows, k, tile) and (value, rows, k, stage) of the copies.
    tile_a, tile_b = (TILE_M, TILE_K), (TILE_N, TILE_K)
    from_a = mine.partition_S(cute.local_tile(a, tile_a, (m, None)))
    from_b = mine.partition_S(cute.local_tile(b, tile_b, (n, None)))
    at_a = mine.partition_S(cute.local_tile(cute.make_identity_tensor(a.shape), tile_a, (m, None)))
    at_b = mine.partition_S(cute.local_tile(cute.make_identity_tensor(b.shape), tile_b, (n, None)))
    to_a, to_b = mine.partition_D(s_a), mine.partition_D(s_b)

    part_a, part_b = product.partition_A(s_a), product.partition_B(s_b)  # (1, rows, k, stage)
    part_c = product.partition_C(cute.local_tile(c, (TILE_M, TILE_N), (m, n)))
    at_c = product.partition_C(cute.local_tile(cute.make_identity_tensor(c.shape), (TILE_M, TILE_N), (m, n)))
    sums = mma.make_fragment_C(part_c)
    sums.fill(0.0)

    for stage in cutlass.range_constexpr(STAGES - 1):
        start(copy, from_a[None, None, None, stage], at_a[None, None, None, stage], to_a[None, None, None, stage], a.shape)
        start(copy, from_b[None, None, None, stage], at_b[None, None, None, stage], to_b[None, None, None, stage], b.shape)
        cute.arch.cp_async_commit_group()
    for tile in range(cute.ceil_div(a.shape[1], TILE_K)):
        cute.arch.cp_async_wait_group(STAGES - 2)
        cute.arch.sync_threads()  # the tile is there for all, and nobody reads the one before it any more
        ahead, free = tile + STAGES - 1, (tile + STAGES - 1) % STAGES
        start(copy, from_a[None, None, None, ahead], at_a[None, None, None, ahead], to_a[None, None, None, free], a.shape)
        start(copy, from_b[None, None, None, ahead], at_b[None, None, None, ahead], to_b[None, None, None, free], b.shape)
        cute.arch.cp_async_commit_group()
        stage = tile % STAGES
        for k in cutlass.range_constexpr(TILE_K):
            cute.gemm(mma, sums, part_a[None, None, k, stage], part_b[None, None, k, stage], sums)
    cute.arch.cp_async_wait_group(0)

    pred = cute.make_rmem_tensor(sums.shape, cutlass.Boolean)
    for i in cutlass.range_constexpr(cute.size(sums)):
        pred[i] = cute.elem_less(at_c[i], c.shape)
    cute.copy(cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), c.element_type), sums, part_c, pred=pred)


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    """a (M, K) and b (N, K), both with k contiguous, c (M, N)."""
    atom = cute.make_copy_atom(cute.nvgpu.cpasync.CopyG2SOp(), a.element_type, num_bits_per_copy=32)
    copy = cute.make_tiled_copy_tv(atom, cute.make_layout((128, 2), stride=(2, 1)), cute.make_layout((1, 4)))
    # Each thread has 2x2 pieces of 4x4 elements, so that shared memory is read in 128 bits.
    four = cute.make_layout((16, 4), stride=(4, 1))
    mma = cute.make_tiled_mma(cute.nvgpu.MmaUniversalOp(cutlass.Float32), cute.make_layout((16, 16, 1), stride=(16, 1, 0)),
                              permutation_mnk=(four, four, None))
    blocks = cute.ceil_div(c.shape, (TILE_M, TILE_N))
    sgemm(a, b, c, copy, mma).launch(grid=(*blocks, 1), block=mma.size)


if __name__ == "__main__":
    torch.manual_seed(0)
    for m, n, k in ((128, 128, 64), (133, 65, 37), (3, 260, 9)):
        a, b = torch.randn(m, k, device="cuda"), torch.randn(n, k, device="cuda")
        c = torch.empty(m, n, device="cuda")
        launch(a, b, c)
        torch.testing.assert_close(c, a @ b.t(), rtol=1e-5, atol=1e-4)
    print("sgemm: close to torch")
