"""The positions of a game without the numbers that rules only add to and compare, money above all.

Whatever a purse holds, as long as it is enough for all bets and too little for the goal, the game goes on in the same
way. So its positions are few, and each way on says by how much the purse grows. Where that ends, it is at a bound that
is known (`dicelab.engines.traced`); beyond it the rules themselves play on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

from dicelab.engines import kernel
from dicelab.engines.numbering import End, Met, Numbering
from dicelab.engines.plan import Run
from dicelab.engines.reference import Explained
from dicelab.engines.rewrite import NotTranslatable
from dicelab.engines.small import NotSmall
from dicelab.engines.stream import pool
from dicelab.engines.traced import Span, Sum
from dicelab.rules.fields import Int, Peak, Seat
from dicelab.rules.game import Game
from dicelab.rules.steps import Decision, Throw

WIDE = 64
"""Numbers of a range as wide as this, or wider, may be kept out of positions."""
MOST_POSITIONS, MOST_EDGES = 1 << 13, 1 << 18
MOST_WEIGHT = 64
"""Positions, the edges of all of them together, and the total weight of the dice."""
SECONDS = 2.0
"""Time after which a game has too many positions, as they are found in plain Python."""


@dataclass(frozen=True)
class Purses:
    """Positions, and what leads from each to the next.

    Attributes
    ----------
    spans
        The numbers kept out of positions: their names, values at the start, and the values between which all this
        holds.
    positions
        The others, as numbers.
    start
        Where the game begins, and what is counted until then.
    weight
        Total weight of the dice, the same at each position.
    ends
        For each position and each number that the throw may come to: the next position, or ``-1 - outcome``, and the
        number of a change.
    changes
        What is added: to each tally, then to each number that is kept out.
    choices
        The most choices between two throws.
    """

    spans: list[Span]
    positions: Sequence[tuple[int, ...]]
    start: End
    weight: int
    ends: list[list[End]]
    changes: list[tuple[int, ...]]
    choices: int


class Purse(Numbering):
    """Numbers positions, while what is kept out of them is watched."""

    def __init__(self, run: Run, names: Sequence[str]) -> None:
        self.spans: dict[str, Span] = {}
        self._names = tuple(names)
        super().__init__(run, (), names)

    def counted(self) -> tuple[int, ...]:
        """The tallies, and what has been added to what is kept out."""
        values = self.game.__dict__
        for name in self._names:
            if type(values[name]) is not Sum or values[name].span is not self.spans[name]:
                raise Met(name)  # it was set, not added to
        return *_plain(super().counted()), *(values[name].by for name in self._names)

    def follow(self, kind: Throw | Decision, values: tuple[int, ...]) -> End | None:
        """As `Numbering`, but what should not be met is raised."""
        self.place.set(self._after)
        self._count_from(self._since)
        with Explained(self.game):
            kind.rule(self.game, *values)
        return self._settle()

    def note(self, here: tuple[int, ...], counted: tuple[int, ...]) -> End:
        """As `Numbering`, for whole numbers only."""
        return super().note(_plain(here), counted)

    def _count_from(self, values: tuple[int, ...]) -> None:
        tallies = len(self.game.declared.tallies)
        super()._count_from(values[:tallies])
        for k, (name, span) in enumerate(self.spans.items(), tallies):
            self.game.__dict__[name] = Sum(span, values[k] if k < len(values) else 0)

    def _hide(self) -> bool:
        """At the start what is kept out has its first value; from then on it is watched."""
        if not self.spans:
            self.spans = {name: Span(name, self.game.__dict__[name]) for name in self._names}
            for name, span in self.spans.items():
                self.game.__dict__[name] = Sum(span)
        return False


def _plain(numbers: tuple[Any, ...]) -> tuple[int, ...]:
    """The numbers, if there is none among them that is watched."""
    for number in numbers:
        if isinstance(number, Sum):
            raise Met(number.span.name)
    return numbers


def purses_of(run: Run) -> Purses:
    """The positions of a game without the numbers that may be kept out.

    Raises
    ------
    NotSmall
        When there are none such, or the positions are too many all the same.
    PlayError
        When a rule or a strategy breaks the contract.
    """
    game = run.game
    if any(isinstance(tally, Peak) for tally in game.declared.tallies.values()):
        raise NotSmall("a Peak can't be counted by adding")
    try:
        kernel.write(type(game), kernel.distinct(call.strategy for call in run.calls))
    except NotTranslatable as error:
        raise NotSmall(f"its rules can't be translated: {error}") from error
    names = _wide(game)
    while names:
        try:
            return _found(Purse(run, names))
        except Met as met:
            if not met.args:
                raise NotSmall("its rules look at too much") from None
            names.remove(met.args[0])
    raise NotSmall("it has no number of a wide range that its rules only add to and compare")


def _wide(game: Game) -> list[str]:
    found = []
    for name, f in game.declared.state.items():
        low, high = f.bounds(game)
        if isinstance(f, Int) and not isinstance(f, Seat) and high - low >= WIDE:
            found.append(name)
    return found


def _found(found: Purse) -> Purses:
    """Every position."""
    until, weight, edges = monotonic() + SECONDS, 0, 0
    ends: list[list[End]] = []
    if found.start[0] < 0:
        raise NotSmall("it is over before anything is thrown")
    for here in found.positions.things:  # it grows
        kind, dice = found.arrive(here)
        assert isinstance(kind, Throw)
        with Explained(found.game):
            thrown = pool(found.game, kind, dice)
        weight = weight or thrown.weight
        if not thrown.whole or thrown.weight != weight or weight > MOST_WEIGHT:
            raise NotSmall("not all its throws have one small weight")
        row: list[End] = []
        for outcome in thrown.outcomes:
            end = found.follow(kind, outcome.seen)
            assert end is not None
            row += [end] * outcome.weight
        ends.append(row)
        edges += len(thrown.outcomes)
        if len(found.positions.things) > MOST_POSITIONS or edges > MOST_EDGES or monotonic() > until:
            raise NotSmall(f"more than {len(ends):,} positions are too many")
    spans = list(found.spans.values())
    return Purses(spans, found.positions.things, found.start, weight, ends, found.changes.things, found.choices)
