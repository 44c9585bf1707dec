# rewriter_backend.py -- a backend that records what rewritten code stages, and an interpreter of the record.
"""`stage(function, *types)` traces a rewritten function; calling the result runs the record. Integers
are Python's, so that results can be compared with those of the source."""

import operator
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "build/python"))

from cutwork import _staging  # noqa: E402
from cutwork._rewriter import rewrite  # noqa: E402
from cutwork._staging import tree  # noqa: E402

RANK = ["Boolean", "Int32", "Int64", "Float32"]
KINDS = {"Boolean": "bool", "Int32": "int", "Int64": "int", "Float32": "float"}
OPERATIONS = {name: getattr(operator, name) for name in
              ("add", "sub", "mul", "pow", "floordiv", "mod", "truediv", "lt", "le", "gt", "ge", "eq", "ne", "and_", "or_",
               "xor", "neg", "abs")}
OPERATIONS |= {"and": operator.and_, "or": operator.or_, "min": min, "max": max}
TESTS = {"lt", "le", "gt", "ge", "eq", "ne"}
UNDEFINED = object()


class Left(Exception):
    """The thread left the kernel."""


class Dyn:
    """A value that is known only at run time."""

    __hash__ = object.__hash__

    def __init__(self, type_, backend):
        self.type, self.backend = type_, backend

    def __bool__(self):
        raise TypeError("a run-time value has no truth while tracing")

    def __repr__(self):
        return f"<{self.type}>"


def _binary(op, swap=False):
    def method(self, other):
        if not isinstance(other, (Dyn, bool, int, float)):
            return NotImplemented
        return self.backend.arithmetic(op, *((other, self) if swap else (self, other)))

    return method


for _op in ("add", "sub", "mul", "pow", "floordiv", "mod", "truediv"):
    setattr(Dyn, f"__{_op}__", _binary(_op))
    setattr(Dyn, f"__r{_op}__", _binary(_op, True))
for _op in TESTS:
    setattr(Dyn, f"__{_op}__", _binary(_op))
for _op in ("and", "or"):
    setattr(Dyn, f"__{_op}__", _binary(_op))
Dyn.__neg__ = lambda self: self.backend.arithmetic("sub", 0, self)


class Numbers:
    """The handler of Dyn."""

    spec = staticmethod(lambda value: value.type)
    meet = staticmethod(lambda a, b: a if a == b else None)
    leaves = staticmethod(lambda value, inner: [value])
    rebuild = staticmethod(lambda inner, leaves, obj: leaves[0])
    count = staticmethod(lambda inner: 1)
    describe = staticmethod(lambda inner: inner)


tree.register(Dyn, Numbers)


class Backend:
    """Records operations in lists; a region is an operation that holds lists."""

    __module__ = "cutwork.tests"  # as what is ours: not watched for changes

    def __init__(self, kernel=False):
        self.kernel, self.top = kernel, []
        self.block = self.top
        self.stack = []  # (handle, block around, where)
        self.traced = []  # a line each time

    def emit(self, *operation):
        self.block.append(operation)

    def value(self, type_, *operation):
        result = Dyn(type_, self)
        self.emit(operation[0], result, *operation[1:])
        return result

    def arithmetic(self, op, a, b):
        like = self.promote(a, b)
        if op in TESTS:
            return self.value("Boolean", "op", op, a, b)
        type_ = "Int32" if KINDS[like.type] == "bool" and op not in ("and", "or", "xor") else like.type
        return self.value("Float32" if op == "truediv" else type_, "op", op, a, b)

    # -- the interface

    def is_dynamic(self, x):
        return isinstance(x, Dyn)

    def to_boolean(self, x):
        if isinstance(x, Dyn) and x.type == "Boolean":
            return x
        return self.value("Boolean", "bool", x)

    def _region(self, kind, *details):
        handle = {"kind": kind, "blocks": [[]], "details": details, "at": len(self.block), "around": self.block}
        self.emit("region", handle)
        self.stack.append(handle)
        self.block = handle["blocks"][0]
        return handle

    def open_if(self, cond, else_):
        handle = self._region("if", cond)
        handle["else"] = else_
        return handle

    def open_else(self, handle):
        assert self.stack[-1] is handle and handle["else"] and len(handle["blocks"]) == 1
        handle["blocks"].append([])
        self.block = handle["blocks"][1]

    def open_for(self, start, stop, step, unroll=0, unroll_full=False, vectorize=None, prefetch_stages=None):
        like = self.promote(self.promote(start, stop), step)
        index = Dyn(like.type, self)
        return self._region("for", index, start, stop, step), index

    def open_while(self):
        return self._region("while")

    def while_condition(self, handle, cond):
        assert self.stack[-1] is handle and self.block is handle["blocks"][0]
        self.emit("condition", cond)
        handle["condition"] = cond

    def close(self, handle):
        assert self.stack.pop() is handle
        assert handle["kind"] != "while" or "condition" in handle
        self.block = handle["around"]
        self.traced.append("traced")

    def discard(self, handle):
        if self.stack and self.stack[-1] is handle:
            self.stack.pop()
        assert handle["around"][handle["at"]][1] is handle
        self.block = handle["around"]
        del self.block[handle["at"]:]

    def slot(self, leaf):
        return {"type": self.default(leaf)}

    def load(self, slot):
        return self.value(slot["type"], "load", slot)

    def store(self, slot, leaf):
        assert slot["type"] == self.default(leaf)
        self.emit("store", slot, leaf)

    @staticmethod
    def default(x):
        if isinstance(x, Dyn):
            return x.type
        if isinstance(x, bool):
            return "Boolean"
        if isinstance(x, int):
            return "Int32" if -(1 << 31) <= x < 1 << 31 else "Int64"
        return "Float32"

    def same_type(self, a, b):
        return self.default(a) == self.default(b)

    def type_name(self, x):
        return self.default(x)

    def kind(self, x):
        return KINDS[self.default(x)] if isinstance(x, (Dyn, bool, int, float)) else None

    def convert(self, x, like):
        type_ = self.default(like)
        if isinstance(x, Dyn) and x.type == type_:
            return x
        return self.value(type_, "convert", KINDS[type_], x)

    def promote(self, a, b):
        return Dyn(max(self.default(a), self.default(b), key=RANK.index), self)

    def select(self, c, a, b):
        assert self.default(a) == self.default(b)
        return self.value(self.default(a), "select", c, a, b)

    def binary(self, op, a, b):
        return self.arithmetic(op, a, b)

    def leave(self):
        assert self.kernel
        self.emit("leave")

    def in_kernel(self):
        return self.kernel

    def write(self, key, x):
        """For tests: an effect that the interpreter records."""
        self.emit("write", key, x)


class Machine:
    """Runs a record."""

    def __init__(self, values):
        self.values, self.slots, self.written, self.steps = values, {}, [], 0

    def get(self, x):
        if not isinstance(x, Dyn):
            return x
        assert x in self.values, "a value is used where it was not made"
        return self.values[x]

    def use(self, x):
        value = self.get(x)
        assert value is not UNDEFINED, "an undefined value is used"
        return value

    def run(self, block):
        for kind, *rest in block:
            self.steps += 1
            assert self.steps < 200_000, "endless"
            if getattr(self, "do_" + kind)(*rest) is False:
                return False
        return True

    def do_op(self, result, op, a, b):
        self.values[result] = OPERATIONS[op](self.use(a), self.use(b))

    def do_bool(self, result, x):
        self.values[result] = bool(self.use(x))

    def do_convert(self, result, kind, x):
        self.values[result] = {"bool": bool, "int": int, "float": float}[kind](self.use(x))

    def do_select(self, result, c, a, b):
        self.values[result] = self.get(a) if self.use(c) else self.get(b)

    def do_load(self, result, slot):
        self.values[result] = self.slots.get(id(slot), UNDEFINED)

    def do_store(self, slot, leaf):
        self.slots[id(slot)] = self.get(leaf)

    def do_write(self, key, x):
        self.written.append((self.use(key), self.use(x)))

    def do_leave(self):
        raise Left

    def do_condition(self, cond):
        return self.use(cond)

    def scope(self, block):
        """Values made inside are unknown behind: a region dominates nothing."""
        before = set(self.values)
        finished = self.run(block)
        for value in set(self.values) - before:
            del self.values[value]
        return finished

    def do_region(self, handle):
        kind, blocks = handle["kind"], handle["blocks"]
        if kind == "if":
            if self.use(handle["details"][0]):
                self.scope(blocks[0])
            elif len(blocks) > 1:
                self.scope(blocks[1])
        elif kind == "for":
            index, *bounds = handle["details"]
            for i in range(*map(self.use, bounds)):
                self.values[index] = i
                self.scope(blocks[0])
            self.values.pop(index, None)
        else:
            while self.scope(blocks[0]):
                pass


class Staged:
    """A traced function."""

    def __init__(self, function, types, kernel=False, static=()):
        self.backend = Backend(kernel)
        self.arguments = [Dyn(t, self.backend) for t in types]
        with _staging.trace(self.backend) as trace:
            self.result = function(*self.arguments, *static)
            assert trace.depth == 0
        assert not self.backend.stack and self.backend.block is self.backend.top

    def __call__(self, *values):
        machine = Machine(dict(zip(self.arguments, values)))
        self.written = machine.written
        try:
            machine.run(self.backend.top)
        except Left:
            return None
        return self.value(machine, self.result)

    def value(self, machine, x):
        if isinstance(x, Dyn):
            return machine.use(x)
        if isinstance(x, tuple) and hasattr(x, "_fields"):
            return type(x)(*(self.value(machine, item) for item in x))
        if isinstance(x, (tuple, list)):
            return type(x)(self.value(machine, item) for item in x)
        if isinstance(x, dict):
            return {key: self.value(machine, item) for key, item in x.items()}
        return x


def stage(function, *types, kernel=False, static=()):
    """The traced form of a plain function."""
    return Staged(rewrite(function, kernel=kernel), types or ("Int32",) * function.__code__.co_argcount, kernel,
                  static)


def agree(function, *inputs, static=()):
    """The staged form, the rewritten one and the source give the same for each input."""
    arity = function.__code__.co_argcount - len(static)
    staged, plain = stage(function, *("Int32",) * arity, static=static), rewrite(function)
    for values in inputs:
        values = values if isinstance(values, tuple) else (values,)
        expected = function(*values, *static)
        assert plain(*values, *static) == expected, values
        assert staged(*values) == expected, values
    return staged
