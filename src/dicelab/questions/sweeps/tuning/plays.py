"""The figures of one candidate with one kind of play: exact, or simulated with intervals for all candidates at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from dicelab.questions.cost import exact_cost
from dicelab.questions.exact import exact
from dicelab.questions.policies.casual import Solved
from dicelab.questions.simulate import simulate
from dicelab.questions.sweeps.tuning.wishes import FAILS, Wish
from dicelab.results.numbers.estimates import Average, Point, Proportion, point
from dicelab.results.numbers.fairness import fairness
from dicelab.results.provenance import winners
from dicelab.results.result import Result, Simulation
from dicelab.results.rows import completed
from dicelab.rules.game import Game, outcome_names

BEST, CASUAL, USUAL = "best", "casual", ""
"""Kinds of play that are no strategies: optimal play, random sensible moves, and that of a game without choices."""
MOST_STATES = 100_000
"""Number of states up to which a candidate with strategies is solved rather than simulated."""
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
        """The figures of a game, by kind of play.

        Raises
        ------
        InputError, TooLarge, PlayError
        """
        solved = Solved.of(game, self.objective, self.memory) if {BEST, CASUAL} & set(plays) else None
        found = {}
        for play in plays:
            if play in (BEST, CASUAL):
                assert solved is not None
                values = solved.figures(None if play == BEST else self.slack)
                found[play] = Figures(values | _fairness(game, values))
            else:
                found[play] = self._with_strategy(game, play.split("+") if play else [])
        return found

    def _with_strategy(self, game: Game, strategies: list[str]) -> Figures:
        """The figures with given strategies: exact if there are few states, else screened and simulated."""
        cost = exact_cost(game, strategies, memory=self.memory)
        if cost.how != "more" and cost.states <= MOST_STATES and cost.fits:
            return self._of(game, exact(game, strategies, memory=self.memory, threads=self.threads))
        settings: dict[str, Any] = {"seed": self.seed, "threads": self.threads}
        screened = self._of(game, completed(simulate(game, strategies, games=min(SCREENED, self.games), **settings)))
        if self.games <= SCREENED or any(wish.judged(screened.values[wish.figure]) == FAILS for wish in self.wishes):
            return screened
        return self._of(game, completed(simulate(game, strategies, games=self.games, **settings)))

    def _of(self, game: Game, result: Result) -> Figures:
        """The figures of a result."""
        games = result.games if isinstance(result, Simulation) else 0
        numbers = {**result.outcomes, **result.tallies}
        values = {
            name: point(replace(one, level=self.level) if isinstance(one, Proportion | Average) else one)
            for name, one in numbers.items()
        }
        return Figures(values | _fairness(game, values), games)


def _fairness(game: Game, values: dict[str, Point]) -> dict[str, Point]:
    """The measures of fairness, and what they can be within the intervals of all seats."""
    if not winners(game):
        return {}
    seats = [values[name] for name in outcome_names(game)]
    found = fairness([one.value for one in seats])
    lows, highs = [one.low for one in seats], [one.high for one in seats]
    off = sum(one.high - one.low for one in seats)
    gap = Point(found["gap"], max(0.0, max(lows) - min(highs)), max(highs) - min(lows))
    ratio = (max(lows) / min(highs), max(highs) / min(lows) if min(lows) > 0 else inf)
    total = found["total_variation"]
    return {
        "gap": gap,
        "total_variation": Point(total, max(0.0, total - off), total + off),
        "ratio": Point(found["ratio"], *ratio),
    }
