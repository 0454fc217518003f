"""A rating of strategies: how well each does against all others, played until their order is clear.

Every pairing is played in every seat order, all on the same dice, as in `dicelab.compare`: game i of every line-up has
the same random stream. So game i gives each strategy one number, its *score*: its chance to win (or its payoff),
averaged over the other strategies and over the seats; in a game of one seat the number that is compared. These numbers
are independent from game to game, and so are the differences of two strategies' scores. Their intervals hold at every
look (`dicelab.results.numbers.looks`), so playing stops as soon as no interval of a difference contains 0.

All differences get the right sign in at least 95 of 100 ratings: with k pairs of strategies, the intervals of their
differences have the level 1 - 0.05 / k. The interval of each score has the level 0.95.

In a game that can be solved, the luck of the dice can be taken out of the scores: what all rolls changed of the exact
value of the game adds up to a number with mean 0, and a multiple of it is subtracted from each score (a control
variate). The multiple is fitted to one half of the games and used for the other, so that the mean stays what it was.
Such scores have no bounds, so their intervals are those of a mean, corrected for skewness, at a level that all looks
share (Bonferroni): with 8 looks each has the level 1 - 0.05 / 8.

In a game that can be solved, the loss of each strategy against optimal play can be asked for, too: by games of its own
against optimal play, in which each choice loses what is known exactly (`dicelab.questions.policies.skill.luck`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isfinite
from statistics import mean, stdev
from typing import TYPE_CHECKING, Annotated, Any

from dicelab.errors import ParameterError
from dicelab.questions.compare import PAYOFF, ComparisonPlan, LineUp, compared_by, score_of
from dicelab.questions.declare import question
from dicelab.questions.options import GameLike, Option, RandomSeed, RowsWatched, Texts, Threads, Whole, YesNo
from dicelab.results.base import BaseResult
from dicelab.results.numbers.estimates import Point
from dicelab.results.numbers.intervals import ANYWHERE, LEVEL, mean_interval
from dicelab.results.provenance import about
from dicelab.results.text.page import CHANCE, Printing, decimals
from dicelab.results.text.sentences import apart, listed, number
from dicelab.rules.game import Call, Game, seat_count
from dicelab.runtime.interrupts import Stopped
from dicelab.runtime.lineup import Run, as_seed, usable_threads
from dicelab.runtime.strategies import AnyStrategy, as_list
from dicelab.runtime.timing import Stopwatch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dicelab.engines.player import Player
    from dicelab.questions.policies.skill.following import LuckOfGames

FIRST = 500
"""Games of each line-up before the first look; each further look doubles them. A difference of 30 points shows then."""
FIRST_SLOW = 20
"""The same where a player looks ahead before each of its choices: an interrupted rating then has something to say."""
LOSS_GAMES = 200
"""Games by which it is found what a strategy loses against optimal play."""
NOTHING = 1e-12
"""Variances and standard deviations below this are rounding of exact values."""
MOST = 100_000
"""Games of each line-up at most, unless another number is given: differences of 1 point show in most games."""


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


@dataclass(frozen=True, repr=False, kw_only=True)
class Rating(BaseResult):
    """A rating of strategies, the best one first.

    Attributes
    ----------
    on
        What the scores are: ``seat-balanced`` (chances to win), ``payoff``, or the name of an outcome or a tally.
    rows
        One for each strategy.
    games
        Games of each line-up that were played.
    shares
        Whether scores are probabilities.
    clear
        Whether the order of all strategies is clear.
    fewest
        Whether the smallest score is the best one.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.rate("tossup", ["one_roll", "bank_over:5"], target=8, seed=1)
    >>> [row.strategy for row in found.rows], found.clear
    (['bank_over:5', 'one_roll'], True)
    """

    on: str
    rows: list[Rated]
    games: int
    shares: bool
    clear: bool
    fewest: bool = False

    method = "rate"

    def _sentence(self) -> str:
        first, second = self.rows[0], self.rows[1]
        if first.close and first.score == second.score:
            return f"{listed([row.strategy for row in self.rows if row.score == first.score])} did equally well"
        if first.close:
            names = [row.strategy for row in self.rows if row.place == 1]
            return f"Too few games to tell which strategy is best: {listed(names)} can't be told apart"
        both = first.score.value, second.score.value
        one, other = apart(*both) if self.shares else (number(both[0]), number(both[1]))
        if self.on == "seat-balanced":
            others = "the other" if len(self.rows) == 2 else "the others"
            return f"{first.strategy} is best: it wins {one} against {others}, and {second.strategy} {other}"
        figure = f"{'chance' if self.shares else 'mean'} of {self.on.replace('_', ' ')}"
        most = "smallest" if self.fewest else "largest"
        return f"{first.strategy} has the {most} {figure}: {one}, against {other} for {second.strategy}"

    def _facts(self) -> dict[str, Any]:
        return {"on": self.on, "fewest": self.fewest, "clear": self.clear, "rows": [row.to_dict() for row in self.rows]}

    def _games(self) -> int | None:
        return self.games

    def _rows(self) -> list[dict[str, Any]]:
        return [row.to_dict() | {"close": ", ".join(row.close)} for row in self.rows]

    def _lines(self, page: Printing) -> list[str]:
        said = "wins" if self.on == "seat-balanced" else self.on.replace("_", " ")
        lost = ["loses", "95 % interval"] if self.rows[0].loss is not None else []
        close = [] if lost and self.clear else ["not told apart from"]
        table = [["place", "strategy", said, "95 % interval", *lost, *close]]
        for row in self.rows:
            between = row.score.low, row.score.high
            digits = CHANCE if self.shares else decimals(between)
            value = page.chance(row.score.value) if self.shares else page.number(row.score.value, digits)
            cells = [str(row.place), row.strategy, value, page.span(between, digits)]
            if row.loss is not None:
                ends = row.loss.low, row.loss.high
                cells += [page.number(row.loss.value, decimals(ends)), page.span(ends, decimals(ends))]
            table.append([*cells, *([", ".join(row.close)] if close else [])])
        how = f"{self.games:,} games of each line-up, all on the same dice, seed {self.seed}"
        end = "the order is clear" if self.clear else "the order isn't clear; --games allows more"
        by = f"loses: against optimal play, by {LOSS_GAMES} games in which each choice loses what is known exactly"
        more = [by] if lost else []
        factors = [row.narrower for row in self.rows if row.narrower is not None]
        if factors:
            low, high = min(factors), max(factors)
            times = f"{low:.1f} times" if f"{low:.1f}" == f"{high:.1f}" else f"{low:.1f} to {high:.1f} times"
            more.insert(0, f"without luck: intervals are {times} narrower than those of the same games with it")
        return [*self._head(page, ()), "", *page.table(table), "", f"{how}; {self.unfinished or end}", *more]


@question(
    chart="rating",
    tab="Rate",
    needs="strategies",
    rows="looks",
    compared=True,
    complete=lambda page, texts: len(page.strategies) > 1,
)
def rate(
    game: GameLike,
    strategies: Annotated[
        Sequence[AnyStrategy],
        Texts("Strategy to rate; give two or more (search, mcts and rollout play any game)", "S", ("--strategy", "-s")),
    ],
    *,
    on: Annotated[
        str | None,
        Option(
            "The outcome or tally to compare, in a game with one seat; fewest:NAME where few are wanted",
            "WHAT",
            (),
            "on",
            ("outcomes", "tallies"),
        ),
    ] = None,
    games: Annotated[
        int, Whole("Maximum number of games of each line-up", "N", ("--games", "-n"), "most games")
    ] = MOST,
    luck_adjusted: Annotated[
        bool, YesNo("Take the luck of the dice out of the scores, in a game that can be solved: fewer games tell more")
    ] = False,
    loss: Annotated[
        bool, YesNo("Also say what each strategy loses against optimal play, in a game that can be solved")
    ] = False,
    seed: RandomSeed = None,
    threads: Threads = None,
    progress: RowsWatched = lambda done, total: None,
    **parameters: object,
) -> Rating:
    """Rate strategies: play every pairing on the same dice until the order is clear.

    Each strategy plays against each other in every seat, and gets the mean of its chances to win. The intervals hold
    at every look, so that stopping early costs nothing: in at least 95 of 100 ratings the whole order is right.

    Commands
    --------
    dicelab rate tossup -s one_roll -s bank_over:20 -s bank_over:50 --seed 1
    dicelab rate farkle -s bank_at:300 -s bank_at:500 --games 2000
    dicelab rate ./pig.py -s hold_at:10 -s hold_at:20 -s hold_at:25 --plot rating.svg

    Parameters
    ----------
    strategies
        Two or more, such as ``["bank_over:20", "one_roll"]``.
    on
        In a game of one seat: the outcome or the tally to compare; the first outcome (or the first tally, if there are
        no outcomes) when None. The largest figure is best, unless the game is played for the fewest of it or to avoid
        it; ``fewest:turns`` and ``most:turns`` say which is best. A tally without declared bounds is looked at once,
        after all games.
    games
        Maximum number of games of each line-up.
    luck_adjusted
        Whether the luck of the dice is taken out of the scores, in a game that can be solved. The means stay the same,
        the intervals become narrower, most of all with good players.
    loss
        Whether it is found what each strategy loses against optimal play, in a game that can be solved: by 200 games of
        its own against optimal play, in each seat in turn.
    seed
        The same for all line-ups.

    Raises
    ------
    InputError, PlayError
    TooLarge
        With `loss` or `luck_adjusted`, when the game can't be solved.

    Examples
    --------
    >>> found = rate("tossup", ["one_roll", "bank_over:5"], target=20, seed=1)
    >>> [(row.place, row.strategy) for row in found.rows], found.games
    ([(1, 'bank_over:5'), (2, 'one_roll')], 500)
    """
    from dicelab.engines.player import Player
    from dicelab.questions.policies.objective import default_objective

    runs = [Run.of(game, text, **parameters) for text in dict.fromkeys(as_list(strategies))]
    calls = {str(run.calls[0]): run.calls[0] for run in runs if run.calls}
    if len(calls) < 2:
        raise ParameterError("rate takes two or more different strategies")
    watch, table, number = Stopwatch(), runs[0].game, as_seed(seed)
    much, _, name = (on or "").partition(":")
    if not name or much not in ("most", "fewest"):
        much, name = "", on or ""
    plan = ComparisonPlan(
        table, [*calls], seat_count(table), compared_by(table, None if on is None else name, seat_count(table))
    )
    fewest = much == "fewest" or (not much and default_objective(table) in (f"fewest:{plan.on}", f"avoid:{plan.on}"))
    lost = _lost(table, list(calls.values()), number) if loss else {}
    tasks, used = _Tasks(plan, fewest), usable_threads(threads)
    lined_up = {lineup: Run.of(table, [calls[name] for name in lineup]) for lineup in tasks.lineups}
    players = {lineup: Player(run, number, "auto", used, keep=True) for lineup, run in lined_up.items()}
    repeated = luck_adjusted or isfinite(tasks.bounds[1] - tasks.bounds[0])
    slow = any(call.strategy.moves is not None and call.strategy.moves.on_demand for call in calls.values())
    looks = _looks(games, FIRST_SLOW if slow else FIRST) if repeated else [games]
    interrupted, rows = False, list[Rated]()
    if luck_adjusted:
        tasks.take_luck_out(lined_up, number, len(looks))
    played = 0
    try:
        for done, upto in enumerate(looks):
            progress(done, len(looks))
            tasks.play(players, played, upto)
            rows, played = tasks.rated(), upto
            if not any(row.close for row in rows):
                break
        progress(len(looks), len(looks))
    except (Stopped, KeyboardInterrupt):
        if not rows:
            raise KeyboardInterrupt from None
        interrupted = True
    return Rating(
        **about(table, list(calls.values())),
        seconds=watch.seconds,
        interrupted=interrupted,
        on=plan.on,
        shares=plan.on not in (PAYOFF, *table.declared.tallies),
        rows=[replace(row, loss=lost.get(row.strategy)) for row in rows],
        games=played,
        clear=not any(row.close for row in rows),
        fewest=fewest,
        seed=number,
    )


def _lost(table: Game, calls: Sequence[Call], seed: int) -> dict[str, Point]:
    """Return what strategies lose against optimal play, by their names."""
    from dicelab.questions.policies.skill.by_turns import valued
    from dicelab.questions.policies.skill.luck import losses

    best, found = valued(table), {}
    for call in calls:
        each, _ = losses(best, call, LOSS_GAMES, seed)
        middle, sd = mean(each), stdev(each)
        skew = mean(((one - middle) / sd) ** 3 for one in each) if sd else 0.0
        low, high = mean_interval(middle, sd, LOSS_GAMES, skew=skew)
        found[str(call)] = Point(middle, max(0.0, low), high)
    return found


def _looks(games: int, first: int) -> list[int]:
    """Return the numbers of games after which somebody looks."""
    found = [games]
    while found[0] > first:
        found.insert(0, max(first, found[0] // 2))
    return found


class _Tasks:
    """The line-ups of a rating, and the scores of the games played so far."""

    def __init__(self, plan: ComparisonPlan, fewest: bool) -> None:
        from dicelab.runtime.states.tally_bounds import declared_bounds

        self.plan, self.sign = plan, -1 if fewest else 1
        self.groups = {
            (one, other): plan.seated(one, other) for one in plan.names for other in plan.names if one != other
        }
        self.lineups = list(dict.fromkeys(lineup for group in self.groups.values() for lineup in group))
        self.kept: dict[LineUp, list[NDArray[Any]]] = {lineup: [] for lineup in self.lineups}
        self.luck: dict[LineUp, LuckOfGames] = {}
        self.lucks: dict[LineUp, list[NDArray[np.float64]]] = {lineup: [] for lineup in self.lineups}
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

    def take_luck_out(self, runs: dict[LineUp, Run], seed: int, looks: int) -> None:
        """Take the luck of the dice out of all scores from now on; the intervals of all looks share their level.

        Raises
        ------
        ParameterError, TooLarge
            When the game can't be solved.
        """
        from dicelab.questions.policies.skill.following import LuckOfGames
        from dicelab.questions.policies.skill.values import values

        on, table = self.plan.on, self.plan.table
        if self.plan.tallies:
            raise ParameterError(f"{table.name}: luck is known for chances and one tally, not for a tally of each seat")
        wanted = {"seat-balanced": "win", PAYOFF: "payoff"}.get(on, on) if self.plan.seats > 1 else on
        if wanted in table.declared.tallies:
            wanted = f"{'fewest' if self.sign < 0 else 'most'}:{wanted}"
        solved = values(table, objective=wanted)
        self.luck = {lineup: LuckOfGames(run, solved, seed) for lineup, run in runs.items()}
        self.shares = looks

    def play(self, players: dict[LineUp, Player], low: int, high: int) -> None:
        """Play games `low` to ``high - 1`` of every line-up; none is kept if it is interrupted."""
        import numpy as np

        new: dict[LineUp, NDArray[Any]] = {}
        for lineup, player in players.items():
            records: list[NDArray[Any]] = []
            player.play(low, high, lambda chunk, found=records: found.extend(chunk.records))  # type: ignore[misc]
            new[lineup] = self.plan.kept(np.concatenate([np.asarray(rows) for rows in records]))
        lucks = {lineup: luck(low, high) for lineup, luck in self.luck.items()}
        for lineup, values in new.items():
            self.kept[lineup].append(values)
        for lineup, each in lucks.items():
            self.lucks[lineup].append(each)

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

        found = {}
        for name in self.plan.names:
            groups = [group for pair, group in self.groups.items() if pair[0] == name]
            groups = groups[:1] if self.plan.seats == 1 else groups
            each = [number(lineup, seat) for group in groups for seat, lineup in enumerate(group)]
            found[name] = np.asarray(np.mean(np.array(each, np.float64), axis=0))
        return found

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
        from dicelab.results.numbers.looks import interval_of_looks

        if luck is not None and (adjusted := _without(values, luck)).std() > NOTHING:
            return score_of(adjusted, ANYWHERE, 0, 1 - (1 - level) / self.shares)
        if all(map(isfinite, bounds)):
            return Point(float(values.mean()), *interval_of_looks(values, bounds, level))
        parts = 1 if self.plan.seats == 1 else self.plan.seats * (len(self.plan.names) - 1)
        return score_of(values, ANYWHERE, parts, level)


def _without(values: NDArray[np.float64], luck: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values without the share of the luck that leaves least variance: each half of the games without the
    share that was fitted to the other.
    """
    import numpy as np

    found = np.array(values)
    for half in (0, 1):
        other = slice(1 - half, None, 2)
        spread = float(luck[other].var()) if len(luck) > 3 else 0.0
        share = float(((luck[other] - luck[other].mean()) * values[other]).mean()) / spread if spread > NOTHING else 0.0
        found[half::2] -= share * luck[half::2]
    return found
