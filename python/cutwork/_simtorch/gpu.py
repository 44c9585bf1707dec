# gpu.py -- torch.cuda for one simulated GPU: what it has, its memory, streams, random numbers, graphs.

import contextlib
import uuid

import torch

from .. import _core
from .._device import best, capability
from . import graphs, memory, random, streams


class Properties:
    """Of the simulated GPU; torch's names."""

    def __init__(self):
        known = _core.properties(best())
        self.name = f"Cutwork simulated GPU ({best().target})"
        self.major, self.minor = _capability()
        self.total_memory, self.multi_processor_count = known["memory"], known["multiprocessors"]
        self.L2_cache_size, self.warp_size = known["l2"], 32
        self.max_threads_per_multi_processor = known["threads_per_multiprocessor"]
        self.max_threads_per_block = 1024
        self.regs_per_multiprocessor = known["registers_per_multiprocessor"]
        self.shared_memory_per_block = known["shared_memory_per_block"]
        self.shared_memory_per_block_optin = known["shared_memory_per_block_optin"]
        self.shared_memory_per_multiprocessor = known["shared_memory_per_multiprocessor"]
        self.clock_rate, self.memory_clock_rate = known["clock_khz"], known["memory_clock_khz"]
        self.memory_bus_width = known["memory_bus_bits"]
        self.is_integrated, self.is_multi_gpu_board, self.gcnArchName = False, False, self.name
        self.pci_bus_id, self.pci_device_id, self.pci_domain_id = 0, 0, 0
        self.uuid = uuid.UUID(int=0)

    def __repr__(self):
        return (f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, "
                f"total_memory={self.total_memory >> 20}MB, multi_processor_count={self.multi_processor_count}, "
                f"uuid={self.uuid}, L2_cache_size={self.L2_cache_size >> 20}MB)")


def _capability(device=None):
    _of(device)
    return capability()


def _of(device):
    if device is not None and not memory.fresh(device):
        raise ValueError(f"Expected a cuda device, but got: {device}")


def _synchronize(device=None):
    _of(device)
    if graphs.current() is not None:
        graphs.refuse()
    best().synchronize()


def _seed(seed):
    random.default().manual_seed(int(seed))


def _new_seed():
    random.default().seed()


def _set_state(new_state, device="cuda"):
    random.default().set_state(new_state)


class Device(contextlib.AbstractContextManager):
    """`with torch.cuda.device(0)`."""

    def __init__(self, device=None):
        if not isinstance(device, int) or device >= 0:
            _of(device)
        self.idx = 0

    def __exit__(self, *_):
        return False


def _device_of(tensor):
    return Device(None)


def _stats(device=None):
    now = memory.used()
    return {"allocated_bytes.all.current": now, "allocated_bytes.all.peak": memory.peak, "reserved_bytes.all.current": now,
            "reserved_bytes.all.peak": memory.peak, "num_alloc_retries": 0, "num_ooms": 0}


def _reset_peak(device=None):
    memory.peak = memory.used()


def _summary(device=None, abbreviated=False):
    return f"simulated GPU: {memory.used()} bytes in use, {memory.peak} at most\n"


def _nothing(*arguments, **keywords):
    return None


def _answers():
    used, peak = (lambda device=None: memory.used()), (lambda device=None: memory.peak)
    target = best().target
    return {
        "is_available": lambda: True, "device_count": lambda: 1, "current_device": lambda: 0, "set_device": _of,
        "get_device_properties": lambda device=None: (_of(device), Properties())[1], "get_device_capability": _capability,
        "get_device_name": lambda device=None: (_of(device), Properties().name)[1], "get_arch_list": lambda: [target],
        "get_gencode_flags": lambda: "", "init": memory.refuse_fork, "_lazy_init": memory.refuse_fork, "is_initialized": lambda: True,
        "_is_in_bad_fork": memory.in_bad_fork, "_check_bf16_tensor_supported": lambda device: True,
        "is_bf16_supported": lambda including_emulation=True: _capability()[0] >= 8, "is_tf32_supported": lambda: _capability()[0] >= 8,
        "can_device_access_peer": lambda device, peer: False, "synchronize": _synchronize, "ipc_collect": _nothing,
        "current_stream": streams.current_stream, "default_stream": streams.default_stream, "set_stream": streams.set_stream,
        "get_stream_from_external": lambda data_ptr, device=None: streams.ExternalStream(data_ptr),
        "stream": streams.StreamContext, "StreamContext": streams.StreamContext, "Stream": streams.Stream,
        "ExternalStream": streams.ExternalStream, "Event": streams.Event, "device": Device, "device_of": _device_of,
        "_DeviceGuard": Device, "empty_cache": _nothing, "memory_allocated": used, "max_memory_allocated": peak,
        "memory_reserved": used, "max_memory_reserved": peak, "memory_cached": used, "max_memory_cached": peak,
        "memory_stats": _stats, "memory_stats_as_nested_dict": _stats, "memory_summary": _summary, "memory_snapshot": lambda *a, **k: [],
        "reset_peak_memory_stats": _reset_peak, "reset_max_memory_allocated": _reset_peak, "reset_max_memory_cached": _reset_peak,
        "reset_accumulated_memory_stats": _nothing, "set_per_process_memory_fraction": _nothing,
        "mem_get_info": lambda device=None: _core.memory_info(best()), "device_memory_used": used, "list_gpu_processes": lambda device=None: "",
        "utilization": lambda device=None: 0, "temperature": lambda device=None: 0, "power_draw": lambda device=None: 0,
        "clock_rate": lambda device=None: 0, "memory_usage": lambda device=None: 0, "current_blas_handle": lambda: 0,
        "manual_seed": _seed, "manual_seed_all": _seed, "seed": _new_seed, "seed_all": _new_seed,
        "initial_seed": lambda: random.default().initial_seed(),
        "get_rng_state": lambda device="cuda": random.default().get_state(), "get_rng_state_all": lambda: [random.default().get_state()],
        "set_rng_state": _set_state, "set_rng_state_all": lambda states: _set_state(states[0]),
        "default_generators": (random.default(),), "CUDAGraph": graphs.CUDAGraph, "graph_pool_handle": graphs.graph_pool_handle,
        "is_current_stream_capturing": graphs.is_current_stream_capturing, "_sleep": _nothing,
        "_exchange_device": lambda index: 0, "_maybe_exchange_device": lambda index: 0, "_get_device": torch.device,
        "set_sync_debug_mode": _nothing, "get_sync_debug_mode": lambda: 0, "_lazy_call": lambda work, **_: work(),
    }


def _parts():
    """Of torch's C part, what its own Python asks."""
    return {"_cuda_getCurrentRawStream": lambda index: streams.current_stream().cuda_stream, "_host_emptyCache": _nothing,
            "_cuda_getDevice": lambda: 0, "_cuda_setDevice": _nothing, "_cuda_exchangeDevice": lambda index: 0,
            "_cuda_maybeExchangeDevice": lambda index: 0, "_cuda_getDeviceCount": lambda: 1, "_cuda_synchronize": _nothing,
            "_cuda_isCurrentStreamCapturing": graphs.is_current_stream_capturing, "_cuda_emptyCache": _nothing,
            "_cuda_isInBadFork": memory.in_bad_fork, "_cuda_init": _nothing,
            "_accelerator_getDeviceIndex": lambda: 0, "_accelerator_setDeviceIndex": _nothing, "_accelerator_synchronizeDevice": _synchronize,
            "_accelerator_exchangeDevice": lambda index: 0, "_accelerator_maybeExchangeDevice": lambda index: 0,
            "_accelerator_getStream": lambda index: streams.current_stream(), "_accelerator_setStream": streams.set_stream,
            "_accelerator_getAccelerator": lambda: torch.device("cuda")}


def _autocast_of_host(original):
    """torch.autocast: for the GPU it is that of the host, whose operations are done, with the GPU's default type."""

    def start(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if device_type == "cuda":
            device_type, dtype = "cpu", dtype if dtype is not None else torch.float16
        original(self, device_type, dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)

    return start


def _of_host(original):
    return lambda device_type="cuda": original("cpu" if device_type == "cuda" else device_type)


def _cudart():
    from .. import _simulated_cuda

    _simulated_cuda.activate()
    import cuda.bindings.runtime as runtime

    return runtime


def activate():
    cuda = torch.cuda
    for name, answer in _answers().items():
        for module in (cuda, cuda.memory, cuda.random, cuda.graphs, cuda.streams):
            if module is cuda or hasattr(module, name):
                setattr(module, name, answer)
    for name, answer in _parts().items():
        setattr(torch._C, name, answer)
    cuda.cudart = _cudart
    cuda.nvtx.range_push, cuda.nvtx.range_pop, cuda.nvtx.mark = (lambda msg: 0), (lambda: 0), _nothing
    cuda.nvtx.range_start, cuda.nvtx.range_end = (lambda msg: 0), _nothing
    torch.Generator = random.TorchGenerator
    torch.backends.cudnn.is_acceptable = lambda tensor: False
    autocast = torch.amp.autocast_mode.autocast
    autocast.__init__ = _autocast_of_host(autocast.__init__)
    torch.is_autocast_enabled, torch.get_autocast_dtype = _of_host(torch.is_autocast_enabled), _of_host(torch.get_autocast_dtype)
