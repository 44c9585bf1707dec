# cutwork.dsl -- the types of its public names; made by scripts/stubs.py.
import enum
from typing import Any
from cutwork._arguments import Constexpr as Constexpr
from cutwork._generate import for_generate as for_generate
from cutwork._generate import while_generate as while_generate
from cutwork._generate import yield_out as yield_out
from cutwork._jit import jit as jit
from cutwork._jit import kernel as kernel
from cutwork._native import native_struct as native_struct
from cutwork._numbers import BFloat16 as BFloat16
from cutwork._numbers import Boolean as Boolean
from cutwork._numbers import Float as Float
from cutwork._numbers import Float16 as Float16
from cutwork._numbers import Float32 as Float32
from cutwork._numbers import Float64 as Float64
from cutwork._numbers import Float8E4M3FN as Float8E4M3FN
from cutwork._numbers import Float8E5M2 as Float8E5M2
from cutwork._numbers import Int16 as Int16
from cutwork._numbers import Int32 as Int32
from cutwork._numbers import Int64 as Int64
from cutwork._numbers import Int8 as Int8
from cutwork._numbers import Integer as Integer
from cutwork._numbers import Numeric as Numeric
from cutwork._numbers import TFloat32 as TFloat32
from cutwork._numbers import Uint16 as Uint16
from cutwork._numbers import Uint32 as Uint32
from cutwork._numbers import Uint64 as Uint64
from cutwork._numbers import Uint8 as Uint8
from cutwork._staging.operators import all_ as all_
from cutwork._staging.operators import any_ as any_
from cutwork._staging.ranges import const_expr as const_expr
from cutwork._staging.ranges import dynamic_expr as dynamic_expr
from cutwork._staging.ranges import range_constexpr as range_constexpr

class BaseDSL:
    def get_arch_enum(self) -> Any: ...
CUDA_VERSION: Any
class CuTeDSL(BaseDSL):
    pass
class DSLCudaRuntimeError(Any):
    pass
class DSLRuntimeError(RuntimeError):
    pass
T: Any
def and_(*values: Any) -> Any: ...
def dsl_user_op(function: Any) -> Any: ...
def extract_mlir_values(obj: Any, *, structured: Any = ...) -> Any: ...
def if_generate(cond: Any, then_body: Any, else_body: Any = ..., input_args: Any = ..., return_types: Any = ..., *, loc: object = ..., ip: object = ...) -> Any: ...
def max(*values: Any, loc: object = ..., ip: object = ...) -> Any: ...
def min(*values: Any, loc: object = ..., ip: object = ...) -> Any: ...
def new_from_mlir_values(obj: Any, values: Any, *, structured: Any = ...) -> Any: ...
def not_(value: Any, *, loc: object = ..., ip: object = ...) -> Any: ...
def or_(*values: Any) -> Any: ...
def select_(condition: Any, a: Any, b: Any) -> Any: ...
def target_version(exact_version: Any = ..., *, min_version: Any = ..., max_version: Any = ...) -> Any: ...
