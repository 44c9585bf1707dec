# _arguments.py -- what host functions are called with: tensors, pointers, streams, numbers and structures of them.
"""`plan(value, annotation)` says what of an argument is compiled in and what is passed with each call:

    Constant(value)                     compiled in
    Leaf(spec, make)                    passed; make(trace) is its traced value
    Group(kind, names, items, build)    a structure; build(list of values) makes one like it

A plan has `key`, hashable and equal for arguments that one compilation serves, `leaves(value)`, the
values to pass, in order, and `traced(trace)`, the object that the traced function gets."""

import collections
import dataclasses
import enum
import functools
import math
import types
import typing

from . import _core, _numbers, _structures
from ._c_layout import unpack
from ._errors import UserError
from ._numbers import Numeric, NumericMeta, class_for

_adapters = {}  # type: function of a value that gives an object with the protocol


def register_jit_arg_adapter(kind):
    """Decorates a class or function that makes a JitArgument of a value of `kind`."""

    def register(adapter):
        _adapters[kind] = adapter
        return adapter

    return register


class Constexpr:
    """Annotation of a parameter whose value is compiled in: `n: Constexpr`, `n: Constexpr[int]`."""

    def __class_getitem__(cls, inner):
        return _ConstexprOf(inner)


class _ConstexprOf:
    def __init__(self, inner):
        self.inner = inner

    def __repr__(self):
        return f"Constexpr[{getattr(self.inner, '__name__', self.inner)}]"

    # What typing asks of the members of Optional[...] and Union[...], and of `Constexpr[int] | None`.

    def __call__(self, *arguments, **keywords):
        raise TypeError(f"{self!r} is an annotation; nothing is made with it")

    def __or__(self, other):
        return typing.Union[self, other]

    def __ror__(self, other):
        return typing.Union[other, self]


def is_constexpr(annotation):
    return annotation is Constexpr or isinstance(annotation, _ConstexprOf)


def one_annotation(annotation):
    """The one member of Optional[...], or of a union, that says what a value is: Constexpr, or the only one besides None."""
    if typing.get_origin(annotation) not in (typing.Union, types.UnionType):
        return annotation
    members = [one for one in annotation.__args__ if one is not type(None)]
    return next(filter(is_constexpr, members), members[0] if len(members) == 1 else None)


class StaticInts:
    """Annotations (Shape, Coord, Stride, IntTuple, Tile, Layout) that leave Python integers static."""

    def __init__(self, name):
        self.__name__ = name

    def __repr__(self):
        return self.__name__

    def __or__(self, other):
        return self

    __ror__ = __or__

    def __getitem__(self, _):
        return self


class Unfit(UserError):
    """What a call passes does not fit: where in the argument, as the program writes it ([1].name), and why."""

    def __init__(self, path, why):
        self.path, self.why = path, why
        super().__init__(f"{path}: {why}" if path else why)

    @staticmethod
    def of(error, step=""):
        if isinstance(error, Unfit):
            return Unfit(step + error.path, error.why)
        return Unfit(step, getattr(error, "message", "") or str(error))


class Constant:
    """Compiled in."""

    __slots__ = ("value", "key")

    def __init__(self, value):
        self.value = value
        self.key = ("constant", type(value), _constant_key(value))

    def leaves(self, value, out):
        if type(self.value) in (bool, int, float):
            value = _of_python(value)
        if not _structures.same_constant(value, self.value):
            raise UserError(f"{_shown(value)} was passed where {_shown(self.value)} is compiled in: compile the function for "
                            "that value, or leave out what is compiled in")

    def traced(self, trace):
        return self.value


def _shown(value):
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _constant_key(value):
    try:
        hash(value)
    except TypeError:
        return id(value)
    if type(value) is float:
        return value.hex()  # 0.0 and -0.0 are equal, but not the same
    # Objects of subclasses may differ though they are equal.
    return value if type(value) in (int, str, bool, type(None)) or isinstance(value, type) else (id(value), value)


class Leaf:
    """Passed with each call. `take(value)` is what the C++ call gets."""

    __slots__ = ("spec", "key", "make", "take", "symbols")

    def __init__(self, key, spec, make, take, symbols=None):
        self.key, self.spec, self.make, self.take = key, spec, make, take
        self.symbols = symbols  # of a tensor's extents and strides: the SymInt of each, or None

    def leaves(self, value, out):
        out.append(self.take(value))

    def traced(self, trace):
        return self.make(trace)


class Group:
    """A structure of other plans: `children(value)` are (names, values) of one like it, `build(values)` makes one."""

    __slots__ = ("kind", "names", "items", "key", "children", "build", "opaque")

    def __init__(self, kind, names, items, children, build, opaque=False, others=()):
        self.kind, self.names, self.items, self.children, self.build = kind, tuple(names), items, children, build
        self.opaque = opaque  # the traced function gets an object whose other state the plan does not know
        self.key = (kind, _structures.exact_names(self.names), others, tuple(item.key for item in items))

    def step(self, name):
        """How the program writes the way to an item; "" where the group is no structure of the program."""
        return _structures.step(self.kind, name) if _structures.is_structure(self.kind) else ""

    def leaves(self, value, out):
        found = self.children(value)
        if found is None or found[0] is not self.names and _structures.exact_names(found[0]) != self.key[1]:
            raise UserError(f"{_shown(value)} was passed where a {self.kind.__name__} of {len(self.items)} is compiled in, with "
                            f"{_shown(self.names)}")
        for name, item, child in zip(self.names, self.items, found[1]):
            try:
                item.leaves(child, out)
            except (UserError, TypeError, AttributeError) as error:
                raise Unfit.of(error, self.step(name)) from None

    def traced(self, trace):
        return self.build([item.traced(trace) for item in self.items])


# -- tensors ------------------------------------------------------------------------------------


def spec_key(spec):
    return ("tensor", spec.dtype, spec.space, spec.alignment, spec.shape, spec.stride)


def tensor_plan(spec, take, symbols=None):
    return Leaf(spec_key(spec), spec, lambda trace: trace.tensor(spec), take, symbols)


# -- numbers ------------------------------------------------------------------------------------


def _reduced(number):
    """What pickle keeps of a number."""
    if not number.is_constant:
        raise TypeError(f"this {type(number).__name__} is known only at run time and cannot be pickled")
    return type(number), (number.value,)


# Nothing changes a number: a copy is itself.
Numeric.__copy__, Numeric.__deepcopy__, Numeric.__reduce__ = (lambda self: self), (lambda self, memo: self), _reduced


def _of_python(value):
    """A scalar of numpy as the Python number that it is; anything else as it is."""
    if type(value).__module__ != "numpy" or getattr(value, "ndim", None) != 0 or not hasattr(value, "item") or hasattr(value, "__dlpack__"):
        return value
    number = value.item()
    if type(number) in (bool, int, float):
        return number
    return float(value) if type(value).__name__ == "longdouble" else value


def _take_number(cls):
    """What a call passes of a number: the value itself, if the class has it."""

    def take(value):
        value = value.value if isinstance(value, Numeric) else _of_python(value)
        if cls.__name__ == "Boolean":
            return bool(value)
        known = _numbers.is_number(value) and not isinstance(value, Numeric)
        if not known and not (cls.is_float and hasattr(value, "__float__")):  # numpy's float32
            raise UserError(f"a number that fits {cls.__name__} was expected, not {_shown(value)} of type {type(value).__name__}")
        return _float_in(cls, value) if cls.is_float else _integer_in(cls, value)

    return take


def _float_in(cls, value):
    number = float(value)
    most = getattr(cls, "max", math.inf)
    if math.isfinite(number) and abs(number) > most:
        raise UserError(f"{value!r} does not fit {cls.__name__}: {-most:g} to {most:g}")
    return number


def _integer_in(cls, value):
    if isinstance(value, float) and not value.is_integer():
        raise UserError(f"{value!r} does not fit {cls.__name__}: an integer was expected")
    number = int(value)
    if not cls.min <= number <= cls.max:
        raise UserError(f"{value!r} does not fit {cls.__name__}: {cls.min} to {cls.max}")
    return number


@functools.cache
def number_plan(cls):
    return Leaf(("number", cls), _core.ScalarSpec(cls), lambda trace: trace.scalar(cls), _take_number(cls))


# -- streams ------------------------------------------------------------------------------------


def stream_handle(value):
    """The CUstream of a stream of cuda.bindings, torch or cutwork; None is the default stream."""
    if value is None:
        return 0
    for name in ("cuda_stream", "handle", "__cuda_stream__"):
        found = getattr(value, name, None)
        if found is not None:
            found = found()[1] if callable(found) else found
            return int(found)
    if not hasattr(type(value), "__index__") and not hasattr(type(value), "__int__"):
        raise TypeError(f"a stream was expected (of torch, cuda.bindings or cutwork, an integer or None), not {value!r} of type "
                        f"{type(value).__qualname__}")
    return int(value)


def is_stream(value, annotation=None):
    kind = type(value)
    if kind.__name__ in ("CUstream", "cudaStream_t", "FakeStream") or hasattr(value, "cuda_stream"):
        return True
    return getattr(annotation, "__name__", "") in ("CUstream", "cudaStream_t") and not isinstance(value, _core.Stream)


STREAM = Leaf(("stream",), _core.StreamSpec(), lambda trace: trace.stream(),
              lambda value: _core.StreamArgument(stream_handle(value)))

# The stream that is current where the function is called: it is no argument of calls.
def _take_current(value):
    if value is not None and not getattr(value, "use_tvm_ffi_env_stream", False):
        raise UserError("no stream is passed: it was compiled for the stream that is current where it is called")
    return current_stream()


ENV_STREAM = Leaf(("env_stream",), _core.StreamSpec(), lambda trace: trace.stream(), _take_current)


def current_stream():
    """torch's current stream, or the default one where no GPU or no torch is used."""
    import sys

    handle = 0
    if "torch" in sys.modules and _core.cuda_device_count():
        handle = sys.modules["torch"].cuda.current_stream().cuda_stream
    return _core.StreamArgument(handle)


# -- structures ---------------------------------------------------------------------------------


def _annotations_of(kind, annotation):
    """The annotations of a tuple's or list's items, as far as they are said."""
    if hasattr(kind, "_fields"):
        hints = _hints(kind)
        return lambda i: hints.get(kind._fields[i])
    arguments = getattr(annotation, "__args__", ()) or ()
    if kind is list or (len(arguments) == 2 and arguments[1] is Ellipsis):
        return lambda i: arguments[0] if arguments else None
    return lambda i: arguments[i] if i < len(arguments) else None


def _sequence(value, annotation, name):
    kind = type(value)
    if isinstance(annotation, StaticInts):
        items = [Constant(v) if isinstance(v, (int, type(None), _numbers.ScaledBasis)) else plan(v, annotation, f"{name}[{i}]")
                 for i, v in enumerate(value)]
    else:
        inner = _annotations_of(kind, annotation)
        names = getattr(kind, "_fields", None)
        items = [plan(v, inner(i), f"{name}.{names[i]}" if names else f"{name}[{i}]") for i, v in enumerate(value)]
    return _group(value, items, opaque=_has_state(value))


def _has_state(value):
    """Whether an object of a class of the program may have more state than its children."""
    return type(value) not in (list, tuple, dict, collections.OrderedDict) and (
        isinstance(value, (list, dict)) or hasattr(value, "__dict__"))


def _group(value, items, opaque, others=()):
    kind, names = type(value), _structures.children(value)[0]

    accepted = (tuple, list) if issubclass(kind, (tuple, list)) and not hasattr(kind, "_fields") else kind

    def children(v):
        return _structures.children(v) if isinstance(v, accepted) else None

    return Group(kind, names, items, children, lambda values: _structures.assemble(kind, names, values, like=value), opaque, others)


def _mapping(value, annotation, name):
    of, arguments = {}, getattr(annotation, "__args__", ())
    if typing.is_typeddict(annotation):
        of = _hints(annotation)
    elif len(arguments) == 2:
        of = dict.fromkeys(value, arguments[1])
    return _group(value, [plan(v, of.get(key), f"{name}[{key!r}]") for key, v in value.items()], opaque=_has_state(value))


def _dataclass(value, annotation, argument):
    names, values = _structures.children(value)
    hints, others = _hints(type(value)), _structures.other_state(value)
    items = [plan(v, hints.get(name), f"{argument}.{name}") for name, v in zip(names, values)]
    return _group(value, items, opaque=bool(others), others=others)


def _hints(kind):
    try:
        return typing.get_type_hints(kind)
    except Exception:  # names that exist only while type checking
        return dict(getattr(kind, "__annotations__", {}))


def _protocol(value, annotation):
    """An object with __extract_mlir_values__ of traced values: its values are passed as numbers."""
    values = value.__extract_mlir_values__()
    items = [plan(v, None) for v in values]
    return Group(type(value), range(len(items)), items, lambda v: _numbered(v.__extract_mlir_values__()),
                 lambda made: value.__new_from_mlir_values__(made), opaque=True)


def _numbered(values):
    return range(len(values)), values


# Numbers of an enumeration are numbers, and a partial is what it is, its arguments compiled in.
_STATIC = (*(kind for kind in _structures.STATIC if kind is not enum.Enum), functools.partial, range)


def leaf_plans(plans):
    """(name, leaf) of what is passed, in order. The name is the argument with the field or item in it: `x`, `cfg.scale`, `pair[1]`;
    plans: {argument: plan}."""
    for name, item in plans.items():
        yield from _leaves_of(name, item)


def _leaves_of(name, item):
    if isinstance(item, Leaf):
        yield name, item
    elif isinstance(item, Group):
        for key, inner in zip(item.names, item.items):
            yield from _leaves_of(name + item.step(key), inner)


def constants_of(plans):
    """The values that are compiled in, and the classes of structures; None if a structure has state that is not known."""
    out = []
    for item in plans:
        if isinstance(item, Constant):
            out.append(item.value)
        elif isinstance(item, Group):
            inner = None if item.opaque else constants_of(item.items)
            if inner is None:
                return None
            out += [item.kind, *inner]
    return out


def plan(value, annotation=None, name="an argument"):
    """How this argument is compiled and passed."""
    if value is not None:
        annotation = one_annotation(annotation)
    if not is_constexpr(annotation):
        value = _of_python(value)
    _check_kind(value, annotation, name)
    if is_constexpr(annotation) or isinstance(value, _STATIC):
        if value is None and is_stream(value, annotation):
            return STREAM
        return Constant(value)
    if hasattr(value, "__cutwork_plan__"):
        return value.__cutwork_plan__(annotation)
    adapter = _adapters.get(type(value))
    if adapter is not None:
        return _adapted(value, adapter)
    if isinstance(annotation, NumericMeta) and _numbers.is_number(value):
        return number_plan(annotation)
    if is_stream(value, annotation):
        return ENV_STREAM if getattr(value, "use_tvm_ffi_env_stream", False) else STREAM
    if isinstance(value, Numeric):
        return number_plan(type(value))
    if isinstance(value, (bool, int, float)):
        if isinstance(annotation, StaticInts):
            return Constant(value)
        return number_plan(class_for(value))
    if hasattr(value, "__dlpack__") or hasattr(value, "__array_interface__"):
        from .cute.runtime import implicit_plan

        if type(value).__module__ == "numpy" and not hasattr(value, "__dlpack__"):
            raise TypeError(f"{name}: a number was expected, not {value!r} of type {type(value).__name__}")
        try:
            return implicit_plan(value)
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None
    if isinstance(value, (tuple, list)):
        return _sequence(tuple(value) if type(value).__module__ == "torch" else value, annotation, name)  # torch.Size
    if isinstance(value, dict):
        return _mapping(value, annotation, name)
    if dataclasses.is_dataclass(value):
        return _dataclass(value, annotation, name)
    if hasattr(value, "__get_mlir_types__") and hasattr(value, "__c_pointers__"):
        return _foreign(value)
    if hasattr(value, "__extract_mlir_values__") and hasattr(value, "__new_from_mlir_values__"):
        return _protocol(value, annotation)
    if not isinstance(annotation, NumericMeta):
        return Constant(value)
    raise UserError(f"{name}: {type(value).__name__} was passed where {annotation} is annotated")


def _check_kind(value, annotation, name):
    """What is surely not what is annotated; classes that programs annotate for readers are not looked at."""
    text = isinstance(value, (str, bytes))
    wrong = isinstance(annotation, NumericMeta) and (text or isinstance(value, (tuple, list, dict)) or hasattr(value, "__dlpack__"))
    if getattr(annotation, "_annotates", "") == "tensor":
        wrong = text or isinstance(value, (bool, int, float, Numeric))
    if getattr(annotation, "_annotates", "") == "pointer" and isinstance(value, (bool, int, float)):
        raise UserError(f"{name}: a Pointer was expected, not the number {value!r}, which has no element type: make one with "
                        "cute.runtime.make_ptr(dtype, address, cute.AddressSpace.gmem)")
    if wrong:
        raise UserError(f"{name}: a {annotation.__name__} was expected, as it is annotated, not {value!r} of type "
                        f"{type(value).__name__}")


def _adapted(value, adapter):
    inner = plan(adapter(value), None)
    return Group(type(value), range(1), [inner], lambda v: _numbered([adapter(v)]), lambda made: made[0])


def _foreign(value):
    """The JitArgument protocol: C pointers to values of the types that __get_mlir_types__ names, numbers or structures."""
    from .mlir import structures

    types_ = list(value.__get_mlir_types__())
    places = [structures.leaves(t) if isinstance(t, (structures.StructType, structures.PointerType, NumericMeta)) else None
              for t in types_]
    items = [item for t, found in zip(types_, places)
             for item in ([t.plan()] if found is None else [number_plan(cls) for _, cls in found])]

    def children(v):
        return _numbered([raw for found, address in zip(places, v.__c_pointers__())
                          for raw in ([_raw(int(address), _numbers.CLASSES["Int64"])] if found is None
                                      else [_raw(int(address) + offset, cls) for offset, cls in found])])

    def build(made):
        rest = iter(made)
        return value.__new_from_mlir_values__([next(rest) if found is None else structures.rebuild(t, rest)
                                               for t, found in zip(types_, places)])

    return Group(type(value), range(len(items)), items, children, build, opaque=True, others=tuple(types_))


def _raw(address, cls):
    """The number of a class at an address of the host."""
    import ctypes

    return unpack(cls, ctypes.string_at(address, cls.bytes))
