"""The exact house edges of all bets of a game; see `dicelab.questions.betting.bet` for the definitions."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Annotated, Any

from dicelab.errors import ParameterError, unknown
from dicelab.questions.betting.bet import Edge, Published, check_of, edge_of, must_have_money
from dicelab.questions.betting.edge_text import LEAST, alone, least_and_most, table
from dicelab.questions.declare import question
from dicelab.questions.options import GameLike, Memory, OnlyBets, Option, RowsWatched, Seed, Store, Threads, Whole
from dicelab.questions.simulate import seed_of
from dicelab.results.base import BaseResult, under
from dicelab.results.provenance import about
from dicelab.results.rows import each
from dicelab.results.text.page import Printing
from dicelab.results.text.writing import chance_line, many, upper, without_empty
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

    def __getitem__(self, bet: str) -> Edge:
        for row in self.rows:
            if row.bet == bet:
                return row
        raise unknown(f"bet of {self.game}", bet, [row.bet for row in self.rows])

    def _sentence(self) -> str:
        return least_and_most(self.rows)

    def _facts(self) -> dict[str, Any]:
        return {"over": self.over, "rows": [row.to_dict() for row in self.rows], "left_out": self.left_out}

    def _games(self) -> int | None:
        return self.games or None

    def _rows(self) -> list[dict[str, Any]]:
        rows = []
        for row in self.rows:
            data = row.to_dict()
            flat = {"bet": data.pop("bet")}
            data = data.pop("outcomes") | data.pop("tallies") | data
            for name, value in data.items():
                parts = value.items() if isinstance(value, dict) else [("", value)]
                flat |= {f"{name} {key}".strip() if key not in PLAIN else name: part for key, part in parts}
            rows.append(flat)
        return rows

    def text(self, page: Printing | None = None, fractions: bool = False) -> str:
        """Return the table, in decimals or in fractions; a single bet is shown in both."""
        page = page or Printing.here()
        return under(self.summary, page, self._lines(page, fractions))

    def _lines(self, page: Printing, fractions: bool = False) -> list[str]:
        one = len(self.rows) == 1
        cells = alone(self.rows[0], page) if one else table(self.rows, page, fractions)
        lines = [*self._head(page), "", *page.table(without_empty(cells), () if one else LEAST), ""]
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
    number = None if check is None else seed_of(bets[0][1], seed, store, records=None)

    def row(bet: tuple[str, Run]) -> Edge:
        name, run = bet
        found = edge_of(run, name, threads, memory, store)
        checked = None if number is None else check_of(run, found, games, number, threads, store)
        return replace(found, published=published_edge(run, found), check=checked)

    rows, ending = each(bets, row, progress)
    first = bets[0][1]
    facts = about(first.game, first.calls, without=[over]) | ending
    rows.sort(key=SORTS[sort])
    return Edges(**facts, over=over, rows=rows, left_out=left_out, games=games, seed=number)


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


def published_edge(run: Run, row: Edge) -> Published | None:
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
    return Published.of(text, source, row.edge)
