# relu.py -- y = max(x, 0): sixteen bytes a thread, one compilation for every shape. Run: cutwork run relu.py
import cutlass
import cutlass.cute as cute
import torch
from cutlass.cute.runtime import from_dlpack

THREADS = 256


@cute.kernel
def relu(gX: cute.Tensor, gY: cute.Tensor, total: cutlass.Int32):
    i = cute.arch.block_idx()[0] * THREADS + cute.arch.thread_idx()[0]
    columns = gX.shape[1][1]
    if i < total:
        at = (None, (i // columns, i % columns))
        x = gX[at].load()
        gY[at] = cute.where(x > 0, x, cute.full_like(x, 0))


@cute.jit
def launch(x: cute.Tensor, y: cute.Tensor, width: cutlass.Constexpr):
    gX, gY = cute.zipped_divide(x, (1, width)), cute.zipped_divide(y, (1, width))
    total = cute.size(gX, mode=[1])
    relu(gX, gY, total).launch(grid=(cute.ceil_div(total, THREADS), 1, 1), block=(THREADS, 1, 1))


_compiled = {}


def kernel_fn(x):
    y = torch.empty_like(x)
    key = x.dtype
    arguments = [from_dlpack(t, assumed_align=16) for t in (x, y)]
    if key not in _compiled:
        like = from_dlpack(torch.empty(1, 1, dtype=x.dtype, device=x.device), assumed_align=16).mark_layout_dynamic()
        _compiled[key] = cute.compile(launch, like, like, 16 // x.element_size())
    _compiled[key](*arguments)
    return y


def reference_fn(x):
    return torch.relu(x)


def get_inputs(rows=128, columns=256):
    return (torch.randn(rows, columns, device="cuda"),)


odd_shapes = [(1, 4), (5, 12), (33, 260)]  # the kernel takes four elements at once
rtol = atol = 0.0


if __name__ == "__main__":
    for x in (*get_inputs(), torch.randn(3, 64, device="cuda", dtype=torch.float16)):
        assert torch.equal(kernel_fn(x), reference_fn(x))
    print("relu: equal to torch")
