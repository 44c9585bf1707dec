# jumps.py -- return, break and continue inside compound statements become flags and nested `else`.
"""After it only the last statement of a function returns, and loops are left by flags:

    for i in X:                       brk = False
        if a: break                   for i in X:            [stops: brk]
        B                       =>        if not brk:        [guard]
                                              if a: brk = True
                                              else: B

A flag whose value is known while tracing decides then, so that Python's own early exits stay what they
are. Where all ways through an arm leave, the rest goes into the other arm and no flag is asked."""

import ast

from .names import names
from .refuse import refuse

LOOPS = (ast.For, ast.While)
JUMPS = (ast.Return, ast.Break, ast.Continue)
PREFIX = "_cw_"  # of all generated names; two underscores would be mangled in a class


def name(identifier, store=False):
    return ast.Name(identifier, ast.Store() if store else ast.Load())


def assign(identifier, value, like):
    node = ast.Assign([name(identifier, True)], value)
    return ast.fix_missing_locations(ast.copy_location(node, like))


def support(function, *arguments):
    """The expression __cw__.function(*arguments)."""
    callee = ast.Attribute(name("__cw__"), function, ast.Load())
    return ast.Call(callee, [a if isinstance(a, ast.AST) else ast.Constant(a) for a in arguments], [])


def blocks(node):
    """The statement lists of a compound statement."""
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        if isinstance(block, list):
            yield block
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield part.body


def jumps(statements):
    """The kinds of jump that leave these statements: 'return', 'break', 'continue'."""
    found = set()
    for node in statements:
        if isinstance(node, JUMPS):
            found.add(type(node).__name__.lower())
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for block in blocks(node):
                inner = jumps(block)
                if isinstance(node, LOOPS) and block is node.body:
                    inner -= {"break", "continue"}
                found |= inner
    return found


def always(statements):
    """Whether no way leads to the end of the statements."""
    for node in statements:
        if isinstance(node, (*JUMPS, ast.Raise)):
            return True
        if isinstance(node, ast.If) and node.orelse and always(node.body) and always(node.orelse):
            return True
        if isinstance(node, ast.While) and is_endless(node) and "break" not in jumps(node.body):
            return True
    return False


def is_endless(node):
    """Whether it is `while True`."""
    return isinstance(node.test, ast.Constant) and bool(node.test.value)


def way_out(statements):
    """How control always leaves the statements: 'return', 'loop' (by break or continue too), or None."""
    if not always(statements):
        return None
    return "loop" if jumps(statements) & {"break", "continue"} else "return"


def surely(node):
    """What an iteration binds before anything may leave it, or None: all that it binds."""
    if not jumps(node.body) & {"break", "continue"}:
        return None
    found = set(names(node.target).writes) if isinstance(node, ast.For) else set()
    for statement in node.body:
        if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)):
            break
        found |= set(names(statement).writes)
    return found


class _Loop:
    def __init__(self, number):
        self.brk, self.cont = f"{PREFIX}break{number}", f"{PREFIX}continue{number}"


class Lowering:
    """Of one function. `kernel`: its return lets the thread leave the kernel."""

    def __init__(self, file, kernel=False):
        self.file, self.kernel, self.count = file, kernel, 0
        self.ret, self.value = PREFIX + "returned", PREFIX + "result"
        self.active = False

    def function(self, node):
        """Replaces node.body; True if returns were lowered."""
        body = node.body
        compound = [s for s in body if not isinstance(s, ast.Return)]
        self.active = "return" in jumps(compound)
        if not self.active:
            node.body = self.block(body, None)
            return False
        new = self.block([*body, ast.copy_location(ast.Return(None), node)] if not always(body) else body, None)
        start = [assign(self.ret, ast.Constant(False), node)]
        last = ast.copy_location(ast.Return(name(self.value)), node)
        if self.kernel:
            last.value = None
        node.body = start + new + [ast.fix_missing_locations(last)]
        return True

    def flags(self, kinds, loop):
        table = {"return": self.ret, "break": loop and loop.brk, "continue": loop and loop.cont}
        return [table[kind] for kind in ("return", "break", "continue") if kind in kinds]

    def guarded(self, flags, body, like):
        """`if not flag and ...: body`."""
        if not body:
            return []
        node = ast.If(none_of(flags), body, [])
        node.cw_guard = True
        node.cw_leaves = (None, "return" if flags == [self.ret] else "loop")
        return [ast.fix_missing_locations(ast.copy_location(node, like))]

    def block(self, statements, loop):
        out = []
        for index, node in enumerate(statements):
            rest = statements[index + 1:]
            if isinstance(node, JUMPS):
                return out + self.jump(node, loop)
            kinds = set() if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else jumps([node])
            if isinstance(node, ast.If):
                node.cw_leaves = (way_out(node.body), way_out(node.orelse))
            if isinstance(node, ast.If) and kinds and not (self.kernel and kinds == {"return"}):
                if always(node.body):
                    node.orelse = self.block(node.orelse + rest, loop)
                    node.body = self.block(node.body, loop)
                    return out + [node]
                if node.orelse and always(node.orelse):
                    node.body = self.block(node.body + rest, loop)
                    node.orelse = self.block(node.orelse, loop)
                    return out + [node]
            out += self.compound(node, loop)
            if kinds:
                return out + self.guarded(self.flags(kinds, loop), self.block(rest, loop), rest[0] if rest else node)
        return out

    def jump(self, node, loop):
        if isinstance(node, ast.Break):
            return [assign(loop.brk, ast.Constant(True), node)]
        if isinstance(node, ast.Continue):
            return [assign(loop.cont, ast.Constant(True), node)]
        if not self.active and not (self.kernel and node.value is not None):
            return [node]
        value = node.value or ast.Constant(None)
        if self.kernel and not self.active:
            check = ast.Expr(support("kernel_value", value, node.lineno))
            return [ast.fix_missing_locations(ast.copy_location(check, node))]
        if self.kernel:
            check = [] if node.value is None else [ast.Expr(support("kernel_value", value, node.lineno))]
            for statement in check:
                ast.fix_missing_locations(ast.copy_location(statement, node))
            return check + [assign(self.ret, support("left", node.lineno), node)]
        return [assign(self.value, value, node), assign(self.ret, ast.Constant(True), node)]

    def compound(self, node, loop):
        """The statement with its blocks lowered; several for a loop that may be left."""
        if isinstance(node, LOOPS):
            return self.loop(node, loop)
        if isinstance(node, ast.Try) or type(node).__name__ == "TryStar":
            if jumps(node.finalbody):
                refuse(self.file, node.finalbody[0].lineno, "return, break and continue cannot stand in a `finally`")
            kinds = jumps(node.body)
            node.body = self.block(node.body, loop)
            for handler in node.handlers:
                handler.body = self.block(handler.body, loop)
            if node.orelse:
                node.orelse = self.block(node.orelse, loop)
                if kinds:
                    node.orelse = self.guarded(self.flags(kinds, loop), node.orelse, node)
            return [node]
        if isinstance(node, (ast.If, ast.With)) or hasattr(node, "cases"):
            for part in node.cases if hasattr(node, "cases") else [node]:
                part.body = self.block(part.body, loop)
                if getattr(part, "orelse", None):
                    part.orelse = self.block(part.orelse, loop)
        return [node]

    def loop(self, node, outer):
        kinds = jumps(node.body)
        node.cw_surely = surely(node)
        node.cw_endless = isinstance(node, ast.While) and is_endless(node)
        self.count += 1
        inner = _Loop(self.count)
        orelse, node.orelse = node.orelse, []
        stops = self.flags(kinds - {"continue"}, inner)
        if self.kernel and "return" in kinds:
            # Asked for Python's loops; in a staged one the thread has left.
            stops = [self.ret] + [s for s in stops if s != self.ret]
        body = self.block(node.body, inner)
        if "continue" in kinds:
            body = [assign(inner.cont, ast.Constant(False), node), *body]
        before = [assign(inner.brk, ast.Constant(False), node)] if "break" in kinds else []
        node.cw_stops = stops
        if stops and isinstance(node, ast.While):
            node.test = self.while_test(node.test, stops)
        elif stops:
            body = self.guarded(stops, body, node)
            body[0].cw_loop = node
        node.body = body
        out = before + [node]
        if orelse:
            after = self.block(orelse, outer)
            out += self.guarded(stops, after, orelse[0]) if stops else after
        return out

    @staticmethod
    def while_test(test, stops):
        """The test is not evaluated again once the loop is left."""
        flags = none_of(stops)
        if isinstance(test, ast.Constant) and test.value:
            return ast.fix_missing_locations(ast.copy_location(flags, test))
        node = ast.IfExp(flags, test, ast.Constant(False))
        return ast.fix_missing_locations(ast.copy_location(node, test))


def none_of(flags):
    tests = [ast.UnaryOp(ast.Not(), name(flag)) for flag in flags]
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
