"""Convergence of an estimate: one number of a game, estimated repeatedly while games are played."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from dicelab.engines.player import Player
from dicelab.keywords import keywords
from dicelab.questions.played import GamesSoFar
from dicelab.questions.simulate import whole
from dicelab.results.base import BaseResult, about, winners
from dicelab.results.numbers.estimates import Point, number_of, point
from dicelab.results.text.page import Printing
from dicelab.results.text.sentences import number, percent, points, within
from dicelab.results.text.table import Column, Table, count, estimate
from dicelab.results.text.writing import many, outcome_text, probability_of
from dicelab.rules.game import Game
from dicelab.runtime.interrupts import Stopped, held_interrupts
from dicelab.runtime.lineup import Run, as_seed, usable_threads
from dicelab.runtime.strategies import Strategies

FIRST_LOOK = 10
"""Games before the first estimate."""
LOOKS = 8
"""Number of estimates while the number of games grows tenfold."""

Look = tuple[int, float, float, float]
"""Number of games, the estimate after them, and the ends of its interval."""


@dataclass(frozen=True, repr=False, kw_only=True)
class Convergence(BaseResult):
    """Estimates of one number after more and more games; each includes the games of those before.

    Attributes
    ----------
    of, kind
        The outcome whose probability is estimated, or the tally whose mean is: ``outcome`` or ``tally``.
    seats
        Whether the outcomes are the winning seats.
    games
        Number of games of each estimate.
    estimates, lows, highs
        The estimate after that many games, and the ends of its 95 % interval. Each interval alone has 95 % confidence;
        all of them together have less. With too few games an end is infinite.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.convergence("hazard", of="win", games=1000, seed=1)
    >>> found.games[:4], found.games[-1]
    ([10, 13, 18, 24], 1000)
    """

    of: str
    kind: str
    seats: bool
    games: list[int]
    estimates: list[float]
    lows: list[float]
    highs: list[float]

    method = "convergence"
    entries = {
        "of": "string: the outcome or tally that is estimated",
        "kind": "'outcome'|'tally': whether an outcome's probability or a tally's mean is estimated",
        "looks": (
            [{"games": "integer", "estimate": "number", "low high": "number|null"}],
            "the estimate after more and more games",
        ),
    }

    @property
    def looks(self) -> list[dict[str, Any]]:
        """The estimates as rows: games, the estimate after them, the ends of its interval (None if infinite)."""
        return self._table().data()

    def _table(self) -> Table:
        title = outcome_text(self.of, self.seats) if self.kind == "outcome" else f"mean {self.of}"
        points = map(Point, self.estimates, self.lows, self.highs)
        estimates = estimate("estimate", title, lambda row: row[1], self.kind == "outcome")
        games = Column("games", count, value=lambda row: row[0])
        return Table([games, *estimates], [*zip(self.games, points, strict=True)])

    def _sentence(self) -> str:
        if not self.games:
            return "No game was played"
        at, interval = self.estimates[-1], (self.lows[-1], self.highs[-1])
        if self.kind == "outcome":
            what = probability_of(self.of, self.seats)
            return f"After {many(self.games[-1], 'game')} the {what} is {percent(at)} ({points(interval)})"
        return f"After {many(self.games[-1], 'game')} the mean of {self.of} is {number(at)}{within(interval)}"

    def _games(self) -> int:
        return max(self.games, default=0)

    def _lines(self, page: Printing) -> list[str]:
        last = f"seed {self.seed}{', ' if self.unfinished else ''}{self.unfinished}, {self.seconds:.3f} s"
        return [*super()._lines(page), "", last]


@keywords
def convergence(
    game: str | os.PathLike[str] | type[Game] | Game,
    strategies: Strategies = (),
    *,
    games: int,
    seed: int | None = None,
    threads: int | None = None,
    of: str | None = None,
    **parameters: object,
) -> Convergence:
    """Play games once, and estimate one number after 10, 13, 18, 24, 32, 42, 56, 75, 100, ... of them.

    Parameters
    ----------
    game, strategies, seed, threads, **parameters
        As in `dicelab.simulate`.
    games
        Games to play in all.
    of
        The outcome whose probability, or the tally whose mean is estimated; when None the first outcome, or the first
        tally if there are no outcomes.

    Returns
    -------
    Convergence
        The estimate from n games equals that of `dicelab.simulate` from n games of the same seed. When interrupted from
        the keyboard, the last estimate is from all games played.

    Raises
    ------
    PlayError
        When a game goes wrong; names seed, game and state.

    Examples
    --------
    >>> curve = convergence("hazard", games=42, seed=1, of="win", main=7)
    >>> curve.games
    [10, 13, 18, 24, 32, 42]
    >>> curve.lows[-1] < curve.estimates[-1] < curve.highs[-1]
    True
    """
    run = Run.of(game, strategies, **parameters)
    number, most = as_seed(seed), whole("games", games)
    of = number_of(run.game, of)
    player, so_far = Player(run, number, threads=usable_threads(threads)), GamesSoFar(run)
    stops: list[Look] = []
    with held_interrupts(), suppress(Stopped):
        for upto in looks(most):
            player.play(so_far.games, upto, so_far.total.merge)
            stops.append(look(so_far, of))
    if so_far.games > (stops[-1][0] if stops else 0):  # stopped while playing
        stops.append(look(so_far, of))
    return replace(curve_of(player, so_far, of, stops), interrupted=so_far.games < most)


def look(played: GamesSoFar, of: str) -> Look:
    """Return the estimate of an outcome or a tally from the games played so far."""
    return (played.games, *point(played.estimate(of)))


def curve_of(player: Player, played: GamesSoFar, of: str, stops: Sequence[Look]) -> Convergence:
    """Return the result that consists of these estimates."""
    return Convergence(
        **about(player.run.game, player.run.calls),
        seed=player.seed,
        of=of,
        kind="outcome" if of in played.outcome_names else "tally",
        seats=winners(player.run.game),
        games=[games for games, _, _, _ in stops],
        estimates=[estimate for _, estimate, _, _ in stops],
        lows=[low for _, _, low, _ in stops],
        highs=[high for _, _, _, high in stops],
        seconds=player.seconds,
    )


def looks(most: int) -> Iterator[int]:
    """Yield the numbers of games for which to estimate: `LOOKS` per factor of ten, equally spaced on a logarithmic
    scale.

    >>> list(looks(100))
    [10, 13, 18, 24, 32, 42, 56, 75, 100]
    >>> list(looks(15)), list(looks(3))
    ([10, 13, 15], [3])
    """
    step = 0
    while (games := round(FIRST_LOOK * 10 ** (step / LOOKS))) < most:
        yield games
        step += 1
    yield most
