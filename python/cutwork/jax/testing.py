# testing.py -- cutlass.jax.testing: arrays with known contents.


def create_tensor(shape, dtype, key, *, minval=-2.0, maxval=2.0, fill_value=None, fill_arange=False):
    """A JAX array: uniform numbers of a key, one value, or 0, 1, 2, ... Integers are uniform in [minval, maxval)."""
    import jax
    import jax.numpy as jnp

    if fill_value is not None:
        return jnp.full(shape, fill_value, dtype)
    if fill_arange:
        import math

        return jnp.arange(math.prod(shape)).reshape(shape).astype(dtype)
    if jnp.issubdtype(dtype, jnp.integer):
        return jax.random.randint(key, shape, int(minval), int(maxval), dtype)
    return jax.random.uniform(key, shape, jnp.float32, minval, maxval).astype(dtype)


__all__ = ["create_tensor"]
