# add.py -- c = a + b with tiled copies and predicates for ragged shapes; the copies' width is tuned. Run: cutwork run add.py
import argparse

import cutlass
import cutlass.cute as cute
import cutlass.cute.testing as testing
import torch


@cute.kernel
def add(gA: cute.Tensor, gB: cute.Tensor, gC: cute.Tensor, cC: cute.Tensor, shape: cute.Shape, tiled: cute.TiledCopy):
    thread, block = cute.arch.thread_idx()[0], cute.arch.block_idx()[0]
    tile = ((None, None), block)
    mine = tiled.get_slice(thread)
    a, b, c = mine.partition_S(gA[tile]), mine.partition_S(gB[tile]), mine.partition_D(gC[tile])
    coordinates = mine.partition_S(cC[tile])
    inside = cute.make_rmem_tensor(coordinates.shape, cutlass.Boolean)
    for i in cutlass.range_constexpr(cute.size(inside)):
        inside[i] = cute.elem_less(coordinates[i], shape)
    ra, rb, rc = cute.make_fragment_like(a), cute.make_fragment_like(b), cute.make_fragment_like(c)
    cute.copy(tiled, a, ra, pred=inside)
    cute.copy(tiled, b, rb, pred=inside)
    rc.store(ra.load() + rb.load())
    cute.copy(tiled, rc, c, pred=inside)


@testing.autotune_jit(params_dict={"bits": [32, 128]}, update_on_change=["rows", "columns"], warmup_iterations=2,
                      iterations=10)
@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, rows: cutlass.Constexpr, columns: cutlass.Constexpr,
           bits: cutlass.Constexpr = 128):
    width = bits // a.element_type.width
    threads = cute.make_ordered_layout((4, 32), order=(1, 0))
    values = cute.make_ordered_layout((2, width), order=(1, 0))
    tiler, _ = cute.make_layout_tv(threads, values)
    atom = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), a.element_type)
    tiled = cute.make_tiled_copy_tv(atom, threads, values)
    gA, gB, gC = (cute.zipped_divide(t, tiler) for t in (a, b, c))
    cC = cute.zipped_divide(cute.make_identity_tensor(c.shape), tiler)
    add(gA, gB, gC, cC, c.shape, tiled).launch(grid=cute.size(gC, mode=[1]), block=cute.size(threads))


def kernel_fn(a, b):
    c = torch.empty_like(a)
    launch(a, b, c, *a.shape)
    return c


def reference_fn(a, b):
    return a + b


def get_inputs(rows=61, columns=200):
    return torch.randn(rows, columns, device="cuda"), torch.randn(rows, columns, device="cuda")


odd_shapes = [(1, 4), (9, 132)]  # rows of a whole number of 16 bytes
flops = lambda a, b: a.numel()  # noqa: E731
rtol = atol = 0.0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--M", type=int, default=61)
    parser.add_argument("--N", type=int, default=200)
    options = parser.parse_args()
    a, b = (torch.randn(options.M, options.N, device="cuda") for _ in range(2))
    c = torch.zeros_like(a)
    launch(a, b, c, options.M, options.N)
    assert torch.equal(c, a + b)
    print("add: equal to torch")
