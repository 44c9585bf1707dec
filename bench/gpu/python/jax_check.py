# jax_check.py -- JAX arrays as arguments, and cutlass.jax: run where JAX is installed, with a GPU or without.
"""PYTHONPATH=build/python python jax_check.py: exit code 1 if something is wrong."""

import cutwork.compat  # noqa: F401
import jax
import jax.numpy as jnp

import cutlass
import cutlass.cute as cute
import cutlass.jax as cjax
from cutlass.jax.testing import create_tensor


@cute.kernel
def kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, scale: cutlass.Constexpr):
    i = cute.arch.thread_idx()[0]
    if i < cute.size(c):
        c[i] = c.element_type(a[i] * scale + b[i])


@cute.jit
def add(stream, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, *, scale: cutlass.Constexpr = 1):
    kernel(a, b, c, scale).launch(grid=1, block=32, stream=stream)


@cute.jit
def describe(x: cute.Tensor):
    cute.printf("{}", x.layout)


def refused(call, text):
    try:
        call()
    except ValueError as error:
        assert text in str(error), error
        return
    raise AssertionError("accepted")


def main():
    for dtype in (jnp.float32, jnp.bfloat16, jnp.float16, jnp.int32):
        a, b = (create_tensor((24,), dtype, jax.random.key(k), minval=-9, maxval=9) for k in (0, 1))
        call = cjax.cutlass_call(add, output_shape_dtype=jax.ShapeDtypeStruct((24,), dtype), scale=3)
        before = a.tolist()
        result = call(a, b)
        assert jnp.allclose(result.astype(jnp.float32), (a * 3 + b).astype(jnp.float32), rtol=2e-2, atol=0.2), (dtype, result, a * 3 + b)
        assert a.tolist() == before and result.dtype == dtype
        assert cjax.cutlass_to_jax_dtype(cjax.jax_to_cutlass_dtype(dtype)) == jnp.dtype(dtype)
    refused(lambda: jax.jit(call)(a, b), "not inside jax.jit")
    accumulate = cjax.cutlass_call(lambda stream, x, y: add(stream, x, y, y), output_shape_dtype=jax.ShapeDtypeStruct((24,), jnp.float32))
    x = create_tensor((24,), jnp.float32, None, fill_arange=True)
    assert accumulate(x).tolist() == x.tolist()
    describe(create_tensor((2, 3), jnp.float32, None, fill_value=1.0))
    print("ok: JAX", jax.__version__, "on", jax.devices()[0])


if __name__ == "__main__":
    main()
