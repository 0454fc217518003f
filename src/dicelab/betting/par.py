"""The sheet of a game of money: what each bet returns, how it varies, what it pays, and what many rounds of it bring.

The figures, each of one bet that is carried to its decision:

* Return to player: the mean amount returned, stake included, divided by the mean stake; 1 minus the house edge.
* Hit frequency: probability that the bet wins money.
* Volatility index: ``z * sd``, with the standard deviation ``sd`` of the money in stakes and ``z = 1.645``, the 95th
  percentile of the normal distribution: in 90 % of long series of n rounds the return lies within the index divided by
  the square root of n of the return to player. (Sheets of slot machines use the same definition, with z often 1.65.)
* Band: 5th and 95th percentile of the money won in n independent rounds, from the distribution itself.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from typing import Any

from dicelab.betting.awards import Award, Band, awards_of, band
from dicelab.betting.bet import Edge, edge_and_money
from dicelab.betting.edges import bets_wanted, patterns_of, published_edge
from dicelab.betting.par_text import lines_of
from dicelab.chains.value import Value, known
from dicelab.errors import unknown
from dicelab.keywords import keywords
from dicelab.results.base import BaseResult
from dicelab.results.numbers.estimates import Chance, shown_fraction
from dicelab.results.numbers.intervals import z_of
from dicelab.results.provenance import about
from dicelab.results.rows import Progress, each
from dicelab.results.text.page import Page
from dicelab.rules.game import Game
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import Strategies

ROUNDS = (100, 1000, 10_000)
"""Numbers of rounds after which the result is shown."""
Z = z_of(0.9)
"""Half-width of the central 90 % of a normal distribution, in standard deviations: 1.645."""
STREAM = "Philox4x32-10 keyed by seed and number of the game; docs/stream.md defines it"
"""The random stream of all simulations of a game."""


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
        """Volatility index: 1.645 standard deviations of the money, in stakes."""
        return Z * self.edge.sd

    @property
    def top(self) -> Award | None:
        """The largest award; None if unknown, or if the bet can't win."""
        return self.awards[0] if self.awards and self.awards[0].net > 0 else None

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON of the command line."""
        hit, data = self.hit, self.edge.to_dict()
        data |= {"return": self.back.to_dict("value", MOST), "volatility": known(self.volatility)}
        data["hit"] = None if hit is None else hit.to_dict() | shown_fraction(hit.fraction, MOST)
        data["awards"] = [
            {"net": one.net, "chance": one.chance.to_dict() | shown_fraction(one.chance.fraction, MOST)}
            for one in self.awards
        ]
        return data | {"bands": [one.to_dict() for one in self.bands]}


MOST = 1000
"""Maximum length of a fraction in plain data, in digits."""


@dataclass(frozen=True, repr=False, kw_only=True)
class Par(BaseResult):
    """The sheet of a game of money.

    Attributes
    ----------
    over
        The parameter that chooses the bet; empty if there is one bet only.
    rows
        One `ParRow` per bet.
    left_out
        By bet that the other parameters do not allow: the reason.

    Examples
    --------
    >>> import dicelab
    >>> sheet = dicelab.par("craps", only="field_*")
    >>> str(sheet["field_2x3x"].back.fraction), sheet["field_2x3x"].top.net
    ('35/36', 3)
    """

    over: str
    rows: list[ParRow]
    left_out: dict[str, str]

    method = "par"

    def __getitem__(self, bet: str) -> ParRow:
        for row in self.rows:
            if row.edge.bet == bet:
                return row
        raise unknown(f"bet of {self.game}", bet, [row.edge.bet for row in self.rows])

    def _facts(self) -> dict[str, Any]:
        facts = {"over": self.over, "rows": [row.to_dict() for row in self.rows], "left_out": self.left_out}
        return facts | {"stream": STREAM}

    def _rows(self) -> list[dict[str, Any]]:
        rows = []
        for row in self.rows:
            edge, hit, top, throw = row.edge, row.hit, row.top, row.edge.edge_per_throw
            line = {"bet": edge.bet, "return": row.back.value, "edge": edge.edge.value}
            line |= {"edge per throw": None if throw is None else throw.value, "volatility": row.volatility}
            line |= {"sd": edge.sd, "hit": None if hit is None else hit.probability}
            line |= {"top": top and top.net, "top probability": top and top.chance.probability}
            for one in row.bands:
                line |= {f"{one.rounds} low": one.low, f"{one.rounds} high": one.high, f"{one.rounds} ahead": one.ahead}
            rows.append(line)
        return rows

    def _brief(self) -> str:
        return ", ".join(f"{row.edge.bet} {100 * row.back.value:.3f} %" for row in self.rows)

    def _lines(self, page: Page) -> list[str]:
        notes = [f"{row.edge.bet}: {row.edge.published}" for row in self.rows if row.edge.published is not None]
        if len(self.rows) > 1:
            notes = [
                f"{row.edge.bet}: {row.edge.published}"
                for row in self.rows
                if row.edge.published is not None and not row.edge.published.agrees
            ]
        ending = [self.unfinished] if self.unfinished else []
        known_as = [f"dicelab {self.version}, rules {self.source_hash}", f"random stream: {STREAM}"]
        return [*self._head(page), "", *lines_of(self.rows, page, Z), "", *notes, *known_as, DISCLAIMER, *ending]


DISCLAIMER = "computed from the rules alone; no claim that this sheet meets the requirements of any regulator"


@keywords()
def par(
    game: str | os.PathLike[str] | type[Game] | Game,
    strategies: Strategies = (),
    *,
    only: str | Sequence[str] = (),
    threads: int | None = None,
    memory: int | None = None,
    store: str | os.PathLike[str] | None = None,
    progress: Progress = lambda done, total: None,
    parameters: Mapping[str, object] | None = None,
    **more: object,
) -> Par:
    """Compute the sheet of a game of money: return, edge, volatility, pay table and long runs of each bet, exactly.

    Parameters
    ----------
    game, strategies, only, threads, memory, store, progress, parameters, **more
        As in `dicelab.edges`.

    Raises
    ------
    InputError, TooLarge, PlayError
        As in `dicelab.edges`.

    Examples
    --------
    >>> sheet = par("pass-line")
    >>> row = sheet.rows[0]
    >>> str(row.back.fraction), [(one.net, str(one.chance.fraction)) for one in row.awards]
    ('488/495', [(1, '244/495'), (-1, '251/495')])
    """
    over, bets, left_out = bets_wanted(game, strategies, {**(parameters or {}), **more}, patterns_of(only))

    def row(bet: tuple[str, Run]) -> ParRow:
        name, run = bet
        edge, money = edge_and_money(run, name, threads, memory, store)
        awards = awards_of(run, money) or []
        bands = [band(awards, rounds) for rounds in ROUNDS] if awards else []
        return ParRow(
            edge=replace(edge, published=published_edge(run, edge)),
            awards=awards,
            bands=[one for one in bands if one is not None],
        )

    rows, ending = each(bets, row, progress)
    first = bets[0][1]
    facts = about(first.game, first.calls, without=[over]) | ending
    return Par(**facts, over=over, rows=rows, left_out=left_out)
