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

from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, ClassVar, TypeVar

from dicelab.errors import ParameterError, RangeError, RulesError, unknown
from dicelab.rules.actions import Decision, Throw
from dicelab.rules.fields import Field, Flag, Int, Ints, Row, Tally, checked, fields_of
from dicelab.rules.params import Expr, Param, Size, value_of
from dicelab.rules.validation import must_be_free, must_have_names, must_have_parameters


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


@dataclass(frozen=True, eq=False)
class Strategy:
    """A named way to choose: a plain function of the game, its memory if it has one, and its arguments."""

    name: str
    rule: FunctionType
    game: type[Game]
    params: dict[str, Param] = field(default_factory=dict)
    memory: type[Memory] | None = None
    moves: Any = None
    """The moves at every position, where it was solved for them and kept: a `dicelab.engines.policy.Policy`."""

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
        if not isinstance(rule, FunctionType):
            raise RulesError(f"{game.name}: @strategy stands above a function, not above {rule!r}")
        for name, param in params.items():
            if not isinstance(param, Param):
                raise RulesError(
                    f"{game.name}: @strategy(..., {name}={param!r}): an argument is a Param, Switch or Choice"
                )
        named = {name: copy(param).call(name) for name, param in params.items()}
        game.declared.strategies[rule.__name__] = Strategy(rule.__name__, rule, game, named, memory)
        return rule

    return declare


@dataclass(frozen=True)
class Declared:
    """What a game declares, each by name in the order written; throws and decisions by their index."""

    params: dict[str, Param]
    state: dict[str, Field]
    tallies: dict[str, Tally]
    throws: tuple[Throw, ...]
    decisions: tuple[Decision, ...]
    strategies: ChainMap[str, Strategy]
    """Those of the parents first."""

    @classmethod
    def of(cls, game: type[Game], inherited: ChainMap[str, Strategy]) -> Declared:
        """Collect the declarations of a class and its parents.

        Raises
        ------
        RulesError
            When a name is taken by the contract itself or by the commands, or declarations contradict each other.
        """
        must_have_names(game)
        fields = list(fields_of(game, Field))
        params = {p.name: p for p in fields_of(game, Param)}
        throws = tuple(_numbered(game, i, kind) for i, kind in enumerate(fields_of(game, Throw)))
        decisions = tuple(_numbered(game, i, kind) for i, kind in enumerate(fields_of(game, Decision)))
        kinds = [kind for decision in decisions for kind in decision.kinds]
        must_have_parameters(game, params, fields, throws, kinds)
        names = [*params, *(f.name for f in fields), *(t.name for t in throws), *(d.name for d in decisions)]
        must_be_free(game, names, params, Game)
        tallies = {f.name: f for f in fields if isinstance(f, Tally)}
        state = {f.name: f for f in fields if not isinstance(f, Tally)}
        return cls(params, state, tallies, throws, decisions, inherited.new_child())


K = TypeVar("K", Throw, Decision)


def _numbered(game: type[Game], index: int, kind: K) -> K:
    """The kind with its number in this game: a copy of it where a parent knows it by another number."""
    if kind.index not in (-1, index):
        kind = copy(kind)
        setattr(game, kind.name, kind)
    kind.index = index
    return kind


class Game:
    """Parent of every game; an instance is one game with its parameters, in progress.

    Attributes
    ----------
    name
        How commands call the game.
    source
        Where the rules come from.
    seats
        Number of players who choose or win: a number, or the parameter ``players``; 1 unless declared.
    outcomes
        Names of the results, in the order of the numbers that `outcome` returns. Left out, the seats are the outcomes
        where there are several (or a parameter says how many), and otherwise the game has tallies only.

    Examples
    --------
    >>> from dicelab.games.hazard import Hazard
    >>> Hazard(main=5).parameters
    {'main': 5}
    """

    name: ClassVar[str] = ""
    source: ClassVar[str] = ""
    seats: ClassVar[Size] = 1
    outcomes: tuple[str, ...] | None = None

    declared: ClassVar[Declared]
    parameters: dict[str, int]
    """Value of each parameter, switches as 0 and 1, names as their places."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" not in vars(cls):
            cls.name = cls.__name__.lower()
        parent = getattr(cls, "declared", None)
        cls.declared = Declared.of(cls, parent.strategies if parent else ChainMap())

    def __init__(self, /, **parameters: object) -> None:
        for name in parameters:
            if name not in self.declared.params:
                raise unknown(f"parameter of {self.name}", name, self.declared.params)
        values = {
            name: param.accept(parameters.get(name, param.default)) for name, param in self.declared.params.items()
        }
        self.__dict__["parameters"] = values
        for name, param in self.declared.params.items():
            self.__dict__[name] = param.seen(values[name])
        refused = self.refuse()
        if refused:
            raise ParameterError(f"{self.name}: {refused}")
        _fill(self, _changing(self), self)

    def __setattr__(self, name: str, value: object) -> None:
        _set(self, name, value)

    def refuse(self) -> str:
        """What is wrong with the parameters taken together, in a sentence; empty when nothing is."""
        return ""

    def start(self) -> None:
        """Set up the state; every field has its initial value before."""

    def next(self) -> int:
        """What happens now: ``throw(...)``, ``ask(...)`` or `OVER`."""
        raise RulesError(f"{type(self).__name__} has no method next(self)")

    def outcome(self) -> int:
        """Number of the outcome once the game is over: a seat, or a place in `outcomes`.

        Called once for each finished game. It may count tallies and changes nothing else.
        """
        raise RulesError(f"{type(self).__name__} has no method outcome(self), although it has outcomes")

    # For people at a terminal; any Python, and never compiled

    def view(self) -> str:
        """How the game stands, drawn in lines of text; empty where the fields are listed instead."""
        return ""

    def told(self, before: Any, what: str, *values: int) -> str:
        """What a throw or a choice has done, in lines of text; not asked unless a game defines it.

        Parameters
        ----------
        before
            The game as it stood before.
        what, values
            The name of the method under `thrown` or `chosen`, and what it was given.
        """
        return ""

    def menu(self) -> Mapping[str, Mapping[str, str]]:
        """What may be chosen now, in groups with titles: each choice with its name in the game of its edges, or ""."""
        return {}

    def heard(self, line: str) -> str:
        """What somebody means who types this line, in the full words of a choice; `ParameterError` says what is wrong.

        The docstring of a game's own version is shown by ``help``.
        """
        return line


# What others ask of a game; functions, so that a game may call its fields what it likes ------------------------------


def seat_count(game: Game) -> int:
    """Number of seats for the parameters of a game."""
    return value_of(game.seats, game)


def outcome_names(game: Game) -> tuple[str, ...]:
    """Names of the outcomes for the parameters of a game; none when it only has tallies."""
    if game.outcomes is not None:
        return game.outcomes
    return tuple(str(seat) for seat in range(seat_count(game))) if has_outcomes(type(game)) else ()


def has_outcomes(game: type[Game]) -> bool:
    """Does a game end in one of several outcomes, or does it have tallies only?"""
    if game.outcomes is not None:
        return game.outcomes != ()
    return isinstance(game.seats, Expr) or game.seats > 1


def reset(game: Game) -> None:
    """Back to the beginning of a game."""
    _fill(game, _changing(game), game)
    game.start()


def fresh(game: Game) -> Game:
    """Another game of the same kind with the same parameters."""
    return type(game)(**game.parameters)


def twin(game: Game) -> Game:
    """Another game that stands where this one does."""
    other = fresh(game)
    for f in _changing(game):
        value = game.__dict__[f.name]
        if isinstance(value, list):
            list.__setitem__(other.__dict__[f.name], slice(None), value)
        else:
            other.__dict__[f.name] = value
    return other


def position(game: Game) -> dict[str, int | list[int]]:
    """The state as plain data."""
    return {name: _plain(game.__dict__[name]) for name in game.declared.state}


def counted(game: Game) -> dict[str, int]:
    """The tallies as plain data."""
    return {name: game.__dict__[name] for name in game.declared.tallies}


def shown(game: Game) -> dict[str, Any]:
    """The parameters as people and JSON see them."""
    return {name: param.show(game.parameters[name]) for name, param in game.declared.params.items()}


def summary(game: type[Game]) -> str:
    """The first line of a game's docstring."""
    return (game.__doc__ or "").strip().partition("\n")[0]


def _changing(game: Game) -> Iterator[Field]:
    return iter((*game.declared.state.values(), *game.declared.tallies.values()))


def _plain(value: int | list[int]) -> int | list[int]:
    return [int(number) for number in value] if isinstance(value, list) else int(value)


def _fill(holder: object, fields: Iterator[Field], game: Game) -> None:
    """Give every field of a game or a memory its initial value, and remember the ranges."""
    values = holder.__dict__
    bounds = values.setdefault("_bounds", {})
    for f in fields:
        if f.name not in bounds:
            bounds[f.name] = f.bounds(game)
            _must_begin_inside(f, f.initial(game), bounds[f.name])
        first = f.initial(game)
        if isinstance(f, Ints):
            values[f.name] = Row(f, [first] * value_of(f.length, game), bounds[f.name])
        else:
            values[f.name] = bool(first) if isinstance(f, Flag) else first


def _must_begin_inside(f: Field, first: int, bounds: tuple[int, int]) -> None:
    low, high = bounds
    if low <= high and not low <= first <= high:
        raise RangeError(f"{f.name} = {first} at the start is outside its declared range {low} to {high}")


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
