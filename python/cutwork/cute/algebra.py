# algebra.py -- layouts, tuples and the layout algebra, on layouts and tensors, inside and outside of traces.

from .. import _core
from .._errors import UserError, explain as _explain, explaining as _explaining
from .._numbers import Numeric, ScaledBasis
from .typing import Constexpr  # noqa: F401

_Tensor = _core.Tensor
_LAYOUTS = (_core.Layout, _core.ComposedLayout)


def _modes(mode):
    """The path of `mode=[0, 1]` or `f[0, 1](x)`."""
    if mode is None:
        return []
    return list(mode) if isinstance(mode, (tuple, list)) else [mode]


class _OfModes:
    """A function that takes `mode`: also `size[0](x)`."""

    def __init__(self, function, path=()):
        self._function, self._path = function, path
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__

    def __getitem__(self, path):
        return _OfModes(self._function, tuple(_modes(path)))

    @_explaining
    def __call__(self, x, mode=None, *, loc=None, ip=None):
        return self._function(x, [*self._path, *_modes(mode)])


def _layout_of(x):
    """The layout behind a layout, a tensor, a tensor argument or a tiled copy."""
    if isinstance(x, _LAYOUTS):
        return x
    layout = getattr(x, "layout", None)
    return layout if isinstance(layout, _LAYOUTS) else None


def _descend(t, path):
    for step in path:
        if not isinstance(t, (tuple, list)):
            if step == 0:
                continue
            raise UserError(f"mode {list(path)}: {t} has no mode {step}")
        if not -len(t) <= step < len(t):
            raise UserError(f"mode {step} of {t}, which has {len(t)} modes")
        t = t[step]
    return t


def _at(x, path):
    layout = _layout_of(x)
    return _core.get(layout, path) if path else layout


def _relaid(x, change):
    """A layout that is changed, or a tensor whose layout is."""
    return _core.tensor_relaid(x, change(x.layout)) if isinstance(x, _Tensor) else change(x)


def _size(x, path):
    """The number of elements: an int where it is known."""
    if isinstance(x, _core.TensorSSA):
        return _core.product(_descend(x.shape, path))
    if isinstance(x, (_core.TiledCopy, _core.TiledMma)):
        return x.size
    if _layout_of(x) is not None:
        return _core.size(_at(x, path))
    return _core.product(_descend(_shape_of(x), path))


def _shape_of(x):
    return getattr(x, "shape", x) if not isinstance(x, (int, tuple, list, Numeric)) else x


def _rank(x, path):
    """The number of modes; an integer has one."""
    t = _descend(_shape_of(x), path)
    return len(t) if isinstance(t, (tuple, list)) else 1


def _depth(x, path):
    """0 of an integer, else one more than the deepest mode's."""
    return _core.tuple_depth(_descend(_shape_of(x), path))


def _cosize(x, path):
    """The last index plus one."""
    return _core.cosize(_at(x, path))


def _get(x, path):
    """A mode, without its wrapping."""
    if isinstance(x, _LAYOUTS):
        return _core.get(x, path)
    return _descend(x, path)


def _select(x, modes):
    """The modes, as the modes of one result."""
    if isinstance(x, (_Tensor, *_LAYOUTS)):
        return _relaid(x, lambda layout: _core.select(layout, modes))
    return tuple(x[i] for i in modes)


size, rank, depth, cosize = _OfModes(_size), _OfModes(_rank), _OfModes(_depth), _OfModes(_cosize)
get, select = _OfModes(_get), _OfModes(_select)
for _function, _name in ((size, "size"), (rank, "rank"), (depth, "depth"), (cosize, "cosize"), (get, "get"),
                         (select, "select")):
    _function.__name__ = _name


def shape(input, *, mode=None, loc=None, ip=None):  # noqa: A002
    """The shape of a layout, a tensor or a tuple."""
    return _descend(_shape_of(input), _modes(mode))


def is_static(x, *, loc=None, ip=None):
    """Whether all of it is known while tracing."""
    layout = _layout_of(x)
    if layout is not None:
        return layout.is_static
    return not isinstance(x, Numeric) and _core.is_static_tuple(x)


def has_underscore(x):
    return x is None or (isinstance(x, (tuple, list)) and any(map(has_underscore, x)))


# -- construction -------------------------------------------------------------------------------


def make_layout(shape, *, stride=None, loc=None, ip=None):  # noqa: F811
    """shape:stride; compact with the first mode fastest without a stride. Layouts: their modes side by side."""
    return _core.make_layout(tuple(shape) if isinstance(shape, list) else shape, stride)


def make_identity_layout(shape, *, loc=None, ip=None):
    return _core.make_identity_layout(shape)


def make_ordered_layout(shape, order, *, loc=None, ip=None):
    """Compact, the modes in the order of `order`: 0 is the fastest."""
    return _core.make_ordered_layout(shape, order)


def make_layout_like(layout, *, loc=None, ip=None):
    return _core.make_layout_like(layout)


def make_swizzle(b, m, s, *, loc=None, ip=None):
    return _core.make_swizzle(b, m, s)


def make_composed_layout(inner, offset, outer, *, loc=None, ip=None):
    """c -> inner(offset + outer(c)); inner is a layout, a swizzle or a function of a coordinate."""
    if callable(inner) and not isinstance(inner, (*_LAYOUTS, _core.Swizzle)):
        return FunctionLayout(inner, offset, outer)
    return _core.make_composed_layout(inner, offset, outer)


class FunctionLayout:
    """c -> inner(offset + outer(c)) with a function as inner."""

    def __init__(self, inner, offset, outer):
        self.inner, self.offset, self.outer = inner, offset, outer

    shape = property(lambda self: self.outer.shape)

    def __call__(self, coord, *, loc=None, ip=None):
        return self.inner(_sum(self.offset, self.outer(coord)))

    def __str__(self):
        name = getattr(self.inner, "__name__", type(self.inner).__name__)
        return f"{name} o {self.offset} o {self.outer}".replace(", ", ",")

    __repr__ = __str__


def _sum(a, b):
    """a + b of coordinates of one structure; 0 adds nothing."""
    if isinstance(b, (tuple, list)):
        if isinstance(a, (tuple, list)) and len(a) == len(b):
            return tuple(map(_sum, a, b))
        if isinstance(a, int) and a == 0:
            return tuple(b)
        raise UserError(f"make_composed_layout: an offset like {b} was expected, not {a}")
    return a + b


def make_layout_tv(thr_layout, val_layout, *, loc=None, ip=None):
    """(tiler, layout from (thread, value) to the index in the tile)."""
    return _core.make_layout_tv(thr_layout, val_layout)


# -- tuples -------------------------------------------------------------------------------------


def _is_tiler(x):
    return isinstance(x, _LAYOUTS) or (isinstance(x, (tuple, list)) and any(map(_is_tiler, x)))


def ceil_div(input, tiler, *, loc=None, ip=None):  # noqa: A002
    """ceil(a / b), mode by mode."""
    return _core.ceil_div_tiler(input, tiler) if _is_tiler(tiler) else _core.ceil_div(input, tiler)


def round_up(a, b, *, loc=None, ip=None):
    return _core.round_up(a, b)


def shape_div(lhs, rhs, *, loc=None, ip=None):
    return _core.shape_div(lhs, rhs)


def product(a, *, loc=None, ip=None):
    return _core.product(a)


def product_each(a, *, loc=None, ip=None):
    return _core.product_each(a)


def product_like(a, target_profile, *, loc=None, ip=None):
    return tuple(_core.product(x) for x in a) if isinstance(target_profile, tuple) else _core.product(a)


def flatten_to_tuple(a):
    if not isinstance(a, (tuple, list)):
        return (a,)
    return tuple(leaf for item in a for leaf in flatten_to_tuple(item))


def unflatten(sequence, profile):
    rest = iter(sequence)

    def build(p):
        return tuple(build(item) for item in p) if isinstance(p, (tuple, list)) else next(rest)

    return build(profile)


def repeat_like(x, target, *, loc=None, ip=None):
    """x at each leaf of the target."""
    if isinstance(target, (tuple, list)):
        return tuple(repeat_like(x, item) for item in target)
    return x


def repeat(x, n, *, loc=None, ip=None):
    return tuple([x] * n) if n > 1 else x


def transform_leaf(f, *arguments):
    if isinstance(arguments[0], (tuple, list)):
        return tuple(transform_leaf(f, *items) for items in zip(*arguments))
    return f(*arguments)


def elem_less(lhs, rhs, *, loc=None, ip=None):
    """Whether every leaf is less than its partner: a bool where it is known."""
    less = _core.elem_less_static(lhs, rhs) if not _core.is_tracing() else _core.elem_less(lhs, rhs)
    if isinstance(less, int):
        return bool(less)
    return less.value if less._v.is_constant else less


def equal(lhs, rhs, *, loc=None, ip=None):
    """Whether both have the same structure and leaves."""
    from .._staging.operators import both

    if isinstance(lhs, (tuple, list)) != isinstance(rhs, (tuple, list)):
        return False
    if not isinstance(lhs, (tuple, list)):
        return lhs == rhs
    if len(lhs) != len(rhs):
        return False
    result = True
    for a, b in zip(lhs, rhs):
        result = both(result, equal(a, b)) if result is not False else False
    return result


def assume(src, divby=None, *, loc=None, ip=None):
    """The same integer, known to be a multiple of `divby`; of a tuple or layout each leaf."""
    if divby is None:
        return src
    if not hasattr(divby, "__index__") or divby < 1:
        raise UserError(f"assume: divby is a positive integer, not {divby!r}")
    if isinstance(src, _core.Pointer):
        return src.align(divby)
    if isinstance(src, int):
        if src % divby:
            raise UserError(f"assume: {src} is no multiple of {divby}")
        return src
    return _core.assume(src, divby)


def get_divisibility(x):
    return _core.divisibility(x)


def crd2idx(coord, layout, *, loc=None, ip=None):
    if _layout_of(layout) is not None:
        return _core.crd2idx(coord, _layout_of(layout))
    return _core.crd2idx_shape(coord, layout)


def idx2crd(idx, shape, stride=None, *, loc=None, ip=None):  # noqa: F811
    if _layout_of(shape) is not None:
        shape = _layout_of(shape).shape
    return _core.idx2crd(idx, shape) if stride is None else _core.idx2crd_stride(idx, shape, stride)


def increment_coord(coord, shape, *, loc=None, ip=None):  # noqa: F811
    return _core.increment_coord(coord, shape)


def fast_divmod_create_divisor(divisor, *, loc=None, ip=None):
    """A divisor for divmod: divmod(x, d) and x // d, x % d."""
    return FastDivmodDivisor(divisor)


class FastDivmodDivisor:
    """A divisor that divides integers."""

    def __init__(self, divisor, *, is_power_of_2=None, loc=None, ip=None):
        self.divisor = divisor

    def __rdivmod__(self, x):
        return x // self.divisor, x % self.divisor

    def __rfloordiv__(self, x):
        return x // self.divisor

    def __rmod__(self, x):
        return x % self.divisor

    def divmod(self, x):
        return self.__rdivmod__(x)

    def __extract_mlir_values__(self):
        return [self.divisor] if isinstance(self.divisor, Numeric) else []

    def __new_from_mlir_values__(self, values):
        return FastDivmodDivisor(values[0] if values else self.divisor)


# -- modes --------------------------------------------------------------------------------------


def group_modes(input, begin, end=None, *, loc=None, ip=None):  # noqa: A002
    """Modes begin to end become one mode."""
    if end is None:
        end = _rank(input, [])
    if isinstance(input, _Tensor):
        return _core.tensor_group_modes(input, begin, end)
    if isinstance(input, _LAYOUTS):
        return _core.group_modes(input, begin, end)
    return (*input[:begin], tuple(input[begin:end]), *input[end:])


def append(input, elem, up_to_rank=None, *, loc=None, ip=None):  # noqa: A002
    """With one more mode, or with as many as make it of rank `up_to_rank`."""
    if isinstance(input, _LAYOUTS):
        return _core.append(input, elem, up_to_rank)
    t = tuple(input) if isinstance(input, (tuple, list)) else (input,)
    times = 1 if up_to_rank is None else max(up_to_rank - len(t), 0)
    return t + (elem,) * times


def prepend(input, elem, up_to_rank=None, *, loc=None, ip=None):  # noqa: A002
    if isinstance(input, _LAYOUTS):
        return _core.prepend(input, elem, up_to_rank)
    t = tuple(input) if isinstance(input, (tuple, list)) else (input,)
    times = 1 if up_to_rank is None else max(up_to_rank - len(t), 0)
    return (elem,) * times + t


def append_ones(t, up_to_rank=None, *, loc=None, ip=None):
    return append(t, 1 if not isinstance(t, _LAYOUTS) else _core.make_layout(1, 0), up_to_rank)


def slice_(src, coord, *, loc=None, ip=None):
    """The modes where the coordinate has None; of a tensor with the pointer moved."""
    if isinstance(src, _Tensor):
        return src[coord]
    if isinstance(src, _LAYOUTS):
        return _core.slice_layout(coord, src)
    return _core.slice_tuple(coord, src)


def dice(src, dicer, *, loc=None, ip=None):
    """The modes where the coordinate has no None."""
    return _core.dice_layout(dicer, src) if isinstance(src, _LAYOUTS) else _core.dice_tuple(dicer, src)


def slice_and_offset(coord, src, *, loc=None, ip=None):
    return _core.slice_and_offset(coord, src)


# -- the algebra, on layouts and tensors --------------------------------------------------------


def _divide(name):
    of_layout, of_tensor = getattr(_core, name), getattr(_core, f"tensor_{name}")

    def divide(target, tiler, *, loc=None, ip=None):
        if isinstance(target, _Tensor):
            return of_tensor(target, tiler)
        return of_layout(target, tiler)

    divide.__name__ = divide.__qualname__ = name
    divide.__doc__ = f"{name} of a layout or a tensor."
    return divide


logical_divide, zipped_divide = _divide("logical_divide"), _divide("zipped_divide")
tiled_divide, flat_divide = _divide("tiled_divide"), _divide("flat_divide")


def _product(name):
    of_layout = getattr(_core, name)

    def repeated(block, tiler, *, loc=None, ip=None):
        return of_layout(block, tiler)

    repeated.__name__ = repeated.__qualname__ = name
    repeated.__doc__ = f"{name} of layouts."
    return repeated


logical_product, zipped_product = _product("logical_product"), _product("zipped_product")
tiled_product, flat_product = _product("tiled_product"), _product("flat_product")
blocked_product, raked_product = _product("blocked_product"), _product("raked_product")


def composition(lhs, rhs, *, loc=None, ip=None):
    """lhs after rhs; rhs: a layout, a shape or a tuple of tilers."""
    if isinstance(lhs, _core.Swizzle):
        return _core.make_composed_layout(lhs, 0, rhs)
    if isinstance(lhs, _Tensor):
        return _core.tensor_composition(lhs, rhs)
    return _core.composition(lhs, rhs)


def complement(input, cotarget=None, *, loc=None, ip=None):  # noqa: A002
    if isinstance(cotarget, _LAYOUTS):
        cotarget = _core.size(cotarget)
    return _core.complement(input, cotarget)


def coalesce(input, *, target_profile=None, loc=None, ip=None):  # noqa: A002
    return _relaid(input, lambda layout: _core.coalesce(layout, target_profile))


def _by_profile(of_layout, input, target_profile):  # noqa: A002
    """By mode where a profile is a tuple."""
    if isinstance(target_profile, tuple):
        modes = [_by_profile(of_layout, _core.get(input, [i]), target_profile[i] if i < len(target_profile) else None)
                 for i in range(input.rank)]
        return _core.make_layout(tuple(modes))
    return of_layout(input)


def filter_zeros(input, *, target_profile=None, loc=None, ip=None):  # noqa: A002
    """Modes of stride 0 become extent 1."""
    return _relaid(input, _core.filter_zeros)


def filter(input, *, target_profile=None, loc=None, ip=None):  # noqa: A001, A002
    if isinstance(input, _Tensor):
        return _relaid(input, _core.filter)
    return _by_profile(_core.filter, input, target_profile)


def flatten(a, *, loc=None, ip=None):
    if not isinstance(a, (_Tensor, *_LAYOUTS)):
        return flatten_to_tuple(a)
    return _relaid(a, _core.flatten)


def right_inverse(input, *, loc=None, ip=None):  # noqa: A002
    return _core.right_inverse(input)


def left_inverse(input, *, loc=None, ip=None):  # noqa: A002
    return _core.left_inverse(input)


def tile_to_shape(atom, trg_shape, order=None, *, loc=None, ip=None):
    return _core.tile_to_shape(atom, trg_shape, order)


def recast_layout(new_type_bits, old_type_bits, src_layout, *, loc=None, ip=None):
    return _core.recast_layout(new_type_bits, old_type_bits, src_layout)


def max_common_layout(a, b, *, loc=None, ip=None):
    return _core.max_common_layout(_layout_of(a), _layout_of(b))


def max_common_vector(a, b, *, loc=None, ip=None):
    return _core.max_common_vector(_layout_of(a), _layout_of(b))


def make_layout_image_mask(lay, coord, mode, *, loc=None, ip=None):
    """The bits of the linear indices that are reached by varying one mode."""
    return _core.make_layout_image_mask(lay, coord, mode)


def local_tile(input, tiler, coord, proj=None, *, loc=None, ip=None):  # noqa: A002
    """The tile at a coordinate; None keeps that mode of the rest."""
    if isinstance(input, _Tensor):
        return _core.tensor_local_tile(input, tiler, coord, proj)
    return _core.local_tile(input, tiler, coord, proj)[0]


def local_partition(target, tiler, index, proj=1, *, loc=None, ip=None):
    """The elements of thread `index`."""
    return _core.local_partition(target, tiler, index)


def domain_offset(coord, tensor, *, loc=None, ip=None):
    """The tensor whose coordinate 0 is this one's `coord`."""
    return _core.domain_offset(coord, tensor)


def size_in_bytes(dtype, layout, *, loc=None, ip=None):
    """Bytes of the elements of a layout."""
    cosize_ = _core.cosize(layout.outer if isinstance(layout, _core.ComposedLayout) else layout)
    return (cosize_ * dtype.width + 7) // 8 if isinstance(cosize_, int) else cosize_ * dtype.width // 8


_explain(globals())

__all__ = ["FastDivmodDivisor", "append", "append_ones", "assume", "blocked_product", "ceil_div", "coalesce",
           "complement", "composition", "cosize", "crd2idx", "depth", "dice", "domain_offset", "elem_less", "equal",
           "fast_divmod_create_divisor", "filter", "filter_zeros", "flat_divide", "flat_product", "flatten",
           "flatten_to_tuple", "get", "get_divisibility", "group_modes", "has_underscore", "idx2crd", "increment_coord",
           "is_static", "left_inverse", "local_partition", "local_tile", "logical_divide", "logical_product",
           "make_composed_layout", "make_identity_layout", "make_layout", "make_layout_image_mask", "make_layout_like",
           "make_layout_tv", "make_ordered_layout", "make_swizzle", "max_common_layout", "max_common_vector", "prepend",
           "product", "product_each", "product_like", "raked_product", "rank", "recast_layout", "repeat", "repeat_like",
           "right_inverse", "round_up", "select", "shape", "shape_div", "size", "size_in_bytes", "slice_",
           "slice_and_offset", "tile_to_shape", "tiled_divide", "tiled_product", "transform_leaf", "unflatten",
           "zipped_divide", "zipped_product"]
