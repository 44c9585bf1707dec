# runtime.py -- arguments of host functions: tensors from DLPack, fake tensors, pointers, streams.

import ctypes
import math
import operator
import sys

from .. import _core, _device, _numbers
from .._arguments import Leaf, tensor_plan
from .._errors import UserError
from .._numbers import NumericMeta, dtype as _dtype

AddressSpace = _core.AddressSpace


class _Source:
    """What is known of a framework's array: data pointer, type, shape, strides, where it is."""

    __slots__ = ("owner", "dtype", "shape", "strides", "pointer", "on_host", "array")

    def __init__(self, owner):
        self.owner, self.array = owner, None
        if hasattr(owner, "untyped_storage"):
            self._of_torch(owner)
        else:
            self._of_dlpack(owner)

    def _of_torch(self, tensor):
        if tensor.is_neg() or tensor.is_conj():
            raise UserError("a view of torch that is negated or conjugated when it is read was expected to be resolved: "
                            "x.resolve_neg(), x.resolve_conj()")
        if tensor.layout != sys.modules["torch"].strided:
            raise UserError(f"a tensor of layout {tensor.layout} is no array of elements: pass its parts, x.values() and x.indices(), or x.to_dense()")
        self.dtype = _dtype(tensor.dtype)
        self.shape, self.strides = tuple(tensor.shape), tuple(tensor.stride())
        self.on_host = tensor.device.type == "cpu"
        fake = type(tensor).__name__ == "FakeTensor"
        self.pointer = 0 if fake else tensor.data_ptr()

    def _of_dlpack(self, owner):
        if not hasattr(owner, "__dlpack__"):
            raise TypeError(f"from_dlpack: an array with __dlpack__ was expected, not {type(owner).__name__}")
        self.array = _core.Array.from_dlpack(owner)
        self.dtype, self.shape, self.strides = self.array.dtype, self.array.shape, self.array.strides
        self.pointer, self.on_host = self.array.address, self.array.on_host
        if self.on_host and (address := _core.simulated_address(self.pointer)):
            # A wrapper of a tensor of simulated_torch: the host sees that memory, and kernels have another address of it.
            self.pointer, self.on_host, self.array = address, False, None


def array_of(owner):
    """The array for a call, of any framework's array."""
    return _passed(_Source(owner), None)


def _refuse_meta(owner):
    if getattr(getattr(owner, "device", None), "type", "") == "meta":
        raise UserError("a tensor of the meta device has no memory: a kernel needs one on cuda, e.g. torch.empty_like(x, device='cuda')")


def _passed(source, dtype):
    """The Array that the call gets. On a simulated device it is one of the address that kernels have."""
    owner = source.owner
    _refuse_meta(owner)
    if not source.on_host and _device.best().simulated:
        return _core.array_at(_device.best(), source.pointer, dtype or source.dtype, list(source.shape), list(source.strides))
    if source.array is None:
        import torch

        tensor = owner.detach() if owner.requires_grad else owner
        if tensor.dtype in (torch.bool,) or dtype is not None and dtype is not source.dtype:
            tensor = tensor.view(torch.uint8)
        with torch.cuda.device(tensor.device if tensor.is_cuda else -1):  # torch exports those of the current device only
            source.array = _core.Array.from_dlpack(tensor)
    wanted = dtype or source.dtype
    if source.array.dtype is not wanted or tuple(source.array.shape) != source.shape or source.array.strides != source.strides:
        return source.array.reinterpret(0, wanted, list(source.shape), list(source.strides))
    return source.array


class _TensorType:
    """The type of a tensor argument; what its C pointer leads to is the argument's identity."""

    def __init__(self, tensor):
        self._tensor = tensor

    def plan(self):
        spec = self._tensor._spec()
        return tensor_plan(spec, lambda identity: _take(ctypes.cast(identity, ctypes.py_object).value))


def _integer(what, value):
    """The int of an argument; what is no integer is refused by name."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{what}: an integer was expected, not {value!r} of type {type(value).__name__}") from None


def _checked_alignment(what, value):
    value = _integer(what, value)
    if value & (value - 1) or value < 1:
        raise UserError(f"{what} is a power of two, not {value}")
    return value


def _spaced(values):
    """A tuple as Python prints it, with the texts of what is not known: (?, 4)."""
    return f"({', '.join(map(str, values))}{',' if len(values) == 1 else ''})"


def _leading(shape, strides):
    """The mode of stride 1: the only one, or the only one of extent above 1, or the last of extent 1."""
    ones = [i for i, stride in enumerate(strides) if stride == 1]
    large = [i for i in ones if shape[i] > 1]
    if len(large) == 1:
        return large[0]
    if len(large) > 1:
        raise UserError(f"mark_layout_dynamic: several modes have stride 1 ({', '.join(map(str, large))} of shape {shape}, "
                        f"strides {strides}): name the leading one")
    return ones[-1] if ones else None


class Tensor:
    """A tensor argument: an array with what is compiled in of its shape and strides."""

    _known_spec = None  # of _spec(); C++ compares it at calls
    _passed_array = None  # what calls pass, once it is made

    def __init__(self, source, alignment=None, use_32bit_stride=False, element_type=None):
        self._source = source
        self._element_type = element_type
        self._use32 = use_32bit_stride
        self._alignment = _checked_alignment("from_dlpack: assumed_align", alignment or _natural(source.dtype))
        if source.pointer % self._alignment:
            raise UserError(f"from_dlpack: assumed_align={alignment}, but the address 0x{source.pointer:x} is not a multiple")
        self._shape = list(source.shape)
        self._stride = [1 if n == 1 else s for n, s in zip(source.shape, source.strides)]

    # -- what it is

    @property
    def shape(self):
        return tuple(_shown(x) for x in self._shape)

    @property
    def stride(self):
        return tuple(_shown(x) for x in self._stride)

    @property
    def element_type(self):
        return self._element_type or self._source.dtype

    @element_type.setter
    def element_type(self, value):
        self._element_type = value
        self._known_spec = self._passed_array = None

    dtype = element_type

    @property
    def memspace(self):
        return AddressSpace.generic if self._source.on_host else AddressSpace.gmem

    @property
    def layout(self):
        return _core.make_layout(tuple(self._source.shape), tuple(self._source.strides))

    @property
    def data_ptr(self):
        return self._source.pointer

    @property
    def leading_dim(self):
        for i, (n, s) in enumerate(zip(self._source.shape, self._source.strides)):
            if s == 1 and n != 1:
                return i
        return None

    @property
    def iterator(self):
        return Pointer(self.element_type, self._source.pointer, self.memspace, self._alignment)

    def __str__(self):
        return f"Tensor<0x{self._source.pointer:016x}@{self.memspace.name} o {_spaced(self.shape)}:{_spaced(self.stride)}>"

    __repr__ = __str__

    # -- the JitArgument protocol, for objects of users that hold a tensor and pass it on

    def __get_mlir_types__(self):
        return [_TensorType(self)]

    def __c_pointers__(self):
        self._identity = ctypes.c_int64(id(self))
        return [ctypes.addressof(self._identity)]

    def __new_from_mlir_values__(self, values):
        return values[0]

    # -- what is compiled in

    def mark_layout_dynamic(self, leading_dim=None):
        """Every extent and stride becomes a run-time value, but the leading stride of 1 and strides of 0."""
        source, self._known_spec = self._source, None
        if leading_dim is None:
            leading_dim = _leading(source.shape, source.strides)
        elif not 0 <= _integer("mark_layout_dynamic: leading_dim", leading_dim) < len(source.shape):
            raise UserError(f"mark_layout_dynamic: leading_dim {leading_dim} of a tensor of rank {len(source.shape)}: 0 to "
                            f"{len(source.shape) - 1} were expected")
        elif source.strides[leading_dim] != 1 and source.shape[leading_dim] != 1:
            raise UserError(f"Expected strides[leading_dim] == 1, but got {source.strides[leading_dim]}")
        bits = 32 if self._use32 else 64
        for i, stride in enumerate(source.strides):
            self._shape[i] = (self._bits(), 1)
            if i == leading_dim:
                self._stride[i] = 1
            elif stride != 0 or source.shape[i] == 1:
                if source.shape[i] != 1:  # else it is multiplied by 0 only
                    self._check32(stride)
                self._stride[i] = (bits, 1)
        return self

    def _bits(self):
        return 64 if math.prod(self._source.shape) > (1 << 31) - 1 else 32

    def _check32(self, stride):
        if self._use32 and not -(1 << 31) <= stride < 1 << 31:
            raise UserError(f"use_32bit_stride: the stride {stride} needs 64 bits")

    def mark_compact_shape_dynamic(self, mode, stride_order=None, divisibility=1):
        """The extent of `mode` becomes a run-time multiple of `divisibility`, and the strides outside it with it."""
        shape, mode = self._source.shape, _integer("mark_compact_shape_dynamic: mode", mode)
        divisibility = _integer("mark_compact_shape_dynamic: divisibility", divisibility)
        if not 0 <= mode < len(shape):
            raise UserError(f"mark_compact_shape_dynamic: mode {mode} of a tensor of rank {len(shape)}")
        if divisibility < 1 or shape[mode] % divisibility:
            raise UserError(f"mark_compact_shape_dynamic: the extent {shape[mode]} of mode {mode} is no multiple of "
                            f"{divisibility}")
        order = self._order(stride_order)
        self._known_spec = None
        self._shape[mode] = (self._bits(), divisibility)
        self._compact(order)
        return self

    def _order(self, given):
        """Modes from outermost to innermost."""
        shape, strides = self._source.shape, self._source.strides
        if given is not None:
            if not isinstance(given, (tuple, list)) or sorted(given) != list(range(len(shape))):
                given = given if isinstance(given, (tuple, list)) else (given,)
                raise UserError(f"mark_compact_shape_dynamic: stride_order {tuple(given)} is no permutation of the modes")
            known = [strides[i] for i in given if shape[i] != 1]
            if known != sorted(known, reverse=True):
                raise UserError(f"mark_compact_shape_dynamic: stride_order {tuple(given)} contradicts the strides {strides}")
            return list(given)
        order = sorted(range(len(shape)), key=lambda i: (strides[i], shape[i] != 1, -i), reverse=True)
        large = [strides[i] for i in order if shape[i] != 1 or not isinstance(self._shape[i], int)]
        if len(set(large)) != len(large):
            raise UserError(f"mark_compact_shape_dynamic: the order of the modes does not follow from the strides {strides}: "
                            "give stride_order")
        return order

    def _compact(self, order):
        step, divisor, dynamic = 1, 1, False
        for i in reversed(order):
            n = self._shape[i]
            if isinstance(n, int):
                self._stride[i] = 0 if n == 1 else (32 if self._use32 else 64, divisor) if dynamic else step
                step, divisor = step * n, divisor * n
            else:
                self._stride[i] = (32 if self._use32 else 64, divisor) if dynamic else step
                divisor, dynamic = divisor * n[1], True

    # -- as an argument

    def _spec(self):
        if self._known_spec is None:
            self._known_spec = _core.TensorSpec(self.element_type, self.memspace, self._alignment, self._shape, self._stride)
        return self._known_spec

    def __cutwork_plan__(self, annotation):
        return tensor_plan(self._spec(), _take)

    def __eq__(self, other):
        return self is other

    def __hash__(self):
        return id(self)


def _take(value):
    """The value of a tensor argument in a call: what was compiled for a Tensor takes any array."""
    if isinstance(value, Tensor):
        passed = value._passed_array or _passed(value._source, value._element_type)
        if isinstance(passed, _core.Array):
            value._passed_array = passed
        return passed
    return array_of(value)


_core.set_classes({"prepared": Tensor})


def _natural(cls):
    return max(1, cls._storage // 8)


def _shown(x):
    return x if isinstance(x, int) else _Question(x)


class _Question(str):
    def __new__(cls, leaf):
        bits, divisor = leaf
        inside = " ".join(([f"i{bits}"] if bits == 64 else []) + ([f"div={divisor}"] if divisor > 1 else []))
        return str.__new__(cls, f"?{{{inside}}}" if inside else "?")

    __repr__ = str.__str__


def from_dlpack(tensor_dlpack, assumed_align=None, use_32bit_stride=False, *, enable_tvm_ffi=False, force_tf32=False):
    """A tensor argument of an array with __dlpack__ (torch, numpy, JAX ...); all extents and strides compiled in.

    assumed_align: bytes that divide the address; else the element's."""
    made = Tensor(_Source(tensor_dlpack), assumed_align, use_32bit_stride)
    if force_tf32:
        made.element_type = _numbers.TFloat32
    return made


def implicit_plan(value):
    """The plan of an array passed directly: nothing compiled in but the rank and the stride of 1."""
    _refuse_meta(value)
    source = _Source(value)
    tensor = Tensor(source, _known_alignment(source))
    ones = [i for i, s in enumerate(source.strides) if s == 1]
    if ones:
        large = [i for i in ones if source.shape[i] > 1]
        tensor.mark_layout_dynamic(large[0] if large else ones[-1])
    else:
        tensor.mark_layout_dynamic()
    return tensor_plan(tensor._spec(), _take)


def _known_alignment(source):
    alignment = 16
    while alignment > _natural(source.dtype) and source.pointer % alignment:
        alignment //= 2
    return max(alignment, _natural(source.dtype))


class Pointer:
    """An address as an argument."""

    def __init__(self, dtype, value, memspace=AddressSpace.generic, assumed_align=None):
        self.dtype, self.memspace = dtype, memspace
        self.value = int(value)
        self.alignment = _checked_alignment("make_ptr: assumed_align", assumed_align or _natural(dtype))
        if self.value % self.alignment:
            raise UserError(f"make_ptr: the address 0x{self.value:x} is no multiple of {self.alignment}")

    value_type = property(lambda self: self.dtype)
    element_type = value_type

    def toint(self):
        return self.value

    def __str__(self):
        return f"Ptr<0x{self.value:016x}@{self.memspace.name}>"

    __repr__ = __str__

    def __cutwork_plan__(self, annotation):
        dtype, space, alignment = self.dtype, self.memspace, self.alignment
        return Leaf(("pointer", dtype, space, alignment), _core.PointerSpec(dtype, space, alignment),
                    lambda trace: trace.pointer(dtype, space, alignment), _take_pointer)


def _take_pointer(value):
    return value.value if isinstance(value, Pointer) else int(value)


def make_ptr(dtype, value, mem_space=AddressSpace.generic, assumed_align=None):
    """A pointer argument from an address."""
    if not isinstance(dtype, NumericMeta):
        raise TypeError(f"make_ptr: an element type was expected, not {dtype!r}")
    if isinstance(value, (str, bytes, float)) or not hasattr(value, "__int__"):
        raise TypeError(f"make_ptr: an address, an integer, was expected, not {value!r} of type {type(value).__name__}")
    return Pointer(dtype, value, mem_space, assumed_align)


def nullptr(dtype, mem_space=AddressSpace.generic, assumed_align=None):
    return make_ptr(dtype, 0, mem_space, assumed_align)


# -- fakes --------------------------------------------------------------------------------------


class SymInt:
    """An extent or stride that is known with each call only."""

    def __init__(self, width=32, *, divisibility=1, symbol=None):
        if width not in (32, 64):
            raise UserError(f"sym_int: 32 or 64 bits, not {width}")
        divisibility = _integer("sym_int: divisibility", divisibility)
        if divisibility < 1:
            raise UserError(f"sym_int: divisibility is at least 1, not {divisibility}")
        self.width, self.divisibility, self.symbol = _integer("sym_int: width", width), divisibility, symbol

    def __str__(self):
        return self.symbol or str(_shown((self.width, self.divisibility)))

    __repr__ = __str__


def sym_int(width=32, *, divisibility=1, symbol=None):
    return SymInt(width, divisibility=divisibility, symbol=symbol)


def sym_int32(divisibility=1, symbol=None):
    return SymInt(32, divisibility=divisibility, symbol=symbol)


def sym_int64(divisibility=1, symbol=None):
    return SymInt(64, divisibility=divisibility, symbol=symbol)


def _element_type(value):
    """Also of torch and numpy."""
    numpy = isinstance(value, type) and value.__module__ == "numpy"
    try:
        return _dtype(value.__name__ if numpy else value)
    except TypeError:
        raise TypeError(f"make_fake_tensor: an element type such as cutlass.Float32 or torch.float32 was expected, not {value!r}") from None


def _sizes(what, values):
    """A tuple of extents or strides: integers and sym_int()."""
    if not isinstance(values, (tuple, list)):
        raise TypeError(f"make_fake_tensor: {what} is a tuple of integers and cute.sym_int(), not {values!r}")
    for value in values:
        if not isinstance(value, SymInt) and not hasattr(value, "__index__"):
            raise TypeError(f"make_fake_tensor: {what} {values!r}: an integer or cute.sym_int() was expected, not {value!r}")
    return tuple(value if isinstance(value, SymInt) else operator.index(value) for value in values)


class FakeTensor:
    """A tensor argument without data, to compile for."""

    def __init__(self, dtype, shape, stride, memspace=AddressSpace.gmem, assumed_align=None):
        self.element_type = self.dtype = dtype = _element_type(dtype)
        self.shape, self.stride, self.memspace = _sizes("shape", shape), _sizes("stride", stride), memspace
        if len(self.shape) != len(self.stride):
            raise UserError(f"make_fake_tensor: the shape {_spaced(self.shape)} and the stride {_spaced(self.stride)} have different ranks")
        self._alignment = _checked_alignment("make_fake_tensor: assumed_align", assumed_align or _natural(dtype))

    def __cutwork_plan__(self, annotation):
        spec = _core.TensorSpec(self.dtype, self.memspace, self._alignment, list(map(_leaf, self.shape)),
                                list(map(_leaf, self.stride)))
        return tensor_plan(spec, _take, tuple(tuple(x if isinstance(x, SymInt) else None for x in sizes)
                                              for sizes in (self.shape, self.stride)))

    def __str__(self):
        return f"FakeTensor<{self.dtype} o {_spaced(self.shape)}:{_spaced(self.stride)}>"

    __repr__ = __str__


def _leaf(x):
    return (x.width, x.divisibility) if isinstance(x, SymInt) else x


def make_fake_tensor(dtype, shape, stride, *, memspace=AddressSpace.gmem, assumed_align=None):
    """A tensor argument without data; extents and strides are integers or sym_int()."""
    return FakeTensor(dtype, shape, stride, memspace, assumed_align)


def make_fake_compact_tensor(dtype, shape, *, stride_order=None, memspace=AddressSpace.gmem, assumed_align=None,
                             use_32bit_stride=False):
    """One that is compact. stride_order gives each mode's rank, 0 innermost; else the first mode is innermost."""
    shape = _sizes("shape", shape)
    if stride_order is not None and not isinstance(stride_order, (tuple, list)):
        raise TypeError(f"make_fake_compact_tensor: stride_order is a tuple of integers, not {stride_order!r}")
    order = list(stride_order) if stride_order is not None else list(range(len(shape)))
    if sorted(order) != list(range(len(shape))):
        raise UserError(f"make_fake_compact_tensor: stride_order {tuple(order)} is no permutation of the modes")
    stride, step, known = [0] * len(shape), 1, True
    for rank in range(len(shape)):
        i = order.index(rank)
        stride[i] = step if known else SymInt(32 if use_32bit_stride else 64, divisibility=step)
        step *= shape[i].divisibility if isinstance(shape[i], SymInt) else shape[i]
        known = known and not isinstance(shape[i], SymInt)
    return FakeTensor(dtype, shape, stride, memspace, assumed_align)


class FakeStream:
    """A stream argument to compile for."""

    def __init__(self, use_tvm_ffi_env_stream=False):
        self.use_tvm_ffi_env_stream = use_tvm_ffi_env_stream

    def __int__(self):
        return 0


def make_fake_stream(*, use_tvm_ffi_env_stream=False):
    return FakeStream(use_tvm_ffi_env_stream)


# -- exported modules ---------------------------------------------------------------------------


def find_runtime_libraries(*, enable_tvm_ffi=True):
    """The shared libraries that a program needs which calls compiled functions without Python: paths, of Cutwork's runtime and,
    if enable_tvm_ffi and it is installed, of apache-tvm-ffi."""
    import importlib.util
    import pathlib

    package = pathlib.Path(_core.__file__).resolve().parent
    places = [folder / "libcutwork_rt.so" for folder in (package / "lib", package.parent.parent / "lib")]
    found = [str(place) for place in places if place.exists()][:1]
    if not found:
        raise UserError(f"find_runtime_libraries: libcutwork_rt.so is in none of {', '.join(str(p.parent) for p in places)}")
    if enable_tvm_ffi and importlib.util.find_spec("tvm_ffi"):
        from tvm_ffi.libinfo import find_libtvm_ffi

        found.append(find_libtvm_ffi())
    return found


def load_module(file_path, *, enable_tvm_ffi=False):
    """Exported functions. There is no export yet, so that no file can be one of ours: an error that says what to do instead."""
    import os

    if not os.path.exists(file_path):
        raise FileNotFoundError(f"load_module: there is no file {file_path}")
    raise UserError(f"load_module: {file_path} was not exported by Cutwork, which has no export to files yet (docs/support.md): compile "
                    "the function in this process; what was compiled before comes from the kernel store (docs/cache.md)")


__all__ = ["AddressSpace", "FakeStream", "FakeTensor", "Pointer", "SymInt", "Tensor", "find_runtime_libraries", "from_dlpack", "load_module", "make_fake_compact_tensor",
           "make_fake_stream", "make_fake_tensor", "make_ptr", "nullptr", "sym_int", "sym_int32", "sym_int64"]
