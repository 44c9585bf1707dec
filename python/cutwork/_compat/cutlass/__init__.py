# __init__.py -- cutlass: the names that CuTe DSL programs import, all of them Cutwork's.

import importlib
import importlib.abc
import importlib.util
import sys

from cutwork import _core, _numbers
from cutwork._arguments import Constexpr, register_jit_arg_adapter
from cutwork._numbers import CLASSES, Float, Integer, Numeric, dtype
from cutwork._staging import const_expr, dynamic_expr, range_constexpr, range_dynamic
from cutwork._staging.ranges import range  # noqa: A004
from cutwork.dsl import (CUDA_VERSION, all_, and_, any_, dsl_user_op, extract_mlir_values, for_generate, if_generate, max, min,  # noqa: A004
                         native_struct, new_from_mlir_values, not_, or_, select_, target_version, while_generate, yield_out)
from cutwork import __version__

_ALIASES = {"cutlass." + name: "cutwork." + name for name in (
    "cute", "cute.runtime", "cute.experimental", "cute.experimental.iket", "cute.export", "cute.typing", "cute.math", "cute.arch", "cute.nvgpu", "cute.nvgpu.common", "cute.nvgpu.cpasync",
    "cute.testing", "pipeline", "utils", "torch")}
_ALIASES |= {f"cutlass.utils.{name}": f"cutwork.utils.{name}" for name in (
    "hopper_helpers", "blackwell_helpers", "blockscaled_layout", "mixed_input_helpers", "gemm", "gemm.sm100", "distributed")}
_ALIASES |= {"cutlass.utils.sm90": "cutwork.utils.hopper_helpers", "cutlass.utils.sm100": "cutwork.utils.blackwell_helpers",
             "cutlass.cute.nvgpu.warp.mma": "cutwork.cute.nvgpu.warp", "cutlass.jax": "cutwork.jax", "cutlass.jax.testing": "cutwork.jax.testing",
             "cutlass._mlir.dialects.cute": "cutwork.mlir.dialects.cute",
             "cutlass._mlir.dialects.cute_nvgpu": "cutwork.mlir.dialects.cute_nvgpu"}
_ALIASES |= {"cutlass.cute.core": "cutwork.cute.algebra", "cutlass.testing": "cutwork.cute.testing",
             "cutlass.cutlass_dsl": "cutwork.dsl", "cutlass.base_dsl": "cutwork.dsl", "cutlass.base_dsl.dsl": "cutwork.dsl",
             "cutlass.base_dsl.typing": "cutwork.dsl",
             "cutlass.base_dsl.arch": "cutwork.architectures", "cutlass.base_dsl.runtime": "cutwork.cuda",
             "cutlass.base_dsl.runtime.cuda": "cutwork.cuda", "cutlass.cute.tensor": "cutwork.cute.operations",
             "cutlass.utils.smem_allocator": "cutwork.utils", "cutlass.cute.arch.nvvm_wrappers": "cutwork.cute.arch",
             "cutlass.cute.arch.smem": "cutwork.cute.arch", "cutlass.tensor_utils": "cutwork.utils",
             "cutlass.utils.hardware_info": "cutwork.utils",
             "cutlass.utils.static_persistent_tile_scheduler": "cutwork.utils.schedulers", "cutlass.utils.tensor_helpers": "cutwork.utils", "cutlass.cuda": "cutwork.cuda",
             "cutlass._mlir": "cutwork.mlir", "cutlass._mlir.ir": "cutwork.mlir.ir",
             "cutlass._mlir.dialects": "cutwork.mlir.dialects",
             "cutlass._mlir.dialects.llvm": "cutwork.mlir.dialects.llvm",
             "cutlass._mlir.dialects.math": "cutwork.mlir.dialects.math",
             "cutlass._mlir.dialects.nvvm": "cutwork.mlir.dialects.nvvm",
             "cutlass._mlir.dialects.vector": "cutwork.mlir.dialects.vector",
             "cutlass._mlir._mlir_libs": "cutwork.mlir.libs", "cutlass._mlir._mlir_libs._cutlass_ir": "cutwork.mlir.libs",
             "cutlass._mlir._mlir_libs._cutlass_ir._mlir": "cutwork.mlir.libs",
             "cutlass._mlir._mlir_libs._cutlass_ir._mlir.ir": "cutwork.mlir.ir",
             **{f"cutlass.cute.nvgpu.{name}": f"cutwork.cute.nvgpu.{name}" for name in ("tcgen05", "warp", "warpgroup")},
             "cutlass._mlir.dialects.arith": "cutwork.mlir.dialects.arith"}


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of cutwork under their other names: the same objects."""

    def find_spec(self, name, path=None, target=None):
        if name in _ALIASES:
            return importlib.util.spec_from_loader(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return importlib.import_module(_ALIASES[spec.name])

    def exec_module(self, module):
        pass


def _keep_spec(finder):
    """importlib writes its spec into the module that a loader gives; a module of cutwork keeps its own."""
    original = finder.create_module

    def create_module(spec):
        module = original(spec)
        sys.modules[spec.name] = module
        return module

    finder.create_module = create_module
    return finder


if not any(isinstance(f, _Finder) for f in sys.meta_path):
    sys.meta_path.insert(0, _keep_spec(_Finder()))

globals().update(CLASSES)
globals().update(_numbers._PENDING)
AddressSpace = _core.AddressSpace

from cutwork import cuda  # noqa: E402
from . import cute, utils, pipeline  # noqa: E402

__all__ = ["AddressSpace", "CUDA_VERSION", "Constexpr", "Float", "Integer", "Numeric", "__version__", "all_", "and_", "any_", "const_expr",
           "cuda", "cute", "dsl_user_op", "dtype", "dynamic_expr", "extract_mlir_values", "for_generate", "if_generate",
           "max", "min", "native_struct", "new_from_mlir_values", "not_", "or_", "pipeline", "range", "range_constexpr", "range_dynamic",
           "register_jit_arg_adapter", "select_", "target_version", "utils", "while_generate", "yield_out", *CLASSES]
