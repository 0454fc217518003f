"""Sessions with a bankroll: risk of ruin, probability of the goal, final money, peak, drawdown, and time until ruin.

Any game that declares its ruin outcome (`dicelab.rules.Casino.ruin`) can run as a session. Sessions are simulated and,
if possible, solved exactly; the two results are independent, and their difference is reported as a z-score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import isfinite, isnan, nan, sqrt
from operator import attrgetter
from typing import Annotated, Any

from dicelab.errors import ParameterError, RangeError, TooLarge
from dicelab.limits import LIMITS
from dicelab.questions.declare import question
from dicelab.questions.exact import exact as solve
from dicelab.questions.options import (
    GameLike,
    RandomSeed,
    ShareWatched,
    Size,
    StatesWatched,
    Store,
    Threads,
    Watch,
    Whole,
    Without,
)
from dicelab.questions.simulate import simulate
from dicelab.results.base import BaseResult
from dicelab.results.entries import EXACT, Read
from dicelab.results.numbers import estimates
from dicelab.results.numbers.estimates import Average, Chance, Distribution, Named, Proportion, flat, known
from dicelab.results.result import Exact, Simulation
from dicelab.results.side_by_side import z_of, z_score
from dicelab.results.text.page import CHANCE, Printing, decimals
from dicelab.results.text.sentences import capital, percent, points, the
from dicelab.results.text.table import Column, Table, Text, Z, count, z_text
from dicelab.results.text.writing import chance_line, many
from dicelab.rules.casino import casino_of
from dicelab.rules.fields import MOST_COUNTED
from dicelab.rules.game import Game
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import Strategies
from dicelab.runtime.timing import Stopwatch

MEMORY = 1 << 30
"""Default memory limit of the exact answer, in bytes."""
PERCENTILES = {"p5": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95}
ALL = dict(sorted((PERCENTILES | estimates.PERCENTILES).items(), key=lambda pair: pair[1]))
"""Percentiles in plain data."""
LEAST = ("25%", "75%", "sd", "5%", "95%", "50%", "sd")
"""Columns of amounts that a narrow page leaves out, the least important first."""
WIDE = 0.2
"""Width of the interval of a probability above which there are too few sessions to tell it."""
TITLES = {"highest": "peak of the money", "drawdown": "largest drawdown"}
"""Titles of rows in the printed table that differ from `SessionFigure.means`."""


@dataclass(frozen=True)
class SessionFigure:
    """A probability, or the distribution of an amount: simulated and, if known, exact.

    Attributes
    ----------
    name, means
        Its name, and what it means.
    simulated, exact
        For a probability, `Proportion` and `Chance`; for an amount, `Average` and `Distribution`.
    z
        Difference between the two in standard errors.

    Examples
    --------
    >>> SessionFigure("ruined", "risk of ruin", Proportion(117, 1000), Chance(0.12), z=-0.29).to_dict()["exact"][
    ...     "probability"
    ... ]
    0.12
    """

    name: str
    means: str
    simulated: Proportion | Average
    exact: Chance | Distribution | None
    z: float | None

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON of the command line."""
        data = {"means": self.means, **_plain(self.simulated)}
        return data if self.exact is None else data | {"exact": _plain(self.exact), "z": known(self.z)}


SIMULATED = attrgetter("simulated")


def _cells(row: SessionFigure) -> dict[str, Any]:
    """Return a figure as cells of comma-separated values."""
    both = {"simulated": row.simulated, "exact": row.exact}
    figures = {how: flat(_plain(number)) for how, number in both.items() if number is not None}
    cells = {f"{how}_{key}": value for how, data in figures.items() for key, value in data.items()}
    return {"name": row.name, **cells, "z": known(row.z)}


def _plain(number: Proportion | Average | Chance | Distribution) -> dict[str, Any]:
    return number.to_dict(ALL) if isinstance(number, Average | Distribution) else number.to_dict()


@dataclass(frozen=True, repr=False, kw_only=True)
class Session(BaseResult):
    """Simulated sessions and their exact answer.

    Attributes
    ----------
    simulation
        The simulated sessions.
    exact
        The exact answer; None if there is none.
    ruin
        Name of the outcome of ruin.
    why
        Why the exact answer is missing, if it was asked for.
    on_the_way
        The exact answers about the tallies `peak` and `fall`, if their chains are small enough.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.session("craps", "line", until_rounds=10, bankroll=50, games=2000, seed=1)
    >>> found.outcomes["ruined"].exact.probability
    0.1173...
    """

    simulation: Simulation
    ruin: str
    exact: Exact | None = None
    why: str = ""
    on_the_way: Mapping[str, Exact] = field(default_factory=dict)

    method = "session"
    entries = {
        "engine": "string: the engine that played",
        "exact?": Read(lambda self: self.exact and self.exact.how() | {"seconds": self.exact.seconds}, EXACT),
        "why?": "string: why there is no exact answer",
        "notes?": "[string]: remarks, each a sentence",
        "outcomes": "#outcomes: the outcomes, by name",
        "events": "#outcomes: chances of something other than how a game ends, by name",
        "tallies": "#tallies: the tallies, by name",
    }

    @property
    def sessions(self) -> list[Session]:
        """The sessions that a chart draws, as those of `dicelab.systems`: these."""
        return [self]

    @property
    def games(self) -> int:
        """Number of simulated sessions."""
        return self.simulation.games

    @property
    def engine(self) -> str:
        """The engine that played."""
        return self.simulation.engine

    @property
    def outcomes(self) -> dict[str, SessionFigure]:
        """Probabilities of how a session ends, by name."""
        rows = {}
        for name, share in self.simulation.outcomes.items():
            rows[name] = self._chance(name, "outcome", share, self.exact.outcomes[name] if self.exact else None)
        return Named("outcome of a session", rows)

    @property
    def events(self) -> dict[str, SessionFigure]:
        """Probabilities of what else may happen, by name: ``goal``, if there is one."""
        rows = {}
        goal = self.simulation.parameters.get("stop_win", 0)
        if goal:
            money = self.simulation.tallies["money"].histogram
            share = Proportion(sum(n for won, n in money.items() if won >= goal), self.games)
            rows["goal"] = self._chance("goal", f"{goal} won, or more", share, self._exact_goal(goal))
        return Named("event of a session", rows)

    @property
    def tallies(self) -> dict[str, SessionFigure]:
        """Distributions by name: final money, peak, drawdown, duration, and time until ruin."""
        return Named("tally of a session", {row.name: row for row in self._amounts()})

    @property
    def _chances(self) -> dict[str, SessionFigure]:
        return Named("outcome or event of a session", self.outcomes | self.events)

    def _exact_goal(self, goal: int) -> Chance | None:
        money = self.exact.tallies["money"] if self.exact else None
        if money is None or money.spread is None:
            return None
        return Chance(sum(p for won, p in money.probabilities.items() if won >= goal), None, money.spread.error)

    def _chance(self, name: str, means: str, share: Proportion, exact: Chance | None) -> SessionFigure:
        return SessionFigure(name, means, share, exact, None if exact is None else z_of(share, exact))

    def _amounts(self) -> Iterator[SessionFigure]:
        tallies, bankroll = self.simulation.tally_names, int(self.simulation.parameters["bankroll"])
        yield self._amount("bankroll", "money at the end", "money", bankroll)
        if "peak" in tallies:
            yield self._amount("highest", "the most money on the way", "peak", bankroll)
        if "fall" in tallies:
            yield self._amount("drawdown", "the deepest fall from the highest", "fall")
        for tally in ("throws", "rounds"):
            if tally in tallies:
                yield self._amount(tally, f"{tally} of a session", tally)
                yield self._amount(f"{tally}_to_ruin", f"{tally} of sessions that end in ruin", tally, given=self.ruin)

    def _amount(self, name: str, means: str, tally: str, more: int = 0, given: str = "") -> SessionFigure:
        outcome = self.simulation.outcome_names.index(given) if given else None
        k = self.simulation.tally_names.index(tally)
        tallied = self.simulation.tallied
        histogram = tallied.histogram(k) if outcome is None else tallied.histograms[outcome][k]
        low, high = self.simulation.bounds[k]
        average = Average(
            Counter({value + more: n for value, n in histogram.items()}), bounds=(low + more, high + more)
        )
        solved = self.on_the_way.get(tally, self.exact)
        exact = _shifted(solved.tallies.get(tally), more, outcome) if solved else None
        z = None
        if exact is not None and average.games:
            z = z_score(average.mean, exact.mean, average.sd if isnan(exact.sd) else exact.sd, average.games)
        return SessionFigure(name, means, average, exact, z)

    def _sentence(self) -> str:
        if not self.games:
            return "No session was played"
        ruin, money = self.outcomes[self.ruin], self.tallies["bankroll"].simulated
        assert isinstance(ruin.simulated, Proportion) and isinstance(money, Average)
        exact = isinstance(ruin.exact, Chance)
        chance = ruin.exact if exact and ruin.exact is not None else ruin.simulated
        assert isinstance(chance, Chance | Proportion)
        margin = "" if exact else f" ({points(chance.interval)})"
        who = the(self.players[0] if self.players else "player")
        if not exact and chance.interval[1] - chance.interval[0] > WIDE:
            return f"Too few sessions to tell how often {who} goes broke{margin}"
        broke = f"{capital(who)[:-1]} goes broke in {percent(chance.probability)} of sessions{margin}"
        solved = self.tallies["bankroll"].exact
        if isinstance(solved, Distribution):
            low, high = solved.percentile(0.25), solved.percentile(0.75)
            if low is not None and high is not None:
                return f"{broke}; half of them end {_between(low, high)}"
        if not all(isfinite(end) for p in (0.25, 0.75) for end in money.percentile_interval(p)):
            return f"{broke}; too few to tell with how much they end"
        return f"{broke}; half of them end {_between(money.percentile(0.25), money.percentile(0.75))}"

    def _tables(self) -> list[Table]:
        """Return the table of probabilities, and that of amounts."""

        def exact_number(name: str) -> Text:
            def text(page: Printing, row: SessionFigure) -> str:
                number = getattr(row.exact, name, nan)
                return "" if isnan(number) else page.number(number, min(CHANCE, decimals(row.simulated.interval) + 2))

            return text

        def percentile(p: float) -> Callable[[SessionFigure], int | None]:
            def of(row: SessionFigure) -> int | None:
                simulated = row.simulated
                return simulated.percentile(p) if isinstance(simulated, Average) and simulated.games else None

            return of

        def exact_chance(page: Printing, exact: Chance | None) -> str:
            return "" if exact is None else page.chance(exact.probability, exact.error)

        z = Column("", z_text, Z, lambda row: row.z)
        exact = [Column("", exact_chance, "exact", lambda row: row.exact), z]
        chances = [
            Column("*", lambda page, row: row.name if row.means == "outcome" else row.means, "chance", data=_cells),
            Column("", lambda page, of: page.chance(of.probability), "simulated", SIMULATED),
            Column("", lambda page, of: page.span(of.interval), "95 % interval", SIMULATED),
        ]
        solved = [Column("", exact_number("mean"), "exact mean"), Column("", exact_number("sd"), "sd"), z]
        amounts = [
            Column("*", lambda page, row: TITLES.get(row.name, row.means), "amount", data=_cells),
            Column("", lambda page, of: page.mean(of.mean, of.interval), "mean", SIMULATED),
            Column("", lambda page, of: page.mean(of.sd, of.interval), "sd", SIMULATED),
            *(Column("", count, f"{p:.0%}", percentile(p)) for p in PERCENTILES.values()),
        ]
        if self.exact:
            chances, amounts = chances + exact, amounts + solved
        return [Table(chances, [*self._chances.values()]), Table(amounts, [*self.tallies.values()], LEAST)]

    def _page_tables(self) -> list[Table]:
        chances, amounts = self._tables()
        return [chances, replace(amounts, rows=[row for row in amounts.rows if row.simulated.games])]

    def _lines(self, page: Printing) -> list[str]:
        run = self.simulation
        lines = [*self._head(page), ""]
        chances, amounts = self._page_tables()
        lines += [*chances.lines(page), "", *amounts.lines(page), ""] if run.games else []
        stopped = ", stopped before the end" if run.interrupted else ""
        lines.append(f"simulated: {many(run.games, 'session')}, seed {run.seed}{stopped}, {run.seconds:.3f} s")
        if self.exact is not None:
            seconds = sum(one.seconds for one in (self.exact, *self.on_the_way.values()))
            lines.append(f"exact: {many(self.exact.states, 'state')}, {seconds:.3f} s")
            rows = [*self._chances.values(), *self.tallies.values()]
            lines += chance_line(sum(row.z is not None for row in rows))
        lines += [f"no exact answer: {self.why}"] if self.why else []
        return [*lines, *self.notes]

    @property
    def notes(self) -> list[str]:
        """Remarks for the reader of the figures."""
        run, notes = self.simulation, []
        if len(run.strategies) > 1:
            notes.append(f"all figures are about player 1, {run.strategies[0]}; the other players share the dice")
        staked = run.tallies.get("staked")
        if run.games and staked is not None and not any(staked.histogram):
            notes.append("nothing was staked: the house does not take these bets, or the strategy makes none")
        return notes


def _between(low: int, high: int) -> str:
    return f"with {low:,}" if low == high else f"with {low:,} to {high:,}"


def _shifted(money: Distribution | None, more: int, outcome: int | None) -> Distribution | None:
    """Return a distribution with `more` added to each value; if `outcome` is given, conditional on that outcome."""
    from dicelab.solver.solution.distribution import Spread

    if money is None or (money.spread is None and outcome is not None) or abs(more) > MOST_COUNTED:
        return None
    if money.spread is None:
        return Distribution(money.mean + more, money.sd, None, money.error, None)
    spread = money.spread
    if outcome is None:
        moved = Spread(spread.values + more, spread.joint, spread.left, spread.error)
        fraction = None if money.fraction is None else money.fraction + more
        return Distribution(money.mean + more, money.sd, fraction, money.error, moved)
    joint = spread.joint[:, outcome : outcome + 1]
    chance = float(joint.sum())
    if chance <= spread.error:
        return None
    kept = joint[:, 0] > 0
    values, weights = spread.values[kept] + more, joint[kept] / chance
    mean = float(values @ weights[:, 0])
    sd = sqrt(float(weights[:, 0] @ (values - mean) ** 2))
    error = min(1.0, 2 * spread.error / chance)
    return Distribution(
        mean, sd, None, error * (float(values[-1]) - float(values[0]) + 1.0), Spread(values, weights, 0.0, error)
    )


def at_page(texts: dict[str, Any]) -> dict[str, Any]:
    """Return the texts of a page, which plays fewer sessions of one seed unless its address says otherwise."""
    return {"games": "20000", "seed": "1", **texts}


@question(
    instead=("with_dice", "for_ruin"),
    each="systems",
    tab="Session",
    needs="session",
    complete=lambda page, texts: bool(page.card["session"]),
    typed=at_page,
    chart="sessions",
    drawn=lambda result: bool(result.sessions) and all(one.simulation.games for one in result.sessions),
    charts="dicelab.plots.bankroll:session_charts",
    working="Playing and solving sessions.",
    compared=True,
)
def session(
    game: GameLike,
    strategies: Strategies = (),
    *,
    games: Annotated[
        int | None, Whole("Number of sessions to play [default: 100000]", "N", ("--games", "-n"), label="sessions")
    ] = None,
    seed: RandomSeed = None,
    exact: Annotated[
        bool,
        Without(
            "Only simulate; by default sessions are also solved, if possible",
            names=("--simulated",),
            label="only simulated",
            key="simulated",
        ),
    ] = True,
    drawdown: bool = True,
    memory: Annotated[int | None, Size("Memory limit of the exact answer, such as 4G [default: 1G]", "SIZE")] = None,
    threads: Threads = None,
    store: Store = None,
    progress: Annotated[Callable[[int, int | None], None] | None, Watch("games")] = None,
    solving: StatesWatched = lambda found, expanded: None,
    share: ShareWatched = lambda done: None,
    simulated: Annotated[Callable[[Session], None], Watch("result")] = lambda result: None,
    **parameters: object,
) -> Session:
    """Play sessions with a bankroll: risk of ruin, final money, peak, drawdown, duration.

    Sessions are simulated, and solved exactly if possible. If several strategies are given for the one seat, each of
    them plays on the same dice. With --ruin, find the bankroll or the bet for a given risk of ruin; --plot then draws
    the risk against the bankroll.

    Commands
    --------
    dicelab session craps --until-rounds 200 --seed 1
    dicelab session craps -s line:pass:2 --stop-win 200 --stop-loss 200 --until-rounds 0
    dicelab session craps -s line -s line:system=martingale --simulated --plot systems.svg
    dicelab session craps --until-rounds 200 --ruin 5%
    dicelab session craps --until-rounds 200 --ruin 5% --step 10 --plot ruin.svg
    dicelab session craps --until-rounds 200 --ruin 5% --find unit --json
    dicelab session craps --until-rounds 20 --dice-from 80,100,100,100,100,120

    Parameters
    ----------
    game, strategies, seed, threads, progress, **parameters
        As in `dicelab.simulate`; several strategies for one seat are compared by `dicelab.systems`. The drawdown is
        recorded if the game has the switch ``falls``.
    games
        Number of sessions to simulate; 100,000 when None.
    exact
        Also solve exactly.
    drawdown
        Also solve peak and drawdown exactly, if that takes only seconds.
    store
        As in `dicelab.simulate` and `dicelab.exact`.
    solving
        Called with the numbers of states found and expanded so far.
    share
        Called with the share that is done of the solution, as in `dicelab.exact`.
    simulated
        Called with the simulated sessions before they are solved, which may take much longer.

    Raises
    ------
    InputError
        When an argument is unknown or not allowed, or the game declares no ruin outcome.

    Examples
    --------
    >>> found = session("craps", "line:pass:0:10", until_rounds=20, bankroll=100, games=2000, seed=1)
    >>> print(f"{found.outcomes['ruined'].exact.probability:.4f}")
    0.0306
    """
    watch, run = Stopwatch(), Run.of(game, strategies, **parameters)
    must_be_session(run.game)
    table = watched(run.game)
    played = simulate(table, run.calls, games=games, seed=seed, threads=threads, store=store, progress=progress)

    def result(**facts: Any) -> Session:
        ruin = casino_of(type(table)).ruin
        return Session(**played.common | {"seconds": watch.seconds} | facts, simulation=played, ruin=ruin)

    if not exact or played.interrupted:
        return result()
    simulated(result())
    wanted = ["money", "throws", *(["rounds"] if run.game.parameters.get("until_rounds") else [])]
    tallies = [name for name in wanted if name in run.game.declared.tallies]
    allowed = MEMORY if memory is None else memory
    try:
        settings: dict[str, Any] = {"memory": allowed, "threads": threads, "store": store}
        truth = solve(run.game, run.calls, tallies=tallies, progress=solving, share=share, **settings)
    except (TooLarge, RangeError) as error:
        return result(why=str(error))
    except KeyboardInterrupt:  # keep the simulated sessions
        return result(why="stopped before the end", interrupted=True)
    try:
        return result(exact=truth, on_the_way=_on_the_way(run, truth, settings, solving) if drawdown else {})
    except KeyboardInterrupt:
        return result(exact=truth, interrupted=True)


def watched(game: Game) -> Game:
    """Return the game with the switch ``falls`` on, if it has one, so that the drawdown is recorded."""
    return type(game)(**{**game.parameters, "falls": 1}) if "falls" in game.parameters else game


def _on_the_way(
    run: Run, truth: Exact, settings: Mapping[str, Any], solving: Callable[[int, int], None]
) -> dict[str, Exact]:
    """Exact answers about peak and drawdown, those of them that take only seconds."""
    import numpy as np

    length, money = truth.tallies.get("throws"), truth.tallies["money"].spread
    if length is None or money is None:
        return {}
    most = LIMITS.peak_rolls // max(1, int(length.spread.values[-1] if length.spread else 2 * length.mean))

    def few(found: int, expanded: int) -> None:
        if found > most:
            raise TooLarge(f"more than {most:,} states")
        solving(found, expanded)

    steps = np.diff(money.values).astype(np.uint64)  # unsigned: the largest possible difference is 2**63
    wins = max(0, int(money.values[-1])) // max(1, int(np.gcd.reduce(steps))) + 1
    pairs = truth.states // max(1, int(run.game.parameters.get("until_rounds", 0)))
    solved = {}
    for tally, table, size in (("peak", run.game, pairs * wins), ("fall", watched(run.game), pairs * wins**2 // 2)):
        if tally in table.declared.tallies and size <= LIMITS.peak_work:
            with suppress(TooLarge, RangeError):
                solved[tally] = solve(table, run.calls, tallies=(tally,), progress=few, **settings)
    return solved


def must_be_session(game: Game) -> None:
    """Check that a game declares its ruin outcome."""
    if not casino_of(type(game)).ruin:
        raise ParameterError(f"{game.name} can't run as a session: it declares no ruin outcome; craps does")
