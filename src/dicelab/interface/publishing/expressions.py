"""What a board shows beside fields: methods that return one expression, as data that the page evaluates.

Such methods are for people; they may read tallies and return texts, so kernels don't have them. An expression becomes a
list, an operation and its parts, as ``Words.evaluate`` in ``static/board.js`` reads them.

By itself because it reads the source of methods, which no other data of a page needs.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from dicelab.rules.game import Game

Expression = list[Any]
OPERATORS: dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
}
CALLS = {"min", "max", "sum", "len", "abs"}


def expression_of(game: type[Game], method: str) -> Expression | None:
    """Return the expression that a method of a game returns; None if it isn't one that a page evaluates.

    Examples
    --------
    >>> from dicelab.games.lcr import LCR
    >>> expression_of(LCR, "center")
    ['-', ['*', ['name', 'players'], ['name', 'coins']], ['sum', ['name', 'holds']]]
    """
    try:
        return _Reader(game, getattr(game, method)).expression
    except (LookupError, TypeError, OSError):
        return None


class _Reader:
    """Reads a method; raises LookupError at what no page evaluates."""

    def __init__(self, game: type[Game], method: Callable[..., Any]) -> None:
        self.game = game
        self.known = method.__globals__
        tree = ast.parse(textwrap.dedent(inspect.getsource(method))).body[0]
        if not isinstance(tree, ast.FunctionDef):
            raise LookupError(method)
        self.arguments = [argument.arg for argument in tree.args.args[1:]]
        body = [line for line in tree.body if not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))]
        if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
            raise LookupError(method)
        self.expression = self.read(body[0].value)

    def read(self, node: ast.expr) -> Expression:
        """Return a part of the expression."""
        match node:
            case ast.Constant(value=int() | str() as value):
                return ["number", value]
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                return ["name", name]
            case ast.Name(id=name):
                return ["name", name] if name in self.arguments else self.constant(self.known[name])
            case ast.BinOp(left=left, op=operator, right=right):
                return [OPERATORS[type(operator)], self.read(left), self.read(right)]
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                return [OPERATORS[type(operator)], self.read(left), self.read(right)]
            case ast.UnaryOp(op=ast.Not(), operand=part):
                return ["not", self.read(part)]
            case ast.UnaryOp(op=ast.USub(), operand=part):
                return ["-", ["number", 0], self.read(part)]
            case ast.BoolOp(op=operator, values=parts):
                return ["and" if isinstance(operator, ast.And) else "or", *map(self.read, parts)]
            case ast.IfExp(test=test, body=then, orelse=other):
                return ["if", self.read(test), self.read(then), self.read(other)]
            case ast.Subscript(value=row, slice=index):
                return ["item", self.read(row), self.read(index)]
            case ast.JoinedStr(values=parts):
                return ["text", *map(self.read, parts)]
            case ast.FormattedValue(value=part, conversion=-1, format_spec=form):
                return self.formatted(part, form)
            case ast.Call(func=ast.Name(id=name), args=parts, keywords=[]) if name in CALLS:
                return [name, *map(self.read, parts)]
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name), args=[], keywords=[]):
                return _Reader(self.game, getattr(self.game, name)).expression
        raise LookupError(ast.unparse(node))

    def formatted(self, part: ast.expr, form: ast.expr | None) -> Expression:
        """Return a value in a text, with thousands grouped if that is asked for."""
        if form is None:
            return self.read(part)
        if ast.unparse(form) in ("f','", 'f","'):
            return ["group", self.read(part)]
        raise LookupError(ast.unparse(form))

    def constant(self, value: Any) -> Expression:
        """Return a constant of the module: a number, a text, or several."""
        if isinstance(value, int | str):
            return ["number", value if isinstance(value, str) else int(value)]
        if isinstance(value, tuple | list) and all(isinstance(one, int | str) for one in value):
            return ["list", list(value)]
        raise LookupError(value)
