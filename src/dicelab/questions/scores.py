"""The games of a rating: every line-up on the same dice, in rounds, and what they say of each strategy's score.

By itself because the question and its answer fill a module (`dicelab.questions.rate`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from math import isfinite, log
from typing import TYPE_CHECKING, Any

from dicelab.errors import ParameterError, TooLarge, concerning
from dicelab.questions.compare import PAYOFF, ComparisonPlan, LineUp, score_of
from dicelab.questions.simulate import simulate
from dicelab.results.numbers.estimates import Point
from dicelab.results.numbers.intervals import ANYWHERE, LEVEL
from dicelab.results.rows import completed
from dicelab.rules.private import private_fields
from dicelab.runtime.interrupts import OutOfTime
from dicelab.runtime.lineup import Run
from dicelab.runtime.timing import TimeLimit

if TYPE_CHECKING:
    import os

    import numpy as np
    from numpy.typing import NDArray

    from dicelab.engines.player import Player
    from dicelab.questions.policies.skill.estimated_luck import EstimatedLuck
    from dicelab.questions.policies.skill.luck_sums import LuckOfGames


NOTHING = 1e-12
"""Variances and standard deviations below this are rounding of exact values."""
SOLVED_IN = 2**29
"""Bytes within which a game must be solved for its luck to be exact, so that it is known soon whether it can be."""


@dataclass(frozen=True)
class Rated:
    """A strategy, how well it does, and which others it may be as good as.

    Attributes
    ----------
    strategy
        The strategy.
    place
        1 for the best one: 1 more than the strategies whose lead over this one is clear.
    score
        Its mean score against the others, with an interval that holds at every look.
    close
        The strategies that can't be told from it.
    loss
        What it loses against optimal play, with a usual 95 % interval; None if that was not asked for.
    narrower
        By which factor the interval is narrower without luck than that of the games alone; None if luck was not taken
        out, or an interval has no width.

    Examples
    --------
    >>> Rated("hold_at:20", 1, Point(0.61, 0.58, 0.64), ()).place
    1
    """

    strategy: str
    place: int
    score: Point
    close: tuple[str, ...]
    loss: Point | None = None
    narrower: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        named = {"strategy": self.strategy, "place": self.place}
        lost = {} if self.loss is None else self.loss.to_dict("loss")
        if lost:
            lost = {"loss": lost["loss"], "loss_low": lost["low"], "loss_high": lost["high"]}
        narrower = {} if self.narrower is None else {"narrower": self.narrower}
        return {**named, **self.score.to_dict("score"), "close": [*self.close], **lost, **narrower}


class ScoredGames:
    """The line-ups of a rating, and the scores of the games played so far.

    Parameters
    ----------
    plan, runs
        What is compared, and each line-up that plays.
    seed
        Seed of all line-ups.
    threads
        Number of threads.
    fewest
        Whether the smallest score is the best one.
    store
        A file that has the games of line-ups, and gets those that are played now; None for no file.

    Attributes
    ----------
    games
        How many games every line-up has played.
    luckless
        By what the luck of the dice is known that is taken out of the scores, for people; empty if it is left in.
    """

    def __init__(
        self,
        plan: ComparisonPlan,
        runs: dict[LineUp, Run],
        seed: int,
        threads: int,
        fewest: bool = False,
        store: str | os.PathLike[str] | None = None,
    ) -> None:
        from dicelab.engines.player import Player
        from dicelab.runtime.states.tally_bounds import declared_bounds

        self.plan, self.runs, self.seed, self.sign = plan, runs, seed, -1 if fewest else 1
        self.store, self.threads, self.games = store, threads, 0
        self.players: dict[LineUp, Player] = {}
        if store is None:
            self.players = {lineup: Player(run, seed, "auto", threads, keep=True) for lineup, run in runs.items()}
        self.kept: dict[LineUp, list[NDArray[Any]]] = {lineup: [] for lineup in runs}
        self.luck: dict[LineUp, LuckOfGames] = {}
        self.estimated: EstimatedLuck | None = None
        self.luckless = ""
        self.lucks: dict[LineUp, list[NDArray[np.float64]]] = {lineup: [] for lineup in runs}
        self.shares = 1
        tallies = [*plan.table.declared.tallies]
        self.bounds = (0.0, 1.0)
        if plan.paid is not None:
            self.bounds = min(map(min, plan.paid)), max(map(max, plan.paid))
        elif plan.tallies:
            ends = [declared_bounds(plan.table)[tally] for tally in plan.tallies]
            self.bounds = min(low for low, _ in ends), max(high for _, high in ends)
        elif plan.on in tallies:
            self.bounds = declared_bounds(plan.table)[tallies.index(plan.on)]

    def take_luck_out(self, looks: int, by: str | None) -> None:
        """Take the luck of the dice out of all scores from now on.

        Parameters
        ----------
        looks
            How often the scores are looked at, at most; the intervals of all looks share their level.
        by
            What estimates it: a file of learned values, or a strategy that plays games on. If None, it is exact where
            the game can be solved; else the first file among the rated strategies, or the game's first strategy,
            estimates it.
        """
        from dicelab.questions.policies.skill.estimated_luck import EstimatedLuck, file_of_values, judged_by

        self.shares = looks
        calls = [call for run in self.runs.values() for call in run.calls]
        if by is None and (file_of_values(calls) or not self._solved()):
            by = judged_by(self.plan.table, calls)
        if by is not None:
            if self.store is not None:
                raise ParameterError("a store doesn't keep estimates of luck; leave out --store or --luck-adjusted")
            self.estimated = EstimatedLuck(self.plan.table, by, self.seed)
            self.luckless = self.estimated.says

    def _solved(self) -> bool:
        """Solve the game, so that its luck is exact; returns whether it can be solved."""
        from dicelab.questions.policies.skill.luck_sums import LuckOfGames
        from dicelab.questions.policies.skill.values import values

        on, table = self.plan.on, self.plan.table
        if self.plan.tallies or private_fields(table):
            return False
        wanted = {"seat-balanced": "win", PAYOFF: "payoff"}.get(on, on) if self.plan.seats > 1 else on
        if wanted in table.declared.tallies:
            wanted = f"{'fewest' if self.sign < 0 else 'most'}:{wanted}"
        try:
            solved = values(table, objective=wanted, memory=SOLVED_IN)
        except TooLarge:
            return False
        self.luck = {lineup: LuckOfGames(run, solved, self.seed) for lineup, run in self.runs.items()}
        self.luckless = "the exact values of the game"
        return True

    def play(self, upto: int, time: TimeLimit) -> None:
        """Play the games of every line-up up to number `upto`; none is kept if that is interrupted.

        Raises
        ------
        OutOfTime
            When the time is over before all line-ups have played.
        """
        low, new = self.games, {}
        for lineup in self.runs:
            if time.is_over():
                raise OutOfTime
            new[lineup] = self._played(lineup, low, upto, time)
        for lineup, (records, luck) in new.items():
            self.kept[lineup].append(self.plan.kept(records))
            if luck is not None:
                self.lucks[lineup].append(luck)
        self.games = upto

    def _played(
        self, lineup: LineUp, low: int, high: int, time: TimeLimit
    ) -> tuple[NDArray[Any], NDArray[np.float64] | None]:
        """Return the records of games `low` to ``high - 1`` of a line-up, and their luck if that is taken out."""
        import numpy as np

        run = self.runs[lineup]
        if self.estimated is not None:
            return self.estimated.play(run, self.seed, low, high, time.is_over)
        if self.store is not None:
            settings: dict[str, Any] = {"games": high, "seed": self.seed, "threads": self.threads, "seconds": time.left}
            with concerning(", ".join(lineup if len(set(lineup)) > 1 else lineup[:1])):
                kept = completed(simulate(run.game, [*run.calls], records=True, store=self.store, **settings))
            if kept.out_of_time:
                raise OutOfTime
            records = np.asarray(kept.records)[low:]
        else:
            parts: list[NDArray[Any]] = []
            self.players[lineup].play(low, high, lambda chunk: parts.extend(chunk.records), time.is_over)
            records = np.concatenate([np.asarray(rows) for rows in parts])
        return records, self.luck[lineup](low, high) if self.luck else None

    def scores(self) -> dict[str, NDArray[np.float64]]:
        """Return the score of every strategy in every game."""
        import numpy as np

        kept = {lineup: np.concatenate(parts) for lineup, parts in self.kept.items()}
        return self._of_all(lambda lineup, seat: self.plan.scored(kept[lineup], seat))

    def luck_of_scores(self) -> dict[str, NDArray[np.float64]]:
        """Return how much of the score of every strategy was luck, in every game; empty if that is left in."""
        import numpy as np

        lucks = {lineup: np.concatenate(parts) for lineup, parts in self.lucks.items() if parts}
        return self._of_all(lambda lineup, seat: lucks[lineup][:, seat]) if lucks else {}

    def _of_all(self, number: Callable[[LineUp, int], NDArray[Any]]) -> dict[str, NDArray[np.float64]]:
        """Return the mean of a number of each game over all line-ups and seats, of every strategy."""
        import numpy as np

        by_name = {}
        for name in self.plan.names:
            groups = [self.plan.seated(name, other) for other in self.plan.names if other != name]
            groups = groups[:1] if self.plan.seats == 1 else groups
            each = [number(lineup, seat) for group in groups for seat, lineup in enumerate(group)]
            by_name[name] = np.asarray(np.mean(np.array(each, np.float64), axis=0))
        return by_name

    def rated(self) -> list[Rated]:
        """Return the strategies, the best one first, as far as the games show."""
        scores, pairs = self.scores(), [*combinations(self.plan.names, 2)]
        luck = self.luck_of_scores()
        low, high = self.bounds
        level = 1 - (1 - LEVEL) / len(pairs)
        ahead: dict[str, set[str]] = {name: set() for name in scores}
        for one, other in pairs:
            lucky = luck[one] - luck[other] if luck else None
            gap = self.mean(scores[one] - scores[other], (low - high, high - low), level, lucky)
            if gap.low > 0 or gap.high < 0:
                better, worse = (one, other) if (gap.low > 0) == (self.sign > 0) else (other, one)
                ahead[better].add(worse)
        rows = []
        for name, values in scores.items():
            close = [one for one in scores if one != name and one not in ahead[name] and name not in ahead[one]]
            place = 1 + sum(name in beaten for beaten in ahead.values())
            score = self.mean(values, self.bounds, luck=luck.get(name))
            rows.append(
                Rated(name, place, score, tuple(close), narrower=self._narrower(score, values) if luck else None)
            )
        return sorted(rows, key=lambda row: (row.place, -self.sign * row.score.value))

    def _narrower(self, score: Point, values: NDArray[np.float64]) -> float | None:
        """Return by which factor an interval without luck is narrower than the one that these games have with it."""
        alone = self.mean(values, self.bounds)
        wide, narrow = alone.high - alone.low, score.high - score.low
        return wide / narrow if isfinite(wide) and isfinite(narrow) and narrow > 0 else None

    def mean(
        self,
        values: NDArray[np.float64],
        bounds: tuple[float, float],
        level: float = LEVEL,
        luck: NDArray[np.float64] | None = None,
    ) -> Point:
        """Return the mean of one number per game; its interval holds at every look if the bounds are finite, or if the
        `luck` of each game is taken out.
        """
        from dicelab.questions.scores import interval_of_looks

        if luck is not None and (adjusted := _without(values, luck)).std() > NOTHING:
            score = score_of(adjusted, ANYWHERE, 0, 1 - (1 - level) / self.shares)
            # What is without luck may lie outside the bounds, its true mean doesn't.
            return Point(*(min(max(end, bounds[0]), bounds[1]) for end in (score.value, score.low, score.high)))
        if all(map(isfinite, bounds)):
            return Point(float(values.mean()), *interval_of_looks(values, bounds, level))
        parts = 1 if self.plan.seats == 1 else self.plan.seats * (len(self.plan.names) - 1)
        return score_of(values, ANYWHERE, parts, level)


def _without(values: NDArray[np.float64], luck: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values without the share of the luck that leaves least variance: each half of the games without the
    share that was fitted to the other.
    """
    import numpy as np

    remaining = np.array(values)
    for half in (0, 1):
        other = slice(1 - half, None, 2)
        spread = float(luck[other].var()) if len(luck) > 3 else 0.0
        share = float(((luck[other] - luck[other].mean()) * values[other]).mean()) / spread if spread > NOTHING else 0.0
        remaining[half::2] -= share * luck[half::2]
    return remaining


# Intervals that hold at every look: more games may be played until the answer is clear, without a price ---------------


LARGEST_BET = 0.5
"""Limit on the weight of one game, the value that its authors use."""


def interval_of_looks(
    values: NDArray[np.float64], bounds: tuple[float, float], level: float = LEVEL
) -> tuple[float, float]:
    """Return an interval for the mean of independent numbers, which holds after any number of them.

    It is the empirical Bernstein confidence sequence of I. Waudby-Smith and A. Ramdas (*Estimating means of bounded
    random variables by betting*, JRSS B 86, 2024, theorem 2), intersected over all numbers so far: with probability
    `level`, all of these intervals contain the mean, so one may stop at any of them.

    Parameters
    ----------
    values
        The numbers, in the order in which they were found.
    bounds
        Smallest and largest possible number, both finite.
    level
        Probability with which all intervals hold.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.tile([0.0, 1.0], 5000)
    >>> low, high = interval_of_looks(values, (0, 1))
    >>> 0.47 < low < 0.5 < high < 0.53
    True
    """
    import numpy as np

    low, high = bounds
    n, odds = len(values), log(2 / (1 - level))
    if not n or low == high:
        return low, high
    share, games = (values - low) / (high - low), np.arange(1, n + 1)
    mean = (0.5 + np.cumsum(share)) / (games + 1)
    variance = (0.25 + np.cumsum((share - mean) ** 2)) / (games + 1)
    before, spread = np.append(0.5, mean[:-1]), np.append(0.25, variance[:-1])
    bet = np.minimum(LARGEST_BET, np.sqrt(2 * odds / (spread * games * np.log1p(games))))
    weight = np.cumsum(bet)
    centre = np.cumsum(bet * share) / weight
    # 4 (x - mean)^2 times (-log(1 - bet) - bet) / 4
    radius = (odds + np.cumsum((share - before) ** 2 * (-np.log1p(-bet) - bet))) / weight
    ends = max(0.0, float(np.max(centre - radius))), min(1.0, float(np.min(centre + radius)))
    if ends[0] > ends[1]:  # one of them doesn't contain the mean
        ends = max(0.0, float(centre[-1] - radius[-1])), min(1.0, float(centre[-1] + radius[-1]))
    return low + ends[0] * (high - low), low + ends[1] * (high - low)
