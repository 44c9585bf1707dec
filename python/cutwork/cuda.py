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


def checkCudaErrors(result):  # noqa: N802  (the field's name)
    """The values behind the status that a function of cuda.bindings gives; raises where that is no success."""
    from .dsl import DSLCudaRuntimeError

    status, *values = result if isinstance(result, tuple) else (result,)
    if int(getattr(status, "value", status)) != 0:
        raise DSLCudaRuntimeError(f"CUDA error {getattr(status, 'name', status)} ({int(getattr(status, 'value', status))})")
    return None if not values else values[0] if len(values) == 1 else tuple(values)
