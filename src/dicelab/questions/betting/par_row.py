"""One bet on the sheet of a game of money: its figures, its pay table and what many rounds of it bring."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dicelab.questions.betting.awards import Award, Band
from dicelab.questions.betting.bet import Edge
from dicelab.results.numbers.estimates import Chance, shown_fraction
from dicelab.results.numbers.intervals import z_of
from dicelab.solver.value import Value, known

Z = z_of(0.9)
"""Half-width of the central 90 % of a normal distribution, in standard deviations: 1.645."""
MOST = 1000
"""Maximum length of a fraction in plain data, in digits."""


@dataclass(frozen=True, kw_only=True, repr=False)
class ParRow:
    """One bet on the sheet.

    Attributes
    ----------
    edge
        The `Edge` of the bet: probabilities, edges, throws, standard deviation, mean stake, published edge.
    awards
        The pay table, the largest award first; empty if the distribution of the money takes too much memory.
    bands
        What 100, 1,000 and 10,000 rounds bring; empty if unknown.

    Examples
    --------
    >>> import dicelab
    >>> row = dicelab.par("pass-line").rows[0]
    >>> str(row.back.fraction), str(row.hit.fraction), round(row.volatility, 4)
    ('488/495', '244/495', 1.6447)
    """

    edge: Edge
    awards: list[Award]
    bands: list[Band]

    def __repr__(self) -> str:
        return f"<ParRow of {self.edge.bet}: return {100 * self.back.value:.4f} %>"

    @property
    def back(self) -> Value:
        """Return to player, as a share of the stake."""
        return (-self.edge.edge).plus(1)

    @property
    def hit(self) -> Chance | None:
        """Probability that the bet wins money; None if unknown."""
        if not self.awards:
            return None
        won = [award.chance for award in self.awards if award.net > 0]
        if all(chance.fraction is not None for chance in won):
            total = sum((chance.fraction for chance in won if chance.fraction is not None), Fraction(0))
            return Chance(float(total), total)
        return Chance(sum(chance.probability for chance in won), None, max(chance.error for chance in won))

    @property
    def volatility(self) -> float:
        """Volatility index: `Z` standard deviations of the money, in stakes."""
        return Z * self.edge.sd

    @property
    def top(self) -> Award | None:
        """The largest award; None if unknown, or if the bet can't win."""
        return self.awards[0] if self.awards and self.awards[0].net > 0 else None

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON of the command line."""
        hit, data = self.hit, self.edge.to_dict()
        data |= {"return": self.back.to_dict("value", MOST), "volatility": known(self.volatility)}
        data["hit"] = None if hit is None else {**hit.to_dict(), **shown_fraction(hit.fraction, MOST)}
        data["awards"] = [
            {"net": one.net, "chance": {**one.chance.to_dict(), **shown_fraction(one.chance.fraction, MOST)}}
            for one in self.awards
        ]
        return data | {"bands": [one.to_dict() for one in self.bands]}
