"""Translates the rules of a game into functions over integers and arrays that Numba can compile.

The methods and strategies of a game are read from their source and rewritten: ``self.points`` becomes a slot of one
record, ``self.scores`` an array, ``self.end_turn()`` a call of a plain function, ``throw(self.cup, 3)`` an integer,
``Move.BANK`` its value. The meaning of the rules does not change. Rules that can't be translated are refused with file
and line, and the game is then played by the reference engine.

The rewritten functions use nothing of Numba but the decorator of `dicelab.compile.kernels.rule_support`.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import FunctionType
from typing import Any, NamedTuple

from dicelab.errors import DicelabError, RulesError
from dicelab.rules.actions import Decision
from dicelab.rules.drawing import Drawn, Mixed
from dicelab.rules.fields import MOST_COUNTED, Field, Ints, fields_of
from dicelab.rules.game import Game, Strategy, has_outcomes
from dicelab.rules.params import Expr, Size, value_of
from dicelab.rules.private import private_fields
from dicelab.rules.together import MADE_OF
from dicelab.translation.entries import RuleFunction, definition, entry
from dicelab.translation.infer.inference import Kinds
from dicelab.translation.infer.number_ranges import Ranges
from dicelab.translation.sight import Sight, Unclear
from dicelab.translation.written import Written

DEEPEST = 5000
"""Limit on Python's stack while functions that call each other are translated, one inside the other."""


class NotTranslatable(DicelabError):
    """Raised for a rule that only the reference engine can play; the message has file and line."""


class BreaksContract(NotTranslatable):
    """Raised for a rule, or a plain function given as a strategy, that changes or depends on what it may not."""


class Peeks(RulesError):
    """Raised for a strategy that reads what its seat doesn't see; the message has file and line."""


class ReadsTally(BreaksContract):
    """Raised for a rule that reads a tally: tallies are no part of the state, so its effect isn't determined by it."""


def place(rule: FunctionType, line: int | None = None) -> str:
    """File and line of a function, for messages; of one made from an author's method, of that."""
    if hasattr(rule, MADE_OF):
        rule, line = getattr(rule, MADE_OF), None
    return f"{rule.__code__.co_filename}, line {line or rule.__code__.co_firstlineno}"


def memory_name(strategy: Strategy, field: str) -> str:
    """Name of the array of a memory's field; with the length, ``a`` and ``b_c`` differ from ``a_b`` and ``c``."""
    name = strategy.name
    if not name.isidentifier():  # a strategy of another file, whose path belongs to its name
        name = f"{strategy.rule.__name__.strip('<>')}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"
    return f"_m{len(name)}_{name}_{field}"


def memory_arguments(strategy: Strategy) -> list[str]:
    """Return the names of the arguments for a strategy's memory: the seat, then an array over all
    seats for each field.
    """
    if strategy.memory is None:
        return []
    return ["_seat", *(memory_name(strategy, f.name) for f in fields_of(strategy.memory, Field))]


@dataclass(frozen=True)
class RuleRow:
    """A row of numbers in a rule: its field (None for the ``*faces`` of a roll), and the name used for its limits."""

    field: Ints | None
    limits: str


class Effect(NamedTuple):
    """What a function does with a field, a tally or a memory.

    Attributes
    ----------
    kind
        `READS` or `CHANGES` for the state and parameters, `COUNTS` for a tally, `RECALLS` or `REMEMBERS` for a memory.
    name
        The field.
    part
        Of a row that is read, the expression of the index; "" for all of it, and for anything else but stores that
        may leave a range.
    """

    kind: str
    name: str
    part: str = ""


READS, CHANGES, COUNTS, RECALLS, REMEMBERS = "reads", "changes", "counts", "recalls", "remembers"
FALLS, RISES = "may fall below", "may rise above"
"""Kinds of effects of a store in a field whose range isn't shown to hold; `part` is how far, from values inside."""


LUCK_SLOTS = ["_key0", "_key1", "_index", "_choice"]
"""Slots that are there where a strategy draws its moves: both halves of the seed, the game index, and the number of the
choice."""


@dataclass
class KernelLayout:
    """Where a kernel holds the numbers of a game: slots of one record, and one array for each row.

    Limits of fields that depend on parameters have slots, too, and so have numbers of columns, and of dice in a roll of
    different dice: `limits` has their names and sizes.
    """

    game: type[Game]
    slots: list[str]
    rows: list[str]
    limits: list[tuple[str, Size]]
    watched: frozenset[str] = frozenset()
    """Private rows by seat whose reads are checked while a strategy chooses; ``_sees`` is 1 + its seat then."""

    @classmethod
    def of(
        cls, game: type[Game], strategies: Sequence[Strategy], watched: frozenset[str] = frozenset()
    ) -> KernelLayout:
        """Return the layout of a game with these strategies."""
        scalars = [n for n, f in game.declared.state.items() if not isinstance(f, Ints)]
        rows = [n for n, f in game.declared.state.items() if isinstance(f, Ints)]
        limited = [(name, f) for name, f in game.declared.state.items()]
        for strategy in strategies:
            kept = fields_of(strategy.memory, Field) if strategy.memory else ()
            limited += [(memory_name(strategy, f.name), f) for f in kept]
        sizes = [(f"_{end}_{name}", getattr(f, end, 0)) for name, f in limited for end in ("low", "high", "columns")]
        for throw in game.declared.throws:
            if isinstance(throw, Mixed):
                sizes += [(f"_most_{throw.index}_{name}", most) for name, (most, _) in throw.parts.items()]
        limits: list[tuple[str, Size]] = [(name, size) for name, size in sizes if isinstance(size, Expr)]
        slots = [*game.declared.params, *scalars, *game.declared.tallies, *(name for name, _ in limits), "_outside"]
        drawing = LUCK_SLOTS if any(strategy.mixes for strategy in strategies) else []
        return cls(game, slots + ["_sees"] * bool(watched) + drawing, rows, limits, watched)

    @property
    def arguments(self) -> list[str]:
        """Names of the first arguments of every translated rule: the record, then the rows."""
        return ["_g", *(f"_r_{name}" for name in self.rows)]

    @property
    def given(self) -> list[str]:
        """Slots that are set once, parameters and limits, in the order of `values`."""
        return [*self.game.declared.params, *(name for name, _ in self.limits)]

    def values(self, game: Game) -> list[int]:
        """Return the values of these slots for the parameters of a game.

        Raises
        ------
        NotTranslatable
            If one of them, or a bound of a field, is larger than 2**62.
        """
        values = [*game.parameters.values(), *(value_of(size, game) for _, size in self.limits)]
        ranges = [bound for f in game.declared.state.values() for bound in f.bounds(game)]
        if max(map(abs, [*values, *ranges]), default=0) > MOST_COUNTED:
            raise NotTranslatable(f"{game.name}: a parameter, or the range of a field, needs more than 63 bits")
        return values


@dataclass
class Translation(Written):
    """The translated functions of one game with some of its strategies."""

    layout: KernelLayout
    ranges: Ranges
    rewriter: Callable[..., Any]
    """The class `dicelab.translation.rewrite.rewriter.Rewriter`."""
    source: list[str] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)
    """For each generated function, and each loop that counts its iterations, file and line of the rule."""
    always_all: bool = True
    """Whether each roll asked for so far is of all dice of its kind."""
    strategies_called: set[FunctionType] = field(default_factory=set)
    """Strategies that were called by others."""
    functions: dict[str, RuleFunction] = field(default_factory=dict)
    """The functions that were translated, by the names of the generated functions."""
    _effects: dict[str, dict[Effect, str]] = field(default_factory=dict)
    _calls: dict[str, set[str]] = field(default_factory=dict)
    trees: dict[str, ast.FunctionDef] = field(default_factory=dict)
    """The generated functions as syntax trees, by name; a function stands after those that it calls."""
    rules: dict[str, FunctionType] = field(default_factory=dict)
    """The functions from which they were made."""
    _names: dict[object, str] = field(default_factory=dict)
    _open: list[str] = field(default_factory=list)
    _tables: dict[object, str] = field(default_factory=dict)
    _kinds: dict[object, Kinds] = field(default_factory=dict)
    _texts: dict[str, int] = field(default_factory=dict)
    _asked: list[RuleFunction] = field(default_factory=list)

    @classmethod
    def of(cls, game: type[Game], strategies: Sequence[Strategy], rewriter: Callable[..., Any]) -> Translation:
        """Return an empty translation of a game with these strategies.

        Raises
        ------
        NotTranslatable
            If one is a policy that finds its moves when they are needed.
        """
        for strategy in strategies:
            moves = strategy.moves
            if moves is not None and moves.on_demand and getattr(moves, "judge", None) is None:
                raise NotTranslatable(f"{strategy.name} finds its moves turn by turn, when they are needed")
        known: Any = game
        layout = KernelLayout.of(game, strategies, watched_rows(known, rewriter))
        return cls(layout, known_ranges(game, strategies), rewriter)

    def copied(self) -> Translation:
        """Return a copy, to which functions can be added."""
        own = "source places strategies_called trees rules functions"
        inside = "_effects _calls _names _open _tables _kinds _texts _asked"
        return replace(self, **{name: getattr(self, name).copy() for name in f"{own} {inside}".split()})

    def note(self, effect: Effect, place: str) -> None:
        """Record an effect, at a place in the file, of the function that is being translated."""
        self._effects[self._open[-1]].setdefault(effect, place)

    def effects(self, *names: str) -> dict[Effect, str]:
        """Return what generated functions, and all that they call, read and change, each with a place in a file."""
        effects: dict[Effect, str] = {}
        for name in self.reached(*names):
            effects = self._effects[name] | effects
        return effects

    def reached(self, *names: str) -> list[str]:
        """Return the names of generated functions and of all that they call."""
        names_reached, waiting = dict.fromkeys(names), list(names)
        while waiting:
            new = [name for name in sorted(self._calls[waiting.pop()]) if name not in names_reached]
            names_reached |= dict.fromkeys(new)
            waiting += new
        return list(names_reached)

    @property
    def game(self) -> type[Game]:
        """The game that is translated."""
        return self.layout.game

    @property
    def arguments(self) -> list[str]:
        """Names of the first arguments of every translated rule."""
        return self.layout.arguments

    @property
    def text(self) -> str:
        """The text of all generated functions, for a kernel file."""
        return "\n\n".join(self.source) + "\n\n"

    def method(self, name: str) -> str:
        """Translate a method of the game; returns the name of the function."""
        return self.function(getattr(self.layout.game, name), "game")

    def ending(self) -> str:
        """Return the name of the function that returns the outcome, or counts at the end of a game without outcomes."""
        rule = self.method("outcome")
        if has_outcomes(self.game):
            return rule
        name = "game_ending"
        if name not in self._tables.values():
            self._tables[name] = name
            self.source.append(self._written(name, "", [f"{rule}({', '.join(self.arguments)})", "return 0"]))
        return name

    def strategy(self, strategy: Strategy) -> str:
        """Translate a strategy; returns the name of the function."""
        name = self.translate(entry(strategy))
        self.must_see_own(name, strategy.name)
        return name

    def must_see_own(self, name: str, called: str, decision: Decision | None = None) -> None:
        """Refuse a translated function, in messages `called`, that reads what the seat that chooses doesn't see.

        With `decision`, it is a rule of that choice, and it must be shown before a game that the seat is the one asked.

        Raises
        ------
        NotTranslatable
            When there is too much to follow.
        """
        sight = Sight(self.game, self.trees, self.arguments)
        if not sight.single and not sight.rows:
            return
        following = self.method("next")
        try:
            asks = sight.asks(following, None if decision is None else decision.index)
            if decision is not None and not asks:
                return
            own = next(iter(asks), "") if len(asks) == 1 else "" if decision is None else "several"
            peek = next(sight.peeks(name, own), None)
        except Unclear as error:
            raise NotTranslatable(f"{place(self.rules[following])}, in next: {error}") from error
        if peek is None:
            return
        rule = self.rules[peek.function]
        shown = " or ".join(f"self.{peek.name}[{seat}]" for seat in sorted(asks.values()))
        if decision is None:
            reader, shown = "a strategy", shown.replace("self.", "game.")
        else:
            reader = "which moves a seat has would show it the number; a rule of moves"
        raise Peeks(
            f"{place(rule, peek.line)}, in {rule.__name__}: {called} reads {peek.name}, which the seat that "
            f"plays does not see; {reader} reads "
            + (f"of a row by seat its own numbers alone: {shown}" if peek.by_seat else "what everybody sees")
        )

    def function(self, rule: Any, role: str) -> str:
        """Translate a function of the game; returns the name of the generated function."""
        return self.translate(RuleFunction(rule, role))

    def total(self, kind: Drawn) -> str:
        """Return the name of a function that returns the sum of weights that depend on the state, -1 if one is
        negative.
        """
        name = f"game_total_{kind.index}"
        if name not in self._tables.values():
            self._tables[name] = name
            before, weights = self._weights(kind)
            negative = " | ".join(weights)
            code = [*before, f"return -1 if {negative} < 0 else {' + '.join(weights)}"]
            self.source.append(self._written(name, "", code))
        return name

    def draw(self, kind: Drawn) -> str:
        """Return the name of a function that applies the rule of a draw, given a number below the
        sum of the weights.
        """
        name = f"game_draw_{kind.index}"
        if name not in self._tables.values():
            self._tables[name] = name
            before, weights = self._weights(kind)
            code, rule = [*before, "below = np.int64(0)"], self.function(kind.rule, "game")
            values = [face.value for face in kind.die.faces]
            code += ["face = 0", f"value = {values[0]}"]
            for face, value in enumerate(values[1:], 1):  # the first face below whose running sum the number is
                code += [f"below += {weights[face - 1]}", "if number >= below:"]
                code += [f"    face = {face}", f"    value = {value}"]
            code += [f"_r_{kind.bag.name}[face] -= 1"] if kind.bag is not None else []
            code += [f"{rule}({', '.join([*self.arguments, 'value'])})"]
            self.source.append(self._written(name, ", number", code))
        return name

    def _weights(self, kind: Drawn) -> tuple[list[str], list[str]]:
        """Code to run before, and an expression for each weight that depends on the state."""
        faces = range(len(kind.die.faces))
        if kind.bag is not None:
            return [], [f"_r_{kind.bag.name}[{face}]" for face in faces]
        called = f"{self.function(kind.loads, 'game')}({', '.join(self.arguments)})"
        names = [f"w{face}" for face in faces]
        if len(names) == 1:
            return [f"w0 = int({called})"], names
        return [f"weights = {called}", *(f"{name} = np.int64(weights[{i}])" for i, name in enumerate(names))], names

    def _written(self, name: str, more: str, code: Sequence[str]) -> str:
        """Return the text of a function of the game."""
        body = "\n".join(f"    {line}" for line in code)
        return f"@_rules.guarded\ndef {name}({', '.join(self.arguments)}{more}):\n{body}\n"

    def kinds(self, rule: RuleFunction, given: tuple[tuple[str, Any], ...] = ()) -> Kinds:
        """Return the kinds of the expressions of a function whose arguments have these kinds."""
        key = rule, given
        if key not in self._kinds:
            if rule in self._asked:
                raise NotTranslatable(f"{place(rule.function)}: {rule.function.__name__} calls itself; write a loop")
            self._asked.append(rule)
            try:
                self._kinds[key] = Kinds(self.game, rule, dict(given), self.result_of)
            finally:
                self._asked.pop()
        return self._kinds[key]

    def result_of(self, rule: RuleFunction, given: tuple[tuple[str, Any], ...]) -> Any:
        """Return the kind of the result of a function whose arguments have these kinds."""
        try:
            return self.kinds(rule, given).result
        except RulesError as error:
            raise NotTranslatable(str(error)) from error

    def loop(self, rule: FunctionType, name: str, line: int) -> str:
        """Return the key in `places` of the loop in a line of a rule, which became the function `name`."""
        key = f"{name}:{line - rule.__code__.co_firstlineno}"
        self.places[key] = f"{place(rule, line)}, {rule.__name__}"
        return key

    def translate(
        self,
        translated: RuleFunction,
        rows: tuple[tuple[int, RuleRow], ...] = (),
        given: tuple[tuple[str, Any], ...] = (),
    ) -> str:
        """Translate one function and all functions that it calls; returns the name of the generated function.

        Parameters
        ----------
        translated
            The function; the memory that it is given belongs to it, so there is one for each strategy that calls it.
        rows
            Indices of the arguments, counted after the game and without the memory, that are rows of the game or of a
            memory; and these rows.

        given
            The kinds of the arguments that aren't numbers, by name.
        """
        rule = translated.function
        if not isinstance(rule, FunctionType):
            raise NotTranslatable(f"{rule!r} is not a plain function")
        key = translated, rows, given
        if key in self._names:
            name = self._names[key]
            if self._open:
                self._calls[self._open[-1]].add(name)
            if name in self._open:
                raise NotTranslatable(f"{place(rule)}: {rule.__name__} calls itself; write a loop")
            return name
        name = f"{translated.role}_{len(self._names)}_{rule.__name__.strip('<>')}"
        self._names[key] = name
        self.places[name] = f"{place(rule)}, {rule.__name__}"
        self.functions[name], self._effects[name], self._calls[name] = translated, {}, set()
        if self._open:
            self._calls[self._open[-1]].add(name)
        self._open.append(name)
        tree, limit = _tree(rule), sys.getrecursionlimit()
        try:
            sys.setrecursionlimit(max(limit, DEEPEST))
            self.rewriter(self, translated, rows, given).rewrite(tree, name)
        except RecursionError:
            raise NotTranslatable(f"{place(rule)}: {rule.__name__} is nested too deeply; write simpler lists") from None
        finally:
            sys.setrecursionlimit(limit)
        self.source.append(f"@_rules.guarded\n{ast.unparse(ast.fix_missing_locations(tree))}")
        self.trees[name], self.rules[name] = tree, rule
        self._open.remove(name)
        return name


@lru_cache(maxsize=16)
def watched_rows(game: Any, rewriter: Callable[..., Any]) -> frozenset[str]:
    """Return the private rows by seat of a game that asks seats by several expressions.

    Which numbers are a seat's own is known only while such a game is played.
    """
    rows = frozenset(name for name, f in private_fields(game).items() if isinstance(f, Ints) and f.by_seat)
    if not rows:
        return rows
    translation = Translation(KernelLayout.of(game, ()), known_ranges(game, ()), rewriter)
    following = translation.method("next")
    try:
        asks = Sight(game, translation.trees, translation.arguments).asks(following)
    except Unclear:
        return rows
    return rows if len(asks) > 1 else frozenset()


def known_ranges(game: type[Game], strategies: Sequence[Strategy]) -> Ranges:
    """Return the intervals of the rules of a game with some strategies, found once for all that is made from them."""
    known: Any = game
    return _ranges(known, tuple(strategies))


@lru_cache(maxsize=16)
def _ranges(game: Any, strategies: tuple[Any, ...]) -> Ranges:
    return Ranges(game, strategies)


def _tree(rule: FunctionType) -> ast.FunctionDef:
    """Return a copy of the syntax tree of a function as it was loaded."""
    try:
        tree = definition(rule)
    except RulesError as error:
        raise NotTranslatable(str(error)) from error
    if not isinstance(tree, ast.FunctionDef):
        raise NotTranslatable(f"{place(rule)}: {rule.__name__} is not written with def")
    return deepcopy(tree)
