"""The sheet of a game of money: the figures of a bet, and the text: one bet with its pay table, or all bets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dicelab.questions.betting.awards import Award, Band
from dicelab.questions.betting.bet import Edge
from dicelab.results.numbers.estimates import Chance, shown_fraction
from dicelab.results.numbers.intervals import z_of
from dicelab.results.text.page import Printing
from dicelab.results.text.writing import without_empty
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


LEAST = ("published", "1 in", "top", "per throw", "hit")
"""Columns that a narrow page leaves out, the least important first."""


def lines_of(rows: Sequence[ParRow], page: Printing) -> list[str]:
    """Return the tables of a sheet, and how their figures are defined."""
    if len(rows) == 1:
        return one_bet(rows[0], page)
    lines = page.table(without_empty(_summary(rows, page)), LEAST)
    return [*lines, "", f"volatility: {_index()}", "one bet (its parameter, or --only) shows the pay table and bands"]


def one_bet(row: ParRow, page: Printing) -> list[str]:
    """Return the sheet of one bet."""
    parts = [page.table(without_empty(_figures(row, page)))]
    parts += [page.table(without_empty(pay_table(row, page)))] if row.awards else []
    parts += [page.table(without_empty(bands(row, page)))] if row.bands else []
    lines = [line for part in parts for line in (*part, "")]
    if not row.awards:
        lines.append("no pay table: the distribution of the money takes too much memory")
    if row.bands:
        lines.append("net: money won after so many rounds, at the 5th and the 95th percentile; return: the same as a")
        lines[-1] += " share of the stakes; ahead: probability of having won money"
    return [*lines, f"volatility index: {_index()}"]


def _index() -> str:
    return f"{Z:.3f} sd; 90 % of long series of n rounds return within index/√n of the return to player"


def _figures(row: ParRow, page: Printing) -> list[list[str]]:
    edge = row.edge
    lines = [[edge.bet, "", "fraction"]]
    shares: list[tuple[str, Value | None]] = [("return to player", row.back), ("edge per bet", edge.edge)]
    shares += [("edge excluding pushes", edge.edge_resolved)] if edge.push and edge.push.probability else []
    shares += [("edge per roll", edge.edge_per_throw)]
    lines += [[name, _percent(one, page), _fraction(one)] for name, one in shares if one is not None]
    if edge.throws is not None:
        lines.append(["rolls per bet", page.number(edge.throws.value, 4), _fraction(edge.throws)])
    if edge.staked.value != 1:
        lines.append(["mean stake", page.number(edge.staked.value, 4), _fraction(edge.staked)])
    if row.hit is not None:
        lines.append(["hit frequency", page.chance(row.hit.probability, row.hit.error), _fraction(row.hit)])
    lines.append(["sd in stakes", page.number(edge.sd, 5), ""])
    lines.append(["volatility index", page.number(row.volatility, 5), ""])
    if row.top is not None:
        lines.append([f"odds of the top award, {row.top.net:+,}", f"1 in {one_in(row.top.chance, page)}", ""])
    return lines


def pay_table(row: ParRow, page: Printing) -> list[list[str]]:
    """Return the pay table of a bet, a row for each amount, the head first."""
    lines = [["net win", "probability", "fraction", "1 in", "share of the return"]]
    for award in row.awards:
        back = award.chance.probability * (award.net + row.edge.staked.value) / row.edge.staked.value
        part = "" if row.edge.varies else f"{page.number(100 * back, 4)} %"
        cells = [page.chance(award.chance.probability, award.chance.error), _fraction(award.chance)]
        lines.append([_signed(award.net), *cells, one_in(award.chance, page), part])
    return lines


def bands(row: ParRow, page: Printing) -> list[list[str]]:
    """Return what many rounds of a bet bring, a row for each number of rounds, the head first."""
    lines = [["rounds", "net 5 %", "net 95 %", "return 5 %", "return 95 %", "ahead"]]
    for one in row.bands:
        ends = (one.low, one.high)
        returns = [f"{page.number(100 + 100 * end / one.rounds / row.edge.staked.value, 2)} %" for end in ends]
        returns = ["", ""] if row.edge.varies else returns
        lines.append([f"{one.rounds:,}", *map(_signed, ends), *returns, page.chance(one.ahead)])
    return lines


def _summary(rows: Sequence[ParRow], page: Printing) -> list[list[str]]:
    lines = [["bet", "return", "edge", "per throw", "hit", "volatility", "top", "1 in", "published"]]
    for row in rows:
        cells = [_percent(one, page) for one in (row.back, row.edge.edge, row.edge.edge_per_throw)]
        cells.append("-" if row.hit is None else page.chance(row.hit.probability, row.hit.error))
        top = ["-", "-"] if row.top is None else [f"{row.top.net:+,}", one_in(row.top.chance, page)]
        figure = row.edge.published
        published = "" if figure is None else figure.text + ("" if figure.agrees else " !")
        lines.append([row.edge.bet, *cells, page.number(row.volatility, 4), *top, published])
    return lines


def one_in(chance: Chance, page: Printing) -> str:
    """Return how many bets there are for one with this result, on average."""
    return page.number(1 / chance.probability, 2) if chance.probability > 0 else "-"


def _signed(money: int) -> str:
    return f"{money:+,}" if money else "0"


def _percent(figure: Value | None, page: Printing) -> str:
    return "-" if figure is None else f"{page.number(100 * figure.value, 4)} %"


def _fraction(figure: Chance | Value) -> str:
    return shown_fraction(figure.fraction).get("fraction", "")
