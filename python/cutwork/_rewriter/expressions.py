# expressions.py -- operators, conditional expressions and calls, as calls of the support module.

import ast
import math

from .jumps import PREFIX, name, support
from .names import Names, attribute_path, names, parameters

COMPARE = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.In: "in_",
           ast.NotIn: "not_in"}


def function_of(body):
    """lambda: body"""
    empty = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[], vararg=None, kwarg=None)
    return ast.Lambda(empty, body)


def _simple(node):
    """Whether evaluating the expression costs nothing and cannot fail at run time."""
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, (ast.Constant, ast.Name))


def _number(node):
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float))


def _has_walrus(node):
    return any(isinstance(child, ast.NamedExpr) for child in ast.walk(node))


class Expressions(ast.NodeTransformer):
    """`unsure` are the names that may have no value where they are read; `sure` those that have one here."""

    def __init__(self):
        self.sure, self.unsure, self.count = set(), set(), 0
        self.own_names = frozenset()  # bound by comprehensions around
        self.no_walrus = 0  # inside the iterable of a comprehension, or a class

    def temporary(self):
        self.count += 1
        return f"{PREFIX}t{self.count}"

    def expr(self, node):
        """The expression rewritten; places of nodes that are made come from the old one."""
        if node is None:
            return None
        return ast.fix_missing_locations(ast.copy_location(self.visit(node), node))

    # -- names

    def visit_Name(self, node):
        if (isinstance(node.ctx, ast.Load) and node.id in self.unsure and node.id not in self.sure
                and node.id not in self.own_names):
            return ast.copy_location(support("use", ast.copy_location(name(node.id), node), node.id), node)
        return node

    # -- and, or, not, comparisons

    def visit_BoolOp(self, node):
        word = "and" if isinstance(node.op, ast.And) else "or"
        result = self.visit(node.values[-1])
        for value in reversed(node.values[:-1]):
            result = self.logical(word, self.visit(value), result)
        return result

    def logical(self, word, left, right):
        """`left and right`; right is evaluated if left is dynamic or does not decide."""
        if self.no_walrus:
            return support(word + "_lazy", left, function_of(right))
        temporary = self.temporary()
        test = support("needs_" + word, ast.NamedExpr(name(temporary, True), left))
        combined = support("both" if word == "and" else "either", name(temporary), right)
        return ast.IfExp(test, combined, name(temporary))

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return support("not_", node.operand) if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node):
        operands = [self.visit(node.left), *map(self.visit, node.comparators)]
        plain = [_number(n) for n in (node.left, *node.comparators)]
        if len(node.ops) == 1:
            return self.comparison(node.ops[0], *operands, any(plain))
        if self.no_walrus:
            return self.lazy_chain(node.ops, operands)
        parts, left = [], operands[0]
        for i, op in enumerate(node.ops):
            right = operands[i + 1]
            following = right
            if i + 1 < len(node.ops) and not isinstance(right, ast.Constant):
                temporary = self.temporary()
                right, following = ast.NamedExpr(name(temporary, True), right), name(temporary)
            parts.append(self.comparison(op, left, right, plain[i] or plain[i + 1]))
            left = following
        result = parts[-1]
        for part in reversed(parts[:-1]):
            result = self.logical("and", part, result)
        return result

    def lazy_chain(self, ops, operands):
        """a < b < c as (lambda x, y: x < y and (lambda: y < c))(a, b), where := is not allowed."""
        before, temporary = self.temporary(), self.temporary()
        rest = self.comparison(ops[1], name(temporary), operands[2], False) if len(ops) == 2 else \
            self.lazy_chain(ops[1:], [name(temporary), *operands[2:]])
        body = support("and_lazy", self.comparison(ops[0], name(before), name(temporary), False),
                       function_of(rest))
        call = function_of(body)
        call.args.args = [ast.arg(before), ast.arg(temporary)]
        return ast.Call(call, operands[:2], [])

    @staticmethod
    def comparison(op, left, right, plain):
        """Numbers are compared by Python's operator: only sequences need help."""
        word = COMPARE.get(type(op))
        if isinstance(op, (ast.Is, ast.IsNot)):  # a field may have no value
            left, right = (support("there", n) if isinstance(n, (ast.Attribute, ast.Subscript)) else n for n in (left, right))
        if word is None or (plain and word not in ("in_", "not_in")):
            return ast.Compare(left, [op], [right])
        return support(word, left, right)

    def visit_IfExp(self, node):
        walrus = _has_walrus(node.body) or _has_walrus(node.orelse)
        simple = _simple(node.body) and _simple(node.orelse)
        line = node.lineno
        self.generic_visit(node)
        if walrus:
            node.test = support("decided", node.test)
            return node
        if not simple or self.no_walrus:
            return support("if_lazy", line, node.test, function_of(node.body), function_of(node.orelse))
        temporary = self.temporary()
        test = support("dynamic", ast.NamedExpr(name(temporary, True), node.test))
        node.test = name(temporary)
        return ast.IfExp(test, support("select", name(temporary), node.body, node.orelse), node)

    # -- calls

    def visit_Call(self, node):
        is_name = isinstance(node.func, ast.Name)
        formatted = node.args and isinstance(node.args[0], ast.JoinedStr)
        parts = self.format_parts(node.args[0]) if formatted else None
        if formatted:
            node.args = node.args[1:]
        if not (is_name and node.func.id == "super"):
            self.generic_visit(node)
            if is_name or getattr(node.func, "attr", None) in vars(math):  # math.exp(x), which takes constants
                node.func = support("fn", node.func)
        if formatted:
            callee = ast.Attribute(name("__cw__"), "format_call", ast.Load())
            return ast.Call(callee, [node.func, parts, *node.args], node.keywords)
        return node

    def format_parts(self, node):
        items = []
        for value in node.values:
            if isinstance(value, ast.Constant):
                items.append(value)
                continue
            conversion = ast.Constant(chr(value.conversion) if value.conversion > 0 else None)
            specification = self.visit(value.format_spec) if value.format_spec else ast.Constant("")
            items.append(ast.Tuple([self.visit(value.value), conversion, specification], ast.Load()))
        return ast.Tuple(items, ast.Load())

    # -- scopes of their own

    def visit_Lambda(self, node):
        node.args = self.visit_arguments(node.args)
        before = self.own_names, self.no_walrus, self.sure
        self.own_names = self.own_names | set(parameters(node.args))
        self.sure = set()  # it may be called at any time; no_walrus holds in it too
        node.body = self.visit(node.body)
        self.own_names, self.no_walrus, self.sure = before
        return node

    def visit_arguments(self, node):
        node.defaults = [self.visit(d) for d in node.defaults]
        node.kw_defaults = [d and self.visit(d) for d in node.kw_defaults]
        return node

    def _comprehension(self, node):
        before = self.own_names, self.sure
        bound = set()
        for generator in node.generators:
            bound |= set(names(generator.target).writes)
        if isinstance(node, ast.GeneratorExp):
            self.sure = set()
        for index, generator in enumerate(node.generators):
            self.no_walrus += 1
            generator.iter = self.visit(generator.iter)
            self.no_walrus -= 1
            if index == 0:
                self.own_names = self.own_names | bound
            generator.ifs = [self.visit(test) for test in generator.ifs]
        for field in ("elt", "key", "value"):
            if hasattr(node, field):
                setattr(node, field, self.visit(getattr(node, field)))
        self.own_names, self.sure = before
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension


__all__ = ["Expressions", "Names", "attribute_path", "function_of"]
