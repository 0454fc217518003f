"""Betting systems compared: sessions with each of several strategies, on the same dice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

from dicelab.errors import ParameterError
from dicelab.questions.betting.session import Session, SessionFigure, at_page, must_be_session, session, watched
from dicelab.questions.declare import question
from dicelab.questions.options import GameLike, Games, Memory, RandomSeed, RowsWatched, Seats, Store, Threads, Without
from dicelab.questions.simulate import seed_of
from dicelab.results.base import BaseResult, about
from dicelab.results.numbers.estimates import Average, Chance, Point, Proportion, known, point
from dicelab.results.numbers.intervals import clopper_pearson
from dicelab.results.rows import Partial, each
from dicelab.results.text.page import Printing
from dicelab.results.text.sentences import apart, points
from dicelab.results.text.table import Column, Table, count, plain, z_text
from dicelab.results.text.writing import many
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import AnyStrategy, as_list

LEAST = ("50%", "staked", "5%", "95%", "sd", "z", "z", "mean")
"""Columns that a narrow page leaves out, the least important first."""
PERCENTILES = {"p5": 0.05, "p50": 0.5, "p95": 0.95}


@dataclass(frozen=True, repr=False, kw_only=True)
class Systems(BaseResult):
    """Sessions with each of several strategies.

    Attributes
    ----------
    sessions
        One result per strategy, all with the same seed; if interrupted, the last one may have fewer sessions.

    Examples
    --------
    >>> found = systems("craps", ["line", "line:system=paroli"], until_rounds=5, games=1000, seed=1, exact=False)
    >>> [row["strategy"] for row in found.rows]
    ['line', 'line:system=paroli']
    """

    sessions: list[Session]

    method = "systems"
    entries = {
        "sessions": (
            [{"$": {"allOf": [{"$ref": "#"}, {"properties": {"method": {"const": "session"}}}]}}],
            "the result of each strategy",
        ),
        "rows": (
            [
                {
                    "strategy": "string",
                    "mean sd": "number",
                    "p5? p50? p95?": "integer",
                    "staked? lost?": "number",
                    "lost_within?": "number|null",
                    "...": "",
                }
            ],
            "one object for each row of the table",
        ),
    }

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """Per strategy: probabilities of ruin and of the goal, final money, mean stake, and the loss as a share of it.

        ``lost_within`` is the half-width of the 95 % interval of that share, None if there are too few sessions. The
        total stake varies little compared with the money won, so it is taken as known.
        """
        return self._table().data()

    def _table(self) -> Table:
        exact = any(self._figure(one, name).z is not None for one in self.sessions for name in self._chances())

        def money(one: Session) -> Average:
            bankroll = one.tallies["bankroll"].simulated
            assert isinstance(bankroll, Average)
            return bankroll

        def percentile(p: float) -> Callable[[Session], int]:
            return lambda one: money(one).percentile(p)

        columns = [Column("strategy", plain, value=lambda one: one.simulation.strategies[0])]
        for name in self._chances() if self.sessions else []:
            columns += self._chance_columns(name, exact)
        columns += [
            Column("mean", lambda page, of: page.mean(of.mean, of.interval), None, money, lambda one: money(one).mean),
            Column("sd", lambda page, of: page.mean(of.sd, of.interval), None, money, lambda one: money(one).sd),
            *(Column(name, count, f"{p:.0%}", percentile(p)) for name, p in PERCENTILES.items()),
        ]
        if any(map(_lost, self.sessions)):
            columns += [
                Column("", lambda page, row: page.number(row["staked"], 1) if row else "", "staked", _lost),
                Column("*", _lost_text, "loss, % of stakes", _lost),
            ]
        return Table(columns, self.sessions, LEAST)

    def _figure(self, one: Session, name: str) -> SessionFigure:
        return (one.outcomes | one.events)[name]

    def _chance_columns(self, name: str, exact: bool) -> list[Column]:
        """Return the columns of a probability, with that of its z-scores if there are exact answers."""

        def figure(one: Session) -> SessionFigure:
            return self._figure(one, name)

        def data(one: Session) -> dict[str, Any]:
            share = point(figure(one).exact or figure(one).simulated)
            return {name: share.value, f"{name}_exact": figure(one).exact is not None, f"{name}_z": figure(one).z}

        def shown(page: Printing, of: SessionFigure) -> str:
            if of.exact is None:
                return page.number(point(of.simulated).value, 4)
            return page.chance(point(of.exact).value, of.exact.error)

        z = Column("", z_text, "z", lambda one: figure(one).z)
        return [Column("*", shown, name, figure, data), *([z] if exact else [])]

    def _sentence(self) -> str:
        if not self.sessions:
            return "No session was completed"
        ruin, ends = self.sessions[0].ruin, {}
        for one in self.sessions:
            ruined = one.outcomes[ruin]
            chance = ruined.exact or ruined.simulated
            assert isinstance(chance, Chance | Proportion)
            interval = chance.interval
            if isinstance(chance, Proportion):  # all of them hold together
                level = 1 - (1 - chance.level) / len(self.sessions)
                interval = clopper_pearson(chance.count, chance.games, level)
            ends[one.simulation.strategies[0]] = Point(chance.probability, *interval)
        safe, risky = (pick(ends, key=lambda name: ends[name].value) for pick in (min, max))
        if ends[safe].high >= ends[risky].low:
            return f"Too few sessions to tell which strategy is safest ({points(ends[safe][1:])})"
        low, high = apart(ends[safe].value, ends[risky].value)
        return f"{safe} goes broke in {low} of sessions, {risky} in {high}"

    @property
    def games(self) -> int:
        """Number of simulated sessions with each strategy; the last one may have fewer."""
        return max((one.games for one in self.sessions), default=0)

    def _lines(self, page: Printing) -> list[str]:
        lines = ["stopped before the end"] if self.interrupted else []
        lines += [*self._head(page, ()), ""]
        if not self.sessions:
            return [*lines, "no session was completed"]
        run, last = self.sessions[0].simulation, self.sessions[-1].simulation.games
        fewer = f" ({last:,} of the last)" if last < run.games else ""
        note = f"{many(run.games, 'session')} each{fewer}, on the same dice, seed {self.seed}"
        exact = any(row.get(f"{name}_z") is not None for row in self.rows for name in self._chances())
        lines += [*self._table().lines(page), ""]
        lines += [f"{note}; probabilities with a z are exact" if exact else note]
        return [*lines, self.refused] if self.refused else lines

    def _chances(self) -> list[str]:
        """Return the names of the probabilities: of ruin, and of the goal if there is one."""
        first = self.sessions[0]
        return [first.ruin, *(["goal"] if "goal" in first.events else [])]


def _lost(one: Session) -> dict[str, Any]:
    """Return the mean stake, and the loss as a share of it; nothing where nothing is staked."""
    staked, won = one.simulation.tallies.get("staked"), one.simulation.tallies["money"]
    if staked is None or staked.mean <= 0:
        return {}
    within = known((won.interval[1] - won.interval[0]) / 2 / staked.mean)
    return {"staked": staked.mean, "lost": -won.mean / staked.mean, "lost_within": within}


def _lost_text(page: Printing, lost: dict[str, Any]) -> str:
    if not lost:
        return ""
    within = "?" if lost["lost_within"] is None else f"{100 * lost['lost_within']:.2f}"
    return f"{page.number(100 * lost['lost'], 2)} ± {within}"


@question(
    chart="sessions",
    drawn=lambda result: bool(result.sessions) and all(one.simulation.games for one in result.sessions),
    charts="dicelab.plots.bankroll:session_charts",
    rows="strategies",
    typed=at_page,
)
def systems(
    game: GameLike,
    strategies: Annotated[Sequence[AnyStrategy], Seats],
    *,
    games: Games = None,
    seed: RandomSeed = None,
    threads: Threads = None,
    exact: Annotated[bool, Without("Only simulate", names=("--simulated",))] = True,
    drawdown: bool = False,
    memory: Memory = None,
    store: Store = None,
    progress: RowsWatched = lambda done, total: None,
    **parameters: object,
) -> Systems:
    """Sessions with each of several strategies, on the same dice.

    Parameters
    ----------
    game, **parameters
        As in `dicelab.session`; a game with one seat.
    strategies
        The strategies to compare.
    games, threads, exact, drawdown, memory, store
        As in `dicelab.session`, for each strategy.
    seed
        The same for all strategies; drawn at random when None.
    progress
        Called with the number of strategies done and the number of all strategies.

    Raises
    ------
    InputError, PlayError
        As `dicelab.session`.

    Examples
    --------
    >>> found = systems("craps", ["line", "line:system=paroli"], until_rounds=5, games=500, seed=1, exact=False)
    >>> [session.simulation.games for session in found.sessions]
    [500, 500]
    """
    listed = as_list(strategies)
    runs = [Run.of(game, text, **parameters) for text in listed]  # a wrong one is refused at once
    if not runs:
        raise ParameterError("give at least one strategy to compare")
    must_be_session(runs[0].game)
    number = seed_of(Run.of(watched(runs[0].game), listed[0]), seed, store)
    options: dict[str, Any] = {"games": games, "seed": number, "threads": threads, "exact": exact, "memory": memory}
    options |= {"store": store}

    def row(run: Run) -> Session:
        one = session(run.game, run.calls[0], drawdown=drawdown, **options)
        if one.interrupted:
            raise Partial(one) if one.simulation.games else KeyboardInterrupt
        return one

    sessions, ending = each(runs, row, progress)
    facts = about(watched(runs[0].game), [run.calls[0] for run in runs]) | ending
    return Systems(**facts, sessions=sessions, seed=number)
