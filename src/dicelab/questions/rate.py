"""A rating of strategies: how well each does against all others, played until their order is clear.

Every pairing is played in every seat order, all on the same dice, as in `dicelab.compare`: game i of every line-up has
the same random stream. So game i gives each strategy one number, its *score*: its chance to win (or its payoff),
averaged over the other strategies and over the seats; in a game of one seat the number that is compared. These numbers
are independent from game to game, and so are the differences of two strategies' scores. Their intervals hold at every
look (`dicelab.questions.scores`), so playing stops as soon as no interval of a difference contains 0.

All differences get the right sign in at least 95 of 100 ratings: with k pairs of strategies, the intervals of their
differences have the level 1 - 0.05 / k. The interval of each score has the level 0.95.

The luck of the dice can be taken out of the scores: what all rolls changed of the value of the game adds up to a number
with mean 0, and a multiple of it is subtracted from each score (a control variate). The multiple is fitted to one half
of the games and used for the other, so that the mean stays what it was. Values are exact in a game that can be solved,
else estimates (`dicelab.questions.policies.skill.estimated_luck`). Such scores have no bounds, so their intervals are
those of a mean, corrected for skewness, at a level that all looks share (Bonferroni), and one more if it is stopped:
with 8 looks each has the level 1 - 0.05 / 9.

In a game that can be solved, the loss of each strategy against optimal play can be asked for, too: by games of its own
against optimal play, in which each choice loses what is known exactly (`dicelab.questions.policies.skill.luck`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from statistics import mean, stdev
from typing import Annotated

from dicelab.errors import DicelabError, ParameterError
from dicelab.questions.compare import PAYOFF, ComparisonPlan, compared_by
from dicelab.questions.declare import question
from dicelab.questions.options import (
    GameLike,
    Option,
    RandomSeed,
    RowsWatched,
    Seconds,
    Store,
    Texts,
    Threads,
    Whole,
    YesNo,
)
from dicelab.questions.scores import Rated, ScoredGames
from dicelab.questions.simulate import seed_of
from dicelab.results.base import BaseResult, about
from dicelab.results.entries import Read
from dicelab.results.numbers.estimates import Point
from dicelab.results.numbers.intervals import mean_interval
from dicelab.results.text.page import Printing
from dicelab.results.text.sentences import apart, listed, number
from dicelab.results.text.table import Column, Table, count, estimate, plain
from dicelab.results.text.writing import many
from dicelab.rules.game import Call, Game, seat_count
from dicelab.rules.objectives import wanted
from dicelab.runtime.interrupts import OutOfTime, Stopped
from dicelab.runtime.lineup import Run, usable_threads
from dicelab.runtime.strategies import AnyStrategy, as_list
from dicelab.runtime.timing import Stopwatch, TimeLimit

INTERRUPTED, OUT_OF_TIME = "interrupted", "out of time"
"""How a rating ends before its order is clear, or its games are played."""
ROUND_SECONDS, MOST_GROWTH = 1.0, 8
"""Aim for the time of a round, in which all line-ups play the same games and which is lost when it is interrupted; and
how much larger a round may be than the one before it."""
FIRST = 500
"""Games of each line-up before the first look; each further look doubles them. A difference of 30 points shows then."""
FIRST_SLOW = 20
"""The same where a player looks ahead before each of its choices: an interrupted rating then has something to say."""
LOSS_GAMES = 200
"""Games by which it is found what a strategy loses against optimal play."""
MOST = 100_000
"""Games of each line-up at most, unless another number is given: differences of 1 point show in most games."""


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
    luckless
        By what the luck of the dice is known that was taken out of the scores; empty if it was left in.
    out_of_time
        Whether it ended because the time that was allowed was over.

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
    luckless: str = ""
    out_of_time: bool = False

    method = "rate"
    entries = {
        "on": ("string: what the scores are: seat-balanced (chances to win), payoff, an outcome or a tally"),
        "fewest": "boolean: whether the smallest score is the best one",
        "clear": "boolean: whether the order of all strategies is clear",
        "rows": (
            [
                {
                    "strategy": "string",
                    "place": "integer",
                    "score": "number",
                    "low high": "number|null",
                    "close": "[string]",
                    "loss?": "number: what it loses against optimal play, where that was asked for",
                    "loss_low? loss_high?": "number|null",
                    "narrower?": (
                        "number: by which factor the interval is narrower without luck, where that was taken out"
                    ),
                }
            ],
            "the strategies, the best one first; close are those that can't be told from it",
        ),
        "luck_by?": Read(
            lambda self: self.luckless or None,
            "string: by what the luck is known that was taken out of the scores",
        ),
        "out_of_time?": "=true: present when it ended because the time allowed was over",
    }

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

    def _games(self) -> int | None:
        return self.games

    def _table(self) -> Table:
        said = "wins" if self.on == "seat-balanced" else self.on.replace("_", " ")
        columns = [Column("*", data=Rated.to_dict), Column("place", count), Column("strategy", plain)]
        columns += estimate("", said, lambda row: row.score, self.shares)
        lost = self.rows[0].loss is not None
        columns += estimate("", "loses", lambda row: row.loss, shares=False) if lost else []
        close = None if lost and self.clear else plain
        columns.append(Column("close", close, "not told apart from", lambda row: ", ".join(row.close)))
        return Table(columns, self.rows)

    def _lines(self, page: Printing) -> list[str]:
        how = f"{many(self.games, 'game')} of each line-up, all on the same dice, seed {self.seed}"
        more_of = "--seconds" if self.out_of_time else "--games"
        end = "the order is clear" if self.clear else f"the order isn't clear; {more_of} allows more"
        by = f"loses: against optimal play, by {LOSS_GAMES} games in which each choice loses what is known exactly"
        more = [by] if self.rows[0].loss is not None else []
        factors = [row.narrower for row in self.rows if row.narrower is not None]
        if self.luckless:
            than = ""
            if factors:
                low, high = min(factors), max(factors)
                times = f"{low:.1f} times" if f"{low:.1f}" == f"{high:.1f}" else f"{low:.1f} to {high:.1f} times"
                than = f": intervals are {times} narrower than those of the same games with it"
            more.insert(0, f"without luck, by {self.luckless}{than}")
        return [*self._head(page, ()), "", *self._table().lines(page), "", f"{how}; {self.unfinished or end}", *more]


@question(
    chart="rating",
    tab="Rate",
    needs="strategies",
    rows="games of each line-up",
    alike=True,
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
            "The outcome or tally to compare, in a game with one seat; fewest:NAME if fewer is better",
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
        bool, YesNo("Take the luck of the dice out of the scores, so that fewer games tell more")
    ] = False,
    luck_by: Annotated[
        str | None,
        Option(
            "The same, by estimates: a file of dicelab learn, or a strategy that plays games on after each roll", "S"
        ),
    ] = None,
    loss: Annotated[
        bool, YesNo("Also say what each strategy loses against optimal play, in a game that can be solved")
    ] = False,
    seed: RandomSeed = None,
    threads: Threads = None,
    seconds: Seconds = None,
    store: Store = None,
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
        Whether the luck of the dice is taken out of the scores. The means stay the same, the intervals become narrower,
        most of all with good players. It is known exactly in a game that can be solved; else it is estimated, by the
        first file of learned values among the strategies, or by the game's first strategy.
    luck_by
        What estimates the luck: a file of ``dicelab learn`` with values, or a strategy, with which 50 games are played
        on from each outcome of each roll. Poor estimates cost precision only. The luck is then taken out, whatever
        `luck_adjusted` is.
    loss
        Whether it is found what each strategy loses against optimal play, in a game that can be solved: by 200 games of
        its own against optimal play, in each seat in turn.
    seed
        The same for all line-ups.
    seconds
        Seconds of playing after which it stops; making engines ready doesn't count.
    store
        A file (docs/store.md) that keeps the games of each line-up; with it an interrupted rating goes on.

    Raises
    ------
    DicelabError
        When no line-up has played a game in so many `seconds`.
    TooLarge
        With `loss`, when the game can't be solved.

    Examples
    --------
    >>> found = rate("tossup", ["one_roll", "bank_over:5"], target=20, seed=1)
    >>> [(row.place, row.strategy) for row in found.rows], found.games
    ([(1, 'bank_over:5'), (2, 'one_roll')], 500)
    """
    runs = [Run.of(game, text, **parameters) for text in dict.fromkeys(as_list(strategies))]
    calls = {str(run.calls[0]): run.calls[0] for run in runs if run.calls}
    if len(calls) < 2:
        raise ParameterError("rate takes two or more different strategies")
    watch, table = Stopwatch(), runs[0].game
    plan, fewest = _plan(table, [*calls], on)
    groups = [plan.seated(one, other) for one in plan.names for other in plan.names if one != other]
    lineups = {lineup: Run.of(table, [calls[name] for name in lineup]) for group in groups for lineup in group}
    number = seed_of(next(iter(lineups.values())), seed, store, records=True)
    lost = _lost(table, list(calls.values()), number) if loss else {}
    played = ScoredGames(plan, lineups, number, usable_threads(threads), fewest, store)
    luck_adjusted = luck_adjusted or luck_by is not None
    repeated = luck_adjusted or isfinite(played.bounds[1] - played.bounds[0])
    looks = _looks(games, FIRST_SLOW if any(map(_on_demand, calls.values())) else FIRST) if repeated else [games]
    if luck_adjusted:
        played.take_luck_out(len(looks) + 1, luck_by)  # and one where somebody stops it
    ended = _played(played, looks, TimeLimit(seconds), progress)
    rows = played.rated()
    return Rating(
        **about(table, list(calls.values())),
        seconds=watch.seconds,
        interrupted=ended == INTERRUPTED,
        on=plan.on,
        shares=plan.on not in (PAYOFF, *table.declared.tallies),
        rows=[replace(row, loss=lost.get(row.strategy)) for row in rows],
        games=played.games,
        clear=not any(row.close for row in rows),
        fewest=fewest,
        luckless=played.luckless,
        out_of_time=ended == OUT_OF_TIME,
        seed=number,
    )


def _on_demand(call: Call) -> bool:
    """Return whether a strategy works out its moves when it is asked."""
    return call.strategy.moves is not None and call.strategy.moves.on_demand


def _plan(game: Game, names: list[str], on: str | None) -> tuple[ComparisonPlan, bool]:
    """Return what is compared, and whether the smallest is best; `on` may begin with ``most:`` or ``fewest:``."""
    from dicelab.questions.policies.objective import default_objective

    aim, seats = wanted(on), seat_count(game)
    plan = ComparisonPlan(game, names, seats, compared_by(game, aim.name if aim.counts else on, seats))
    if aim.counts:
        return plan, aim.kind == "fewest"
    usual = wanted(default_objective(game))
    return plan, usual.name == plan.on and usual.sign < 0


def _played(played: ScoredGames, looks: Sequence[int], time: TimeLimit, progress: Callable[[int, int], None]) -> str:
    """Play until the order is clear at a look, or no more games are asked for; returns how it ended.

    Games are played in rounds of about `ROUND_SECONDS`; when somebody looks doesn't depend on them.

    Raises
    ------
    KeyboardInterrupt
        When it is interrupted before every line-up has played a game.
    DicelabError
        When the time is over before that.
    """
    watch, size = Stopwatch(), 1
    try:
        for upto in looks:
            while played.games < upto:
                low, began = played.games, watch.seconds
                progress(low, looks[-1])
                played.play(min(upto, low + size), time)
                took = max(watch.seconds - began, 1e-6)
                size = max(1, int((played.games - low) * min(MOST_GROWTH, ROUND_SECONDS / took)))
            if not any(row.close for row in played.rated()):
                break
        progress(looks[-1], looks[-1])
    except OutOfTime:
        if not played.games:
            raise DicelabError("the time was over before each line-up had played a game; allow more seconds") from None
        return OUT_OF_TIME
    except (Stopped, KeyboardInterrupt):
        if not played.games:
            raise KeyboardInterrupt from None
        return INTERRUPTED
    return ""


def _lost(table: Game, calls: Sequence[Call], seed: int) -> dict[str, Point]:
    """Return what strategies lose against optimal play, by their names."""
    from dicelab.questions.policies.skill.by_turns import valued
    from dicelab.questions.policies.skill.luck import losses

    best, lost = valued(table), {}
    for call in calls:
        each, _ = losses(best, call, LOSS_GAMES, seed)
        middle, sd = mean(each), stdev(each)
        skew = mean(((one - middle) / sd) ** 3 for one in each) if sd else 0.0
        low, high = mean_interval(middle, sd, LOSS_GAMES, skew=skew)
        lost[str(call)] = Point(middle, max(0.0, low), high)
    return lost


def _looks(games: int, first: int) -> list[int]:
    """Return the numbers of games after which somebody looks."""
    looks = [games]
    while looks[0] > first:
        looks.insert(0, max(first, looks[0] // 2))
    return looks
