# two_devices.py -- on a machine with two GPUs: the tensors' device and stream are used, and the caller's current device is as before.
import sys

import cutwork.compat  # noqa: F401
import cutlass
import cutlass.cute as cute
import torch


@cute.kernel
def scale_kernel(gX: cute.Tensor, gY: cute.Tensor, factor: cutlass.Float32):
    at = cute.arch.block_idx()[0] * 128 + cute.arch.thread_idx()[0]
    if at < cute.size(gX.shape):
        gY[at] = gX[at] * factor


@cute.jit
def scale(x: cute.Tensor, y: cute.Tensor, factor: cutlass.Float32):
    scale_kernel(x, y, factor).launch(grid=cute.ceil_div(cute.size(x.shape), 128), block=128)


def tensors(device):
    x = torch.randn(100_000, device=device)
    return x, torch.zeros_like(x)


def check(what, right):
    print(f"{'ok    ' if right else 'WRONG '} {what}")
    return right


def calls(name, function):
    """The calls of a function with tensors of either device, while the other is current."""
    right = True
    for current in (0, 1):
        for device in (0, 1):
            torch.cuda.set_device(current)
            x, y = tensors(f"cuda:{device}")
            function(x, y, 2.0)
            same = torch.cuda.current_device() == current
            torch.cuda.synchronize(device)
            right &= check(f"{name}: tensors on cuda:{device}, current cuda:{current}", same and torch.equal(y, x * 2))
    return right


def streams(function):
    """A call goes to the current stream of the tensors' device: behind a long wait there, the result is not there yet."""
    torch.cuda.set_device(0)
    x, y = tensors("cuda:1")
    torch.cuda.synchronize(1)
    stream = torch.cuda.Stream(1)
    stream.wait_stream(torch.cuda.current_stream(1))
    with torch.cuda.stream(stream):
        torch.cuda._sleep(400_000_000)
        function(x, y, 3.0)
        running = not stream.query()
    stream.synchronize()
    return check("the current stream of cuda:1 is used", running and torch.equal(y, x * 3))


def mixed(function):
    x, _ = tensors("cuda:0")
    _, y = tensors("cuda:1")
    try:
        function(x, y, 1.0)
    except Exception as error:
        print("       " + str(error).splitlines()[0])
        return check("tensors of two devices are refused", "cuda:1" in str(error) and torch.cuda.current_device() == 0)
    return check("tensors of two devices are refused", False)


def main():
    if torch.cuda.device_count() < 2:
        raise SystemExit(f"two_devices.py: two GPUs are needed, there are {torch.cuda.device_count()}")
    compiled = cute.compile(scale, *tensors("cuda:0"), 1.0)
    torch.cuda.set_device(0)
    right = [calls("jit", scale), calls("compiled", compiled), streams(scale), streams(compiled), mixed(scale), mixed(compiled)]
    print("two devices: " + ("all right" if all(right) else "FAILED"))
    sys.exit(not all(right))


main()
