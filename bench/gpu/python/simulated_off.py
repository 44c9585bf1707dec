# simulated_off.py -- on a machine with a GPU: nothing of torch or cuda.bindings is replaced.
"""Run it where a GPU is: `build/bin/cutwork run bench/gpu/python/simulated_off.py`. It prints what it looked at, and ends
with code 1 if cutwork.simulated_torch or the stand-in of cuda.bindings is in place."""
import os
import sys

import torch

from cutwork import _device, _simulated_cuda, _simulation, simulated_torch

PLACES = [(torch.Tensor, name) for name in ("to", "cuda", "cpu", "device", "numpy", "data_ptr", "copy_")] + [
    (torch, name) for name in ("empty", "tensor", "zeros", "Generator", "autocast")] + [
    (torch.cuda, name) for name in ("is_available", "Stream", "Event", "CUDAGraph", "synchronize", "mem_get_info")] + [
    (torch.UntypedStorage, "__new__"), (torch.library.Library, "impl"), (torch.multiprocessing.Process, "start")]


def ours(value):
    value = getattr(value, "fget", value)
    return (getattr(value, "__module__", "") or "").startswith("cutwork") or "cutwork" in getattr(
        getattr(value, "__code__", None), "co_filename", "")


def main():
    device = _device.best()
    print(f"device: {device.name}, torch {torch.__version__}, CUDA {torch.version.cuda}")
    if device.simulated:
        print("no GPU here (or CUTWORK_DEVICE names a simulated one): nothing to be seen")
        return 2
    replaced = [f"{getattr(place, '__name__', place)}.{name}" for place, name in PLACES if ours(getattr(place, name))]
    if simulated_torch.is_active():
        replaced.append("cutwork.simulated_torch is active")
    if _simulated_cuda.is_active():
        replaced.append("cuda.bindings is stood in for")
    if torch._C._len_torch_dispatch_stack():
        replaced.append("a dispatch mode of torch is on")
    if _simulation.STARTUP in os.environ.get("PYTHONPATH", ""):
        replaced.append("children would get the simulated GPU")
    x = torch.ones(4, device="cuda")
    print(f"looked at {len(PLACES)} places of torch; a tensor is on {x.device}, address {x.data_ptr():#x}")
    print("replaced: " + (", ".join(replaced) or "nothing"))
    return 1 if replaced else 0


if __name__ == "__main__":
    sys.exit(main())
