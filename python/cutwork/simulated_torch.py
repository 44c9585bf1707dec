# simulated_torch.py -- torch on a machine without a GPU: a simulated one, whose memory the host sees.
"""`activate()` is called where the device is a simulated one, and nowhere else. After it

  - tensors with device="cuda" lie in the simulated device's memory. They are torch.Tensor and say cuda:0; torch's functions
    for the host work on them in place (cutwork._simtorch), and kernels get their addresses;
  - torch.cuda answers for one GPU. Work is done when it is asked for; a CUDA graph keeps it, and does it at each replay.

`is_active()` says whether torch was changed."""

_active = False


def is_active():
    return _active


def on_gpu(tensor):
    """Whether a tensor of torch is in the simulated device's memory."""
    if not _active:
        return False
    from ._simtorch import memory

    return memory.on_gpu(tensor)


def activate():
    """From here on torch has one GPU, which is simulated. Calling it again changes nothing."""
    global _active
    if _active:
        return
    _active = True
    import torch
    import torch._subclasses.fake_tensor as fakes

    from ._simtorch import children, dispatch, gpu, memory, tensors

    gpu.activate()
    tensors.activate()
    dispatch.activate()
    children.activate()
    # What torch's tracing and the programs that Inductor makes take from torch's C parts.
    fakes.init_gpu_context = lambda device: None
    torch._C._dynamo.guards._empty_strided_cuda = lambda size, stride, dtype: torch.empty_strided(size, stride, dtype=dtype,
                                                                                                  device=memory.CUDA)
    dispatch.Mode().__enter__()
