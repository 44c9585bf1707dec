# _backend.py -- the staging of rewritten functions over the C++ tracer, and the flattening of its objects.

import math

from . import _core, _numbers
from ._numbers import Numeric, class_for
from ._place import place
from ._staging import tree

_BINARY = {"add": _core.add, "sub": _core.sub, "mul": _core.mul, "floordiv": _core.floordiv, "mod": _core.mod,
           "truediv": _core.truediv, "and": _core.and_, "or": _core.or_, "xor": _core.xor, "lt": _core.lt,
           "le": _core.le, "gt": _core.gt, "ge": _core.ge, "eq": _core.eq, "ne": _core.ne, "min": _core.min,
           "max": _core.max, "shl": _core.shl, "shr": _core.shr}


def _class_of(value):
    return type(value) if isinstance(value, Numeric) else class_for(value)


PREFETCH = "copies are issued where the program has them, not iterations ahead"
_said = set()


def no_effect(what, why):
    """Says at level info, once in a process, that something that the program asks for is accepted and does nothing."""
    if what not in _said:
        _said.add(what)
        file, line, *_ = place()
        _core.log_info(f"{file}:{line}: {what} has no effect: {why}")


class Slot:
    """A variable of the kernel, in the entry block of its function."""

    __slots__ = ("slot", "of")

    def __init__(self, leaf):
        self.of = _class_of(leaf)
        self.slot = _core.Slot(self.of, leaf)


class Backend:
    """What cutwork._staging asks of a trace."""

    @staticmethod
    def is_dynamic(x):
        return isinstance(x, (_core.TensorSSA,)) or (isinstance(x, Numeric) and not x._v.is_constant)

    is_visible = staticmethod(_core.is_visible)

    @staticmethod
    def in_kernel():
        return _core.is_tracing_kernel()

    @staticmethod
    def to_boolean(x):
        return _core.convert(x, _numbers.Boolean)

    @staticmethod
    def open_if(condition, else_):
        return _core.open_if(condition)

    @staticmethod
    def open_else(region):
        region.or_else()

    @staticmethod
    def open_for(start, stop, step, unroll=0, unroll_full=False, vectorize=None, prefetch_stages=None):
        if prefetch_stages:
            no_effect("range: prefetch_stages", PREFETCH)
        if vectorize:
            no_effect("range: vectorize", "the loop is compiled as without it")
        region = _core.open_for(start, stop, step, unroll, unroll_full)
        return region, region.index

    @staticmethod
    def open_while():
        return _core.open_while()

    @staticmethod
    def while_condition(region, condition):
        region.condition(condition)

    @staticmethod
    def close(region):
        region.close()

    @staticmethod
    def discard(region):
        region.discard()

    @staticmethod
    def slot(leaf):
        return Slot(leaf)

    @staticmethod
    def load(slot):
        return slot.slot.load()

    @staticmethod
    def store(slot, leaf):
        slot.slot.store(leaf)

    @staticmethod
    def same_type(a, b):
        return _class_of(a) is _class_of(b)

    @staticmethod
    def type_name(x):
        return str(_class_of(x)) if _numbers.is_number(x) else type(x).__name__

    kind = staticmethod(_numbers.kind)

    @staticmethod
    def convert(x, like):
        return _core.convert(x, _class_of(like))

    @staticmethod
    def promote(a, b):
        return _core.convert(a, _core.promote(_class_of(a), _class_of(b)))

    @staticmethod
    def select(c, a, b):
        return _core.select(c, a, b)

    @staticmethod
    def binary(op, a, b):
        return _BINARY[op](a, b)

    @staticmethod
    def leave():
        _core.return_if(True)


class Numbers:
    """Numbers in slots: the type is static, the value is the leaf. Their divisibility is not kept."""

    @staticmethod
    def spec(x):
        return type(x)

    @staticmethod
    def meet(a, b):
        return a if a is b else None

    @staticmethod
    def leaves(x, inner):
        return [_core.convert(x, inner)]

    @staticmethod
    def rebuild(inner, leaves, obj):
        return leaves[0]

    @staticmethod
    def count(inner):
        return 1

    @staticmethod
    def describe(inner):
        return inner.__name__


# -- trees of integers: shapes, strides, coordinates. A dynamic leaf is Dynamic(wide, divisor).


class Dynamic(tuple):
    __slots__ = ()

    def __new__(cls, wide, divisor):
        return tuple.__new__(cls, (wide, divisor))


def _tuple_spec(x):
    if isinstance(x, tuple):
        return tuple(_tuple_spec(item) for item in x)
    if isinstance(x, _numbers.ScaledBasis):
        return _numbers.ScaledBasis(_tuple_spec(x.value), x.path)
    if isinstance(x, Numeric):
        return Dynamic(type(x).width == 64, _core.divisibility(x))
    return x


def _meet_tuples(a, b):
    """The weakest of both; None if they do not fit."""
    structure = lambda x: isinstance(x, tuple) and not isinstance(x, Dynamic)  # noqa: E731
    if structure(a) or structure(b):
        if not (structure(a) and structure(b)) or len(a) != len(b):
            return None
        items = [_meet_tuples(x, y) for x, y in zip(a, b)]
        return None if any(item is None for item in items) else tuple(items)
    if isinstance(a, _numbers.ScaledBasis) or isinstance(b, _numbers.ScaledBasis):
        return a if a == b else None
    if a == b and type(a) is type(b):
        return a
    wide, divisor = False, 0
    for one in (a, b):
        wide |= one[0] if isinstance(one, Dynamic) else not -(1 << 31) <= one < 1 << 31
        divisor = math.gcd(divisor, one[1] if isinstance(one, Dynamic) else one)
    return Dynamic(wide, divisor or 1)


def _tuple_leaves(x, spec, out):
    if isinstance(spec, Dynamic):
        out.append(_core.convert(x, _numbers.Int64 if spec[0] else _numbers.Int32))
    elif isinstance(spec, tuple):
        for item, inner in zip(x, spec):
            _tuple_leaves(item, inner, out)
    elif isinstance(spec, _numbers.ScaledBasis):
        _tuple_leaves(x.value, spec.value, out)


def _tuple_rebuild(spec, leaves):
    if isinstance(spec, Dynamic):
        leaf = next(leaves)
        return _core.assume(leaf, spec[1])
    if isinstance(spec, tuple):
        return tuple(_tuple_rebuild(item, leaves) for item in spec)
    if isinstance(spec, _numbers.ScaledBasis):
        return _numbers.ScaledBasis(_tuple_rebuild(spec.value, leaves), spec.path)
    return spec


def _tuple_count(spec):
    if isinstance(spec, Dynamic):
        return 1
    if isinstance(spec, tuple):
        return sum(map(_tuple_count, spec))
    return _tuple_count(spec.value) if isinstance(spec, _numbers.ScaledBasis) else 0


class _Parts:
    """A handler of objects that are (static part, tree of integers): two functions make and take them."""

    mutable = False

    def __init__(self, take, make, weaken=None):
        self.take, self.make, self.weaken = take, make, weaken

    def spec(self, x):
        static, integers, _ = self.take(x)
        return static, _tuple_spec(integers)

    def meet(self, a, b):
        static = a[0] if a[0] == b[0] else self.weaken(a[0], b[0]) if self.weaken else None
        integers = _meet_tuples(a[1], b[1])
        return None if static is None or integers is None else (static, integers)

    def leaves(self, x, inner):
        _, integers, others = self.take(x)
        out = list(others)
        _tuple_leaves(integers, inner[1], out)
        return out

    def rebuild(self, inner, leaves, obj):
        rest = iter(leaves)
        return self.make(inner[0], rest, lambda: _tuple_rebuild(inner[1], rest), obj)

    def count(self, inner):
        return _tuple_count(inner[1]) + self.others(inner[0])

    def others(self, static):
        return 0

    def describe(self, inner):
        static, integers = inner
        return f"the layout {_layout_words(static, integers)}"


def _words(integers):
    """A tree of integers as layouts print it."""
    if isinstance(integers, Dynamic):
        return "?"
    if isinstance(integers, tuple):
        return f"({','.join(map(_words, integers))})"
    return str(integers)


def _layout_words(static, integers):
    if static[0] == "composed":
        offset, shape, stride = integers
        return f"{static[1]} o {_words(offset)} o {_words(shape)}:{_words(stride)}"
    return ":".join(map(_words, integers))


def _pointer_words(static):
    """A pointer as tensors print it; the tuple of _pointer_parts."""
    _, dtype, space, align, swizzle, _ = static[:6]
    turned = "" if swizzle.startswith("S<0") else f", {swizzle}"
    return f"ptr<{dtype}, {space.rpartition('.')[2]}, align<{align}>{turned}>"


class _Pointers(_Parts):
    def others(self, static):
        return 1 if static[0] == "pointer" else 0

    def describe(self, inner):
        return f"the pointer {_pointer_words(inner[0])}"


class _Tensors(_Pointers):
    def describe(self, inner):
        static, (start, layout) = inner
        start = _words(start) if static[0] == "coordinate" else _pointer_words(static)
        kind = {"coordinate": "the coordinate tensor", "registers": "the register tensor"}.get(static[0], "the tensor")
        return f"{kind} {start} o {_layout_words(static[6:], layout)}"


def _layout_parts(layout):
    if isinstance(layout, _core.ComposedLayout):
        return ("composed", str(layout.inner)), (layout.offset, layout.outer.shape, layout.outer.stride)
    return ("plain", ""), (layout.shape, layout.stride)


def _layout_of(integers, sample):
    if isinstance(sample, _core.ComposedLayout):
        offset, shape, stride = integers
        return _core.make_composed_layout(sample.inner, offset, _core.make_layout(shape, stride))
    return _core.make_layout(*integers)


def _take_layout(x):
    static, integers = _layout_parts(x)
    return static, integers, []


def _make_layout(static, rest, integers, obj):
    return _layout_of(integers(), obj)


def _pointer_static(p):
    return (str(p.dtype), str(p.memspace), p.alignment, str(p.swizzle))


def _pointer_parts(p):
    """(static part, addresses). Registers have no address: which ones they are is static."""
    if p.memspace == _core.AddressSpace.rmem:
        return ("registers", *_pointer_static(p), p.key), []
    return ("pointer", *_pointer_static(p), 0), [p.toint()]


def _take_pointer(p):
    static, addresses = _pointer_parts(p)
    return static, (), addresses


def _make_pointer(static, rest, integers, obj):
    if static[0] == "registers":
        return obj
    return _core.pointer_from_int(obj, next(rest), static[3])


def _weaken_pointer(a, b):
    """Of pointers that differ in alignment only: what both have."""
    if a[:3] != b[:3] or a[4:] != b[4:]:
        return None
    return (*a[:3], math.gcd(a[3], b[3]), *a[4:])


def _take_tensor(t):
    layout, integers = _layout_parts(t.layout)
    if t.is_coordinate:
        return ("coordinate", "", "", 0, "", 0, *layout), (t.iterator, integers), []
    static, addresses = _pointer_parts(t.iterator)
    return (*static, *layout), ((), integers), addresses


def _make_tensor(static, rest, integers, obj):
    if static[0] == "coordinate":
        start, layout = integers()
        return _core.make_tensor(start, _layout_of(layout, obj.layout))
    pointer = _make_pointer(static, rest, None, obj.iterator)
    return _core.make_tensor(pointer, _layout_of(integers()[1], obj.layout))


class Vectors:
    """TensorSSA: each element is a leaf."""

    @staticmethod
    def spec(x):
        return x.dtype, x.shape

    @staticmethod
    def meet(a, b):
        return a if a == b else None

    @staticmethod
    def leaves(x, inner):
        return [x[i] for i in range(x.size)]

    @staticmethod
    def rebuild(inner, leaves, obj):
        fragment = _core.make_rmem_tensor(inner[1], inner[0])
        for i, leaf in enumerate(leaves):
            fragment[i] = leaf
        return fragment.load()

    @staticmethod
    def count(inner):
        return math.prod(_flat(inner[1]))

    @staticmethod
    def describe(inner):
        return f"a vector of {inner[0]} with shape {inner[1]}"


def _flat(shape):
    return [n for item in shape for n in _flat(item)] if isinstance(shape, tuple) else [shape]


tree.register(Numeric, Numbers)
tree.register(_core.Layout, _Parts(_take_layout, _make_layout))
tree.register(_core.ComposedLayout, _Parts(_take_layout, _make_layout))
tree.register(_core.Pointer, _Pointers(_take_pointer, _make_pointer, _weaken_pointer))
tree.register(_core.Tensor, _Tensors(_take_tensor, _make_tensor, _weaken_pointer))
tree.register(_core.TensorSSA, Vectors)
