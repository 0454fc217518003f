"""Policies: the best move in every state that was solved, saved to a file, and played as a strategy.

``policy:best.npz`` names the policy of that file wherever a strategy is given.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from types import FunctionType
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from dicelab.engines import policy_file
from dicelab.engines.policy_file import solve_again, verb
from dicelab.errors import InputError, ParameterError, PlayError
from dicelab.rules.actions import Decision, step_parts
from dicelab.rules.game import Call, Game, Strategy, fresh, position, shown
from dicelab.rules.loading.hashing import source_hash
from dicelab.rules.loading.source import modules_of_strategies
from dicelab.rules.private import private_fields, shown_to
from dicelab.rules.wording import named_move
from dicelab.runtime.frames import bar, frame
from dicelab.runtime.interpreter import asked
from dicelab.runtime.states.codec import Place, Slots, rows_with
from dicelab.runtime.strategies import IN_PLACE, is_policy, known_calls

PREFIX = "policy:"
MOST_SHOWN = 20
"""Number of different moves that a notebook shows, at most."""


@dataclass(frozen=True)
class PolicyOption:
    """A move in a state.

    Attributes
    ----------
    move
        The numbers that the rules receive.
    worth
        The value of the state after it, for the seat that chooses: a probability, or a mean for a tally.

    Examples
    --------
    >>> import dicelab
    >>> state = dicelab.solve("tossup", target=8, dice=2).policy.choices(0)
    >>> [(option.move, round(option.worth, 6)) for option in state.options]
    [((0,), 0.569611), ((1,), 0.430389)]
    """

    move: tuple[int, ...]
    worth: float


@dataclass(frozen=True)
class Choices:
    """A state in which a seat chooses.

    Attributes
    ----------
    state
        The numbers of the state, by name.
    decision
        The choice, as the rules declare it.
    options
        The options, in the order in which they are numbered.
    best
        The index of the best one.
    game
        The game with its parameters, whose words the moves are in.

    Examples
    --------
    >>> import dicelab
    >>> state = dicelab.solve("tossup", target=8, dice=2).policy.choices(0)
    >>> state.state["points"], state.best_move, state.best
    (0, 'roll', 0)
    """

    state: dict[str, int]
    decision: Decision
    options: list[PolicyOption]
    best: int
    game: Game

    def in_words(self, option: PolicyOption) -> str:
        """Return an option in words."""
        return named_move(self.game, self.decision, option.move[: len(self.decision.kinds)])

    @property
    def best_move(self) -> str:
        """The best move, in words."""
        return self.in_words(self.options[self.best])

    @property
    def worths(self) -> dict[str, float]:
        """The value of each move, in words."""
        return {self.in_words(option): option.worth for option in self.options}


class SavedPolicy(ABC):
    """What every policy is that a file can hold: moves in a table, moves found when they are asked for, or mixtures.

    Attributes
    ----------
    game
        The game with its parameters.
    about
        What was solved, in plain data.
    kind
        The format of its file, of `policy_file.FORMATS`.
    on_demand
        Whether moves are found only when they are asked for: then only the reference engine plays them.
    mixes
        Whether moves are drawn.
    """

    game: Game
    about: dict[str, Any]
    kind: ClassVar[int]
    on_demand: ClassVar[bool] = False
    mixes: ClassVar[bool] = False

    @cached_property
    def strategy(self) -> Strategy:
        """The policy as a strategy; calls that take strategies take the policy itself."""
        return self.named("policy")

    @abstractmethod
    def named(self, name: str) -> Strategy:
        """Return the policy as a strategy of this name.

        Raises
        ------
        ParameterError
            When the moves depend on what the seat that chooses doesn't see.
        """

    @property
    def kept(self) -> dict[str, NDArray[Any]]:
        """The arrays that are saved, by name."""
        return {name: getattr(self, name) for name in policy_file.FORMATS[self.kind]}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the policy to a file."""
        policy_file.write(path, {"source_hash": source_hash(type(self.game)), **self.about}, self.kept, self.kind)

    def must_be_for(self, game: Game | type[Game], path: object) -> None:
        """Refuse a game whose parameters differ from those that were solved."""
        same_parameters(self.game, game, path, self.about)


class Moves(SavedPolicy):
    """A policy that makes one move in each state; how it finds the move is its own matter.

    A state of a policy is whatever its `where` returns, and its `choices` take.

    Examples
    --------
    >>> import dicelab
    >>> policy = dicelab.solve("tossup", target=5, dice=2).policy
    >>> isinstance(policy, Moves), len(policy.where({"points": 1}))
    (True, 50)
    """

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of states that it holds: those in which a seat chooses, or beginnings of turns."""

    @abstractmethod
    def move(self, game: Game) -> tuple[int, ...] | None:
        """Return the best move in a game in progress; None if its state was not solved."""

    @abstractmethod
    def worths(self, game: Game) -> dict[tuple[int, ...], float] | None:
        """Return the value of each sensible move in a game in progress; None if its state was not solved."""

    @abstractmethod
    def where(self, wanted: Mapping[str, int]) -> Sequence[Any] | NDArray[np.int64]:
        """Return the states in which the numbers named have these values: an int64 array of their numbers (states,), or
        the numbers of each as a tuple.

        Raises
        ------
        ParameterError
            If the state has no number of that name.
        """

    @abstractmethod
    def choices(self, state: Any, /) -> Choices:
        """Return the options in a state that `where` found."""

    @abstractmethod
    def varying(self, states: Any, names: Sequence[str]) -> frozenset[str]:
        """Return the numbers, by name, that are not the same in all states that `where` found."""

    @abstractmethod
    def never_varying(self, names: Sequence[str], varying: frozenset[str]) -> list[str]:
        """Return the numbers that never differ where a seat chooses, such as a flag that it may; `varying` are known to
        differ.
        """

    @abstractmethod
    def must_see_own(self, name: str) -> None:
        """Refuse to play a game with hidden information by what a seat doesn't see."""

    @property
    def every_state(self) -> Policy | None:
        """The policy itself, if it holds the moves in every state as arrays; None if it finds them on demand."""
        return None

    def named(self, name: str) -> Strategy:
        """As in `SavedPolicy`."""
        if private_fields(self.game):
            self.must_see_own(name)
        return strategy_of_moves(self, name)


@dataclass(frozen=True, repr=False)
class Policy(Moves):
    """The options in every state in which a seat chooses.

    Attributes
    ----------
    game
        The game with its parameters.
    about
        What was solved, in plain data: game, parameters, hash of the rules, strategies, objective, value, error, seats.
    keys
        uint64 array (states, words): the packed states, sorted.
    row
        int64 array: the options in state s are ``row[s]`` to ``row[s + 1] - 1``.
    moves
        int64 array (options, numbers of a move).
    worth
        float64 array: value of each option for the seat that chooses (the mean of a tally, for such an objective).
    best
        int64 array: the best option in each state.

    Examples
    --------
    >>> import dicelab
    >>> best = dicelab.solve("tossup", target=5, dice=2).policy
    >>> len(best), best.state(0)["player"], [option.move for option in best.options(0)]
    (230, 0, [(0,), (1,)])
    """

    game: Game
    about: dict[str, Any]
    keys: NDArray[np.uint64]
    row: NDArray[np.int64]
    moves: NDArray[np.int64]
    worth: NDArray[np.float64]
    best: NDArray[np.int64]

    kind = policy_file.STATES

    @property
    def every_state(self) -> Policy:
        """The policy itself."""
        return self

    def __len__(self) -> int:
        return len(self.best)

    def __repr__(self) -> str:
        return f"<Policy of {self.game!r}: {self.about['solved']}; {len(self):,} states>"

    def _repr_html_(self) -> str:
        rows = Counter(self.moves_in_words()).most_common(MOST_SHOWN)
        cells = "".join(
            f'<tr><td>{escape(move)}</td><td style="text-align: right; {bar(states / len(self))}">{states:,}</td></tr>'
            for move, states in rows
        )
        head = "<tr><th>best move</th><th>states</th></tr>"
        return f"<div>{escape(repr(self))}</div><table>{head}{cells}</table>"

    def to_frame(self) -> Any:
        """Return a pandas table with a row for each state: its fields, the best move in words, and the value of that
        move.

        Raises
        ------
        ParameterError
            When pandas is not installed.

        Examples
        --------
        >>> import dicelab
        >>> table = dicelab.solve("tossup", target=5, dice=2).policy.to_frame()
        >>> table[table["points"] > 0].groupby("best")["worth"].count().to_dict()
        {'bank': 80, 'roll': 100}
        """
        slots, columns = Slots.of(self.game, ()), dict[str, Any]()
        for number, name in enumerate(slots.names):
            columns[name] = slots.column(self.keys, number)
        return frame(columns | {"best": self.moves_in_words(), "worth": self.worth[self.best]})

    def moves_in_words(self) -> list[str]:
        """Return the best move in each state, in the order of the states."""
        decisions, moves = self.game.declared.decisions, self.moves[self.best]
        if len(decisions) == 1:
            kinds, which = np.unique(moves, axis=0, return_inverse=True)
            words = [named_move(self.game, decisions[0], move) for move in kinds.tolist()]
            return [words[kind] for kind in which.reshape(-1).tolist()]
        asked_for = map(self.decision, range(len(self)))
        each = zip(asked_for, moves.tolist(), strict=True)
        return [named_move(self.game, decision, move[: len(decision.kinds)]) for decision, move in each]

    def decision(self, position: int) -> Decision:
        """Return what is chosen in a state, given by its number."""
        game = fresh(self.game)
        Place(game, ()).set(list(self.state(position).values()))
        decision, _ = asked(game, game.next())
        assert isinstance(decision, Decision)
        return decision

    def options(self, position: int) -> list[PolicyOption]:
        """Return the legal and sensible moves in a state, given by its number, with their values."""
        span = slice(int(self.row[position]), int(self.row[position + 1]))
        pairs = zip(self.moves[span].tolist(), self.worth[span].tolist(), strict=True)
        return [PolicyOption(tuple(move), worth) for move, worth in pairs]

    def choices(self, position: int) -> Choices:
        """Return the options in a state, given by its number."""
        best = int(self.best[position]) - int(self.row[position])
        return Choices(self.state(position), self.decision(position), self.options(position), best, self.game)

    def state(self, position: int) -> dict[str, int]:
        """Return the numbers of a state by name; the state is given by its number."""
        slots = Slots.of(self.game, ())
        return dict(zip(slots.names, slots.unpack(self.keys[position].tolist()), strict=True))

    def find(self, game: Game) -> int | None:
        """Return the number of the state of a game in progress; None if it was not solved."""
        slots, place = Slots.of(self.game, ()), Place(game, ())
        low, high = rows_with(self.keys, np.array(slots.pack(place.read()), np.uint64))
        return low if low < high else None

    def move(self, game: Game) -> tuple[int, ...] | None:
        """Return the best move in a game in progress; None if its state was not solved."""
        position = self.find(game)
        if position is None:
            return None
        move = self.options(position)[int(self.best[position]) - int(self.row[position])].move
        kind, _ = asked(game, game.next())
        return move[: len(kind.kinds)] if isinstance(kind, Decision) else move

    def worths(self, game: Game) -> dict[tuple[int, ...], float] | None:
        """Return the value of each sensible move in a game in progress; None if its state was not solved."""
        position = self.find(game)
        if position is None:
            return None
        parts = len(self.decision(position).kinds)
        return {option.move[:parts]: option.worth for option in self.options(position)}

    def where(self, wanted: Mapping[str, int]) -> NDArray[np.int64]:
        """Return the states in which the numbers named have these values, as an array of state numbers.

        Raises
        ------
        ParameterError
            If the state has no number of that name.
        """
        fits = np.ones(len(self), np.bool_)
        for name, value in wanted.items():
            fits &= self.column(name) == value
        return np.flatnonzero(fits)

    def column(self, name: str) -> NDArray[np.int64]:
        """Return one number, given by its name, in every state: int64 array (states,).

        Raises
        ------
        ParameterError
            If the state has no number of that name.
        """
        slots = Slots.of(self.game, ())
        if name not in slots.names:
            raise ParameterError(f"{self.game.name} has no {name} in its state; it has {', '.join(slots.names)}")
        return slots.column(self.keys, slots.names.index(name))

    @cached_property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Arrays for compiled engines: layout of packed states, `keys`, a hash table of them, and the best moves.

        In this order: int64 arrays (numbers of a state,) `low`, `span`, `word` and `shift`; `keys`; int32 array
        (places, a power of two of them) with a state or -1 in each place; int64 array (states, numbers of a move).
        """
        from dicelab.compile.kernels.hashtable import note_all

        slots = Slots.of(self.game, ())
        table = np.full(1 << (2 * len(self) - 1).bit_length() if len(self) else 1, -1, np.int32)
        note_all(self.keys, table)
        return *slots.packing, self.keys, table, self.moves[self.best]

    def varying(self, states: Any, names: Sequence[str]) -> frozenset[str]:
        """As in `Moves`."""
        return frozenset(name for name in names if np.ptp(self.column(name)[states]))

    def never_varying(self, names: Sequence[str], varying: frozenset[str]) -> list[str]:
        """As in `Moves`."""
        return [name for name in names if np.ptp(self.column(name)) == 0]

    def must_see_own(self, name: str) -> None:
        """Refuse a policy that makes different moves in states that look the same."""
        table, slots = fresh(self.game), Slots.of(self.game, ())
        place, moves = Place(table, ()), dict[object, list[int]]()
        for state, best in enumerate(self.best.tolist()):
            place.set(slots.unpack(self.keys[state].tolist()))
            _, decision, seat = step_parts(table.next())
            looks = decision, seat, str(shown_to(table, position(table), seat))
            move = self.moves[best].tolist()
            if moves.setdefault(looks, move) != move:
                raise ParameterError(
                    f"{name}: its moves depend on {', '.join(private_fields(self.game))}, which the seat that plays "
                    "does not see; use a policy that dicelab learn has found"
                )

    @classmethod
    def load(cls, path: str | os.PathLike[str], game: Game | type[Game]) -> Policy:
        """Read a policy of a game; if `game` is an instance, the policy must be for its parameters.

        Raises
        ------
        InputError
            If the file can't be read or is damaged, or is a policy of another game or of other rules.
        ParameterError
            If it is for other parameters.
        """
        solved, about, arrays = contents(path, game)
        if about["format"] != policy_file.STATES:
            raise InputError(
                f"{path} has the values of the beginnings of turns, not the moves in every state, which are needed here"
            )
        policy = cls(solved, about, **arrays)
        if not policy.is_whole:
            raise InputError(f"{path} has arrays that do not fit the rules of {solved.name}; {solve_again(path)}")
        if not np.isfinite(policy.worth).all():
            raise InputError(f"{path} has a move whose worth is not a finite number; {solve_again(path)}")
        return policy

    @property
    def is_whole(self) -> bool:
        """Whether types and shapes of the arrays are consistent with each other and with the game."""
        shapes = [(a.ndim, a.dtype) for a in (self.keys, self.row, self.moves, self.worth, self.best)]
        kinds = [np.dtype(name) for name in ("uint64", "int64", "int64", "float64", "int64")]
        if shapes != list(zip((2, 1, 2, 1, 1), kinds, strict=True)):
            return False
        positions, options = len(self.best), len(self.worth)
        width = max(len(decision.kinds) for decision in self.game.declared.decisions)
        sizes = self.keys.shape == (positions, Slots.of(self.game, ()).words) and self.moves.shape == (options, width)
        if not sizes or len(self.row) != positions + 1 or self.row[0] != 0 or self.row[-1] != options:
            return False
        inside = (self.row[:-1] <= self.best) & (self.best < self.row[1:])
        return bool(inside.all())


def contents(
    path: str | os.PathLike[str], game: Game | type[Game]
) -> tuple[Game, dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the game of a policy file with the parameters that were solved, what was solved, and the arrays.

    Raises
    ------
    InputError
        If the file can't be read or is damaged, or is a policy of another game or of other rules.
    ParameterError
        If it is for other parameters than those of `game`, an instance.
    """
    kind = game if isinstance(game, type) else type(game)
    about, arrays = policy_file.read(path)
    _must_be_of(kind, about, path)
    _must_be_against_the_same(kind, about, path)
    try:
        solved = kind(**about["parameters"])
        about = {**about, "solved": str(about["solved"])}
    except Exception as error:
        raise InputError(f"{path} is not a policy of {kind.name}: {error}; {solve_again(path, about)}") from error
    same_parameters(solved, game, path, about)
    return solved, about, arrays


def same_parameters(solved: Game, game: Game | type[Game], path: object, about: Mapping[str, Any]) -> None:
    """Refuse a game whose parameters differ from those that were solved."""
    if isinstance(game, Game) and game.parameters != solved.parameters:
        these, other = shown(solved), shown(game)
        changed = ", ".join(f"{n} {v} (not {other[n]})" for n, v in these.items() if other[n] != v)
        raise ParameterError(f"{path} was {verb(about)} for other parameters: {changed}; {solve_again(path, about)}")


def _must_be_of(game: type[Game], about: Mapping[str, Any], path: object) -> None:
    """Refuse a policy of another game, or of rules that differ from those of the game as it is now."""
    name, solved, now = about.get("game"), about.get("source_hash"), source_hash(game)
    if name != game.name:
        raise InputError(f"{path} is a policy of {name}, not of {game.name}")
    if not now:
        raise InputError(
            f"{path} can't be used, because the source of {game.name} can't be read and so may not be what was solved; "
            "put the game in a file"
        )
    if solved != now:
        raise InputError(
            f"{path} was {verb(about)} for other rules of {game.name} than those it has now; {solve_again(path, about)}"
        )


def against_hash(game: Game, calls: Sequence[Call]) -> dict[str, str]:
    """Return the entry of a policy about the strategies against which it was solved; none if they are in the game's
    file.
    """
    strategies = [call.strategy for call in calls]
    elsewhere = modules_of_strategies(type(game), strategies)
    return {"against": source_hash(type(game), strategies)} if elsewhere else {}


def _must_be_against_the_same(game: type[Game], about: Mapping[str, Any], path: object) -> None:
    """Refuse a policy solved against strategies of files edited since; nothing is known of lost files."""
    if "against" not in about:
        return
    texts = [text for text in about["strategies"] if text not in IN_PLACE and not is_policy(text)]
    called = [call.strategy for call in known_calls(game, texts) if call is not None]
    if len(called) == len(texts) and source_hash(game, called) != about["against"]:
        raise InputError(
            f"{path} was solved against {' and '.join(texts)}, edited since then; {solve_again(path, about)}"
        )


def strategy_of_moves(policy: Any, name: str) -> Strategy:
    """Return the best moves of a policy as a strategy of that name; ``policy.move(game)`` is the move, or None."""

    def best_move(table: Game) -> int | tuple[int, ...]:
        move = policy.move(table)
        if move is None:
            raise PlayError(f"{name} has no move for this state; it was solved for {policy.about['solved']}")
        return move[0] if len(move) == 1 else move  # type: ignore[no-any-return]

    best_move.__doc__ = f"The best moves, as solved: {policy.about['solved']}."
    return Strategy(name, cast(FunctionType, best_move), type(policy.game), moves=policy)
