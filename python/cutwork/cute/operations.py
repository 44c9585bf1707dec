# operations.py -- tensors, vectors, copies, printing: what a kernel does with data.

import operator
import re

from .. import _core, _numbers
from .._errors import UserError, explain as _explain, only_hints as _only_hints
from .._numbers import Numeric, class_for
from .._staging import mark_printf
from . import _powers, nvgpu as _nvgpu  # noqa: F401  (gives TensorSSA ** and abs)
from .algebra import has_underscore, product_each

TensorSSA = _core.TensorSSA
ReductionOp = _core.ReductionOp
CopyAtom = _core.CopyAtom
TiledCopy = _core.TiledCopy
ThrCopy = _core.ThrCopy


# -- tensors and pointers -----------------------------------------------------------------------


def make_tensor(iterator, layout, *, loc=None, ip=None):
    """A tensor from a pointer, or coordinates, and a layout or shape."""
    if not isinstance(layout, (_core.Layout, _core.ComposedLayout)):
        layout = _core.make_layout(layout)
    return _core.make_tensor(iterator, layout)


def make_identity_tensor(shape, *, loc=None, ip=None):
    """A tensor whose elements are their coordinates."""
    return _core.make_identity_tensor(shape)


def make_rmem_tensor(layout_or_shape, dtype, *, loc=None, ip=None):
    """A tensor in registers, not initialised."""
    return _core.make_rmem_tensor(layout_or_shape, dtype)


make_fragment = make_rmem_tensor


def make_fragment_like(src, dtype=None, *, loc=None, ip=None):
    """A tensor in registers of the shape and order of another one."""
    if isinstance(src, (_core.Layout, _core.ComposedLayout)):
        if dtype is None:
            raise UserError("make_fragment_like: a layout has no element type; name one")
        return _core.make_rmem_tensor(_core.make_layout_like(src), dtype)
    return _core.make_fragment_like(src, dtype)


make_rmem_tensor_like = make_fragment_like


def recast_tensor(src, dtype, swizzle_=None, *, loc=None, ip=None):
    return _core.recast_tensor(src, dtype)


def recast_ptr(ptr, swizzle_=None, dtype=None, loc=None, ip=None):
    """The pointer with another swizzle, another element type, or both."""
    return _core.recast_ptr(ptr, swizzle_, dtype)


def make_ptr(dtype, value, mem_space=_core.AddressSpace.generic, *, assumed_align=None, swizzle_=None, loc=None, ip=None):
    """A pointer from an address."""
    made = _core.make_ptr(dtype, value, mem_space, assumed_align or 0)
    return made if swizzle_ is None else _core.recast_ptr(made, swizzle_, None)


# -- vectors ------------------------------------------------------------------------------------


def where(cond, x, y, *, loc=None, ip=None):
    """x where the condition holds, else y; scalars and vectors."""
    return _core.where(cond, x, y)


def full(shape, fill_value, dtype, *, loc=None, ip=None):
    """A vector of one value."""
    return _core.full(shape, fill_value, dtype)


def full_like(a, fill_value, dtype=None, *, loc=None, ip=None):
    return _core.full(a.shape, fill_value, dtype or a.dtype)


def zeros_like(a, dtype=None, *, loc=None, ip=None):
    return full_like(a, 0, dtype)


def ones_like(a, dtype=None, *, loc=None, ip=None):
    return full_like(a, 1, dtype)


def empty_like(a, dtype=None, *, loc=None, ip=None):
    return full_like(a, 0, dtype)


def any_(x, *, loc=None, ip=None):
    return _core.any_(x)


def all_(x, *, loc=None, ip=None):
    return _core.all_(x)


_REDUCTIONS = {operator.add: ReductionOp.ADD, operator.mul: ReductionOp.MUL, max: ReductionOp.MAX, min: ReductionOp.MIN}


def _reduce(self, op, init_val, reduction_profile=0, *, loc=None, ip=None):
    """All elements (profile 0), or those of the modes where the profile has an integer, and init_val combined."""
    return self._reduce(_REDUCTIONS.get(op, op) if not isinstance(op, ReductionOp) else op, init_val, reduction_profile)


def _apply_op(self, op, other, flip=False):
    return op(other, self) if flip else op(self, other)


_element = TensorSSA.__getitem__


def _element_or_slice(self, coord):
    """An element, or the elements where the coordinate has None, as a vector."""
    if not has_underscore(coord):
        return _element(self, coord)
    registers = _core.make_rmem_tensor(self.shape, self.dtype)
    registers.store(self)
    return registers[coord].load()


TensorSSA.__getitem__ = _element_or_slice
TensorSSA.reduce = _reduce
TensorSSA.apply_op = _apply_op
TensorSSA.ir_value = lambda self, *, loc=None, ip=None: self


def _leading_dim(self):
    """The first mode with stride 1 and an extent that is not 1, or None."""
    if not isinstance(self.shape, tuple):
        return 0 if self.stride == 1 and self.shape != 1 else None
    one = (i for i, (n, stride) in enumerate(zip(self.shape, self.stride)) if type(stride) is int and stride == 1 and not (type(n) is int and n == 1))
    return next(one, None)


_core.Tensor.leading_dim = property(_leading_dim)
_core.Pointer.llvm_ptr = property(_core.Pointer.toint, doc="The address, as operations of the llvm dialect and inline PTX take it.")


# -- copies -------------------------------------------------------------------------------------


def make_copy_atom(op, copy_internal_type, num_bits_per_copy=0, *, loc=None, ip=None, **kwargs):
    """The instruction that `op` names, for elements of a type."""
    _only_hints("make_copy_atom", kwargs, "memory_order memory_scope l1c_evict_priority invariant")
    return _nvgpu.common.make_atom(op, copy_internal_type, num_bits_per_copy)


def make_tiled_copy_tv(atom, thr_layout, val_layout, *, loc=None, ip=None):
    """An atom over the tile that the threads and their values fill."""
    return _core.make_tiled_copy_tv(atom, thr_layout, val_layout)


def make_tiled_copy(atom, layout_tv, tiler_mn, *, loc=None, ip=None):
    return _core.make_tiled_copy(atom, layout_tv, tiler_mn)


def make_tiled_copy_S(atom, tiled_copy, *, loc=None, ip=None):  # noqa: N802
    return _core.make_tiled_copy(atom, tiled_copy.layout_tv_tiled, tiled_copy.tiler_mn)


make_tiled_copy_D = make_tiled_copy_S


def make_cotiled_copy(atom, atom_layout_tv, data_layout, *, loc=None, ip=None):
    """The tiled copy in which thread t moves the value v at the offset atom_layout_tv(t, v) of a tensor of this layout.

    atom_layout_tv: (threads, values) to offsets in memory; data_layout: coordinates to the same offsets. UserError: an offset
    that no coordinate has."""
    one = _core.make_layout(1, 0)  # behind the end everything is coordinate 0
    to_coordinate = _core.make_layout((_core.left_inverse(data_layout), one))
    tv_data = _core.composition(to_coordinate, atom_layout_tv)
    back = _core.composition(_core.make_layout((data_layout, one)), tv_data)
    if [back(i) for i in range(_core.size(back))] != [atom_layout_tv(i) for i in range(_core.size(atom_layout_tv))]:
        raise UserError(f"make_cotiled_copy: {atom_layout_tv} has offsets that are of no coordinate of {data_layout}")
    extents = product_each(data_layout.shape if isinstance(data_layout.shape, tuple) else (data_layout.shape,))
    tiler = tuple(_extent(_core.filter(_core.composition(_core.make_layout(extents, _unit(i, len(extents))), tv_data)))
                  for i in range(len(extents)))
    tile_to_data = _core.composition(_core.make_layout(extents), tiler)
    return _core.make_tiled_copy(atom, _core.composition(_core.left_inverse(tile_to_data), tv_data), tiler)


def _extent(mode):
    """The extent of a tile whose coordinates in this mode are 0, 1, 2, ..., in whatever order."""
    count = _core.size(mode)
    if {mode(i) for i in range(count)} != set(range(count)):
        raise UserError(f"make_cotiled_copy: a tile with gaps, {mode}, is not supported yet (docs/support.md)")
    return count


def _unit(i, rank):
    return tuple(int(k == i) for k in range(rank))


def _said(atom):
    return f"a {type(atom).__name__}" if isinstance(atom, (CopyAtom, TiledCopy)) else atom


def prefetch(atom, src, *, loc=None, ip=None, **kwargs):
    """Brings what a copy of `src`, a tensor in global memory of static shape, would read into the L2 cache."""
    _only_hints("prefetch", kwargs, "cache_policy", "tma_desc_ptr")
    if not isinstance(atom, (CopyAtom, TiledCopy)) or src.memspace != _core.AddressSpace.gmem:
        raise UserError(f"prefetch: a copy atom and a tensor in global memory were expected, not {_said(atom)} and {src}")
    count, seen = _core.size(src.layout), set()
    if not isinstance(count, int):
        raise UserError(f"prefetch: a tensor of a shape that is known while tracing was expected, not {src.layout}")
    for i in range(count):
        place = src.layout(i)
        line = place * src.element_type._storage // (8 * _SECTOR) if isinstance(place, int) else (i,)
        if line not in seen:  # of offsets that are known one in each sector
            seen.add(line)
            _nvgpu_prefetch(src.iterator + place)


_SECTOR = 32  # bytes of a cache line that are fetched together


def _nvgpu_prefetch(pointer):
    from .arch import prefetch as of_pointer

    of_pointer(pointer)


def copy(atom, src, dst, *, pred=None, unroll_factor=None, loc=None, ip=None, **kwargs):
    """src to dst; one element of pred decides an execution of the atom."""
    _only_hints("copy", kwargs, "cache_policy l1c_evict_priority", "tma_bar_ptr tma_desc_ptr mcast_mask")
    if pred is not None and pred.element_type is _numbers.Uint8:
        pred = _core.recast_tensor(pred, _numbers.Boolean)
    _core.copy(atom, src, dst, pred)


def copy_atom_call(atom, src, dst, *, pred=None, loc=None, ip=None, **kwargs):
    copy(atom, src, dst, pred=pred, **kwargs)


def autovec_copy(src, dst, *, l1c_evict_priority=None, loc=None, ip=None):
    """As wide as strides and alignments allow."""
    _core.autovec_copy(src, dst)


def basic_copy(src, dst, *, loc=None, ip=None):
    _core.basic_copy(src, dst)


def basic_copy_if(pred, src, dst, *, loc=None, ip=None):
    _core.basic_copy_if(pred, src, dst)


def _atom_text(self):
    return ("Copy Atom\n"
            f"  Value type:      {self.value_type.__name__}\n"
            f"  Bits:            {self.num_bits or 'as many as the tensors allow'}")


def _tiled_text(self):
    return ("Tiled Copy\n"
            f"  Tiler MN:        ({','.join(map(str, self.tiler_mn))})\n"
            f"  TV Layout tiled: {self.layout_tv_tiled}\n" + _atom_text(self.atom))


CopyAtom.__str__ = CopyAtom.__repr__ = _atom_text
TiledCopy.__str__ = TiledCopy.__repr__ = _tiled_text


# -- printing -----------------------------------------------------------------------------------


_SPECIFIED = re.compile(r"\{\{|\}\}|%%|%[^a-zA-Z%]*[a-zA-Z]|\{(?::([^{}]*))?\}")
_C_SPECIFICATION = re.compile(r"([-+ #0]*\d*(?:\.\d+)?)([dxXofFeEgGc]?)")


def _c_conversions(text, values):
    """`{:5.2f}` and the like as C's conversion of the value that they take; alignment and fill are refused."""
    taken = iter(values)

    def convert(found):
        if found.group(0) in ("{{", "}}", "%%"):
            return found.group(0)
        value = next(taken, None)
        if not found.group(1):
            return found.group(0) if found.group(0)[0] == "%" else "{}"
        known = _C_SPECIFICATION.fullmatch(found.group(1))
        if known is None:
            raise UserError(f"printf: of Python's format specifications those like {{:d}}, {{:5d}}, {{:08x}} and {{:.3f}} can "
                            f"be printed when the program runs, not {found.group(0)}")
        default = "g" if isinstance(value, float) or getattr(type(value), "is_float", False) else "d"
        return f"%{known.group(1)}{known.group(2) or default}"

    return _SPECIFIED.sub(convert, text)


def _parts(value):
    """(format, values) of a tuple, list or dict; of anything else it is `{}` and itself."""
    if isinstance(value, dict):
        items = [(repr(key).replace("{", "{{").replace("}", "}}").replace("%", "%%") + ": ", item) for key, item in value.items()]
        around = "{{", "}}"
    elif isinstance(value, (tuple, list)):
        items = [("", item) for item in value]
        around = "()" if isinstance(value, tuple) else "[]"
    else:
        return "{}", [value]
    made = [(name, *_parts(item)) for name, item in items]
    between = "," if isinstance(value, tuple) else ", "
    return around[0] + between.join(name + text for name, text, _ in made) + around[1], [v for _, _, vs in made for v in vs]


def _is_coordinate(value):
    """Integers, None and tuples of them, which are printed as layouts' are."""
    if isinstance(value, tuple):
        return all(map(_is_coordinate, value))
    return value is None or isinstance(value, (int, _numbers.ScaledBasis)) or (isinstance(value, _numbers.Numeric) and type(value).is_integer)


def _flattened(text, values):
    """Structures become their elements, with what is printed around them in the format."""
    taken, flat = iter(values), []

    def expand(found):
        if found.group(0) in ("{{", "}}", "%%"):
            return found.group(0)
        value = next(taken, None)
        if found.group(0) != "{}" or not isinstance(value, (tuple, list, dict)) or _is_coordinate(value):
            flat.append(value)
            return found.group(0)
        expanded, of = _parts(value)
        flat.extend(of)
        return expanded

    text = _SPECIFIED.sub(expand, text)
    return text, [*flat, *taken]


@mark_printf
def printf(*args, end="\n", loc=None, ip=None):
    """Prints when the program runs: a format with {} or % conversions, and values."""
    if not args:
        raise ValueError("printf: a format or values were expected")
    if not isinstance(args[0], str):
        args = (", ".join(["{}"] * len(args)), *args)
    text, values = _flattened(_c_conversions(args[0], args[1:]), args[1:])
    _core.printf(text + end, values)


def print_tensor(tensor, *, verbose=False, loc=None, ip=None):
    """Prints the elements of a tensor or a vector when the program runs."""
    _core.print_tensor(tensor, verbose)


_explain(globals())

__all__ = ["CopyAtom", "ReductionOp", "TensorSSA", "ThrCopy", "TiledCopy", "all_", "any_", "autovec_copy", "basic_copy",
           "basic_copy_if", "copy", "copy_atom_call", "empty_like", "full", "full_like", "make_copy_atom", "make_cotiled_copy", "make_fragment",
           "make_fragment_like", "make_identity_tensor", "make_ptr", "make_rmem_tensor", "make_rmem_tensor_like",
           "make_tensor", "make_tiled_copy", "make_tiled_copy_D", "make_tiled_copy_S", "make_tiled_copy_tv", "ones_like",
           "prefetch", "print_tensor", "printf", "recast_ptr", "recast_tensor", "where", "zeros_like"]
