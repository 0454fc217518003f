"""Rewrites calls: of builtin functions, functions of the file, methods of the game, and of ``throw`` and ``ask``."""

from __future__ import annotations

import ast
import builtins
import enum
import inspect
from abc import abstractmethod
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from dicelab.rules.actions import Decision, Throw, ask, throw
from dicelab.rules.drawing import Drawn, Mixed
from dicelab.rules.game import Strategy
from dicelab.rules.mixtures import BELOW, mixture
from dicelab.rules.params import Param, reach_of
from dicelab.translation.entries import RuleFunction, in_full, is_cached, names_of, packed
from dicelab.translation.infer.kinds import NUMBER, TEXT, Tup, is_flat, is_special, may_be_none
from dicelab.translation.intervals import ANY
from dicelab.translation.lower.lifted import generates
from dicelab.translation.rewrite.arithmetic import Arithmetic, as_number
from dicelab.translation.rewrite.names import BUILTINS, REFUSED, local_name, named_as, noting, shared, size_of, slot_of
from dicelab.translation.translator import RuleRow, memory_arguments

FORMS = "throw or ask in a form other than throw(self.kind, dice) and ask(self.kind, seat)"
"""What is refused: any other call of these."""
MOST_ARGUMENTS = {
    "abs": 1,
    "bool": 1,
    "divmod": 2,
    "enumerate": 2,
    "int": 1,
    "len": 1,
    "range": 3,
    "round": 1,
    "sum": 2,
}

NOTICED = {"abs": "absolute", "divmod": "divided"}
"""Builtin functions whose result may not fit into 64 bits; their checked versions in
`dicelab.compile.kernels.rule_support`."""


class Calls(Arithmetic):
    """Rewrites calls."""

    def of_strategy(self, node: ast.Call, strategy: Strategy) -> ast.expr:
        """Rewrite a call of a strategy."""
        self.must_be_asked(node, strategy)
        self.owner.strategies_called.add(strategy.rule)
        if strategy.mixes and node is not self.passed_on:
            raise self.breaks(node, f"the move of {strategy.name} is drawn (mixture); return it as it is")
        if len(self.move_sizes) > 1 and node is not self.passed_on:
            raise self.refuse(node, f"the move of {strategy.name}, whose length varies; return it as it is")
        return self.helper_call(in_full(strategy, node), strategy.rule)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        func = node.func
        if isinstance(func, ast.Attribute):
            return self.method_call(node, func)
        if not isinstance(func, ast.Name) or func.id in self.locals:
            raise self.unknown(node, "a call of something other than a function's name")
        target = self.called(node)
        if target is throw or target is ask:
            return self.step(node, target)
        if isinstance(target, type) and issubclass(target, enum.IntEnum):
            return self.member(node, target)
        if isinstance(target, Strategy):
            return self.of_strategy(node, target)
        if target is BELOW:
            if not self.is_strategy:
                raise self.breaks(node, "mixture(...) is returned by a strategy itself, not by another function")
            return noting("below", ast.Tuple([self.operand(weight) for weight in node.args], ast.Load()))
        if target is mixture:
            raise self.breaks(
                node, "a strategy returns mixture((move, weight), ...) at once, with each pair written out"
            )
        if isinstance(target, FunctionType):
            if is_cached(self.globals.get(func.id)):
                self.must_be_cacheable(node, target)
            return self.helper_call(node, target)
        if func.id not in BUILTINS or getattr(builtins, func.id) is not target:
            raise self.unknown(node, f"{func.id}, which rules can't use")
        return self.builtin_call(node, func.id)

    def must_be_cacheable(self, node: ast.Call, target: FunctionType) -> None:
        """Refuse a call of a cached function whose result may depend on more than numbers, or may be changed."""
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        if any(self.is_game(part) or self.is_memory(part) or self.row(part) is not None for part in given):
            raise self.breaks(node, f"{target.__name__} is cached, and is given part of the game; give it numbers")
        called = self.kinds.rule_called(node)
        for part, kind in [*((part, self.kinds.of(part)) for part in given), (node, self.kinds.of(node))]:
            is_fixed = kind in (None, NUMBER, TEXT) or (
                isinstance(kind, Tup) and kind.form == "tuple" and is_flat(kind)
            )
            if not is_fixed or called is None or generates(called[0].function):
                what = "returns" if part is node else "is given"
                raise self.breaks(
                    node, f"{target.__name__} is cached, and {what} something that may change; use tuples"
                )

    def must_be_asked(self, node: ast.Call, target: Strategy) -> None:
        """Refuse a call of a strategy without the game, or without its memory."""
        if not node.args or not self.is_game(node.args[0]):
            how = f"{target.name}({self.game_name or 'game'}, ...)"
            raise self.breaks(node, f"{target.name} is a strategy; in rules it is called with the game: {how}")
        if target.memory is None:
            return
        own = self.strategy.memory if self.strategy is not None else None
        given = len(node.args) > 1 and self.is_memory(node.args[1])
        if not given or own is None or not issubclass(own, target.memory):
            raise self.breaks(
                node, f"{target.name} needs a memory of the class {target.memory.__name__} after the game"
            )

    passed_on: ast.expr | None = None
    """The call of a strategy whose move is returned as it is."""

    @property
    def move_sizes(self) -> set[int]:
        """How many numbers the moves of the game have."""
        return {len(decision.kinds) for decision in self.cls.declared.decisions}

    def member(self, node: ast.Call, owner: type[enum.IntEnum]) -> ast.expr:
        """Translate ``Move(n)``; a number that is no member is recorded as an error."""
        if len(node.args) != 1 or node.keywords:
            raise self.refuse(node, f"{owner.__name__} with other than one number")
        members = ast.Tuple([ast.Constant(int(member)) for member in owner], ast.Load())
        return noting("one_of", self.operand(node.args[0]), members)

    def builtin_call(self, node: ast.Call, name: str) -> ast.expr:
        """Return a call of a builtin function on whole numbers."""
        most = MOST_ARGUMENTS.get(name, 99)
        if node.keywords or not 1 <= len(node.args) <= most:
            raise self.refuse(node, f"{name} with other arguments than can be compiled")
        first = node.args[0]
        if name == "bool":
            return as_number(ast.Call(named_as("bool"), [self.test(first)], []))
        if name in ("enumerate", "zip"):
            raise self.refuse(node, f"{name} other than in a for loop")
        if name == "sum" and len(node.args) == 2:
            return self.sum_from(node)
        if name in ("max", "min", "sum", "len") and len(node.args) == 1:
            return self.of_all(node, name)
        arguments = [self.operand(argument) for argument in node.args]
        if name in NOTICED and self.interval(first).low == ANY.low:
            return noting(NOTICED[name], *arguments)
        return ast.Call(named_as("int" if name == "round" else name), arguments, [])

    def sum_from(self, node: ast.Call) -> ast.expr:
        """Translate ``sum(numbers, start)``."""
        numbers, start = node.args
        if any(isinstance(part, ast.Call) for part in ast.walk(start)):  # it would be evaluated after the sum
            raise self.refuse(node, "sum with a call as its start; call it on a line of its own before")
        total = ast.copy_location(ast.Call(node.func, [numbers], []), node)
        return self.operation(
            ast.Add(), self.interval(total), self.interval(start), self.of_all(total, "sum"), self.operand(start)
        )

    def of_all(self, node: ast.Call, name: str) -> ast.expr:
        """Translate ``max``, ``min``, ``sum`` or ``len`` of a sequence."""
        row = self.row(node.args[0])
        if row is not None:
            return self.of_row(name, row, node.args[0])
        if name == "sum" and self.interval(node).is_cut:
            return noting("row_sum_noticed", self.sequence(node.args[0]))
        return ast.Call(named_as(name), [self.sequence(node.args[0])], [])

    def of_row(self, name: str, row: tuple[RuleRow, ast.expr], node: ast.expr) -> ast.expr:
        if self.is_grid(node):
            if name == "len":
                return ast.BinOp(size_of(row[1]), ast.FloorDiv(), self.columns(row[0]))
            raise self.refuse(node, f"{name} of a row of rows; go through its rows by their numbers")
        if name == "len":
            return size_of(row[1])
        interval, field = self.interval(node), row[0].field
        longest = reach_of(field.length)[1] if field is not None else 2**16
        if name == "sum" and interval.most * longest >= 2**63:
            return noting("row_sum_noticed", row[1])
        return ast.Call(shared(f"row_{name}"), [row[1]], [])

    @property
    @abstractmethod
    def is_strategy(self) -> bool:
        """Whether what the function returns is a move."""

    @abstractmethod
    def maybe(self, node: ast.expr, kind: Any) -> ast.expr:
        """Return a value, or None, for a place of a kind."""

    def must_be_kept(self, node: ast.expr) -> None:
        """Refuse a generator where a list is kept."""

    @abstractmethod
    def must_not_be_row(self, node: ast.expr) -> None:
        """Refuse a row where a list is kept."""

    def argument(self, node: ast.expr) -> ast.expr:
        """Return an argument of a rule; constants are wrapped in ``int``: Numba compiles a rule again for a literal."""
        self.must_be_kept(node)
        row = self.row(node)
        if row is not None:
            self.must_be_line(node)
            return row[1]
        kind = self.kinds.raw(node)
        if may_be_none(kind):
            return self.maybe(node, kind)
        self.must_not_be_row(node)
        value: ast.expr = self.visit(node)
        if isinstance(value, ast.Constant):
            return ast.Call(named_as("int"), [value], [])
        return value

    def rows_and_kinds(
        self, given: Sequence[tuple[str, ast.expr]], names: Sequence[str]
    ) -> tuple[tuple[tuple[int, RuleRow], ...], tuple[tuple[str, Any], ...]]:
        """Return which arguments of a call are rows of the game, by place, and those of special kinds, by name."""
        places = [(names.index(name), value) for name, value in given if name in names]
        rows = tuple((i, row[0]) for i, value in places if (row := self.row(value)) is not None)
        pairs = {name: self.kinds.raw(value) for name, value in given}
        return rows, tuple(sorted(((n, k) for n, k in pairs.items() if is_special(k)), key=lambda pair: pair[0]))

    def call(self, node: ast.Call, rule: FunctionType, role: str, given: Sequence[ast.expr]) -> ast.expr:
        """Return a call of a rule with these positional arguments (after the game), and the call's
        keyword arguments.
        """
        given, names = packed(rule, role, given, self.kinds.length_of), names_of(rule, role)
        is_star = bool(rule.__code__.co_flags & inspect.CO_VARARGS)
        self.must_bind(node, rule, role, given[: len(given) - is_star])
        if any(isinstance(value, ast.Starred) for value in given):
            raise self.refuse(node, REFUSED[ast.Starred])
        by_name = [(str(keyword.arg), keyword.value) for keyword in node.keywords]
        first = [named_as(name) for name in (self.owner.arguments if role == "game" else ["_g"])]
        called, memory = RuleFunction(rule, role), self.memory_given(node, given, by_name, names)
        if memory >= 0 and self.strategy is not None:
            called = RuleFunction(rule, role, self.strategy, memory)
            first += map(named_as, memory_arguments(self.strategy))
            given = [value for value in given if not self.is_memory(value)]
            by_name = [(name, value) for name, value in by_name if not self.is_memory(value)]
            names = (*names[:memory], *names[memory + 1 :])
        apart = is_star and bool(rule.__defaults__ or by_name)
        filled = (*names[: len(given) - 1], names[-1]) if is_star else names  # between them, defaults may be left out
        rows, kinds = self.rows_and_kinds([*zip(filled, given, strict=False), *by_name], names)
        return ast.Call(
            named_as(self.owner.translate(called, rows, kinds)),
            [*first, *map(self.argument, given[:-1] if apart else given)],
            [
                *(ast.keyword(local_name(name), self.argument(value)) for name, value in by_name),
                *(ast.keyword(local_name(names[-1]), self.argument(given[-1])) for _ in [0] if apart),
            ],
        )

    def must_bind(self, node: ast.Call, rule: FunctionType, role: str, given: Sequence[ast.expr]) -> None:
        """Refuse a call whose arguments a rule doesn't take, or that can't be translated."""
        code = rule.__code__
        if code.co_flags & inspect.CO_VARKEYWORDS:
            raise self.refuse(node, f"{rule.__name__}(), which takes *{code.co_varnames[-1]}; name each value")
        if any(keyword.arg is None for keyword in node.keywords):
            raise self.refuse(node, REFUSED[ast.Starred])
        try:
            inspect.signature(rule).bind(
                *[None] * (len(given) + (role == "game")), **{str(k.arg): None for k in node.keywords}
            )
        except TypeError as error:
            raise self.refuse(node, f"{rule.__name__}() with other arguments than it takes: {error}") from None
        if any(self.is_game(keyword.value) for keyword in node.keywords):
            raise self.refuse(node, f"{rule.__name__}() with the game by name; give it first, without a name")

    def memory_given(
        self, node: ast.Call, given: Sequence[ast.expr], by_name: Sequence[tuple[str, ast.expr]], names: Sequence[str]
    ) -> int:
        """Return the place of the parameter that receives the memory in a call, -1 if none does."""
        places = self.memory_places(given, by_name, names)
        if len(places) > 1:
            raise self.refuse(node, f"{self.memory_name} twice in one call")
        return places[0] if places else -1

    def method_call(self, node: ast.Call, func: ast.Attribute) -> ast.expr:
        row = self.row(func.value)
        if row is not None:
            self.must_be_line(func.value)
        if row is not None and is_search(node, func.attr):
            return self.searched(node, func.attr, row[1], self.operand(node.args[0]))
        method, role, first_given = self.called_method(func)
        if not role:
            raise self.unknown(node, f".{func.attr}(), which rules can't use")
        if isinstance(method, Throw | Decision):
            kind, how = ("roll", "throw") if isinstance(method, Throw) else ("choice", "ask")
            if isinstance(func.value, ast.Call):
                what = f"super().{func.attr} is what a {kind} of the parent does"
                raise self.breaks(node, f"{what}; only a rule that takes its place calls it")
            raise self.breaks(
                node,
                f"{func.attr} is what a {kind} does, and is not called by rules; next returns {how}(self.{func.attr}, "
                "...). Put what several rules do into a method of its own",
            )
        if method is None:
            raise self.refuse(node, f"self.{func.attr}(), which is not defined")
        if not isinstance(method, FunctionType):
            raise self.refuse(node, f"self.{func.attr}(), which is no plain method; write a function of the file")
        return self.call(node, method, role, [*first_given, *node.args])

    def searched(self, node: ast.Call, name: str, row: ast.expr, wanted: ast.expr) -> ast.expr:
        """Return ``row.count(wanted)`` or ``row.index(wanted)``, also from a place on, and up to another."""
        if name == "count":
            return ast.Call(shared("row_count"), [row, wanted], [])
        ends = [self.operand(part) for part in node.args[1:]]
        if not ends:
            return ast.Call(shared("row_index"), [named_as("_g"), row, wanted], [])
        given = [named_as("_g"), row, wanted, *ends, *[ast.Constant(2**31)] * (2 - len(ends))]
        return ast.Call(shared("row_index_from"), given, [])

    def helper_call(self, node: ast.Call, target: FunctionType) -> ast.expr:
        """Return a call of a function of the file; its first argument may be the game."""
        with_game = bool(node.args) and self.is_game(node.args[0])
        role, given = ("game", node.args[1:]) if with_game else ("plain", node.args)
        return self.call(node, target, role, given)

    def step(self, node: ast.Call, target: object) -> ast.expr:
        """Translate ``throw(self.cup, n)`` or ``ask(self.choice, seat)`` as the integer that it returns."""
        kind = node.args[0] if node.args else None
        if isinstance(kind, ast.IfExp):
            each = [
                ast.copy_location(ast.Call(node.func, [part, *node.args[1:]], node.keywords), node)
                for part in (kind.body, kind.orelse)
            ]
            chosen: ast.expr = self.visit(ast.copy_location(ast.IfExp(kind.test, *each), node))
            return chosen
        declared = self.field(kind) if kind is not None else None
        if target is throw and isinstance(declared, Throw):
            return self.step_throw(node, declared)
        if target is ask and isinstance(declared, Decision) and not node.keywords and len(node.args) == 2:
            seat = self.one_of_all(node, declared) if declared.together is not None else node.args[1]
            return ast.Call(shared("step_ask"), [ast.Constant(declared.index), self.visit(seat)], [])
        if isinstance(kind, ast.Attribute) and self.is_game(kind.value) and not isinstance(declared, Throw | Decision):
            mark = "thrown" if target is throw else "chosen"
            what = "has no" if isinstance(declared, FunctionType) else "is not declared: write a method with"
            name = kind.attr if isinstance(declared, FunctionType) else f"self.{kind.attr}"
            raise self.breaks(node, f"{name} {what} @{mark}(...) above it")
        raise self.refuse(node, FORMS)

    def one_of_all(self, node: ast.Call, kind: Decision) -> ast.expr:
        """Return the field that says which of the seats in ``ask(self.lay, [0, 1])`` is next."""
        assert kind.together is not None
        players, given, first = kind.together.players, node.args[1], node.args[0]
        what = given.args[0] if isinstance(given, ast.Call) and len(given.args) == 1 else None
        if isinstance(given, ast.List | ast.Tuple):
            places = [one.value if isinstance(one, ast.Constant) else None for one in given.elts]
            right = places == list(range(len(places))) and players == len(places)
        elif isinstance(given, ast.Call) and what is not None and self.called(given) is range:
            constant = isinstance(what, ast.Constant) and what.value == players
            right = constant or (isinstance(players, Param) and self.field(what) is players)
        else:
            right = False
        if not right:
            every = f"range({'' if isinstance(players, int) else 'self.'}{players})"
            raise self.refuse(
                node, f"seats that choose at once in a form other than all of them: ask(self.{kind.name}, {every})"
            )
        assert isinstance(first, ast.Attribute)
        return ast.copy_location(ast.Attribute(first.value, kind.together.name, ast.Load()), node)

    def step_throw(self, node: ast.Call, kind: Throw) -> ast.expr:
        """Translate ``throw(self.cup)`` and ``throw(self.cup, n)``, or what `step_mixed` translates."""
        if isinstance(kind, Mixed) and node.keywords and len(node.args) == 1:
            return self.step_mixed(node, kind)
        if node.keywords or len(node.args) > 2:
            raise self.refuse(node, FORMS)
        if len(node.args) == 2:
            if isinstance(kind, Drawn | Mixed):
                raise self.refuse(node, f"throw(self.{kind.name}, ...) with a number of dice without a name")
            number = self.visit(node.args[1])
        elif isinstance(kind, Drawn):
            number = ast.Call(named_as(self.owner.total(kind)), [*map(named_as, self.owner.arguments)], [])
        else:
            return ast.Constant(throw(kind))
        self.owner.always_all = False
        return ast.Call(shared("step_throw"), [ast.Constant(kind.index), number], [])

    def step_mixed(self, node: ast.Call, kind: Mixed) -> ast.expr:
        """Translate ``throw(self.cup, d4=1, d6=2)``; what can't be rolled becomes a step that every kernel refuses."""
        self.owner.always_all = False
        strides = dict(zip(kind.parts, kind.strides, strict=True))
        number: ast.expr = ast.Constant(0)
        for keyword in node.keywords:
            if keyword.arg not in kind.parts:
                raise self.refuse(node, f"throw(self.{kind.name}, {keyword.arg}=...), which has no such dice")
            size = kind.parts[keyword.arg][0]
            slot = slot_of(f"_most_{kind.index}_{keyword.arg}", ast.Load())
            most = ast.Constant(size) if isinstance(size, int) else slot
            dice = ast.Call(shared("dice_of"), [self.operand(keyword.value), most], [])
            number = ast.BinOp(number, ast.Add(), ast.BinOp(dice, ast.Mult(), ast.Constant(strides[keyword.arg])))
        return ast.Call(shared("step_throw"), [ast.Constant(kind.index), number], [])


def is_search(node: ast.Call, name: str) -> bool:
    """Return whether this is ``row.count(wanted)``, or ``row.index(wanted)``, also in a part of the row."""
    return name in ("index", "count") and 1 <= len(node.args) <= (3 if name == "index" else 1) and not node.keywords
