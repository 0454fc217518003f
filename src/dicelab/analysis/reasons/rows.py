"""A row of `dicelab.why`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dicelab.analysis.reasons.steps import Step
from dicelab.chains.value import Value


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
        """The steps as cells of a table with so many columns for them; empty where the game is over before."""
        return [*(step.words for step in self.steps), *[""] * (depth - len(self.steps))]

    @property
    def words(self) -> str:
        """The steps as text."""
        return "; ".join(step.words for step in self.steps)
