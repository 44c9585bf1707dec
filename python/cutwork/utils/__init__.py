# __init__.py -- cutlass.utils: allocators, layouts of matrices, what the hardware has.

import enum

from .. import _core, _device
from .._errors import UserError
from .._numbers import NumericMeta
from .._absent import absent
from . import blackwell_helpers, blockscaled_layout, distributed, gemm, hopper_helpers, mixed_input_helpers
from .latex import print_latex, print_latex_tv
from .schedulers import PersistentTileSchedulerParams, StaticPersistentTileScheduler, WorkTileInfo


sm90, sm100 = hopper_helpers, blackwell_helpers


class SmemAllocator:
    """Allocates shared memory while a kernel is traced; what is allocated adds up."""

    def __init__(self, *, loc=None, ip=None):
        self._core = _core.SmemAllocator()

    def allocate(self, size_or_type, byte_alignment=1, *, loc=None, ip=None):
        """Bytes (a pointer to them), a number class (a pointer to one), or a @cute.struct (an instance)."""
        from ..cute.structs import _Instance, _StructType

        if isinstance(size_or_type, _StructType):
            alignment = max(byte_alignment, size_or_type.alignment)
            return _Instance(size_or_type, self._core.allocate(size_or_type.size, alignment))
        if isinstance(size_or_type, NumericMeta):
            return self.allocate_array(size_or_type, 1, byte_alignment=byte_alignment)
        if not isinstance(size_or_type, int):
            raise UserError(f"SmemAllocator.allocate: bytes, a number class or a struct were expected, not {size_or_type!r}")
        return self._core.allocate(size_or_type, byte_alignment)

    def allocate_array(self, element_type, num_elems=1, *, byte_alignment=1, loc=None, ip=None):
        return self._core.allocate_array(element_type, num_elems, byte_alignment)

    def allocate_tensor(self, element_type, layout, byte_alignment=1, swizzle=None, *, loc=None, ip=None):
        if not isinstance(layout, (_core.Layout, _core.ComposedLayout)):
            layout = _core.make_layout(layout)
        return self._core.allocate_tensor(element_type, layout, byte_alignment, swizzle)


class TensorMapUpdateMode(enum.Enum):
    """Where a kernel changes a TMA descriptor."""

    GMEM = 1
    SMEM = 2


class LayoutEnum(enum.Enum):
    """Which mode of a matrix is contiguous."""

    ROW_MAJOR = "row_major"
    COL_MAJOR = "col_major"

    @staticmethod
    def from_tensor(tensor):
        leading = tensor.leading_dim if hasattr(tensor, "leading_dim") else _leading(tensor)
        if leading not in (0, 1):
            raise UserError(f"LayoutEnum: mode 0 or 1 must have stride 1 in {tensor}")
        return LayoutEnum.COL_MAJOR if leading == 0 else LayoutEnum.ROW_MAJOR

    def is_m_major_a(self):
        return self is LayoutEnum.COL_MAJOR

    is_n_major_b = is_m_major_c = is_m_major_a

    def is_k_major_a(self):
        return self is LayoutEnum.ROW_MAJOR

    is_k_major_b = is_n_major_c = is_k_major_a

    def mma_major_mode(self):
        """Of an operand (m or n, k) in shared memory."""
        from ..cute.nvgpu.warpgroup import OperandMajorMode

        return OperandMajorMode.K if self is LayoutEnum.ROW_MAJOR else OperandMajorMode.MN

    sm90_mma_major_mode = mma_major_mode


def _leading(tensor):
    for i, (extent, stride) in enumerate(zip(tensor.shape, tensor.stride)):
        if isinstance(stride, int) and stride == 1 and not (isinstance(extent, int) and extent == 1):
            return i
    return None


_SMEM = {"80": 166912, "87": 166912, "86": 101376, "89": 101376, "120": 101376, "121": 101376}


def get_smem_capacity_in_bytes(compute_capability=None):
    """Shared memory of a block, in bytes, of an architecture such as sm_90."""
    name = str(compute_capability or _device.best().target).lower().removeprefix("sm_").rstrip("af").replace("sm", "")
    return _SMEM.get(name, 232448)


class HardwareInfo:
    """What the GPU has."""

    def __init__(self, device_id=0):
        self.device_id = device_id

    def get_device_multiprocessor_count(self):
        return _device.named(self.device_id).multiprocessors

    def get_max_active_clusters(self, cluster_size):
        """How many clusters of so many blocks the device holds at once, each block alone on its multiprocessor: what a
        persistent kernel launches. On a GPU its driver says it, for a kernel that takes all shared memory."""
        return _core.most_active_clusters(_device.named(self.device_id), cluster_size)


def create_cute_tensor_for_fp8(storage_tensor, dtype, leading_dim, source_f32_tensor=None, assumed_align=16,
                               mark_dynamic_layout=True):
    """A tensor argument of 8-bit floats over a torch tensor of bytes, which gets the values of source_f32_tensor if there is one."""
    from ..cute.runtime import from_dlpack
    from ..torch import fill

    if not is_fp8_dtype(dtype) or storage_tensor.element_size() != 1:
        raise UserError(f"create_cute_tensor_for_fp8: an 8-bit float and a tensor of bytes were expected, not {dtype} and "
                        f"{storage_tensor.dtype}")
    if source_f32_tensor is not None:
        fill(storage_tensor, source_f32_tensor, dtype)
    made = from_dlpack(storage_tensor, assumed_align=assumed_align)
    made.element_type = dtype
    return made.mark_layout_dynamic(leading_dim=leading_dim) if mark_dynamic_layout else made


def is_fp8_dtype(dtype):
    return dtype.is_float and dtype.width == 8


__getattr__ = absent("cutlass.utils", "ClcDynamicPersistentTileScheduler ClcDynamicPersistentTileSchedulerParams "
                     "GroupedGemmTileSchedulerHelper StaticPersistentGroupTileScheduler StaticPersistentRuntimeTileScheduler "
                     "TensorMapManager TmemAllocator compute_epilogue_tile_shape create_initial_search_state "
                     "get_num_tmem_alloc_cols get_kernel_smem_size",
                     "of schedulers the static persistent one is; tensor memory and descriptors of TMA are not")


__all__ = ["HardwareInfo", "LayoutEnum", "PersistentTileSchedulerParams", "SmemAllocator", "StaticPersistentTileScheduler",
           "TensorMapUpdateMode", "WorkTileInfo", "blackwell_helpers", "blockscaled_layout",
           "create_cute_tensor_for_fp8", "distributed", "gemm", "hopper_helpers", "mixed_input_helpers", "get_smem_capacity_in_bytes", "is_fp8_dtype", "print_latex",
           "print_latex_tv"]
