"""The first rolls and choices of a game: every way in which a game can begin, with its exact probability."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from dicelab.errors import ParameterError
from dicelab.questions.reasons.words import roll_words
from dicelab.rules.actions import Decision, Throw
from dicelab.rules.fields import applied
from dicelab.rules.game import seat_count
from dicelab.runtime.interpreter import Explained, as_move, choose
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import pool
from dicelab.runtime.states.explorer import StateExplorer
from dicelab.solver.enumeration.model import TooLarge, all_outcomes

MOST_ROWS = 2_000
"""Limit of the beginnings."""
MOST_FOLLOWED = 200_000
"""Limit of the outcomes and moves that are followed, in plain Python: some seconds."""
MOST_MOVES = 50
"""Sensible moves up to which a choice is a step; of a choice with more, only what the strategy chooses is followed."""


@dataclass(frozen=True)
class Step:
    """A roll, or outcomes of a roll that lead to the same state; or a move.

    Attributes
    ----------
    kind, name
        ``throw`` or ``choice``, and the rules' method.
    words
        The roll or the move as text: ``left center``, ``7, 11`` or ``bank``.
    seat
        The seat that chooses; None for a roll.

    Examples
    --------
    >>> Step("choice", "roll_or_bank", "bank", seat=0).to_dict()["words"]
    'bank'
    """

    kind: str
    name: str
    words: str
    seat: int | None = None

    def to_dict(self) -> dict[str, object]:
        """Plain data."""
        seat = {} if self.seat is None else {"seat": self.seat}
        return {"kind": self.kind, "name": self.name, "words": self.words, **seat}


@dataclass(frozen=True)
class Beginning:
    """One way in which a game can begin.

    Attributes
    ----------
    steps
        Its first rolls and choices; fewer than asked for where the game is over before.
    probability
        0 where a strategy chooses another move.
    state
        The state that it leads to, as the list of its numbers; None if the game is over.
    outcome
        The outcome if the game is over.
    counted
        What the tally has counted so far.
    """

    steps: tuple[Step, ...]
    probability: Fraction
    state: tuple[int, ...] | None
    outcome: int
    counted: int


def beginnings(run: Run, depth: int, tally: int | None) -> tuple[Beginning, list[Beginning]]:
    """Return the start of a game, and all its beginnings of so many steps, in the order of the outcomes of the dice.

    Rolls that lead to the same state, with the same change of the tally with this place, are one step. A choice is a
    step if it has at most `MOST_MOVES` sensible moves, and more than one. After the last step strategies make all
    choices up to the next roll.

    Raises
    ------
    TooLarge
        When there are too many.
    PlayError
    """
    opening = Opening(run, tally)
    start = opening.start_of_game()
    found = [start]
    for done in range(depth):
        found = list(opening.followed(found, done + 1))
    return opening.settled(start), [opening.settled(one) for one in found]


class Opening(StateExplorer):
    """Follows the first steps of a game; `tally` is the place of the tally that is counted, or None."""

    def __init__(self, run: Run, tally: int | None) -> None:
        self.seats = range(max(1, seat_count(run.game)))
        self.tally = tally
        self.tried = 0
        super().__init__(run, self.seats)

    def start_of_game(self) -> Beginning:
        """Return the beginning without any step.

        Raises
        ------
        ParameterError
            When no roll or choice is ever made.
        """
        if self.start[0] < 0:
            raise ParameterError(f"{self.game.name}: with these parameters the game is over before the first roll")
        return self._led(Beginning((), Fraction(1), None, -1, 0), self.start)

    def followed(self, before: list[Beginning], step: int) -> Iterator[Beginning]:
        """Yield all beginnings with one more step than those `before`.

        Raises
        ------
        TooLarge
        """
        rows = 0
        for one in before:
            for after in self._after(one):
                rows += 1
                if rows > MOST_ROWS or self.tried > MOST_FOLLOWED:
                    raise self._too_many(step)
                yield after

    def _too_many(self, step: int) -> TooLarge:
        """Return the error for a step with too many rows."""
        steps = "the first step has" if step == 1 else f"the first {step} steps have"
        many = f"{steps} more than {MOST_ROWS:,} different results or {MOST_FOLLOWED:,} rolls"
        advice = f"ask for --depth {step - 1}" if step > 1 else "fewer dice would help"
        return TooLarge(f"{self.game.name}: {many}, too many for a table; {advice}")

    def settled(self, one: Beginning) -> Beginning:
        """Return a beginning followed to the next roll, where a choice is next: strategies make it."""
        if one.state is None:
            return one
        self.place.set(one.state)
        self._count_from(self.nothing)
        self.free = ()
        end = self._settle()
        self.free = self.seats
        return self._led(one, end)

    def _led(self, one: Beginning, end: tuple[int, int]) -> Beginning:
        """Return a beginning that goes on to the end of a transition."""
        counted = one.counted + (0 if self.tally is None else self.changes.things[end[1]][self.tally])
        state = self.positions.things[end[0]] if end[0] >= 0 else None
        return replace(one, state=state, outcome=-1 - end[0] if end[0] < 0 else -1, counted=counted)

    def _after(self, one: Beginning) -> Iterator[Beginning]:
        """Yield the beginnings with one more step; only the beginning itself if the game is over."""
        while one.state is not None:
            kind, number = self.arrive(one.state)
            if isinstance(kind, Throw):
                yield from self._rolls(one, kind, number)
                return
            moves, made = self._moves(kind, number, one.state)
            if len(moves) > 1:
                yield from self._choices(one, kind, number, moves, made)
                return
            one = self._led(one, self._chosen(kind, number, one.state))
        yield one

    def _rolls(self, one: Beginning, kind: Throw, number: int) -> Iterator[Beginning]:
        """Yield a beginning, and each outcome of a roll; those that lead to the same are one."""
        with Explained(self.game):
            dice = pool(self.game, kind, number)
        outcomes = all_outcomes(self.game, kind, dice)
        self.tried += len(outcomes)
        if self.tried > MOST_FOLLOWED:
            raise self._too_many(len(one.steps) + 1)
        total = sum(outcome.weight for outcome in outcomes)
        alike: dict[object, list[int]] = {}
        after = []
        for i, outcome in enumerate(outcomes):
            after.append(self._led(one, self.follow(kind, outcome.seen)))
            alike.setdefault((after[-1].state, after[-1].outcome, after[-1].counted), []).append(i)
        groups = [[outcomes[i].seen for i in group] for group in alike.values()]
        for words, group in zip(roll_words(kind, dice.count, groups), alike.values(), strict=True):
            weight = sum(outcomes[i].weight for i in group)
            step = Step("throw", kind.name, words)
            yield replace(
                after[group[0]], steps=(*one.steps, step), probability=one.probability * Fraction(weight, total)
            )

    def _moves(self, kind: Decision, seat: int, here: tuple[int, ...]) -> tuple[list[tuple[int, ...]], tuple[int, ...]]:
        """Return the moves that are followed, and the one that the strategy makes, which is one of them."""
        moves = [move for move in kind.listing(self.game) or () if kind.considered(self.game, move)]
        made = self._made(kind, seat)
        self.place.set(here)
        moves = moves if len(moves) <= MOST_MOVES else []
        return (moves if made in moves else sorted([*moves, made])), made

    def _made(self, kind: Decision, seat: int) -> tuple[int, ...]:
        """Return the move of a strategy; it may change its memory."""
        with Explained(self.game):
            return as_move(self.place.choosers[seat](self.game, kind, seat))

    def _choices(
        self, one: Beginning, kind: Decision, seat: int, moves: list[tuple[int, ...]], made: tuple[int, ...]
    ) -> Iterator[Beginning]:
        """Yield a beginning, and each move of a choice."""
        assert one.state is not None
        self.tried += len(moves)
        for move in moves:
            end = self._chosen(kind, seat, one.state) if move == made else self._moved(kind, move, one.state)
            step = Step("choice", kind.name, kind.describe(move), seat)
            probability = one.probability if move == made else Fraction(0)
            yield replace(self._led(one, end), steps=(*one.steps, step), probability=probability)

    def _chosen(self, kind: Decision, seat: int, here: tuple[int, ...]) -> tuple[int, int]:
        """Let the strategy choose in a state; returns where that leads."""
        self.place.set(here)
        self._count_from(self.nothing)
        with Explained(self.game):
            choose(self.game, kind, seat, self.place.choosers)
        return self._settle()

    def _moved(self, kind: Decision, move: tuple[int, ...], here: tuple[int, ...]) -> tuple[int, int]:
        """Make a move in a state, without asking the strategy; returns where that leads."""
        self.place.set(here)
        self._count_from(self.nothing)
        with Explained(self.game):
            applied(kind.run, self.game, move)
        return self._settle()
