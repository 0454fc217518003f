"""Convergence of an estimate: one number of a game, estimated repeatedly while games are played."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

from dicelab.analysis.simulate import averages, whole
from dicelab.engines.player import Player
from dicelab.errors import ParameterError, unknown
from dicelab.results.estimates import Proportion, known
from dicelab.results.intervals import LEVEL
from dicelab.results.provenance import winners
from dicelab.results.result import SCHEMA
from dicelab.rules.game import Game, outcome_names, shown
from dicelab.rules.source import source_hash
from dicelab.runtime.interrupts import Stopped, held_interrupts
from dicelab.runtime.lineup import Run, as_seed, usable_threads
from dicelab.runtime.totals import Tallied
from dicelab.states.tally_bounds import tally_bounds
from dicelab.version import __version__

FIRST_LOOK = 10
"""Games before the first estimate."""
LOOKS = 8
"""Number of estimates while the number of games grows tenfold."""

Look = tuple[int, float, float, float]
"""Number of games, the estimate after them, and the ends of its interval."""


@dataclass(frozen=True)
class Convergence:
    """Estimates of one number after more and more games; each includes the games of those before.

    Attributes
    ----------
    game, parameters, strategies, seed
        What was played.
    of, kind
        The outcome whose probability is estimated, or the tally whose mean is: ``outcome`` or ``tally``.
    seats
        Whether the outcomes are the winning seats.
    games
        Number of games of each estimate.
    estimates, lows, highs
        The estimate after that many games, and the ends of its 95 % interval. Each interval alone has 95 % confidence;
        all of them together have less. With too few games an end is infinite.
    version, source_hash
        Of dicelab, and of the file of the game.
    interrupted
        Whether it was stopped before the end.
    """

    game: str
    parameters: dict[str, int | bool]
    strategies: list[str]
    seed: int
    of: str
    kind: str
    seats: bool
    games: list[int]
    estimates: list[float]
    lows: list[float]
    highs: list[float]
    version: str
    source_hash: str
    interrupted: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Plain data: what was played, and one entry for each estimate."""
        rows = zip(self.games, self.estimates, self.lows, self.highs, strict=True)
        data = {
            "schema": SCHEMA,
            "method": "convergence",
            "game": self.game,
            "parameters": self.parameters,
            "strategies": self.strategies,
            "seed": self.seed,
            "of": self.of,
            "kind": self.kind,
            "looks": [
                {"games": n, "estimate": at, "low": known(low), "high": known(high)} for n, at, low, high in rows
            ],
        }
        if self.interrupted:
            data["interrupted"] = True
        return data | {"version": self.version, "source_hash": self.source_hash}

    def to_json(self) -> str:
        """One JSON object."""
        return json.dumps(self.to_dict())


def convergence(
    game: str | os.PathLike[str] | type[Game] | Game,
    strategies: str | Sequence[str] = (),
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
    InputError
        When something given is unknown or not allowed.
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
    outcomes, tallies = outcome_names(run.game), tuple(run.game.declared.tallies)
    names = (*outcomes, *tallies)
    if not names:
        raise ParameterError(f"{run.game.name} has neither outcomes nor tallies")
    of = names[0] if of is None else of
    if of not in names:
        raise unknown(f"outcome or tally of {run.game.name}", str(of), names)
    player = Player(run, number, threads=usable_threads(threads))
    total = Tallied.empty(max(1, len(outcomes)), len(tallies))
    found: list[Look] = []
    proved = cache(lambda: tally_bounds(run))

    def look() -> Look:
        """The estimate from the games played so far."""
        if of in outcomes:
            chance = Proportion(total.counts[outcomes.index(of)], total.games)
            return (total.games, chance.probability, *chance.interval)
        average = averages(run.game, total, LEVEL, proved)[tallies.index(of)]
        return (total.games, average.mean, *average.interval)

    with held_interrupts(), suppress(Stopped):
        for upto in looks(most):
            player.play(total.games, upto, total.merge)
            found.append(look())
    if total.games > (found[-1][0] if found else 0):  # stopped while playing
        found.append(look())
    played, estimates, lows, highs = map(list, zip(*found, strict=True)) if found else ([], [], [], [])
    return Convergence(
        game=run.game.name,
        parameters=shown(run.game),
        strategies=run.strategies,
        seed=number,
        of=of,
        kind="outcome" if of in outcomes else "tally",
        seats=winners(run.game),
        games=played,
        estimates=estimates,
        lows=lows,
        highs=highs,
        version=__version__,
        source_hash=source_hash(type(run.game)),
        interrupted=total.games < most,
    )


def looks(most: int) -> Iterator[int]:
    """Numbers of games for which to estimate: `LOOKS` per factor of ten, equally spaced on a logarithmic scale.

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
