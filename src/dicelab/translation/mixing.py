"""Writes out ``return mixture((move, weight), ...)``: weights, one number drawn below their sum, and a return each."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection

from dicelab.rules.game import Strategy
from dicelab.rules.mixtures import BELOW, mixture
from dicelab.translation.lifted import listed, placed

DRAW = "_below"
"""The name of the draw in a function that is written out; it stands for `BELOW`."""


def without_mixtures(tree: ast.FunctionDef, called: Callable[[ast.AST], object]) -> dict[str, object]:
    """Write out all mixtures that a function returns; gives what its new names refer to.

    `called` returns what a call by name calls.

    All moves and weights are computed before one is drawn, as Python does.
    """
    taken = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    spread = _Spread(called, taken | {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)})
    tree.body = [made for statement in tree.body for made in listed(spread.visit(statement))]
    return {DRAW: BELOW} if spread.count else {}


class _Spread(ast.NodeTransformer):
    def __init__(self, called: Callable[[ast.AST], object], taken: Collection[str]) -> None:
        self.called, self.taken, self.count, self.changing = called, taken, 0, False

    def is_drawn(self, node: ast.AST) -> bool:
        """Return whether this is a mixture, or the move of a strategy that may draw it."""
        target = self.called(node)
        return target is mixture or (isinstance(target, Strategy) and target.mixes)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        return node

    def visit_Return(self, node: ast.Return) -> ast.stmt | list[ast.stmt]:
        value = node.value
        if isinstance(value, ast.IfExp) and any(map(self.is_drawn, ast.walk(value))):
            self.count += 1
            both = [listed(self.visit(placed(ast.Return(part), node))) for part in (value.body, value.orelse)]
            made: ast.If = placed(ast.If(value.test, *both), node)
            return made
        if not isinstance(value, ast.Call) or self.called(value) is not mixture:
            return node
        pairs = [part.elts for part in value.args if isinstance(part, ast.Tuple) and len(part.elts) == 2]
        if not pairs or len(pairs) != len(value.args) or value.keywords:
            return node
        found: list[ast.stmt] = []
        self.changing = any(isinstance(part, ast.Call | ast.NamedExpr) for pair in pairs for part in _within(pair))
        known = [(self._move(move, found), self._held(weight, found)) for move, weight in pairs]
        number = self._name()
        draw = ast.Call(ast.Name(DRAW, ast.Load()), [weight for _, weight in known], [])
        found.append(ast.Assign([ast.Name(number, ast.Store())], draw))
        for move, weight in known[:-1]:
            below = ast.Compare(ast.Name(number, ast.Load()), [ast.Lt()], [weight])
            found.append(ast.If(below, [ast.Return(move)], []))
            rest = ast.BinOp(ast.Name(number, ast.Load()), ast.Sub(), weight)
            found.append(ast.Assign([ast.Name(number, ast.Store())], rest))
        found.append(ast.Return(known[-1][0]))
        return [placed(statement, node) for statement in found]

    def _move(self, move: ast.expr, found: list[ast.stmt]) -> ast.expr:
        """Return a move whose numbers are computed."""
        if isinstance(move, ast.Tuple):
            return ast.Tuple([self._held(part, found) for part in move.elts], ast.Load())
        return self._held(move, found)

    def _held(self, value: ast.expr, found: list[ast.stmt]) -> ast.expr:
        """Return an expression for a value that is computed once, now."""
        if isinstance(value, ast.Constant) or (isinstance(value, ast.Name | ast.Attribute) and not self.changing):
            return value
        name = self._name()
        found.append(ast.Assign([ast.Name(name, ast.Store())], value))
        return ast.Name(name, ast.Load())

    def _name(self) -> str:
        self.count += 1
        name = f"_mixed_{self.count}"
        return self._name() if name in self.taken else name


def _within(pair: list[ast.expr]) -> list[ast.AST]:
    """Return all parts of a move and its weight."""
    return [node for part in pair for node in ast.walk(part)]
