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

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import attrgetter
from typing import Any

from dicelab.errors import unknown
from dicelab.questions.betting.awards import Award, Band, awards_of, band
from dicelab.questions.betting.bet import Edge, edge_and_money
from dicelab.questions.betting.edges import (
    about_bets,
    bets_wanted,
    fraction_of,
    least_and_most,
    number_text,
    patterns_of,
    percent_text,
    published_edge,
    published_mark,
)
from dicelab.questions.declare import Files, question
from dicelab.questions.options import GameLike, Memory, OnlyBets, RowsWatched, Store, Threads
from dicelab.results.base import BaseResult, about
from dicelab.results.numbers.estimates import Chance, shown_fraction
from dicelab.results.numbers.intervals import z_of
from dicelab.results.rows import each
from dicelab.results.text.page import Noted, Printing
from dicelab.results.text.table import Column, Table, chance, count, or_dash, plain, written
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import Strategies
from dicelab.solver.value import Value, known

ROUNDS = (100, 1000, 10_000)
"""Numbers of rounds after which the result is shown."""
STREAM = "Philox4x32-10 keyed by seed and number of the game; docs/stream.md defines it"
"""The random stream of all simulations of a game."""
Z = z_of(0.9)
"""Half-width of the central 90 % of a normal distribution, in standard deviations: 1.645."""
VOLATILITY = Noted.of("volatility", f"{Z:.3f} standard deviations of the result of one unit")
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

    method, stream = "par", STREAM
    entries = {
        "over": "string: the parameter that chooses the bet",
        "rows": "[#par_row]: one object for each row of the table",
        "left_out": "{string}: bets that are not allowed with these parameters, and why",
        "stream": "string: the random stream of simulations",
    }

    def __getitem__(self, bet: str) -> ParRow:
        for row in self.rows:
            if row.edge.bet == bet:
                return row
        raise unknown(f"bet of {self.game}", bet, [row.edge.bet for row in self.rows])

    def _sentence(self) -> str:
        return least_and_most([row.edge for row in self.rows])

    def _table(self) -> Table:
        share = or_dash(percent_text)
        columns = [
            Column("bet", plain, value=lambda row: row.edge.bet),
            Column("return", share, None, lambda row: row.back, lambda row: row.back.value),
            Column("edge", share, None, lambda row: row.edge.edge, lambda row: row.edge.edge.value),
            Column("edge per throw", share, "per throw", PER_THROW, lambda row: value_of(PER_THROW(row))),
            Column("", or_dash(lambda page, hit: page.chance(hit.probability, hit.error)), "hit", lambda row: row.hit),
            Column(
                "volatility",
                lambda page, index: page.number(index, 4),
                VOLATILITY,
            ),
            Column("sd", value=lambda row: row.edge.sd),
            Column("hit", value=lambda row: value_of(row.hit)),
            Column("top", or_dash(lambda page, net: f"{net:+,}"), value=lambda row: row.top and row.top.net),
            Column("", or_dash(lambda page, top: one_in(top.chance, page)), "1 in", lambda row: row.top),
            Column("top probability", value=lambda row: row.top and row.top.chance.probability),
            Column("", published_mark, "published", lambda row: row.edge.published),
            Column("*", data=_bands_of),
        ]
        return Table(columns, self.rows, LEAST, sparse=True)

    def _page_tables(self) -> list[Table]:
        return [self._table(), *(table for row in self.rows for table in (pay_table(row), bands(row)))]

    def _brief(self) -> str:
        return ", ".join(f"{row.edge.bet} {100 * row.back.value:.3f} %" for row in self.rows)

    def sheet(self, page: Printing) -> list[str]:
        """Return the tables of the sheet, and how their figures are defined."""
        if len(self.rows) == 1:
            return one_bet(self.rows[0], page)
        how = [f"volatility: {_index()}", "one bet (its parameter, or --only) shows the pay table and bands"]
        return [*self._table().lines(page), "", *how]

    def _lines(self, page: Printing) -> list[str]:
        notes = [f"{row.edge.bet}: {row.edge.published}" for row in self.rows if row.edge.published is not None]
        if len(self.rows) > 1:
            notes = [
                f"{row.edge.bet}: {row.edge.published}"
                for row in self.rows
                if row.edge.published is not None and not row.edge.published.agrees
            ]
        ending = [self.unfinished] if self.unfinished else []
        known_as = [f"dicelab {self.version}, rules {self.source_hash}", f"random stream: {STREAM}"]
        return [*self._head(page), "", *self.sheet(page), "", *notes, *known_as, DISCLAIMER, *ending]


PER_THROW = attrgetter("edge.edge_per_throw")


def value_of(number: Chance | Value | None) -> float | None:
    """Return a number without its fraction and error; None for None."""
    return None if number is None else number.value


def _bands_of(row: ParRow) -> dict[str, Any]:
    """Return what many rounds bring, as cells of one row."""
    ends = [(one.rounds, name, getattr(one, name)) for one in row.bands for name in ("low", "high", "ahead")]
    return {f"{rounds} {name}": value for rounds, name, value in ends}


LEAST = ("published", "1 in", "top", "per throw", "hit")
"""Columns that a narrow page leaves out, the least important first."""


def one_bet(row: ParRow, page: Printing) -> list[str]:
    """Return the sheet of one bet."""
    parts = [_figures(row, page), pay_table(row), bands(row)]
    lines = [line for part in parts if part.rows for line in (*part.lines(page), "")]
    if not row.awards:
        lines.append("no pay table: the distribution of the money takes too much memory")
    if row.bands:
        lines.append("net: money won after so many rounds, at the 5th and the 95th percentile; return: the same as a")
        lines[-1] += " share of the stakes; ahead: probability of having won money"
    return [*lines, f"volatility index: {_index()}"]


def _index() -> str:
    return f"{Z:.3f} sd; 90 % of long series of n rounds return within index/√n of the return to player"


def _figures(row: ParRow, page: Printing) -> Table:
    edge, lines = row.edge, list[list[str]]()
    shares: list[tuple[str, Value | None]] = [("return to player", row.back), ("edge per bet", edge.edge)]
    shares += [("edge excluding pushes", edge.edge_resolved)] if edge.push and edge.push.probability else []
    shares += [("edge per roll", edge.edge_per_throw)]
    lines += [[name, percent_text(page, one), fraction_of(one)] for name, one in shares if one is not None]
    if edge.throws is not None:
        lines.append(["rolls per bet", number_text(page, edge.throws), fraction_of(edge.throws)])
    if edge.staked.value != 1:
        lines.append(["mean stake", number_text(page, edge.staked), fraction_of(edge.staked)])
    if row.hit is not None:
        lines.append(["hit frequency", page.chance(row.hit.probability, row.hit.error), fraction_of(row.hit)])
    lines.append(["sd in stakes", page.number(edge.sd, 5), ""])
    lines.append(["volatility index", page.number(row.volatility, 5), ""])
    if row.top is not None:
        lines.append([f"odds of the top award, {row.top.net:+,}", f"1 in {one_in(row.top.chance, page)}", ""])
    return written([edge.bet, "", "fraction"], lines, sparse=True)


def pay_table(row: ParRow) -> Table:
    """Return the pay table of a bet, a row for each amount."""

    def share(page: Printing, award: Award) -> str:
        back = award.chance.probability * (award.net + row.edge.staked.value) / row.edge.staked.value
        return "" if row.edge.varies else f"{page.number(100 * back, 4)} %"

    columns = [
        Column("", _signed, "net win", attrgetter("net")),
        Column("", lambda page, one: page.chance(one.probability, one.error), "probability", CHANCE_OF),
        Column("", lambda page, one: fraction_of(one), "fraction", CHANCE_OF),
        Column("", lambda page, one: one_in(one, page), "1 in", CHANCE_OF),
        Column("", share, "share of the return"),
    ]
    return Table(columns, row.awards, sparse=True)


def bands(row: ParRow) -> Table:
    """Return what many rounds of a bet bring, a row for each number of rounds."""

    def back(end: str) -> Callable[[Printing, Band], str]:
        def text(page: Printing, one: Band) -> str:
            share = getattr(one, end) / one.rounds / row.edge.staked.value
            return "" if row.edge.varies else f"{page.number(100 + 100 * share, 2)} %"

        return text

    columns = [
        Column("rounds", count),
        *(Column("", _signed, "net 5 %", attrgetter("low")), Column("", _signed, "net 95 %", attrgetter("high"))),
        *(Column("", back("low"), "return 5 %"), Column("", back("high"), "return 95 %")),
        Column("ahead", chance),
    ]
    return Table(columns, row.bands, sparse=True)


CHANCE_OF = attrgetter("chance")


def one_in(chance: Chance, page: Printing) -> str:
    """Return how many bets there are for one with this result, on average."""
    return page.number(1 / chance.probability, 2) if chance.probability > 0 else "-"


def _signed(page: Printing, money: int) -> str:
    return f"{money:+,}" if money else "0"


DISCLAIMER = "computed from the rules alone; no claim that this sheet meets the requirements of any regulator"


@question(
    chart="par",
    files=Files(
        "a sheet",
        ("--html",),
        "Also write the sheet of every bet into an HTML file that prints.",
        {"": "dicelab.interface.reporting.report:document"},
    ),
    tab="Sheet",
    needs="bets",
    rest="--only",
    rows="bets",
    alike=True,
    bets=True,
    complete=about_bets,
    drawn=lambda result: any(row.bands for row in result.rows),
)
def par(
    game: GameLike,
    strategies: Strategies = (),
    *,
    only: OnlyBets = (),
    threads: Threads = None,
    memory: Memory = None,
    store: Store = None,
    progress: RowsWatched = lambda done, total: None,
    parameters: Mapping[str, object] | None = None,
    **more: object,
) -> Par:
    """Compute the sheet of a game of money.

    Of each bet it has the return to player, the edge per bet and per roll, the hit frequency, the volatility index,
    the top award and its odds; of one bet also the pay table with exact probabilities, and the result of 100, 1,000
    and 10,000 rounds. It names the version of dicelab, the hash of the rules and the random stream. All figures are
    computed from the rules alone.

    The game must have a tally called money, as for dicelab edges.

    Commands
    --------
    dicelab par pass-line
    dicelab par craps --only 'field_*' --html field.html
    dicelab par craps-bet --bet hard8 --plot hard8.svg
    dicelab par craps-bet --bet field_2x3x --json

    Parameters
    ----------
    game, strategies, only, parameters, **more
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
