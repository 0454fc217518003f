"""The outcomes of a roll that a chain follows: one for all those that do the same to the game.

A rule that adds the greens to the points, and asks of the reds only whether there are any, does the same after one red
and after two. Both are one outcome with the sum of their weights, found before the rule runs and not in every state.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from dicelab.chains.enumeration.model import all_outcomes
from dicelab.errors import RulesError
from dicelab.random.philox import Pool
from dicelab.rules.actions import Rule, Throw
from dicelab.rules.dice import Outcome
from dicelab.rules.drawing import Drawn
from dicelab.rules.game import Game
from dicelab.rules.loading.source import tree_of

EXPRESSIONS = (ast.BinOp, ast.BoolOp, ast.Compare, ast.Constant, ast.IfExp, ast.Name, ast.Tuple, ast.UnaryOp)
"""Syntax nodes of expressions; one that consists of these alone depends on nothing but the names in it."""
SIGNS = (ast.boolop, ast.cmpop, ast.expr_context, ast.operator, ast.unaryop)


def different_outcomes(game: Game, kind: Throw, dice: Pool, *others: Throw) -> list[Outcome]:
    """The outcomes of a roll that differ in effect, in order; each has the weight of all with its effect.

    `others` are further kinds of roll of the same dice: outcomes that differ by the rule of any kind are kept apart.

    Raises
    ------
    TooLarge
    """
    kinds = kind, *others
    if any(isinstance(each, Drawn) for each in kinds):  # what is drawn leaves the bag
        return all_outcomes(game, kind, dice)
    used, found = [_used(each.rule) for each in kinds], dict[tuple[Any, ...], Outcome]()
    for outcome in all_outcomes(game, kind, dice):
        effect = tuple(use(outcome.seen) for use in used)
        first = found.setdefault(effect, outcome)
        if first is not outcome:
            found[effect] = Outcome(first.seen, first.weight + outcome.weight)
    return list(found.values())


@lru_cache(maxsize=64)
def _used(rule: Rule) -> Callable[[tuple[int, ...]], tuple[Any, ...]]:
    """A function of the numbers that the rule of a roll receives: if its results are equal, so is the rule's effect.

    The results are the values of the largest expressions in the rule that consist of these numbers and constants
    alone. If the rule assigns to one of the numbers, or can't be read, they are the numbers themselves.
    """
    try:
        tree = tree_of(rule)  # type: ignore[arg-type]
    except (RulesError, AttributeError):
        return tuple
    names = {given.arg for given in ast.walk(tree.args) if isinstance(given, ast.arg)}
    body = tree.body if isinstance(tree.body, list) else [tree.body]
    if tree.args.vararg or any(_binds(node, names) for part in body for node in ast.walk(part)):
        return tuple
    numbers = [given.arg for given in [*tree.args.posonlyargs, *tree.args.args][1:]]
    parts = {ast.unparse(part): part for node in body for part in _closed(node, set(numbers))}
    together = ast.Expression(ast.Tuple([*parts.values()], ast.Load()))
    code = compile(ast.fix_missing_locations(together), "<outcome>", "eval")

    def values(seen: tuple[int, ...]) -> tuple[Any, ...]:
        try:
            return tuple(eval(code, {}, dict(zip(numbers, seen, strict=True))))
        except (ArithmeticError, TypeError, ValueError):
            return "all", *seen

    return values


def _binds(node: ast.AST, names: set[str]) -> bool:
    """Whether a piece of syntax may give one of these names another value."""
    if isinstance(node, ast.Name):
        return node.id in names and not isinstance(node.ctx, ast.Load)
    return isinstance(node, ast.Lambda | ast.FunctionDef | ast.Match | ast.Try)


def _closed(node: ast.AST, names: set[str]) -> Iterator[ast.expr]:
    """The largest expressions in a piece of syntax that consist of constants and one or more of these names."""
    parts = list(ast.walk(node))
    found = {part.id for part in parts if isinstance(part, ast.Name)}
    if isinstance(node, EXPRESSIONS) and found <= names and all(isinstance(p, (*EXPRESSIONS, *SIGNS)) for p in parts):
        if found:
            yield node
        return
    for part in ast.iter_child_nodes(node):
        yield from _closed(part, names)
