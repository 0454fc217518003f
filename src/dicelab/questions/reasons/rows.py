"""The rows of `dicelab.why`, and the answer in a sentence, derived from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dicelab.questions.reasons.steps import Step
from dicelab.results.text.writing import outcome_title
from dicelab.solver.value import Value

EQUAL = 1e-9
"""Differences below this, and below the error bound, are none."""


@dataclass(frozen=True)
class WhyRow:
    """One way in which a game can begin.

    Attributes
    ----------
    steps
        Its first rolls and choices; fewer than asked for where the game is over before.
    probability
        Of this beginning; 0 where it needs a move that the strategies don't make.
    values
        By outcome, its probability after this beginning; or the mean of the tally, by its name.
    luck
        By how much these differ from those at the start.

    Examples
    --------
    >>> import dicelab
    >>> row = dicelab.why("lcr", players=2, coins=1).rows[0]
    >>> row.words, str(row.probability), str(row.values["0"].fraction), str(row.luck["0"].fraction)
    ('dot', '1/2', '2/3', '1/3')
    """

    steps: tuple[Step, ...]
    probability: Fraction
    values: dict[str, Value]
    luck: dict[str, Value]

    @property
    def weight(self) -> float:
        """How important the row is: its probability times the largest difference from the start."""
        return float(self.probability) * max(abs(value.value) for value in self.luck.values())

    def cells(self, depth: int) -> list[str]:
        """Return the steps as cells of a table with so many columns for them; empty where the game is over before."""
        return [*(step.words for step in self.steps), *[""] * (depth - len(self.steps))]

    @property
    def words(self) -> str:
        """The steps as text."""
        return "; ".join(step.words for step in self.steps)


def closing(start: Mapping[str, Value], rows: Sequence[WhyRow]) -> str:
    """Return a sentence: the best and the worst seat, and the beginning that contributes most to their difference.

    The difference is the sum of the contributions of all rows: each is the probability of the beginning times the
    difference after it, so it is the part of the difference that comes from games that begin in this way.
    """
    best, worst = max(start, key=lambda name: start[name].value), min(start, key=lambda name: start[name].value)
    ahead = start[best].minus(start[worst])
    if ahead.value <= max(EQUAL, ahead.error):
        return "all players have the same chance"
    parts = [float(row.probability) * (row.values[best].value - row.values[worst].value) for row in rows]
    most, least = max(range(len(rows)), key=parts.__getitem__), min(range(len(rows)), key=parts.__getitem__)
    words = f"{outcome_title(best, True)} is {100 * ahead.value:.3g} points ahead of {outcome_title(worst, True)}: "
    words += f"games that begin with {rows[most].words} contribute most, {100 * parts[most]:+.3g} points"
    against = f", and those with {rows[least].words} {100 * parts[least]:+.3g} points"
    return words + (against if parts[least] < 0 else "")
