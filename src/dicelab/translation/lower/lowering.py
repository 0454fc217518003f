"""Lowers the natural Python of a rule to the smaller language that intervals, kinds and code are made from.

What goes through a sequence inside an expression (a comprehension, a generator expression, ``any``, ``max`` with a key,
``sorted`` with a key, ``next``) becomes a function of its own with a loop, which is called in its place, so that it is
evaluated where and when Python evaluates it. Nested functions and lambdas become functions of their own as well. Each
takes the variables of the rule that it reads as arguments; all other names mean what they mean in the rule.

``return mixture((move, weight), ...)`` becomes weights, one number drawn below their sum, and a return each.

The tree of the file isn't changed.

By itself because it changes what a tree contains, while `dicelab.translation.entries` finds trees.
"""

from __future__ import annotations

import ast
import itertools
import sys
from collections.abc import Callable, Collection
from copy import deepcopy
from functools import partial
from inspect import CO_GENERATOR
from types import FunctionType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from dicelab.errors import RulesError
from dicelab.rules.game import Strategy
from dicelab.rules.mixtures import BELOW, mixture
from dicelab.translation.lower.flow import split_by_flow, wrap_around
from dicelab.translation.lower.function_lowering import Lowering, needs_lowering
from dicelab.translation.lower.lifted import (
    KNOWN,
    Lowered,
    function_of,
    gives_iterator,
    listed,
    own_nodes,
    placed,
    placed_all,
)
from dicelab.translation.lower.unset import may_return_nothing


def lowered(rule: FunctionType, tree_of: Callable[[FunctionType], ast.AST]) -> Lowered:
    """Return a rule in the smaller language, found once; `tree_of` gives the tree as the file has it."""
    if rule not in KNOWN:
        tree = tree_of(rule)
        _must_keep_names(rule, tree)
        functions: dict[str, Any] = {}
        tree = _without_modules(rule, tree, functions)
        known = KNOWN[rule] = Lowered(tree, rule, functions)
        if not isinstance(tree, ast.FunctionDef):
            return known
        as_written = Lowering(known, rule, {*rule.__code__.co_varnames, *rule.__code__.co_cellvars})
        returned = [node.value for node in own_nodes(tree) if isinstance(node, ast.Return) and node.value is not None]
        known.generates = any(gives_iterator(value, as_written.target_of) for value in returned)
        flat = deepcopy(tree)
        mixed = without_mixtures(flat, partial(_called, rule, functions))
        functions |= mixed
        _FromIterable(rule).visit(flat)
        wraps = wrap_around(flat)
        renamed, returns_none = split_by_flow(flat), return_none(flat)
        if wraps or renamed or returns_none or mixed or needs_lowering(tree, rule.__globals__):
            code = rule.__code__
            variables = {*code.co_varnames, *code.co_cellvars, *renamed}
            known.tree = Lowering(known, rule, variables).function(flat)
            known.variables = _added(known.tree) | renamed
    return KNOWN[rule]


def _called(rule: FunctionType, functions: dict[str, Any], node: ast.AST) -> object:
    """Return what a call by a name of the file calls; None for anything else."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return None
    name = node.func.id
    known = functions.get(name, rule.__globals__.get(name))
    return None if name in rule.__code__.co_varnames else known


def _without_modules(rule: FunctionType, tree: ast.AST, functions: dict[str, Any]) -> ast.AST:
    """Return the tree with a name of its own in place of ``helper.NAME``, where ``helper`` is another file of rules."""
    owners = [node.value for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    names = {owner.id for owner in owners if isinstance(owner, ast.Name)}
    local = {*rule.__code__.co_varnames, *rule.__code__.co_cellvars}
    modules = {name: value for name in names - local if isinstance(value := rule.__globals__.get(name), ModuleType)}
    modules = {n: m for n, m in modules.items() if m.__name__.partition(".")[0] not in sys.stdlib_module_names}
    return _OfModules(modules, functions).visit(deepcopy(tree)) if modules else tree


class _OfModules(ast.NodeTransformer):
    """Puts names of their own in place of names of modules."""

    def __init__(self, modules: dict[str, ModuleType], functions: dict[str, Any]) -> None:
        self.modules, self.functions = modules, functions

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        module = self.modules.get(node.value.id) if isinstance(node.value, ast.Name) else None
        if module is None or not hasattr(module, node.attr):
            self.generic_visit(node)
            return node
        name = f"_{module.__name__.replace('.', '_')}_{node.attr}"
        self.functions[name] = getattr(module, node.attr)
        return ast.copy_location(ast.Name(name, node.ctx), node)


def _must_keep_names(rule: FunctionType, tree: ast.AST) -> None:
    """Refuse a function that sets a variable of what is around it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Global | ast.Nonlocal):
            words = f"{'global' if isinstance(node, ast.Global) else 'nonlocal'} {', '.join(node.names)}"
            place = f"{rule.__code__.co_filename}, line {node.lineno}, in {rule.__name__}"
            raise RulesError(f"{place}: {words} changes what outlives the game; declare what changes as a field")


def collected(rule: Any, tree_of: Callable[[FunctionType], ast.AST]) -> Any:
    """Return a function that yields, as one that returns a list of what it yields; anything else as it is."""
    if not isinstance(rule, FunctionType) or not rule.__code__.co_flags & CO_GENERATOR:
        return rule
    if rule not in _collected:
        tree = deepcopy(tree_of(rule))
        if not isinstance(tree, ast.FunctionDef):
            return rule
        tree.decorator_list = []
        tree.body = [
            *placed_all(ast.parse("_out = []").body, tree),
            *(statement for part in tree.body for statement in listed(_Collecting().visit(part))),
            *placed_all(ast.parse("return _out").body, tree),
        ]
        function = function_of(tree, rule)
        known = KNOWN[function] = Lowered(tree, rule, generates=True)
        code = function.__code__
        renamed = split_by_flow(tree)
        known.tree = Lowering(known, rule, {*code.co_varnames, *code.co_cellvars, *renamed}).function(tree)
        known.variables = {"_out", *_added(known.tree), *renamed}
        _collected[rule] = function
    return _collected[rule]


_collected: WeakKeyDictionary[FunctionType, FunctionType] = WeakKeyDictionary()


class _FromIterable(ast.NodeTransformer):
    """Writes ``chain.from_iterable(lists)`` as a generator expression."""

    def __init__(self, rule: FunctionType) -> None:
        self.rule = rule

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        func = node.func
        if not isinstance(func, ast.Attribute) or func.attr != "from_iterable" or len(node.args) != 1:
            return node
        owner = func.value
        known = self.rule.__globals__.get(owner.id) if isinstance(owner, ast.Name) else None
        if isinstance(owner, ast.Attribute) and isinstance(owner.value, ast.Name):
            known = getattr(self.rule.__globals__.get(owner.value.id), owner.attr, None)
        if known is not itertools.chain:
            return node
        line, item = "_line", "_item"
        loops = [
            ast.comprehension(ast.Name(line, ast.Store()), node.args[0], [], 0),
            ast.comprehension(ast.Name(item, ast.Store()), ast.Name(line, ast.Load()), [], 0),
        ]
        made: ast.expr = placed(ast.GeneratorExp(ast.Name(item, ast.Load()), loops), node)
        return made


class _Collecting(ast.NodeTransformer):
    """Appends to a list what a function yields."""

    def visit_Expr(self, node: ast.Expr) -> Any:
        if isinstance(node.value, ast.Yield) and node.value.value is not None:
            return self.add("append", node.value.value, node)
        if isinstance(node.value, ast.YieldFrom):
            return self.add("extend", node.value.value, node)
        return node

    def add(self, how: str, value: ast.expr, at: ast.AST) -> ast.Expr:
        method = ast.Attribute(ast.Name("_out", ast.Load()), how, ast.Load())
        made: ast.Expr = placed(ast.Expr(ast.Call(method, [value], [])), at)
        return made

    def visit_Return(self, node: ast.Return) -> ast.Return:
        made: ast.Return = placed(ast.Return(ast.Name("_out", ast.Load())), node)
        return made

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        return node


def _added(tree: ast.AST) -> set[str]:
    """Return the variables that were added to a function."""
    names = [n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
    return {name for name in names if name.startswith("_")}


def return_none(tree: ast.FunctionDef) -> bool:
    """Write out ``return None`` where a function that returns a value returns none; returns whether it does so."""
    returns = [node for node in own_nodes(tree) if isinstance(node, ast.Return)]
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own_nodes(tree)) or not may_return_nothing(tree):
        return False
    for node in returns:
        node.value = node.value or placed(ast.Constant(None), node)
    tree.body.append(placed(ast.Return(ast.Constant(None)), tree.body[-1]))
    return True


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
        statements: list[ast.stmt] = []
        self.changing = any(isinstance(part, ast.Call | ast.NamedExpr) for pair in pairs for part in _within(pair))
        known = [(self._move(move, statements), self._held(weight, statements)) for move, weight in pairs]
        number = self._name()
        draw = ast.Call(ast.Name(DRAW, ast.Load()), [weight for _, weight in known], [])
        statements.append(ast.Assign([ast.Name(number, ast.Store())], draw))
        for move, weight in known[:-1]:
            below = ast.Compare(ast.Name(number, ast.Load()), [ast.Lt()], [weight])
            statements.append(ast.If(below, [ast.Return(move)], []))
            rest = ast.BinOp(ast.Name(number, ast.Load()), ast.Sub(), weight)
            statements.append(ast.Assign([ast.Name(number, ast.Store())], rest))
        statements.append(ast.Return(known[-1][0]))
        return [placed(statement, node) for statement in statements]

    def _move(self, move: ast.expr, statements: list[ast.stmt]) -> ast.expr:
        """Return a move whose numbers are computed."""
        if isinstance(move, ast.Tuple):
            return ast.Tuple([self._held(part, statements) for part in move.elts], ast.Load())
        return self._held(move, statements)

    def _held(self, value: ast.expr, statements: list[ast.stmt]) -> ast.expr:
        """Return an expression for a value that is computed once, now."""
        if isinstance(value, ast.Constant) or (isinstance(value, ast.Name | ast.Attribute) and not self.changing):
            return value
        name = self._name()
        statements.append(ast.Assign([ast.Name(name, ast.Store())], value))
        return ast.Name(name, ast.Load())

    def _name(self) -> str:
        self.count += 1
        name = f"_mixed_{self.count}"
        return self._name() if name in self.taken else name


def _within(pair: list[ast.expr]) -> list[ast.AST]:
    """Return all parts of a move and its weight."""
    return [node for part in pair for node in ast.walk(part)]
