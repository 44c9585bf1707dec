# names.py -- which names a piece of source reads, binds, and changes through attributes or methods.

import ast

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def parameters(arguments):
    """The names of the parameters of a function or lambda."""
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return names + [a.arg for a in (arguments.vararg, arguments.kwarg) if a]


def attribute_path(node):
    """('a', 'b', 'c') of the expression a.b.c; None of any other."""
    path = []
    while isinstance(node, ast.Attribute):
        path.append(node.attr)
        node = node.value
    return (node.id, *reversed(path)) if isinstance(node, ast.Name) else None


def container_path(node):
    """The path up to the first subscript from the left: ('a', 'b') of a.b[i].c[j]."""
    found = None
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Subscript):
            found = node.value
        node = node.value
    return attribute_path(found) if found is not None else None


class Names(ast.NodeVisitor):
    """Collects from the nodes that it visits, as seen from the scope that they stand in."""

    def __init__(self):
        self.reads = set()
        self.writes = {}  # name: line of the last binding
        self.places = {}  # path: (kind, line); kind is 'attr' (assigned) or 'mutate' (method, subscript)
        self.captured = set()  # read by functions made here, so at any later time
        self.remote_writes = set()  # bound by functions made here, through nonlocal
        self.remote_places = {}  # changed by functions made here
        self.nonlocals = set()
        self.calls = False
        self.aliases = {}  # name that is given another one's object: the paths of those

    def of(self, *nodes):
        for node in nodes:
            for item in node if isinstance(node, list) else [node]:
                if item is not None:
                    self.visit(item)
        return self

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load):
            self.reads.add(node.id)
        else:
            self.writes[node.id] = node.lineno

    def visit_Assign(self, node):
        path = attribute_path(node.value)
        for target in node.targets if path else ():
            if isinstance(target, ast.Name):
                self.aliases.setdefault(target.id, []).append(path)
        self.generic_visit(node)

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        if isinstance(node.target, ast.Name):
            self.reads.add(node.target.id)

    def visit_AnnAssign(self, node):
        if node.value is not None:
            self.of(node.value, node.target)

    def _place(self, path, kind, line):
        if path is not None and (kind == "attr" or path not in self.places):
            self.places[path] = (kind, line)

    def visit_Attribute(self, node):
        if not isinstance(node.ctx, ast.Load):
            path = attribute_path(node)
            self._place(path or container_path(node), "attr" if path else "mutate", node.lineno)
        self.visit(node.value)

    def visit_Subscript(self, node):
        if not isinstance(node.ctx, ast.Load):
            self._place(container_path(node), "mutate", node.lineno)
        self.generic_visit(node)

    def visit_Call(self, node):
        self.calls = True
        if isinstance(node.func, ast.Attribute):
            receiver = node.func.value
            self._place(attribute_path(receiver) or container_path(receiver), "mutate", node.lineno)
        self.generic_visit(node)

    def visit_Nonlocal(self, node):
        self.nonlocals.update(node.names)

    def visit_ExceptHandler(self, node):
        if node.name:
            self.writes[node.name] = node.lineno
        self.generic_visit(node)

    def visit_alias(self, node):
        self.writes[node.asname or node.name.split(".")[0]] = getattr(node, "lineno", 0)

    def visit_MatchAs(self, node):
        if node.name:
            self.writes[node.name] = node.lineno
        self.generic_visit(node)

    visit_MatchStar = visit_MatchAs

    def visit_MatchMapping(self, node):
        if node.rest:
            self.writes[node.rest] = node.lineno
        self.generic_visit(node)

    def _function(self, arguments, body):
        self.of(*arguments.defaults, *arguments.kw_defaults)
        inner = Names().of(body)
        own = (set(parameters(arguments)) | set(inner.writes)) - inner.nonlocals
        free = (inner.reads | inner.nonlocals) - own
        self.reads |= free
        self.captured |= free
        self.remote_writes |= (inner.nonlocals & set(inner.writes)) | (inner.remote_writes - own)
        for path, (kind, line) in {**inner.places, **inner.remote_places}.items():
            if path[0] not in own:
                self.remote_places.setdefault(path, (kind, line))

    def visit_Lambda(self, node):
        self._function(node.args, node.body)

    def visit_FunctionDef(self, node):
        self.writes[node.name] = node.lineno
        self.of(node.decorator_list, *(a.annotation for a in ast.walk(node.args) if isinstance(a, ast.arg)),
                node.returns)
        self._function(node.args, node.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node):
        self.writes[node.name] = node.lineno
        self.of(node.decorator_list, node.bases, node.keywords)
        inner = Names().of(node.body)
        self.reads |= inner.reads
        self.captured |= inner.captured
        self.remote_writes |= inner.remote_writes
        self.remote_places.update(inner.remote_places)

    def _comprehension(self, node):
        inner = _Comprehension()
        for child in ast.iter_child_nodes(node):
            inner.visit(child)
        own = set(inner.targets)
        self.reads |= inner.reads - own
        self.captured |= inner.captured - own
        if isinstance(node, ast.GeneratorExp):
            self.captured |= inner.reads - own
        self.writes.update(inner.writes)
        self.calls |= inner.calls
        for path, (kind, line) in inner.places.items():
            if path[0] not in own:
                self._place(path, kind, line)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension


class _Comprehension(Names):
    """Inside a comprehension: := binds outside, for-targets bind inside."""

    def __init__(self):
        super().__init__()
        self.targets = set()

    def visit_comprehension(self, node):
        self.targets |= set(Names().of(node.target).writes)
        self.of(node.iter, *node.ifs)


def names(*nodes):
    return Names().of(*nodes)
