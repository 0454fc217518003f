"""The review of a game: what luck gave each seat, what its own decisions cost it, and what the others' errors gave it.

v is the value of a state to a seat when every seat plays the solved policy from there on. The luck of a roll is the
change of v. The cost of a decision is v after the policy's move, minus v after the move made, for the seat that
decides; to the other seats it gives the change of theirs. The sums telescope, so for every seat, exactly,

    result = v(start) + luck - own costs + what the others' errors gave it
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dicelab.errors import ParameterError
from dicelab.policies.values import Values
from dicelab.results.text.writing import many
from dicelab.rules.actions import OVER, Decision
from dicelab.rules.game import Game, fresh, reset
from dicelab.runtime.interpreter import Explained, asked

WORST = 3
"""Number of decisions that are listed as the worst."""
CLOSE = Fraction(1, 10**9)
"""Costs below this are rounding of the solved values, not mistakes."""

Shares = tuple[Fraction, ...]
"""A number for each seat."""


@dataclass(frozen=True)
class Step:
    """A roll or a decision of a game, as it was.

    Attributes
    ----------
    kind
        ``throw`` or ``choice``.
    values
        What the rules received: the roll as they see it, or the move.
    """

    kind: str
    values: tuple[int, ...]


@dataclass(frozen=True)
class Reviewed:
    """A roll or a decision, with what it changed.

    Attributes
    ----------
    kind, name, values
        ``throw`` or ``choice``, the rules' method, and what it received.
    seat
        The seat that decided; -1 for a roll.
    before, after
        Value to each seat before and after; before a decision, the value with the policy's move.
    words, best
        The move and the policy's move as text; empty for a roll.
    """

    kind: str
    name: str
    values: tuple[int, ...]
    seat: int
    before: Shares
    after: Shares
    words: str = ""
    best: str = ""

    @property
    def change(self) -> Shares:
        """What it gave each seat."""
        return tuple(b - a for a, b in zip(self.before, self.after, strict=True))

    @property
    def cost(self) -> Fraction:
        """What a decision cost the seat that made it; 0 for a roll."""
        return -self.change[self.seat] if self.seat >= 0 else Fraction(0)


@dataclass(frozen=True)
class Review:
    """A game, step by step, and its sums by seat.

    Attributes
    ----------
    steps
        Rolls and decisions in order.
    start, result
        Value of the start, and what each seat got (or its value where the game was left).
    over
        Whether the game was played to its end.
    cycles
        As in `Values`.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> from dicelab.policies.values import values
    >>> game = TossUp(target=2, dice=2)
    >>> played = [Step("throw", (0, 0, 2)), Step("choice", (1,))]
    >>> found = review(game, values(game), played)
    >>> found.over, found.result[0] == found.start[0] + found.luck[0] - found.costs[0] + found.given[0]
    (True, True)
    """

    steps: tuple[Reviewed, ...]
    start: Shares
    result: Shares
    over: bool
    cycles: int = 0

    @property
    def seats(self) -> int:
        """Number of seats."""
        return len(self.start)

    @property
    def luck(self) -> Shares:
        """What all rolls together gave each seat."""
        return tuple(sum((s.change[k] for s in self.steps if s.seat < 0), Fraction(0)) for k in range(self.seats))

    @property
    def costs(self) -> Shares:
        """What its own decisions cost each seat."""
        return tuple(sum((s.cost for s in self.steps if s.seat == k), Fraction(0)) for k in range(self.seats))

    @property
    def given(self) -> Shares:
        """What the others' errors gave each seat."""
        others = [[s.change[k] for s in self.steps if s.seat not in (-1, k)] for k in range(self.seats)]
        return tuple(sum(changes, Fraction(0)) for changes in others)

    def line(self, seat: int) -> list[float]:
        """The value to a seat at the start and after every step."""
        return [float(self.start[seat]), *(float(step.after[seat]) for step in self.steps)]

    def worst(self, seat: int) -> list[tuple[int, Reviewed]]:
        """The decisions of a seat that cost most, with their places in the game."""
        errors = [(i, s) for i, s in enumerate(self.steps) if s.seat == seat and s.cost > CLOSE]
        return sorted(errors, key=lambda pair: -pair[1].cost)[:WORST]

    def sentence(self, seat: int) -> str:
        """The review of a seat in one sentence, in points of winning chance.

        With values that are amounts instead of chances, a point is a hundredth of a unit.
        """
        costs, luck = float(100 * self.costs[seat]), float(100 * self.luck[seat])
        decided = sum(s.seat == seat for s in self.steps)
        if not decided:
            return f"The dice {_gave(luck)}; there was nothing to decide."
        if costs < 0.005:
            return f"No decision cost anything ({many(decided, 'decision')}); the dice {_gave(luck)}."
        return f"Your decisions cost {costs:.1f} points of winning chance; the dice {_gave(luck)}."

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        rows = [
            {
                "kind": s.kind,
                "name": s.name,
                "values": list(s.values),
                **({"seat": s.seat, "move": s.words, "best": s.best, "cost": float(s.cost)} if s.seat >= 0 else {}),
                "before": [float(v) for v in s.before],
                "after": [float(v) for v in s.after],
            }
            for s in self.steps
        ]
        sums = {name: [float(v) for v in getattr(self, name)] for name in ("start", "luck", "costs", "given", "result")}
        return sums | {"over": self.over, "cycles": self.cycles, "steps": rows}


def _gave(points: float) -> str:
    return f"gave {points:.1f}" if points >= 0 else f"cost {-points:.1f}"


def review(game: Game, solved: Values, played: Iterable[Step] | Sequence[Step]) -> Review:
    """Review a game, given its rolls and moves in order.

    Parameters
    ----------
    game
        The game with its parameters; it is not changed.
    solved
        Its values (`dicelab.policies.values.values`).
    played
        Every roll, as the rules saw it, and every move. The game may end before its end.

    Raises
    ------
    ParameterError
        When a step does not fit the game, or leads to a state that was not solved.
    """
    if game.parameters != solved.game.parameters:
        raise ParameterError(f"{game.name}: the values are those of other parameters")
    table = fresh(game)
    reset(table)
    start = now = solved.of(table)
    found: list[Reviewed] = []
    for at, step in enumerate(played, 1):
        with Explained(table):
            reviewed = _step(table, solved, step, now, at)
        now = reviewed.after
        found.append(reviewed)
    return Review(tuple(found), start, now, table.next() == OVER, solved.cycles)


def _step(table: Game, solved: Values, step: Step, now: Shares, at: int) -> Reviewed:
    """Carry out one step of a game, and value it."""
    expected = table.next()
    if expected == OVER:
        raise ParameterError(f"step {at}: the game is over before it")
    kind, seat = asked(table, expected)
    if isinstance(kind, Decision) != (step.kind == "choice"):
        raise ParameterError(f"step {at}: {kind.name} comes here, not a {step.kind}")
    if not isinstance(kind, Decision):
        if len(step.values) != kind.width(table):
            raise ParameterError(f"step {at}: {kind.name} takes {many(kind.width(table), 'number')}")
        kind.rule(table, *step.values)
        return Reviewed("throw", kind.name, step.values, -1, now, solved.of(table))
    if not kind.allows(table, step.values):
        raise ParameterError(f"step {at}: the move {step.values} is not allowed{kind.refusal(table, step.values)}")
    best = kind.describe(solved.best(table))
    kind.rule(table, *step.values)
    return Reviewed("choice", kind.name, step.values, seat, now, solved.of(table), kind.describe(step.values), best)
