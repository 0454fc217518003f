"""All transitions from one state: every roll, or every legal move, by the rules in plain Python.

In contrast to `runtime.states.explorer`, which follows strategies or sensible moves, this tries *every* legal move, to
find ranges that only an unusual move exceeds. It shares nothing with it, so that each checks the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from math import prod
from random import Random
from typing import NamedTuple

from dicelab.conformance.findings import Broken, UnprovedStore, broken
from dicelab.errors import RulesError, TooLarge
from dicelab.rules.actions import LISTABLE, OVER, Decision, Throw
from dicelab.rules.dice import Outcome
from dicelab.rules.fields import applied
from dicelab.rules.game import Game, fresh, position, reset, seat_count
from dicelab.runtime.interpreter import as_move, asked, outcome_of
from dicelab.runtime.lineup import Call
from dicelab.runtime.philox import Pool, Stream, pool
from dicelab.runtime.states.codec import Place
from dicelab.runtime.where import where_is
from dicelab.solver.enumeration.model import all_outcomes

State = tuple[int, ...]
MOST_BRANCHES = 2048
"""Limit of the outcomes of a roll that are all tried; of more, a sample is tried."""
SAMPLE, TRIED = 24, 100
"""Size of the sample of rolls, and number of random moves, legal or not."""


class FoundTransition(NamedTuple):
    """A transition: the values of the roll or move, its weight (1 for a move), the next state, what it counts."""

    values: tuple[int, ...]
    weight: int
    end: State
    counted: tuple[int, ...]
    sensible: bool


@dataclass(frozen=True)
class ExpandedState:
    """What happens at a state.

    Attributes
    ----------
    kind, number
        The roll and its number of dice, or the choice and its seat; None and the number of the outcome where the game
        is over.
    ways
        The transitions.
    every
        Whether all rolls and moves were tried, and not a sample of them.
    counted
        What `outcome` counts where the game is over.
    """

    kind: Throw | Decision | None
    number: int
    ways: list[FoundTransition] = field(default_factory=list)
    every: bool = True
    counted: tuple[int, ...] = ()


class Explorer:
    """A game that can be set to any state, to try every roll or legal move there.

    Attributes
    ----------
    work
        Rolls and moves tried so far, and moves judged. Limits of it are the same on every machine, in contrast to
        limits of time.
    """

    work = 0

    def __init__(self, game: Game) -> None:
        self.game = fresh(game)
        self.place = Place(self.game, ())
        self._uncounted = dict.fromkeys(game.declared.tallies, 0)
        self._sampled, self._random = Stream(0, 0), Random(0)

    def start(self) -> State:
        """Return the state at which a game begins."""
        try:
            reset(self.game)
        except Exception as error:
            raise broken(error, type(self.game), where_is(type(self.game).start)) from error
        return self.place.read()

    def height(self, store: UnprovedStore) -> Callable[[FoundTransition], int]:
        """Return how near to the end of the range that a store may leave a transition leads."""
        places = self.place.places(store.name)
        if store.up:
            return lambda way: max(way.end[places])
        return lambda way: -min(way.end[places])

    def describe(self, here: State) -> str:
        """Return a state as text: its fields and their values."""
        self.place.set(here)
        return f"state {position(self.game)}"

    def stand(self, here: State) -> None:
        """Set the game to a state, with all tallies at 0."""
        self.place.set(here)
        self.game.__dict__.update(self._uncounted)
        self.work += 1

    def expand(self, here: State) -> ExpandedState:
        """Return what happens at a state, with all transitions.

        Raises
        ------
        Broken
            When a rule fails there; names method, line and state.
        """
        game, kind_of = self.game, type(self.game)
        self.stand(here)
        try:
            step = game.next()
            if step == OVER:
                return self._over()
            kind, number = asked(game, step)
            if isinstance(kind, Throw):
                return self._throw(here, kind, number, pool(game, kind, number))
        except Broken:
            raise
        except (Exception, SystemExit) as error:
            ended = isinstance(error, RulesError) and "outcome()" in str(error)
            rule = kind_of.outcome if ended else kind_of.next
            raise self._broken(error, here, where_is(rule)) from error
        return self._choice(here, kind, number)

    def _broken(self, error: BaseException, here: State, fallback: object, after: str = "") -> Broken:
        found = broken(error, type(self.game), fallback)  # type: ignore[arg-type]
        return Broken(f"{found}; {self.describe(here)}{after}", found.where)

    def _over(self) -> ExpandedState:
        outcome = outcome_of(self.game)
        return ExpandedState(None, outcome, counted=self._counted())

    def _counted(self) -> tuple[int, ...]:
        return tuple(self.game.__dict__[name] for name in self._uncounted)

    def _throw(self, here: State, kind: Throw, number: int, dice: Pool) -> ExpandedState:
        outcomes, every = self._outcomes(kind, dice)
        ways = [self._follow(here, kind, o.seen, o.weight, True) for o in outcomes]
        return ExpandedState(kind, number, ways, every)

    def _outcomes(self, kind: Throw, dice: Pool) -> tuple[list[Outcome], bool]:
        """Return the outcomes of a roll, or a sample with the first and the last; and whether they are all."""
        try:
            outcomes = all_outcomes(self.game, kind, dice)
        except TooLarge:
            drawn = [self._sampled.draw(dice) for _ in range(SAMPLE)]
            faces = [o.seen[0] for o in dice.outcomes]
            drawn += [dice.seen([face] * dice.count) for face in (faces[0], faces[-1])]
            return [Outcome(seen, 1) for seen in dict.fromkeys(drawn)], False
        if len(outcomes) <= MOST_BRANCHES:
            return outcomes, True
        return [*outcomes[:: len(outcomes) // SAMPLE], outcomes[-1]], False

    def _follow(
        self, here: State, kind: Throw | Decision, values: tuple[int, ...], weight: int, sensible: bool
    ) -> FoundTransition:
        self.stand(here)
        try:
            applied(kind.run, self.game, values)
        except (Exception, SystemExit) as error:
            shown = kind.describe(values) if isinstance(kind, Decision) else ", ".join(map(str, values))
            raise self._broken(error, here, where_is(kind.rule), f", then {kind.name}({shown})") from error
        return FoundTransition(values, weight, self.place.read(), self._counted(), sensible)

    def _choice(self, here: State, kind: Decision, seat: int) -> ExpandedState:
        """Every legal move of a seat.

        Raises
        ------
        Broken
            When there is no such seat, no move is legal, or none is sensible.
        """
        game = self.game
        try:
            listed, every = candidates(kind, game, seat, self._random)
            self.work += len(listed)
            if seat >= max(1, seat_count(game)):
                raise RulesError(f"seat {seat} is asked to choose, but the seats are 0 to {seat_count(game) - 1}")
            moves = [
                (move, kind.sensible is None or bool(kind.sensible(game, *move)))
                for move in listed
                if kind.allows(game, move)
            ]
        except (Exception, SystemExit) as error:
            raise self._broken(error, here, where_is(type(game).next)) from error
        if every and not moves:
            where = where_is(kind.legal or kind.moves or kind.rule)
            say = f"seat {seat} must choose in {kind.name}, but no choice is legal: "
            raise Broken(f"{where}: {say}allow a move here, or don't ask in next; {self.describe(here)}", where)
        if every and not any(sensible for _, sensible in moves):
            where = where_is(kind.sensible or kind.rule)
            say = f"seat {seat} has no sensible move in {kind.name}: "
            raise Broken(f"{where}: {say}at least one legal move must be sensible; {self.describe(here)}", where)
        return ExpandedState(
            kind, seat, [self._follow(here, kind, move, 1, sensible) for move, sensible in moves], every
        )


def candidates(kind: Decision, game: Game, seat: int, dice: Random) -> tuple[list[tuple[int, ...]], bool]:
    """Return moves to try, legal or not, and whether they are all.

    If there are too many: the moves that strategies choose here, those at the ends of all ranges, and random ones, half
    of their numbers small.
    """
    if kind.lists:
        return kind.listing(game) or [], True
    spans = kind.spans(game)
    if prod(high - low + 1 for low, high in spans) <= LISTABLE:
        return list(product(*(range(low, high + 1) for low, high in spans))), True
    some = dict.fromkeys(_chosen_by_strategies(kind, game, seat))
    some |= dict.fromkeys(product(*spans))
    for _ in range(TRIED):
        few = [(low, min(high, low + SAMPLE)) if dice.random() < 0.5 else (low, high) for low, high in spans]
        some[tuple(dice.randint(*span) for span in few)] = None
    return list(some), False


def _chosen_by_strategies(kind: Decision, game: Game, seat: int) -> Iterator[tuple[int, ...]]:
    """Yield the moves that strategies choose in a state, with empty memories; other steps check
    that these are legal.
    """
    for strategy in game.declared.strategies.values():
        with suppress(Exception):
            call = Call(strategy, tuple(param.default for param in strategy.params.values()))
            yield as_move(call.chooser(game)(game, kind, seat))
