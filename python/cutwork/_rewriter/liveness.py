# liveness.py -- which variables a statement that may be staged has to carry.
"""A name is carried if the statement binds it and it is read afterwards, or at the next iteration. What
is changed through attributes, subscripts and methods is always carried: other names may lead to it."""

import ast

from .._staging.regions import Place
from .jumps import PREFIX, none_of
from .names import attribute_path, names, parameters

TRY = tuple(getattr(ast, kind) for kind in ("Try", "TryStar") if hasattr(ast, kind))


def _definite(nodes):
    """What simple statements bind on every way."""
    return set(names(*nodes).writes)


class Carried:
    """A Place, and the path that leads to it."""

    def __init__(self, path, place):
        self.path, self.place = path, place


class Liveness:
    def __init__(self, function, kernel, outer_locals=()):
        found = names(function.body)
        self.parameters = parameters(function.args)
        self.locals = (set(self.parameters) | set(found.writes)) - found.nonlocals
        self.reachable = self.locals | found.nonlocals | set(outer_locals)
        self.always = found.captured | found.nonlocals
        self.remote = found
        self.kernel = kernel
        self.last = {name: function.lineno for name in self.parameters}  # lines of earlier bindings
        self.strong = {}

    # live sets are sets of names; `pinned` is live everywhere inside a try

    def run(self, body):
        self.block(body, set(), set())
        self.lines(body)

    def block(self, statements, live, pinned):
        for node in reversed(statements):
            live = self.statement(node, live | pinned, pinned)
        return live

    def statement(self, node, live, pinned):
        if isinstance(node, ast.If):
            node.cw_live = live
            arms = self.block(node.body, live, pinned) | self.block(node.orelse, live, pinned)
            node.cw_arms = arms
            return self.before(arms, node.test)
        if isinstance(node, ast.For):
            return self.for_(node, live, pinned)
        if isinstance(node, ast.While):
            return self.while_(node, live, pinned)
        if isinstance(node, ast.With):
            node.cw_live = live
            node.cw_arms = self.block(node.body, live, pinned)
            return self.before(node.cw_arms | live, *node.items)
        if isinstance(node, TRY):
            return self.try_(node, live, pinned)
        if hasattr(node, "cases"):
            inside = set(live)
            for case in node.cases:
                part = self.block(case.body, live, pinned)
                inside |= self.before(part, case.pattern, case.guard) if case.guard else self.before(part, case.pattern)
            return self.before(inside, node.subject)
        if isinstance(node, (ast.Return, ast.Raise)):
            return names(node).reads | pinned
        return self.before(live, node)

    @staticmethod
    def before(live, *nodes):
        found = names(*nodes)
        return (live - set(found.writes)) | found.reads

    def for_(self, node, live, pinned):
        bound = names(node.target)
        # What an earlier round found is part of the result, and saves the rounds of nested loops.
        head = live | set(getattr(node, "cw_stops", ())) | getattr(node, "cw_head", set())
        while True:
            body = self.block(node.body, head, pinned)
            new = head | (body - set(bound.writes)) | bound.reads
            if new == head:
                break
            head = new
        node.cw_live = node.cw_head = head
        return self.before(head, node.iter)

    def while_(self, node, live, pinned):
        test = names(node.test)
        head = test.reads | (live - set(test.writes)) | getattr(node, "cw_head", set())
        while True:
            body = self.block(node.body, head, pinned)
            new = head | test.reads | ((live | body) - set(test.writes))
            if new == head:
                break
            head = new
        node.cw_live, node.cw_head = head | live, head
        return head

    def try_(self, node, live, pinned):
        final = self.block(node.finalbody, live, pinned)
        after = final | live
        handlers = set()
        for handler in node.handlers:
            part = self.block(handler.body, after, pinned)
            handlers |= (part - {handler.name}) | (names(handler.type).reads if handler.type else set())
        inside = pinned | handlers | final
        orelse = self.block(node.orelse, after, pinned | final)
        return self.block(node.body, orelse | inside, inside) | inside

    # -- what is carried

    def lines(self, statements):
        """In the order of the text: the carried places, with the lines of bindings before and inside."""
        for node in statements:
            if isinstance(node, (ast.If, ast.For, ast.While, ast.With)):
                node.cw_carried = self.carried(node)
            self.last.update(names(*self.header(node)).writes)
            for block in _blocks(node):
                self.lines(block)

    @staticmethod
    def header(node):
        if isinstance(node, (ast.If, ast.While)):
            return [node.test]
        if isinstance(node, ast.For):
            return [node.iter, node.target]
        if isinstance(node, ast.With):
            return node.items
        return [] if any(True for _ in _blocks(node)) else [node]

    def carried(self, node):
        first = names(node.body)
        if isinstance(node, ast.For):
            first = names(node.target, node.body)
        elif isinstance(node, ast.While):
            first = names(node.test, node.body)
        elif isinstance(node, ast.With):
            first = names(*[i.optional_vars for i in node.items if i.optional_vars], node.body)
        second = names(node.orelse) if isinstance(node, ast.If) else names()
        return self.bound(node, first, second) + self.changed(node, first, second)

    def bound(self, node, first, second):
        written = set(first.writes) | set(second.writes)
        if first.calls or second.calls:
            written |= self.remote.remote_writes
        out = []
        for name in sorted(written & (node.cw_live | self.always) & self.reachable):
            lines = (self.last.get(name), first.writes.get(name), second.writes.get(name))
            out.append(Carried((name,), Place(
                "the returned value" if name == PREFIX + "result" else name, "assign", lines,
                weak=name not in node.cw_live, alias=name in first.aliases or name in second.aliases, undefined=name == PREFIX + "result",
                fixed=self.kernel and name == PREFIX + "returned")))
        # What one arm binds and the other reads has its old value there, and when an arm is traced again.
        read = getattr(node, "cw_arms", set()) - node.cw_live - self.always
        for name in sorted(written & read & self.reachable):
            out.append(Carried((name,), Place(name, "restore", (None, None, None))))
        return out

    def changed(self, node, first, second):
        places = {}
        if first.calls or second.calls:
            places.update(self.remote.remote_places)
        for found in (first, second):
            for path, (kind, line) in found.places.items():
                # t = self.data; t[0] = v changes self.data
                for start in found.aliases.get(path[0], [path[:1]]):
                    if start + path[1:] not in places or kind == "attr":
                        places[start + path[1:]] = (kind, line)
        written = set(first.writes) | set(second.writes)
        out = []
        for path, (kind, line) in sorted(places.items()):
            if path[0] in written or path[0] not in self.reachable:
                continue
            is_self = path == ("self",) and self.parameters[:1] == ["self"]
            lines = (None, first.places.get(path, (0, None))[1], second.places.get(path, (0, None))[1])
            out.append(Carried(path, Place(".".join(path), kind, lines, is_self=is_self)))
        return out


def _blocks(node):
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        if isinstance(block, list) and not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield block
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield part.body


__all__ = ["Carried", "Liveness", "TRY", "attribute_path", "none_of"]
