"""The contract: the base class `Game`, and functions of a game's class or state.

A game is a class in one readable file. It declares its parameters, its state and its tallies (`dicelab.rules.fields`),
and defines in plain Python

* `next`: what happens now: dice are rolled, a seat chooses, or the game is over;
* the effect of each kind of roll: a method under `thrown`;
* the effect of each kind of choice: a method under `chosen`;
* `outcome`: who has won.

Rules contain no randomness, no input and no output: they receive the dice as arguments. The same file is played,
simulated and solved; ``docs/write-a-game.md`` writes one from scratch. The code that plays games is in
`dicelab.runtime` and `dicelab.engines`.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from types import FunctionType
from typing import Any, ClassVar, TypeVar

from dicelab.errors import ParameterError, RulesError, unknown
from dicelab.rules.actions import Decision, Throw
from dicelab.rules.fields import Field, Tally, applied, fields_of, fill, store
from dicelab.rules.mixtures import drawn, may_mix
from dicelab.rules.params import Expr, Param, Size, value_of
from dicelab.rules.private import masked_for_seat, private_fields
from dicelab.rules.together import hide_rows
from dicelab.rules.unverified import watched
from dicelab.rules.validation import must_be_free, must_have_names, must_have_parameters, must_have_words
from dicelab.rules.words import Words, player_name, player_typed


class Memory:
    """Base class of what a strategy remembers between its decisions; declares `Int`, `Flag` and `Ints` fields.

    ::

        class Losses(Memory):
            in_a_row = Int(0, 20)
    """

    def __init__(self, game: Game) -> None:
        fill(self, fields_of(type(self), Field), game)

    def __repr__(self) -> str:
        values = {field.name: self.__dict__[field.name] for field in fields_of(type(self), Field)}
        return f"{type(self).__name__}({', '.join(f'{name}={value}' for name, value in values.items())})"

    __setattr__ = store


@dataclass(frozen=True, eq=False, repr=False)
class Strategy:
    """A strategy as declared: its function of the game, its parameters, and the class of its memory.

    Called with arguments it gives itself with these arguments: ``hold_at(25)``. Called with the game first (and its
    memory, if it has one), as other strategies do, it gives its move: ``hold_at(game, 25)``. Arguments may be given by
    name, and those left out are at their defaults.

    Attributes
    ----------
    name, rule, game
        Its name, its function, and the class of the games that it plays.
    params
        Its parameters, by name.
    memory, moves
        The class of its memory, if it has one; the move in every state, if it is a saved policy.
    verified
        Whether it was shown to depend on the game alone; a plain Python function that can't be translated isn't.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp, bank_over
    >>> bank_over, bank_over(50)
    (<Strategy bank_over(points=20) of tossup>, <Strategy bank_over:50 of tossup>)
    """

    name: str
    rule: FunctionType
    game: type[Game]
    params: dict[str, Param] = field(default_factory=dict)
    memory: type[Memory] | None = None
    moves: Any = None
    """The move in every state, if the strategy is a saved policy: a `dicelab.engines.policy.Policy`."""
    verified: bool = True

    def __post_init__(self) -> None:
        of_rule = {name: getattr(self.rule, name) for name in ("__doc__", "__module__", "__name__", "__qualname__")}
        vars(self).update(of_rule, __wrapped__=self.rule)

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={param.word(param.default)}" for name, param in self.params.items())
        return f"<Strategy {self.name}({arguments}) of {self.game.name}>"

    @property
    def summary(self) -> str:
        """The first line of its docstring, without backticks."""
        return summary(self.rule)

    @cached_property
    def mixes(self) -> bool:
        """Whether it may return a mixture, from which a move is drawn."""
        return may_mix(self.rule) if self.moves is None else bool(getattr(self.moves, "mixes", False))

    @property
    def first(self) -> int:
        """How many arguments come before its own: the game, and its memory if it has one."""
        return 1 if self.memory is None else 2

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Return the strategy with arguments; or its move, if the game is given first."""
        if not given or not isinstance(given[0], Game):
            return self.bound(given, named)
        if self.memory is not None and not isinstance((*given, None)[1], Memory):
            raise RulesError(f"{self.name} has a memory; it is called as {self.name}(game, mine, ...)")
        return self.rule(*given[: self.first], *self.bound(given[self.first :], named, checked=False).args)

    def bound(self, given: Sequence[Any], named: Mapping[str, Any], checked: bool = True) -> Call:
        """Return the strategy with arguments, by place and by name; whole numbers are not `checked` in calls by
        strategies.

        Raises
        ------
        InputError
            When there is no such argument, or a value is not allowed.
        """
        names = list(self.params)
        if len(given) > len(names):
            raise ParameterError(f"too many arguments; it is written {':'.join([self.name, *names])}")
        values = dict(zip(names, given, strict=False))
        for name, value in named.items():
            if name not in names:
                raise unknown("argument", name, names)
            if name in values:
                raise ParameterError(f"{name} is given twice")
            values[name] = value
        every = ((param, values.get(name, param.default)) for name, param in self.params.items())
        return Call(self, tuple(p.accept(v) if checked or isinstance(v, str) else v for p, v in every))


Chooser = Callable[["Game", Decision, int], object]
"""Returns the move of a seat: a strategy with its arguments and memory, or a person."""


@dataclass(frozen=True, repr=False)
class Call:
    """A strategy with its arguments.

    Its text is what `dicelab.runtime.strategies.parse_call` accepts: ``bank_over:20``. Of several arguments it has
    those that differ from the defaults: ``line:odds=2:system=martingale``.

    Attributes
    ----------
    strategy, args
        The declared strategy, and its arguments as whole numbers, in their order.

    Examples
    --------
    >>> from dicelab.games.tossup import bank_over
    >>> call = bank_over(50)
    >>> str(call), call.arguments
    ('bank_over:50', {'points': 50})
    """

    strategy: Strategy
    args: tuple[int, ...]

    def __repr__(self) -> str:
        return f"<Strategy {self} of {self.strategy.game.name}>"

    def __str__(self) -> str:
        given = zip(self.strategy.params.values(), self.args, strict=True)
        if len(self.args) == 1:
            words = [p.word(value) for p, value in given]
        else:
            words = [f"{p.name}={p.word(value)}" for p, value in given if value != p.default]
        return ":".join([self.strategy.name, *words])

    @property
    def summary(self) -> str:
        """The first line of the strategy's docstring, with the arguments in place of their names.

        >>> from dicelab.games.tossup import bank_over
        >>> bank_over(50).summary
        'Bank as soon as the turn is worth more than 50, even if banking earlier would win.'
        """
        text = (self.strategy.rule.__doc__ or "").strip().partition("\n")[0]
        for param, value in zip(self.strategy.params.values(), self.args, strict=True):
            text = text.replace(f"`{param.name}`", param.word(value))
        return text.replace("`", "")

    @property
    def arguments(self) -> dict[str, Any]:
        """All arguments by name, as plain data."""
        return {p.name: p.show(value) for p, value in zip(self.strategy.params.values(), self.args, strict=True)}

    def chooser(self, game: Game, memory: Memory | None = None) -> Chooser:
        """Return the chooser of one seat in one game; it has the given memory, or a new one."""
        rule: Callable[..., object] = self.strategy.rule
        args: tuple[Any, ...] = self.args
        if self.strategy.memory is not None:
            args = (memory or self.strategy.memory(game), *args)
        if not self.strategy.verified:
            plain, name = rule, self.strategy.name
            rule = lambda position: watched(plain, name, position)  # noqa: E731
        hidden = private_fields(game)
        if not hidden or self.strategy.moves is not None:  # a policy was found to depend on what is seen alone
            return lambda position, decision, seat: drawn(rule(position, *args), position)
        who = self.strategy.name
        return lambda position, decision, seat: drawn(
            masked_for_seat(lambda: rule(position, *args), position, seat, hidden, who), position
        )


@dataclass(frozen=True)
class Declared:
    """The declarations of a game: by name, in the order written; kinds of rolls and choices by their index."""

    params: dict[str, Param]
    state: dict[str, Field]
    tallies: dict[str, Tally]
    throws: tuple[Throw, ...]
    decisions: tuple[Decision, ...]
    strategies: ChainMap[str, Strategy]
    """The first map holds the game's own strategies, the next ones those of its parents."""

    @classmethod
    def of(cls, game: type[Game], inherited: ChainMap[str, Strategy]) -> Declared:
        """Collect the declarations of a class and its parents.

        Raises
        ------
        RulesError
            When a name is reserved for the contract or the commands, or declarations contradict each other.
        """
        must_have_names(game)
        fields = list(fields_of(game, Field))
        params = {p.name: p for p in fields_of(game, Param)}
        throws = tuple(_numbered(game, i, kind) for i, kind in enumerate(fields_of(game, Throw)))
        decisions = tuple(_numbered(game, i, kind) for i, kind in enumerate(fields_of(game, Decision)))
        hide_rows(game, decisions)
        kinds = [kind for decision in decisions for kind in decision.kinds]
        must_have_parameters(game, params, fields, throws, kinds)
        names = [*params, *(f.name for f in fields), *(t.name for t in throws), *(d.name for d in decisions)]
        must_be_free(game, names, params, Game)
        must_have_words(game, {*params, *(f.name for f in fields)}, {step.name for step in (*throws, *decisions)})
        tallies = {f.name: f for f in fields if isinstance(f, Tally)}
        state = {f.name: f for f in fields if not isinstance(f, Tally)}
        return cls(params, state, tallies, throws, decisions, inherited.new_child())


K = TypeVar("K", Throw, Decision)


def _numbered(game: type[Game], index: int, kind: K) -> K:
    """Return the kind with its index in this game; a copy if it has another index in a parent class."""
    if kind.index not in (-1, index):
        kind = copy(kind)
        setattr(game, kind.name, kind)
    kind.index = index
    return kind


class Game:
    """Base class of every game; an instance holds the parameters and the current state of one game.

    Attributes
    ----------
    name
        The name of the game in commands.
    source
        Where the rules come from.
    seats
        Number of players who choose or win: a number, or the parameter ``players``; 1 unless declared.
    outcomes
        Names of the results, in the order of the numbers that `outcome` returns. If not declared, the seats are the
        outcomes of a game with several seats (or a parameter for them); any other game then has tallies only. The
        number of seats in front of names stands for "this player wins", once for each: ``(players, "draw")``.
    payoffs
        What each seat gets by each of the `outcomes`, in the order of the seats: ``{"first": (1, 0), "second": (0, 1),
        "draw": (0.5, 0.5)}``. Seats that win together get the same. Numbers, or expressions of parameters; one number
        is what every seat gets, and a pair for ``players`` what the winner and each other seat get: ``{players:
        (players - 1, -1), "draw": 0}``. Or, if points or money are counted during the game, the tally that each seat
        plays for: ``(first, second)``, as many as there may be seats.
    words
        How the game looks and what its things are called.

    Examples
    --------
    >>> from dicelab.games.hazard import Hazard
    >>> Hazard(main=5).parameters
    {'main': 5}
    """

    name: ClassVar[str] = ""
    source: ClassVar[str] = ""
    seats: ClassVar[Size] = 1
    outcomes: tuple[Any, ...] | None = None
    payoffs: ClassVar[Mapping[Any, Any] | Sequence[Any] | None] = None
    words: ClassVar[Words] = Words()

    declared: ClassVar[Declared]
    parameters: dict[str, int]
    """Value of each parameter; switches as 0 and 1, choices as the index of the name."""

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
        # Found here at once; `Step.__get__` finds the same, but takes a call.
        self.__dict__.update({step.name: step for step in self.declared.throws})
        self.__dict__.update({step.name: step.of(self) for step in self.declared.decisions})
        reason = self.refuse()
        if reason:
            raise ParameterError(f"{self.name}: {reason}")
        if seat_count(self) < 1:
            raise ParameterError(f"{self.name}: with these parameters there are {seat_count(self)} seats")
        fill(self, _changing(self), self)

    __setattr__ = store

    def __repr__(self) -> str:
        given = [(name, p) for name, p in self.declared.params.items() if self.parameters[name] != p.default]
        values = ", ".join(f"{name}={p.show(self.parameters[name])!r}" for name, p in given)
        return f"{type(self).__name__}({values})"

    def refuse(self) -> str:
        """Return why this combination of parameters is not allowed, as a sentence; empty if it is allowed."""
        return ""

    def start(self) -> None:
        """Set up the state, beyond the initial values that the fields already have."""

    def next(self) -> int:
        """Return the next step: ``throw(...)``, ``ask(...)`` or `OVER`.

        Raises
        ------
        RulesError
            When the game doesn't define it.
        """
        raise RulesError(f"{type(self).__name__} has no method next(self)")

    def outcome(self) -> int | None:
        """Return the outcome of a finished game: a seat, or an index of `outcomes`.

        Called once for each finished game. It may count tallies and must change nothing else. In a game without
        outcomes it may be defined to count what is known only at the end; what it returns is then not used.

        Raises
        ------
        RulesError
            When the game has outcomes and doesn't define it.
        """
        raise RulesError(f"{type(self).__name__} has no method outcome(self), although it has outcomes")

    # Texts for play at a terminal. These methods may use all of Python; they are never compiled.

    def view(self) -> str:
        """Return the current state as text; if empty, the terminal lists the fields instead."""
        return ""

    def told(self, before: Any, what: str, *values: int) -> str:
        """Return what a roll or a choice has done, as text; called only if a game overrides it.

        Parameters
        ----------
        before
            The game before the roll or choice.
        what, values
            The name of the method under `thrown` or `chosen`, and its arguments.
        """
        return ""

    def menu(self) -> Mapping[str, Mapping[str, str]]:
        """Return the choices allowed now, by group title: for each choice, its bet in the game of `edges_of`, or ""."""
        return {}

    def prompt(self) -> str:
        """Return the question that the terminal asks before a line is typed; if empty, it lists the choices allowed."""
        return ""

    def heard(self, line: str) -> str:
        """Return the move, written out in full, that a typed line means; raises `ParameterError` if it means none.

        An empty line is what Enter alone types; returned empty, it is refused where several moves are allowed.
        The terminal's command ``help`` shows the docstring of a game's own version.
        """
        return line


# Functions, not methods, so that a game's fields may have these names -------------------------------------------------


def seat_count(game: Game) -> int:
    """Return the number of seats, given the parameters of the game."""
    return value_of(game.seats, game)


def outcome_names(game: Game) -> tuple[str, ...]:
    """Return the names of the outcomes, given the parameters of the game; empty if it has tallies only."""
    if "_outcomes" not in game.__dict__:
        game.__dict__["_outcomes"] = _outcome_names(game)
    names: tuple[str, ...] = game.__dict__["_outcomes"]
    return names


def _outcome_names(game: Game) -> tuple[str, ...]:
    if seats_first(type(game)):
        return (
            *(player_name(seat, player_names(game)) for seat in range(seat_count(game))),
            *(game.outcomes or ())[1:],
        )
    if game.outcomes is not None:
        return game.outcomes
    return tuple(str(seat) for seat in range(seat_count(game))) if has_outcomes(type(game)) else ()


def seats_first(game: type[Game]) -> bool:
    """Return whether the outcomes are the seats that win, and others after them, such as a draw."""
    return bool(game.outcomes) and not isinstance((game.outcomes or ("",))[0], str)


def winner_of(game: Game, outcome: int) -> int | None:
    """Return the seat that wins by an outcome; None if the outcome isn't that a seat wins."""
    seats = seat_count(game) if game.outcomes is None or seats_first(type(game)) else 0
    return outcome if outcome < seats else None


def player_names(game: Game) -> tuple[str, ...]:
    """Return the names of all seats as the game declares them; empty if it doesn't name exactly these.

    >>> from dicelab.games.lcr import LCR
    >>> player_names(LCR())
    ()
    """
    names = tuple(game.words.players)
    return names if len(names) == seat_count(game) else ()


def seat_typed(game: Game, text: str) -> int | None:
    """Return the seat that a typed label means, such as ``player 2`` or the name that the game gives it; None for
    others.

    >>> from dicelab.games.lcr import LCR
    >>> seat_typed(LCR(), "player 2"), seat_typed(LCR(), "2")
    (1, None)
    """
    return player_typed(text, max(1, seat_count(game)), player_names(game))


def has_outcomes(game: type[Game]) -> bool:
    """Return whether a game has outcomes; otherwise it has tallies only."""
    if game.outcomes is not None:
        return game.outcomes != ()
    return isinstance(game.seats, Expr) or game.seats > 1


def counts_at_end(game: type[Game]) -> bool:
    """Return whether `Game.outcome` is called at the end: for an outcome, or without outcomes to count then."""
    return has_outcomes(game) or game.outcome is not Game.outcome


def reset(game: Game) -> None:
    """Set a game back to its beginning."""
    fill(game, _changing(game), game)
    if type(game).start is not Game.start:
        applied(type(game).start, game, ())


def fresh(game: Game) -> Game:
    """Return a new instance of the same game with the same parameters, at its beginning."""
    return type(game)(**game.parameters)


def twin(game: Game) -> Game:
    """Return a copy of a game: same parameters, state and tallies."""
    other = fresh(game)
    overwrite(other, game)
    return other


def overwrite(other: Game, game: Game) -> None:
    """Give a game the state and tallies of another with the same parameters."""
    for f in _changing(game):
        value = game.__dict__[f.name]
        if isinstance(value, list):
            list.__setitem__(other.__dict__[f.name], slice(None), value)
        else:
            other.__dict__[f.name] = value


def position(game: Game) -> dict[str, int | list[int]]:
    """Return the state as plain data."""
    return {name: _plain(game.__dict__[name]) for name in game.declared.state}


def counted(game: Game) -> dict[str, int]:
    """Return the tallies as plain data."""
    return {name: game.__dict__[name] for name in game.declared.tallies}


def shown(game: Game) -> dict[str, Any]:
    """Return the parameters as they appear in output and JSON."""
    return {name: param.show(game.parameters[name]) for name, param in game.declared.params.items()}


def summary(thing: object) -> str:
    """Return the first line of a docstring, as it is shown: without the backticks that mark names in source files."""
    return (thing.__doc__ or "").strip().partition("\n")[0].replace("`", "")


def _changing(game: Game) -> Iterator[Field]:
    return iter((*game.declared.state.values(), *game.declared.tallies.values()))


def _plain(value: int | list[int]) -> int | list[int]:
    return [int(number) for number in value] if isinstance(value, list) else int(value)
