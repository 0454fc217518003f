"""Finds the kind of each expression of a rule; see `dicelab.translation.infer.kinds`.

Inside a function a variable has one kind, joined over all values that are assigned to it, appended to it or stored in
it; so there is one inference for each function and the kinds of its arguments.
"""

from __future__ import annotations

import ast
import collections
import enum
import itertools
import math
from collections.abc import Callable, Sequence
from functools import cached_property, reduce
from typing import Any

from dicelab.rules.dice import COUNTS
from dicelab.rules.dice import FACES as FACE_VIEW
from dicelab.rules.fields import Field, Grid, Ints
from dicelab.rules.game import Game, Strategy
from dicelab.rules.params import Param
from dicelab.translation.entries import RuleFunction, Scope, called_by_kernels, definition, names_of, packed
from dicelab.translation.infer.kinds import (
    CAPACITY,
    CHANGING,
    FACES,
    GRID,
    INNER,
    LINE,
    MIXED,
    MOST_SORTED,
    NOTHING,
    NUMBER,
    ROWS,
    Lst,
    Tup,
    as_list,
    changed_in,
    is_item,
    is_plain,
    is_special,
    item_of,
    joined,
    kind_of,
    stripped,
)
from dicelab.translation.infer.library_kinds import CALLS
from dicelab.translation.lower.lifted import nothing


class Kinds(Scope):
    """The kinds of the expressions of one function.

    Parameters
    ----------
    game, rule
        The game and the function.
    given
        The kinds of arguments that aren't numbers, by name.
    result_of
        Returns the kind of the result of a function whose arguments have these kinds.
    """

    def __init__(
        self,
        game: type[Game],
        rule: RuleFunction,
        given: dict[str, Any],
        result_of: Callable[[RuleFunction, tuple[Any, ...]], Any],
    ) -> None:
        super().__init__(game, rule)
        self.result_of = result_of
        self.given = dict(given)
        if self.star is not None:
            self.given.setdefault(self.star, FACES)
        self.tree = definition(rule.function)
        self.variables: dict[str, Any] = dict(self.given)
        self.changed = changed_in(self.tree)
        self.result: Any = None
        self._of: dict[int, tuple[ast.AST, Any]] = {}
        """The kinds of expressions by identity; the expressions are held, so that no other one gets their identity."""
        for _ in range(12):
            before = dict(self.variables), self.result
            self._of.clear()
            self._once()
            if (self.variables, self.result) == before:
                break
        self._of.clear()
        if rule.function in called_by_kernels(game) or self.role == "strategy":
            self.result = stripped(self.result)
        self.owned = self._owned()

    @cached_property
    def result_may_be_none(self) -> bool:
        """Whether the function returns None on some paths."""
        returned = (node.value for node in ast.walk(self.tree) if isinstance(node, ast.Return))
        return any(isinstance(value, ast.Constant) and value.value is None for value in returned)

    def is_procedure(self, node: ast.expr) -> bool:
        """Return whether an expression is a call of a rule that returns nothing."""
        rule = self.rule_called(node) if isinstance(node, ast.Call) else None
        return rule is not None and not any(
            isinstance(part, ast.Return) and part.value is not None for part in ast.walk(definition(rule[0].function))
        )

    def _owned(self) -> dict[str, Lst]:
        """Return the variables that hold lists of their own: all but arguments, and those that are items of other
        lists.
        """
        owned, views = {}, set[str]()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.For):
                views |= {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
            elif isinstance(node, ast.Assign) and is_item(node.value):
                views |= {t.id for t in node.targets if isinstance(t, ast.Name)}
        for name, kind in self.variables.items():
            if isinstance(kind, Lst) and kind.form != "iterator" and name not in self.given and name not in views:
                owned[name] = kind
        return owned

    def _once(self) -> None:
        for node in ast.walk(self.tree):
            match node:
                case ast.Assign():
                    for target in node.targets:
                        self._bind(target, self.raw(node.value))
                case ast.AnnAssign() if node.value is not None:
                    self._bind(node.target, self.raw(node.value))
                case ast.Match():
                    for case in node.cases:
                        self._capture(case.pattern, self.raw(node.subject))
                case ast.AugAssign():
                    kind = self.of(node.value)
                    if isinstance(node.target, ast.Name):
                        old = self.variables.get(node.target.id)
                        self._note(node.target.id, kind if isinstance(old, Lst) else NUMBER if old is None else old)
                    else:
                        self._bind(node.target, kind)
                case ast.For():
                    self._bind(node.target, item_of(self.of(node.iter)))
                case ast.NamedExpr():
                    self._bind(node.target, self.raw(node.value))
                case ast.Return() if node.value is not None:
                    returned = self.raw(node.value)
                    if returned is None and self.result_may_be_none and self.is_procedure(node.value):
                        returned = NOTHING
                    self.result = joined(self.result, returned)
                case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in CHANGING:
                    self._change(owner, name, node.args)

    def _note(self, name: str, kind: Any) -> None:
        if name in self.given and name != self.star:
            return
        as_changed = as_list(kind) if name in self.changed and kind not in ROWS else None
        if as_changed is not None:
            kind = as_changed._replace(constant=False)
        self.variables[name] = joined(self.variables.get(name), kind)

    def _bind(self, target: ast.expr, kind: Any) -> None:
        """Join the kind of a value into that of what it is assigned to."""
        if isinstance(target, ast.Name):
            self._note(target.id, kind)
        elif isinstance(target, ast.Tuple | ast.List):
            parts = kind.items if isinstance(kind, Tup) and len(kind.items) == len(target.elts) else None
            for i, part in enumerate(target.elts):
                self._bind(part, parts[i] if parts else item_of(kind))
        elif isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Slice):
            self._put(target.value, kind, self.of(target.slice))

    def _capture(self, pattern: ast.pattern, kind: Any) -> None:
        """Join the kind of what a pattern captures into that of its name."""
        match pattern:
            case ast.MatchAs():
                if pattern.pattern is not None:
                    self._capture(pattern.pattern, kind)
                if pattern.name is not None:
                    self._note(pattern.name, kind)
            case ast.MatchOr():
                for part in pattern.patterns:
                    self._capture(part, kind)
            case ast.MatchSequence():
                kind = stripped(kind)
                exact = isinstance(kind, Tup) and len(kind.items) == len(pattern.patterns)
                for i, part in enumerate(pattern.patterns):
                    if isinstance(part, ast.MatchStar):
                        if part.name is not None:
                            self._note(part.name, Lst(item_of(kind)))
                    else:
                        self._capture(part, kind.items[i] if exact else item_of(kind))

    def _put(self, owner: ast.expr, kind: Any, key: Any = None) -> None:
        """Join the kind of a value that is stored in a list, or in a list of a list."""
        if isinstance(owner, ast.Name) and owner.id in self.locals:
            old = self.variables.get(owner.id)
            if isinstance(old, Lst):
                is_dict = old.form == "dict"
                kind = kind._replace(most=INNER) if is_dict and isinstance(kind, Lst) and kind.form == "list" else kind
                new = old._replace(item=key if is_dict else kind, value=kind if is_dict else None, constant=False)
                self.variables[owner.id] = joined(old, new)
        elif isinstance(owner, ast.Subscript) and isinstance(owner.value, ast.Name):
            key = self.of(owner.slice) if not isinstance(owner.slice, ast.Slice) else None
            self._put(owner.value, Lst(kind, most=INNER), key)
        elif isinstance(owner, ast.Call) and isinstance(owner.func, ast.Attribute) and owner.func.attr == "setdefault":
            self._put(owner.func.value, Lst(kind, most=INNER), self.of(owner.args[0]) if owner.args else None)

    def _change(self, owner: ast.expr, name: str, given: Sequence[ast.expr]) -> None:
        if name in ("append", "add") and len(given) == 1:
            self._put(owner, self.of(given[0]))
        elif name == "setdefault" and len(given) == 2:
            self._put(owner, self.of(given[1]), self.of(given[0]))
        elif name == "insert" and len(given) == 2:
            self._put(owner, self.of(given[1]))
        elif name in ("extend", "update") and len(given) == 1:
            own, other = self.of(owner), self.of(given[0])
            if isinstance(own, Lst) and isinstance(other, Lst) and own.form == other.form == "dict":
                self._put(owner, other.value, other.item)
            else:
                self._put(owner, item_of(other))

    # expressions -----------------------------------------------------------------------------------------------------

    def of(self, node: ast.AST) -> Any:
        """Return the kind of an expression that isn't None; None if nothing is known of it."""
        return stripped(self.raw(node))

    def raw(self, node: ast.AST) -> Any:
        """Return the kind of an expression, which may be `Opt`; None if nothing is known of it."""
        if id(node) not in self._of:
            self._of[id(node)] = node, None
            self._of[id(node)] = node, self._found(node)
        return self._of[id(node)][1]

    def _dict(self, node: ast.Dict) -> Lst:
        """Return the kind of a dict that is written out."""
        key, value = None, None
        for k, v in zip(node.keys, node.values, strict=True):
            key, value = joined(key, self.of(k)) if k is not None else MIXED, joined(value, self.of(v))
        value = value._replace(most=INNER) if isinstance(value, Lst) and value.form == "list" else value
        return Lst(key, "dict", max(CAPACITY, len(node.keys)), value)

    def _found(self, node: ast.AST) -> Any:
        match node:
            case ast.Constant():
                return NOTHING if node.value is None else kind_of(node.value)
            case ast.Name():
                return self._name(node)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript():
                return self._subscript(node)
            case ast.Tuple() | ast.List() | ast.Set():
                return self._display(node)
            case ast.Dict():
                return self._dict(node)
            case ast.BinOp():
                return self._operation(node)
            case ast.BoolOp():
                passed_over = node.values[:-1] if isinstance(node.op, ast.Or) else []
                kinds = [self.of(value) if value in passed_over else self.raw(value) for value in node.values]
                return reduce(joined, kinds, None)
            case ast.IfExp():
                return joined(self.raw(node.body), self.raw(node.orelse))
            case ast.Compare() | ast.UnaryOp():
                return NUMBER
            case ast.NamedExpr():
                return self.raw(node.value)
            case ast.Call():
                return self._call(node)
        return None

    def _name(self, node: ast.Name) -> Any:
        if node.id in self.names and node.id not in self.given and node.id != self.star:
            return joined(NUMBER, self.variables.get(node.id))
        if node.id in self.locals:
            return self.variables.get(node.id)
        value = self.globals.get(node.id)
        if isinstance(value, type) and issubclass(value, enum.IntEnum):
            return Tup((NUMBER,) * len(value))
        return None if value is None else kind_of(value)

    def _attribute(self, node: ast.Attribute) -> Any:
        declared, fetched = self.field(node), self.fetched(node)
        if fetched is not None:
            return self.result_of(RuleFunction(fetched, "game"), ())
        if isinstance(declared, Ints):
            return GRID if isinstance(declared, Grid) else LINE
        if isinstance(declared, Field | Param):
            return NUMBER
        if declared is not None:
            return kind_of(declared)
        owner = self.of(node.value)
        if isinstance(owner, Tup) and node.attr in owner.names:
            return owner.items[owner.names.index(node.attr)]
        constant = self.of_class(node)[0]
        if isinstance(constant, int | tuple | list | dict | str):
            return kind_of(constant)
        return None

    def constant_item(self, node: ast.AST) -> Any:
        """Return what ``NAME[1]["two"]`` is, where the name is a constant of the file and the keys are written out."""
        if isinstance(node, ast.Name):
            value = self.named(node.id)
            return value if isinstance(value, dict | list | tuple) else None
        if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Slice):
            return None
        owner, key = self.constant_item(node.value), node.slice
        written = key.value if isinstance(key, ast.Constant) else self.constant(key)
        if owner is None or written is None or (isinstance(key, ast.Name) and key.id in self.locals):
            return None
        try:
            return owner[written]
        except (LookupError, TypeError):
            return None

    def _subscript(self, node: ast.Subscript) -> Any:
        constant = self.constant_item(node)
        if isinstance(constant, dict | list) or (isinstance(constant, tuple) and isinstance(kind_of(constant), Lst)):
            return kind_of(constant)
        if isinstance(self.field(node.value), Grid):
            return LINE
        owner = self.of(node.value)
        if isinstance(node.slice, ast.Slice):
            if isinstance(owner, Tup):
                ends = [_fixed(end) for end in (node.slice.lower, node.slice.upper, node.slice.step)]
                if False not in ends:
                    return Tup(owner.items[slice(*ends)], (), owner.form)
            return as_list(owner)._replace(constant=False) if as_list(owner) else None  # type: ignore[union-attr]
        if isinstance(owner, Lst):
            return owner.value if owner.form == "dict" else owner.item
        if isinstance(owner, Tup):
            place = _fixed(node.slice)
            if place is not False and place is not None and -len(owner.items) <= place < len(owner.items):
                return owner.items[place]
        return item_of(owner)

    def _display(self, node: Any) -> Any:
        if isinstance(node, ast.Tuple) and not any(isinstance(part, ast.Starred) for part in node.elts):
            return Tup(tuple(self.of(part) for part in node.elts))
        item = None
        for part in node.elts:
            item = joined(item, item_of(self.of(part.value)) if isinstance(part, ast.Starred) else self.of(part))
        if isinstance(item, Tup) and isinstance(node, ast.List) and all(k in (NUMBER, None) for k in item.items):
            pass
        if isinstance(item, Lst):
            item = item._replace(most=max(INNER, *(len(getattr(p, "elts", ())) for p in node.elts)))
        return Lst(item, "set" if isinstance(node, ast.Set) else "list", max(CAPACITY, len(node.elts)))

    def _operation(self, node: ast.BinOp) -> Any:
        left, right = self.of(node.left), self.of(node.right)
        if isinstance(node.op, ast.Mult):
            for sequence, times in ((left, node.right), (right, node.left)):
                many = self.constant(times)
                if isinstance(sequence, Lst):
                    item = sequence.item._replace(most=INNER) if isinstance(sequence.item, Lst) else sequence.item
                    return Lst(item, "list", max(CAPACITY, many or 0))
                if isinstance(sequence, Tup):
                    fits = many is not None and 0 <= many <= 64
                    return Tup(sequence.items * many, (), sequence.form) if fits else as_list(sequence)  # type: ignore[operator]
        if isinstance(node.op, ast.Add) and isinstance(left, Tup) and isinstance(right, Tup):
            return Tup(left.items + right.items, (), left.form)
        first, second = as_list(left), as_list(right)
        if first is not None and second is not None and first.form == "dict":
            return joined(first, second)._replace(constant=False) if joined(first, second) is not MIXED else MIXED
        if first is not None and second is not None:
            return joined(first._replace(constant=False), second._replace(constant=False))
        return NUMBER

    def constant(self, node: ast.AST) -> int | None:
        """Return a number that is written in the file; None if it isn't."""
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return int(node.value)
        value = self.named(node.id) if isinstance(node, ast.Name) else None
        return int(value) if isinstance(value, int) else None

    def _call(self, node: ast.Call) -> Any:
        func = node.func
        target = self.target(func)
        if target is nothing:
            return None
        if isinstance(target, Strategy):
            return None
        if isinstance(func, ast.Attribute) and target is None:
            return self._method(node, func)
        rule = self.rule_called(node)
        if rule is not None:
            return self.result_of(rule[0], tuple(sorted(self.given_to(*rule).items(), key=lambda pair: pair[0])))
        inferred = CALLS.get(target) if _hashable(target) else None
        if inferred is not None:
            return inferred(self, node)
        if isinstance(target, type) and issubclass(target, tuple) and hasattr(target, "_fields"):
            kinds = {**dict(zip(target._fields, map(self.of, node.args), strict=False))}
            kinds |= {str(k.arg): self.of(k.value) for k in node.keywords}
            defaults = getattr(target, "_field_defaults", {})
            return Tup(tuple(kinds.get(n, kind_of(defaults.get(n, 0))) for n in target._fields), target._fields)
        return NUMBER

    def target(self, func: ast.expr) -> Any:
        """Return what a function's name, or its name in a module, refers to; None for a method."""
        if isinstance(func, ast.Name):
            return self.called(ast.Call(func, [], []))
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
            module = self.named(func.value.id)
            if module in (math, itertools, collections):
                return getattr(module, func.attr, None)
        return None

    def sorted_at_once(self, node: ast.Call) -> int | None:
        """Return how many numbers ``sorted`` puts in order, if their number is fixed and small; None otherwise."""
        for keyword in node.keywords:
            if keyword.arg != "reverse" or not isinstance(keyword.value, ast.Constant):
                return None
        if len(node.args) != 1:
            return None
        many = self.numbers_in(node.args[0])
        return many if isinstance(many, int) and 1 <= many <= MOST_SORTED else None

    def numbers_in(self, source: ast.expr) -> Any:
        """Return how many numbers a sequence has, if it has nothing else and their number is fixed: a whole number, or
        what a field declares; None otherwise.
        """
        declared = self.field(source)
        if isinstance(source, ast.Tuple | ast.List):
            fixed = not any(isinstance(part, ast.Starred) for part in source.elts)
            return len(source.elts) if fixed and all(self.of(p) in (NUMBER, None) for p in source.elts) else None
        if isinstance(source, ast.Name) and isinstance(self.named(source.id), tuple):
            return len(self.named(source.id)) if is_plain(self.named(source.id)) else None
        if isinstance(declared, Ints) and not isinstance(declared, Grid):
            return declared.length
        if isinstance(source, ast.Name) and source.id == self.star:
            return self.faces_seen()
        if isinstance(kind := self.of(source), Tup) and kind.form != "set" and set(kind.items) == {NUMBER}:
            return len(kind.items)
        return None

    def faces_seen(self) -> object:
        """Return the number of values in the ``*faces`` of this rule, an ``int`` if it is fixed; None if there are
        none.
        """
        kind = next((kind for kind in self.cls.declared.throws if kind.rule is self.rule), None)
        code = kind.rule.__code__ if kind is not None else None
        if kind is None or code is None or self.star is None or code.co_argcount != 1:
            return None
        return kind.most if kind.view is FACE_VIEW else len(kind.die.faces) if kind.view is COUNTS else 1

    def rule_called(self, node: ast.Call) -> tuple[RuleFunction, ast.Call, list[ast.expr]] | None:
        """Return the rule that a call calls, and its arguments after the game; None for anything else."""
        from types import FunctionType

        func = node.func
        if isinstance(func, ast.Attribute):
            member, role, first = self.called_method(func)
            if not isinstance(member, FunctionType):
                return None
            given = packed(member, role, [*first, *node.args], self.length_of)
        else:
            member = self.called(node)
            if not isinstance(member, FunctionType):
                return None
            with_game = bool(node.args) and self.is_game(node.args[0])
            role, given = ("game", node.args[1:]) if with_game else ("plain", list(node.args))
            given = packed(member, role, given, self.length_of)
        names = names_of(member, role)
        places = self.memory_places(given, [(k.arg, k.value) for k in node.keywords], names)
        rule = RuleFunction(member, role, self.strategy, places[0]) if places else RuleFunction(member, role)
        return rule, node, given

    def length_of(self, node: ast.expr) -> int:
        """Return the length of a tuple; -1 for anything whose length varies."""
        kind = self.of(node)
        return len(kind.items) if isinstance(kind, Tup) else -1

    def given_to(self, rule: RuleFunction, node: ast.Call, given: Sequence[ast.expr]) -> dict[str, Any]:
        """Return the kinds of the arguments of a call that aren't numbers, by the names of the parameters."""
        names = names_of(rule.function, rule.role)
        pairs = [*zip(names, given, strict=False), *((str(k.arg), k.value) for k in node.keywords)]
        kinds = {name: self.raw(value) for name, value in pairs if not self.is_memory(value)}
        return {name: kind for name, kind in kinds.items() if is_special(kind)}

    def _method(self, node: ast.Call, func: ast.Attribute) -> Any:
        owner = self.of(func.value)
        rule = self.rule_called(node)
        if rule is not None:
            return self.result_of(rule[0], tuple(sorted(self.given_to(*rule).items(), key=lambda pair: pair[0])))
        if isinstance(owner, Lst):
            match func.attr:
                case "pop" | "get" | "setdefault" if owner.form == "dict":
                    kind = joined(owner.value, NOTHING) if func.attr == "get" and len(node.args) == 1 else owner.value
                    for default in node.args[1:2]:
                        kind = joined(kind, self.raw(default))
                    return kind
                case "most_common":
                    return Lst(Tup((owner.item, NUMBER)), "list", owner.most)
                case "elements":
                    return Lst(owner.item, "list", owner.most)
                case "pop":
                    return owner.item
                case "items":
                    return Lst(Tup((owner.item, owner.value)), "iterator", owner.most)
                case "keys":
                    return Lst(owner.item, "iterator", owner.most)
                case "values":
                    return Lst(owner.value, "iterator", owner.most)
                case "copy" | "union" | "intersection" | "difference" | "symmetric_difference":
                    return owner._replace(constant=False)
        return NUMBER


def _hashable(target: Any) -> bool:
    try:
        hash(target)
    except TypeError:
        return False
    return target is not None


def _fixed(node: ast.AST | None) -> Any:
    """Return a number that is written out, None for none, and False for anything else."""
    if node is None:
        return None
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        return -node.operand.value if isinstance(node.operand.value, int) else False
    return False
