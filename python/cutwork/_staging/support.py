# support.py -- the object that rewritten code reaches by its one private name, __cw__.

import sys

from . import operators, tree
from .context import current, dynamic
from .errors import DynamicValueError, StagingError, UnboundError, TryError, refuse, user_place
from .poison import Poison, report
from .regions import For, If, Region, While, With


def mark_printf(function):
    """An f-string given to this function becomes a format string and arguments."""
    function.prints_at_run_time = True
    return function


def _is_no_state(root, name):
    """Whether nothing can be assigned to the attribute, or what is goes into the device's memory."""
    found = getattr(type(root), name, None)
    return (isinstance(found, property) and found.fset is None) or getattr(type(root), "_dsl_in_memory", False)


class Support:
    """One for each rewritten function; `regions` are what is known of its statements."""

    UNBOUND = tree.UNBOUND

    def __init__(self, file):
        self.file = file
        self.regions = []

    # -- statements

    def If(self, k, condition, *values):  # noqa: N802  (named as what it stands for)
        return If(self.regions[k], condition, values)

    def For(self, k, iterable, *values):  # noqa: N802
        return For(self.regions[k], iterable, values)

    def While(self, k):  # noqa: N802
        return While(self.regions[k])

    def With(self, k, manager, *values):  # noqa: N802
        return With(self.regions[k], manager, values)

    def left(self, line):
        """`return` of a kernel: True. Where that is decided at run time the thread leaves; what follows in the region is dead, and
        behind it the flag is what it was (Place.fixed)."""
        trace = current()
        if trace.depth:
            if not trace.backend.in_kernel():
                raise StagingError("return in a run-time region of a host function that is not inlined", self.file, line)
            trace.backend.leave()
        return True

    def kernel_value(self, value, line):
        if value is not None:
            raise StagingError(f"a kernel returns nothing, and this returns a {type(value).__name__}: store "
                               "results in a tensor that is an argument", self.file, line)

    def raising(self, region, line):
        """Before `raise`; region is the statement that decides whether it is reached."""
        if region.staged:
            raise StagingError("`raise` under a condition that is known only at run time: the raise would happen "
                               "while tracing, always. Use cute.testing.assert_ for a check on the device, or "
                               "decide with const_expr", self.file, line)

    def asserted(self, value, line):
        if dynamic(value):
            raise DynamicValueError("`assert` is checked while tracing, and this condition is known only at run "
                                    "time: use cute.testing.assert_", self.file, line)
        return value

    def matched(self, value, line):
        if dynamic(value):
            raise DynamicValueError("`match` chooses while tracing, and this value is known only at run time: write "
                                    "`if` and `elif`", self.file, line)
        return value

    # -- names and attributes

    @staticmethod
    def use(value, name):
        if value is tree.UNBOUND:
            raise UnboundError(f"'{name}' is used before it is given a value", *user_place())
        if type(value) is Poison:
            report(value)
        return value

    @staticmethod
    def get(root, *path):
        """An attribute, or UNBOUND; what nothing can be assigned to is no state."""
        for name in path:
            if root is tree.UNBOUND or type(root) is Poison or _is_no_state(root, name):
                return tree.UNBOUND
            root = getattr(root, name, tree.UNBOUND)
        return root

    @staticmethod
    def put(root, value, *path):
        for name in path[:-1]:
            root = getattr(root, name)
        if value is not tree.UNBOUND:
            if getattr(root, path[-1], tree.UNBOUND) is not value:
                setattr(root, path[-1], value)
        elif path[-1] in getattr(root, "__dict__", ()):
            delattr(root, path[-1])

    # -- expressions

    @staticmethod
    def caught():
        """At the start of a handler."""
        if isinstance(sys.exc_info()[1], TryError):
            raise  # noqa: PLE0704  (a handler of the rewritten function runs)

    @staticmethod
    def there(value):
        if type(value) is Poison:
            report(value)
        return value

    fn = staticmethod(operators.redirected)
    not_ = staticmethod(operators.invert)
    both = staticmethod(operators.both)
    either = staticmethod(operators.either)
    needs_and = staticmethod(operators.needs_and)
    needs_or = staticmethod(operators.needs_or)
    eq = staticmethod(operators.equal)
    ne = staticmethod(operators.unequal)
    lt = staticmethod(operators.less)
    le = staticmethod(operators.less_equal)
    gt = staticmethod(operators.greater)
    ge = staticmethod(operators.greater_equal)
    in_ = staticmethod(operators.contains)
    select = staticmethod(operators.select)
    dynamic = staticmethod(dynamic)

    @staticmethod
    def not_in(a, container):
        return operators.invert(operators.contains(a, container))

    @staticmethod
    def and_lazy(a, b):
        return operators.both(a, b()) if operators.needs_and(a) else a

    @staticmethod
    def or_lazy(a, b):
        return operators.either(a, b()) if operators.needs_or(a) else a

    def if_lazy(self, line, condition, a, b):
        """`a() if condition else b()`; where the condition is dynamic, each in a region of its own."""
        if not dynamic(condition):
            return a() if condition else b()
        from .regions import Place

        place = Place("the conditional expression", "assign", (line, line, line))
        place.promotes = True
        r = If(Region("if", self.file, line, (place,), has_else=True), condition, (tree.UNBOUND,))
        for _ in r:
            r.then()
            r.begin()
            r.end(a())
            r.orelse()
            r.begin()
            r.end(b())
        return r.result()[0]

    @staticmethod
    def decided(condition):
        if dynamic(condition):
            refuse("a conditional expression that binds a name with := needs a condition that is known while "
                   "tracing; write an `if` statement", DynamicValueError)
        return condition

    def format_call(self, function, parts, *arguments, **keywords):
        """function(f"...", ...); parts: text, or (value, conversion, format specification)."""
        if getattr(function, "prints_at_run_time", False) is not True:
            text = "".join(p if isinstance(p, str) else format(_converted(*p[:2]), p[2]) for p in parts)
            return function(text, *arguments, **keywords)
        text, values = [], []
        for part in parts:
            if isinstance(part, str):
                text.append(part.replace("{", "{{").replace("}", "}}"))
                continue
            value, conversion, specification = part
            if isinstance(value, str) or (conversion and not dynamic(value)):
                literal = format(_converted(value, conversion), specification)
                text.append(literal.replace("{", "{{").replace("}", "}}"))
            else:
                text.append("{:" + specification + "}" if specification else "{}")
                values.append(value)
        return function("".join(text), *values, *arguments, **keywords)


def _converted(value, conversion):
    return {"r": repr, "s": str, "a": ascii}[conversion](value) if conversion else value
