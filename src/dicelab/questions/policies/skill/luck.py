"""`dicelab.luck`: how much of a simulation's results is luck, and estimates from which most of the luck is removed.

The result of a game is v(start) + luck + change, where `change` is the effect of decisions: what the others' errors
gave a seat, less its own costs (`dicelab.questions.policies.skill.review`). The mean of luck is 0, whatever the
strategies, so the mean of result - c * luck is that of the result for every c. With good players, c = 1 leaves little
variance. The best c is estimated from one half of the games and used for the other half, which keeps the estimate
unbiased (control variates: P. Glasserman, *Monte Carlo Methods in Financial Engineering*, 2004, section 4.1).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, isfinite, sqrt
from time import process_time
from typing import Any

import numpy as np

from dicelab.errors import ParameterError, TooLarge
from dicelab.keywords import keywords
from dicelab.questions.policies.objective import default_objective
from dicelab.questions.policies.skill.estimated_luck import EstimatedLuck, file_of_values, judged_by
from dicelab.questions.policies.skill.luck_sums import followed
from dicelab.questions.policies.skill.values import Values, values
from dicelab.questions.policies.thinking.ahead import unseen_fields
from dicelab.questions.simulate import GAMES, whole
from dicelab.results.base import BaseResult, about, present
from dicelab.results.entries import Read
from dicelab.results.numbers.estimates import Point, known
from dicelab.results.numbers.intervals import mean_interval
from dicelab.results.text.page import Printing
from dicelab.results.text.sentences import percent
from dicelab.results.text.table import Column, Table, estimate
from dicelab.results.text.writing import many, outcome_title
from dicelab.rules.actions import OVER, Decision
from dicelab.rules.fields import applied
from dicelab.rules.game import Call, Game, fresh, reset, seat_count
from dicelab.rules.mixtures import LUCK
from dicelab.runtime.arrays import Floats
from dicelab.runtime.interpreter import MixtureDraws, as_move, asked
from dicelab.runtime.lineup import Run, as_seed, usable_threads
from dicelab.runtime.philox import Stream, pool
from dicelab.runtime.strategies import Strategies
from dicelab.runtime.timing import Stopwatch

MOST_ESTIMATED, TOGETHER = 200, 5
"""The most games whose luck is estimated, unless `luck_by` is given; and games between two reports of the progress."""
NOTHING = 1e-24
"""Variances below this are rounding of the solved values."""


@dataclass(frozen=True)
class SeatLuck:
    """One seat's result, luck and costs over many games.

    Attributes
    ----------
    name
        The seat's outcome, or what its result is otherwise.
    start
        Its value at the start, if all seats played the solved policy.
    mean, interval
        Its mean result as simulated, with the 95 % interval of a mean.
    adjusted, adjusted_interval
        The same without luck.
    kept
        The share of the luck that is left in the adjusted results (1 - c), as fitted to the games.
    luck, costs, covariance
        Variance of luck, of costs (own costs less what the others' errors gave), and their covariance. The variance of
        the result is luck + costs - 2 * covariance.
    mean_luck
        Mean luck of the games, which is 0 apart from chance.
    share_interval
        The 95 % interval of the share of luck, where luck is estimated and so games are few; else None.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.luck("tossup", ["bank_over:4", "bank_over:2"], games=2000, seed=1, target=6, dice=3)
    >>> seat = found.rows[0]
    >>> seat.name, round(seat.mean, 3), round(seat.adjusted, 3), round(seat.kept, 3)
    ('0', 0.647, 0.642, 0.316)
    """

    name: str
    start: float
    mean: float
    interval: tuple[float, float]
    adjusted: float
    adjusted_interval: tuple[float, float]
    kept: float
    luck: float
    costs: float
    covariance: float
    mean_luck: float
    share_interval: tuple[float, float] | None = None

    @property
    def share(self) -> float | None:
        """The share of luck, Var(luck) / (Var(luck) + Var(costs)); None where nothing varies."""
        return self.luck / (self.luck + self.costs) if self.luck + self.costs > NOTHING else None

    @property
    def narrower(self) -> float | None:
        """The factor by which the interval is narrower; None where it has no width, or an infinite one."""
        wide, narrow = self.interval[1] - self.interval[0], self.adjusted_interval[1] - self.adjusted_interval[0]
        return wide / narrow if isfinite(wide) and isfinite(narrow) and narrow > 0 else None

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        low, high = map(known, self.interval)
        facts: dict[str, Any] = {"start": self.start, "mean": self.mean, "low": low, "high": high}
        low, high = map(known, self.adjusted_interval)
        facts["adjusted"] = {"mean": self.adjusted, "low": low, "high": high}
        facts |= {"narrower": self.narrower, "kept": self.kept, "share_of_luck": self.share}
        variances = {"luck": self.luck, "costs": self.costs, "covariance": self.covariance}
        if self.share_interval is not None:
            facts |= dict(zip(("share_low", "share_high"), self.share_interval, strict=True))
        return facts | {"variance": variances, "mean_luck": self.mean_luck}


@dataclass(frozen=True, repr=False, kw_only=True)
class Luck(BaseResult):
    """Luck and costs of strategies over many games.

    Attributes
    ----------
    games
        Number of games.
    objective
        What the values are, as in `dicelab.solve`.
    states
        Number of states that were solved.
    rows
        One for each seat.
    cycles
        In how many components best responses cycle; luck then belongs to one policy of several.
    note
        Why the games were followed slowly; empty if they were not.
    by
        By what luck was estimated; empty where the values are exact.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.luck("tossup", target=5, dice=2, games=200, seed=1)
    >>> len(found.rows)
    2
    """

    games: int
    objective: str
    states: int
    rows: tuple[SeatLuck, ...]
    cycles: int
    note: str
    by: str = ""

    method = "luck"
    entries = {"$": Read(lambda self: self._known(), {"$": {"$ref": "#/$defs/luck"}})}

    def _known(self) -> dict[str, Any]:
        """Return the entries, which a simulation has too (`Adjusted`): so they are a part of the schema."""
        facts = {"objective": self.objective, "states": self.states, "cycles": self.cycles, "note": self.note}
        facts |= {"games": self.games, **present(luck_by=self.by)} if self.by else {}
        return facts | {"seats": {row.name: row.to_dict() for row in self.rows}}

    def _sentence(self) -> str:
        shares = [row.share for row in self.rows if row.share is not None]
        if not shares:
            return "Nothing varies, so there is neither luck nor skill"
        if self.by:
            spans = [row.share_interval for row in self.rows if row.share_interval is not None]
            low, high = percent(min(low for low, _ in spans)), percent(max(high for _, high in spans))
            return (
                f"About {percent(sum(shares) / len(shares))} of what decides these games is luck ({low} to {high}), "
                f"the rest what decisions cost and what the estimates miss: {self.by}"
            )
        low, high = percent(min(shares)), percent(max(shares))
        span = low if low == high else f"{low} to {high}"
        return f"{span} of what decides these games is luck, the rest what decisions cost"

    def _table(self) -> Table:
        def data(row: SeatLuck) -> dict[str, Any]:
            facts = row.to_dict()
            flat = {f"adjusted {name}": value for name, value in facts.pop("adjusted").items()}
            variances = {f"{name} var": value for name, value in facts.pop("variance").items()}
            return {"name": row.name, **facts, **flat, **variances}

        def without_luck(row: SeatLuck) -> Point:
            return Point(row.adjusted, *row.adjusted_interval)

        def sd(page: Printing, variance: float) -> str:
            return page.number(sqrt(variance), 4)

        columns = [
            Column("*", lambda page, row: outcome_title(row.name, row.name.isdigit()), "", data=data),
            *estimate("", "without luck", without_luck, shares=False),
            Column("", lambda page, row: "" if row.narrower is None else f"{row.narrower:.2f} times", "narrower"),
            Column("", lambda page, row: _share_text(row), "share of luck"),
            Column("", sd, "sd luck", lambda row: row.luck),
            Column("", sd, "sd costs", lambda row: row.costs),
        ]
        return Table(columns, self.rows)

    def _lines(self, page: Printing) -> list[str]:
        return [*self._head(page), "", *self.lines(page)]

    def lines(self, page: Printing) -> list[str]:
        """Return the text without the lines that say what was asked."""
        known = f"estimated: {self.by}" if self.by else f"solved: {many(self.states, 'state')}"
        about = f"{many(self.games, 'game')}, seed {self.seed}; {known}"
        cycles = f"best responses cycle in {many(self.cycles, 'component')}: luck belongs to one policy of several"
        notes = [*([cycles] if self.cycles else []), *([self.note] if self.note else [])]
        return [*self._table().lines(page), "", about, *notes]


def _share_text(row: SeatLuck) -> str:
    """Return the share of luck in per cent, with its interval if it is estimated; nothing if nothing varies."""
    share = "" if row.share is None else f"{100 * row.share:.1f} %"
    return (
        share
        if row.share_interval is None
        else "{} ({:.1f} to {:.1f})".format(share, *(100 * end for end in row.share_interval))
    )


@keywords
def luck(
    game: str | os.PathLike[str] | type[Game] | Game,
    strategies: Strategies = (),
    *,
    games: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    objective: str | None = None,
    memory: int | None = None,
    luck_by: str | None = None,
    progress: Callable[[int, int], None] = lambda played, games: None,
    **parameters: object,
) -> Luck:
    """Simulate games, measure luck and skill, and estimate the results with most of the luck removed.

    The game is solved first. The strategies may be any; the games are those that `dicelab.simulate` plays. Where the
    game is too large to be solved, or hides something, or a player has a file of learned values, luck is estimated, and
    what the estimates miss counts as what decisions cost.

    Parameters
    ----------
    game, strategies, seed, threads, **parameters
        As in `dicelab.simulate`.
    games
        Games to play, 100,000 by default; where luck is estimated, and `luck_by` isn't given, 200 at most.
    objective, memory
        As in `dicelab.solve`, without given strategies.
    luck_by
        What estimates luck, as in `dicelab.rate`: a file of learned values, or a strategy that plays games on. Nothing
        is solved then.
    progress
        Called with the games played so far, and with their number.

    Returns
    -------
    Luck
        For each seat its estimate without luck, and the variances of luck and costs.

    Raises
    ------
    InputError, TooLarge, PlayError
        As `dicelab.simulate` and `dicelab.solve`.

    Examples
    --------
    >>> found = luck("tossup", ["bank_over:4", "bank_over:2"], games=2000, seed=1, target=6, dice=3)
    >>> seat = found.rows[0]
    >>> seat.narrower > 1, 0 < seat.share < 1
    (True, True)
    """
    watch, run = Stopwatch(), Run.of(game, strategies, **parameters)
    number, wanted = as_seed(seed), GAMES if games is None else whole("games", games)
    solved = None
    if luck_by is None and not unseen_fields(run.game) and not file_of_values(run.calls):
        try:
            solved = values(run.game, objective=objective, memory=memory)
        except TooLarge:
            if objective is not None:
                raise
    if solved is None:
        by, most = luck_by or judged_by(run.game, run.calls), inf if luck_by else MOST_ESTIMATED
        return _estimated(run, number, int(min(wanted, most)), by, watch, progress)
    if solved.objective.tallied:
        raise ParameterError(f"{run.game.name}: luck is known for chances and one tally, not for a tally of each seat")
    sums, played, note = followed(run, solved, number, wanted, usable_threads(threads), progress)
    start = solved.at_start
    names = [str(seat) for seat in range(solved.seats)] if solved.seats > 1 else [solved.objective.text]
    rows = tuple(_seat(name, float(start[seat]), sums[:, seat], played) for seat, name in enumerate(names))
    return Luck(
        **about(run.game, run.calls),
        seed=number,
        seconds=watch.seconds,
        games=wanted,
        objective=solved.objective.text,
        states=len(solved.keys),
        rows=rows,
        cycles=solved.cycles,
        note=note,
    )


def _estimated(
    run: Run, seed: int, games: int, by: str, watch: Stopwatch, progress: Callable[[int, int], None]
) -> Luck:
    """Return luck and costs by estimates."""
    known, seats = EstimatedLuck(run.game, by, seed), max(1, seat_count(run.game))
    parts = list[tuple[Any, Floats]]()
    for low in range(0, games, TOGETHER):
        parts.append(known.play(run, seed, low, min(low + TOGETHER, games)))
        progress(min(low + TOGETHER, games), games)
    got, fortune = known.result(np.concatenate([one for one, _ in parts])), np.concatenate([one for _, one in parts])
    start = np.array(known.start())
    change = got - start - fortune
    products = (got, got**2, change, fortune, change**2, change * fortune, fortune**2)
    cubes = (change**3, fortune * change**2, fortune**2 * change, fortune**3)
    each = np.stack([*products, *cubes], axis=2)
    halves = np.stack([each[half::2].sum(axis=0) for half in range(2)])
    played = [len(each[half::2]) for half in range(2)]
    objective = "win" if known.wins else default_objective(run.game) or "win"
    rows = []
    for seat in range(seats):
        row = _seat(str(seat) if seats > 1 else objective, float(start[seat]), halves[:, seat], played)
        rows.append(replace(row, share_interval=_share_interval(fortune[:, seat], change[:, seat])))
    return Luck(
        **about(run.game, run.calls),
        seed=seed,
        seconds=watch.seconds,
        games=games,
        objective=objective,
        states=0,
        rows=tuple(rows),
        cycles=0,
        note="",
        by=known.says,
    )


def _share_interval(fortune: Floats, change: Floats) -> tuple[float, float] | None:
    """Return the 95 % interval of the share of luck of one seat, by how much each game moves it (the delta method)."""
    squares = [(one - one.mean()) ** 2 for one in (fortune, change)]
    luck, costs = (float(one.mean()) for one in squares)
    if len(fortune) < 2 or luck + costs <= NOTHING:
        return None
    share = luck / (luck + costs)
    moves = ((squares[0] - luck) * costs - (squares[1] - costs) * luck) / (luck + costs) ** 2
    half = 1.959964 * float(moves.std(ddof=1)) / sqrt(len(fortune))
    return max(0.0, share - half), min(1.0, share + half)


def _seat(name: str, start: float, halves: Floats, played: list[int]) -> SeatLuck:
    """Return one seat, from its sums in both halves of the games."""
    games, whole_sums = sum(played), halves.sum(axis=0)
    got, squares = (whole_sums[:2] / games).tolist()
    change, fortune, changes, both, fortunes = (whole_sums[2:7] / games).tolist()
    variance, costs = (_variance(mean, square) for mean, square in ((fortune, fortunes), (change, changes)))
    parts = []  # games, mean, variance and third central moment of the adjusted results of each half
    for half, other in ((0, 1), (1, 0)):
        if played[half]:
            parts.append((played[half], *_without(halves[half] / played[half], _kept(halves[other], played[other]))))
    mean = sum(n * part[0] for n, *part in parts) / games
    spread = sum(n * part[1] for n, *part in parts) / games
    third = sum(n * part[2] for n, *part in parts) / games
    return SeatLuck(
        name=name,
        start=start,
        mean=got,
        interval=_interval(got, _variance(got, squares), games),
        adjusted=start + mean,
        adjusted_interval=_interval(start + mean, spread, games, third),
        kept=_kept(whole_sums, games),
        luck=variance,
        costs=costs,
        covariance=fortune * change - both,
        mean_luck=fortune,
    )


def _kept(sums: Floats, games: int) -> float:
    """Return the share of the luck that is to be left, so that change + share * luck varies least."""
    if not games:
        return 0.0
    change, fortune, _, both, fortunes = (sums[2:7] / games).tolist()
    variance = _variance(fortune, fortunes)
    return (fortune * change - both) / variance if variance else 0.0


def _without(means: Floats, kept: float) -> tuple[float, float, float]:
    """Mean, variance and third central moment of change + kept * luck, from the means of their products."""
    change, fortune, changes, both, fortunes, c3, lc2, l2c, l3 = means[2:11].tolist()
    mean = change + kept * fortune
    square = changes + 2 * kept * both + kept**2 * fortunes
    cube = c3 + 3 * kept * lc2 + 3 * kept**2 * l2c + kept**3 * l3
    return mean, _variance(mean, square), cube - 3 * mean * square + 2 * mean**3


def _variance(mean: float, square: float) -> float:
    """Return the variance of values with this mean and mean square; 0 where it is rounding."""
    variance = float(square - mean * mean)
    return variance if variance > NOTHING + 1e-14 * mean * mean else 0.0


def _interval(mean: float, variance: float, games: int, third: float = 0.0) -> tuple[float, float]:
    """Return the 95 % interval of a mean."""
    if games < 2 or not variance:
        return (mean, mean) if games > 1 and not third and not variance else (-inf, inf)
    skew = third / variance**1.5
    return mean_interval(mean, sqrt(variance * games / (games - 1)), games, skew=float(np.clip(skew, -1e9, 1e9)))


@dataclass(frozen=True, repr=False, init=False)
class Adjusted(BaseResult):
    """A simulation, possibly beside the exact answer, with its luck: what ``simulate --luck-adjusted`` shows."""

    answer: BaseResult
    luck: Luck

    method = "simulate"

    def __init__(self, answer: BaseResult, luck: Luck) -> None:
        super().__init__(**answer.common)
        object.__setattr__(self, "answer", answer)
        object.__setattr__(self, "luck", luck)

    def _facts(self) -> dict[str, Any]:  # those of the answer, whatever it is, and one more
        return self.answer._facts() | {"luck": self.luck._facts() | {"seconds": self.luck.seconds}}

    def _sentence(self) -> str:
        return self.luck.summary

    def _games(self) -> int | None:
        return self.answer._games()

    def _table(self) -> Table:
        return self.luck._table()

    def _lines(self, page: Printing) -> list[str]:
        return [*self.answer._lines(page), "", *self.luck.lines(page)]


# Losses ---------------------------------------------------------------------------------------------------------------
#
# What a strategy loses against optimal play: in each game one seat is its own, and all others play optimally.
#
# A choice loses the exact value of the best move minus that of the move made; the sum over a game has as its mean what
# the strategy loses of its chance to win (or of its score) against optimal play. The luck of the dice is not in it, so
# far fewer games tell it than counting wins takes.


def losses(best: Values, call: Call, games: int, seed: int, most: float = inf) -> tuple[list[float], float]:
    """Return what a strategy loses in each game, in one seat after the other; and the seconds of the processor for one
    of its choices. Once its choices took `most` seconds, and there are two games, no further one is begun.

    Raises
    ------
    PlayError
        When a rule or the strategy fails.
    """
    game, sums, spent, choices = fresh(best.game), list[float](), 0.0, 0
    for number in range(games):
        if spent > most and number > 1:
            break
        chooser = call.chooser(game)  # with a memory of its own for each game
        stream, lost = Stream(seed, number), 0.0
        game.__dict__[LUCK] = luck = MixtureDraws(stream)
        reset(game)
        while (step := game.next()) != OVER:
            kind, count = asked(game, step)
            if not isinstance(kind, Decision):
                applied(kind.run, game, stream.draw(pool(game, kind, count)))
                continue
            luck.choices += 1
            move = right = best.best(game)
            if count == number % best.seats:
                began = process_time()
                move = as_move(chooser(game, kind, count))
                spent, choices = spent + process_time() - began, choices + 1
            if move != right:
                gap = best.after(game, kind, right)[count] - best.after(game, kind, move)[count]
                lost += best.objective.sign * float(gap)
            applied(kind.run, game, move)
        sums.append(lost)
    return sums, spent / max(1, choices)
