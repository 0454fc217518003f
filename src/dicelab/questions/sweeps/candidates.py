"""The candidates of a tuning: their figures, and whether these are as wished.

The figures of one candidate with one kind of play are exact, or simulated with intervals for all candidates at once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from dicelab.errors import ParameterError
from dicelab.limits import LIMITS
from dicelab.questions.exact import exact
from dicelab.questions.simulate import simulate
from dicelab.results.base import winners
from dicelab.results.numbers.estimates import Average, Point, Proportion, fairness, point
from dicelab.results.result import Result, Simulation
from dicelab.results.rows import completed
from dicelab.rules.game import Game, outcome_names
from dicelab.rules.params import share
from dicelab.runtime.strategies import BEST

# Wishes: ``gap<1%``, ``turns=8..12``, ``0>=45%`` ----------------------------------------------------------------------


HOLDS, FAILS, OPEN = "holds", "fails", "open"
"""Whether a figure is as wished; open where the interval of an estimate reaches across an end."""
WRITTEN = re.compile(r"\s*([^<>=]+?)\s*(<=|>=|<|>|=)\s*(.+?)\s*")
EXAMPLES = "gap<1%, turns=8..12 or 0>=45%"


@dataclass(frozen=True)
class Wish:
    """A range in which a figure should be; the ends are allowed.

    Attributes
    ----------
    text
        As it was written.
    figure
        An outcome (its probability), a tally (its mean), or a measure of fairness.
    low, high
        The ends of the range, infinite if there is none.

    Examples
    --------
    >>> Wish.of("gap<1%")
    Wish(text='gap<1%', figure='gap', low=-inf, high=0.01)
    >>> Wish.of("turns=8..12").low
    8.0
    """

    text: str
    figure: str
    low: float
    high: float

    @classmethod
    def of(cls, text: str) -> Wish:
        """Parse a wish.

        Raises
        ------
        ParameterError
        """
        match = WRITTEN.fullmatch(text)
        if match is None:
            raise ParameterError(f"want: {text!r} is not allowed; it is written {EXAMPLES}")
        figure, mark, value = match.groups()
        if mark == "=":
            first, dots, last = value.partition("..")
            if not dots:
                raise ParameterError(f"want: {text!r} has one number; give a range, such as {figure}=8..12")
            low, high = share(first, "want"), share(last, "want")
            if low > high:
                raise ParameterError(f"want: {text!r} has no values; the range goes up")
            return cls(text, figure, low, high)
        end = share(value, "want")
        return cls(text, figure, -inf, end) if mark in ("<", "<=") else cls(text, figure, end, inf)

    def judged(self, point: Point) -> str:
        """Return whether a figure with this interval is as wished."""
        if self.low <= point.low and point.high <= self.high:
            return HOLDS
        return FAILS if point.high < self.low or point.low > self.high else OPEN

    def off(self, value: float) -> float:
        """Return how far a value lies outside of the range; 0 inside."""
        return max(0.0, self.low - value, value - self.high)


# Figures --------------------------------------------------------------------------------------------------------------

CASUAL, USUAL = "casual", ""
"""Kinds of play that are no strategies: optimal play, random sensible moves, and that of a game without choices."""
SCREENED = 2_000
"""Number of games with which a candidate is screened."""


@dataclass(frozen=True)
class Figures:
    """What was found for one candidate with one kind of play.

    Attributes
    ----------
    values
        By name: outcomes (probabilities), tallies (means), measures of fairness, each with its interval.
    games
        Number of simulated games; 0 if the values are exact.

    Examples
    --------
    >>> Figures({}, games=2000).games
    2000
    """

    values: dict[str, Point]
    games: int = 0


@dataclass(frozen=True)
class Method:
    """How figures are found.

    Attributes
    ----------
    wishes
        Candidates that clearly fail one of them by the screening are not simulated further.
    level
        Confidence level of the intervals of simulated figures, which allows for the number of all of them.
    games, seed, slack, objective, memory, threads
        As in `dicelab.tune`.
    """

    wishes: Sequence[Wish]
    level: float
    games: int
    seed: int
    slack: float
    objective: str | None
    memory: int | None
    threads: int | None

    def figures(self, game: Game, plays: Sequence[str]) -> dict[str, Figures]:
        """Return the figures of a game, by kind of play."""
        from dicelab.questions.policies.casual import SolvedStates

        solved = SolvedStates.of(game, self.objective, self.memory) if {BEST, CASUAL} & set(plays) else None
        by_play = {}
        for play in plays:
            if play in (BEST, CASUAL):
                assert solved is not None
                values = solved.figures(None if play == BEST else self.slack)
                by_play[play] = Figures(values | _fairness(game, values))
            else:
                by_play[play] = self._with_strategy(game, play.split("+") if play else [])
        return by_play

    def _with_strategy(self, game: Game, strategies: list[str]) -> Figures:
        """Return the figures with given strategies: exact if there are few states, else screened and simulated."""
        from dicelab.questions.cost import exact_cost

        cost = exact_cost(game, strategies, memory=self.memory)
        if cost.how != "more" and cost.states <= LIMITS.candidate_states and cost.fits:
            return self._of(game, exact(game, strategies, memory=self.memory, threads=self.threads))
        settings: dict[str, Any] = {"seed": self.seed, "threads": self.threads}
        screened = self._of(game, completed(simulate(game, strategies, games=min(SCREENED, self.games), **settings)))
        if self.games <= SCREENED or any(wish.judged(screened.values[wish.figure]) == FAILS for wish in self.wishes):
            return screened
        return self._of(game, completed(simulate(game, strategies, games=self.games, **settings)))

    def _of(self, game: Game, result: Result) -> Figures:
        """Return the figures of a result."""
        games = result.games if isinstance(result, Simulation) else 0
        numbers = {**result.outcomes, **result.tallies}
        values = {
            name: point(replace(one, level=self.level) if isinstance(one, Proportion | Average) else one)
            for name, one in numbers.items()
        }
        return Figures(values | _fairness(game, values), games)


def _fairness(game: Game, values: dict[str, Point]) -> dict[str, Point]:
    """Return the measures of fairness, and what they can be within the intervals of all seats."""
    if not winners(game):
        return {}
    seats = [values[name] for name in outcome_names(game)]
    fair = fairness([one.value for one in seats])
    lows, highs = [one.low for one in seats], [one.high for one in seats]
    off = sum(one.high - one.low for one in seats)
    gap = Point(fair["gap"], max(0.0, max(lows) - min(highs)), max(highs) - min(lows))
    ratio = (max(lows) / min(highs), max(highs) / min(lows) if min(lows) > 0 else inf)
    total = fair["total_variation"]
    return {
        "gap": gap,
        "total_variation": Point(total, max(0.0, total - off), total + off),
        "ratio": Point(fair["ratio"], *ratio),
    }
