"""The exact house edges of all bets of a game; see `dicelab.questions.betting.bet` for the definitions."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from operator import attrgetter
from typing import Annotated, Any

from dicelab.errors import ParameterError, unknown
from dicelab.questions.betting.bet import ENDS, Check, Edge, PublishedEdge, check_of, edge_of, must_have_money
from dicelab.questions.declare import question
from dicelab.questions.options import GameLike, Memory, OnlyBets, Option, RowsWatched, Seed, Store, Threads, Whole
from dicelab.questions.simulate import seed_of
from dicelab.results.base import BaseResult, about, under
from dicelab.results.numbers.estimates import Chance, shown_fraction
from dicelab.results.rows import each
from dicelab.results.text.page import Noted, Printing
from dicelab.results.text.sentences import number
from dicelab.results.text.table import Column, Table, Text, Z, or_dash, written, z_text
from dicelab.results.text.writing import chance_line, many, upper
from dicelab.rules.casino import casino_of
from dicelab.rules.game import Game
from dicelab.rules.loading.registry import bets_of
from dicelab.rules.params import Choice, hyphened
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import Strategies
from dicelab.solver.value import Value

SORTS: dict[str, Callable[[Edge], float]] = {
    "declared": lambda row: 0.0,
    "edge": lambda row: row.edge.value,
    "resolved": lambda row: _last(row.edge_resolved),
    "per-throw": lambda row: _last(row.edge_per_throw),
    "throws": lambda row: _last(row.throws),
    "sd": lambda row: row.sd,
}
"""By name of an order: its sort key, ascending."""


MOST_NAMED = 8
"""Maximum number of bets left out whose names are shown."""


def _last(figure: Value | None) -> float:
    return float("inf") if figure is None else figure.value


@dataclass(frozen=True, repr=False, kw_only=True)
class Edges(BaseResult):
    """The edges of all bets of a game.

    Attributes
    ----------
    over
        The parameter that chooses the bet; empty if the game has only one bet.
    rows
        One `Edge` per bet.
    left_out
        By bet that the other parameters do not allow: the reason.
    games
        Number of games simulated per bet; 0 if none were.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.edges("craps", only="field_*")
    >>> [row.bet for row in found.rows], str(found["field_2x3x"].edge.fraction)
    (['field_2x2x', 'field_2x3x', 'field_3x2x', 'field_3x3x'], '1/36')
    """

    over: str
    rows: list[Edge]
    left_out: dict[str, str]
    games: int

    method = "edges"
    entries = {
        "over": "string: the parameter that chooses the bet",
        "rows": "[#edge]: one object for each row of the table",
        "left_out": "{string}: bets that are not allowed with these parameters, and why",
    }

    def __getitem__(self, bet: str) -> Edge:
        for row in self.rows:
            if row.bet == bet:
                return row
        raise unknown(f"bet of {self.game}", bet, [row.bet for row in self.rows])

    def _sentence(self) -> str:
        return least_and_most(self.rows)

    def _games(self) -> int | None:
        return self.games or None

    def _table(self, fractions: bool = False) -> Table:
        def shown(text: Text) -> Text:
            return or_dash(lambda page, of: (fraction_of(of) if fractions else "") or text(page, of))

        columns = [Column("*", lambda page, row: row.bet, "bet", data=_flat)]
        columns += [Column("", shown(text), title, attrgetter(name)) for name, title, _, text in FIGURES]
        columns.append(Column("", lambda page, row: page.number(row.sd, 5), SD))
        columns.append(Column("", published_mark, "published", lambda row: row.published))
        if any(row.check is not None for row in self.rows):
            columns += [
                Column("", simulated(k), title, CHECK) for k, title in enumerate(("simulated", "95 % interval", Z))
            ]
        return Table(columns, self.rows, LEAST, sparse=True)

    def text(self, page: Printing | None = None, fractions: bool = False) -> str:
        """Return the table, in decimals or in fractions; a single bet is shown in both."""
        page = page or Printing.here()
        return under(self.summary, page, self._lines(page, fractions))

    def _lines(self, page: Printing, fractions: bool = False) -> list[str]:
        one = len(self.rows) == 1
        table = _alone(self.rows[0], page) if one else self._table(fractions).lines(page)
        lines = [*self._head(page), "", *table, ""]
        published = [(row.bet, row.published) for row in self.rows if row.published is not None]
        notes = [f"{bet}: {figure}" for bet, figure in published if one or not figure.agrees]
        if self.left_out:
            names = [*self.left_out][:MOST_NAMED]
            more = len(self.left_out) - len(names)
            names += [f"and {more} more; ask for one of them to see the reason"] if more else []
            notes.append(f"not allowed with these parameters: {', '.join(names)}")
        return [*lines, *notes, *([""] if notes else []), *self._how()]

    def _how(self) -> list[str]:
        """Return lines below the table: arithmetic and error, published edges, simulation."""
        errors = [figure.error for row in self.rows for figure in row.figures]
        how = "in fractions" if not all(errors) or not errors else "in floating point"
        if any(errors):
            how += f"{'' if all(errors) else ' and floating point'}, error below {upper(max(errors))}"
        lines = [f"exact: {many(len(self.rows), 'bet')}, {how}, {self.seconds:.3f} s"]
        known = [row.published.agrees for row in self.rows if row.published is not None]
        if len(self.rows) > 1 and known:
            lines.append(f"published: {many(len(known), 'edge')}, {sum(known):,} of them the same within their digits")
        return [*lines, *self._checked(), *([self.unfinished] if self.unfinished else [])]

    def _checked(self) -> list[str]:
        """Return lines about the simulated edges; none if none were simulated."""
        if not self.games:
            return []
        scores = [abs(row.check.z) for row in self.rows if row.check is not None and row.check.z is not None]
        most = f", largest |z| {max(scores):.2f}" if scores else ""
        return [f"checked: {many(self.games, 'game')} of each, seed {self.seed}{most}", *chance_line(len(scores))]


PLAIN = ("probability", "value", "mean")
"""Keys of plain data that are omitted from the column names of a frame."""


def _flat(row: Edge) -> dict[str, Any]:
    """Return the plain data of a bet as cells of one row."""
    data = row.to_dict()
    cells = {"bet": data.pop("bet")}
    for name, value in (data.pop("outcomes") | data.pop("tallies") | data).items():
        parts = value.items() if isinstance(value, dict) else [("", value)]
        cells |= {f"{name} {key}".strip() if key not in PLAIN else name: part for key, part in parts}
    return cells


def percent_text(page: Printing, figure: Value) -> str:
    """Return a share as a percentage, with its fraction as a note."""
    return Noted.of(f"{page.number(100 * figure.value, 4)} %", fraction_of(figure))


def number_text(page: Printing, figure: Value) -> str:
    """Return a mean number with four decimals."""
    return page.number(figure.value, 4)


def fraction_of(figure: Chance | Value) -> str:
    """Return a number as a fraction; empty if it isn't known as one, or too long."""
    return shown_fraction(figure.fraction).get("fraction", "")


def published_mark(page: Printing, figure: PublishedEdge | None) -> str:
    """Return a published edge, with a mark if another one was found."""
    if figure is None:
        return ""
    return Noted.of(figure.text + ("" if figure.agrees else " !"), figure.source, "" if figure.agrees else "bad")


FIGURES: tuple[tuple[str, str, str, Text], ...] = (
    *((name, name, name, lambda page, chance: page.chance(chance.probability)) for name in ENDS),
    ("edge", "edge", "edge", percent_text),
    ("edge_resolved", "excl. pushes", "edge excluding pushes", percent_text),
    ("edge_per_throw", "per throw", "edge per throw", percent_text),
    ("throws", "throws", "throws", number_text),
)
"""The figures of a bet: the attribute of `Edge`, the title in a table of bets and of one bet, and how it is written."""
CHECK = attrgetter("check")
SD = Noted.of("sd", "standard deviation of the result of one unit")
LEAST = ("throws", "published", "push", "excl. pushes", "95 % interval", "sd", "lose", "win", "per throw")
"""Columns that a narrow page leaves out, the least important first."""


def simulated(part: int) -> Text:
    """Return what writes a part of a simulated edge: the number, its interval, its standardised difference."""

    def text(page: Printing, check: Check | None) -> str:
        if check is None:
            return ""
        low, high = check.interval
        parts = f"{page.number(100 * check.edge, 4)} %", f"{page.span((100 * low, 100 * high), 4)} %"
        return (*parts, or_dash(z_text)(page, check.z))[part]

    return text


def _alone(row: Edge, page: Printing) -> list[str]:
    """Return the table of a single bet, one row per figure: decimal and fraction."""
    figures = [(title, text, getattr(row, name)) for name, _, title, text in FIGURES]
    figures += [("staked", number_text, row.staked)] if row.staked.value != 1 else []
    rows = [(title, text(page, of), fraction_of(of)) for title, text, of in figures if of is not None]
    rows.append(("sd in stakes", page.number(row.sd, 5), ""))
    if row.check is not None:
        rows.append(("edge, simulated", simulated(0)(page, row.check), ""))
        rows.append(("  95 % interval, z", simulated(1)(page, row.check), simulated(2)(page, row.check)))
    return written([row.bet, "", "fraction"], rows, sparse=True).lines(page)


def least_and_most(rows: Sequence[Edge]) -> str:
    """Return the house edge of a bet in a sentence; of several, the lowest and the highest.

    >>> import dicelab
    >>> least_and_most(dicelab.edges("craps", only=["pass", "field_2x2x"]).rows)
    'Of 2 bets pass has the lowest house edge, 1.41 % of the stake, and field 2x2x the highest, 5.56 %'
    """
    if not rows:
        return "There is no such bet with these settings"

    def figure(row: Edge) -> str:
        """Return the edge of a bet, with three digits."""
        return f"{number(100 * row.edge.value)} %"

    low, high = (pick(rows, key=lambda row: row.edge.value) for pick in (min, max))
    name, other = low.bet.replace("_", " "), high.bet.replace("_", " ")
    if len(rows) == 1:
        if low.edge.value < 0:
            return f"{name} is in the player's favour: {number(-100 * low.edge.value)} % of the stake on average"
        per = low.edge_per_throw
        roll = f", {number(100 * per.value)} % per roll" if per is not None and low.edge.value else ""
        return f"The house edge of {name} is {figure(low)} of the stake{roll}"
    if high.edge.value - low.edge.value <= low.edge.error + high.edge.error:
        return f"All {len(rows):,} bets have the same house edge, {figure(low)} of the stake"
    least = [row for row in rows if row.edge.value - low.edge.value <= row.edge.error + low.edge.error]
    has = f"{name} has" if len(least) == 1 else f"{len(least)} have"
    lowest = f"{has} the lowest house edge, {figure(low)} of the stake"
    return f"Of {len(rows):,} bets {lowest}, and {other} the highest, {figure(high)}"


def about_bets(page: Any, texts: Mapping[str, Any]) -> bool:
    """Return whether a page of the lab is that of the game that plays the bets one by one."""
    return bool(page.card["bets"] == page.card["name"])


@question(
    instead=("with_dice",),
    chart="edges",
    tab="Edges",
    needs="bets",
    rest="--only",
    rows="bets",
    alike=True,
    bets=True,
    complete=about_bets,
    drawn=lambda result: bool(result.rows),
)
def edges(
    game: GameLike,
    strategies: Strategies = (),
    *,
    only: OnlyBets = (),
    sort: Annotated[
        str, Option("Order of the rows: declared, edge, resolved, per-throw, throws or sd", "O", label="order")
    ] = "declared",
    check: Annotated[int | None, Whole("Also simulate N games of each bet", "N")] = None,
    seed: Annotated[
        int | None, Seed("Seed of the dice; the same seed gives the same games [default: random]", "N")
    ] = None,
    threads: Threads = None,
    memory: Memory = None,
    store: Store = None,
    progress: RowsWatched = lambda done, total: None,
    parameters: Mapping[str, object] | None = None,
    **more: object,
) -> Edges:
    """Compute the exact house edge of each bet.

    The table shows the probabilities of a win, a loss and a push; the edge per bet made, per bet resolved (excluding
    pushes) and per throw; the mean number of throws; and the standard deviation. An edge is a share of the stake,
    positive if the bettor loses.

    The game must have a tally called money. If a parameter chooses the bet, there is one row per value; give the
    parameter to see one bet in detail. A profile is a set of house rules. Bets that the house does not take are left
    out; asking for one by name is an error that says why.

    Commands
    --------
    dicelab edges pass-line
    dicelab edges craps --profile atlantic_city
    dicelab edges craps --only 'place_*' --only 'buy_*_on_win' --plot numbers.svg
    dicelab edges craps-bet --sort edge
    dicelab edges craps-bet --bet hard8 --check 1e6 --seed 1 --json
    dicelab edges craps --only pass --only place_6 --dice-from 80,100,100,100,100,120

    Parameters
    ----------
    game, strategies
        As in `dicelab.simulate`. If the game names a parameter that chooses the bet (``edges_over``), there is one row
        per value of it, unless it is given.
    only
        Patterns of the bets to include, such as ``place_*``; all bets if empty. ``CrapsBet(house="reno")`` is a game
        with one bet: give ``only="*"`` for all bets of that house.
    parameters, **more
        Parameters of the game that are not at their default: by name, or, also where they have the name of one of these
        arguments, as a mapping.

    Raises
    ------
    InputError
        When an argument is unknown or not allowed, the game has no tally ``money``, or the mean stake is 0.
    TooLarge, PlayError
        As for `dicelab.exact`, if it concerns the first bet; later ones end the table (`Edges.refused`).

    Examples
    --------
    >>> found = edges("pass-line")
    >>> str(found.rows[0].edge.fraction), str(found["pass-line"].edge_per_throw.fraction)
    ('7/495', '7/1671')
    """
    if sort not in SORTS:
        raise unknown("order", str(sort), SORTS)
    if check is None and seed is not None:
        raise ParameterError("seed is used with check, which simulates games; give check as well")
    games = check or 0
    over, bets, left_out = bets_wanted(game, strategies, {**(parameters or {}), **more}, patterns_of(only))
    dice = None if check is None else seed_of(bets[0][1], seed, store, records=None)

    def row(bet: tuple[str, Run]) -> Edge:
        name, run = bet
        edge = edge_of(run, name, threads, memory, store)
        checked = None if dice is None else check_of(run, edge, games, dice, threads, store)
        return replace(edge, published=published_edge(run, edge), check=checked)

    rows, ending = each(bets, row, progress)
    first = bets[0][1]
    facts = about(first.game, first.calls, without=[over]) | ending
    rows.sort(key=SORTS[sort])
    return Edges(**facts, over=over, rows=rows, left_out=left_out, games=games, seed=dice)


def bets_wanted(
    game: str | os.PathLike[str] | type[Game] | Game,
    strategies: Strategies,
    parameters: Mapping[str, object],
    only: Sequence[str],
) -> tuple[str, list[tuple[str, Run]], dict[str, str]]:
    """Return the parameter that chooses the bet, each bet with its run, and the bets that are not allowed with the
    reason.
    """
    kind = type(Run.of(game).game)
    single = bets_of(kind)
    if single is not kind:
        if isinstance(game, Game) and game.parameters != kind().parameters:
            raise ParameterError(
                f"the edges of {game!r} are those of {single.name}, which has parameters of its own; "
                f"give it instead: edges({single.__name__}(...), only='*')"
            )
        kind = game = single
    must_have_money(kind)
    over = casino_of(kind).edges_over
    if not over or over in parameters or (isinstance(game, Game) and not only):
        if only:
            raise ParameterError(f"{kind.name}: only selects among several bets, but there is one bet here")
        run = Run.of(game, strategies, **parameters)
        bet = kind.declared.params[over].show(run.game.parameters[over]) if over else kind.name
        return "", [(bet, run)], {}
    choice = kind.declared.params[over]
    assert isinstance(choice, Choice)
    bets, refused = [], dict[str, ParameterError]()
    for bet in _picked(choice, only):
        try:
            bets.append((bet, Run.of(game, strategies, **{over: bet}, **parameters)))
        except ParameterError as error:
            refused[bet] = error
    if not bets:
        raise next(iter(refused.values()))
    return over, bets, {bet: str(error) for bet, error in refused.items()}


def patterns_of(only: object) -> list[str]:
    """Check the argument `only` and return it as a list."""
    patterns = [only] if isinstance(only, str) else only
    if not isinstance(patterns, Sequence) or not all(isinstance(text, str) for text in patterns):
        raise ParameterError(f"only: {only!r} is not allowed; give patterns of bets such as 'place_*'")
    return list(patterns)


def _picked(bets: Choice, only: Sequence[str]) -> list[str]:
    """Return the bets that match at least one of the patterns; all bets if there are no patterns."""

    def matches(bet: str, pattern: str) -> bool:
        return fnmatchcase(bet, pattern) or fnmatchcase(hyphened(bet), pattern)

    for pattern in only:
        if not any(matches(bet, pattern) for bet in bets.names):
            raise ParameterError(f"only: {pattern!r} matches no {bets.name}; there are: {bets.allowed}")
    return [bet for bet in bets.names if not only or any(matches(bet, pattern) for pattern in only)]


def published_edge(run: Run, row: Edge) -> PublishedEdge | None:
    """Return the published edge of a bet; None unless the strategies and the parameters that matter
    are the defaults.
    """
    kind, game = casino_of(type(run.game)), run.game
    text, source = kind.published.get(row.bet, ("", ""))
    changed = any(
        game.parameters[name] != param.default
        for name, param in game.declared.params.items()
        if name != kind.edges_over and name not in kind.edges_whatever
    )
    if not text or changed or run.strategies != Run.of(type(game)).strategies:
        return None
    return PublishedEdge.of(text, source, row.edge)
