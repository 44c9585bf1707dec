# _guards.py -- what a trace reads from Python's variables, so that it is known when the trace would come out otherwise.
"""`collect(function, constants)` walks all that a traced function can reach without its arguments: globals and
attributes of modules that its code names, closure cells, default arguments, the fields of objects, the items of
lists and dicts, the classes, and the same of each function that it finds. It gives guards, rows for C++ (kind,
holder, key, expected), and raises Unguardable for what can neither be compared nor be left out: output, input,
objects whose state is not visible."""

import builtins
import collections
import dataclasses
import dis
import enum
import functools
import io
import sys
import types

ITEM, CELL, ATTRIBUTE, LENGTH, INDEX, MAPPING, KEYS = range(7)
_MOST = 4000  # guards; a call compares all of them

_OURS = {"cutwork", "cutlass"}
_PURE = {"math", "cmath", "operator", "_operator", "functools", "_functools", "itertools", "dataclasses", "typing", "types",
         "typing_extensions", "enum", "collections", "_collections", "abc", "_abc", "numbers", "string", "copy", "builtins",
         "fractions", "contextlib", "inspect"}  # not decimal, whose numbers depend on the thread's context
_FOREIGN = {"torch", "numpy", "jax", "jaxlib", "cuda"}  # whose classes nobody changes
_EFFECTS = {"print", "input", "open", "exec", "eval", "globals", "locals", "__import__", "breakpoint"}
_PLAIN = (int, float, str, bytes, bool, complex, type(None), type(Ellipsis), type(NotImplemented))
_DESCRIPTORS = (types.MemberDescriptorType, types.GetSetDescriptorType, types.WrapperDescriptorType,
                types.MethodDescriptorType, types.ClassMethodDescriptorType)
_CLASS_NOISE = {"__dict__", "__weakref__", "__doc__", "__module__", "__qualname__", "__abstractmethods__", "_abc_impl",
                "__annotations__", "__dataclass_fields__", "__dataclass_params__", "__match_args__", "__orig_bases__",
                "__parameters__", "__static_attributes__", "__firstlineno__", "__annotate__", "__annotate_func__",
                "__annotations_cache__", "__classdictcell__", "__replace__"}


_WRITTEN = {"__init__", "__repr__", "__eq__", "__hash__", "__lt__", "__le__", "__gt__", "__ge__", "__setattr__", "__delattr__",
            "__replace__"}
# Subclasses of these have content that no field shows.
_CONTAINERS = (list, dict, set, frozenset, tuple, bytearray, collections.deque, BaseException, io.IOBase, memoryview)


class Unguardable(Exception):
    """Why a function is traced at each call."""


def _root(name):
    return (name or "").partition(".")[0]


def _is_quiet(module_name):
    """Whether code of this module is ours or has no effects and no state of its own."""
    return _root(module_name) in _OURS or _root(module_name) in _PURE


def _is_fixed_class(kind):
    root = _root(kind.__module__)
    return root in _OURS or root in _FOREIGN or root in sys.stdlib_module_names


def _is_generated(item, kind):
    """Whether it is a method that dataclass or namedtuple writes: of the fields, which are guarded."""
    if not isinstance(item, types.FunctionType):
        return False
    written = item.__name__ in _WRITTEN and "__dataclass_fields__" in vars(kind) or hasattr(kind, "_fields")
    return item.__globals__.get("__name__") in ("dataclasses", "reprlib") or (
        written and item.__code__.co_filename == "<string>" or item.__code__.co_filename.startswith("<collections"))


@functools.lru_cache(maxsize=4096)
def _reads(code):
    """[(scope, name, attributes that follow)], the names of modules that the code imports, and its nested codes."""
    reads, imports = [], []
    instructions = [i for i in dis.get_instructions(code) if i.opname not in ("EXTENDED_ARG", "CACHE")]
    for at, instruction in enumerate(instructions):
        name = instruction.opname
        if name in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            raise Unguardable(f"it assigns the global variable {instruction.argval}")
        if name in ("STORE_DEREF", "DELETE_DEREF") and instruction.argval in code.co_freevars:
            raise Unguardable(f"it assigns the outer variable {instruction.argval}")
        if name == "IMPORT_NAME":
            imports.append(instruction.argval)
        if name.startswith(("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT")):
            path = []
            for follow in instructions[at + 1:]:
                if follow.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
                    break
                path.append(follow.argval)
            is_global = "GLOBAL" in name or name == "LOAD_NAME"
            reads.append((is_global, instruction.argval, tuple(path)))
    nested = tuple(constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    return tuple(reads), tuple(imports), nested


def _names(code):
    """All names that a code and those in it use."""
    inner = [_names(constant) for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return frozenset(code.co_names).union(*inner)


def _is_own(value):
    """Whether what a quiet module holds is its own, not what the program has put there."""
    if isinstance(value, types.FunctionType):
        return _is_quiet(value.__globals__.get("__name__", ""))  # not __module__, which functools.wraps changes
    home = getattr(value, "__module__", None)
    return _is_quiet(home if isinstance(home, str) else type(value).__module__) or type(value) in _PLAIN


@functools.cache
def _own_fields(kind):
    """The fields that every function has which is decorated with this."""
    return frozenset(vars(kind(lambda: None))) | {"name_prefix", "__type_params__"}


class _Walk:
    def __init__(self):
        self.rows, self.seen, self.kept, self.named, self.modules = [], set(), [], set(), set()

    def row(self, *row):
        if row[0] == ITEM and (id(row[1]), row[2]) in self.named:
            return
        if row[0] == ITEM:
            self.named.add((id(row[1]), row[2]))
        if len(self.rows) >= _MOST:
            raise Unguardable(f"it reads more than {_MOST} values")
        self.rows.append(row)

    def first(self, thing):
        """Whether it was not met before."""
        if id(thing) in self.seen:
            return False
        self.seen.add(id(thing))
        self.kept.append(thing)  # or its id may become another's
        return True

    # -- code ---------------------------------------------------------------------------------

    def function(self, function):
        home = function.__globals__.get("__name__", "")  # not __module__, which functools.wraps changes
        if hasattr(function, "__wrapped__"):
            self.row(ATTRIBUTE, function, "__wrapped__", function.__wrapped__)
            self.value(function.__wrapped__)
        if _root(home) in _OURS or not self.first(function):
            return
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
        if _is_quiet(home):
            for cell in cells.values():
                self.cell(cell, ())  # the user's function in a decorator
            return
        if _root(home) in _FOREIGN or _root(home) in sys.stdlib_module_names:
            raise Unguardable(f"it calls {home}.{function.__qualname__}")
        for name in ("__code__", "__defaults__", "__kwdefaults__"):
            self.row(ATTRIBUTE, function, name, getattr(function, name))
        self.value(function.__defaults__)
        self.value(function.__kwdefaults__)
        self.row(LENGTH, function.__dict__, None, len(function.__dict__))
        self.value(function.__dict__)
        self.code(function.__code__, function.__globals__, cells)

    def code(self, code, variables, cells):
        reads, imports, nested = _reads(code)
        for name in imports:
            if not _is_quiet(name):
                raise Unguardable(f"it imports {name}")
            if name in sys.modules:
                self.module(sys.modules[name], _names(code))
        for is_global, name, path in reads:
            if is_global:
                self.variable(variables, name, path)
            elif name in cells:
                self.cell(cells[name], path)
        for inner in nested:
            self.code(inner, variables, {n: cells[n] for n in inner.co_freevars if n in cells and n not in code.co_cellvars})

    def variable(self, variables, name, path):
        if name in variables:
            self.row(ITEM, variables, name, variables[name])
            self.follow(variables[name], path)
            return
        self.row(ITEM, variables, name)
        builtins = variables.get("__builtins__", {})
        builtins = builtins if isinstance(builtins, dict) else vars(builtins)
        if name in builtins:
            if name in _EFFECTS:
                raise Unguardable(f"it calls {name}")
            self.row(ITEM, builtins, name, builtins[name])
            if type(builtins[name]) is not types.BuiltinFunctionType:
                self.follow(builtins[name], path)

    def cell(self, cell, path):
        try:
            content = cell.cell_contents
        except ValueError:
            self.row(CELL, cell, None)
            return
        self.row(CELL, cell, None, content)
        self.follow(content, path)

    def follow(self, value, path):
        """The attributes that code reads of modules; of other things all fields count."""
        quiet = False
        for name in path:
            if value is builtins and name in _EFFECTS:
                raise Unguardable(f"it calls {name}")
            if not isinstance(value, types.ModuleType):
                break
            quiet = _is_quiet(value.__name__)
            if name not in vars(value):
                if quiet:
                    return  # what it gives is its own
                raise Unguardable(f"it reads {value.__name__}.{name}, which the module makes when it is asked")
            self.row(ITEM, vars(value), name, vars(value)[name])
            value = vars(value)[name]
        if isinstance(value, types.ModuleType):
            self.module(value)
        elif not quiet or not _is_own(value):
            self.value(value)

    def module(self, module, names=None):
        """A module whose attributes are read by names that are not known, or by some of these."""
        if not _is_quiet(module.__name__):
            raise Unguardable(f"it uses the module {module.__name__} as a value")
        if (module.__name__, names) in self.modules:
            return
        self.modules.add((module.__name__, names))
        for name, item in list(vars(module).items()):
            if name.startswith("_") if names is None else name not in names:
                continue
            self.row(ITEM, vars(module), name, item)
            if isinstance(item, types.ModuleType):
                if names is not None and _is_quiet(item.__name__):
                    self.module(item, names)
            elif isinstance(item, types.FunctionType) and not _is_own(item):
                self.function(item)  # that the program has put there

    # -- values -------------------------------------------------------------------------------

    def value(self, v):
        kind = type(v)
        if kind in _PLAIN or kind in (range, slice):
            return
        if isinstance(v, enum.Enum):
            self.clazz(kind)  # its members and their values with it
            return
        if isinstance(v, types.FunctionType):
            self.function(v)
        elif isinstance(v, type):
            self.clazz(v)
        elif not self.first(v):
            return
        elif isinstance(v, (tuple, frozenset)) and (kind in (tuple, frozenset) or hasattr(kind, "_fields")):
            self.clazz(kind)
            for item in v:
                self.value(item)
        elif kind is list:
            self.row(LENGTH, v, None, len(v))
            for i, item in enumerate(v):
                self.row(INDEX, v, i, item)
                self.value(item)
        elif kind is dict or kind is types.MappingProxyType:
            self.mapping(v)
        else:
            self.object(v, kind)

    def mapping(self, v):
        if type(v) is not dict or not all(isinstance(key, _PLAIN) for key in v):
            raise Unguardable("it reads a dict whose keys are no numbers or texts")
        self.row(KEYS, v, None, tuple(v))
        for key, item in v.items():
            self.row(ITEM, v, key, item)
            self.value(item)

    def object(self, v, kind):
        if isinstance(v, types.MethodType):
            self.value(v.__func__)
            self.value(v.__self__)
        elif isinstance(v, types.BuiltinFunctionType):
            if v.__module__ == "builtins" and v.__name__ in _EFFECTS:
                raise Unguardable(f"it calls {v.__name__}")
            if not _is_quiet(v.__module__) or isinstance(v.__self__, (list, dict, set)):
                raise Unguardable(f"it calls {v.__module__}.{v.__qualname__}")
        elif isinstance(v, functools.partial):
            for part in (v.func, v.args, v.keywords):
                self.value(part)
        elif isinstance(v, property):
            for part in (v.fget, v.fset, v.fdel):
                self.value(part)
        elif isinstance(v, (staticmethod, classmethod)):
            self.value(v.__func__)
        elif isinstance(v, _DESCRIPTORS):
            return
        elif isinstance(v, getattr(sys.modules.get("torch"), "Tensor", ())):
            raise Unguardable("it reads a tensor that is no argument")
        elif _root(kind.__module__) in _OURS:
            self.ours(v, kind)
        elif kind.__module__ == "torch" and kind.__name__ in ("dtype", "device", "layout", "memory_format", "Size"):
            return
        elif isinstance(v, (*_CONTAINERS, types.ModuleType)):
            raise Unguardable(f"it reads an object of {kind.__module__}.{kind.__qualname__}")
        elif hasattr(v, "__dict__") and not _is_fixed_class(kind):
            self.fields(v, kind)
        elif any("__slots__" in vars(base) for base in kind.__mro__) and not _is_fixed_class(kind):
            self.fields(v, kind)
        else:
            raise Unguardable(f"it reads an object of {kind.__module__}.{kind.__qualname__}")

    def ours(self, v, kind):
        """An object of Cutwork: decorated functions by what they decorate; others are immutable or plain fields."""
        if kind.__name__ in ("JitFunction", "KernelFunction"):
            self.row(ATTRIBUTE, v, "function", v.function)
            self.row(ATTRIBUTE, v, "name_prefix", v.name_prefix)
            self.row(LENGTH, vars(v), None, len(vars(v)))
            for name in vars(v).keys() - _own_fields(kind):
                raise Unguardable(f"{v.function.__qualname__} has an attribute {name}")
            self.value(v.function)
        elif kind.__name__ == "_Bound":
            self.value(v.function)
            self.value(v.instance)
        elif kind.__module__ == "cutwork._core" or not hasattr(v, "__dict__"):
            return
        else:
            self.fields(v, kind)

    def fields(self, v, kind):
        self.clazz(kind)
        self.row(ATTRIBUTE, v, "__class__", kind)
        if hasattr(v, "__dict__"):
            self.row(ATTRIBUTE, v, "__dict__", v.__dict__)
            self.mapping(v.__dict__)
        for base in kind.__mro__:
            names = vars(base).get("__slots__", ())
            for name in (names,) if isinstance(names, str) else names:
                if name in ("__weakref__", "__dict__"):
                    continue
                if name.startswith("__") and not name.endswith("__"):
                    name = f"_{base.__name__.lstrip('_')}{name}"
                if not hasattr(v, name):
                    self.row(ATTRIBUTE, v, name)
                    continue
                self.row(ATTRIBUTE, v, name, getattr(v, name))
                self.value(getattr(v, name))

    def clazz(self, kind):
        root = _root(kind.__module__)
        if root in sys.stdlib_module_names and root not in _PURE:
            # Its methods may read files, clocks or random numbers.
            raise Unguardable(f"it uses {kind.__module__}.{kind.__qualname__}")
        if _is_fixed_class(kind) or not self.first(kind):
            return
        if type(kind) is not type:
            self.clazz(type(kind))
        content = vars(kind)
        self.row(LENGTH, content, None, len(content))
        for name, item in list(content.items()):
            if name in _CLASS_NOISE or name == "__slots__":
                continue
            self.row(MAPPING, content, name, item)
            if not _is_generated(item, kind):
                self.value(item)
        self.row(ATTRIBUTE, kind, "__bases__", kind.__bases__)
        for base in kind.__bases__:
            self.value(base)
        for field in content.get("__dataclass_fields__", {}).values():
            for given in (field.default, field.default_factory):  # the constructor uses them, which is not looked into
                if given is not dataclasses.MISSING:
                    self.value(given)


def collect(function, constants):
    """The guards of a traced function that has these arguments compiled in. Raises Unguardable."""
    walk = _Walk()
    walk.value(function)
    for constant in constants:
        walk.value(constant)
    return walk.rows


__all__ = ["Unguardable", "collect"]
