"""The contract: what a game is.

A game is a class in one readable file. It declares its parameters, its state and its tallies (`dicelab.rules.fields`),
and says in plain Python

* `next`: what happens now: dice are thrown, a seat chooses, or the game is over;
* what each kind of throw does: a method under `thrown`;
* what each kind of choice does: a method under `chosen`;
* `outcome`: who has won.

Rules contain no randomness, no input and no output. Dice come in as arguments. The same file is played, simulated
and solved; see ``docs/write-a-game.md`` for one written from scratch.

This file defines the contract and must not play a game: that is `dicelab.engines`.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from types import FunctionType
from typing import Any, ClassVar, TypeVar

from dicelab.errors import ParameterError, RangeError, RulesError, unknown
from dicelab.rules.dice import COUNTS, SUM, Die, View
from dicelab.rules.fields import (
    Expr,
    Field,
    Flag,
    HasParameters,
    Int,
    Ints,
    Param,
    Row,
    Tally,
    checked,
    fields_of,
    value_of,
)
from dicelab.rules.fields import Size as Size

OVER = -1
"""What `Game.next` returns when the game is over."""

ALL = 0
_STRIDE = 1 << 16

Rule = Callable[..., None]
Kind = type[enum.IntEnum] | Size | tuple[Size, Size]
RESERVED = frozenset(
    ["engine", "games", "help", "json", "limit", "on", "out", "over", "plot", "precision", "progress", "quiet", "seed"]
    + ["strategies", "strategy", "threads"]
)
"""Names that commands use for themselves; a parameter can't have them."""
LISTABLE = 4096
"""A decision with more combinations of values than this is not listed: it can be simulated, not solved."""


class Throw:
    """A kind of throw that the rules ask for: made by `thrown`, asked for by `throw`."""

    def __init__(self, most: Size, die: Die, view: View, rule: Rule) -> None:
        self.most = most
        self.die = die
        self.view = view
        self.rule = rule
        self.name = "?"
        self.index = -1

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def width(self, game: HasParameters) -> int:
        """How many numbers the rule receives."""
        if self.view is SUM:
            return 1
        return len(self.die.faces) if self.view is COUNTS else value_of(self.most, game)


def thrown(most: Size, die: Die, view: View = SUM) -> Callable[[Rule], Throw]:
    """Declare a kind of throw; the method below it is what the throw does to the game.

    Parameters
    ----------
    most
        How many dice at the most; a number, or parameters.
    die
        Which die.
    view
        What is seen: `SUM` (the method gets the total), `COUNTS` (one number for each face, in the order declared) or
        `FACES` (the value of each die in order, filled up with zeros to `most`).

    Examples
    --------
    ::

        @thrown(2, D6)
        def come_out(self, total: int) -> None: ...
    """
    return lambda rule: Throw(most, die, view, rule)


class Decision:
    """A kind of choice that the rules ask for: made by `chosen`, asked for by `ask`."""

    def __init__(self, kinds: tuple[Kind, ...], legal: Callable[..., bool] | None, rule: Rule) -> None:
        self.kinds = kinds
        self.legal = legal
        self.rule = rule
        self.name = "?"
        self.index = -1

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def spans(self, game: HasParameters) -> list[tuple[int, int]]:
        """Smallest and largest value of each number of a move."""
        return [_span(kind, game) for kind in self.kinds]

    def allows(self, game: Game, move: tuple[int, ...]) -> bool:
        """Is `move` allowed now?"""
        spans = self.spans(game)
        inside = len(move) == len(spans) and all(lo <= v <= hi for v, (lo, hi) in zip(move, spans, strict=True))
        return inside and (self.legal is None or bool(self.legal(game, *move)))

    def listing(self, game: Game) -> list[tuple[int, ...]] | None:
        """Every move allowed now, or None when there are too many combinations to list (`LISTABLE`)."""
        spans = self.spans(game)
        combinations = 1
        for low, high in spans:
            combinations *= high - low + 1
        if combinations > LISTABLE:
            return None
        return [m for m in product(*(range(lo, hi + 1) for lo, hi in spans)) if self.allows(game, m)]

    def describe(self, move: tuple[int, ...]) -> str:
        """The move in the game's own words."""
        words = []
        for kind, value in zip(self.kinds, move, strict=True):
            words.append(kind(value).name.lower().replace("_", " ") if isinstance(kind, type) else str(value))
        return " ".join(words)


def _span(kind: Kind, game: HasParameters) -> tuple[int, int]:
    if isinstance(kind, type):
        return min(kind), max(kind)
    if isinstance(kind, tuple):
        return value_of(kind[0], game), value_of(kind[1], game)
    return 0, value_of(kind, game) - 1


def chosen(*kinds: Kind, legal: Callable[..., bool] | None = None) -> Callable[[Rule], Decision]:
    """Declare a kind of choice; the method below it is what the choice does to the game.

    Parameters
    ----------
    *kinds
        For each number of a move what it may be: an `enum.IntEnum` of named moves counted from 0, a size n for
        0 to n - 1, or a pair (low, high).
    legal
        A method of the game, defined above, that says whether a move is allowed now. Without it all are.

    Examples
    --------
    ::

        @chosen(Move)
        def roll_or_hold(self, move: int) -> None: ...
    """
    return lambda rule: Decision(kinds, legal, rule)


def throw(kind: Throw, dice: int = ALL) -> int:
    """What `Game.next` returns to have dice thrown: ``return throw(self.cup, 3)``; without a number, all of them."""
    if dice < 0 or dice >= _STRIDE:
        raise RangeError(f"{kind.name}: {dice} dice can't be thrown")
    return kind.index * _STRIDE + dice


def ask(kind: Decision, seat: int) -> int:
    """What `Game.next` returns to have a seat choose: ``return ask(self.roll_or_hold, self.player)``."""
    return -2 - (kind.index * _STRIDE + seat)


def step_parts(step: int) -> tuple[bool, int, int]:
    """Take apart what `Game.next` returned: (is it a throw?, index of its kind, dice or seat)."""
    is_throw = step >= 0
    return (is_throw, *divmod(step if is_throw else -2 - step, _STRIDE))


class Memory:
    """What a strategy carries from one decision to the next: a class that declares `Int`, `Flag` and `Ints` fields.

    ::

        class Losses(Memory):
            in_a_row = Int(0, 20)
    """

    def __init__(self, game: Game) -> None:
        _fill(self, fields_of(type(self), Field), game)

    def __setattr__(self, name: str, value: object) -> None:
        _set(self, name, value)


@dataclass(frozen=True)
class Strategy:
    """A named way to choose: a plain function of the game, its memory if it has one, and its arguments."""

    name: str
    rule: FunctionType
    game: type[Game]
    params: dict[str, Param] = field(default_factory=dict)
    memory: type[Memory] | None = None

    @property
    def summary(self) -> str:
        """The first line of its docstring."""
        return (self.rule.__doc__ or "").strip().partition("\n")[0]


F = TypeVar("F", bound=Callable[..., Any])


def strategy(game: type[Game], memory: type[Memory] | None = None, **params: Param) -> Callable[[F], F]:
    """Declare a strategy of a game; the first one declared is the default.

    The function receives the game (to be read, not changed), its memory if it declares one, and its arguments; it
    returns a move: one number, or a tuple where a move has several.

    Examples
    --------
    ::

        @strategy(Pig, points=Param(20, 1, 1000, "hold at this many"))
        def hold_at(game: Pig, points: int) -> Move:
            return Move.HOLD if game.turn_points >= points else Move.ROLL
    """

    def declare(rule: F) -> F:
        assert isinstance(rule, FunctionType)
        named = {name: param.call(name) for name, param in params.items()}
        game.strategies = {**game.strategies, rule.__name__: Strategy(rule.__name__, rule, game, named, memory)}
        return rule

    return declare


class Game:
    """Parent of every game; an instance is one game with its parameters, in progress.

    Attributes
    ----------
    name
        How commands call the game.
    source
        Where the rules come from.
    seats
        Number of players who choose or win, usually the parameter ``players``.
    outcomes
        Names of the results, in the order of the numbers that `outcome` returns. Left out, the seats are the outcomes
        where `seats` is declared, and otherwise the game has tallies only.

    Examples
    --------
    >>> from dicelab.games.hazard import Hazard
    >>> Hazard(main=5).parameters
    {'main': 5}
    """

    name: ClassVar[str] = ""
    source: ClassVar[str] = ""
    seats: ClassVar[Size] = 1
    outcomes: ClassVar[tuple[str, ...] | None] = None

    params: ClassVar[dict[str, Param]] = {}
    state: ClassVar[dict[str, Field]] = {}
    tallies: ClassVar[dict[str, Tally]] = {}
    throws_of: ClassVar[tuple[Throw, ...]] = ()
    decisions: ClassVar[tuple[Decision, ...]] = ()
    strategies: ClassVar[dict[str, Strategy]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" not in vars(cls):
            cls.name = cls.__name__.lower()
        cls.params = {p.name: p for p in fields_of(cls, Param)}
        declared = list(fields_of(cls, Field))
        cls.tallies = {f.name: f for f in declared if isinstance(f, Tally)}
        cls.state = {f.name: f for f in declared if not isinstance(f, Tally)}
        cls.throws_of = tuple(fields_of(cls, Throw))
        cls.decisions = tuple(fields_of(cls, Decision))
        cls.strategies = dict(cls.strategies)
        for i, kind in enumerate(cls.throws_of):
            kind.index = i
        for i, decision in enumerate(cls.decisions):
            decision.index = i
        for name in sorted(RESERVED.intersection(cls.params)):
            raise RulesError(f"{cls.name}: a parameter can't be called {name}; commands use that name themselves")

    def __init__(self, **parameters: object) -> None:
        for name in parameters:
            if name not in self.params:
                raise unknown(f"parameter of {self.name}", name, self.params)
        values = {name: param.accept(parameters.get(name, param.default)) for name, param in self.params.items()}
        self.__dict__["parameters"] = values
        for name, param in self.params.items():
            self.__dict__[name] = param.show(values[name])
        refused = self.refuse()
        if refused:
            raise ParameterError(f"{self.name}: {refused}")
        _fill(self, iter((*self.state.values(), *self.tallies.values())), self)

    parameters: dict[str, int]
    """Value of each parameter, switches as 0 and 1."""

    def __setattr__(self, name: str, value: object) -> None:
        _set(self, name, value)

    # What a game says -------------------------------------------------------------------------------------------

    def refuse(self) -> str:
        """What is wrong with the parameters taken together, in a sentence; empty when nothing is."""
        return ""

    def start(self) -> None:
        """Set up the state; every field has its initial value before."""

    def next(self) -> int:
        """What happens now: ``throw(...)``, ``ask(...)`` or `OVER`."""
        raise RulesError(f"{type(self).__name__} has no method next(self)")

    def outcome(self) -> int:
        """Number of the outcome once the game is over: a seat, or a place in `outcomes`."""
        raise RulesError(f"{type(self).__name__} has no method outcome(self), although it has outcomes")

    # What others ask --------------------------------------------------------------------------------------------

    def seat_count(self) -> int:
        """Number of seats for these parameters."""
        return value_of(self.seats, self)

    def outcome_names(self) -> tuple[str, ...]:
        """Names of the outcomes for these parameters; none when the game only has tallies."""
        if self.outcomes is not None:
            return self.outcomes
        return tuple(str(seat) for seat in range(self.seat_count())) if isinstance(self.seats, Expr) else ()

    def reset(self) -> None:
        """Back to the beginning of a game."""
        _fill(self, iter((*self.state.values(), *self.tallies.values())), self)
        self.start()

    def fresh(self) -> Game:
        """Another game of the same kind with the same parameters."""
        return type(self)(**self.parameters)

    def position(self) -> dict[str, int | list[int]]:
        """The state as plain data."""
        return {name: _plain(self.__dict__[name]) for name in self.state}

    def counted(self) -> dict[str, int]:
        """The tallies as plain data."""
        return {name: self.__dict__[name] for name in self.tallies}

    def shown(self) -> dict[str, int | bool]:
        """The parameters as people and JSON see them."""
        return {name: param.show(self.parameters[name]) for name, param in self.params.items()}

    @classmethod
    def summary(cls) -> str:
        """The first line of the docstring."""
        return (cls.__doc__ or "").strip().partition("\n")[0]


def _plain(value: int | list[int]) -> int | list[int]:
    return list(value) if isinstance(value, list) else int(value)


def _fill(holder: object, fields: Iterator[Field], game: Game) -> None:
    """Give every field of a game or a memory its initial value, and remember the ranges."""
    values = holder.__dict__
    bounds = values.setdefault("_bounds", {})
    for f in fields:
        if f.name not in bounds:
            bounds[f.name] = f.bounds(game)
        first = f.initial(game)
        if isinstance(f, Ints):
            values[f.name] = Row(f, [first] * value_of(f.length, game), bounds[f.name])
        else:
            values[f.name] = bool(first) if isinstance(f, Flag) else first


def _set(holder: object, name: str, value: object) -> None:
    """Set a declared field of a game or a memory, its range checked."""
    f = getattr(type(holder), name, None)
    values = holder.__dict__
    if isinstance(f, Int | Flag | Tally) and name in values:
        values[name] = checked(f, value, values[name], values["_bounds"][name])
    elif isinstance(f, Param):
        raise RangeError(f"{name} is a parameter; rules do not change it")
    elif isinstance(f, Ints):
        raise RangeError(f"{name} is a row; set its values one at a time: {name}[i] = ...")
    else:
        raise RangeError(f"{name} is not declared; declare what changes as Int, Ints, Flag or Tally in the class")
