# cuda.py -- cutlass.cuda: the CUDA context, which Cutwork makes by itself.


def initialize_cuda_context(device_id=0):
    """Opens the device. Nothing else is needed."""
    from ._device import best

    best()


def default_stream():
    return 0


def stream_sync(stream=None):
    """Waits for what was started."""
    from ._device import best

    best().synchronize()
