#!/usr/bin/env python3
# torch_peers.py -- compiled kernels and torch's, timed in one run with one method on a GPU.
"""torch_peers.py LIBRARY: a table in Markdown. LIBRARY is libtorch_peers.so of the build."""

import ctypes
import sys

import torch
import triton.testing

library = ctypes.CDLL(sys.argv[1])
library.cw_prepare.restype = ctypes.c_void_p
library.cw_prepare.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p,
                               ctypes.c_int, ctypes.c_int]
library.cw_run.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
library.cw_describe.argtypes = [ctypes.c_void_p]


def milliseconds(call):
    return triton.testing.do_bench(call, warmup=50, rep=200, return_mode="median")


def prepared(name, tensors, parameter):
    addresses = (ctypes.c_uint64 * len(tensors))(*[t.data_ptr() for t in tensors])
    extents = (ctypes.c_int64 * tensors[0].dim())(*tensors[0].shape)
    handle = library.cw_prepare(name.encode(), addresses, len(tensors), extents, tensors[0].dim(),
                                parameter)
    if handle is None:
        sys.exit(f"{name}: not compiled")
    return handle


def runner(handle):
    def call():
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        if library.cw_run(handle, stream) != 0:
            sys.exit("the launch failed")
    return call


def row(label, size, ours, theirs):
    print(f"| {label} | {size / ours / 1e6:,.0f} | {size / theirs / 1e6:,.0f} | {theirs / ours:.3f} |",
          flush=True)


def elementwise():
    n = 1 << 28
    x = torch.randn(n, device="cuda", dtype=torch.float16)
    y = torch.randn(n, device="cuda", dtype=torch.float16)
    z = torch.empty_like(x)
    peers = {
        "copy": ([x, z], lambda: z.copy_(x), lambda: x),
        "relu": ([x, z], lambda: torch.clamp_min(x, 0, out=z), lambda: torch.relu(x)),
        "add": ([x, y, z], lambda: torch.add(x, y, out=z), lambda: x + y),
    }
    for name, (tensors, theirs, want) in peers.items():
        size = 2 * n * len(tensors)
        for count in (1, 2, 4):
            handle = prepared(name, tensors, count)
            ours = runner(handle)
            z.fill_(float("nan"))
            ours()
            torch.cuda.synchronize()
            assert torch.equal(z, want()), f"{name}: wrong result"
            row(f"{name} fp16 2^28, {count} vectors a thread", size, milliseconds(ours),
                milliseconds(theirs))


def softmax():
    for columns in (4096, 8192, 16384):
        x = torch.randn(8192, columns, device="cuda", dtype=torch.float16)
        y = torch.empty_like(x)
        size = 4 * x.numel()
        want = torch.softmax(x.float(), 1).half()
        copied = milliseconds(lambda: y.copy_(x))
        torch_time = milliseconds(lambda: torch.softmax(x, 1))
        for threads in (128, 256, 512, 1024):
            if columns // threads not in (8, 16, 32, 64):
                continue
            handle = prepared("softmax", [x, y], threads)
            ours = runner(handle)
            y.fill_(float("nan"))
            ours()
            torch.cuda.synchronize()
            torch.testing.assert_close(y, want, rtol=2e-3, atol=1e-7)
            row(f"softmax 8192x{columns}, {threads} threads; peer copy_", size, milliseconds(ours),
                copied)
        row(f"softmax 8192x{columns} of torch; peer copy_", size, torch_time, copied)


print("| what | GB/s | peer GB/s | ratio |\n|---|---|---|---|")
elementwise()
softmax()
