# test_rewriter_random.py -- generated programs: staged, rewritten and plain give the same for many inputs.

import itertools
import linecache

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rewriter_backend import rewrite, stage

VARIABLES = ["a", "b", "c", "d"]
_number = itertools.count()


def define(text, name="f", **globals_):
    """The function that the text defines, with its source in linecache."""
    file = f"<generated {next(_number)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), globals_)
    return globals_[name]


def outcome(function, values):
    try:
        return function(*values)
    except ZeroDivisionError:
        return "division by zero"


class Box:
    """A user's object with the protocol."""

    def __init__(self, n):
        self.n = n

    def add(self, k):
        self.n = (self.n + k) % 101

    def __extract_mlir_values__(self):
        return [self.n]

    def __new_from_mlir_values__(self, values):
        return Box(values[0])


class Writer:
    """Draws a program line by line."""

    def __init__(self, draw):
        self.draw, self.lines, self.count = draw, [], 0

    def choose(self, *options):
        return self.draw(st.sampled_from(options))

    def expression(self, names, depth=0):
        kind = self.choose("name", "name", "number", "add", "sub", "mul", "mod", "floor", "choice", "min")
        if depth > 2 or kind == "name":
            return self.choose(*names)
        if kind == "number":
            return str(self.draw(st.integers(-4, 9)))
        left, right = self.expression(names, depth + 1), self.expression(names, depth + 1)
        if kind == "choice":
            return f"({left} if {self.test(names, depth + 1)} else {right})"
        if kind == "min":
            return f"{self.choose('min', 'max')}({left}, {right})"
        if kind in ("mod", "floor"):
            return f"(({left}) {'%' if kind == 'mod' else '//'} {self.draw(st.integers(1, 5))})"
        return {"add": f"({left} + {right})", "sub": f"({left} - {right})", "mul": f"(({left}) * {right} % 97)"}[kind]

    def test(self, names, depth=0):
        kind = self.choose("less", "equal", "chain", "and", "or", "not", "in", "tuple", "constant")
        if kind == "constant":
            return self.choose("True", "False", "1 < 2")
        if depth > 2 or kind in ("less", "equal"):
            op = self.choose("<", "<=", ">", ">=", "==", "!=")
            return f"{self.expression(names, depth + 1)} {op} {self.expression(names, depth + 1)}"
        one, two, three = (self.expression(names, depth + 1) for _ in range(3))
        if kind == "chain":
            return f"{one} {self.choose('<', '<=')} {two} {self.choose('<', '!=')} {three}"
        if kind == "in":
            return f"{one} {self.choose('in', 'not in')} ({two}, {three})"
        if kind == "tuple":
            return f"({one}, {two}) {self.choose('<', '<=', '>', '==')} ({three}, {one})"
        if kind == "not":
            return f"not ({self.test(names, depth + 1)})"
        return f"({self.test(names, depth + 1)} {kind} {self.test(names, depth + 1)})"

    def emit(self, indent, text):
        self.lines.append("    " * indent + text)

    def block(self, indent, names, loop, depth):
        for _ in range(self.draw(st.integers(1, 3))):
            if self.statement(indent, names, loop, depth):
                return

    def statement(self, indent, names, loop, depth):
        """True if nothing can follow."""
        kinds = ["assign", "assign", "augment", "if", "jumping", "attribute", "call", "dead"]
        if depth < 3:
            kinds += ["if", "for", "python for", "while", "while true", "list", "pair"]
        kind = self.choose(*kinds)
        if kind == "assign":
            self.emit(indent, f"{self.choose(*VARIABLES)} = {self.expression(names)}")
        elif kind == "augment":
            self.emit(indent, f"{self.choose(*VARIABLES)} {self.choose('+', '-')}= {self.expression(names)}")
        elif kind == "pair":
            self.emit(indent, f"a, b = {self.expression(names)}, {self.expression(names)}")
        elif kind == "list":
            self.emit(indent, f"data[{self.draw(st.integers(0, 1))}] {self.choose('+', '')}= {self.expression(names)}")
        elif kind == "dead":
            # Bound before each read, so that no region carries it, and its types never meet.
            self.emit(indent, self.choose("t = None", "t = 'text'", "t = (x,)",
                                          f"t = {self.expression(names)}; d = t", "t = y; del t"))
        elif kind == "attribute":
            self.emit(indent, f"box.n {self.choose('+', '')}= {self.expression(names)}")
        elif kind == "call":
            self.emit(indent, self.choose(f"bump({self.expression(names)})", f"box.add({self.expression(names)})",
                                          f"b = bump({self.expression(names)})"))
        elif kind == "jumping":
            self.emit(indent, f"if {self.test(names)}:")
            return self.jump(indent + 1, names, loop)
        elif kind == "if":
            self.emit(indent, f"if {self.test(names)}:")
            self.block(indent + 1, names, loop, depth + 1)
            if self.draw(st.booleans()):
                self.emit(indent, self.choose("else:", f"elif {self.test(names)}:"))
                self.block(indent + 1, names, loop, depth + 1)
        else:
            self.loop(indent, names, kind, depth)
        return False

    def jump(self, indent, names, loop):
        if loop:
            kind = self.choose("break", "continue", "return")
        else:
            kind = "return"
        self.emit(indent, f"return {self.expression(names)}, b" if kind == "return" else kind)
        return False

    def loop(self, indent, names, kind, depth):
        self.count += 1
        index = f"i{self.count}"
        if kind == "while true":
            self.emit(indent, f"{index} = {self.choose('0', 'x % 3')}")
            self.emit(indent, "while True:")
            self.emit(indent + 1, f"{index} += 1")
            self.emit(indent + 1, f"if {index} > {self.choose('2', 'y % 4')}:")
            self.emit(indent + 2, "break")
        elif kind == "while":
            self.emit(indent, f"{index} = {self.choose('0', '0', 'x % 3')}")
            self.emit(indent, f"while {index} < {self.choose('3', 'y % 4')} and {self.test(names)}:")
            self.emit(indent + 1, f"{index} += 1")
        elif kind == "for":
            bounds = self.choose("3", "x % 4", "1, 5, 2", "y % 5, 0, -1", "0")
            self.emit(indent, f"for {index} in range({bounds}):")
        else:
            self.emit(indent, f"for {index} in {self.choose('[2, 0, 1]', '(x, 1)', 'data')}:")
        self.block(indent + 1, [*names, index], True, depth + 1)
        if self.draw(st.booleans()):
            self.emit(indent, "else:")
            self.block(indent + 1, names, False, 3)

    def late(self):
        """A program in which `d` and `e` get their first values in branches and loops, or not at all."""
        self.emit(0, "def f(x, y):")
        self.emit(1, "a, b, c = x, 2, y")
        self.emit(1, "data = [x, 5]")
        self.emit(1, "alias, box, bump = data, Box(y), abs")
        self.binding(1, 0)
        self.emit(1, f"return a + {self.choose('d', 'e', 'd * e', 'b')}")
        return "\n".join(self.lines) + "\n"

    def binding(self, indent, depth, loop=False):
        """Statements that bind d and e, read them, and leave what is around."""
        names = ["x", "y", "a", "b", "c"]
        for _ in range(self.choose(1, 2, 3)):
            kind = self.choose("bind", "bind", "read", "if", "for", "while", *(["break", "continue"] if loop else []), "return")
            if kind in ("if", "for", "while") and depth > 2:
                kind = "bind"
            if kind == "bind":
                self.emit(indent, f"{self.choose('d', 'e')} = {self.expression(names, 2)}")
            elif kind == "read":
                self.emit(indent, f"a = (a + {self.choose('d', 'e')}) % 97")
            elif kind == "return":
                self.emit(indent, f"if {self.test(names)}:")
                self.emit(indent + 1, f"return {self.choose('7', 'a', 'd')}")
            elif kind in ("break", "continue"):
                self.emit(indent, f"if {self.test(names)}:")
                self.emit(indent + 1, kind)
            elif kind == "if":
                self.emit(indent, f"if {self.test(names)}:")
                self.binding(indent + 1, depth + 1, loop)
                if self.choose(True, True, False):
                    self.emit(indent, "else:")
                    self.binding(indent + 1, depth + 1, loop)
            else:
                self.count += 1
                index = f"i{self.count}"
                if kind == "for":
                    self.emit(indent, f"for {index} in {self.choose('range(3)', 'range(x % 4)', '(0, 2)', 'range(2, 0, -1)')}:")
                else:
                    self.emit(indent, f"{index} = 0")
                    self.emit(indent, f"while {self.choose('True', index + ' < 2')}:")
                    self.emit(indent + 1, f"{index} += 1")
                    self.emit(indent + 1, f"if {index} > y % 3:")
                    self.emit(indent + 2, "break")
                self.binding(indent + 1, depth + 1, True)

    def program(self):
        self.emit(0, "def f(x, y):")
        self.emit(1, "a, b, c, d = x, 2, y, x + 1")
        self.emit(1, "data = [x, 5]")
        self.emit(1, "alias, box = data, Box(y)")
        self.emit(1, "def bump(k):")
        self.emit(2, "nonlocal c")
        self.emit(2, f"if k > {self.choose('2', 'c', 'd')}:")
        self.emit(3, self.choose("return c", "c += k", "data[0] = k"))
        self.emit(2, "c = (c + k) % 51")
        self.emit(2, "return d")
        self.block(1, ["x", "y", *VARIABLES, "data[0]", "alias[1]", "box.n"], False, 0)
        self.emit(1, "return (a, b)" if self.draw(st.booleans()) else "return (a + c + d, alias[0] - data[1] * box.n)")
        return "\n".join(self.lines) + "\n"


@st.composite
def programs(draw):
    return Writer(draw).program()


@st.composite
def late_programs(draw):
    return Writer(draw).late()


INPUTS = [(0, 0), (1, 5), (-3, 2), (7, -1), (4, 9), (-10, -6), (3, 3)]


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(programs())
def test_programs_mean_what_they_mean_in_python(text):
    function = define(text, Box=Box)
    plain, staged = rewrite(function), stage(function)
    for values in INPUTS:
        expected = outcome(function, values)
        assert outcome(plain, values) == expected, values
        assert outcome(staged, values) == expected, values


TRACED = {True: 0, False: 0}  # programs that were, and that were refused


@settings(max_examples=400, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(late_programs())
def _late(text):
    function = define(text, Box=Box)
    plain = rewrite(function)
    for values in INPUTS:  # rewritten, Python's errors stay
        try:
            expected = outcome(function, values)
        except NameError:
            continue
        assert outcome(plain, values) == expected, values
    try:
        staged = stage(function)
    except NameError:  # or UnboundLocalError, which is one
        TRACED[False] += 1
        return
    TRACED[True] += 1
    for values in INPUTS:
        assert outcome(staged, values) == outcome(function, values), values


def test_a_variable_without_a_value_is_refused_or_never_read():
    TRACED.update({True: 0, False: 0})
    _late()
    assert min(TRACED.values()) > 50, TRACED
