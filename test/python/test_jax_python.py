# test_jax_python.py -- arrays of other frameworks by DLPack, and cutlass.jax with a small stand-in for JAX.
"""bench/gpu/python/jax_check.py does the same with JAX itself."""
import textwrap

from test_calls import good

# What cutlass.jax asks of JAX, over numpy: arrays that have DLPack and nothing of numpy's.
STAND_IN = """
import types
import numpy as np

class Array:
    def __init__(self, held): self.held = held
    shape, dtype = property(lambda s: s.held.shape), property(lambda s: s.held.dtype)
    def __dlpack__(self, **keywords): return self.held.__dlpack__()
    def __dlpack_device__(self): return self.held.__dlpack_device__()
    def reshape(self, shape): return Array(self.held.reshape(shape))
    def astype(self, dtype): return Array(self.held.astype(dtype))
    def tolist(self): return self.held.tolist()

class Tracer: pass
class ShapeDtypeStruct:
    def __init__(self, shape, dtype): self.shape, self.dtype = shape, dtype
core = types.SimpleNamespace(Tracer=Tracer)
block_until_ready = lambda arrays: arrays
random = types.SimpleNamespace(randint=lambda key, shape, low, high, dtype: Array(np.random.default_rng(key).integers(low, high, shape).astype(dtype)),
                               uniform=lambda key, shape, dtype, low, high: Array(np.random.default_rng(key).uniform(low, high, shape).astype(dtype)))
"""
NUMPY = """
import numpy as np
from . import Array
float32, float16, int32, int8, bool_, integer = np.float32, np.float16, np.int32, np.int8, np.bool_, np.integer
dtype, issubdtype = np.dtype, np.issubdtype
zeros = lambda shape, dtype: Array(np.zeros(shape, dtype))
array = lambda x, copy: Array(np.array(x.held, copy=copy))
full = lambda shape, value, dtype: Array(np.full(shape, value, dtype))
arange = lambda n: Array(np.arange(n))
"""

PROGRAM = """
import jax, jax.numpy as jnp
import cutlass.jax as cjax
from cutlass.jax.testing import create_tensor

def refused(call, text, kind=ValueError):
    try:
        call()
    except kind as error:
        assert text in str(error), error
        return
    raise AssertionError("accepted")

@cute.kernel
def kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, scale: cutlass.Constexpr):
    i = cute.arch.thread_idx()[0]
    if i < cute.size(c):
        c[i] = a[i] * scale + b[i]

@cute.jit
def add(stream, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, *, scale: cutlass.Constexpr = 1):
    kernel(a, b, c, scale).launch(grid=1, block=32, stream=stream)

a, b = (create_tensor((8,), jnp.float32, None, fill_arange=True), create_tensor((8,), jnp.float32, None, fill_value=0.5))
call = cjax.cutlass_call(add, output_shape_dtype=jax.ShapeDtypeStruct((8,), jnp.float32), scale=3)
assert call(a, b).tolist() == [3 * i + 0.5 for i in range(8)]
assert a.tolist() == list(range(8))                      # inputs stay
pair = cjax.cutlass_call(add, output_shape_dtype=[jax.ShapeDtypeStruct((8,), jnp.float32)], use_static_tensors=True,
                         input_spec=(cjax.TensorSpec(ptr_assumed_align=4), None), compile_options="--opt-level 2")
assert pair(a, b)[0].tolist() == [i + 0.5 for i in range(8)]

@cute.kernel
def seen(x: cute.Tensor, y: cute.Tensor):
    if cute.arch.thread_idx()[0] == 0:
        y[1, 0] = y[1, 0] + x[2, 1]
@cute.jit
def look(stream, x: cute.Tensor, y: cute.Tensor):
    print(x.layout, y.layout)
    seen(x, y).launch(grid=1, block=32)
x = create_tensor((2, 3), jnp.float32, None, fill_arange=True)
y = create_tensor((2, 3), jnp.float32, None, fill_value=10.0)
call = cjax.cutlass_call(look, output_shape_dtype=jax.ShapeDtypeStruct((2, 3), jnp.float32), input_output_aliases={1: 0},
                         input_spec=cjax.TensorSpec(mode=(1, 0)))
@cute.jit
def three(stream, x, y, z): look(stream, x, z)
call = cjax.cutlass_call(three, output_shape_dtype=jax.ShapeDtypeStruct((2, 3), jnp.float32), input_output_aliases={1: 0},
                         input_spec=(cjax.TensorSpec(mode=(1, 0), divisibility=(3, None)), None), output_spec=cjax.TensorSpec(static=True))
result = call(x, y)
assert result.tolist() == [[10, 10, 10], [15, 10, 10]] and y.tolist() == [[10.0] * 3] * 2, result.tolist()
refused(lambda: cjax.cutlass_call(three, output_shape_dtype=[], input_spec=cjax.TensorSpec(layout=(1, 0)))(x), "the layout (1, 0)")
refused(lambda: cjax.cutlass_call(three, output_shape_dtype=[], input_spec=cjax.TensorSpec(mode=(0, 0)))(x), "mode (0, 0)")
refused(lambda: cjax.cutlass_call(three, output_shape_dtype=[], input_spec=cjax.TensorSpec(divisibility=(4, None)))(x), "no multiple of 4")
refused(lambda: cjax.cutlass_call(three, output_shape_dtype=[], input_spec=[None] * 3)(x), "3 specs were given for 1 arrays")
assert cjax.jax_to_cutlass_dtype(jnp.float16) is cutlass.Float16 and cjax.cutlass_to_jax_dtype(cutlass.Int32) == jnp.dtype("int32")
assert cjax.get_export_disabled_safety_checks() == []
numbers = create_tensor((64,), jnp.int32, KEY, minval=-3, maxval=3).tolist()
assert min(numbers) >= -3 and max(numbers) < 3 and len(set(numbers)) > 2
assert all(-2 <= x < 2 for x in create_tensor((64,), jnp.float32, KEY).tolist())

# Passed directly an array is memory of the host, as numpy's.
@cute.jit
def total(x: cute.Tensor):
    cute.printf("{} {}", x.layout, x[1, 2])
assert said(lambda: total(x))[0] == "(2,3):(3,1) 5.000000"
assert said(lambda: cute.compile(total, x)(y))[0] == "(2,3):(3,1) 10.000000"
"""


def test_a_stand_in_for_jax(tmp_path):
    package = tmp_path / "jax"
    (package / "numpy").mkdir(parents=True)
    (package / "__init__.py").write_text(textwrap.dedent(STAND_IN))
    (package / "numpy/__init__.py").write_text(textwrap.dedent(NUMPY).replace("from . import", "from .. import"))
    good("import sys\nsys.path.insert(0, str(__import__('pathlib').Path(__file__).parent))\n"
         + PROGRAM.replace("KEY", "1") + """
refused(lambda: cjax.cutlass_call(three, output_shape_dtype=[])(jax.Tracer()), "not inside jax.jit")
""", tmp_path)
