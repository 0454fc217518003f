"""`dicelab.simulate`: play many games and estimate outcome probabilities and tallies."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any

from dicelab.errors import ParameterError
from dicelab.questions.declare import question
from dicelab.questions.options import (
    MOST,
    Cluster,
    GameLike,
    Games,
    Option,
    Precise,
    Precision,
    RandomSeed,
    Seconds,
    Store,
    Threads,
    Watch,
    Whole,
    YesNo,
)
from dicelab.results.base import about, winners
from dicelab.results.numbers.estimates import number_of
from dicelab.results.records import Records, Unwritten, check_path
from dicelab.results.result import Simulation
from dicelab.results.store.encoding import StoredQuestion
from dicelab.results.store.games import KeptGames, seed_in
from dicelab.rules import params
from dicelab.rules.game import Game, outcome_names
from dicelab.runtime.interpreter import LIMIT
from dicelab.runtime.interrupts import OutOfTime, Stopped, held_interrupts
from dicelab.runtime.lineup import Run, as_seed, looks, usable_threads
from dicelab.runtime.scheduler import Tallied
from dicelab.runtime.strategies import Strategies
from dicelab.runtime.timing import TimeLimit

if TYPE_CHECKING:
    from dicelab.engines.player import Player
    from dicelab.questions.played import GamesSoFar
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, runtime_checkable

from dicelab.errors import DicelabError
from dicelab.rules.loading.registry import entry_points

GAMES = 100_000
"""Games played when neither ``games`` nor ``precision`` is given."""

Progress = Callable[[int, int | None], None]
"""Called with the number of games played so far, and of all games (None when a precision decides)."""


@question(
    tab="Simulate",
    settings=("precision", "on"),
    typed=lambda texts: texts if "precision" in texts else {"games": str(GAMES), **texts},
)
def simulate(
    game: GameLike,
    strategies: Strategies = (),
    *,
    games: Games = None,
    precision: Precision = None,
    on: Precise = None,
    seed: RandomSeed = None,
    threads: Threads = None,
    engine: Annotated[
        str, Option("Engine: auto, table, counter, turn, memo, lockstep, compiled, reference or cuda", "E")
    ] = "auto",
    limit: Annotated[int, Whole("Stop with an error if a game takes more than N throws and choices", "N")] = LIMIT,
    seconds: Seconds = None,
    explain: Annotated[bool, YesNo("Also say which engine played, and why no other")] = False,
    records: bool = False,
    out: Annotated[
        str | os.PathLike[str] | None, Option("Write every game to a .parquet file, one row per game", "FILE")
    ] = None,
    store: Store = None,
    cluster: Cluster = None,
    progress: Annotated[Progress | None, Watch("games")] = None,
    **parameters: object,
) -> Simulation:
    """Play many games and estimate the outcome probabilities and the means of the tallies.

    With GAME given, --help also lists the parameters of the game.

    Commands
    --------
    dicelab simulate hazard --main 5 --games 1e6 --seed 1
    dicelab simulate tossup -s bank_over:20 -s bank_over:50 --precision 0.001
    dicelab simulate lcr --players 6 --precision 0.1 --on turns --json
    dicelab simulate lcr --players 3 --with-exact --plot turns.svg --of turns
    dicelab simulate hazard --games 1e8 --seed 1 --out games.parquet
    dicelab simulate tossup --target 50 -s bank_over:15 -s bank_over:20 --luck-adjusted
    dicelab simulate lcr --players 9 --games 1e12 --cluster tcp://10.0.0.1:8786 --store runs.db

    Parameters
    ----------
    game
        A game with its parameters (``LCR(players=3)``), a game's class, a name (``"lcr"``), or a path to a file
        (``"./pig.py"``).
    strategies
        One strategy for each seat, such as ``"bank_over:20"``, or one for all seats; none means the game's default.
    games
        Games to play, 100,000 when no precision is given.
    precision
        Stop once the 95 % interval of every outcome (or of the outcome or tally named by `on`) is within this
        half-width. Checked after 1000 games and then whenever a quarter more games have been played, so that the number
        of games does not depend on threads. The intervals are a twentieth wider than for a fixed number of games, so
        that they cover 95 % although play stops when they are narrow. It never stops while an interval has an infinite
        end, as when all games give the same value of `on` and no bounds of it are declared or proved.
    on
        The outcome to whose probability the precision applies, or the tally to whose mean.
    seed
        Whole number from 0 to 2**64 - 1; drawn at random, and reported, when None. The same seed gives the same games
        on every engine and any number of threads.
    threads
        Threads of the faster engines; one for each core when None.
    engine
        ``auto`` uses the fastest engine that can play the game, if there are many games; the others are ``table``,
        ``counter``, ``turn``, ``memo``, ``lockstep``, ``compiled`` and ``reference``, see ``docs/engines.md``;
        and ``cuda``, on a GPU (docs/gpu.md).
    limit
        Rolls and choices after which a game is considered endless.
    seconds
        Seconds of playing after which it stops, with as many of the first games of the seed as were played by then;
        making engines ready doesn't count.
    records
        Keep outcome and tallies of every game, in `Simulation.records`; memory then grows with the number of games.
    out
        A ``.parquet`` file for all games, one row each, written while they are played: index, outcome, tallies; see
        `dicelab.results.records`. An existing file is replaced at the end.
    store
        A file (docs/store.md) that has the totals of games played before, and gets those of the games played now. The
        result is the same as without it. With a store and no seed, the seed is that of the latest run of this question.
    cluster
        Where to play instead of in this process (docs/cluster.md): the address of a Dask scheduler,
        ``"tcp://HOST:PORT"``, ``"local:4"`` for 4 processes on this machine, or a `distributed.Client`. The result is
        the same.
    explain
        Say in `Simulation.engines`, and in the text of the result, which engine played, and why no other.
    progress
        Called while games are played, with their number so far and in all (None when a precision decides).
    **parameters
        Parameters of the game, beside those that it already has. A parameter with the name of an option can only be
        given with the game: ``Auction(games=3)``.

    Returns
    -------
    Simulation
        When interrupted from the keyboard, of the games from the first one up to the first one missing. The same if the
        file of games can't be written any further, or the scheduler of the cluster is gone; `Simulation.refused` then
        says why. The same if the time is over, which `Simulation.out_of_time` says.

    Raises
    ------
    PlayError
        When a game goes wrong; names seed, game and state.
    DicelabError
        When the file for the games can't be created.

    Examples
    --------
    >>> from dicelab.games.lcr import LCR
    >>> result = simulate(LCR(players=3), games=2000, seed=5, threads=1)
    >>> sorted(result.outcomes), result.games, result.seed
    (['0', '1', '2'], 2000, 5)
    """
    from dicelab.questions.played import GamesSoFar

    run = Run.of(game, strategies, **parameters)
    wanted = target(run.game, games, precision, on)
    _must_go_together(out, store, explain, cluster)
    number = seed_of(run, seed, store, limit, records)
    path = None if out is None else check_path(out, run.game)
    with opened(cluster) as workers:
        player = _player(workers, run, number, engine, threads, whole("limit", limit), records or out is not None)
        played = GamesSoFar(run, precision, on)

        def done(chunk: Tallied) -> None:
            rows, chunk.records = chunk.records, chunk.records if records else []
            played.total.merge(chunk)
            kept.add(chunk)
            if file is not None:
                file.add(rows)
            if progress is not None:
                _tell(progress, played.games, wanted)

        interrupted, out_of_time, refused = False, False, ""
        nothing = Tallied.empty(len(played.total.counts), len(played.tally_names))
        asked = partial(_question, run, number, limit, records)
        kept = KeptGames(store, asked, nothing, lambda: replace(result_of(player, played), tallied=nothing))
        time = TimeLimit(seconds)
        with kept, held_interrupts() as stopped, nullcontext() if path is None else Records(path, run.game) as file:
            try:
                for upto in looks() if wanted is None else [wanted]:
                    played.total.merge(kept.upto(upto))
                    if played.games < upto:
                        player.play(played.games, upto, done, time.is_over)
                    if played.is_precise():
                        break
                    if stopped() and played.games != wanted:
                        raise Stopped
            except OutOfTime:
                out_of_time = True
            except Stopped:
                interrupted = True
            except (Unwritten, Lost) as error:  # the games played so far are not lost
                interrupted, refused = played.games != wanted, str(error)
            result = _estimated(player, played, kept.known(played.games))
            engines = getattr(player, "explained", {}) if explain else {}
            ended: dict[str, Any] = {"interrupted": interrupted, "out_of_time": out_of_time, "refused": refused}
            return _kept(file, replace(result, **ended, engines=engines), player.limit)


def _must_go_together(out: object, store: object, explain: bool, cluster: object) -> None:
    """Refuse options that exclude each other."""
    if out is not None and store is not None:
        raise ParameterError("out needs every game to be played, and a store has only totals; give one of them")
    if explain and cluster is not None:
        raise ParameterError("explain: each worker of a cluster chooses its engine by itself; leave it out")


def _estimated(player: Player, played: GamesSoFar, known: Simulation | None) -> Simulation:
    """Return the result of the games played; from the store where it was `known` there at the same level."""
    if known is not None and known.level == played.level:
        return replace(known, tallied=played.total, seconds=player.seconds)
    return result_of(player, played)


def _player(
    cluster: Workers | None, run: Run, seed: int, engine: str, threads: int | None, limit: int, keep: bool
) -> Player:
    """Return who plays: this process, or the workers of a cluster."""
    if cluster is None:
        from dicelab.engines.player import Player

        return Player(run, seed, engine, usable_threads(threads), limit, keep)
    if threads is not None:
        raise ParameterError("threads: the workers of a cluster have their own threads; leave it out")
    player: Player = cluster.player(run, seed, engine, limit, keep)
    return player


def seed_of(
    run: Run,
    seed: object,
    store: str | os.PathLike[str] | None,
    limit: int = LIMIT,
    records: bool | None = False,
) -> int:
    """Return the seed given; without one, that of the latest stored run of these games, or else a random one.

    If `records` is None, it doesn't matter whether every game of the stored run was kept.
    """
    kinds = (False, True) if records is None else (records,)
    seeds = (seed_in(store, seed, partial(_question, run, None, limit, kind)) for kind in kinds)
    return as_seed(next((one for one in seeds if one is not None), None))


def _question(run: Run, seed: int | None, limit: int, records: bool) -> StoredQuestion:
    """Return what the totals of games depend on."""
    return StoredQuestion.of_games(run, seed, limit=whole("limit", limit), records=bool(records))


def _tell(progress: Progress, games: int, wanted: int | None) -> None:
    """Call `progress` between two chunks, where Ctrl-C loses nothing."""
    try:
        progress(games, wanted)
    except KeyboardInterrupt as error:
        raise Stopped from error


def result_of(player: Player, played: GamesSoFar) -> Simulation:
    """Return the result of the games played so far."""
    return Simulation(
        **about(player.run.game, player.run.calls),
        games=played.games,
        seed=player.seed,
        engine=player.engine_used,
        threads=1 if player.engine_used == "reference" else player.threads,
        seconds=player.seconds,
        outcome_names=played.outcome_names,
        seats=winners(player.run.game),
        tally_names=played.tally_names,
        tallied=played.total,
        level=played.level,
        note=player.note,
        bounds=tuple(average.bounds for average in played.averages()),
    )


def _kept(file: Records | None, result: Simulation, limit: int) -> Simulation:
    """Return the result with the name of the file of games, once that is complete, or with the reason why there is
    none.
    """
    if file is None or result.refused:
        return result
    try:
        file.finish(result.provenance | {"limit": limit})
    except Unwritten as error:
        return replace(result, refused=str(error))
    return replace(result, out=file.path)


def simulated_only(**given: object) -> None:
    """Refuse options that only simulations have, in a request for an exact answer."""
    for name, value in given.items():
        if value is not None:
            raise ParameterError(f"{name} is for simulations only, not for exact answers")


def target(game: Game, games: object, precision: object, on: str | None) -> int | None:
    """Return the number of games to play, or None when the precision decides.

    Raises
    ------
    ParameterError, UnknownNameError
        When the options exclude each other, or one is not allowed.
    """
    if precision is None:
        if on is not None:
            raise ParameterError("on is for use with a precision")
        return GAMES if games is None else whole("games", games)
    if games is not None:
        raise ParameterError("give a number of games or a precision, not both")
    if (
        isinstance(precision, bool)
        or not isinstance(precision, int | float)
        or not isfinite(precision)
        or precision <= 0
    ):
        raise ParameterError(f"precision: {precision!r} is not allowed; it takes a number above 0")
    if on is not None:
        number_of(game, on)
    elif not outcome_names(game):
        raise ParameterError(f"{game.name} has tallies only; say which mean is to be precise with on")
    return None


def whole(name: str, value: object) -> int:
    """Return a whole number, at least 1 and at most `MOST`."""
    number = params.whole(name, value)
    if number > MOST:
        raise ParameterError(f"{name}: {value} is not allowed; it takes a whole number, at most {MOST}")
    return number


GROUP = "dicelab.clusters"
"""Entry points of installed packages: each returns the workers that an argument `cluster` names, or refuses it by a
`ParameterError`.
"""


class Lost(DicelabError):
    """The scheduler of a cluster doesn't answer any more."""


@runtime_checkable
class Workers(Protocol):
    """A cluster, which need not be connected to yet."""

    def player(self, run: Run, seed: int, engine: str, limit: int, keep: bool) -> Any:
        """Return what plays a run there, as `dicelab.engines.player.Player` does in this process."""

    def close(self) -> None:
        """Close what was opened for it."""


@contextmanager
def opened(cluster: Any) -> Iterator[Workers | None]:
    """Open the cluster that is named, closed at the end if it was opened here; None for none.

    Raises
    ------
    ParameterError
        When no package knows such a cluster; the message is that of the first one.
    """
    if cluster is None or isinstance(cluster, Workers):
        yield cluster
        return
    workers = _workers(cluster)
    try:
        yield workers
    finally:
        workers.close()


def _workers(where: Any) -> Workers:
    refused = ParameterError("cluster: this installation of dicelab lacks what plays on a cluster; install it again")
    for number, point in enumerate(entry_points(group=GROUP)):
        try:
            workers: Workers = point.load()(where)
            return workers
        except ParameterError as error:
            refused = refused if number else error
    raise refused
