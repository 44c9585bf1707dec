# __init__.py -- cutlass.jax: JAX arrays for host functions, and host functions on JAX arrays.
"""Arrays go by DLPack, without copies. `cutlass_call` runs at once, on arrays that have values: inside jax.jit it is an error, since
a custom call of XLA, which would be needed there, is not there yet (docs/support.md)."""

import dataclasses
import math

from .. import _core, _device, _numbers
from .._errors import UserError
from ..cute import runtime as _runtime


def jax_to_cutlass_dtype(dtype):
    """The element type of a JAX (numpy, ml_dtypes) type."""
    return _numbers.dtype(getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype))


_NAMES = {"Boolean": "bool", "BFloat16": "bfloat16", "Float8E4M3FN": "float8_e4m3fn", "Float8E5M2": "float8_e5m2"}


def cutlass_to_jax_dtype(dtype):
    """The JAX type of an element type."""
    import jax.numpy as jnp

    cls = _numbers.dtype(dtype)
    name = _NAMES.get(cls.__name__, cls.__name__.lower())
    if not hasattr(jnp, "bool_" if name == "bool" else name):
        raise TypeError(f"cutlass_to_jax_dtype: JAX has no type for {cls}")
    return jnp.dtype(name)


@dataclasses.dataclass(frozen=True)
class TensorSpec:
    """How an array of a call is seen: mode: its modes in another order; static: shape and strides compiled in;
    ptr_assumed_align: bytes that divide its address; divisibility: of each extent, or None."""

    layout: tuple = None
    mode: tuple = None
    static: bool = None
    ptr_assumed_align: int = None
    divisibility: tuple = None


class _OnDevice:
    """The memory of the simulated device that stands for that of an array of JAX's CPU; `source` says that it is there."""

    def __init__(self, source):
        self._host, self._bytes = source.pointer, math.prod(source.shape) * _runtime._natural(source.dtype)
        self._device = _device.best()
        self._buffer = _core.allocate(self._device, max(self._bytes, 1))
        self._device.copy_to_device(self._buffer.address, self._host, self._bytes)
        source.pointer, source.on_host, source.array = self._buffer.address, False, None

    def copy_back(self):
        self._device.copy_to_host(self._host, self._buffer.address, self._bytes)


def _argument(array, spec, static, staged):
    """The tensor argument of an array; what stands for it goes onto `staged`."""
    source = _runtime._Source(array)
    if _device.best().simulated and source.on_host:
        staged.append(_OnDevice(source))
    spec = spec or TensorSpec()
    if spec.layout is not None and tuple(spec.layout) != tuple(range(len(source.shape))):
        raise UserError(f"cutlass_call: the layout {spec.layout} is not supported yet (docs/support.md): arrays are row-major; "
                        "`mode` sees their modes in another order")
    if spec.mode is not None:
        if sorted(spec.mode) != list(range(len(source.shape))):
            raise UserError(f"cutlass_call: mode {tuple(spec.mode)} is no order of the modes of {source.shape}")
        source.shape = tuple(source.shape[i] for i in spec.mode)
        source.strides = tuple(source.strides[i] for i in spec.mode)
    made = _runtime.Tensor(source, spec.ptr_assumed_align or _runtime._known_alignment(source))
    if static if spec.static is None else spec.static:
        return made
    made.mark_layout_dynamic()
    for i, divisor in enumerate(spec.divisibility or ()):
        if divisor and divisor > 1:
            if source.shape[i] % divisor:
                raise UserError(f"cutlass_call: the extent {source.shape[i]} of mode {i} is no multiple of {divisor}")
            made._shape[i] = (made._shape[i][0], divisor)
    return made


def _as_list(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


def _fill(spec, count):
    specs = _as_list(spec) if isinstance(spec, (tuple, list)) else [spec] * count
    if len(specs) != count:
        raise UserError(f"cutlass_call: {len(specs)} specs were given for {count} arrays")
    return specs


def cutlass_call(fn, *, output_shape_dtype, input_spec=None, output_spec=None, input_output_aliases=None, allow_cuda_graph=True,
                 ffi_call_target=None, compile_options=None, use_static_tensors=False, **constexpr):
    """A function of JAX arrays that calls `fn(stream, *inputs, *outputs, **constexpr)`, a @cute.jit function, and gives the outputs:
    new arrays like output_shape_dtype (jax.ShapeDtypeStruct, or several), which fn writes.

    input_output_aliases: {input: output} that begin with the input's content. compile_options: of cute.compile."""
    compiled = {}  # with compile_options: by the key of the arguments

    def call(*arrays):
        import jax
        import jax.numpy as jnp

        if any(isinstance(array, jax.core.Tracer) for array in arrays):
            raise UserError("cutlass_call: not inside jax.jit, jax.vmap or jax.grad (docs/support.md): call it on arrays that have values")
        shapes = _as_list(output_shape_dtype)
        aliases = {out: given for given, out in (input_output_aliases or {}).items()}
        outputs = [jnp.array(arrays[aliases[i]], copy=True) if i in aliases else jnp.zeros(s.shape, s.dtype)
                   for i, s in enumerate(shapes)]
        jax.block_until_ready((arrays, outputs))
        staged = []
        views = [_argument(array, spec, use_static_tensors, staged) for array, spec in zip(
            (*arrays, *outputs), (*_fill(input_spec, len(arrays)), *_fill(output_spec, len(outputs))))]
        _run(fn, views, constexpr, compile_options, compiled)
        for one in staged[len(arrays):]:
            one.copy_back()
        return outputs[0] if not isinstance(output_shape_dtype, (tuple, list)) else type(output_shape_dtype)(outputs)

    return call


def _run(fn, views, constexpr, options, compiled):
    from .._arguments import plan
    from .._jit import compile as compile_

    stream = _runtime.make_fake_stream()
    if options:
        key = tuple(plan(view).key for view in views)
        if key not in compiled:
            compiled[key] = compile_(fn, stream, *views, options=options, **constexpr)
        compiled[key](stream, *views)
    else:
        fn(stream, *views, **constexpr)
    _device.best().synchronize()


def get_export_disabled_safety_checks():
    """What jax.export must allow: nothing, as calls here are no custom calls of XLA."""
    return []


__all__ = ["TensorSpec", "cutlass_call", "cutlass_to_jax_dtype", "get_export_disabled_safety_checks", "jax_to_cutlass_dtype"]
