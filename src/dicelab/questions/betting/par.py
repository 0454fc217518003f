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

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from dicelab.errors import unknown
from dicelab.questions.betting.awards import awards_of, band
from dicelab.questions.betting.bet import edge_and_money
from dicelab.questions.betting.edge_text import least_and_most
from dicelab.questions.betting.edges import about_bets, bets_wanted, patterns_of, published_edge
from dicelab.questions.betting.par_text import ParRow, lines_of
from dicelab.questions.declare import Files, question
from dicelab.questions.options import GameLike, Memory, OnlyBets, RowsWatched, Store, Threads
from dicelab.results.base import BaseResult
from dicelab.results.provenance import about
from dicelab.results.rows import each
from dicelab.results.text.page import Printing
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import Strategies

ROUNDS = (100, 1000, 10_000)
"""Numbers of rounds after which the result is shown."""
STREAM = "Philox4x32-10 keyed by seed and number of the game; docs/stream.md defines it"
"""The random stream of all simulations of a game."""


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

    def _sentence(self) -> str:
        return least_and_most([row.edge for row in self.rows])

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
        return [*self._head(page), "", *lines_of(self.rows, page), "", *notes, *known_as, DISCLAIMER, *ending]


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
