# emit.py -- statements that may be staged, as calls of the support module around their bodies.

import ast

from .._staging.regions import Region
from .expressions import Expressions
from .jumps import PREFIX, Lowering, assign, name, support
from .liveness import TRY, Liveness
from .names import names, parameters

TRY_BLOCKS = 3  # of a `try` with all its parts
BLOCKS = 12  # how many blocks of Python a function of ours has; Python's limit is 20

EVERYTHING = None  # the set of names bound where control does not come


def _meet(a, b):
    """Names that are bound on both ways."""
    return b if a is EVERYTHING else a if b is EVERYTHING else a & b


def method(region, function, *arguments):
    return ast.Call(ast.Attribute(name(region), function, ast.Load()), list(arguments), [])


def staged(region):
    return ast.Attribute(name(region), "staged", ast.Load())


def place(node, like):
    """The made statements get the place of the statement that they stand for."""
    for item in node if isinstance(node, list) else [node]:
        if not hasattr(item, "lineno"):
            ast.copy_location(item, like)
        ast.fix_missing_locations(item)
    return node


class _Super(ast.NodeTransformer):
    """super() finds the class and the object by itself only in the method, not in a function in it."""

    def __init__(self, first):
        self.first = first

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            node.args = [ast.copy_location(name(n), node) for n in ("__class__", self.first)]
        return node

    def visit_FunctionDef(self, node):
        return node


class Function(Expressions):
    """Rewrites one function; nested functions get one of their own."""

    def __init__(self, target, node, kernel=False, outer=None, owner=None):
        super().__init__()
        self.target = target  # the Support that takes the regions
        self.node, self.outer = node, outer
        self.owner = owner if outer is None or owner else outer.owner  # the class around, for private names
        self.regions = 0
        self.loop = None  # the loop around, its region's variable
        self.deciding = None  # the variable of the region that decides whether we come here
        self.in_try = 0
        self.blocks, self.moved = 0, 0  # how deep Python's blocks are here; how many bodies are functions
        self.cleared = set()  # names that get UNBOUND at the start
        Lowering(target.file, kernel).function(node)
        self.live = Liveness(node, kernel, outer.live.reachable if outer else ())
        self.live.run(node.body)
        carried = {c.path[0] for c in self.all_carried(node.body)}
        self.unsure = (carried & self.live.locals) - set()
        if outer:
            self.unsure |= outer.unsure - self.live.locals
        self.sure = set(parameters(node.args))

    def all_carried(self, statements):
        for node in ast.walk(ast.Module(statements, [])):
            yield from getattr(node, "cw_carried", ())

    def run(self):
        body = self.block(self.node.body)
        documentation = body[:1] if body and isinstance(body[0], ast.Expr) and isinstance(
            body[0].value, ast.Constant) and isinstance(body[0].value.value, str) else []
        clear = [assign(n, ast.Attribute(name("__cw__"), "UNBOUND", ast.Load()), self.node)
                 for n in sorted(self.cleared)]
        declarations = [s for s in body if isinstance(s, ast.Nonlocal)]
        rest = [s for s in body[len(documentation):] if s not in declarations]
        self.node.body = documentation + declarations + clear + rest or [ast.Pass()]
        return self.node

    # -- statements

    def block(self, statements):
        out = []
        for node in statements:
            new = self.statement(node)
            out += new if isinstance(new, list) else [new]
        return out

    def inside(self, statements, sure, deciding=None, cost=1):
        """The statements of a part, and what is bound behind it. cost: Python's blocks around it."""
        before, self.deciding = self.deciding, deciding or self.deciding
        self.sure = set(sure) if sure is not EVERYTHING else set(self.unsure)
        around = self.blocks
        deep = around + cost > BLOCKS
        shared = self.shared(statements) if deep else ()
        self.blocks = 0 if deep else around + cost
        ends = statements and isinstance(statements[-1], (ast.Raise, ast.Return))
        body = self.block(statements)
        if deep:
            body = self.moved_out(body, shared, statements[0] if statements else self.node)
        after, self.deciding, self.blocks = self.sure, before, around
        return body or [ast.Pass()], EVERYTHING if ends else set(after)

    def shared(self, statements):
        """The function's variables that the statements, or what is made of them, assign."""
        roots = {c.path[0] for c in self.all_carried(statements)}
        return sorted((set(names(statements).writes) | roots) & (self.live.locals | self.live.remote.nonlocals))

    def moved_out(self, body, shared, like):
        """The statements in a function of their own: Python nests at most 20 blocks in one."""
        self.moved += 1
        called = f"{PREFIX}f{self.moved}"
        body = [s for s in body if not isinstance(s, ast.Nonlocal)]
        first = parameters(self.node.args)[:1]
        function = ast.parse(f"def {called}(): pass").body[0]
        function.body = [*([ast.Nonlocal(shared)] if shared else []),
                         *(_Super(first[0]).visit(s) if first else s for s in body)] or [ast.Pass()]
        # Never run: it makes the names variables of the function around.
        own = [ast.If(ast.Constant(False), [assign(n, ast.Constant(None), like) for n in shared], [])] if shared else []
        made = [*own, function, ast.Expr(ast.Call(name(called), [], []))]
        del function.lineno  # it gets the place of what it holds
        return place(made, like)

    def statement(self, node):
        handler = getattr(self, "on_" + type(node).__name__, None)
        if handler is not None:
            return handler(node)
        bound = set(names(node).writes)
        new = self.visit(node)
        self.sure |= bound
        return place(new, node)

    def on_FunctionDef(self, node):
        node.decorator_list = [self.expr(d) for d in node.decorator_list]
        node.args = self.visit_arguments(node.args)
        place(Function(self.target, node, outer=self).run(), node)
        self.sure.add(node.name)
        return node

    def on_ClassDef(self, node):
        node.decorator_list = [self.expr(d) for d in node.decorator_list]
        node.bases = [self.expr(b) for b in node.bases]
        for index, item in enumerate(node.body):
            if isinstance(item, ast.FunctionDef):
                node.body[index] = place(Function(self.target, item, outer=self, owner=node.name).run(), item)
        self.sure.add(node.name)
        return node

    def on_Delete(self, node):
        out = []
        for target in node.targets:
            if isinstance(target, ast.Name) and target.id in self.unsure & self.live.locals:
                check = ast.Expr(self.expr(ast.copy_location(name(target.id), target)))
                out += [check, assign(target.id, ast.Attribute(name("__cw__"), "UNBOUND", ast.Load()), node)]
                self.sure.discard(target.id)
            else:
                out.append(ast.Delete([self.visit(target)]))
                if isinstance(target, ast.Name):
                    self.sure.discard(target.id)
        return place(out, node)

    def on_AugAssign(self, node):
        if isinstance(node.target, ast.Name) and node.target.id in self.unsure - self.sure:
            check = ast.Expr(self.expr(ast.copy_location(name(node.target.id), node.target)))
            node.value = self.visit(node.value)
            self.sure.add(node.target.id)
            return place([check, node], node)
        node.value = self.visit(node.value)
        node.target = self.visit(node.target)
        return place(node, node)

    def on_AnnAssign(self, node):
        if node.value is not None:
            node.value = self.visit(node.value)
            self.sure |= set(names(node.target).writes)
        return place(node, node)

    def on_Assert(self, node):
        node.test = support("asserted", self.visit(node.test), node.lineno)
        node.msg = node.msg and self.visit(node.msg)
        return place(node, node)

    def on_Raise(self, node):
        check = []
        if self.deciding:
            check = [ast.Expr(support("raising", name(self.deciding), node.lineno))]
        return place([*check, self.visit(node)], node)

    def on_Return(self, node):
        return place(self.visit(node), node)

    # -- regions

    def region(self, node, kind):
        """Registers the statement: (variable, index, load expressions, assignments from a call)."""
        self.regions += 1
        variable = f"{PREFIX}r{self.regions}"
        carried = node.cw_carried
        stops = [i for i, c in enumerate(carried) if c.path[0] in getattr(node, "cw_stops", ())]
        first = getattr(node, "cw_surely", ())
        for c in carried:
            c.place.surely = first is None or c.path[0] in first
        region = Region(kind, self.target.file, node.lineno, tuple(c.place for c in carried), tuple(stops),
                        bool(getattr(node, "orelse", ())), self.in_try, getattr(node, "cw_leaves", (None, None)),
                        getattr(node, "cw_endless", False))
        self.target.regions.append(region)
        for c in carried:
            if c.path[0] in self.unsure & self.live.locals and c.path[0] not in self.sure:
                self.cleared.add(c.path[0])
        return variable, ast.Constant(len(self.target.regions) - 1)

    def attributes(self, c):
        """The names of the path behind its root, as they are at run time."""
        return [f"_{self.owner.lstrip('_')}{n}" if self.owner and n.startswith("__") and not n.endswith("__") else n
                for n in c.path[1:]]

    def loads(self, node):
        """The values of the carried places, as expressions."""
        out = []
        for c in node.cw_carried:
            root = name(c.path[0])
            out.append(support("get", root, *self.attributes(c)) if len(c.path) > 1 else root)
        return out

    def store(self, node, call):
        """The carried places = call. Names that are not bound here are only changed in place."""
        targets, puts = [], []
        for i, c in enumerate(node.cw_carried):
            if len(c.path) == 1 and (c.path[0] in self.live.locals or c.place.kind in ("assign", "restore")):
                targets.append(name(c.path[0], True))
                continue
            temporary = f"{PREFIX}p{i}"
            targets.append(name(temporary, True))
            if c.place.kind != "mutate" or len(c.path) > 1:
                puts.append(ast.Expr(support("put", name(c.path[0]), name(temporary), *self.attributes(c))))
        if not targets:
            return []
        return [ast.Assign([ast.Tuple(targets, ast.Store())], call), *puts]

    def if_staged(self, variable, statements):
        return [ast.If(staged(variable), statements, [])] if statements else []

    def begin(self, node, variable):
        return self.if_staged(variable, self.store(node, method(variable, "begin")))

    def end(self, node, variable):
        if not node.cw_carried:
            return []
        return self.if_staged(variable, [ast.Expr(method(variable, "end", *self.loads(node)))])

    def result(self, node, variable):
        return self.if_staged(variable, self.store(node, method(variable, "result")))

    def repeat(self, variable, target, body):
        return ast.For(target, name(variable), body, [])

    def on_If(self, node):
        bound = set(names(node.test).writes)
        test = self.expr(node.test)
        self.sure |= bound
        variable, k = self.region(node, "if")
        make = [ast.Assign([name(variable, True)], support("If", k, test, *self.loads(node)))]
        if self.loop and "loop" in node.cw_leaves:
            make.append(ast.Assign([ast.Attribute(name(variable), "loop", ast.Store())], name(self.loop)))
        loads_before = set(self.sure)
        deciding = None if getattr(node, "cw_guard", False) else variable
        then, after_then = self.inside(node.body, loads_before, deciding)
        parts = [ast.If(method(variable, "then"), self.begin(node, variable) + then + self.end(node, variable), [])]
        after_else = loads_before
        if node.orelse:
            orelse, after_else = self.inside(node.orelse, loads_before, deciding)
            parts.append(ast.If(method(variable, "orelse"),
                                self.begin(node, variable) + orelse + self.end(node, variable), []))
        both = _meet(after_then, after_else)
        self.sure = set(self.unsure) if both is EVERYTHING else both
        loop = self.repeat(variable, name(PREFIX + "_", True), parts)
        return place([*make, loop, *self.result(node, variable)], node)

    def iteration(self, variable, *arguments, **keywords):
        """The statements of a loop's body, as those of inside()."""
        around, self.loop = self.loop, variable
        result = self.inside(*arguments, **keywords)
        self.loop = around
        return result

    def lost(self, node, variable):
        """Behind an iteration that Python runs: what has no value where the iteration was left has none."""
        if getattr(node, "cw_surely", None) is None or not node.cw_carried:
            return []
        call = method(variable, "without", *self.loads(node))
        return [ast.If(ast.Attribute(name(variable), "lost", ast.Load()), self.store(node, call), [])]

    def on_For(self, node):
        iterable = node.iter
        if isinstance(iterable, ast.Call) and not isinstance(iterable.func, ast.Name):
            iterable.func = support("fn", iterable.func)  # builtins.range(n), under any name
        iterable = self.expr(iterable)
        variable, k = self.region(node, "for")
        make = ast.Assign([name(variable, True)], support("For", k, iterable, *self.loads(node)))
        before = set(self.sure)
        element = f"{PREFIX}e{self.regions}"
        guard = node.body[0] if node.body and getattr(node.body[0], "cw_loop", None) is node else None
        stops = [name(flag) for flag in getattr(node, "cw_stops", ())]
        if guard is not None:
            guard.test = place(method(variable, "running", *stops), node)
        self.sure = before | set(names(node.target).writes)
        bind = ast.Assign([self.visit(node.target)], name(element))
        body, _ = self.iteration(variable, node.body, self.sure)
        whole = [*self.begin(node, variable), bind, *body, *self.end(node, variable), *self.lost(node, variable)]
        if stops:
            whole.append(ast.If(method(variable, "stopped", *stops), [ast.Break()], []))
        self.sure = before
        return place([make, self.repeat(variable, name(element, True), whole), *self.result(node, variable)], node)

    def on_While(self, node):
        variable, k = self.region(node, "while")
        make = ast.Assign([name(variable, True)], support("While", k))
        before = set(self.sure)
        found = names(node.test)
        bound = set(found.writes)
        test = self.expr(node.test)
        after_test = self.loads(node) if bound or found.calls else []
        condition = method(variable, "condition", test, *after_test)
        body, _ = self.iteration(variable, node.body, before | bound, variable)
        call = method(variable, "begin", *self.loads(node))
        first = self.store(node, call)
        if any(len(c.path) > 1 for c in node.cw_carried) or not first:
            # Attributes are not assigned where nothing is staged: they may be properties.
            first = [ast.If(staged(variable), first or [ast.Pass()], [ast.Expr(call)])]
            if not node.cw_carried:
                first = [ast.Expr(call)]
        whole = [*first, ast.If(condition, body + self.end(node, variable) + self.lost(node, variable), [])]
        self.sure = before | bound
        loop = self.repeat(variable, name(PREFIX + "_", True), whole)
        return place([make, loop, *self.result(node, variable)], node)

    def on_With(self, node):
        if len(node.items) > 1:
            inner = ast.With(node.items[1:], node.body)
            ast.copy_location(inner, node)
            inner.cw_live, inner.cw_carried = node.cw_live, node.cw_carried
            node.items, node.body = node.items[:1], [inner]
        item = node.items[0]
        manager = self.expr(item.context_expr)
        variable, k = self.region(node, "with")
        make = ast.Assign([name(variable, True)], support("With", k, manager, *self.loads(node)))
        before = set(self.sure)
        element = f"{PREFIX}e{self.regions}"
        bind = []
        if item.optional_vars is not None:
            bind = [ast.Assign([self.visit(item.optional_vars)], name(element))]
            self.sure |= set(names(item.optional_vars).writes)
        body, after = self.inside(node.body, self.sure, variable, cost=2)
        whole = ast.With([ast.withitem(method(variable, "manager"), name(element, True))],
                         [*self.begin(node, variable), *bind, *body, *self.end(node, variable)])
        self.sure = before
        loop = self.repeat(variable, name(PREFIX + "_", True), [whole])
        return place([make, loop, *self.result(node, variable)], node)

    # -- statements that are Python's

    def on_Try(self, node):
        before, outer = set(self.sure), self.in_try
        self.in_try = outer or node.lineno
        node.body, after = self.inside(node.body, before, cost=TRY_BLOCKS)
        for handler in node.handlers:
            handler.type = handler.type and self.expr(handler.type)
            handler.body, _ = self.inside(handler.body, before | ({handler.name} if handler.name else set()), cost=TRY_BLOCKS)
            if handler.name in self.unsure & self.live.locals:
                self.own_exception(handler)
            handler.body.insert(0, ast.Expr(support("caught")))
        self.in_try = outer
        if node.orelse:
            node.orelse, _ = self.inside(node.orelse, before if after is EVERYTHING else after, cost=TRY_BLOCKS)
        if node.finalbody:
            node.finalbody, _ = self.inside(node.finalbody, before, cost=TRY_BLOCKS)
        self.sure = before
        return place(node, node)

    on_TryStar = on_Try

    def own_exception(self, handler):
        """Python deletes the name behind the handler; a name that regions carry stays, without a value."""
        self.count += 1
        caught = f"{PREFIX}x{self.count}"
        handler.body = [assign(handler.name, name(caught), handler), *handler.body,
                        assign(handler.name, ast.Attribute(name("__cw__"), "UNBOUND", ast.Load()), handler)]
        handler.name = caught

    def on_Match(self, node):
        before = set(self.sure)
        node.subject = self.expr(support("matched", node.subject, node.lineno))
        for case in node.cases:
            bound = before | set(names(case.pattern).writes)
            self.sure = bound
            case.guard = case.guard and self.expr(case.guard)
            case.body, _ = self.inside(case.body, bound)
        self.sure = before
        return place(node, node)


__all__ = ["Function", "TRY"]
