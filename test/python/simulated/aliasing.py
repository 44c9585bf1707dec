# aliasing.py -- checks: kernels and torch see one memory; views, threads, addresses, and memory that nobody has written.
import ctypes
import gc
import random
import threading

import checks
import cutlass
import cutlass.cute as cute
import numpy
import torch
from checks import raises, scale, scale_kernel
from cutwork import _core
from cutlass.cute.runtime import from_dlpack, make_ptr


@cute.jit
def scale_pointers(x: cute.Pointer, y: cute.Pointer, n: cutlass.Constexpr, factor: cutlass.Float32):
    layout = cute.make_layout(n)
    scale_kernel(cute.make_tensor(x, layout), cute.make_tensor(y, layout), factor).launch(grid=1, block=128)


@cute.kernel
def add_one_kernel(x: cute.Tensor):
    i = cute.arch.thread_idx()[0]
    if i < cute.size(x):
        x[i] = x[i] + 1


@cute.jit
def add_one(x: cute.Tensor):
    add_one_kernel(x).launch(grid=1, block=32)


@cute.kernel
def far_kernel(x: cute.Tensor):
    x[cute.arch.thread_idx()[0] + 8] = 1.0


@cute.jit
def far(x: cute.Tensor):
    far_kernel(x).launch(grid=1, block=32)


def check_kernels_write_what_views_see():
    x = torch.zeros(4, 8, device="cuda")
    add_one(x[1])
    add_one(x[:, 2])
    add_one(x.T[3, ::2])
    expected = torch.zeros(4, 8)
    expected[1] += 1
    expected[:, 2] += 1
    expected[::2, 3] += 1
    assert torch.equal(x.cpu(), expected)
    y = from_dlpack(x)
    x.fill_(2.0)
    z = torch.empty(4, 8, device="cuda")
    scale(x.view(-1), z.view(-1), 2.0)
    assert z.unique().tolist() == [4.0] and y._source.owner is x


def check_addresses_are_pointers():
    x, y = torch.arange(16.0, device="cuda"), torch.zeros(16, device="cuda")
    pointer = lambda t: make_ptr(cutlass.Float32, t.data_ptr(), cute.AddressSpace.gmem, assumed_align=4)
    scale_pointers(pointer(x[4:]), pointer(y), 8, 2.0)
    assert y.tolist() == [2.0 * i for i in range(4, 12)] + [0.0] * 8


def check_threads_on_disjoint_views():
    """Views that share rows, columns and bytes between others: no result of another thread is lost."""
    choose = random.Random(7)
    for _ in range(4):
        rows, columns = choose.randint(2, 6), choose.randint(2, 9)
        x = torch.zeros(rows, columns, device="cuda")
        if choose.random() < 0.5:
            views = [x[:, j] for j in range(columns)]
        else:
            views = [x[i, j::2] for i in range(rows) for j in range(min(2, columns))]
        times = [choose.randint(1, 4) for _ in views]
        expected = torch.zeros(rows, columns)
        for view, mine, n in zip(views, [expected.as_strided(v.size(), v.stride(), v.storage_offset()) for v in views], times,
                                 strict=True):
            assert view.shape == mine.shape
            mine += 11 * n

        def work(view, n):
            for _ in range(n):
                add_one(view)
                view.add_(10)

        threads = [threading.Thread(target=work, args=pair) for pair in zip(views, times, strict=True)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert torch.equal(x.cpu(), expected), (x, expected)


def check_threads_in_turns_on_overlapping_views():
    x, lock = torch.zeros(12, device="cuda"), threading.Lock()

    def work(begin):
        for _ in range(5):
            with lock:
                add_one(x[begin:begin + 6])

    threads = [threading.Thread(target=work, args=(begin,)) for begin in (0, 3, 6)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert x.tolist() == [5.0] * 3 + [10.0] * 6 + [5.0] * 3


def check_negative_strides_are_refused():
    class Backwards:
        """An array of the GPU of another library, read from its end."""

        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **keywords):
            return self.array.__dlpack__(**keywords)

        def __dlpack_device__(self):
            return (2, 0)

    x = torch.zeros(4, device="cuda")
    start, address, _ = _core.simulated_memory()
    seen = numpy.ctypeslib.as_array((ctypes.c_float * 4).from_address(x.data_ptr() - address + start))
    add_one(from_dlpack(Backwards(seen)))
    assert x.tolist() == [1.0] * 4
    with raises(ValueError, "stride -1"):
        add_one(from_dlpack(Backwards(seen[::-1])))


def check_bounds_are_those_of_the_storage():
    x = torch.zeros(64, device="cuda")
    far(x[:8])  # within the storage, as on a GPU
    assert x[8:40].sum().item() == 32
    with raises(Exception, "bounds: a store of 4 bytes"):
        far(x[40:])


def check_memory_is_used_again():
    used = torch.cuda.memory_allocated()
    for _ in range(20000):
        torch.ones(16, device="cuda")
    gc.collect()
    assert torch.cuda.memory_allocated() == used
    with raises(torch.OutOfMemoryError, "CUDA out of memory"):
        torch.empty(1 << 40, device="cuda")


def check_memory_that_nobody_wrote_is_reported():
    y = torch.zeros(8, device="cuda")
    for make in (lambda: torch.empty(8, device="cuda"), lambda: torch.empty_like(y), lambda: y.new_empty(8),
                 lambda: torch.empty_strided((8,), (1,), device="cuda"), lambda: torch.empty(2, 8, device="cuda")[1]):
        with raises(Exception, "uninitialised"):
            scale(make(), y, 2.0)
    x = torch.empty(8, device="cuda")
    x[:4] = 1.0
    with raises(Exception, "uninitialised"):
        scale(x, y, 2.0)
    scale(x[:4], y[:4], 2.0)
    x[4:].normal_()
    scale(x, y, 2.0)
    for write in (torch.Tensor.zero_, lambda t: t.copy_(y), lambda t: t.copy_(torch.ones(8)), lambda t: torch.add(y, 1, out=t),
                  lambda t: scale(y, t, 1.0), lambda t: t.index_fill_(0, torch.arange(8, device="cuda"), 1.0),
                  lambda t: torch._foreach_zero_([t]), lambda t: t.random_(0, 4), lambda t: torch.nn.init.normal_(t)):
        x = torch.empty(8, device="cuda")
        write(x)
        scale(x, y, 2.0)
    for made in (y + 1, torch.rand(8, device="cuda"), y.clone(), torch.ones(8).cuda(), y.half().float(), torch.zeros_like(y)):
        scale(made, y, 2.0)


if __name__ == "__main__":
    checks.main(globals())
