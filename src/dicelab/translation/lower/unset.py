"""Finds variables that may be read before they have a value, for which Python raises UnboundLocalError."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

Known = frozenset[str] | None
"""Variables that certainly have a value at some line; None if that line can't be reached."""
_SIMPLE = ast.Expr | ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Assert | ast.Return
"""Statements whose expressions are evaluated whatever happens."""


def may_be_unset(tree: ast.FunctionDef) -> set[str]:
    """Return the variables of a function that are read without a value on some path through it."""
    reading = _Reading(tree)
    arguments = [*tree.args.posonlyargs, *tree.args.args, *filter(None, [tree.args.vararg])]
    reading.block(tree.body, frozenset(argument.arg for argument in arguments))
    return reading.unset


def may_return_nothing(tree: ast.FunctionDef) -> bool:
    """Return whether a function returns a value on some paths through it and nothing on others."""
    returns = [node for node in ast.walk(tree) if isinstance(node, ast.Return)]
    if all(node.value is None for node in returns):
        return False
    return any(node.value is None for node in returns) or _Reading(tree).block(tree.body, frozenset()) is not None


class _Reading:
    """Follows the statements of a function in order; a loop may have no iterations, so its assignments don't count."""

    def __init__(self, tree: ast.FunctionDef) -> None:
        self.names = bound_in(tree)
        self.unset: set[str] = set()
        self.breaks: list[list[Known]] = []
        """For each loop around the current line, the variables known at each ``break``."""

    def block(self, statements: Sequence[ast.stmt], known: Known) -> Known:
        for statement in statements:
            known = self.statement(statement, known)
        return known

    def statement(self, node: ast.stmt, known: Known) -> Known:
        """Return the variables known after a statement."""
        if known is None:
            return None
        match node:
            case ast.If():
                holds, fails = self.test(node.test, known)
                return _joined(self.block(node.body, holds), self.block(node.orelse, fails))
            case ast.While():
                holds, fails = self.test(node.test, known)
                left = self.loop(node.body, holds)
                endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
                return _joined(*left, None if endless else self.block(node.orelse, fails))
            case ast.For():
                self.read(node.iter, known)
                left = self.loop(node.body, known | bound_in(node.target))
                return _joined(*left, self.block(node.orelse, known))
            case ast.Match():
                return self.cases(node, known)
            case ast.Break():
                self.breaks[-1].append(known)
                return None
        self.read(node, known)
        return None if isinstance(node, ast.Return | ast.Continue | ast.Raise) else known | set_by(node)

    def loop(self, body: Sequence[ast.stmt], known: Known) -> list[Known]:
        """Follow the body of a loop; returns the variables known at each ``break``."""
        self.breaks.append([])
        self.block(body, known)
        return self.breaks.pop()

    def test(self, node: ast.expr, known: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
        """Return the variables known where a test holds, and where it fails."""
        match node:
            case ast.BoolOp():
                ends = []  # what is known where the values that follow are not evaluated
                for value in node.values:
                    holds, fails = self.test(value, known)
                    known, end = (holds, fails) if isinstance(node.op, ast.And) else (fails, holds)
                    ends.append(end)
                early = frozenset.intersection(*ends)
                return (known, early) if isinstance(node.op, ast.And) else (early, known)
            case ast.UnaryOp(op=ast.Not()):
                holds, fails = self.test(node.operand, known)
                return fails, holds
        self.read(node, known)
        known |= certain_walrus(node)
        parts = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
        return known.union(*map(certain_walrus, parts)), known

    def cases(self, node: ast.Match, known: frozenset[str]) -> Known:
        self.read(node.subject, known)
        after: list[Known] = []
        for case in node.cases:
            inside = known | bound_in(case.pattern)
            if case.guard is not None:
                inside, _ = self.test(case.guard, inside)
            after.append(self.block(case.body, inside))
        return _joined(*after, None if is_certain(node.cases[-1]) else known)

    def read(self, node: ast.AST, known: frozenset[str]) -> None:
        """Record the variables that an expression, or a statement without a body, reads before they are known."""
        known |= certain_walrus(node)
        used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            used.add(node.target.id)
        self.unset |= (used & self.names) - known


def called_too_early(tree: ast.FunctionDef, inner: dict[str, ast.FunctionDef | ast.Lambda]) -> set[str]:
    """Return the functions inside a function that may be called, also by each other, before they are defined."""
    reading = _Defining(tree, inner)
    reading.block(tree.body, frozenset())
    return reading.unset


class _Defining(_Reading):
    """Follows definitions inside a function, and what uses them."""

    def __init__(self, tree: ast.FunctionDef, inner: dict[str, ast.FunctionDef | ast.Lambda]) -> None:
        super().__init__(tree)
        self.uses = {name: self.used_in(one) & inner.keys() for name, one in inner.items()}
        for _ in inner:
            self.uses = {name: used.union(*map(self.uses.get, used)) for name, used in self.uses.items()}  # type: ignore[arg-type]

    def used_in(self, node: ast.AST) -> set[str]:
        """Return the names in a node."""
        return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}

    def statement(self, node: ast.stmt, known: Known) -> Known:
        if known is not None and isinstance(node, ast.FunctionDef):
            self.read(ast.Tuple(node.args.defaults), known)
            return known | {node.name}
        if known is not None and isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            self.read(ast.Tuple(node.value.args.defaults), known)
            return known | bound_in(ast.Tuple(node.targets))
        return super().statement(node, known)

    def read(self, node: ast.AST, known: frozenset[str]) -> None:
        for name in self.used_in(node) & self.uses.keys():
            self.unset |= {name, *self.uses[name]} - known


def _set_on_both_sides(node: ast.IfExp, named: list[ast.Name]) -> set[str]:
    """Return the variables that both sides of ``a if test else b`` set by ``:=``, which are first met in ``a``; `named`
    has all names in the order of their evaluation.
    """
    first = {name: next(n for n in named if n.id == name) for name in certain_walrus(node.orelse)}
    inside = [n for n in ast.walk(node.body) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return {name for name in certain_walrus(node.body) if first.get(name) in inside}


def certain_walrus(node: ast.AST) -> frozenset[str]:
    """Return the variables that an expression sets by ``:=`` whatever happens, before it reads them."""
    names: set[str] = set()
    if not any(isinstance(part, ast.NamedExpr) for part in ast.walk(node)):
        return frozenset()
    named = [part for part in _evaluated(node) if isinstance(part, ast.Name)]
    waiting: list[ast.AST] = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.NamedExpr) and next(n for n in named if n.id == part.target.id) is part.target:
            names.add(part.target.id)
        if isinstance(part, ast.BoolOp):
            waiting.append(part.values[0])
        elif isinstance(part, ast.IfExp):
            waiting.append(part.test)
            names |= _set_on_both_sides(part, named)
        elif isinstance(part, ast.Compare):
            waiting += [part.left, part.comparators[0]]
        elif not isinstance(part, ast.stmt) or isinstance(part, _SIMPLE):
            waiting += ast.iter_child_nodes(part)
    return frozenset(names)


def set_by(node: ast.stmt) -> frozenset[str]:
    """Return the variables that a statement without a body sets whatever happens."""
    maybe = {id(part.target) for part in ast.walk(node) if isinstance(part, ast.NamedExpr)}
    names = (part for part in ast.walk(node) if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load))
    return frozenset(part.id for part in names if id(part) not in maybe) | certain_walrus(node)


def _evaluated(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all parts of an expression in the order in which Python evaluates them."""
    match node:
        case ast.IfExp():
            parts: Iterable[ast.AST] = (node.test, node.body, node.orelse)
        case ast.NamedExpr():
            parts = (node.value, node.target)
        case ast.Assign():
            parts = (node.value, *node.targets)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
            parts = (*node.generators, node.elt)
        case ast.DictComp():
            parts = (*node.generators, node.key, node.value)
        case ast.comprehension():
            parts = (node.iter, node.target, *node.ifs)
        case _:
            parts = ast.iter_child_nodes(node)
    for part in parts:
        yield from _evaluated(part)
    yield node


def _joined(*known: Known) -> Known:
    """Return the variables known where several paths join."""
    sure: Iterable[frozenset[str]] = [names for names in known if names is not None]
    return frozenset.intersection(*sure) if sure else None


def bound_in(node: ast.AST) -> frozenset[str]:
    """Return the variables that get a value anywhere in a node."""
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)}
    captured = {part.name for part in ast.walk(node) if isinstance(part, ast.MatchAs | ast.MatchStar) and part.name}
    return frozenset(names | captured)


def is_certain(case: ast.match_case) -> bool:
    """Return whether a case matches any subject. A tuple of names does: the translator requires the length of the
    subject.
    """
    return case.guard is None and _fits_all(case.pattern)


def _fits_all(pattern: ast.pattern) -> bool:
    if isinstance(pattern, ast.MatchSequence):
        return all(map(_fits_all, pattern.patterns))
    return isinstance(pattern, ast.MatchAs) and (pattern.pattern is None or _fits_all(pattern.pattern))
