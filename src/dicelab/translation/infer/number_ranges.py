"""Interval analysis of rules: an interval for each expression of a rule, valid for all dice and choices.

Compiled numbers have 64 bits; Python's are unbounded. If the interval of a result fits into 64 bits, the translated
rule uses plain arithmetic; otherwise it uses arithmetic with overflow checks (`dicelab.compile.kernels.rule_support`).
Intervals start from the declarations: parameters, fields (every store is checked against the declared range), faces of
dice, and moves. The intervals of arguments are joined over all calls. Inside a function a variable has one interval,
joined over all values assigned to it.

A variable or tally that only grows by small steps (`STEP`) is taken to stay below 2**62: to get further, the same line
would have to run 2**42 times in one game, which takes hours.

By itself because it is an analysis that rewrites nothing.
"""

from __future__ import annotations

import ast
import collections
import enum
import inspect
import itertools
import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from types import FunctionType
from typing import Any

from dicelab.errors import RulesError
from dicelab.rules.actions import ask, throw
from dicelab.rules.fields import MOST_COUNTED, Field, Flag, Ints, Tally
from dicelab.rules.game import Game, Strategy
from dicelab.rules.mixtures import BELOW, MOST_WEIGHT
from dicelab.rules.params import Param, Switch, reach_of
from dicelab.translation.entries import RuleFunction, Scope, definition, entries, in_full, names_of
from dicelab.translation.infer.inference import Kinds
from dicelab.translation.infer.kinds import CAPACITY, CHANGING, GRID, ROWS, Lst, Tup, root
from dicelab.translation.intervals import (
    ANY,
    YES_NO,
    NumberInterval,
    combined,
    folded,
    hull,
    is_small_step,
    of_constant,
    widened,
)
from dicelab.translation.lower.lifted import OF_LIBRARY, nothing

LIBRARY = {
    *(math.comb, math.perm, math.factorial, math.gcd, math.lcm, math.isqrt, collections.Counter),
    *(collections.defaultdict, *OF_LIBRARY),
}
"""Functions of the standard library that rules may call."""
GIVING = {
    "pop",
    "get",
    "items",
    "keys",
    "values",
    "copy",
    "union",
    "intersection",
    "difference",
    "setdefault",
    "symmetric_difference",
}
"""Methods whose results are values of a list, set or dict, or of their arguments."""
ROUNDS = 6
"""Number of passes over a function, and of calls of it, after which intervals that still grow are widened."""


class Ranges:
    """The intervals of all expressions in the functions that a game and some strategies use.

    Parameters
    ----------
    game, strategies
        The game and the strategies that are translated.
    """

    def __init__(self, game: type[Game], strategies: Sequence[Strategy]) -> None:
        self.game = game
        self._fields: dict[object, NumberInterval] = {}
        self._functions: dict[RuleFunction, _FunctionRanges] = {}
        self._waiting: list[RuleFunction] = []
        self._kinds: dict[RuleFunction, Kinds] = {}
        self.large_steps: set[str] = set()
        """Names of tallies and other fields to which more than `STEP` may be added at once."""
        for rule, arguments in entries(game, strategies):
            self.called(rule, arguments)
        while self._waiting:
            self._functions[self._waiting.pop(0)].read()

    def of(self, rule: RuleFunction, node: ast.AST) -> NumberInterval:
        """Return the interval of an expression of a function."""
        known = self._functions.get(rule)
        return known.value(node) if known is not None else ANY

    def field(self, declared: Field | Param) -> NumberInterval:
        """Return the interval of a declared field or parameter over all values of the parameters."""
        if declared not in self._fields:
            if isinstance(declared, Tally):
                low, high = -MOST_COUNTED, MOST_COUNTED
            elif isinstance(declared, Param):
                low, high = declared.low, declared.high
            else:
                low, high = reach_of(declared.low)[0], reach_of(declared.high)[1]
            self._fields[declared] = NumberInterval(max(low, -MOST_COUNTED), min(high, MOST_COUNTED))
        return self._fields[declared]

    def kind(self, rule: RuleFunction, node: ast.AST) -> Any:
        """Return the kind of an expression, where arguments are numbers unless they are seen to be something else."""
        if rule not in self._kinds:
            try:
                self._kinds[rule] = Kinds(self.game, rule, {}, lambda rule, given: None)
            except RulesError:
                return None
        return self._kinds[rule].of(node)

    def called(
        self, rule: RuleFunction, arguments: Sequence[NumberInterval], by: RuleFunction | None = None, more: Any = None
    ) -> NumberInterval:
        """Join a call's arguments into those of a function; returns the interval of its result found so far."""
        if rule not in self._functions:
            self._functions[rule] = _FunctionRanges(self, rule)
            self._waiting.append(rule)
        known = self._functions[rule]
        if by is not None:
            known.callers.add(by)
        if known.take(arguments, more or {}) and rule not in self._waiting:
            self._waiting.append(rule)
        return known.returns if known.returns is not None else YES_NO

    def again(self, rules: Iterable[RuleFunction]) -> None:
        """Analyse functions again, because the interval of a function that they call has grown."""
        self._waiting += [rule for rule in rules if rule not in self._waiting]


def is_sequence(kind: Any) -> bool:
    """Return whether a kind is that of a sequence."""
    return isinstance(kind, Lst | Tup) or kind in ROWS


class _FunctionRanges(Scope):
    """The intervals of the variables of one function."""

    def __init__(self, ranges: Ranges, rule: RuleFunction) -> None:
        super().__init__(ranges.game, rule)
        self.ranges = ranges
        self.callers: set[RuleFunction] = set()
        self.returns: NumberInterval | None = None
        self.variables: dict[str, NumberInterval] = {}
        self.taken = 0
        code = rule.function.__code__
        names = list(code.co_varnames[: code.co_argcount + bool(code.co_flags & inspect.CO_VARARGS)])
        defaults = rule.function.__defaults__ or ()
        for name, default in zip(reversed(names), reversed(defaults), strict=False):
            if isinstance(default, int):
                self.variables[name] = NumberInterval(int(default), int(default)).cut
        self.names += [self.star] if self.star is not None else []
        try:
            self.tree: ast.AST = definition(rule.function)
        except RulesError:  # the translator refuses the function with a message
            self.tree = ast.Pass()

    def take(self, arguments: Sequence[NumberInterval], more: dict[str, NumberInterval]) -> bool:
        """Join intervals of arguments into those of the parameters; returns whether any of them grew."""
        given = dict(zip(self.names, arguments, strict=False)) | more
        if self.star is not None and len(arguments) > len(self.names):
            given[self.star] = hull(arguments[len(self.names) - 1 :])
        grown = [self.note(name, interval, self.taken) for name, interval in given.items() if name in self.names]
        self.taken += any(grown)
        return any(grown)

    def note(self, name: str, interval: NumberInterval, times: int) -> bool:
        """Join an interval into that of a variable; returns whether it grew."""
        old, new = self.variables.get(name), interval.cut
        if old is not None:
            new = old | new
            if new == old:
                return False
            if times >= ROUNDS:
                new = widened(old, new)
        self.variables[name] = new
        return True

    def read(self) -> None:
        """Analyse the function until no interval changes; if that of its result grew, its callers are next."""
        before = self.returns
        for times in range(10 * ROUNDS):
            if not self._once(times):
                break
        else:  # no fixed point was reached: all variables get `ANY`
            self.variables, self.returns = dict.fromkeys(self.locals, ANY), ANY
            self._once(0)
        if self.returns != before:
            self.ranges.again(self.callers)

    def _once(self, times: int) -> bool:
        changed = False
        for node in ast.walk(self.tree):
            match node:
                case ast.Assign():
                    for target in node.targets:
                        changed |= self._assign(target, node.value, times)
                case ast.AnnAssign() if node.value is not None:
                    changed |= self._assign(node.target, node.value, times)
                case ast.AugAssign():
                    changed |= self._step(node, times)
                case ast.For():
                    changed |= self._assign(node.target, node.iter, times)
                case ast.Match():
                    interval = self.value(node.subject)
                    for name in _captured(node):
                        changed |= self.note(name, interval, times)
                case ast.Return() if node.value is not None:
                    passed = self.value(node.value)
                    new = passed if self.returns is None else self.returns | passed
                    changed |= new != self.returns
                    self.returns = new if times < ROUNDS or self.returns is None else widened(self.returns, new)
                case ast.NamedExpr():
                    changed |= self.note(node.target.id, self.value(node.value), times)
                case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in CHANGING and root(owner):
                    self.value(node)
                    changed |= self._put(owner, hull(map(self.value, node.args)), times)
                case ast.Call():
                    self.value(node)
        return changed

    def _step(self, node: ast.AugAssign, times: int) -> bool:
        """Record ``+=`` and the like; return whether an interval has changed."""
        if isinstance(node.target, ast.Name):
            return self.note(node.target.id, self._stepped(node), times)
        if self._is_item(node.target):
            by = combined(node.op, self.value(node.target), self.value(node.value))
            return self._put(node.target, by.cut, times)
        self._count(node, self.value(node.value))
        return False

    def _count(self, node: ast.AugAssign, by: NumberInterval) -> None:
        """Record a field that changes by large steps."""
        target = node.target
        if isinstance(target, ast.Attribute) and not is_small_step(node.op, by):
            self.ranges.large_steps.add(target.attr)

    def _assign(self, target: ast.expr, value: ast.expr, times: int) -> bool:
        if isinstance(target, ast.Name):
            step = self._own_step(target.id, value)
            return self.note(target.id, self.value(value) if step is None else step, times)
        if isinstance(target, ast.Tuple):
            pairs = value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts) else None
            changed = [self._assign(t, pairs[i] if pairs else value, times) for i, t in enumerate(target.elts)]
            return any(changed)
        interval = self.value(value)
        return self._put(target, interval, times) if self._is_item(target) else False

    def _is_item(self, target: ast.AST) -> bool:
        """Return whether a target is an item of a list of this function."""
        if not isinstance(target, ast.Subscript) or not root(target) & (self.locals - set(self.names)):
            return False
        kind = self.ranges.kind(self.translated, target.value)
        return kind not in (*ROWS, GRID) and self.field(target.value) is None

    def _put(self, owner: ast.expr, interval: NumberInterval, times: int) -> bool:
        """Join the interval of what is put into a list, and into the lists that hold that one as an item."""
        names, changed = root(owner) & self.locals, False
        while more := {n for name in names for n in self.items_of.get(name, ())} - names:
            names |= more
        for name in names:
            changed |= self.note(name, interval, times)
        key = next((part.slice for part in ast.walk(owner) if isinstance(part, ast.Subscript)), None)
        if key is not None:
            for name in names:
                changed |= self.note(name, self.value(key), times)
        return changed

    @cached_property
    def items_of(self) -> dict[str, set[str]]:
        """For each variable, the variables of whose lists it may be an item."""
        items: dict[str, set[str]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.For):
                names = {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
                read = {n.id for n in ast.walk(node.iter) if isinstance(n, ast.Name)}
            elif isinstance(node, ast.Assign):
                names = {n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
                read = root(node.value)
            else:
                continue
            for name in names:
                items.setdefault(name, set()).update(read & self.locals)
        return items

    def _own_step(self, name: str, value: ast.expr) -> NumberInterval | None:
        """Return the interval of ``n = n + 1``, which is that of ``n += 1``."""
        if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add | ast.Sub):
            return None
        own = isinstance(value.left, ast.Name) and value.left.id == name
        return self._stepped(ast.AugAssign(ast.Name(name), value.op, value.right)) if own else None

    def _stepped(self, node: ast.AugAssign) -> NumberInterval:
        """Return the interval of ``n += step``; small steps can't be repeated often enough to leave 63 bits."""
        by = self.value(node.value)
        assert isinstance(node.target, ast.Name)
        old = self.variables.get(node.target.id, by)
        if is_small_step(node.op, by, old):
            low, high = (by.low, by.high) if isinstance(node.op, ast.Add) else (-by.high, -by.low)
            return NumberInterval(-MOST_COUNTED if low < 0 else old.low, MOST_COUNTED if high > 0 else old.high)
        return combined(node.op, old, by)

    # Expressions -----------------------------------------------------------------------------------------------------

    def value(self, node: ast.AST) -> NumberInterval:
        """Return an interval that contains every value of an expression, or all numbers of its values if it is a
        sequence.
        """
        match node:
            case ast.Constant():
                return of_constant(node.value if isinstance(node.value, int | str) else 0)
            case ast.Name():
                return self._name(node.id)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript():
                return self.value(node.value)
            case ast.BinOp() | ast.UnaryOp() if (known := folded(node, self.named)) is not None:
                return NumberInterval(known, known).cut
            case ast.BinOp() if self._is_list(node.left) or self._is_list(node.right):
                return self.value(node.left) | self.value(node.right)
            case ast.BinOp():
                return combined(node.op, self.value(node.left), self.value(node.right)).cut
            case ast.UnaryOp():
                return self._unary(node)
            case ast.Compare():
                return YES_NO
            case ast.NamedExpr() | ast.Starred():
                return self.value(node.value)
            case ast.IfExp():
                return self.value(node.body) | self.value(node.orelse)
            case ast.Call():
                return self._call(node).cut
        parts = self._parts(node)
        return ANY if parts is None else hull(map(self.value, parts))

    def _parts(self, node: ast.AST) -> Sequence[ast.expr] | None:
        """Return the expressions that an expression may be, or may contain; None for any other."""
        match node:
            case ast.BoolOp():
                return node.values
            case ast.Tuple() | ast.List() | ast.Set():
                return node.elts
            case ast.Dict():
                return [part for part in [*node.keys, *node.values] if part is not None]
        return None

    def _is_list(self, node: ast.AST) -> bool:
        """Return whether an expression is a list, of any kind but a plain number."""
        return is_sequence(self.ranges.kind(self.translated, node))

    def _name(self, name: str) -> NumberInterval:
        if name in self.locals:
            return self.variables.get(name, YES_NO)
        return of_constant(self.globals.get(name))

    def _attribute(self, node: ast.Attribute) -> NumberInterval:
        declared, fetched = self.field(node), self.fetched(node)
        if fetched is not None:
            return self._of_function(fetched, "game", [], [])
        if isinstance(declared, Flag | Switch):
            return YES_NO
        if isinstance(declared, Field | Param):
            return self.ranges.field(declared)
        known = declared if declared is not None else self.of_class(node)[0]
        if known is None:  # a field of a named tuple or of a dataclass: any of its numbers
            inner = node.value
            while isinstance(inner, ast.Attribute):
                inner = inner.value
            return self.value(inner)
        return of_constant(known)

    def _unary(self, node: ast.UnaryOp) -> NumberInterval:
        low, high = self.value(node.operand)
        match node.op:
            case ast.USub():
                return NumberInterval(-high, -low).cut
            case ast.Invert():
                return NumberInterval(-high - 1, -low - 1)
            case ast.Not():
                return YES_NO
        return NumberInterval(low, high)

    def _call(self, node: ast.Call) -> NumberInterval:
        func, target = node.func, self.called(node)
        if isinstance(target, Strategy):
            node, target = in_full(target, node), target.rule
        arguments = [self.value(argument) for argument in [*node.args, *(k.value for k in node.keywords)]]
        target_in_module = self._of_module(func)
        if target_in_module is not None:
            return self._of_library(target_in_module, node, arguments)
        if target is nothing:
            return NumberInterval(0, 0)
        if target in LIBRARY:
            return self._of_library(target, node, arguments)
        if isinstance(target, type) and issubclass(target, tuple) and hasattr(target, "_fields"):
            return hull([*arguments, of_constant(tuple(getattr(target, "_field_defaults", {}).values()))])
        if isinstance(func, ast.Attribute):
            return self._method(node, func)
        if not isinstance(func, ast.Name) or func.id in self.locals:
            return ANY
        return self._of_name(node, func.id, target, arguments)

    def _of_name(self, node: ast.Call, name: str, target: Any, arguments: list[NumberInterval]) -> NumberInterval:
        """Return the interval of a call of a function by its name: one of the file, of games, or of Python."""
        if target is throw or target is ask:
            return NumberInterval(-(2**40), 2**40)
        if target is BELOW:
            return NumberInterval(0, MOST_WEIGHT - 1)
        if isinstance(target, FunctionType):
            with_game = bool(node.args) and self.is_game(node.args[0])
            return self._of_function(target, "game" if with_game else "plain", node.args[with_game:], node.keywords)
        if isinstance(target, type) and issubclass(target, enum.IntEnum):
            return hull(arguments)
        return self._builtin(name, node.args, arguments[: len(node.args)])

    def _of_function(
        self, function: FunctionType, role: str, given: Sequence[ast.expr], by_name: Sequence[ast.keyword]
    ) -> NumberInterval:
        """Return the interval of a call, whose arguments after the game are given and may include the memory."""
        rule, names = RuleFunction(function, role), names_of(function, role)
        places = self.memory_places(given, [(k.arg, k.value) for k in by_name], names)
        if places:
            rule = RuleFunction(function, role, self.strategy, places[0])
        arguments = [self.value(value) for value in given if not self.is_memory(value)]
        more = {k.arg: self.value(k.value) for k in by_name if k.arg is not None}
        return self.ranges.called(rule, arguments, self.translated, more)

    def _method(self, node: ast.Call, func: ast.Attribute) -> NumberInterval:
        member, role, first = self.called_method(func)
        if isinstance(member, FunctionType):
            return self._of_function(member, role, [*first, *node.args], node.keywords)
        if role:
            return ANY
        if func.attr in ("index", "count"):
            return NumberInterval(-1, 2**31)
        if func.attr in ("most_common", "elements"):
            return self.value(func.value)
        if func.attr in GIVING:
            return hull([self.value(func.value), *map(self.value, node.args)])
        return ANY

    def _builtin(self, name: str, nodes: list[ast.expr], arguments: list[NumberInterval]) -> NumberInterval:
        if not arguments:
            return NumberInterval(0, 0)
        everything = hull(arguments)
        match name:
            case "len":
                return NumberInterval(0, 2**31)
            case "bool":
                return YES_NO
            case "range":
                return everything | (0, 0)
            case "enumerate":
                return everything | (0, everything.high + 2**31)
            case "max" if len(arguments) > 1:
                return NumberInterval(max(a.low for a in arguments), everything.high)
            case "min" if len(arguments) > 1:
                return NumberInterval(everything.low, min(a.high for a in arguments))
            case "abs":
                return NumberInterval(0 if everything.low <= 0 else everything.low, everything.most).cut
            case "divmod" if len(arguments) == 2:
                return combined(ast.FloorDiv(), *arguments) | combined(ast.Mod(), *arguments)
            case "sum":
                many = self._length(nodes[0])
                total = NumberInterval(min(0, many * arguments[0].low), max(0, many * arguments[0].high))
                return total if len(arguments) == 1 else combined(ast.Add(), total.cut, arguments[1])
            case "max" | "min" | "int" | "round" | "sorted" | "zip" | "list" | "tuple" | "set" | "frozenset" | "dict":
                return everything
            case "reversed" | "next":
                return everything
        return ANY

    def _of_module(self, func: ast.expr) -> Any:
        """Return the function of `math` or `itertools` that is called as ``math.comb``; None for anything else."""
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
            module = self.named(func.value.id)
            return getattr(module, func.attr, None) if module in (math, itertools, collections) else None
        return None

    def _of_library(self, target: Any, node: ast.Call, arguments: list[NumberInterval]) -> NumberInterval:
        """Return the interval of a result, or of all numbers in a result, of a function of `math` or `itertools`."""
        everything = hull(arguments)
        if target is itertools.accumulate:
            many = min(self._length(node.args[0]), CAPACITY)
            return everything | (min(0, many * everything.low), max(0, many * everything.high))
        if target in (collections.Counter, collections.defaultdict):
            return everything | (0, 2**31)
        if target in (math.gcd, math.isqrt):
            return NumberInterval(0, everything.most).cut
        if target in (math.comb, math.perm, math.factorial, math.lcm):
            return NumberInterval(0, 2**63 - 1)
        return everything

    def _length(self, node: ast.expr) -> int:
        """Return the largest number of terms of a sum."""
        if isinstance(node, ast.Tuple | ast.List):
            return len(node.elts)
        if isinstance(node, ast.Name) and isinstance(constant := self.named(node.id), tuple):
            return len(constant)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
            return 1 + self.value(node).high - self.value(node).low
        kind = self.ranges.kind(self.translated, node)
        if is_sequence(kind) and not isinstance(kind, str):
            return kind.most if hasattr(kind, "most") else len(kind.items)
        declared = self.field(node)
        return max(1, reach_of(declared.length)[1]) if isinstance(declared, Ints) else 2**31


def _captured(node: ast.Match) -> list[str]:
    """Return the variables that the patterns of a ``match`` set."""
    parts = [part for case in node.cases for part in ast.walk(case.pattern)]
    return [part.name for part in parts if isinstance(part, ast.MatchAs | ast.MatchStar) and part.name]
